//! Two programs on equal inputs: are their values equal, and which one is faster.
//!
//! Invariant: a comparison tells whether it is fair: whether both programs came to their ends, their findings, and
//! whether the device can carry out the first one as it is written.

use zpu_sim::{Argument, Finding, FindingNote, Options, Outcome};

use crate::difference::differences;
use crate::{Difference, Error, Executable};

/// The comparison of two runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// At most one for each argument and result, arguments first; empty if all bytes are equal.
    pub differences: Vec<Difference>,
    /// The first run.
    pub before: Side,
    /// The second one.
    pub after: Side,
}

/// One of two runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Side {
    /// Cycles from the start to the end of the last command.
    pub cycles: u64,
    /// Cycles that no order of the same commands undercuts; 0 if the run was not to compute it.
    pub lower_bound: u64,
    /// The program came to its end.
    pub completed: bool,
    /// Its findings, in the order of detection.
    pub findings: Vec<Finding>,
    /// Operations that the device cannot do as they are written, and that were simulated as if it could.
    pub unsupported: Vec<FindingNote>,
}

impl Side {
    fn of(outcome: &Outcome) -> Self {
        let report = &outcome.report;
        Self {
            cycles: report.cycles,
            lower_bound: report.bound.cycles,
            completed: report.completed,
            findings: report.findings.clone(),
            unsupported: report.unsupported.clone(),
        }
    }

    /// True if it is a program that the device can carry out as it is written: only then its cycles are a fair base.
    pub fn is_legal(&self) -> bool {
        self.unsupported.is_empty()
    }
}

impl Comparison {
    /// Compares two runs that were made with equal arguments.
    pub fn of(before: &Outcome, after: &Outcome) -> Self {
        Self {
            differences: differences(before, after),
            before: Side::of(before),
            after: Side::of(after),
        }
    }

    /// True if all bytes of all arguments, and all results, are equal.
    pub fn is_equal(&self) -> bool {
        self.differences.is_empty()
    }

    /// Cycles of the first run over those of the second.
    pub fn speedup(&self) -> f64 {
        self.before.cycles as f64 / self.after.cycles.max(1) as f64
    }
}

/// Runs two programs with the same arguments and compares what they leave.
///
/// # Errors
///
/// [`Error::Simulate`], of the first program that has no outcome.
pub fn compare(
    before: &Executable,
    after: &Executable,
    arguments: Vec<Argument>,
    options: &Options,
) -> Result<Comparison, Error> {
    let first = before.simulate(arguments.clone(), options)?;
    let second = after.simulate(arguments, options)?;
    Ok(Comparison::of(&first, &second))
}
