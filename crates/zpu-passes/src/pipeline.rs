//! The passes that `--zpu-pipeline` stands for.
//!
//! Upstream's canonicalisation goes first, so that sizes and bounds which are constants in disguise are seen as such,
//! and last, to clear away the index arithmetic that rings and stages leave; there as often as there is something left
//! to do. So the pipeline finds nothing to do in what it made. Before the waits, conditions that are the same become
//! one, so that what holds under one is known under the other. Which plan is carried out is decided by what comes of
//! it, so the part that a plan decides stands by itself: `zpu-select-plan` runs it on copies.

use zpu_ir::options::{PipelineOptions, SelectPlanOptions};

use crate::reuse::wrong_reuse;

/// The textual pipeline for these options.
pub(crate) fn text(options: &PipelineOptions) -> String {
    let PipelineOptions {
        device,
        set: sets,
        insert_buffers,
        assign_layouts,
        compare_plans,
        report,
        ..
    } = options;
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
    // What a plan decides is all that `zpu-select-plan` is told.
    let lowering = SelectPlanOptions {
        scheduler: options.scheduler.clone(),
        num_stages: options.num_stages.clone(),
        time_limit: options.time_limit.clone(),
        form: options.form.clone(),
        mode: options.mode.clone(),
        ids: options.ids,
        plan_memory: options.plan_memory,
        reuse: options.reuse,
    };
    // The choice between buffers and tensors looks at whole programs, so it stands between passes on functions.
    let buffers = match (*insert_buffers, *compare_plans) {
        (false, _) => String::new(),
        (true, false) => format!(",{BUFFERS}"),
        (true, true) => format!("),zpu-select-buffers{{{}}},func.func({BUFFERS}", lowered(&lowering)),
    };
    let rest = rest(&lowering, *insert_buffers, *compare_plans);
    let (record, report) = if report.is_empty() {
        (String::new(), String::new())
    } else {
        (
            ",zpu-record-remarks".to_owned(),
            format!(",zpu-print-report{{file={}}}", grouped(report)),
        )
    };
    let layouts = if *assign_layouts { LAYOUTS } else { "" };
    let addresses = if options.plan_memory {
        ",zpu-verify-addresses"
    } else {
        ""
    };
    format!(
        "zpu-attach-device{{{device}{set}}},{layouts}func.func(canonicalize,cse{record}{buffers}),{rest},\
         zpu-verify-sync{{allow-unknown=true}}{addresses}{report}"
    )
}

/// Layouts of tensors, and upstream's way from tensors to memrefs, with the layouts as they are.
const LAYOUTS: &str = "func.func(zpu-assign-layouts),one-shot-bufferize{bufferize-function-boundaries=true \
                       function-boundary-type-conversion=identity-layout-map},";

/// Buffers in place of tensors.
pub(crate) const BUFFERS: &str = "zpu-analyze-streams,zpu-insert-buffers,canonicalize,cse";

/// All passes after buffers are put in place of tensors, but for the last proof; plans are compared.
pub(crate) fn after_buffers(options: &SelectPlanOptions) -> String {
    rest(options, true, true)
}

/// The passes from memories to waits.
fn rest(options: &SelectPlanOptions, verify_streams: bool, compare_plans: bool) -> String {
    let verified = if verify_streams { ",zpu-verify-streams" } else { "" };
    let selection = if compare_plans {
        let (plan_memory, reuse) = (options.plan_memory, options.reuse);
        format!(
            ",zpu-select-plan{{{} plan-memory={plan_memory} reuse={reuse}}}",
            lowered(options)
        )
    } else {
        String::new()
    };
    let (planning, carrying_out) = (planning(options), carrying_out(options));
    let (plan_memory, stages) = (options.plan_memory, grouped(&options.num_stages));
    format!(
        "zpu-infer-memory-spaces{{plan-memory={plan_memory}}},zpu-annotate-calls,\
         func.func(zpu-rotate-buffers,zpu-hoist-copies,\
         zpu-legalize-data-path,zpu-convert-to-dma,zpu-split-guards{verified},\
         zpu-unroll-and-jam{{plan-memory={plan_memory}}},zpu-predict-cycles{{num-stages={stages}}}){selection},\
         func.func({planning},{carrying_out})"
    )
}

