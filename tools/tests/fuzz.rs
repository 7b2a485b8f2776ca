//! One second of fuzzing with a fixed seed: programs through all passes, equal bytes after each, no race, no deadlock;
//! and a few compiled and spoilt programs on which proof and simulator agree.
//!
//! `cargo xtask fuzz` goes on for longer, and shrinks what it finds.

#![forbid(unsafe_code)]

use std::time::{Duration, Instant};

use zpu_fuzz::{Proof, Runner, Session, Setting, generate};

#[test]
fn a_second_of_programs() {
    let begin = Instant::now();
    let session = Session::new();
    let mut runner = Runner::new(&session);
    let (mut programs, mut pipelined, mut failures) = (0u64, 0u64, Vec::new());
    let (mut timed, mut bounded) = (0u64, 0u64);
    // A slow machine does at least so many, a fast one as many as fit.
    while programs < 20 || begin.elapsed() < Duration::from_secs(1) {
        let program = generate(programs);
        let mut any = false;
        for setting in Setting::of_seed(programs) {
            match runner.check(&program, &setting) {
                Ok(verdict) => {
                    any |= verdict.pipelined > 0;
                    timed += u64::from(verdict.timed);
                    bounded += u64::from(verdict.bounded);
                }
                Err(failure) => failures.push(format!("seed {programs}, {setting}: {failure}")),
            }
        }
        programs += 1;
        pipelined += u64::from(any);
    }
    assert!(
        failures.is_empty(),
        "`zpu-fuzz show SEED` prints a program\n{}",
        failures.join("\n")
    );
    assert!(
        pipelined * 3 >= programs,
        "only {pipelined} of {programs} programs were pipelined"
    );
    assert!(
        timed >= programs,
        "only {timed} runs of {programs} programs need no values"
    );
    assert!(
        bounded >= programs,
        "the model has a bound for only {bounded} runs of {programs} programs"
    );
}

#[test]
fn proof_and_simulator_agree() {
    let session = Session::new();
    let mut runner = Runner::new(&session);
    let (mut wrong, mut refuted) = (0, 0);
    for seed in 0..6 {
        let setting = Setting::for_agreement(seed);
        let opinions = runner.agree(&generate(seed), &setting, seed);
        for opinion in opinions.unwrap_or_else(|failure| panic!("seed {seed}, {setting}: {failure}")) {
            if let Some((failure, module)) = opinion.disagreement {
                panic!("seed {seed}, {setting}: {failure}\n{module}");
            }
            wrong += u64::from(opinion.goes_wrong);
            refuted += u64::from(opinion.proof == Proof::Refuted);
        }
    }
    assert!(
        wrong > 0 && refuted > 0,
        "{wrong} programs go wrong, {refuted} are refuted: nothing was compared"
    );
}

#[test]
fn planned_memory_leaves_the_same_bytes() {
    let session = Session::new();
    let mut runner = Runner::new(&session);
    let (mut shares, mut exact, mut tight, mut less, mut failures) = (0, 0, 0, 0, Vec::new());
    for seed in 0..25 {
        let setting = Setting::for_memory(seed);
        match runner.check_memory(&generate(seed), &setting) {
            Ok(verdict) => {
                shares += u64::from(verdict.shares);
                exact += u64::from(verdict.exact_lives);
                tight += u64::from(verdict.tight);
                less += u64::from(verdict.too_small || verdict.other_plan);
            }
            Err(failure) => failures.push(format!("seed {seed}, {setting}: {failure}")),
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(
        shares >= 5 && exact >= 3 && tight >= 10 && less >= 10,
        "{shares} programs share bytes, of {exact} as many bytes are alive as printed, \
         {tight} were planned with just enough memory, {less} with less"
    );
}

#[test]
fn stronger_choices_are_not_slower() {
    let session = Session::new();
    let mut runner = Runner::new(&session);
    let (mut compared, mut failures) = (0, Vec::new());
    for seed in 0..12 {
        let program = generate(seed);
        let setting = &Setting::of_seed(seed)[seed as usize % 6];
        match runner.in_order(&program, setting) {
            Ok(is_compared) => compared += u64::from(is_compared),
            Err(failure) => failures.push(format!("seed {seed}, {setting}: {failure}")),
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(compared >= 4, "only {compared} programs were compared");
}

#[test]
fn a_seed_is_a_program() {
    assert_eq!(generate(7), generate(7));
    assert_ne!(generate(7).text, generate(8).text);
}
