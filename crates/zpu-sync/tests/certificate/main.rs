//! Certificates of small programs: the check accepts what the proof has found, and rejects what claims more.
//!
//! The problems are dumps of hand-made functions: most of them of `test/passes/verify-sync`.

mod tamper;

use std::fs;
use std::path::{Path, PathBuf};

use zpu_sync::certificate::text::{read_certificate, write_certificate};
use zpu_sync::certificate::{Certificate, Decision, Epoch, Invariant, check};
use zpu_sync::problem::text::read_problem;
use zpu_sync::problem::{OpId, Problem};
use zpu_sync::verdict::verify_and_certify;

const WAITS: [&str; 4] = ["zpu.dma_wait", "zpu.compute_wait", "zpu.id_wait", "zpu.barrier"];

fn problem(name: &str) -> Problem {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/problems").join(name);
    let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    read_problem(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// All problems by name.
fn problems() -> Vec<(String, Problem)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/problems");
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    let names = files.iter().filter_map(|file| file.file_name()?.to_str());
    names.map(|name| (name.to_owned(), problem(name))).collect()
}

fn certificate(name: &str, problem: &Problem) -> Certificate {
    let certificate = verify_and_certify(problem).and_then(|(_, certificate)| certificate);
    certificate.unwrap_or_else(|| panic!("{name} is not proven"))
}

/// The problem without one of its waits, for each of them.
fn without_a_wait(problem: &Problem) -> Vec<Problem> {
    let is_wait = |id: &usize| WAITS.contains(&problem.operations[*id].name.as_str());
    let without = |id: usize| {
        let mut other = problem.clone();
        for block in &mut other.blocks {
            block.ops.retain(|op| op.at() != id);
        }
        other
    };
    (0..problem.operations.len()).filter(is_wait).map(without).collect()
}

#[test]
fn a_certificate_of_a_proof_is_accepted() {
    for (name, problem) in problems() {
        let certificate = certificate(&name, &problem);
        assert_eq!(check(&problem, &certificate), Ok(()), "{name}");
    }
}

#[test]
fn a_text_is_read_as_it_was_written() {
    for (name, problem) in problems() {
        let certificate = certificate(&name, &problem);
        let read = read_certificate(&write_certificate(&certificate));
        assert_eq!(read.expect("a certificate"), certificate, "{name}");
    }
}

/// The invariants of these programs are the least ones, so that none of their claims can be stronger. (Of a loop whose
/// trip count is constant the check knows more than the proof, namely that all its iterations take place; there an
/// invariant may claim more and hold.)
#[test]
fn a_certificate_that_claims_more_is_rejected() {
    for (name, problem) in problems() {
        let certificate = certificate(&name, &problem);
        assert!(tamper::tampered(&certificate).next().is_some(), "{name} has no loop");
        for (what, tampered) in tamper::tampered(&certificate) {
            assert!(check(&problem, &tampered).is_err(), "{name}: {what}");
        }
    }
}

/// An execution goes wrong without the wait, so that no certificate may be accepted.
#[test]
fn a_certificate_is_none_of_a_program_without_a_needed_wait() {
    let mut refuted = 0;
    for (name, problem) in problems() {
        let certificate = certificate(&name, &problem);
        for (number, other) in without_a_wait(&problem).iter().enumerate() {
            let Some((verdict, own)) = verify_and_certify(other) else {
                continue;
            };
            if verdict.findings.iter().any(|finding| finding.is_certain) {
                refuted += 1;
                assert_eq!(own, None, "{name} without wait {number}");
                assert!(check(other, &certificate).is_err(), "{name} without wait {number}");
            }
        }
    }
    assert!(refuted > 10, "{refuted}");
}

/// The proof walks one iteration more than it needs to see that nothing changes. Without that one the certificate is a
/// proof all the same; without the iterations before which the carried tokens stand for other commands, it is none.
#[test]
fn single_iterations_are_dropped_only_where_they_do_not_matter() {
    let problem = problem("two_slots.json");
    let certificate = certificate("two_slots.json", &problem);
    let [Decision::Loop(loop_)] = certificate.walk.as_slice() else {
        panic!("the function is one loop: {certificate:?}");
    };
    let singles = loop_.singles.len();
    let with = |count: usize| {
        let mut fewer = certificate.clone();
        if let [Decision::Loop(loop_)] = fewer.walk.as_mut_slice() {
            loop_.singles.truncate(count);
        }
        check(&problem, &fewer).is_ok()
    };
    let accepted: Vec<usize> = (0..=singles).filter(|count| with(*count)).collect();
    assert_eq!(accepted, [singles - 1, singles]);
}

#[test]
fn a_rejection_names_the_loop_and_the_command() {
    let problem = problem("two_slots.json");
    let mut certificate = certificate("two_slots.json", &problem);
    if let [Decision::Loop(loop_)] = certificate.walk.as_mut_slice() {
        let rest = loop_.rest.as_mut().expect("an invariant");
        rest.invariant.outstanding.pop();
    }
    let rejection = check(&problem, &certificate).expect_err("it claims more");
    assert_eq!(
        rejection.to_string(),
        "operation 2: after 3 iterations, `zpu.compute_start` (operation 6, 2 iterations ago) may be outstanding, \
         which the invariant leaves out"
    );
}

#[test]
fn a_certificate_of_another_function_is_rejected() {
    let (one, other) = (problem("two_slots.json"), problem("three_slots.json"));
    assert!(check(&other, &certificate("two_slots.json", &one)).is_err());
    let mut renamed = certificate("two_slots.json", &one);
    renamed.function.clone_from(&other.name);
    assert!(check(&other, &renamed).is_err());
}

#[test]
fn what_makes_no_sense_is_rejected() {
    let problem = problem("ring.json");
    let whole = certificate("ring.json", &problem);
    let rejects = |change: &dyn Fn(&mut Certificate)| {
        let mut other = whole.clone();
        change(&mut other);
        check(&problem, &other).expect_err("no certificate").text
    };
    let rest = |certificate: &mut Certificate, change: &dyn Fn(&mut Invariant)| {
        let [Decision::Loop(loop_)] = certificate.walk.as_mut_slice() else {
            panic!("the function is one loop: {certificate:?}");
        };
        change(&mut loop_.rest.as_mut().expect("an invariant").invariant);
    };
    let texts = [
        rejects(&|other| other.walk.clear()),
        rejects(&|other| other.walk.extend(whole.walk.clone())),
        rejects(&|other| other.instances.truncate(1)),
        rejects(&|other| other.instances[0].epochs.clear()),
        rejects(&|other| other.instances[0].epochs = vec![Epoch::Last(0)]),
        rejects(&|other| other.instances[0].start = OpId(0)),
        // The same command twice, of which the second leaves less.
        rejects(&|other| {
            rest(other, &|invariant| {
                let owner = invariant.owners[0].clone();
                invariant.owners.push(owner);
            });
        }),
    ];
    let no_instance = "an instance names no command, or not when it was issued";
    let expected = [
        "the certificate does not say how this loop is walked",
        "the certificate decides something to which the walk does not come",
        "the certificate has no instance 2",
        no_instance,
        no_instance,
        no_instance,
        "`zpu.compute_start` (operation 7, 2 iterations ago) holds barrier ids twice",
    ];
    assert_eq!(texts, expected);
}
