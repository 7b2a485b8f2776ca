//! The programs of `cargo xtask bench --of=devices`: files, values of arguments, and what upstream passes do to them.
//!
//! Invariant: each is a plain tile loop, or a nest of them, in ordinary MLIR.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::kernels::{DEVICE, KERNELS, TILE_MATMUL};
use crate::run::{Built, output, root};

/// A program before it is compiled.
pub(crate) struct Source {
    /// The name in tables.
    pub(crate) name: String,
    file: PathBuf,
    /// Upstream passes that make the plain tile loop.
    prepare: Vec<String>,
    /// Options of the simulator.
    pub(crate) simulation: Vec<String>,
}

/// A matrix product becomes loops by the script of this name.
const TWO_LEVEL: &str = "matmul-two-level";
/// The same, with the result off chip between steps of the inner loop.
const INNERMOST: &str = "matmul-innermost-full-tiles";

/// A folder, a file in it without its ending, what makes its name differ from others', a script, values of arguments.
struct Entry(
    &'static str,
    &'static str,
    &'static str,
    Option<&'static str>,
    &'static [&'static str],
);

const ENTRIES: &[Entry] = &[
    Entry(
        "test/kernels",
        "attention-f32",
        "",
        None,
        &["1=random:2:1024x64", "2=random:3:1024x64"],
    ),
    Entry(
        "test/kernels",
        "attention-bf16",
        "",
        None,
        &["1=random:2:128x1024", "2=random:3:1024x128"],
    ),
    Entry(
        "test/kernels",
        "attention-blocks-f32",
        "",
        None,
        &[
            "0=random:1:64x32",
            "1=random:2:256x32",
            "2=random:3:256x32",
            "3=zero:64x32",
        ],
    ),
    Entry(
        "test/kernels",
        "attention-partial-f16",
        "",
        None,
        &["1=random:2:1024x128", "2=random:3:1024x128"],
    ),
    Entry(
        "test/kernels",
        "rms-norm-bf16",
        "",
        None,
        &["0=random:1:512x128", "2=zero:512x128"],
    ),
    Entry(
        "test/kernels",
        "vector-add-bf16",
        "",
        None,
        &["0=random:1:65536", "1=random:2:65536", "2=zero:65536"],
    ),
    Entry(
        "test/kernels",
        "matmul-f32",
        "",
        Some(TWO_LEVEL),
        &["0=random:1:64x1024", "1=random:2:1024x96"],
    ),
    Entry(
        "test/kernels",
        "matmul-bf16",
        "",
        Some(TWO_LEVEL),
        &["0=random:1:64x1024", "1=random:2:1024x64"],
    ),
    Entry("test/kernels", "matmul-static-f32", "", Some(TWO_LEVEL), &[]),
    Entry(
        "test/kernels",
        "matmul-dynamic-f32",
        "",
        Some(TWO_LEVEL),
        &["0=random:1:70x500", "1=random:2:500x70", "2=zero:70x70"],
    ),
    Entry(
        "test/kernels",
        "matmul-f32",
        "_innermost",
        Some(INNERMOST),
        &["0=random:1:64x256", "1=random:2:256x96"],
    ),
    Entry("test/kernels/nests", "conv2d_im2col_3x3", "", None, &[]),
    Entry("test/kernels/nests", "mesh_ffn_up_2pass", "", None, &[]),
    Entry("test/kernels/nests", "panel_product", "", None, &[]),
    Entry(
        "test/kernels/nests",
        "paged_attention_decode",
        "",
        None,
        &["1=random:11:40x32x2x128", "2=random:12:40x32x2x128", "3=iota", "4=1000"],
    ),
    Entry("test/kernels/nests", "rmsnorm_splitk_scale", "", None, &[]),
    Entry("test/kernels/dataflow", "attention", "_graph", None, &[]),
    Entry("test/kernels/dataflow", "convolution_pooling", "_graph", None, &[]),
    Entry("test/kernels/dataflow", "layer_norm_residual", "_graph", None, &[]),
    Entry("test/kernels/dataflow", "transposed_product", "_graph", None, &[]),
    Entry("test/kernels/graphs", "blocksparse_gemm", "", None, &["2=1"]),
    Entry("test/kernels/graphs", "dequant_gemm_fp4", "", None, &[]),
    Entry("test/kernels/graphs", "flash_attn_gqa_prefill", "", None, &[]),
    Entry("test/kernels/graphs", "flash_decoding_gqa", "", None, &[]),
    Entry("test/kernels/graphs", "gemm_1024_b128x128x32", "", None, &[]),
    Entry("test/kernels/graphs", "gemm_persistent_mesh", "", None, &[]),
    Entry("test/kernels/graphs", "gemm_splitk4_1024", "", None, &[]),
    Entry("test/kernels/graphs", "linear_attn_fwd", "", None, &[]),
    Entry("test/kernels/graphs", "mamba2_chunk_scan", "", None, &[]),
    Entry("test/kernels/graphs", "vector_add_epilogue", "", None, &[]),
];

