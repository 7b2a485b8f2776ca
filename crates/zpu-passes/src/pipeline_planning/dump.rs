//! A loop's problem as a file for the program `zpu-sched`.
//!
//! The file says all that the planner knows, so that the program finds the same plan.

use std::path::Path;
use std::{fs, io};

use zpu_sched::{Instance, Options, Problem, write_instance};

/// Writes the problem as `NAME.json` into the folder, which is made if it is not there.
pub(super) fn write(folder: &Path, problem: &Problem, options: &Options) -> Result<(), String> {
    let instance = Instance::of_program(problem.clone(), options.clone());
    let file = folder.join(format!("{}.json", problem.name));
    let written: io::Result<()> = fs::create_dir_all(folder).and_then(|()| fs::write(&file, write_instance(&instance)));
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
