//! Functions that call each other, compiled side by side: no pass on a function looks into another one, which changes
//! meanwhile.

#![forbid(unsafe_code)]

use std::fmt::Write as _;
use std::process::Command;

/// Functions that each call the next one between copies.
const FUNCTIONS: usize = 12;

/// Runs of the tool, since what goes wrong does not go wrong each time: it did in 5 of 72.
const RUNS: usize = 24;

fn program() -> String {
    let mut text = String::new();
    for function in 0..FUNCTIONS {
        writeln!(
            text,
            "func.func @g{function}(%a: memref<64xf32>, %b: memref<64xf32>) {{"
        )
        .unwrap();
        for copy in 0..16 {
            writeln!(
                text,
                "  %t{copy} = memref.alloc() : memref<64xf32>\n  \
                 memref.copy %a, %t{copy} : memref<64xf32> to memref<64xf32>\n  \
                 memref.copy %t{copy}, %b : memref<64xf32> to memref<64xf32>\n  \
                 memref.dealloc %t{copy} : memref<64xf32>"
            )
            .unwrap();
            if copy % 5 == 4 && function + 1 < FUNCTIONS {
                let next = function + 1;
                writeln!(
                    text,
                    "  func.call @g{next}(%a, %b) : (memref<64xf32>, memref<64xf32>) -> ()"
                )
                .unwrap();
            }
        }
        text.push_str("  return\n}\n");
    }
    text
}

#[test]
fn functions_are_compiled_side_by_side() {
    let file = std::env::temp_dir().join(format!("zpu-functions-{}.mlir", std::process::id()));
    std::fs::write(&file, program()).unwrap();
    let mut first = None;
    for _ in 0..RUNS {
        let output = Command::new(env!("CARGO_BIN_EXE_zpu-opt"))
            .arg(&file)
            .args([
                "--zpu-attach-device=device=sunmmio-a4e",
                "--zpu-infer-memory-spaces",
                "--zpu-annotate-calls",
                "--zpu-convert-to-dma",
                "--zpu-schedule-dma-compute-overlap=scheduler=list",
                "--zpu-inject-dma-barrier",
            ])
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        assert_eq!(*first.get_or_insert(output.stdout.clone()), output.stdout);
    }
    std::fs::remove_file(&file).unwrap();
}