/// All programs: the kernels of the demo, then [`ENTRIES`].
pub(crate) fn sources() -> Vec<Source> {
    let demo = KERNELS.iter().filter(|kernel| kernel.device == DEVICE);
    let demo = demo.map(|kernel| Source {
        name: kernel.name.to_owned(),
        file: root().join(kernel.source),
        prepare: kernel.prepare.iter().map(|flag| (*flag).to_owned()).collect(),
        simulation: simulation(kernel.arguments),
    });
    let entries = ENTRIES.iter().map(|Entry(folder, file, suffix, script, arguments)| {
        let script = script.map(|script| {
            let library =
                format!("--transform-preload-library=transform-library-paths={folder}/{script}.transform.mlir");
            vec![library, TILE_MATMUL[1].to_owned()]
        });
        Source {
            name: format!("{file}{suffix}"),
            file: root().join(folder).join(format!("{file}.mlir")),
            prepare: script.unwrap_or_default(),
            simulation: simulation(arguments),
        }
    });
    demo.chain(entries).collect()
}

impl Source {
    /// Writes the program for a device to `target/bench`: its off-chip memory by that name, upstream's passes done, no
    /// limits of stages on single loops.
    pub(crate) fn write(&self, built: &Built, device: &str, off_chip: &str) -> Result<PathBuf> {
        let text = fs::read_to_string(&self.file).with_context(|| format!("cannot read {}", self.file.display()))?;
        let text = text.replace("#zpu.space<dram>", &format!("#zpu.space<{off_chip}>"));
        let path = built.file("bench", &format!("{}.{device}.mlir", self.name))?;
        fs::write(&path, without_limits(&text)).with_context(|| format!("cannot write {}", path.display()))?;
        if self.prepare.is_empty() {
            return Ok(path);
        }
        let prepared = path.with_extension("prepared.mlir");
        let mut command = built.tool("zpu-opt");
        output(command.arg(&path).args(&self.prepare).arg("-o").arg(&prepared), &[0])?;
        Ok(prepared)
    }
}

/// A text without the annotations that say how many stages a loop may have.
fn without_limits(text: &str) -> String {
    const LIMIT: &str = "zpu.num_stages = ";
    let mut rest = text;
    let mut kept = String::new();
    while let Some(at) = rest.find(LIMIT) {
        let after = &rest[at + LIMIT.len()..];
        let end = after.find([',', '}']).unwrap_or(after.len());
        kept.push_str(rest[..at].trim_end_matches(", "));
        rest = &after[end..];
        // The first of several has the separator after it.
        if kept.ends_with('{') {
            rest = rest.trim_start_matches(", ");
        }
    }
    kept + rest
}

/// The options of the simulator.
fn simulation(arguments: &[&str]) -> Vec<String> {
    let flags = arguments
        .iter()
        .flat_map(|value| ["--arg".to_owned(), (*value).to_owned()]);
    ["--init".to_owned(), "random:1".to_owned()]
        .into_iter()
        .chain(flags)
        .collect()
}

/// `path` without the ending of its name, and with another one.
pub(crate) fn beside(path: &Path, ending: &str) -> PathBuf {
    path.with_extension(ending)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_of_stages_are_lifted_and_nothing_else_is() {
        let texts = [
            "} {zpu.num_stages = 3 : i64}\n",
            "} {zpu.num_stages = 3 : i64, b = 1}",
            "} {a = 1, zpu.num_stages = 3 : i64, b = 1} {zpu.num_stages = 4 : i64}",
            "{zpu.cycles = 0 : i64}",
        ];
        let lifted = ["} {}\n", "} {b = 1}", "} {a = 1, b = 1} {}", "{zpu.cycles = 0 : i64}"];
        assert_eq!(texts.map(without_limits), lifted);
    }

    #[test]
    fn names_are_unique_and_files_exist() {
        let all = sources();
        for (i, source) in all.iter().enumerate() {
            assert!(source.file.exists(), "{}", source.file.display());
            assert!(
                all[..i].iter().all(|other| other.name != source.name),
                "{}",
                source.name
            );
        }
    }
}
