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

/// The place of the fastest program; `None` if there is none, or no scenario in which all reach their ends. With one
/// scenario that is the one of the fewest cycles, of equal ones that of the fewest bytes, then the first. With several
/// it is, of those that take the fewest cycles in the longest run, but for the `slack`, the one that loses the least
/// in the others against `simpler` ones, those that a request of less could lead to; and then against all.
pub(super) fn choose(programs: &[&Measured], simpler: &[bool], slack: u64) -> Option<usize> {
    let scenarios = common(programs);
    let (long, short) = scenarios.split_last()?;
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
            excess(long[*i], long, slack),
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
    let scenarios = common(&with_one);
    scenarios.last().is_some_and(|long| excess(long[0], long, slack) == 0)
}

/// The loss in short runs against the fastest of the simpler programs if each takes the fastest one of `several`.
pub(super) fn loss_with(programs: &[&Measured], simpler: &[bool], several: &[&Measured], slack: u64) -> u64 {
    let with_all: Vec<&Measured> = several.iter().chain(programs).copied().collect();
    let others = several.iter().map(|_| false);
    let simpler: Vec<bool> = others.chain(simpler.iter().copied()).collect();
    let scenarios = common(&with_all);
    let short = scenarios.split_last().map_or(&[][..], |(_, short)| short);
    let least = |cycles: &[u64]| cycles[..several.len()].iter().min().copied().unwrap_or(0);
    short
        .iter()
        .map(|cycles| loss(least(cycles), cycles, &simpler, slack))
        .sum()
}

/// A gain in the longest run of more than one part in so many pays for a small loss in short runs, and that is one of
/// no more than one part in so many of them.
const LARGE_GAIN: u64 = 8;
const SMALL_LOSS: u64 = 16;

/// True if a program loses no more in short runs than another one, but for the `slack` in each, or gains much for a
/// small loss.
pub(super) fn pays(programs: &[&Measured], simpler: &[bool], one: &Measured, other: &Measured, slack: u64) -> bool {
    let loss = |one: &Measured| loss_with(programs, simpler, &[one], slack);
    let scenarios = common(&[one, other]);
    let Some((long, short)) = scenarios.split_last() else {
        return false;
    };
    let gains = long[0] < long[1] - long[1] / LARGE_GAIN;
    let all: u64 = short.iter().map(|cycles| cycles[1]).sum();
    let small = if gains { all / SMALL_LOSS } else { 0 };
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

/// By scenario that all programs reach the end of: the cycles of each.
fn common(programs: &[&Measured]) -> Vec<Vec<u64>> {
    let scenarios = programs.first().map_or(0, |program| program.cycles.len());
    (0..scenarios)
        .filter_map(|scenario| programs.iter().map(|program| program.cycles[scenario]).collect())
        .collect()
}

/// Cycles of the longest run above the least of all that count.
fn excess(cycles: u64, all: &[u64], slack: u64) -> u64 {
    let least = all.iter().min().copied().unwrap_or(0);
    over(cycles, all, slack.max(least / SMALL_GAIN))
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
    fn what_only_the_request_reaches_is_no_loss() {
        let (deep, flat) = (measured(&[30, 20, 1000], 4), measured(&[20, 60, 1000], 2));
        assert_eq!(choose(&[&deep, &flat], &[false, true], 0), Some(1));
    }
}
