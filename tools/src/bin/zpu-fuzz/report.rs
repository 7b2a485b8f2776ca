//! Counting what came out, and printing it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use crate::worker::Done;

/// Sums over programs.
#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) programs: u64,
    runs: u64,
    faster: u64,
    refused: u64,
    pipelined: u64,
    /// Programs and pipelined ones, by shape.
    by_shape: BTreeMap<String, (u64, u64)>,
    /// By kind and pass.
    failures: BTreeMap<(String, String), u64>,
}

impl Tally {
    pub(crate) fn add(&mut self, done: &Done) {
        self.programs += 1;
        self.runs += done.runs;
        self.faster += done.faster;
        self.refused += u64::from(done.refused);
        self.pipelined += u64::from(done.pipelined);
        for shape in &done.shapes {
            let (programs, pipelined) = self.by_shape.entry(shape.clone()).or_default();
            *programs += 1;
            *pipelined += u64::from(done.pipelined);
        }
        for (_, kind, pass, _) in &done.failures {
            self.failed(kind, pass);
        }
    }

    pub(crate) fn failed(&mut self, kind: &str, pass: &str) {
        *self.failures.entry((kind.to_owned(), pass.to_owned())).or_default() += 1;
    }

    pub(crate) fn failures(&self) -> u64 {
        self.failures.values().sum()
    }

    /// Everything as text.
    pub(crate) fn text(&self, time: Duration) -> String {
        let share = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
        let seconds = time.as_secs_f64();
        let mut text = String::new();
        let _ = writeln!(
            text,
            "{} programs in {seconds:.1} s ({:.0} programs/s), {} runs, {} failures",
            self.programs,
            self.programs as f64 / seconds.max(1e-9),
            self.runs,
            self.failures()
        );
        let _ = writeln!(
            text,
            "pipelined: {} programs ({:.1} %); refused by the machine: {}; faster than synchronous: {:.1} % of the runs",
            self.pipelined,
            share(self.pipelined, self.programs),
            self.refused,
            share(self.faster, self.runs)
        );
        let _ = writeln!(text, "\n{:<18}{:>10}{:>12}", "shape", "programs", "pipelined");
        for (shape, (programs, pipelined)) in &self.by_shape {
            let _ = writeln!(
                text,
                "{shape:<18}{programs:>10}{:>10.1} %",
                share(*pipelined, *programs)
            );
        }
        if !self.failures.is_empty() {
            let _ = writeln!(text, "\n{:<12}{:<34}{:>8}", "failure", "after", "times");
            for ((kind, pass), count) in &self.failures {
                let _ = writeln!(text, "{kind:<12}{pass:<34}{count:>8}");
            }
        }
        text
    }
}
