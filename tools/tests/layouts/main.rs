//! `zpu-assign-layouts` on random functions of up to 8 operations on tensors: results are equal byte for byte, what is
//! transposed is the least of all combinations of orders, and never more than by majority vote.
//!
//! `ZPU_LAYOUT_SEEDS` sets how many functions; the numbers at the end are printed by `--nocapture`.

#![forbid(unsafe_code)]

mod least;
mod program;
#[path = "../support/random.rs"]
#[allow(dead_code)]
mod random;

use least::least;
use program::program;
use random::Random;
use zpu_driver::{Fill, Session, compare, device_of, translate};
use zpu_ir::{Module, Op, ty};
use zpu_sim::Options;

/// Functions in an ordinary run: a few seconds of a debug build.
const SEEDS: u64 = 300;

/// Combinations of orders up to which all are tried; functions with more are checked for their bytes only.
const COMBINATIONS: usize = 20_000;

/// Functions for one session, which keeps all types that were ever made.
const FUNCTIONS_OF_SESSION: u64 = 100;

const ATTACH: &str = "builtin.module(zpu-attach-device{device=toy})";
const BUFFERIZE: &str = "builtin.module(one-shot-bufferize{bufferize-function-boundaries=true \
                         function-boundary-type-conversion=identity-layout-map})";

/// Bytes that the transposes of a module move.
fn transposed(module: &Module<'_>) -> u64 {
    let transposes = Op::of_module(module).find_all("linalg.transpose");
    let bytes = |op: Op<'_>| ty::Tensor::of(op.result(0).ty()).and_then(|tensor| tensor.bytes());
    transposes.into_iter().filter_map(bytes).sum()
}

/// A module of a text after the pass with an option, on tensors.
fn assigned<'s>(session: &'s Session, text: &str, options: &str) -> Module<'s> {
    let mut module = session
        .parse(text, "f")
        .unwrap_or_else(|error| panic!("{error}\n{text}"));
    let pass = format!("builtin.module(func.func(zpu-assign-layouts{{{options}}}))");
    for pipeline in [ATTACH, &pass] {
        let done = session.compile(&mut module, pipeline);
        done.unwrap_or_else(|error| panic!("{error}\n{text}"));
    }
    module
}

#[test]
fn results_are_equal_and_conversions_the_fewest() {
    let seeds = std::env::var("ZPU_LAYOUT_SEEDS")
        .ok()
        .and_then(|text| text.parse().ok());
    let mut session = Session::new();
    let (mut tried, mut improved, mut beaten) = (0, 0, 0);
    let (mut written, mut exact, mut voted) = (0, 0, 0);
    for seed in 0..seeds.unwrap_or(SEEDS) {
        if seed % FUNCTIONS_OF_SESSION == 0 {
            session = Session::new();
        }

        let program = program(&mut Random(seed), 8);
        let text = &program.text;
        let mut before = session
            .parse(text, "f")
            .unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(transposed(&before), program.as_written, "seed {seed}\n{text}");
        let mut after = assigned(&session, text, "");
        let bytes = transposed(&after);
        if let Some(least) = least(&program, COMBINATIONS) {
            tried += 1;
            let expected = least.min(program.as_written);
            assert_eq!(bytes, expected, "seed {seed}\n{text}\n{}", Op::of_module(&after));
        }
        let by_vote = transposed(&assigned(&session, text, "algorithm=vote"));
        assert!(
            bytes <= by_vote,
            "seed {seed}: {bytes} bytes, {by_vote} by vote\n{text}"
        );
        improved += u64::from(bytes < program.as_written);
        beaten += u64::from(bytes < by_vote);
        written += program.as_written;
        exact += bytes;
        voted += by_vote;

        let compiled = [(&mut before, &[ATTACH, BUFFERIZE][..]), (&mut after, &[BUFFERIZE])];
        let [before, after] = compiled.map(|(module, pipelines)| {
            for pipeline in pipelines {
                let done = session.compile(module, pipeline);
                done.unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
            }
            let device = device_of(module).expect("one was attached");
            translate(module, device, "f").unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"))
        });
        let arguments = before.filled(Fill::Random(seed)).expect("static sizes");
        let compared = compare(&before, &after, arguments, &Options::default());
        let compared = compared.unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        assert!(compared.is_equal(), "seed {seed}: {:?}\n{text}", compared.differences);
        assert!(compared.after.completed, "seed {seed}\n{text}");
    }
    assert!(
        tried > 0 && improved > 0,
        "{tried} functions were tried, {improved} made better"
    );
    println!(
        "{tried} compared with all combinations; {improved} better than written, {beaten} better than by vote; \
         transposed bytes: {written} as written, {voted} by vote, {exact} by the pass"
    );
}
