//! The engines against single cycles in exact fractions, and what holds for them whatever they are given.

mod common;

use common::{Issued, Machine, machine, single_cycles};
use proptest::prelude::*;
use zpu_timing::{Command, Completion, Engines};

fn command(arrival: u64, latency: u64, alone: u64) -> Command<()> {
    Command {
        tag: (),
        arrival,
        latency,
        alone,
        shared: 0,
        flow: None,
    }
}

#[test]
fn latency_overlaps_the_command_before() {
    let mut engines = Engines::new(1, Default::default());
    for _ in 0..3 {
        engines.push(0, command(0, 100, 10));
    }
    let mut done = vec![];
    engines.advance(115, &mut done);
    assert_eq!((engines.pending(0), engines.now()), (2, 115));
    assert!(engines.is_complete(0, 1) && !engines.is_complete(0, 2));
    assert!(engines.has_room(0, 3) && !engines.has_room(0, 2));
    while engines.step(&mut done) {}
    assert_eq!(done.iter().map(|done| done.end).collect::<Vec<_>>(), [110, 120, 130]);
    let uncovered: Vec<u64> = done.iter().map(Completion::uncovered_latency).collect();
    assert_eq!(uncovered, [100, 0, 0]);
}

/// Transfers that want 8 bytes per cycle of a link of so many: engine, arrival, cycles before the link, cycles on it.
fn ends(link: u64, transfers: &[(usize, u64, u64, u64)]) -> Vec<(usize, u64)> {
    let issued = |&(engine, arrival, alone, shared)| Issued {
        engine,
        arrival,
        latency: 0,
        alone,
        shared,
        flow: Some(0),
    };
    let machine = Machine {
        engines: 2,
        capacities: vec![link],
        flows: vec![(8, vec![0])],
        commands: transfers.iter().map(issued).collect(),
    };
    let done = machine.run(&[]);
    done.iter().map(|done| (done.command.tag, done.end)).collect()
}

/// Together at half speed, the first one is done at 15, and the second one has the link for the rest.
#[test]
fn two_transfers_share_a_link() {
    assert_eq!(ends(8, &[(0, 0, 0, 10), (1, 5, 0, 10)]), [(0, 15), (1, 20)]);
}

#[test]
fn a_link_wide_enough_changes_nothing() {
    assert_eq!(ends(16, &[(0, 0, 0, 10), (1, 0, 0, 10)]), [(0, 10), (1, 10)]);
}

/// The first one has the link for 2 cycles and then half of it for 10. The second one has had half of it for 10 cycles
/// by then, and its last 2 alone, while the third one, which begins after the first one, needs no link.
#[test]
fn what_needs_no_link_stretches_nobody() {
    let transfers = [(0, 0, 3, 7), (0, 0, 3, 7), (1, 2, 3, 7)];
    assert_eq!(ends(8, &transfers), [(0, 15), (2, 17), (1, 25)]);
}

#[test]
fn what_happens_at_one_cycle_is_in_the_order_of_issue() {
    let mut engines = Engines::new(3, Default::default());
    for (engine, cycles) in [(2, 5), (0, 5), (1, 0), (1, 5), (2, 0)] {
        engines.push(engine, command(0, 0, cycles));
    }
    let mut done = vec![];
    while engines.step(&mut done) {}
    let ends: Vec<_> = done.iter().map(|done| (done.engine, done.number, done.end)).collect();
    assert_eq!(ends, [(1, 1, 0), (2, 1, 5), (0, 1, 5), (1, 2, 5), (2, 2, 5)]);
}

#[test]
fn what_is_late_is_complete_at_once() {
    let mut engines = Engines::new(1, Default::default());
    let mut done = vec![];
    engines.advance(50, &mut done);
    engines.push(0, command(10, 5, 10));
    assert_eq!(engines.next_event(), Some(50));
    engines.push(0, command(10, 5, 10));
    while engines.step(&mut done) {}
    assert_eq!(done.iter().map(|done| done.end).collect::<Vec<_>>(), [50, 60]);
}

#[test]
fn the_longest_command_has_an_end() {
    let mut engines = Engines::new(1, Default::default());
    engines.push(0, command(u64::MAX, u64::MAX, u64::MAX));
    assert_eq!(engines.next_event(), Some(u64::MAX));
    assert!(engines.step(&mut vec![]) && !engines.step(&mut vec![]));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn spans_are_those_of_single_cycles(machine in machine()) {
        let slow = single_cycles(&machine);
        let done = machine.run(&[]);
        prop_assert_eq!(done.len(), slow.len());
        for done in done {
            prop_assert_eq!((done.begin, done.end), slow[done.command.tag], "command {}", done.command.tag);
        }
    }

    /// Time never goes back, and an engine works on its commands in the order of their issue, on one at a time, as soon
    /// as it can, and for as long as they take.
    #[test]
    fn queues_are_in_order_and_never_idle_with_work(machine in machine()) {
        let done = machine.run(&[]);
        prop_assert!(done.is_sorted_by_key(|done| (done.end, done.command.tag)));
        for engine in 0..machine.engines {
            let (mut before, mut number, mut worked) = (0, 0, 0);
            for done in done.iter().filter(|done| done.engine == engine) {
                prop_assert_eq!(done.number, number + 1);
                prop_assert_eq!(done.head, done.command.arrival.max(before));
                prop_assert_eq!(done.begin, done.command.ready().max(before));
                let parts = done.uncovered_latency() + done.command.occupancy() + done.stretch();
                prop_assert_eq!(done.end - done.head, parts);
                prop_assert!(done.command.flow.is_some() || done.stretch() == 0);
                (before, number, worked) = (done.end, done.number, worked + parts);
            }
            prop_assert!(worked <= before);
        }
    }

    /// Readings of the clock make no difference.
    #[test]
    fn looking_changes_nothing(machine in machine(), looks in prop::collection::vec(0_u64..300, 0..20)) {
        let mut looks = looks;
        looks.sort_unstable();
        prop_assert_eq!(machine.run(&looks), machine.run(&[]));
    }

    /// Other transfers on the links make no command faster.
    #[test]
    fn alone_nobody_is_slower(machine in machine()) {
        for done in machine.run(&[]) {
            prop_assert!(done.end - done.begin >= done.command.occupancy());
        }
    }
}
