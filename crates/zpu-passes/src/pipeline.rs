//! What `--zpu-pipeline` stands for.
//!
//! Upstream's canonicalisation goes first, so that sizes and bounds which are constants in disguise are seen as such, and last,
//! to clear away the index arithmetic that rings and stages leave; there as often as there is something left to do. So the
//! pipeline finds nothing to do in what it made. In front of the waits, conditions that are the same become one, so that what holds
//! under one is known under the other.

use zpu_ir::OptionValue;

/// The textual pipeline for the options device, set, scheduler, num-stages, time-limit, form, mode and ids, in this order; `None`
/// if the values are not these.
pub(crate) fn text(options: &[OptionValue]) -> Option<String> {
    let [
        OptionValue::Text(device),
        OptionValue::List(sets),
        OptionValue::Text(scheduler),
        OptionValue::Number(stages),
        OptionValue::Text(seconds),
        OptionValue::Text(form),
        OptionValue::Text(mode),
        OptionValue::Number(ids),
    ] = options
    else {
        return None;
    };
    let device = if device.is_empty() {
        String::new()
    } else {
        format!("device={} ", grouped(device))
    };
    let set = if sets.is_empty() {
        String::new()
    } else {
        let sets: Vec<String> = sets.iter().map(|set| grouped(set)).collect();
        format!("set={{{}}}", sets.join(","))
    };
    let limit = if seconds.is_empty() {
        String::new()
    } else {
        format!(" time-limit={}", grouped(seconds))
    };
    let (scheduler, form, mode) = (grouped(scheduler), grouped(form), grouped(mode));
    Some(format!(
        "zpu-attach-device{{{device}{set}}},func.func(canonicalize,cse),zpu-infer-memory-spaces,\
         func.func(zpu-legalize-data-path,zpu-convert-to-dma,zpu-split-guards,zpu-pipeline-planning{{scheduler={scheduler} num-stages={stages} choose-engines=true{limit}}},zpu-multi-version-buffer,\
         zpu-inject-software-pipeline{{form={form}}},zpu-schedule-dma-compute-overlap{{{limit}}},cse,zpu-inject-dma-barrier{{mode={mode} ids={ids}}},composite-fixed-point-pass{{name=clean-up pipeline=canonicalize,cse}}),zpu-verify-sync{{allow-unknown=true}}"
    ))
}

/// An option's value as one word of a textual pipeline, whatever spaces, commas and quotes are in it.
fn grouped(value: &str) -> String {
    format!("{{{value}}}")
}
