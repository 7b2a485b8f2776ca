//! A failure as a file: the program, its arguments, and the commands that show it.

use zpu_driver::Session;

use crate::program::Program;
use crate::run::{Failure, Runner};
use crate::setting::Setting;

/// The text of a `.mlir` file that says what fails and how to see it.
pub fn reproducer(program: &Program, setting: &Setting, failure: &Failure, seed: u64) -> String {
    let message: String = failure.to_string().lines().map(|line| format!("// {line}\n")).collect();
    let session = Session::new();
    let (text, option) = match Runner::new(&session).changed_by_hand(program, setting) {
        Some((text, rest)) => (text, format!("--pass-pipeline='{rest}'")),
        None => {
            let option = setting
                .optimizer_option(&session)
                .unwrap_or_else(|error| error.to_string());
            (program.text.clone(), option)
        }
    };
    let shapes: Vec<String> = program.shapes.iter().map(ToString::to_string).collect();
    format!(
        "{message}//\n// Seed {seed}: {}.\n//\n// RUN: zpu-opt %s {option} -o %t.mlir\n\
         // RUN: zpu-sim compare %s %t.mlir {} {}\n\n{}",
        shapes.join(", "),
        setting.simulator_options(),
        program.simulator_options(),
        text
    )
}

/// A [`reproducer`] for a compiled program on which proof and simulator disagree.
pub fn disagreement(program: &Program, setting: &Setting, failure: &Failure, seed: u64) -> String {
    let message: String = failure.to_string().lines().map(|line| format!("// {line}\n")).collect();
    format!(
        "{message}//\n// Seed {seed}, compiled with {setting}.\n//\n\
         // RUN: zpu-opt %s --pass-pipeline='builtin.module(func.func(zpu-verify-sync))'\n\
         // RUN: zpu-sim run %s --orders=5 {} {}\n\n{}",
        setting.simulator_options(),
        program.simulator_options(),
        program.text
    )
}
