//! Runs of few iterations in the predicated form.
//!
//! The peeled form overlaps only runs of more iterations than its plan has stages, so short runs have plans of fewer
//! stages, which overlap less. The predicated form overlaps runs of any length with all stages of its plan, but takes
//! longer in long runs. So the program that is chosen is run with each small number of iterations, beside programs in
//! that form, and where one of these is faster a loop is written twice.
//!
//! Invariant: in no run that plans are compared by does the program that comes of it need more cycles than the one that
//! was chosen, but for the slack, and for a small part of one that is not the longest where another one gains more.

use std::cmp::Reverse;
use std::fmt;

use zpu_ir::Op;
use zpu_sched::Scheduler;

use super::Measurements;
use super::candidates::{Candidate, MOST_COMMANDS, commands};
use super::dispatch;
use super::trial::{Program, Trials};
use crate::measure::Measured;
use crate::measure::scenario::{self, Scenario};
use crate::num_stages::NumStages;

/// How loops of unknown length are written in the predicated form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Predicated {
    pub(super) scheduler: Scheduler,
    pub(super) stages: u32,
    /// The runs that have it; none for all.
    pub(super) lengths: Option<Lengths>,
}

impl fmt::Display for Predicated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(lengths) = self.lengths {
            write!(f, "for {lengths} iterations, ")?;
        }
        write!(f, "{} num-stages={} predicated", self.scheduler.name(), self.stages)
    }
}

/// A set of small trip counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lengths(u64);

impl Lengths {
    /// As many as the bits of a word, but for the largest, which stands for all larger ones and is in none.
    pub(super) const BITS: i64 = 64;

    /// The numbers as bits, the lowest for none.
    pub(super) fn word(self) -> i64 {
        self.0.cast_signed()
    }

    fn of(numbers: impl Iterator<Item = i64>) -> Self {
        let small = numbers.filter(|number| (0..Self::BITS - 1).contains(number));
        Self(small.fold(0, |all, number| all | 1 << number))
    }

    fn is_empty(self) -> bool {
        self.0 == 0
    }

    fn has(self, number: i64) -> bool {
        self.0 >> number & 1 == 1
    }
}

impl fmt::Display for Lengths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        let mut next = 0;
        while next < Self::BITS {
            let first = next;
            while next < Self::BITS && self.has(next) {
                next += 1;
            }
            match next - first {
                0 => next += 1,
                length => {
                    write!(f, "{separator}{first}")?;
                    if length > 1 {
                        write!(f, "-{}", next - 1)?;
                    }
                    separator = ",";
                }
            }
        }
        Ok(())
    }
}

/// Stages of plans that are tried in the predicated form, the last not in nests, which take long to compile.
const STAGES: [u32; 3] = [2, 6, 16];

/// Iterations up to which runs are tried, by the number of loops of unknown length around each other; with more of
/// them, as many as make at most [`MOST_INNERMOST`] of the innermost one.
const LONGEST: [i64; 3] = [Lengths::BITS - 2, 12, 6];
const MOST_INNERMOST: i64 = 256;

/// The same where only innermost loops of a nest become longer.
const LONGEST_INSIDE: i64 = 24;

/// A run counts if it gains more than one part in so many, and more than the slack: the function will end with a wait
/// for each engine of both forms.
const SMALL_GAIN: u64 = 128;

/// Forms that are tried beside the one there is; in nests one.
const MOST_TRIED: usize = 2;

/// So much of a run is no loss. In a nest each run of the inner loop may wait once more for each engine.
const SMALL_LOSS: f64 = 1.0 / 128.0;

/// So much is one that is worth a gain of as many times as much in another run.
const LARGEST_LOSS: f64 = 1.0 / 16.0;
const WORTH: f64 = 8.0;

/// The program that was chosen, or a better one like it, which is measured then.
pub(super) fn refined<'c>(
    (function, original): (Op<'c>, Op<'_>),
    winner: Candidate,
    slack: u64,
    measurements: &mut Measurements,
    trials: &mut Trials<'c, '_>,
    scenarios: &[Scenario],
) -> Program {
    let mut better = || {
        let runs = Runs::of((function, original), winner, slack, measurements.requested, trials)?;
        // What gains may change the plan for long runs, since both share buffers and engines.
        let most = if runs.depth == 1 { MOST_TRIED } else { 1 };
        let mut forms = runs.found.iter().take(most);
        forms.find_map(|form| runs.beside(*form, trials, measurements, scenarios))
    };
    let Some((program, measured)) = better() else {
        return winner.into();
    };
    measurements.replace(winner, measured);
    program
}

