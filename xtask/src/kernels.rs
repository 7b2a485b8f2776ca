//! The kernels that `demo` and `bench` run, and the command lines that compile and simulate them.
//!
//! Invariant: a kernel's source is ordinary MLIR without any op of ours; `prepare` names upstream passes only.

use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::run::{Built, output};

/// The device that kernels are compiled for, and one with more DMA engines and a long start latency.
pub(crate) const DEVICE: &str = "sunmmio-a4e";
const MANY_ENGINES: &str = "trainium2-core";

/// One row of the tables.
pub(crate) struct Kernel {
    /// Name in the tables and of the files written.
    pub(crate) name: &'static str,
    /// The device.
    pub(crate) device: &'static str,
    /// Source, from the workspace's folder.
    pub(crate) source: &'static str,
    /// Function that is simulated.
    pub(crate) entry: &'static str,
    /// Upstream passes that make the plain tile loop from the source; none if it already is one.
    pub(crate) prepare: &'static [&'static str],
    /// Values of arguments that the default, random numbers, does not suit: `N=VALUE`.
    pub(crate) arguments: &'static [&'static str],
    /// Shown by `demo`, in contrast to `bench`.
    pub(crate) in_demo: bool,
}

/// Splits the product in tiles and gives each a buffer, with upstream's transform dialect alone.
pub(crate) const TILE_MATMUL: &[&str] = &[
    "--transform-preload-library=transform-library-paths=examples/matmul.transform.mlir",
    "--transform-interpreter",
];

/// All kernels, in the order of the tables.
pub(crate) const KERNELS: &[Kernel] = &[
    Kernel {
        name: "attention",
        device: DEVICE,
        source: "examples/attention.mlir",
        entry: "attention",
        prepare: &[],
        arguments: &[],
        in_demo: true,
    },
    Kernel {
        name: "matmul",
        device: DEVICE,
        source: "examples/matmul.mlir",
        entry: "matmul",
        prepare: TILE_MATMUL,
        arguments: &[],
        in_demo: true,
    },
    Kernel {
        name: "rms_norm",
        device: DEVICE,
        source: "test/kernels/rms-norm-f32.mlir",
        entry: "rms_norm",
        prepare: &[],
        arguments: &["0=random:1:512x256", "2=zero:512x256"],
        in_demo: false,
    },
    Kernel {
        name: "vector_add",
        device: DEVICE,
        source: "test/kernels/vector-add-f32.mlir",
        entry: "vector_add",
        prepare: &[],
        arguments: &["0=random:1:65536", "1=random:2:65536", "2=zero:65536"],
        in_demo: false,
    },
    Kernel {
        name: "attention_many_engines",
        device: MANY_ENGINES,
        source: "examples/attention.mlir",
        entry: "attention",
        prepare: &[],
        arguments: &[],
        in_demo: true,
    },
    Kernel {
        name: "matmul_many_engines",
        device: MANY_ENGINES,
        source: "examples/matmul.mlir",
        entry: "matmul",
        prepare: TILE_MATMUL,
        arguments: &[],
        in_demo: true,
    },
];

/// The program before and after the pipeline.
pub(crate) struct Compiled {
    pub(crate) before: PathBuf,
    pub(crate) after: PathBuf,
    /// The report of each loop's outcome, as a table.
    pub(crate) report: PathBuf,
}

/// Compiles `kernel`; both programs and the report are written to `target/FOLDER`.
pub(crate) fn compile(built: &Built, kernel: &Kernel, folder: &str) -> Result<Compiled> {
    let before = built.file(folder, &format!("{}.before.mlir", kernel.name))?;
    let after = built.file(folder, &format!("{}.after.mlir", kernel.name))?;
    let report = built.file(folder, &format!("{}.report.txt", kernel.name))?;
    output(
        built
            .tool("zpu-opt")
            .arg(kernel.source)
            .args(kernel.prepare)
            .arg("-o")
            .arg(&before),
        &[0],
    )?;
    output(
        built
            .tool("zpu-opt")
            .arg(&before)
            .arg(format!("{} report={{{}}}", pipeline_flag(kernel), report.display()))
            .arg("-o")
            .arg(&after),
        &[0],
    )?;
    Ok(Compiled { before, after, report })
}

/// The whole chain as one flag of zpu-opt.
pub(crate) fn pipeline_flag(kernel: &Kernel) -> String {
    format!("--zpu-pipeline=device={}", kernel.device)
}

/// The flags of every run of zpu-sim on this kernel: entry, device, inputs.
pub(crate) fn simulation(kernel: &Kernel) -> Vec<String> {
    let mut flags = vec![
        "--entry".to_owned(),
        kernel.entry.to_owned(),
        "--device".to_owned(),
        kernel.device.to_owned(),
    ];
    flags.extend(["--init".to_owned(), "random:1".to_owned()]);
    flags.extend(
        kernel
            .arguments
            .iter()
            .flat_map(|argument| ["--arg".to_owned(), (*argument).to_owned()]),
    );
    flags
}

/// Simulates one program of `kernel` and writes its timeline.
pub(crate) fn trace(built: &Built, kernel: &Kernel, program: &Path, to: &Path) -> Result<()> {
    output(
        built
            .tool("zpu-sim")
            .arg(program)
            .args(simulation(kernel))
            .arg("--trace")
            .arg(to),
        &[0],
    )?;
    Ok(())
}
