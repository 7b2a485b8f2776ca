//! Runs lit over `test/` with the binaries that cargo built for this test, so that `cargo test` is the whole suite.
//!
//! Invariant: it fails when a lit test fails and when lit finds none. `ZPU_LIT_FILTER=REGEX` runs only tests whose path
//! matches.

#![forbid(unsafe_code)]

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The LLVM that the binaries were built against; `.cargo/config.toml` has its default.
const LLVM: &str = env!("MLIR_SYS_220_PREFIX");

#[test]
fn lit() {
    let tools = Path::new(env!("CARGO_BIN_EXE_zpu-opt"))
        .parent()
        .expect("a binary lies in a folder");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("this package is a folder of the workspace");
    let parameter = |name: &str, path: &Path| format!("-D{name}={}", path.display());

    let mut command = lit_command();
    command
        .args(["-v", "--order=lexical"])
        .arg(parameter("llvm", Path::new(LLVM)))
        .arg(parameter("zpu_tools", tools))
        .arg(parameter("zpu_plugin", &newest_plugin(tools)))
        .arg(parameter(
            "exec_root",
            &Path::new(env!("CARGO_TARGET_TMPDIR")).join("lit"),
        ))
        .arg(root.join("test"));
    if let Some(filter) = env::var_os("ZPU_LIT_FILTER") {
        command.arg("--filter").arg(filter);
    }

    let output = command
        .output()
        .unwrap_or_else(|error| panic!("lit: {error}; `cargo xtask setup` installs it"));
    print!("{}", String::from_utf8_lossy(&output.stdout));
    eprint!("{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "lit: {}", output.status);
}

/// lit as LLVM's package has it, in the two places where packages put it, or the one on `PATH`.
fn lit_command() -> Command {
    let packaged = ["bin/lit", "build/utils/lit/lit.py"].map(|path| Path::new(LLVM).join(path));
    match packaged.iter().find(|path| path.exists()) {
        Some(script) => {
            let mut command = Command::new("python3");
            command.arg(script);
            command
        }
        None => Command::new("lit"),
    }
}

/// The plug-in that belongs to this build: cargo copies `deps/libzpu.so` beside the binaries only when the library
/// itself was asked for, so the newer of the two is the one that is up to date.
fn newest_plugin(tools: &Path) -> PathBuf {
    let modified = |path: &PathBuf| path.metadata().and_then(|file| file.modified()).ok();
    [tools.join("libzpu.so"), tools.join("deps/libzpu.so")]
        .into_iter()
        .max_by_key(modified)
        .expect("the list is not empty")
}