/// The options of a pass that compares what becomes of plans.
fn lowered(options: &SelectPlanOptions) -> String {
    let (scheduler, form, mode) = (
        grouped(&options.scheduler),
        grouped(&options.form),
        grouped(&options.mode),
    );
    let (stages, limit, ids) = (grouped(&options.num_stages), limit(options), options.ids);
    format!("scheduler={scheduler} num-stages={stages}{limit} form={form} mode={mode} ids={ids}")
}

/// The plan of a function.
pub(crate) fn planning(options: &SelectPlanOptions) -> String {
    let (scheduler, stages, limit) = (
        grouped(&options.scheduler),
        grouped(&options.num_stages),
        limit(options),
    );
    format!(
        "zpu-join-rings,zpu-retarget-copies,zpu-unroll-loops,zpu-split-guards,zpu-split-transfers,\
         zpu-balance-engines,zpu-gather-transfers,\
         zpu-pipeline-planning{{scheduler={scheduler} num-stages={stages} choose-engines=true{limit}}}"
    )
}

/// The passes after the plan.
fn carrying_out(options: &SelectPlanOptions) -> String {
    // Addresses are found by trials on copies of whole functions, so they stand between passes on functions. A wrong
    // number is an error of that pass, whether or not it was asked for.
    let addresses = if options.plan_memory || wrong_reuse(options.reuse).is_some() {
        format!("),{},func.func(", addresses(options))
    } else {
        ",".to_owned()
    };
    format!("{}{addresses}{}", rings(options), waits(options, ""))
}

/// The same for a program that is only run, without addresses.
pub(crate) fn carrying_out_on_trial(options: &SelectPlanOptions) -> String {
    format!("{},{}", rings(options), waits_on_trial(options))
}

/// The passes that make rings and pipelines of a plan.
pub(crate) fn rings(options: &SelectPlanOptions) -> String {
    let (form, limit) = (grouped(&options.form), limit(options));
    format!(
        "zpu-multi-version-buffer,zpu-inject-software-pipeline{{form={form}}},\
         zpu-schedule-dma-compute-overlap{{{limit}}},cse"
    )
}

/// The pass that finds addresses.
pub(crate) fn addresses(options: &SelectPlanOptions) -> String {
    let (mode, ids, reuse) = (grouped(&options.mode), options.ids, options.reuse);
    format!("zpu-plan-memory{{reuse={reuse} mode={mode} ids={ids}}}")
}

/// The waits of a program that is only run, and so need no proof.
pub(crate) fn waits_on_trial(options: &SelectPlanOptions) -> String {
    waits(options, " prove=false")
}

/// The waits, with more options of the pass, and canonicalisation. That goes on until nothing changes, so it need not
/// find that out by itself, which takes as long again on long loops. From the bottom up, since from the top down loops
/// that carry many tokens take the time of their square again and again. Upstream's pattern for values that a loop
/// carries twice takes it, too, so there is a pass in its place.
fn waits(options: &SelectPlanOptions, placing: &str) -> String {
    let (mode, ids) = (grouped(&options.mode), options.ids);
    format!(
        "zpu-inject-dma-barrier{{mode={mode} ids={ids}{placing}}},composite-fixed-point-pass{{name=clean-up \
         pipeline=zpu-merge-carried-values,canonicalize{{max-iterations=1 top-down=false \
         disable-patterns={{(anonymous namespace)::RemoveDuplicateSuccessorInputUses}}}},cse}}"
    )
}

fn limit(options: &SelectPlanOptions) -> String {
    if options.time_limit.is_empty() {
        String::new()
    } else {
        format!(" time-limit={}", grouped(&options.time_limit))
    }
}

/// An option's value as one word of a textual pipeline, whatever spaces, commas and quotes are in it.
fn grouped(value: &str) -> String {
    format!("{{{value}}}")
}
