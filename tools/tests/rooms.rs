//! The borders between rooms: which module never names which other one.

#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};
use std::{fs, io};

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates")
}

/// All Rust files of a module: `NAME.rs`, and those in the folder of that name.
fn files(module: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files: Vec<PathBuf> = Some(module.with_extension("rs"))
        .into_iter()
        .filter(|file| file.is_file())
        .collect();
    let mut open: Vec<PathBuf> = Some(module.to_owned())
        .into_iter()
        .filter(|folder| folder.is_dir())
        .collect();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    Ok(files)
}

/// The lines of code in which a module names one of some others.
fn named(module: &Path, others: &[&str]) -> Vec<String> {
    let files = files(module).expect("the sources can be read");
    assert!(!files.is_empty(), "{} is no module", module.display());
    let mut found = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).expect("the file can be read");
        for (number, line) in (1..)
            .zip(text.lines())
            .filter(|(_, line)| !line.trim_start().starts_with("//"))
        {
            let is_named = |other: &str| {
                [";", "::"]
                    .iter()
                    .any(|end| line.contains(&format!("crate::{other}{end}")))
            };
            for other in others.iter().filter(|other| is_named(other)) {
                found.push(format!("{}:{number}: names {other}", file.display()));
            }
        }
    }
    found
}

#[test]
fn no_pass_imports_another_pass() {
    let passes: Vec<String> = zpu_ir::Pass::NAMES
        .iter()
        .map(|name| name.trim_start_matches("zpu-").replace('-', "_"))
        .collect();
    let mut found = Vec::new();
    for pass in &passes {
        let others: Vec<&str> = passes
            .iter()
            .filter(|other| *other != pass)
            .map(String::as_str)
            .collect();
        found.extend(named(&crates().join("zpu-passes/src").join(pass), &others));
    }
    assert!(passes.len() > 10);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn proof_witnesses_and_placement_keep_apart() {
    let sync = crates().join("zpu-sync/src");
    let borders: [(&str, &[&str]); 6] = [
        (
            "certificate",
            &["place", "verify", "witness", "verdict", "redundant", "finding"],
        ),
        ("verify", &["place", "witness", "verdict", "redundant"]),
        ("witness", &["place", "verify", "verdict", "redundant"]),
        (
            "program",
            &["place", "verify", "witness", "verdict", "redundant", "finding"],
        ),
        (
            "problem",
            &[
                "place",
                "verify",
                "witness",
                "verdict",
                "redundant",
                "finding",
                "program",
            ],
        ),
        (
            "index",
            &[
                "place",
                "verify",
                "witness",
                "verdict",
                "redundant",
                "finding",
                "program",
                "problem",
            ],
        ),
    ];
    let found: Vec<String> = borders
        .iter()
        .flat_map(|(module, others)| named(&sync.join(module), others))
        .collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn what_checks_access_orders_keeps_apart_from_what_it_checks() {
    let stream = crates().join("zpu-stream/src");
    let borders: [(&str, &[&str]); 4] = [
        ("brute", &["closed", "sweep", "analyze", "execute"]),
        ("execute", &["closed", "sweep", "analyze", "brute"]),
        ("sweep", &["closed", "analyze", "brute", "execute"]),
        ("order", &["closed", "sweep", "analyze", "brute", "execute"]),
    ];
    let found: Vec<String> = borders
        .iter()
        .flat_map(|(module, others)| named(&stream.join(module), others))
        .collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn what_checks_fragment_schedules_keeps_apart_from_what_makes_them() {
    let fragment = crates().join("zpu-sched/src/fragment");
    let makers = [
        "auto", "bound", "exact", "forced", "graph", "greedy", "keys", "remat", "repair", "slots", "symmetry", "table",
        "unit",
    ];
    let text = fs::read_to_string(fragment.join("verify.rs")).expect("the verifier can be read");
    let named: Vec<&str> = makers
        .into_iter()
        .filter(|maker| text.contains(&format!("super::{maker}")))
        .collect();
    assert!(named.is_empty(), "the verifier names {named:?}");
    // Of these it takes the types of what it checks, and no function.
    for line in [
        "use super::replay::Timing;",
        "use super::schedule::{Direction, Schedule};",
    ] {
        assert!(text.contains(line), "{line}");
    }
}

#[test]
fn a_border_that_is_crossed_is_found() {
    let sync = crates().join("zpu-sync/src");
    assert!(!named(&sync.join("verdict"), &["verify"]).is_empty());
}
