//! The reference pages are what `mlir-tblgen` makes of `dialect/*.td`, and their examples parse.
//!
//! `UPDATE_DOCS=1 cargo test -p zpu-tools --test docs` writes the pages anew.

#![forbid(unsafe_code)]

use std::env;
use std::error::Error;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

type Result<T = ()> = std::result::Result<T, Box<dyn Error>>;

/// The LLVM that the binaries were built against; `.cargo/config.toml` has its default.
const LLVM: &str = env!("MLIR_SYS_220_PREFIX");

/// The machine of all examples that bring none.
const MEMORIES: &str = "
    zpu.memory @dram bytes 1073741824 align 64
    zpu.memory @asram bytes 1048576 align 64
    zpu.memory @wsram bytes 1048576 align 64
    zpu.memory @rsram bytes 1048576 align 64";
const ENGINES: &str = "
    zpu.engine @odma0 dma depth 4 when_full stall
    zpu.engine @odma1 dma depth 4 when_full stall
    zpu.route @odma0 from @dram to @asram
    zpu.route @odma0 from @dram to @rsram
    zpu.route @odma1 from @dram to @wsram
    zpu.route @odma1 from @rsram to @dram
    zpu.engine @tensor tensor depth 4 when_full stall operands {a = [@asram], b = [@wsram], c = [@rsram]}
    zpu.engine @vector vector depth 4 when_full stall operands {all = [@rsram]}";
const CONTROL: &str = "zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1";
const SYNC: &str = "zpu.sync ids 64 barriers 16 never_issued error";

/// Meshes for fragments.
const TOPOLOGY: &str = "zpu.topology @pipeline {\n  zpu.mesh @m0\n  zpu.mesh @m1\n}\n";

/// The values that examples use without a definition.
const VALUES: [(&str, &str); 19] = [
    ("%p", "i1"),
    ("%src", "memref<64x32xf32, #zpu.space<dram>>"),
    ("%dst", "memref<64x32xf32, #zpu.space<asram>>"),
    ("%a", "memref<16x16xf32, #zpu.space<asram>>"),
    ("%b", "memref<16x16xf32, #zpu.space<wsram>>"),
    ("%c", "memref<16x16xf32, #zpu.space<rsram>>"),
    ("%x", "memref<16x16xf32, #zpu.space<dram>>"),
    ("%ring", "memref<2x16x16xf32, #zpu.space<asram>>"),
    ("%t", "!zpu.token<@odma0>"),
    ("%u", "!zpu.token<@tensor>"),
    ("%slot", "index"),
    ("%lower", "index"),
    ("%upper", "index"),
    ("%step", "index"),
    ("%c0", "index"),
    ("%c1", "index"),
    ("%c2", "index"),
    ("%c7", "index"),
    ("%c8", "index"),
];

#[test]
fn the_page_of_the_dialect_is_fresh() -> Result {
    compare("dialect.md", &dialect_page()?)
}

#[test]
fn the_page_of_the_passes_is_fresh() -> Result {
    compare("passes.md", &passes_page()?)
}

