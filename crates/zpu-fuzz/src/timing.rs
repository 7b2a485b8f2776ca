//! Runs without values beside runs with them: where the control stream needs no number of memory, all numbers of the
//! report are the same.

use zpu_driver::{Error, Executable};
use zpu_sim::{Argument, Checks, Options, SimError};

use crate::observation::{arguments, run_with};
use crate::program::Program;
use crate::run::Kind;

/// Compares the two; false if a run without values is refused.
pub(crate) fn same_without_values(executable: &Executable, program: &Program) -> Result<bool, (Kind, String)> {
    let options = Options {
        checks: Checks {
            race: false,
            init: false,
            ..Checks::ALL
        },
        ..Options::default()
    };
    let mut expected = run_with(executable, program, &options)?.report;
    let shapes = arguments(executable, program)
        .into_iter()
        .map(|argument| match argument {
            Argument::Buffer { shape, .. } => Argument::Shape(shape),
            other => other,
        });
    let found = match executable.time(shapes.collect(), &options) {
        Ok(report) => report,
        Err(Error::Simulate(SimError::NeedsValues { .. })) => return Ok(false),
        Err(error) => return Err((Kind::Clock, format!("without values: {error}"))),
    };
    expected.values = false;
    if found != expected {
        let message = format!(
            "{} cycles and a bound of {} without values, {} and {} with them",
            found.cycles, found.tight_bound.cycles, expected.cycles, expected.tight_bound.cycles
        );
        return Err((Kind::Clock, message));
    }
    Ok(true)
}
