//! A kernel with its script, its space and its device: all that a search needs.

use std::collections::BTreeMap;

use zpu_driver::Session;

use crate::script::{ScriptError, Source, fit};
use crate::space::{Axis, Part, Setting, Space};

/// What is tuned.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The kernel.
    pub kernel: Source,
    /// Its transform script; `None` if the kernel has it in itself, or has none.
    pub script: Option<Source>,
    /// The space, whose parameters fit the script.
    pub space: Space,
    /// The device, as a name or a path.
    pub device: String,
}

/// The reason why there is nothing to tune.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ProblemError {
    /// No device.
    #[error("no device is given; write `device = \"NAME\"` into the space, or use --device")]
    NoDevice,
    /// The space and the script.
    #[error(transparent)]
    Script(#[from] ScriptError),
    /// The kernel, or an option of the pipeline.
    #[error(transparent)]
    Driver(#[from] zpu_driver::Error),
}

impl Problem {
    /// Checks kernel, script, parameters, device and options of the pipeline, before any work is done.
    ///
    /// # Errors
    ///
    /// [`ProblemError`].
    pub fn new(
        kernel: Source,
        script: Option<Source>,
        space: Space,
        device: Option<String>,
    ) -> Result<Self, ProblemError> {
        let session = Session::new();
        let device = device.or_else(|| space.device.clone()).ok_or(ProblemError::NoDevice)?;
        let space = fit(&session, &kernel, script.as_ref(), space)?;
        let problem = Self {
            kernel,
            script,
            space,
            device,
        };
        // One configuration with each value of each axis: an option of the pipeline is right or wrong by itself.
        for configuration in problem.samples() {
            session.steps(&problem.pipeline(configuration))?;
        }
        let module = session.parse(&problem.kernel.text, &problem.kernel.name)?;
        zpu_driver::entry_of(&module, problem.space.entry.as_deref())?;
        Ok(problem)
    }

    /// Configurations of which each value of each axis is in one.
    fn samples(&self) -> Vec<usize> {
        let mut samples = Vec::new();
        let mut stride = 1;
        for axis in self.space.axes.iter().rev() {
            samples.extend((0..axis.values.len()).map(|at| at * stride));
            stride *= axis.values.len();
        }
        if samples.is_empty() {
            samples.push(0);
        }
        samples
    }

    /// The value of each axis in a configuration. If axes share a name, all but a knob get their table before it.
    pub(crate) fn settings_by_name(&self, configuration: usize) -> BTreeMap<String, Setting> {
        let axes = &self.space.axes;
        let is_other = |axis: &Axis, other: &Axis| other.name == axis.name && other.part != axis.part;
        let names = axes.iter().map(|axis| {
            let part = match axis.part {
                Part::Knob => "",
                Part::Pipeline => "pipeline.",
                Part::Device => "set.",
            };
            let is_shared = axes.iter().any(|other| is_other(axis, other));
            format!("{}{}", if is_shared { part } else { "" }, axis.name)
        });
        names
            .zip(self.space.settings(configuration).into_iter().cloned())
            .collect()
    }

    /// The pipeline of a configuration.
    pub fn pipeline(&self, configuration: usize) -> String {
        let sets = self.space.of_part(Part::Device, configuration);
        let sets: Vec<String> = sets.iter().map(|(key, value)| format!("{key}={value}")).collect();
        let set = if sets.is_empty() {
            String::new()
        } else {
            format!(" set={}", sets.join(","))
        };
        let (device, options) = (&self.device, self.options(configuration));
        format!("builtin.module(zpu-pipeline{{device={device}{set}{options}}})")
    }

    /// The options of the pipeline, each after a space, without the device.
    pub(crate) fn options(&self, configuration: usize) -> String {
        let options = self.space.of_part(Part::Pipeline, configuration);
        let options: Vec<String> = options.iter().map(|(key, value)| format!(" {key}={value}")).collect();
        options.concat()
    }

    /// The same text for configurations that are the same up to the first plan: the number of stages and the scheduler
    /// come later.
    pub(crate) fn front_key(&self, configuration: usize) -> String {
        const LATER: [&str; 7] = [
            "num-stages",
            "scheduler",
            "time-limit",
            "form",
            "mode",
            "ids",
            "compare-plans",
        ];
        let all = self.space.axes.iter().zip(self.space.settings(configuration));
        let early = all.filter(|(axis, _)| axis.part != Part::Pipeline || !LATER.contains(&axis.name.as_str()));
        let each: Vec<String> = early
            .map(|(axis, value)| format!("{:?} {}={value}", axis.part, axis.name))
            .collect();
        each.join("\n")
    }
}
