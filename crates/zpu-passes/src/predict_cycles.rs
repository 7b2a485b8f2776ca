//! `zpu-predict-cycles`: says what the performance model expects of a function, before anything is pipelined.
//!
//! Assumes synchronous commands in program order, as `zpu-convert-to-dma` leaves them. The model shares nothing with
//! the simulator but the costs of the device, so both numbers side by side say what each is worth.

use zpu_analysis::command::sync_engine;
use zpu_ir::options::PredictCyclesOptions;
use zpu_ir::{Failed, Op, PassResult, Remark, RemarkKind, device, error};

use crate::num_stages::NumStages;
use crate::prediction::predicted;

const PASS: &str = "zpu-predict-cycles";

/// Runs the pass.
pub(crate) fn run(function: Op<'_>, options: &PredictCyclesOptions) -> PassResult {
    let stages = NumStages::of_option(&options.num_stages).map_err(|message| {
        error(function, &message, &[]);
        Failed
    })?;
    let device = device::of(function)?;
    if !function.walk().into_iter().any(|op| sync_engine(op).is_some()) {
        return Ok(());
    }
    Remark::new(function, RemarkKind::Analysis, PASS, "predicted").emit_with(|remark| {
        match predicted(function, &device, stages) {
            Ok((prediction, bound)) => {
                let (cycles, busiest, busy) = (prediction.cycles, prediction.busiest, prediction.busy);
                let (least, by) = (bound.cycles, bound.limited_by);
                remark
                    .message(format!(
                        "{cycles} cycles by the model, of which {busiest} works {busy}; no schedule takes less than \
                         {least} ({by})"
                    ))
                    .metric("Cycles", cycles)
                    .metric("Busiest", busiest)
                    .metric("Busy", busy)
                    .metric("Bound", least)
                    .metric("BoundBy", by)
            }
            Err(reason) => remark.message(format!("the cycles cannot be predicted: {reason}")),
        }
    });
    Ok(())
}
