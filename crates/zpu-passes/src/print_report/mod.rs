//! `zpu-print-report`: prints the outcome for each loop, as a table for each function, for people.
//!
//! Assumes that `zpu-record-remarks` stood before the passes that are to be reported. The report has two sources. The
//! remarks that the function carries ([`zpu_ir::record`]) tell what was planned or declined, and why; the function as
//! it is now tells which engines work in a loop and how many waits it executes ([`seen`]). Nothing is printed earlier,
//! so that a report is about the program that was written and not about one that was tried. [`rows`] makes rows of
//! both, [`table`] lays them out, and [`remedy`] gives advice for a loop that was left alone. The pass changes nothing
//! but the record, which it takes off.

mod remedy;
mod rows;
mod seen;
mod table;

use std::fs;
use std::io::{self, Write as _};

use zpu_ir::options::PrintReportOptions;
use zpu_ir::{Failed, Op, PassResult, error, record, warning};

use rows::Report;

/// Runs the pass.
pub(crate) fn run(module: Op<'_>, options: &PrintReportOptions) -> PassResult {
    let mut texts = Vec::new();
    let mut has_record = false;
    let functions = module.find_all("func.func");
    for function in functions.into_iter().filter(|function| function.body().is_some()) {
        let recorded = record::read(function);
        has_record |= recorded.is_some();
        let report = Report::of(&recorded.unwrap_or_default(), &seen::of(function));
        record::stop(function);
        if !report.is_empty() {
            texts.push(table::text(&report));
        }
    }
    if !has_record {
        let message = "nothing was recorded to report on; run zpu-record-remarks before the other passes";
        warning(module, message, &[]);
    }
    write(&options.file, &texts.join("\n")).map_err(|problem| {
        let message = format!("the report cannot be written to '{}': {problem}", options.file);
        error(module, &message, &[]);
        Failed
    })
}

fn write(file: &str, text: &str) -> io::Result<()> {
    if file != "-" {
        return fs::write(file, text);
    }
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush())
}
