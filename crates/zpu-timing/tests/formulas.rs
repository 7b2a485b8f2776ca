//! The formulas for engines that share nothing, against the engines from event to event: a control stream that issues,
//! finds queues full, and waits.

mod common;

use proptest::prelude::*;
use zpu_timing::stream::{entry, wait_end};
use zpu_timing::{Command, Engines, Places, Unit};

/// The next action of the control stream.
#[derive(Clone, Debug)]
enum Step {
    Spend(u64),
    Issue {
        engine: usize,
        start_cycles: u64,
        latency: u64,
        cycles: u64,
    },
    /// Waits for the command that many back on that engine.
    Wait {
        engine: usize,
        back: usize,
        wait_cycles: u64,
    },
}

const ENGINES: usize = 3;

fn step() -> impl Strategy<Value = Step> {
    let issue = (0..ENGINES, 0_u64..4, 0_u64..9, 0_u64..20);
    prop_oneof![
        1 => (0_u64..30).prop_map(Step::Spend),
        5 => issue.prop_map(|(engine, start_cycles, latency, cycles)| Step::Issue {
            engine, start_cycles, latency, cycles
        }),
        2 => (0..ENGINES, 0_usize..3, 0_u64..9).prop_map(|(engine, back, wait_cycles)| Step::Wait {
            engine, back, wait_cycles
        }),
    ]
}

/// Runs by events: the stream's clock after each step, and the cycle at which each command is complete.
fn by_events(steps: &[Step], depths: [usize; ENGINES]) -> (Vec<u64>, Vec<u64>) {
    let mut engines = Engines::new(ENGINES, Default::default());
    let mut issued = [0; ENGINES];
    let (mut now, mut done, mut clock, mut count) = (0, vec![], vec![], 0);
    for step in steps {
        match *step {
            Step::Spend(cycles) => now += cycles,
            Step::Issue {
                engine,
                start_cycles,
                latency,
                cycles,
            } => {
                now += start_cycles;
                engines.advance(now, &mut done);
                while !engines.has_room(engine, depths[engine]) && engines.step(&mut done) {}
                now = engines.now();
                let command = Command {
                    tag: count,
                    arrival: now,
                    latency,
                    alone: cycles,
                    shared: 0,
                    flow: None,
                };
                issued[engine] = engines.push(engine, command);
                count += 1;
            }
            Step::Wait {
                engine,
                back,
                wait_cycles,
            } => {
                now += wait_cycles;
                engines.advance(now, &mut done);
                let number = issued[engine].saturating_sub(back as u64);
                while !engines.is_complete(engine, number) && engines.step(&mut done) {}
                now = engines.now();
            }
        }
        clock.push(now);
    }
    while engines.step(&mut done) {}
    done.sort_by_key(|done| done.command.tag);
    (clock, done.iter().map(|done| done.end).collect())
}

/// Runs by formulas, with the same results.
fn by_formulas(steps: &[Step], depths: [usize; ENGINES]) -> (Vec<u64>, Vec<u64>) {
    let mut units = [Unit::default(); ENGINES];
    let mut places: [Places; ENGINES] = Default::default();
    let mut of_engine: [Vec<u64>; ENGINES] = Default::default();
    let (mut now, mut clock, mut ends) = (0, vec![], vec![]);
    for step in steps {
        now = match *step {
            Step::Spend(cycles) => now + cycles,
            Step::Issue {
                engine,
                start_cycles,
                latency,
                cycles,
            } => {
                let free = places[engine].free_from(depths[engine], now);
                let arrival = entry(now, start_cycles, free.unwrap_or(0));
                let end = units[engine].begin(arrival + latency) + cycles;
                units[engine].take(end);
                places[engine].take(end);
                of_engine[engine].push(end);
                ends.push(end);
                arrival
            }
            Step::Wait {
                engine,
                back,
                wait_cycles,
            } => {
                let known = of_engine[engine].iter().rev().nth(back);
                wait_end(now, wait_cycles, known.copied().unwrap_or(0))
            }
        };
        clock.push(now);
    }
    (clock, ends)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn formulas_and_events_agree(
        steps in prop::collection::vec(step(), 0..40),
        depths in prop::array::uniform3(1_usize..4),
    ) {
        prop_assert_eq!(by_formulas(&steps, depths), by_events(&steps, depths));
    }

    /// The places that are taken are those of the commands in the queue.
    #[test]
    fn places_are_taken_until_the_end(ends in prop::collection::vec(0_u64..9, 0..9), now in 0_u64..40) {
        let mut places = Places::default();
        let mut end = 0;
        let ends: Vec<u64> = ends.into_iter().map(|cycles| { end += cycles; end }).collect();
        ends.iter().for_each(|end| places.take(*end));
        let taken: Vec<u64> = ends.iter().rev().copied().filter(|end| *end > now).collect();
        prop_assert_eq!(places.taken(now).collect::<Vec<_>>(), taken.clone());
        let depth = taken.len().max(1);
        let free_from = taken.last().copied();
        prop_assert_eq!(places.free_from(depth, now), free_from);
        prop_assert_eq!(places.free_from(depth + 1, now), None);
    }
}
