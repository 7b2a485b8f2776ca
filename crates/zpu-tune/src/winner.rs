//! The best configuration as a program, and its check with numbers.

use zpu_driver::{Fill, Session, compare, device_of, entry_of, translate};
use zpu_sim::Options;

use crate::candidate::Candidate;
use crate::problem::Problem;
use crate::script::chosen;
use crate::space::Part;
use crate::trial::{Trial, compiled};

/// A configuration carried out.
#[derive(Clone, Debug)]
pub struct Winner {
    /// The script with its values; `None` if the kernel has none beside it.
    pub script: Option<String>,
    /// The pipeline.
    pub pipeline: String,
    /// The compiled program.
    pub program: String,
}

/// The program of a trial.
///
/// # Errors
///
/// If the trial is none of these candidates, or does not compile any more.
pub fn winner(problem: &Problem, candidates: &[Candidate], trial: &Trial) -> Result<Winner, String> {
    let candidate = candidates
        .iter()
        .find(|candidate| candidate.configuration == trial.index);
    let ready = candidate.and_then(Candidate::ready);
    let ready = ready.ok_or_else(|| format!("configuration {} is none of the candidates", trial.index))?;
    let session = Session::new();
    let (_, program) = compiled(&session, problem, trial.index, ready)?;
    let knobs = problem.space.of_part(Part::Knob, trial.index);
    let script = problem.script.as_ref().map(|script| chosen(&session, script, &knobs));
    Ok(Winner {
        script: script.transpose().map_err(|error| error.to_string())?,
        pipeline: problem.pipeline(trial.index),
        program,
    })
}

/// The numbers of the check: small ones, so that sums of halves are exact for longer.
const SEED: u64 = 1;

impl Winner {
    /// Runs the kernel as it was written, and the winner, with the same random numbers and all checks. The inner error
    /// tells what is different, or what the winner does wrong.
    ///
    /// # Errors
    ///
    /// If one of them cannot be run.
    pub fn check(&self, problem: &Problem) -> Result<Result<(), String>, String> {
        let in_words = |error: zpu_driver::Error| error.to_string();
        let session = Session::new();
        let after = session.parse(&self.program, "winner").map_err(in_words)?;
        let device = device_of(&after).map_err(in_words)?;
        let before = session
            .parse(&problem.kernel.text, &problem.kernel.name)
            .map_err(in_words)?;
        let entry = entry_of(&before, problem.space.entry.as_deref()).map_err(in_words)?;
        let before = translate(&before, device.clone(), &entry).map_err(in_words)?;
        let after = translate(&after, device, &entry).map_err(in_words)?;
        let arguments = after.filled(Fill::Random(SEED)).map_err(|error| error.to_string())?;
        let comparison = compare(&before, &after, arguments, &Options::default()).map_err(in_words)?;
        if let Some(finding) = comparison.after.findings.first() {
            return Ok(Err(format!("the winner is wrong: {}", finding.message)));
        }
        Ok(match comparison.differences.first() {
            Some(difference) => Err(difference.describe("the kernel", "the winner")),
            None => Ok(()),
        })
    }
}
