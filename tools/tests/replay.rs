//! A synchronisation problem that was written and read again leads to the same verdict, message for message, and to the
//! same placement of waits.

#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};
use std::{fs, io};

use zpu_analysis::problem::{Detail, problem_of};
use zpu_driver::Session;
use zpu_ir::{Op, device};
use zpu_sync::certificate::check;
use zpu_sync::place::place;
use zpu_sync::problem::Problem;
use zpu_sync::problem::text::{read_problem, write_problem};
use zpu_sync::verdict::{verify, verify_and_certify};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../test").join(name)
}

fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder)?
        .map(|entry| Ok(entry?.path()))
        .collect::<io::Result<_>>()?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "mlir"));
    files.sort();
    Ok(files)
}

/// The problems of a module's functions.
fn problems(module: &zpu_ir::Module<'_>) -> Vec<Problem> {
    let functions = Op::of_module(module).find_all("func.func");
    let problem = |function: Op<'_>| Some(problem_of(function, &device::of(function).ok()?, Detail::Reported).problem);
    functions.into_iter().filter_map(problem).collect()
}

/// Reads a written problem back, and compares the verdicts on both.
fn compare(problem: &Problem, file: &Path) {
    let text = write_problem(problem);
    let name = format!("{}: @{}", file.display(), problem.name);
    let again = read_problem(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(write_problem(&again), text, "{name}");
    assert_eq!(
        format!("{:?}", verify(&again)),
        format!("{:?}", verify(problem)),
        "{name}"
    );
    // The check of proofs accepts every proof.
    if let Some((verdict, certificate)) = verify_and_certify(problem) {
        assert_eq!(
            certificate.is_some(),
            verdict.findings.is_empty() && !verdict.has_given_up,
            "{name}"
        );
        if let Some(certificate) = certificate {
            assert_eq!(
                check(&again, &certificate).map_err(|rejection| rejection.text),
                Ok(()),
                "{name}"
            );
        }
    }
    // Without commands no waits are placed.
    if !problem.function().holds_commands() {
        return;
    }
    let placed = |problem: &Problem| format!("{:?}", place(&mut problem.clone(), None));
    assert_eq!(placed(&again), placed(problem), "{name}");
}

#[test]
fn what_was_written_is_read_as_the_same() {
    let toy = fs::read_to_string(folder("passes/Inputs/toy.mlir")).expect("the device is there");
    let mut compared = 0;
    // Proofs that end at their limit take their time, here several times over.
    let is_long = |file: &Path| file.ends_with("terminates.mlir");
    let inputs = files(&folder("passes/verify-sync")).expect("the inputs are there");
    for file in inputs.into_iter().filter(|file| !is_long(file)) {
        let session = Session::new();
        let text = toy.clone() + &fs::read_to_string(&file).expect("the file is there");
        // Some are there to be refused.
        let Ok(module) = session.parse(&text, &file.display().to_string()) else {
            continue;
        };
        for problem in problems(&module) {
            compare(&problem, &file);
            compared += 1;
        }
    }
    let programs = ["kernels", "regressions"].map(|name| files(&folder(name)).expect("the programs are there"));
    for file in programs.into_iter().flatten() {
        let session = Session::new();
        let text = fs::read_to_string(&file).expect("the file is there");
        let steps = [
            "builtin.module(zpu-attach-device{device=sunmmio-a4e},zpu-infer-memory-spaces,\
             func.func(zpu-convert-to-dma))",
            "builtin.module(func.func(zpu-inject-dma-barrier))",
        ];
        let Ok(mut module) = session.parse(&text, &file.display().to_string()) else {
            continue;
        };
        for step in steps {
            if session.compile(&mut module, step).is_ok() {
                for problem in problems(&module) {
                    compare(&problem, &file);
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 100, "{compared} problems only");
}
