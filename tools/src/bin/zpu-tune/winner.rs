//! The winner: checked with numbers, and kept.

use std::path::Path;

use zpu_tune::{Candidate, Outcome, Problem, Trial, winner};

use crate::plot;
use crate::whole_file::write_whole;

/// Writes script and program of the winner, and two plots of the search, into a folder.
pub(crate) fn keep(
    folder: &Path,
    problem: &Problem,
    all: &[Candidate],
    outcome: &Outcome,
    best: &Trial,
) -> Result<(), String> {
    let winner = winner(problem, all, best)?;
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let write = |name: &str, text: &str| write_whole(&folder.join(name), text.as_bytes());
    write("program.mlir", &winner.program)?;
    if let Some(script) = &winner.script {
        write("script.mlir", script)?;
    }
    write("best-so-far.svg", &plot::best_so_far(outcome)?)?;
    write("predicted.svg", &plot::predicted(outcome)?)?;
    write("pipeline.txt", &format!("{}\n", winner.pipeline))
}

/// Runs kernel and winner with the same random numbers. The inner error is the difference.
pub(crate) fn check(problem: &Problem, all: &[Candidate], best: &Trial) -> Result<Result<(), String>, String> {
    winner(problem, all, best)?.check(problem)
}