#[test]
fn examples_parse() -> Result {
    let mut failures = String::new();
    let mut count = 0;
    for (page, text) in [("dialect.md", dialect_page()?), ("passes.md", passes_page()?)] {
        for example in examples(&text) {
            count += 1;
            if let Err(error) = parse(&wrap(&example)) {
                failures += &format!("{page}:\n{example}\n{error}\n");
            }
        }
    }
    assert!(failures.is_empty(), "examples that do not parse:\n{failures}");
    assert!(count > 10, "found {count} examples only");
    Ok(())
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn dialect_page() -> Result<String> {
    let page = generate(&["-gen-dialect-doc", "-dialect=zpu"], "ZpuOps.td")?;
    Ok(page
        .replace("\n# 'zpu' Dialect\n", "\n# The dialect\n")
        .replace("[TOC]\n\n", ""))
}

/// Passes are sections of their own page.
fn passes_page() -> Result<String> {
    let page = generate(&["-gen-pass-doc"], "Passes.td")?;
    let (mark, passes) = page.split_once('\n').ok_or("the page is empty")?;
    let passes = passes.replace("\n### ", "\n## ").replace("\n#### ", "\n### ");
    Ok(format!("{mark}\n\n# The passes\n{passes}"))
}

fn generate(arguments: &[&str], file: &str) -> Result<String> {
    let dialect = root().join("dialect");
    let output = Command::new(Path::new(LLVM).join("bin/mlir-tblgen"))
        .args(arguments)
        .arg("-I")
        .arg(&dialect)
        .arg("-I")
        .arg(Path::new(LLVM).join("include"))
        .arg(dialect.join(file))
        .output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    // One final newline, no spaces at ends of lines, and no more than one empty line in a row.
    let mut page = String::new();
    for line in String::from_utf8(output.stdout)?.lines() {
        let line = line.trim_end();
        if !(line.is_empty() && page.ends_with("\n\n")) {
            page += line;
            page.push('\n');
        }
    }
    Ok(format!("{}\n", page.trim_end()))
}

/// Compares a page with its generated text, or writes it.
fn compare(page: &str, generated: &str) -> Result {
    let path = root().join("docs").join(page);
    if env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, generated)?;
        return Ok(());
    }
    let current = fs::read_to_string(&path).unwrap_or_default();
    let differs = current.lines().zip(generated.lines()).position(|(a, b)| a != b);
    assert!(
        current == generated,
        "docs/{page} is not what dialect/*.td says, from line {} on; run UPDATE_DOCS=1 cargo test -p zpu-tools --test \
         docs",
        differs.unwrap_or_else(|| current.lines().count().min(generated.lines().count())) + 1
    );
    Ok(())
}

/// The blocks of a page that are marked as MLIR.
fn examples(page: &str) -> Vec<String> {
    page.split("```mlir\n")
        .skip(1)
        .filter_map(|rest| rest.split_once("```"))
        .map(|(example, _)| example.to_owned())
        .collect()
}

/// A whole module around an example.
fn wrap(example: &str) -> String {
    let unless = |present: &str, text: &str| {
        if example.contains(present) {
            String::new()
        } else {
            text.to_owned()
        }
    };
    let device = |members: &str| {
        format!("  zpu.device @machine clock 1.0 off_chip @dram default_space @rsram {{{members}\n  }}\n")
    };
    let whole = device(&format!("{MEMORIES}{ENGINES}\n    {CONTROL}\n    {SYNC}"));
    let start = example.trim_start();
    if start.starts_with("zpu.device") || start.starts_with("zpu.topology") {
        return example.to_owned();
    }
    let whole = if example.contains("zpu.fragment") || example.contains("zpu.transfer") {
        TOPOLOGY.to_owned()
    } else {
        whole
    };
    if [
        "zpu.control",
        "zpu.memory",
        "zpu.link",
        "zpu.engine",
        "zpu.route",
        "zpu.sync",
    ]
    .iter()
    .any(|member| start.starts_with(member))
    {
        let (control, sync) = (unless("zpu.control", CONTROL), unless("zpu.sync", SYNC));
        return device(&format!("{MEMORIES}\n    {control}\n    {sync}\n{example}"));
    }
    if start.starts_with('!') || start.starts_with("memref<") {
        return format!("func.func private @example({example})");
    }
    if start.starts_with("func.func") || start.starts_with("//") {
        return format!("{whole}{example}");
    }
    let arguments: Vec<String> = VALUES
        .iter()
        .filter(|(name, _)| !example.contains(&format!("{name} = ")))
        .map(|(name, ty)| format!("{name}: {ty}"))
        .collect();
    format!(
        "{whole}func.func @example({}) {{\n{example}  return\n}}\n",
        arguments.join(", ")
    )
}

/// Runs an input through zpu-opt; the error is its output.
fn parse(input: &str) -> Result {
    let mut child = Command::new(env!("CARGO_BIN_EXE_zpu-opt"))
        .args(["--verify-roundtrip", "-o", "/dev/null"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    child
        .stdin
        .take()
        .ok_or("no standard input")?
        .write_all(input.as_bytes())?;
    let output = child.wait_with_output()?;
    if output.status.success() {
        return Ok(());
    }
    Err(String::from_utf8_lossy(&output.stderr).into())
}
