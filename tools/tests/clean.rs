//! Compiled programs are not flagged: every compiled kernel is proven by `zpu-verify-sync`, and the simulator reports
//! nothing and leaves the same bytes in every order of completion.
//!
//! `ZPU_CLEAN=all` goes through all kernels, all devices that take them, and waits by tokens, by all barrier ids of the
//! device and by two of them; `cargo xtask mutate` does. A test run takes each kind of kernel with one device and one
//! kind of waits.

#![forbid(unsafe_code)]

#[allow(dead_code)]
mod support;

use support::kernel::{self, SCRIPTS};
use support::subject::{Lowering, ORDERS, Source, call, verify};
use support::{parallel, text};
use zpu_driver::Session;
use zpu_sim::Options;

/// Options of `zpu-inject-dma-barrier`.
const WAITS: [&str; 3] = ["", "ids=-1", "ids=2"];

/// All kernels, each kind's first one first.
fn sources() -> Result<Vec<Source>, String> {
    let kinds = [
        kernel::vector_add(),
        kernel::rms_norm(),
        kernel::attention(),
        kernel::attention_blocks(),
        SCRIPTS.into_iter().flat_map(kernel::matmul).collect(),
    ];
    let first = kinds.iter().filter_map(|kind| kind.first()).map(Source::of_kernel);
    let others = kinds.iter().flat_map(|kind| kind.iter().skip(1)).map(Source::of_kernel);
    Ok(first.chain(Source::graphs()?).chain(others).collect())
}

/// Kernels that are the first of their kind.
const KINDS: usize = 15;

/// The errors in a compiled kernel; `Err` if the machine cannot run it.
fn trouble(source: &Source, lowering: Lowering) -> Result<Vec<String>, String> {
    let label = format!("{} on {} {}", source.label(), lowering.device, lowering.waits);
    let subject = match source.compile(lowering) {
        Ok(subject) => subject,
        // No path leads into the accumulator memory of this machine.
        Err(error) if lowering.device == "ascend-910b" && error.contains("no path of routes leads") => {
            return Err(label);
        }
        Err(error) => return Ok(vec![format!("{label}: {error}")]),
    };
    let session = Session::new();
    let all = || -> Result<Vec<String>, String> {
        let module = session.parse(&subject.text, &subject.name).map_err(text)?;
        verify(&module, "")?;
        let program = subject.program(&module)?;
        let mut trouble = Vec::new();
        for (number, buffers) in subject.calls.iter().enumerate() {
            let mut first = None;
            for order in ORDERS {
                let options = Options {
                    bound: false,
                    order,
                    ..Options::default()
                };
                let run = call(&program, buffers, &options);
                let differs = *first.get_or_insert_with(|| run.memory.clone()) != run.memory;
                let finding = run.findings.into_iter().next();
                let finding = finding.or_else(|| differs.then(|| "other bytes".to_owned()));
                trouble.extend(finding.map(|finding| format!("{label}: call {number}, {order}: {finding}")));
            }
        }
        Ok(trouble)
    };
    Ok(all().unwrap_or_else(|error| vec![format!("{label}: {error}")]))
}

#[test]
fn no_compiled_kernel_is_flagged() {
    let is_all = std::env::var("ZPU_CLEAN").is_ok_and(|value| value == "all");
    let sources = sources().unwrap_or_else(|error| panic!("{error}"));
    let devices: Vec<&'static str> = zpu_device::builtin_names().collect();
    let mut wanted = Vec::new();
    for (turn, source) in sources.iter().take(if is_all { usize::MAX } else { KINDS }).enumerate() {
        for (number, device) in devices.iter().enumerate() {
            let is_next = |number: usize, turn: usize, count: usize| is_all || number == turn % count;
            for (kind, waits) in WAITS.into_iter().enumerate() {
                if is_next(number, turn, devices.len()) && is_next(kind, turn + turn / 6, WAITS.len()) {
                    let stages = if turn < 5 { 3 } else { 2 };
                    wanted.push((
                        source,
                        Lowering {
                            device,
                            stages,
                            waits,
                            raw: false,
                        },
                    ));
                }
            }
        }
    }
    let answers = parallel::each(wanted.len(), |index| {
        let (source, lowering) = wanted[index];
        trouble(source, lowering)
    });
    let refused: Vec<&String> = answers.iter().filter_map(|answer| answer.as_ref().err()).collect();
    let problems: Vec<&String> = answers.iter().flatten().flatten().collect();
    println!(
        "{} kernels, {} devices, {} kinds of waits: {} programs, {} refused by the machine, {} flagged",
        sources.len(),
        devices.len(),
        WAITS.len(),
        wanted.len(),
        refused.len(),
        problems.len()
    );
    assert!(problems.is_empty(), "{problems:#?}");
    assert!(wanted.len() > refused.len() * devices.len(), "{refused:#?}");
}
