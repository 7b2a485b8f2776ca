//! The optimizer driver: `mlir-opt` with the zpu dialect and passes.
//!
//! `--help` is a page of ours, since our options would be lost among the thousand lines that MLIR prints; `--help-list`
//! prints those.

#![forbid(unsafe_code)]

use std::io::{self, Write as _};
use std::process::exit;

use zpu_ir::Pass;

/// Compiling is allocating small things: with the system's allocator, a quarter of the time goes there.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const USAGE: &str = "\
zpu-opt: the mlir-opt of MLIR 22 with the zpu dialect and passes

Usage:
  zpu-opt [FILE] --zpu-pipeline=\"OPTION=VALUE ...\" [-o FILE]
  zpu-opt [FILE] --PASS[=\"OPTION=VALUE ...\"]... [-o FILE]
  zpu-opt [FILE] --pass-pipeline='builtin.module(PASS{OPTION=VALUE ...},func.func(PASS,...))' [-o FILE]

FILE is MLIR as text or bytecode; without it, or as -, it is standard input. The result goes to standard output,
messages to standard error. Exit codes: 0 fine, 1 usage or an error in the program.

The whole chain, from tile loops to an overlapped program:
";

const REST: &str = "
Options of mlir-opt that are often of use:
  -o FILE                                   - where the result goes
  --mlir-print-debuginfo                    - keep the lines of FILE in the result, for zpu-sim's traces and messages
  --remarks-filter=zpu-.*                   - what was done, declined and measured, for programs; with
    --remark-format=emitRemark|yaml           as diagnostics, or into the file of --remarks-output-file
  --mlir-print-ir-after-all                 - the program after each pass
  --mlir-timing                             - the time that each pass takes
  --dump-pass-pipeline                      - the passes with all their options
  --help-list, --help-list-hidden           - all passes and options of MLIR

Examples:
  zpu-opt kernel.mlir --zpu-pipeline=\"device=toy num-stages=3 report=-\" -o overlapped.mlir
  zpu-opt kernel.mlir --lower-affine --zpu-pipeline=device=my-device.toml -o overlapped.mlir
  zpu-opt by-hand.mlir --zpu-attach-device=device=toy --zpu-verify-sync -o /dev/null
  zpu-opt kernel.mlir --mlir-print-debuginfo --zpu-pipeline=device=toy | zpu-sim - --trace timeline.json
";

/// The column at which the names of passes begin.
const INDENT: usize = 2;

fn main() {
    use_small_pages();
    zpu_passes::install();
    if std::env::args()
        .skip(1)
        .any(|argument| matches!(argument.as_str(), "--help" | "-help" | "-h"))
    {
        exit(help());
    }
    exit(zpu_ir::opt_main(std::env::args()));
}

/// Asks the system for pages of the usual size. A compilation takes and gives back many pieces of memory that are
/// smaller than a large page, and clearing large ones is a tenth of its time on a loop of 10,000 operations.
fn use_small_pages() {
    #[cfg(target_os = "linux")]
    // Without it, all works as well.
    let _ = rustix::thread::disable_transparent_huge_pages(true);
}

/// Prints the page; the exit code.
fn help() -> i32 {
    let page = print(USAGE).and_then(|()| {
        zpu_ir::print_pass_help(&["zpu-pipeline"], INDENT);
        print("\nThe passes that it is made of, and others that check and print:\n")?;
        zpu_ir::print_pass_help(Pass::NAMES, INDENT);
        let devices: Vec<&str> = zpu_device::builtin_names().collect();
        print(&format!("\nBuilt-in devices: {}\n", devices.join(", ")))?;
        print(REST)
    });
    match page {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            eprintln!("zpu-opt: error: standard output cannot be written: {error}");
            1
        }
        _ => 0,
    }
}

/// Prints at once, since MLIR prints to the same place.
fn print(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush())
}
