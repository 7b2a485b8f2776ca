//! No program takes fewer cycles than the model's bound of what it was made from: inputs for which one did.
//!
//! The fuzzer asks the same of its programs.

#![forbid(unsafe_code)]

use std::path::Path;

use zpu_driver::{Error, Session, device_of, nest, pipeline_of, translate};
use zpu_ir::Op;
use zpu_model::lower_bound;
use zpu_sim::{Argument, Options};

/// Each input is compiled for all of these that take it.
const DEVICES: [&str; 6] = [
    "toy",
    "planning-1dma",
    "planning-2dma",
    "sunmmio-a4e",
    "trainium2-core",
    "ascend-910b",
];

/// Inputs of which nobody knows how often they do something, so that there is no bound.
const UNKNOWN: [&str; 3] = ["quotient_without_sign", "narrow_index", "truth_with_sign"];

/// The bound of a kernel on a device, and the cycles of its program; none if the model says nothing of it.
fn bound_and_cycles(text: &str, name: &str, device: &str) -> Result<Option<(u64, u64)>, String> {
    let in_words = |error: Error| error.to_string();
    let session = Session::new();
    let mut module = session.parse(text, name).map_err(in_words)?;
    let pipeline = format!("builtin.module(zpu-pipeline{{device={device} num-stages=auto}})");
    let (before, after) = session.steps_before_planning(&pipeline).map_err(in_words)?;
    session.compile(&mut module, &pipeline_of(&before)).map_err(in_words)?;
    let machine = device_of(&module).map_err(in_words)?;
    let functions = Op::of_module(&module).find_all("func.func");
    let entry = functions.first().ok_or("no function")?.function_name().to_owned();
    let Ok(nest) = nest(&module, &machine, &entry) else {
        return Ok(None);
    };
    let bound = lower_bound(&nest, &machine).cycles;
    session.compile(&mut module, &pipeline_of(&after)).map_err(in_words)?;
    let executable = translate(&module, machine, &entry).map_err(in_words)?;
    let parameters = executable.parameters().map_err(|error| error.to_string())?;
    let shapes = parameters
        .iter()
        .map(|parameter| parameter.sizes(None).map(Argument::Shape));
    let shapes = shapes
        .collect::<Result<Vec<_>, _>>()
        .map_err(|misfit| misfit.to_string())?;
    let report = executable.time(shapes, &Options::default()).map_err(in_words)?;
    Ok(Some((bound, report.cycles)))
}

#[test]
fn no_program_takes_fewer_cycles_than_its_bound() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../test/kernels/bounds");
    let mut problems = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the inputs") {
        let path = entry.expect("an input").path();
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).expect("a text");
        let mut compared = 0;
        for device in DEVICES {
            match bound_and_cycles(&text, &name, device) {
                Ok(Some(_)) if UNKNOWN.contains(&name.as_str()) => {
                    problems.push(format!("{name} on {device}: there is a bound"));
                }
                Ok(Some((bound, cycles))) if cycles < bound => {
                    problems.push(format!("{name} on {device}: {cycles} cycles, and the bound is {bound}"));
                }
                Ok(Some(_)) => compared += 1,
                // A device may have no room or no route for it.
                Ok(None) | Err(_) => {}
            }
        }
        if compared < 2 && !UNKNOWN.contains(&name.as_str()) {
            problems.push(format!("{name}: compared on {compared} devices"));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