/// Short runs of the program that was chosen, and of programs in the predicated form.
struct Runs<'c> {
    function: Op<'c>,
    winner: Candidate,
    slack: u64,
    /// Loops of unknown length around each other.
    depth: usize,
    trips: Vec<i64>,
    arguments: Vec<Scenario>,
    /// The cycles of the program that was chosen.
    now: Vec<u64>,
    /// The forms that are faster in some runs, the best one first.
    found: Vec<Predicated>,
}

impl<'c> Runs<'c> {
    /// `None` if there are no such runs.
    fn of(
        (function, original): (Op<'c>, Op<'_>),
        winner: Candidate,
        slack: u64,
        (scheduler, stages): (Scheduler, NumStages),
        trials: &mut Trials<'c, '_>,
    ) -> Option<Self> {
        let has_none = dispatch::loops(function).is_empty() || scheduler == Scheduler::Serial || stages.limit() == 0;
        // Each command would have a condition of its own, and several waits by conditions.
        if has_none || commands(function) > MOST_COMMANDS {
            return None;
        }
        let scheduler = scheduler.min(Scheduler::Auto);
        let around = winner.with_one_plan()?;
        let depth = scenario::depth(original)?;
        let longest = if depth > 1 && scenario::is_apart(original) {
            LONGEST_INSIDE
        } else {
            longest(depth)
        };
        let mut trips: Vec<i64> = (0..=longest).collect();
        let mut arguments = scenario::of_trips(original, &trips);
        let all = if depth == 1 { &STAGES[..] } else { &STAGES[..2] };
        // A request of more stages has all forms that one of fewer has.
        let stages = all.iter().copied().filter(|form| *form <= stages.limit());
        let form = |stages: u32| Predicated {
            scheduler,
            stages,
            lengths: None,
        };
        let forms: Vec<Predicated> = stages.map(form).collect();
        let alone = forms.iter().map(|form| Program {
            predicated: Some(*form),
            ..around.into()
        });
        let programs: Vec<Program> = [Program::from(winner)].into_iter().chain(alone).collect();
        let results = trials.measure_apart(function, &programs, &arguments).into_iter();
        let mut cycles = results.map(|result| Some(result.ok()??.cycles));
        let now = cycles.next()??;
        // Longer runs may leave the bounds of buffers of constant size.
        let ending = now.iter().position(Option::is_none).unwrap_or(now.len());
        trips.truncate(ending);
        arguments.truncate(ending);
        let now: Vec<u64> = now.into_iter().flatten().take(ending).collect();
        let found = forms.into_iter().zip(cycles).filter_map(|(form, with)| {
            let with: Vec<u64> = with?.into_iter().take(ending).collect::<Option<_>>()?;
            let (saved, lengths) = gaining(&trips, &now, &with, slack)?;
            let lengths = Some(lengths);
            Some((saved, Predicated { lengths, ..form }))
        });
        let mut found: Vec<(u64, Predicated)> = found.collect();
        // Of equal ones that of the fewest stages.
        found.sort_by_key(|(saved, form)| (Reverse(*saved), form.stages));
        found.dedup_by_key(|(saved, _)| *saved);
        let found = found.into_iter().map(|(_, form)| form).collect();
        Some(Self {
            function,
            winner,
            slack,
            depth,
            trips,
            arguments,
            now,
            found,
        })
    }

    /// The chosen program with a form beside it, for the lengths at which it is faster then, and the measurement in all
    /// scenarios; `None` if it has no such length, or is slower in some run.
    fn beside(
        &self,
        form: Predicated,
        trials: &mut Trials<'c, '_>,
        measurements: &Measurements,
        scenarios: &[Scenario],
    ) -> Option<(Program, Measured)> {
        let program = |lengths: Lengths| Program {
            predicated: Some(Predicated {
                lengths: Some(lengths),
                ..form
            }),
            ..self.winner.into()
        };
        let alone = form.lengths?;
        let tried = self.measure(program(alone), trials, scenarios)?;
        let faster = self.trips.iter().zip(tried.1.iter().zip(&self.now));
        let faster = faster.filter(|(trips, (with, now))| alone.has(**trips) && with < now);
        let lengths = Lengths::of(faster.map(|(trips, _)| *trips));
        if lengths.is_empty() {
            return None;
        }
        let (measured, cycles) = if lengths == alone {
            tried
        } else {
            self.measure(program(lengths), trials, scenarios)?
        };
        let now = measurements.measured_of(self.winner)?;
        let fits = measured.fits || !now.fits;
        // A run that does not reach its end in one of them says nothing for the other.
        let ends_alike = |(with, now): (&Option<u64>, &Option<u64>)| with.is_some() == now.is_some();
        let is_alike = measured.cycles.iter().zip(&now.cycles).all(ends_alike);
        let all = measured.cycles.iter().flatten().zip(now.cycles.iter().flatten());
        let all = all.chain(cycles.iter().zip(&self.now));
        let all: Vec<(u64, u64)> = all.map(|(with, now)| (*with, *now)).collect();
        let pays = pays(&all, self.slack);
        (fits && is_alike && pays).then(|| (program(lengths), measured))
    }

