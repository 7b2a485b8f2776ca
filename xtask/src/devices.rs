//! `cargo xtask bench --of=devices`: kernels on the devices of the repository, with the comparison of plans and
//! without.
//!
//! Without it, each transfer of a loop has one engine for all iterations. Shares are of the bound of that program, so
//! that a bound that grows does not pass for a better program; the tight bound of the compiled program stands beside
//! it.
//!
//! Invariant: cycles and bounds are the simulator's, and all bytes of the results are compared with those of the
//! source.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::kernels::{DEVICE, KERNELS, compile};
use crate::run::{Built, number, output, root};
use crate::setup;
use crate::table::{grouped, layout};

/// A device and the name of its off-chip memory, which sources write as `dram` where they write it.
const DEVICES: [(&str, &str); 2] = [("sunmmio-a4e", "dram"), ("trainium2-core", "hbm")];

/// Kernels besides those of the demo: a file, and values of arguments.
const SOURCES: [(&str, &[&str]); 8] = [
    ("test/kernels/nests/conv2d_im2col_3x3.mlir", &[]),
    ("test/kernels/nests/mesh_ffn_up_2pass.mlir", &[]),
    (
        "test/kernels/nests/paged_attention_decode.mlir",
        &["1=random:11:40x32x2x128", "2=random:12:40x32x2x128", "3=iota", "4=1000"],
    ),
    ("test/kernels/nests/rmsnorm_splitk_scale.mlir", &[]),
    ("test/kernels/dataflow/attention.mlir", &[]),
    ("test/kernels/dataflow/convolution_pooling.mlir", &[]),
    ("test/kernels/dataflow/layer_norm_residual.mlir", &[]),
    ("test/kernels/dataflow/transposed_product.mlir", &[]),
];

/// Largest stage of the plans.
const STAGES: u32 = 4;

const HEADER: [&str; 10] = [
    "kernel",
    "without",
    "cycles",
    "speed-up",
    "bound without",
    "share",
    "tight bound",
    "share",
    "dma engines",
    "compile s",
];

/// Prints the table and the geometric means; fails if a program computes something else, or is slower.
pub(crate) fn devices() -> Result<()> {
    let llvm = setup::set_up()?;
    let built = Built::release(&llvm)?;
    let mut rows = Vec::new();
    let mut slower = Vec::new();
    for (device, off_chip) in DEVICES {
        let mut shares = Vec::new();
        for Source { name, file, simulation } in sources(&built)? {
            let text = fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
            let source = built.file("bench", &format!("{name}.{device}.mlir"))?;
            fs::write(
                &source,
                text.replace("#zpu.space<dram>", &format!("#zpu.space<{off_chip}>")),
            )?;
            eprintln!("{name} on {device}");
            let alone = run(&built, &source, device, &simulation, false)?;
            let now = run(&built, &source, device, &simulation, true)?;
            // With loops of unknown length, plans are compared for other lengths than this one.
            if now.cycles * 100 > alone.cycles * 101 {
                slower.push(format!("{name} on {device}: {} and {}", alone.cycles, now.cycles));
            }
            let share = |bound: u64| bound as f64 / now.cycles.max(1) as f64;
            shares.push(share(alone.bound));
            rows.push(vec![
                format!("{name} on {device}"),
                grouped(alone.cycles),
                grouped(now.cycles),
                format!("{:.2}", alone.cycles as f64 / now.cycles.max(1) as f64),
                grouped(alone.bound),
                format!("{:.3}", share(alone.bound)),
                grouped(now.tight),
                format!("{:.3}", share(now.tight)),
                format!("{} -> {}", alone.engines, now.engines),
                format!("{:.2} -> {:.2}", alone.seconds, now.seconds),
            ]);
        }
        let mean = (shares.iter().map(|share| share.ln()).sum::<f64>() / shares.len().max(1) as f64).exp();
        let mut row = vec![String::new(); HEADER.len()];
        row[0] = format!("geometric mean on {device}");
        row[5] = format!("{mean:.3}");
        rows.push(row);
    }
    print!("{}", layout(&HEADER, &rows));
    ensure!(slower.is_empty(), "slower: {}", slower.join(", "));
    Ok(())
}

/// A kernel as a plain tile loop.
struct Source {
    name: String,
    file: PathBuf,
    /// Options of the simulator.
    simulation: Vec<String>,
}

/// All kernels.
fn sources(built: &Built) -> Result<Vec<Source>> {
    let mut all = Vec::new();
    for kernel in KERNELS.iter().filter(|kernel| kernel.device == DEVICE) {
        let compiled = compile(built, kernel, "bench")?;
        all.push(Source {
            name: kernel.name.to_owned(),
            file: compiled.before,
            simulation: simulation(kernel.entry, kernel.arguments),
        });
    }
    for (file, arguments) in SOURCES {
        let path = root().join(file);
        let name = path
            .file_stem()
            .map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let name = if file.contains("/dataflow/") {
            format!("{name}_graph")
        } else {
            name
        };
        all.push(Source {
            name,
            file: path,
            simulation: simulation("", arguments),
        });
    }
    Ok(all)
}

/// The options of the simulator.
fn simulation(entry: &str, arguments: &[&str]) -> Vec<String> {
    let mut all = vec!["--init".to_owned(), "random:1".to_owned()];
    if !entry.is_empty() {
        all.extend(["--entry".to_owned(), entry.to_owned()]);
    }
    all.extend(
        arguments
            .iter()
            .flat_map(|value| ["--arg".to_owned(), (*value).to_owned()]),
    );
    all
}

/// One program, compiled and simulated.
struct Run {
    cycles: u64,
    bound: u64,
    tight: u64,
    /// DMA engines that moved something.
    engines: usize,
    /// Seconds of compiling.
    seconds: f64,
}

fn run(built: &Built, source: &Path, device: &str, simulation: &[String], compares: bool) -> Result<Run> {
    let compiled = source.with_extension("compiled.mlir");
    let begin = Instant::now();
    output(
        built
            .tool("zpu-opt")
            .arg(source)
            .arg(format!(
                "--zpu-pipeline=device={device} num-stages={STAGES} compare-plans={compares}"
            ))
            .arg("-o")
            .arg(&compiled),
        &[0],
    )?;
    let seconds = begin.elapsed().as_secs_f64();
    // Exit code 6, for other values, is none that is allowed.
    output(
        built
            .tool("zpu-sim")
            .arg("compare")
            .arg(source)
            .arg(&compiled)
            .args(["--device", device])
            .args(simulation),
        &[0],
    )?;
    let report = output(
        built
            .tool("zpu-sim")
            .arg(&compiled)
            .args(simulation)
            .args(["--json", "-"]),
        &[0],
    )?;
    let report: Value = serde_json::from_slice(&report.stdout).context("zpu-sim wrote no JSON")?;
    let engines = report["engines"].as_array().into_iter().flatten();
    let works = |engine: &&Value| engine["kind"] == "dma" && engine["commands"].as_u64().unwrap_or(0) > 0;
    Ok(Run {
        cycles: number(&report, "/cycles")?,
        bound: number(&report, "/lower_bound")?,
        tight: number(&report, "/tight_bound/cycles")?,
        engines: engines.filter(works).count(),
        seconds,
    })
}
