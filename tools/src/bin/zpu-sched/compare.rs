//! All schedulers on one instance, in one table.

use std::fmt::Write as _;

use zpu_sched::{Instance, Kind, Scheduler, TimedSolution, TimedSolutionError};

use crate::report::{self, Report, Unsolved};

/// A scheduler, the seconds that it took, and what came out.
pub(crate) type Solved = (Scheduler, (f64, Result<TimedSolution, TimedSolutionError>));

/// The table, or a JSON list with one document a scheduler.
pub(crate) fn text(instance: &Instance, solved: &[Solved], as_json: bool) -> Result<String, String> {
    if as_json {
        let documents = solved.iter().map(|(scheduler, (seconds, outcome))| match outcome {
            Ok(solved) => serde_json::to_value(Report::new(instance, *scheduler, solved, *seconds)),
            Err(error) => serde_json::to_value(Unsolved::new(instance, *scheduler, error, &error.to_string())),
        });
        let documents = documents.collect::<Result<Vec<_>, _>>();
        return report::json(&documents.map_err(|error| error.to_string())?);
    }
    let cyclic = instance.problem.kind == Kind::Cyclic;
    let first = if cyclic { "II" } else { "makespan" };
    let mut text = format!(
        "{:<10} {first:>10} {:>10} {:>12} {:>11} {:>7} {:>7} {:>9}\n",
        "scheduler", "length", "bytes", "lower bound", "share", "proven", "seconds"
    );
    for (scheduler, (seconds, outcome)) in solved {
        let name = scheduler.name();
        let _ = match outcome {
            Ok(solved) => writeln!(
                text,
                "{name:<10} {:>10} {:>10} {:>12} {:>11} {:>5.1} % {:>7} {seconds:>9.3}",
                solved.measure.interval,
                solved.measure.length,
                solved.measure.bytes,
                solved.lower_bound,
                report::percent(solved.lower_bound, solved.measure.interval),
                if solved.proven { "yes" } else { "no" },
            ),
            Err(error) => writeln!(text, "{name:<10} {error}"),
        };
    }
    Ok(text)
}
