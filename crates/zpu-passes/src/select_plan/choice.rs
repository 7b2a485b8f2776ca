//! The choice among programs whose cycles are known.

use std::collections::BTreeSet;

use zpu_device::Device;
use zpu_ir::Op;

use crate::measure::Measured;
use zpu_analysis::command::sync_engine;

/// Cycles that do not count where the number of iterations is not known: one wait for each engine.
pub(super) fn slack(function: Op<'_>, device: &Device) -> u64 {
    let engines: BTreeSet<&str> = function.walk().into_iter().filter_map(sync_engine).collect();
    (engines.len() as u64).saturating_mul(device.control.wait_cycles)
}

/// The same for programs that use more engines than the function does as it is written: one wait for each there is,
/// since a function ends with a wait for each engine that it used.
pub(super) fn slack_of_all(device: &Device) -> u64 {
    (device.engines.len() as u64).saturating_mul(device.control.wait_cycles)
}

/// Gains in the longest run that are none where short runs pay for them: less than one in so many. Measured on the
/// kernels of the repository: a third stage, or a stronger scheduler, that gains 0.01 to 0.3 % in 1,000 iterations may
/// take 0.5 to 34 % more for fewer than eight.
const SMALL_GAIN: u64 = 256;

/// The same in a nest, whose inner loops are as short in each iteration of the loops around them. In blocks of
/// attention on `trainium2-core`, four stages in place of two gain 1.5 % in 24 and 100 iterations, and take 17 % more
/// in eight.
const SMALL_GAIN_IN_NESTS: u64 = 48;

/// The place of the fastest program; `None` if there is none, or no scenario in which all reach their ends. With one
/// scenario that is the one of the fewest cycles, of equal ones that of the fewest bytes, then the first. With several
/// it is, of those that take the fewest cycles in the longest run, but for the `slack`, the one that loses the least
/// in the others against `simpler` ones, those that a request of less could lead to; and then against all.
pub(super) fn choose(programs: &[&Measured], simpler: &[bool], slack: u64) -> Option<usize> {
    let (long, short) = common(programs)?;
    if short.is_empty() {
        return (0..programs.len()).min_by_key(|i| (long[*i], programs[*i].bytes));
    }
    (0..programs.len()).min_by_key(|i| {
        let loss: u64 = short
            .iter()
            .map(|cycles| loss(cycles[*i], cycles, simpler, slack))
            .sum();
        let own_loss: u64 = short.iter().map(|cycles| over(cycles[*i], cycles, slack)).sum();
        (
            over(long[*i], &long, slack_in_long_runs(programs, &long, slack)),
            loss,
            own_loss,
            programs[*i].bytes,
            long[*i],
        )
    })
}

/// True if a program is one of the fastest in the longest run, but for the `slack`.
pub(super) fn is_fastest(programs: &[&Measured], one: &Measured, slack: u64) -> bool {
    let with_one: Vec<&Measured> = [one].into_iter().chain(programs.iter().copied()).collect();
    common(&with_one).is_some_and(|(long, _)| over(long[0], &long, slack_in_long_runs(&with_one, &long, slack)) == 0)
}

/// The loss in short runs against the fastest of the simpler programs if each takes the fastest one of `several`.
pub(super) fn loss_with(programs: &[&Measured], simpler: &[bool], several: &[&Measured], slack: u64) -> u64 {
    let with_all: Vec<&Measured> = several.iter().chain(programs).copied().collect();
    let others = several.iter().map(|_| false);
    let simpler: Vec<bool> = others.chain(simpler.iter().copied()).collect();
    let short = common(&with_all).map(|(_, short)| short).unwrap_or_default();
    let least = |cycles: &[u64]| cycles[..several.len()].iter().min().copied().unwrap_or(0);
    short
        .iter()
        .map(|cycles| loss(least(cycles), cycles, &simpler, slack))
        .sum()
}

/// A gain in the long runs of more than one part in so many pays for a loss in short runs: for a share of their cycles
/// that is the share gained, divided by this.
const LARGE_GAIN: u64 = 8;
const GAIN_BY_LOSS: u64 = 2;

/// True if a program loses no more in short runs than another one, but for the `slack` in each, or gains much for a
/// small loss.
pub(super) fn pays(programs: &[&Measured], simpler: &[bool], one: &Measured, other: &Measured, slack: u64) -> bool {
    let loss = |one: &Measured| loss_with(programs, simpler, &[one], slack);
    let Some((long, short)) = common(&[one, other]) else {
        return false;
    };
    let gains = long[0] < long[1] - long[1] / LARGE_GAIN;
    let all: u64 = short.iter().map(|cycles| cycles[1]).sum();
    let part = u128::from(all) * u128::from(long[1].saturating_sub(long[0])) / u128::from(long[1].max(1));
    let small = if gains {
        u64::try_from(part).unwrap_or(all) / GAIN_BY_LOSS
    } else {
        0
    };
    loss(one) <= loss(other) + slack.saturating_mul(short.len() as u64) + small
}

