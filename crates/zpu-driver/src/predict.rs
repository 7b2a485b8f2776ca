//! The performance model's view of a module: its nest, before anything is pipelined.

use zpu_analysis::footprint;
use zpu_analysis::nest::nest_of;
use zpu_device::Device;
use zpu_ir::{Module, Op};
use zpu_model::Nest;

use crate::{Error, Session, Step};

/// The pass of the pipeline before which commands are in program order and none is pipelined.
const FIRST_PLANNING: [&str; 2] = ["zpu-select-plan", "zpu-pipeline-planning"];

/// The reason why there is no nest.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NestProblem {
    /// It is not known what the model needs.
    #[error("the cycles of `{entry}` cannot be predicted: {message}")]
    Unknown {
        /// The function.
        entry: String,
        /// The reason.
        message: String,
    },
    /// Buffers that are alive at once are larger than their memory.
    #[error("{memory} holds {capacity} bytes, and buffers of {bytes} bytes are alive at once; use smaller tiles")]
    Capacity {
        /// The memory.
        memory: String,
        /// Bytes of the buffers.
        bytes: u64,
        /// Bytes of the memory.
        capacity: u64,
    },
}

impl Session {
    /// The steps of a pipeline in two parts: up to the commands in program order, and from the first plan on.
    ///
    /// # Errors
    ///
    /// [`Error::Pipeline`].
    pub fn steps_before_planning(&self, pipeline: &str) -> Result<(Vec<Step>, Vec<Step>), Error> {
        let mut steps = self.steps(pipeline)?;
        let is_planning = |step: &Step| FIRST_PLANNING.contains(&step.pass());
        let at = steps.iter().position(is_planning).unwrap_or(steps.len());
        let after = steps.split_off(at);
        Ok((steps, after))
    }
}

/// The nest of a function whose commands are in program order (see [`Session::steps_before_planning`]).
///
/// # Errors
///
/// [`Error::Nest`], also when there is no such function.
pub fn nest(module: &Module<'_>, device: &Device, entry: &str) -> Result<Nest, Error> {
    let functions = Op::of_module(module).find_all("func.func");
    let unknown = |message: String| NestProblem::Unknown {
        entry: entry.to_owned(),
        message,
    };
    let function = functions.into_iter().find(|function| function.function_name() == entry);
    let function = function.ok_or_else(|| unknown("there is no such function".to_owned()))?;
    for memory in device
        .memories
        .iter()
        .filter(|memory| !device.is_off_chip(&memory.name))
    {
        let bytes = footprint::peak(function, &memory.name, device);
        if bytes > memory.bytes {
            let problem = NestProblem::Capacity {
                memory: memory.name.clone(),
                bytes,
                capacity: memory.bytes,
            };
            return Err(problem.into());
        }
    }
    nest_of(function, device).map_err(|reason| unknown(reason.message).into())
}
