//! Transfers on few engines in a program for loops of unknown length.
//!
//! Where the control stream sets the pace, that saves waits, and where loops are short their begin takes longer. So the
//! program that is chosen in the end is run so as well, and kept so if no run is much slower and the longest one is
//! faster. Programs for sizes that are known are compared with those on few engines as with others.

use zpu_ir::Op;
use zpu_sim::PaceArgument;

use super::Measurements;
use super::candidates::Candidate;
use super::short_runs::pays;
use super::trial::{Program, Trials};

/// The longest run gains more than one part in so many.
const SMALL_GAIN: u64 = 128;

/// The same program, or the one with transfers on few engines if that is better, which is measured then.
pub(super) fn refined<'c>(
    function: Op<'c>,
    program: Program,
    slack: u64,
    measurements: &mut Measurements,
    trials: &mut Trials<'c, '_>,
    scenarios: &[Vec<PaceArgument>],
) -> Program {
    let is_planned = !matches!(program.candidate, Candidate::AsWritten | Candidate::Shared(..));
    if scenarios.len() < 2 || !is_planned {
        return program;
    }
    let gathered = Program {
        is_gathered: true,
        ..program
    };
    let result = trials.measure(function, &[gathered], scenarios).pop();
    let better = result.and_then(|result| {
        let with = result.ok()??;
        let now = measurements.measured_of(program.candidate)?;
        let fits = with.fits || !now.fits;
        let ends_alike = |(with, now): (&Option<u64>, &Option<u64>)| with.is_some() == now.is_some();
        let is_alike = with.cycles.iter().zip(&now.cycles).all(ends_alike);
        let runs = with.cycles.iter().flatten().zip(now.cycles.iter().flatten());
        let runs: Vec<(u64, u64)> = runs.map(|(with, now)| (*with, *now)).collect();
        let gains = runs
            .last()
            .is_some_and(|(with, now)| with.saturating_add(now / SMALL_GAIN) < *now);
        (fits && is_alike && gains && pays(&runs, slack)).then_some(with)
    });
    match better {
        Some(measured) => {
            measurements.replace(program.candidate, measured);
            gathered
        }
        None => program,
    }
}