/// Cycles above the least of the simpler programs that are no slack.
fn loss(cycles: u64, all: &[u64], simpler: &[bool], slack: u64) -> u64 {
    let simpler: Vec<u64> = all
        .iter()
        .zip(simpler)
        .filter(|(_, simpler)| **simpler)
        .map(|(cycles, _)| *cycles)
        .collect();
    if simpler.is_empty() {
        0
    } else {
        over(cycles, &simpler, slack)
    }
}

/// The cycles of each program in the long runs together, and in each of the others. Only runs that all programs reach
/// the end of count; if no long one is among them, the longest one that is counts as long. `None` if there is none.
fn common(programs: &[&Measured]) -> Option<(Vec<u64>, Vec<Vec<u64>>)> {
    let first = programs.first()?;
    let in_run = |run: usize| programs.iter().map(|program| program.cycles[run]).collect();
    let begin = first.cycles.len() - first.long_runs;
    let mut short: Vec<Vec<u64>> = (0..begin).filter_map(in_run).collect();
    let long = (begin..first.cycles.len()).filter_map(in_run);
    let together = |all: Vec<u64>, one: Vec<u64>| all.into_iter().zip(one).map(|(all, one)| all.saturating_add(one));
    let long = long.reduce(|all, one| together(all, one).collect());
    let long = long.or_else(|| short.pop())?;
    Some((long, short))
}

/// The slack of long runs, in which a small gain counts for nothing.
fn slack_in_long_runs(programs: &[&Measured], long: &[u64], slack: u64) -> u64 {
    let least = long.iter().min().copied().unwrap_or(0);
    let is_nest = programs.first().is_some_and(|program| program.long_runs > 1);
    slack.max(least / if is_nest { SMALL_GAIN_IN_NESTS } else { SMALL_GAIN })
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
            long_runs: 1,
            commands: (0, 1),
            bytes,
            fits: true,
            exact: true,
            is_repeated: false,
        }
    }

    #[test]
    fn fewest_cycles_then_fewest_bytes_then_the_first() {
        let (a, b, c) = (measured(&[10], 5), measured(&[9], 7), measured(&[9], 6));
        assert_eq!(choose(&[&a, &b, &c], &[true; 3], 0), Some(2));
        assert_eq!(choose(&[&b, &b], &[true; 2], 0), Some(0));
        assert_eq!(choose(&[], &[], 0), None);
    }

    #[test]
    fn a_second_plan_makes_up_for_what_the_first_loses() {
        let (deep, flat) = (measured(&[40, 60, 1000], 4), measured(&[20, 70, 2000], 2));
        assert_eq!(loss_with(&[&deep, &flat], &[false, true], &[&deep], 0), 20);
        assert_eq!(loss_with(&[&deep, &flat], &[false, true], &[&deep, &flat], 0), 0);
    }

    #[test]
    fn the_long_run_counts_first_and_slack_is_no_gain() {
        let (deep, flat) = (measured(&[40, 60, 1000], 4), measured(&[20, 50, 1010], 2));
        assert_eq!(choose(&[&deep, &flat], &[false, true], 10), Some(1));
        assert_eq!(choose(&[&deep, &flat], &[false, true], 9), Some(0));
    }
    #[test]
    fn a_small_gain_is_none_where_short_runs_pay_for_it() {
        let (deep, flat) = (measured(&[40, 60, 1000], 4), measured(&[20, 60, 1003], 2));
        assert_eq!(choose(&[&deep, &flat], &[false, true], 0), Some(1));
        let large = measured(&[40, 60, 900], 4);
        assert_eq!(choose(&[&large, &flat], &[false, true], 0), Some(0));
    }

    #[test]
    fn a_large_gain_pays_for_a_small_loss_in_short_runs() {
        let (flat, all) = (measured(&[400, 600, 2000], 2), [true]);
        let pays = |one: &[u64], slack| pays(&[&flat], &all, &measured(one, 4), &flat, slack);
        assert!(pays(&[400, 600, 1900], 0));
        assert!(!pays(&[401, 600, 1900], 0));
        assert!(pays(&[403, 603, 1900], 3));
        assert!(pays(&[430, 630, 1700], 0));
        assert!(!pays(&[440, 640, 1700], 0));
    }

    #[test]
    fn long_runs_count_together_and_a_gain_of_one_in_fifty_in_them_for_nothing() {
        let nest = |cycles: &[u64]| Measured {
            long_runs: 2,
            ..measured(cycles, 1)
        };
        let (one, other) = (nest(&[40, 480, 520]), nest(&[40, 700, 400]));
        assert_eq!(choose(&[&other, &one], &[true; 2], 0), Some(1));
        let (deep, flat) = (nest(&[60, 490, 500]), nest(&[40, 500, 510]));
        assert_eq!(choose(&[&deep, &flat], &[false, true], 0), Some(1));
        assert_eq!(choose(&[&nest(&[60, 470, 500]), &flat], &[false, true], 0), Some(0));
    }

    #[test]
    fn what_only_the_request_reaches_is_no_loss() {
        let (deep, flat) = (measured(&[30, 20, 1000], 4), measured(&[20, 60, 1000], 2));
        assert_eq!(choose(&[&deep, &flat], &[false, true], 0), Some(1));
    }
}
