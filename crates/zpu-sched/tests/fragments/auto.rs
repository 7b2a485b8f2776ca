//! `auto` against all built-in schedules and the bound.

use zpu_sched::fragment::uniform::{Pipeline, Placement};
use zpu_sched::fragment::{Answer, AutoOptions, Builtin, Program, Request, schedule};

use crate::numbers::{Numbers, answer, figures};

fn auto(program: &Program, memory_cap: Option<u64>) -> Answer {
    let options = AutoOptions {
        memory_cap,
        ..AutoOptions::default()
    };
    let answer = answer(program, &Request::Auto(options));
    let peak = figures(&answer).2;
    assert!(memory_cap.is_none_or(|cap| peak <= cap), "{peak} bytes");
    answer
}

/// The least makespan of all built-in schedules that fit.
fn best_builtin(program: &Program, memory_cap: Option<u64>) -> Option<u64> {
    let each = Builtin::ALL
        .into_iter()
        .filter_map(|builtin| schedule(program, &Request::Builtin(builtin)).ok());
    let fitting = each.filter(|answer| memory_cap.is_none_or(|cap| figures(answer).2 <= cap));
    fitting.map(|answer| answer.timing.makespan).min()
}

#[test]
fn six_meshes_reach_the_known_figures() {
    let full = Pipeline::new(6, 24).split().latency(1).program();
    let best = auto(&full, None);
    assert_eq!((best.timing.makespan, best.bound, best.proven), (82, 82, true));
    let half = Pipeline::new(6, 24).timed(2, 2, 2).split().latency(1).program();
    let best = auto(&half, Some(11));
    assert_eq!((best.timing.makespan, best.bound, best.proven), (159, 159, true));
    // A list scheduler of 60 lines: 87 within 11, 113 within 6.
    assert!(auto(&full, Some(11)).timing.makespan <= 87);
    assert!(auto(&full, Some(6)).timing.makespan <= 113);
}

#[test]
fn auto_is_never_worse_than_a_builtin() {
    let (mut gap, mut cases, mut proven) = (0.0, 0, 0);
    for p in 2..=8 {
        for m in [1, 3, p, 2 * p, 32] {
            for (latency, times) in [(0, 1), (1, 2), (1, 1)] {
                let pipeline = Pipeline::new(p, m).timed(times, times, times).split().latency(latency);
                let program = pipeline.program();
                for cap in [None, Some(u64::from(2 * p - 1)), Some(u64::from(p))] {
                    let best = auto(&program, cap);
                    let builtin = best_builtin(&program, cap);
                    let makespan = best.timing.makespan;
                    assert!(
                        builtin.is_none_or(|builtin| makespan <= builtin),
                        "{pipeline:?} {cap:?}"
                    );
                    gap += makespan as f64 / best.bound as f64 - 1.0;
                    cases += 1;
                    proven += u32::from(best.proven);
                }
            }
        }
    }
    println!(
        "{cases} cases, {proven} proven, mean gap to the bound {:.2} %",
        gap * 100.0 / f64::from(cases)
    );
    assert!(proven * 2 > cases, "{proven} of {cases}");
}

#[test]
fn auto_takes_chunks_of_any_placement() {
    for placement in [Placement::Loop, Placement::V] {
        let pipeline = Pipeline::new(3, 6).split().chunked(2, placement);
        let program = pipeline.program();
        let best = auto(&program, None);
        assert!(
            Some(best.timing.makespan) <= best_builtin(&program, None),
            "{placement:?}"
        );
    }
}

#[test]
fn uneven_stages_are_no_worse_than_a_builtin() {
    let mut numbers = Numbers(3);
    let (mut gap, mut gain) = (0.0, 0.0);
    const SETS: u32 = 60;
    for _ in 0..SETS {
        let p = numbers.between(2, 6) as u32;
        let cycles = (0..p).map(|_| [(); 3].map(|()| numbers.between(1, 12)));
        let pipeline = Pipeline {
            cycles: cycles.collect(),
            latency: numbers.between(0, 4),
            ..Pipeline::new(p, numbers.between(1, 12) as u32).split()
        };
        let program = pipeline.program();
        let best = auto(&program, None);
        let builtin = best_builtin(&program, None).expect("1F1B always applies");
        assert!(best.timing.makespan <= builtin, "{pipeline:?}");
        gap += best.timing.makespan as f64 / best.bound as f64 - 1.0;
        gain += builtin as f64 / best.timing.makespan as f64 - 1.0;
    }
    let percent = |sum: f64| sum * 100.0 / f64::from(SETS);
    println!(
        "{SETS} sets: mean gap to the bound {:.2} %, built-ins {:.2} % slower",
        percent(gap),
        percent(gain)
    );
    assert!(percent(gap) < 3.0);
}

#[test]
fn a_cap_that_nothing_meets_is_an_error() {
    let program = Pipeline::new(3, 4).program();
    let options = AutoOptions {
        memory_cap: Some(0),
        ..AutoOptions::default()
    };
    let error = schedule(&program, &Request::Auto(options)).expect_err("a fragment holds a byte");
    assert!(error.to_string().contains("at most 0 bytes"), "{error}");
}
