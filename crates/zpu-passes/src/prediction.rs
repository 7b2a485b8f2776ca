//! The performance model's view of a function, for the passes that say it.

use zpu_analysis::nest::nest_of;
use zpu_device::Device;
use zpu_ir::Op;
use zpu_model::{Bound, Depth, Prediction, lower_bound, predict_best};

use crate::num_stages::NumStages;

/// The model's numbers for a function whose commands are in program order, or the reason why there are none.
pub(crate) fn predicted(function: Op<'_>, device: &Device, stages: NumStages) -> Result<(Prediction, Bound), String> {
    let nest = nest_of(function, device).map_err(|reason| reason.message)?;
    let depth = match stages {
        NumStages::AtMost(stages) => Depth::Stages(stages),
        NumStages::Auto => Depth::Auto,
    };
    let prediction = predict_best(&nest, device, depth).map_err(|error| error.to_string())?;
    let bound = lower_bound(&nest, device);
    let cycles = prediction.cycles.max(bound.cycles);
    Ok((Prediction { cycles, ..prediction }, bound))
}
