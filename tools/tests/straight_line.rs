//! Remarks of `zpu-schedule-dma-compute-overlap` agree with the simulator: each has the cycles before and after, and on
//! functions without loops and conditionals both are those of a run, to the cycle; within 1 % where links are shared.

#![forbid(unsafe_code)]

// This test makes programs of its own, and does not use most of the code that it shares with the oracle.
#[allow(dead_code)]
mod support;

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::sync::Arc;

use support::random::Random;
use support::run::program;
use zpu_device::Device;
use zpu_driver::Session;
use zpu_sim::{Argument, Options};

/// Devices with other numbers in some places, and how far off the remark may be there, in thousandths.
const MACHINES: [(&str, &[&str], u64); 9] = [
    ("toy", &[], 0),
    ("toy", &["control.wait_cycles=9", "control.start_cycles=0"], 0),
    ("toy", &["control.wait_cycles=5", "control.start_cycles=7"], 0),
    ("planning-1dma", &[], 0),
    ("planning-1dma", &["control.wait_cycles=3", "control.start_cycles=2"], 0),
    ("planning-2dma", &[], 0),
    (
        "sunmmio-a4e",
        &["engine.tile.async=true", "engine.odma.queue_depth=2"],
        10,
    ),
    ("ascend-910b", &[], 10),
    ("trainium2-core", &[], 10),
];

const FUNCTIONS: u64 = 8;
const ARGUMENTS: usize = 3;
const TYPE: &str = "memref<64x64xf16>";

/// A function of loads, computations and stores on a few tiles, in any order.
fn function(random: &mut Random) -> String {
    let arguments: Vec<String> = (0..ARGUMENTS)
        .map(|i| format!("%x{i}: {TYPE} {{llvm.noalias}}"))
        .collect();
    let tiles = 1 + random.below(4);
    let mut text = format!("func.func @f({}) {{\n", arguments.join(", "));
    for tile in 0..tiles {
        text += &format!("  %t{tile} = memref.alloc() : {TYPE}\n");
        text += &format!(
            "  memref.copy %x{}, %t{tile} : {TYPE} to {TYPE}\n",
            random.below(ARGUMENTS)
        );
    }
    for _ in 0..2 + random.below(9) {
        let cycles = match random.below(4) {
            0 => format!(" {{zpu.cycles = {} : i64}}", 1 + random.below(300)),
            _ => String::new(),
        };
        let (a, b, c) = (random.below(tiles), random.below(tiles), random.below(tiles));
        let argument = random.below(ARGUMENTS);
        text += &match random.below(4) {
            0 => format!("  memref.copy %x{argument}, %t{a}{cycles} : {TYPE} to {TYPE}\n"),
            1 => format!("  linalg.exp{cycles} ins(%t{a} : {TYPE}) outs(%t{b} : {TYPE})\n"),
            2 => format!("  linalg.add{cycles} ins(%t{a}, %t{b} : {TYPE}, {TYPE}) outs(%t{c} : {TYPE})\n"),
            _ => format!("  memref.copy %t{a}, %x{argument}{cycles} : {TYPE} to {TYPE}\n"),
        };
    }
    if random.below(2) == 0 {
        for tile in 0..tiles {
            text += &format!("  memref.dealloc %t{tile} : {TYPE}\n");
        }
    }
    text + "  return\n}\n"
}

/// Standard output and standard error of passes over a module.
fn passes(text: &str, arguments: &[&str]) -> (String, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_zpu-opt"))
        .arg("-")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("zpu-opt starts");
    let mut input = child.stdin.take().expect("piped");
    input.write_all(text.as_bytes()).expect("zpu-opt reads");
    drop(input);
    let output = child.wait_with_output().expect("zpu-opt ends");
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{errors}\n{text}");
    (String::from_utf8_lossy(&output.stdout).into_owned(), errors)
}

/// Cycles of a run of a module with synchronous commands, made asynchronous.
fn cycles(text: &str, device: &Arc<Device>) -> u64 {
    let (text, _) = passes(text, &["--zpu-inject-dma-barrier", "--zpu-verify-sync"]);
    let session = Session::new();
    let module = session.parse(&text, "f").expect("what zpu-opt prints");
    let program = program(&module, device, "f").expect("a program");
    let zeros = Argument::Buffer {
        shape: vec![64, 64],
        bytes: vec![0; 64 * 64 * 2],
    };
    let arguments = vec![zeros; ARGUMENTS];
    let outcome = program.simulate(arguments, &Options::default());
    let report = outcome.expect("a run").report;
    assert!(report.findings.is_empty(), "{:?}\n{text}", report.findings);
    report.cycles
}

/// A number of the remark, if there is exactly one remark with it.
fn metric(remarks: &str, name: &str) -> Option<u64> {
    let mut found = remarks.split(name).skip(1);
    let digits: String = found.next()?.chars().take_while(char::is_ascii_digit).collect();
    found.next().is_none().then(|| digits.parse().ok())?
}

#[test]
fn remarks_are_what_the_simulator_sees() {
    let mut problems = Vec::new();
    let mut compared = 0;
    for (index, (name, set, thousandths)) in MACHINES.into_iter().enumerate() {
        let sets: Vec<String> = set.iter().map(ToString::to_string).collect();
        let device = Arc::new(Device::load(name, &sets).expect("a device"));
        for seed in 0..FUNCTIONS {
            let text = function(&mut Random(1 + seed + 100 * index as u64));
            let attach = match sets.as_slice() {
                [] => format!("--zpu-attach-device=device={name}"),
                _ => format!("--zpu-attach-device=device={name} set={}", sets.join(",")),
            };
            let convert = [
                "--zpu-infer-memory-spaces",
                "--zpu-legalize-data-path",
                "--zpu-convert-to-dma",
            ];
            let (before, _) = passes(&text, &[&[attach.as_str()][..], &convert].concat());
            let remarks = ["--remarks-filter=zpu-schedule.*", "--remark-format=emitRemark"];
            let (after, said) = passes(
                &before,
                &[&["--zpu-schedule-dma-compute-overlap"][..], &remarks].concat(),
            );
            let (Some(said_before), Some(said_after)) = (metric(&said, "Before="), metric(&said, "After=")) else {
                continue;
            };
            compared += 1;
            for (what, said, seen) in [
                ("before", said_before, cycles(&before, &device)),
                ("after", said_after, cycles(&after, &device)),
            ] {
                if said.abs_diff(seen) * 1000 > seen * thousandths {
                    problems.push(format!("{name} {set:?}, {what}: said {said}, seen {seen}\n{text}"));
                }
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(compared >= 60, "only {compared} functions were compared");
}
