//! One second of fuzzing with a fixed seed: programs through all passes, equal bytes after each, no race, no deadlock.
//!
//! `cargo xtask fuzz` goes on for longer, and shrinks what it finds.

#![forbid(unsafe_code)]

use std::time::{Duration, Instant};

use zpu_fuzz::{Runner, Setting, context, generate};

#[test]
fn a_second_of_programs() {
    let begin = Instant::now();
    let context = context();
    let mut runner = Runner::new(&context);
    let (mut programs, mut pipelined, mut failures) = (0u64, 0u64, Vec::new());
    // A slow machine does at least so many, a fast one as many as fit.
    while programs < 20 || begin.elapsed() < Duration::from_secs(1) {
        let program = generate(programs);
        let mut any = false;
        for setting in Setting::of_seed(programs) {
            match runner.check(&program, &setting) {
                Ok(verdict) => any |= verdict.pipelined > 0,
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
}

#[test]
fn a_seed_is_a_program() {
    assert_eq!(generate(7), generate(7));
    assert_ne!(generate(7).text, generate(8).text);
}
