//! A loop's problem as a file for the program `zpu-sched`.
//!
//! The file says the same as what the planner solves, with one addition: the loop's back edge, which the control stream
//! pays for in each iteration, is an operation. The cost of waits depends on the plan and is left out.

use std::path::Path;
use std::{fs, io};

use zpu_sched::{Instance, Problem, StreamCosts, Use, write_instance};

/// Writes the problem as `NAME.json` into the folder, which is made if it is not there.
pub(super) fn write(folder: &Path, problem: &Problem, stream: StreamCosts) -> Result<(), String> {
    let mut problem = problem.clone();
    if let Some(control) = problem.control().filter(|_| stream.back_edge > 0) {
        let uses = vec![Use::whole(control, stream.back_edge)];
        problem.add_operation("back edge", stream.back_edge, uses);
    }
    let file = folder.join(format!("{}.json", problem.name));
    let written: io::Result<()> =
        fs::create_dir_all(folder).and_then(|()| fs::write(&file, write_instance(&Instance::new(problem))));
    written.map_err(|error| format!("dump-problem: {} cannot be written: {error}", file.display()))
}

/// The name of a function's loop, fit for a file: what is no letter, digit, `.`, `-` or `_` becomes its code.
pub(super) fn name(function: &str, index: usize) -> String {
    let mut name = String::new();
    for byte in function.bytes() {
        let plain = byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        if plain && !(name.is_empty() && byte == b'.') {
            name.push(byte.into());
        } else {
            name.push_str(&format!("%{byte:02X}"));
        }
    }
    format!("{name}-loop{index}")
}
