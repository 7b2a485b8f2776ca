//! One trial: a configuration is compiled and simulated without values.

use std::collections::BTreeMap;
use std::time::Instant;

use serde::{Deserialize, Serialize};
use zpu_driver::{Executable, Parameter, Session, device_of, translate};
use zpu_sim::{Argument, Options, Report};

use crate::candidate::Ready;
use crate::problem::Problem;
use crate::space::Setting;

/// The result of a trial: a line of the journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// The configuration, as a number.
    pub index: usize,
    /// The value of each axis.
    pub configuration: BTreeMap<String, Setting>,
    /// A hash of all that the result depends on.
    pub key: String,
    /// Cycles by the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub predicted: Option<u64>,
    /// Cycles that no schedule undercuts, by the model.
    pub bound: u64,
    /// Cycles by the simulator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cycles: Option<u64>,
    /// The reason why there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// Seconds that the trial took.
    pub seconds: f64,
}

/// Tries a configuration.
pub fn attempt(session: &Session, problem: &Problem, configuration: usize, ready: &Ready) -> Trial {
    let begin = Instant::now();
    let report = timed(session, problem, configuration, ready);
    let (cycles, failure) = match report {
        Ok(report) => (Some(report.cycles), None),
        Err(message) => (None, Some(message.trim_end().to_owned())),
    };
    Trial {
        index: configuration,
        configuration: problem.settings_by_name(configuration),
        key: ready.key.clone(),
        predicted: ready.predicted.as_ref().ok().copied(),
        bound: ready.bound,
        cycles,
        failure,
        seconds: begin.elapsed().as_secs_f64(),
    }
}

fn timed(session: &Session, problem: &Problem, configuration: usize, ready: &Ready) -> Result<Report, String> {
    let (executable, _) = compiled(session, problem, configuration, ready)?;
    let options = Options {
        bound: false,
        ..Options::default()
    };
    let report = executable
        .time(shapes(&executable)?, &options)
        .map_err(|error| error.to_string())?;
    match report.findings.first() {
        Some(finding) => Err(finding.message.clone()),
        None if !report.completed => Err("the program did not come to its end".to_owned()),
        None => Ok(report),
    }
}

/// The program of a configuration, ready to run, and its text.
pub(crate) fn compiled(
    session: &Session,
    problem: &Problem,
    configuration: usize,
    ready: &Ready,
) -> Result<(Executable, String), String> {
    let in_words = |error: zpu_driver::Error| error.to_string();
    let mut module = session.parse(&ready.program, &problem.kernel.name).map_err(in_words)?;
    session
        .compile(&mut module, &problem.pipeline(configuration))
        .map_err(in_words)?;
    let device = device_of(&module).map_err(in_words)?;
    let executable = translate(&module, device, &ready.entry).map_err(in_words)?;
    Ok((executable, zpu_ir::Op::of_module(&module).verified_text()))
}

/// Arguments of which only the extents matter.
fn shapes(executable: &Executable) -> Result<Vec<Argument>, String> {
    let parameters = executable.parameters().map_err(|error| error.to_string())?;
    let shape = |(at, parameter): (usize, Parameter)| match parameter.sizes(None) {
        Ok(sizes) => Ok(Argument::Shape(sizes)),
        Err(misfit) => Err(format!(
            "argument {at}, {parameter}: {misfit}; a kernel that is tuned has static sizes"
        )),
    };
    parameters.into_iter().enumerate().map(shape).collect()
}
