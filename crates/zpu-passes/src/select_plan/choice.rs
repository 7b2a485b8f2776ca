//! The choice among programs whose cycles are known.

use std::collections::BTreeSet;

use zpu_device::Device;
use zpu_ir::Op;

use zpu_analysis::command::sync_engine;

/// How long a program takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Measured {
    /// Cycles in each scenario, that of the longest run last; none where the run did not reach its end.
    pub(super) cycles: Vec<Option<u64>>,
    /// Commands of the shortest run and of the longest.
    pub(super) commands: (u64, u64),
    /// Bytes of local buffers, the most of all scenarios.
    pub(super) bytes: u64,
    /// Whether every iteration was run.
    pub(super) exact: bool,
    /// Whether the program is the same as one that was measured before.
    pub(super) is_repeated: bool,
}

/// Cycles that do not count where the number of iterations is not known: one wait for each engine.
pub(super) fn slack(function: Op<'_>, device: &Device) -> u64 {
    let engines: BTreeSet<&str> = function.walk().into_iter().filter_map(sync_engine).collect();
    (engines.len() as u64).saturating_mul(device.control.wait_cycles)
}

/// The place of the fastest program; `None` if there is none, or no scenario in which all reach their ends. With one
/// scenario that is the one of the fewest cycles, of equal ones that of the fewest bytes, then the first. With several
/// it is, of those that take the fewest cycles in the longest run, but for the `slack`, the one that loses the least in
/// the others.
pub(super) fn choose(programs: &[&Measured], slack: u64) -> Option<usize> {
    let scenarios = common(programs);
    let (long, short) = scenarios.split_last()?;
    if short.is_empty() {
        return (0..programs.len()).min_by_key(|i| (long[*i], programs[*i].bytes));
    }
    let excess = |cycles: &Vec<u64>, i: usize| over(cycles[i], cycles, slack);
    (0..programs.len()).min_by_key(|i| {
        let loss: u64 = short.iter().map(|cycles| excess(cycles, *i)).sum();
        (excess(long, *i), loss, programs[*i].bytes, long[*i])
    })
}

/// Whether a program is one of the fastest in the longest run, but for the `slack`.
pub(super) fn is_fastest(programs: &[&Measured], one: &Measured, slack: u64) -> bool {
    let with_one: Vec<&Measured> = [one].into_iter().chain(programs.iter().copied()).collect();
    let scenarios = common(&with_one);
    scenarios.last().is_some_and(|long| over(long[0], long, slack) == 0)
}

/// What is lost in short runs against the fastest of all programs if each takes the faster one of two.
pub(super) fn loss_with(programs: &[&Measured], one: &Measured, other: &Measured, slack: u64) -> u64 {
    let with_both: Vec<&Measured> = [one, other].into_iter().chain(programs.iter().copied()).collect();
    let scenarios = common(&with_both);
    let short = scenarios.split_last().map_or(&[][..], |(_, short)| short);
    short
        .iter()
        .map(|cycles| over(cycles[0].min(cycles[1]), cycles, slack))
        .sum()
}

/// By scenario that all programs reach the end of: the cycles of each.
fn common(programs: &[&Measured]) -> Vec<Vec<u64>> {
    let scenarios = programs.first().map_or(0, |program| program.cycles.len());
    (0..scenarios)
        .filter_map(|scenario| programs.iter().map(|program| program.cycles[scenario]).collect())
        .collect()
}

/// Cycles above the least of all that are no slack.
fn over(cycles: u64, all: &[u64], slack: u64) -> u64 {
    let least = all.iter().min().copied().unwrap_or(0);
    cycles.saturating_sub(least.saturating_add(slack))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(cycles: &[u64], bytes: u64) -> Measured {
        let cycles = cycles.iter().copied().map(Some).collect();
        Measured {
            cycles,
            commands: (0, 1),
            bytes,
            exact: true,
            is_repeated: false,
        }
    }

    #[test]
    fn fewest_cycles_then_fewest_bytes_then_the_first() {
        let (a, b, c) = (measured(&[10], 5), measured(&[9], 7), measured(&[9], 6));
        assert_eq!(choose(&[&a, &b, &c], 0), Some(2));
        assert_eq!(choose(&[&b, &b], 0), Some(0));
        assert_eq!(choose(&[], 0), None);
    }

    #[test]
    fn a_second_plan_makes_up_for_what_the_first_loses() {
        let (deep, flat) = (measured(&[40, 60, 1000], 4), measured(&[20, 70, 2000], 2));
        assert_eq!(loss_with(&[&deep, &flat], &deep, &deep, 0), 20);
        assert_eq!(loss_with(&[&deep, &flat], &deep, &flat, 0), 0);
    }

    #[test]
    fn the_long_run_counts_first_and_slack_is_no_gain() {
        let (deep, flat) = (measured(&[40, 60, 1000], 4), measured(&[20, 50, 1003], 2));
        assert_eq!(choose(&[&deep, &flat], 3), Some(1));
        assert_eq!(choose(&[&deep, &flat], 2), Some(0));
    }
}
