//! The reference kernels on the two planning machines, against the reference figures.

mod common;

use common::{Kernel, Machine, kernels};
use zpu_sched::{Outcome, Scheduler, estimate, sequential, solve, verify_plan};

fn outcome(kernel: &Kernel, scheduler: Scheduler) -> Outcome {
    let outcome = solve(&kernel.problem, scheduler, &kernel.options).expect("kernels are well formed");
    verify_plan(&kernel.problem, &outcome.plan).expect("plans are legal");
    let again = estimate(&kernel.problem, &outcome.plan, kernel.trip, kernel.options.stream).unwrap();
    assert_eq!(Some(again), outcome.cycles, "{}", kernel.name);
    outcome
}

/// The reference machine takes one cycle to issue a command. With it, program order and the fixed stages take exactly
/// the reference's cycles on every kernel and machine.
#[test]
fn sequential_and_list_equal_the_reference() {
    for machine in [Machine::OneDma, Machine::TwoDma] {
        for kernel in kernels(machine, 1) {
            let before = sequential(&kernel.problem, kernel.trip, kernel.options.stream);
            assert_eq!(before, kernel.reference.serial, "{}", kernel.name);
            let list = outcome(&kernel, Scheduler::List);
            assert_eq!(list.cycles, Some(kernel.reference.default), "{}", kernel.name);
            assert_eq!(list.note, None);
        }
    }
}

#[test]
fn greedy_beats_the_reference_planner_and_comes_close_to_the_best_found() {
    for machine in [Machine::OneDma, Machine::TwoDma] {
        for kernel in kernels(machine, 1) {
            let cycles = outcome(&kernel, Scheduler::Greedy).cycles.unwrap();
            let reference = kernel.reference;
            assert!(
                cycles <= reference.greedy.min(reference.default),
                "{}: {cycles} {reference:?}",
                kernel.name
            );
            assert!(
                cycles * 100 <= reference.found * 103,
                "{}: {cycles} {reference:?}",
                kernel.name
            );
        }
    }
}

/// The best that a second of random search found, or better.
#[test]
fn modulo_reaches_the_best_found() {
    for machine in [Machine::OneDma, Machine::TwoDma] {
        for kernel in kernels(machine, 1) {
            let cycles = outcome(&kernel, Scheduler::Modulo).cycles.unwrap();
            assert!(
                cycles <= kernel.reference.found,
                "{}: {cycles} {:?}",
                kernel.name,
                kernel.reference
            );
        }
    }
}

/// Without the cost of issuing, the bound is the proven minimal interval on every kernel, and is almost reached.
#[test]
fn bounds_equal_the_proven_intervals() {
    for machine in [Machine::OneDma, Machine::TwoDma] {
        for mut kernel in kernels(machine, 0) {
            kernel.options.trip = None;
            let greedy = outcome_of_rate(&kernel);
            assert_eq!(greedy.bounds.interval(), kernel.reference.interval, "{}", kernel.name);
            assert!(greedy.rate.exact && greedy.plan.ii >= greedy.bounds.interval());
            assert!(
                greedy.plan.ii * 100 <= kernel.reference.interval * 105,
                "{}: {}",
                kernel.name,
                greedy.plan.ii
            );
        }
    }
}

/// `exact` reaches the proven minimal intervals if issuing costs nothing, as in the reference. `auto` minimises the
/// whole run, and takes a longer interval only if the run is shorter with it.
#[test]
fn exact_reaches_the_proven_intervals() {
    for machine in [Machine::OneDma, Machine::TwoDma] {
        for kernel in kernels(machine, 0) {
            let exact = outcome(&kernel, Scheduler::Exact);
            assert_eq!(exact.plan.ii, kernel.reference.interval, "{}", kernel.name);
            assert!(exact.proven && exact.bound == exact.plan.ii, "{}", kernel.name);
            assert!(
                exact.cycles.unwrap() * 100 <= kernel.reference.found * 101,
                "{}: {:?}",
                kernel.name,
                exact.cycles
            );
            let auto = outcome(&kernel, Scheduler::Auto);
            assert_eq!(auto.bound, kernel.reference.interval, "{}", kernel.name);
            assert!(
                auto.plan.ii * 100 <= auto.bound * 101 || auto.cycles < exact.cycles,
                "{}",
                kernel.name
            );
            assert!(
                auto.cycles.unwrap() <= kernel.reference.found,
                "{}: {:?}",
                kernel.name,
                auto.cycles
            );
            let greedy = outcome(&kernel, Scheduler::Greedy);
            assert!(auto.cycles <= greedy.cycles, "{}", kernel.name);
        }
    }
}

/// With the cost of issuing, every plan of `exact` is proven minimal as well.
#[test]
fn exact_proves_the_intervals_with_issue_costs() {
    for machine in [Machine::OneDma, Machine::TwoDma] {
        for kernel in kernels(machine, 1) {
            let exact = outcome(&kernel, Scheduler::Exact);
            assert!(exact.proven, "{}: {} > {}", kernel.name, exact.plan.ii, exact.bound);
            assert!(
                outcome(&kernel, Scheduler::Auto).cycles.unwrap() <= kernel.reference.found,
                "{}",
                kernel.name
            );
        }
    }
}

fn outcome_of_rate(kernel: &Kernel) -> Outcome {
    let outcome = solve(&kernel.problem, Scheduler::Greedy, &kernel.options).expect("kernels are well formed");
    verify_plan(&kernel.problem, &outcome.plan).expect("plans are legal");
    outcome
}

#[test]
fn fixed_stages_are_those_of_the_literature() {
    let all = kernels(Machine::TwoDma, 0);
    // Two loads, one of them staged, and a product; the staging copy is no load.
    let gemm = outcome(&all[0], Scheduler::List).plan;
    assert_eq!(gemm.stage, [0, 3, 0, 3]);
    assert_eq!(gemm.order, [1, 0, 3, 2]);
    let flash = outcome(&all[1], Scheduler::List).plan;
    assert_eq!(flash.stage, [0, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 0, 3]);
    assert_eq!(flash.order, [2, 0, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 13]);
}
