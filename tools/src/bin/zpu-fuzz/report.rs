//! Counting what came out, and printing it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use crate::worker::Done;

/// Sums over programs.
#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) programs: u64,
    refused: u64,
    pipelined: u64,
    /// Runs, pipelined, refused and faster ones, and those that take the same time without values, by scheduler.
    by_scheduler: BTreeMap<String, [u64; 6]>,
    /// Programs and pipelined ones, by shape.
    by_shape: BTreeMap<String, (u64, u64)>,
    /// Opinions by mutation: clean programs that are proven, unknown and refuted, then those that go wrong.
    opinions: BTreeMap<String, [u64; 6]>,
    /// Programs by the outcomes of memory planning.
    memory: BTreeMap<String, u64>,
    /// The number of failures by kind and pass.
    failures: BTreeMap<(String, String), u64>,
}

impl Tally {
    pub(crate) fn add(&mut self, done: &Done) {
        self.programs += 1;
        let pipelined = done.runs.iter().any(|run| run.pipelined);
        self.refused += u64::from(!done.runs.is_empty() && done.runs.iter().all(|run| run.refused));
        self.pipelined += u64::from(pipelined);
        for run in &done.runs {
            let row = self.by_scheduler.entry(run.scheduler.clone()).or_default();
            let counts = [true, run.pipelined, run.refused, run.faster, run.timed, run.bounded].map(u64::from);
            for (sum, count) in row.iter_mut().zip(counts) {
                *sum += count;
            }
        }
        for shape in &done.shapes {
            let (programs, sum) = self.by_shape.entry(shape.clone()).or_default();
            *programs += 1;
            *sum += u64::from(pipelined);
        }
        for said in &done.opinions {
            let row = self.opinions.entry(said.mutation.clone()).or_default();
            row[said.proof.min(2) + if said.goes_wrong { 3 } else { 0 }] += 1;
        }
        for outcome in &done.memory {
            *self.memory.entry(outcome.clone()).or_default() += 1;
        }
        for failed in &done.failures {
            self.failed(&failed.kind, &failed.pass);
        }
    }

    pub(crate) fn failed(&mut self, kind: &str, pass: &str) {
        *self.failures.entry((kind.to_owned(), pass.to_owned())).or_default() += 1;
    }

    pub(crate) fn failures(&self) -> u64 {
        self.failures.values().sum()
    }

    /// The whole report as text.
    pub(crate) fn text(&self, time: Duration) -> String {
        let share = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
        let seconds = time.as_secs_f64();
        let mut text = String::new();
        let _ = writeln!(
            text,
            "{} programs in {seconds:.1} s ({:.0} programs/s), {} runs, {} failures",
            self.programs,
            self.programs as f64 / seconds.max(1e-9),
            self.by_scheduler.values().map(|row| row[0]).sum::<u64>(),
            self.failures()
        );
        if !self.opinions.is_empty() {
            text += &self.agreement();
            text += &self.failure_rows();
            return text;
        }
        if !self.memory.is_empty() {
            for (outcome, count) in &self.memory {
                let _ = writeln!(text, "{outcome:<40}{count:>8}");
            }
            text += &self.failure_rows();
            return text;
        }
        let _ = writeln!(
            text,
            "pipelined: {} programs ({:.1} %); refused by every machine: {}",
            self.pipelined,
            share(self.pipelined, self.programs),
            self.refused
        );
        let _ = writeln!(
            text,
            "\n{:<18}{:>10}{:>12}{:>12}{:>12}{:>12}{:>12}",
            "scheduler", "runs", "pipelined", "refused", "faster", "timed", "bounded"
        );
        for (scheduler, [runs, others @ ..]) in &self.by_scheduler {
            let shares: String = others
                .iter()
                .map(|part| format!("{:>10.1} %", share(*part, *runs)))
                .collect();
            let _ = writeln!(text, "{scheduler:<18}{runs:>10}{shares}");
        }
        let _ = writeln!(text, "\n{:<18}{:>10}{:>12}", "shape", "programs", "pipelined");
        for (shape, (programs, pipelined)) in &self.by_shape {
            let _ = writeln!(
                text,
                "{shape:<18}{programs:>10}{:>10.1} %",
                share(*pipelined, *programs)
            );
        }
        text += &self.failure_rows();
        text
    }

    fn failure_rows(&self) -> String {
        let mut text = String::new();
        if !self.failures.is_empty() {
            let _ = writeln!(text, "\n{:<12}{:<34}{:>8}", "failure", "after", "times");
            for ((kind, pass), count) in &self.failures {
                let _ = writeln!(text, "{kind:<12}{pass:<34}{count:>8}");
            }
        }
        text
    }

    /// The verdicts of proof and simulator, by mutation.
    fn agreement(&self) -> String {
        let mut text = String::new();
        let mut all = [0u64; 6];
        for row in self.opinions.values() {
            for (sum, count) in all.iter_mut().zip(row) {
                *sum += count;
            }
        }
        let _ = writeln!(
            text,
            "{} compiled and spoilt programs; refused by the machine: {}",
            all.iter().sum::<u64>(),
            self.refused
        );
        let _ = writeln!(text, "\n{:<18}{:>29}{:>29}", "", "clean", "goes wrong");
        let heads = ["proven", "unknown", "refuted"];
        let heads: String = heads.iter().chain(&heads).map(|head| format!("{head:>9}  ")).collect();
        let _ = writeln!(text, "{:<18}{}", "program", heads.trim_end());
        let all = ("all".to_owned(), all);
        for (mutation, row) in self.opinions.iter().chain([(&all.0, &all.1)]) {
            let row: String = row.iter().map(|count| format!("{count:>9}  ")).collect();
            let _ = writeln!(text, "{mutation:<18}{}", row.trim_end());
        }
        text
    }
}