    /// A program in all scenarios, and its cycles in the short runs.
    fn measure(
        &self,
        program: Program,
        trials: &mut Trials<'c, '_>,
        scenarios: &[Scenario],
    ) -> Option<(Measured, Vec<u64>)> {
        let all: Vec<Scenario> = scenarios.iter().chain(&self.arguments).cloned().collect();
        let result = trials.measure_apart(self.function, &[program], &all).pop()?;
        let mut measured = result.ok()??;
        let short = measured.cycles.split_off(scenarios.len());
        Some((measured, short.into_iter().collect::<Option<_>>()?))
    }
}

/// Iterations up to which runs of so many loops around each other are tried.
fn longest(depth: usize) -> i64 {
    let exponent = u32::try_from(depth).unwrap_or(u32::MAX);
    let is_short = |trips: &i64| trips.checked_pow(exponent).is_some_and(|all| all <= MOST_INNERMOST);
    let known = LONGEST.get(depth.max(1) - 1).copied();
    known.unwrap_or_else(|| (1..).take_while(is_short).last().unwrap_or(1))
}

/// True if no run takes longer, but for the slack, or by so little that the gain of another one is worth it, and the
/// longest one hardly longer. Runs are cycles with the form beside the other one, and those without.
fn pays(runs: &[(u64, u64)], slack: u64) -> bool {
    let part = |cycles: u64, of: u64| cycles as f64 / of.max(1) as f64;
    let gain = |(with, now): &(u64, u64)| part(now.saturating_sub(*with), *now);
    let loss = |(with, now): &(u64, u64)| part(with.saturating_sub(now.saturating_add(slack)), *now);
    let gain = runs.iter().map(gain).fold(0.0, f64::max);
    let largest = runs.iter().map(loss).fold(0.0, f64::max);
    let of_longest = runs.iter().max_by_key(|(_, now)| *now).map_or(0.0, loss);
    of_longest <= SMALL_LOSS && (largest <= SMALL_LOSS || largest <= LARGEST_LOSS && largest * WORTH <= gain)
}

/// The cycles that runs save altogether, and those runs; none if no run does.
fn gaining(trips: &[i64], now: &[u64], with: &[u64], slack: u64) -> Option<(u64, Lengths)> {
    let each = trips.iter().zip(now.iter().zip(with));
    let gains = each.filter(|(_, (now, with))| with.saturating_add(slack.max(**now / SMALL_GAIN)) < **now);
    let gains: Vec<(i64, u64)> = gains.map(|(trips, (now, with))| (*trips, now - with)).collect();
    let lengths = Lengths::of(gains.iter().map(|(trips, _)| *trips));
    let saved = gains.iter().map(|(_, saved)| saved).sum();
    (!gains.is_empty()).then_some((saved, lengths))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_bits_and_printed_as_ranges() {
        let lengths = Lengths::of([0, 2, 3, 4, 9, 62, 63, 64, -1].into_iter());
        assert_eq!(lengths.word(), 1 << 62 | 1 << 9 | 0b11101);
        assert_eq!(lengths.to_string(), "0,2-4,9,62");
        assert_eq!(Lengths::of([].into_iter()).to_string(), "");
    }

    #[test]
    fn runs_of_deep_nests_are_short() {
        let all = [0, 1, 2, 3, 4, 5, 8, 9, 1000].map(longest);
        assert_eq!(all, [62, 62, 12, 6, 4, 3, 2, 1, 1]);
    }

    #[test]
    fn a_small_loss_is_worth_a_large_gain() {
        assert!(pays(&[(50, 100), (1007, 1000)], 0));
        assert!(pays(&[(90, 100), (1107, 1000)], 100));
        assert!(pays(&[(84, 100), (204, 200), (1000, 1000)], 0));
        assert!(!pays(&[(85, 100), (204, 200), (1000, 1000)], 0));
        assert!(!pays(&[(20, 100), (214, 200), (1000, 1000)], 0));
        assert!(!pays(&[(20, 100), (1008, 1000)], 0));
    }

    #[test]
    fn runs_that_gain_less_than_the_slack_or_a_small_part_do_not_count() {
        let gaining = |with: &[u64], slack| gaining(&[1, 2, 3], &[1280, 1280, 1280], with, slack);
        assert_eq!(gaining(&[1269, 1270, 1290], 0), Some((11, Lengths(0b010))));
        assert_eq!(gaining(&[1269, 1270, 1290], 11), None);
        assert_eq!(gaining(&[1000, 1270, 1000], 11), Some((560, Lengths(0b1010))));
    }
}
