//! What `--zpu-pipeline` stands for.
//!
//! Upstream's canonicalisation goes first, so that sizes and bounds which are constants in disguise are seen as such,
//! and last, to clear away the index arithmetic that rings and stages leave; there as often as there is something left
//! to do. So the pipeline finds nothing to do in what it made. Before the waits, conditions that are the same become
//! one, so that what holds under one is known under the other. Which plan is carried out is decided by what comes of
//! it, so the part that a plan decides stands by itself: `zpu-select-plan` runs it on copies.

use zpu_ir::options::{PipelineOptions, SelectPlanOptions};

/// The textual pipeline for these options.
pub(crate) fn text(options: &PipelineOptions) -> String {
    let PipelineOptions {
        device,
        set: sets,
        insert_buffers,
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
    let lowering = Lowering {
        scheduler: options.scheduler.clone(),
        num_stages: options.num_stages,
        time_limit: options.time_limit.clone(),
        form: options.form.clone(),
        mode: options.mode.clone(),
        ids: options.ids,
    };
    let buffers = if *insert_buffers {
        ",zpu-insert-buffers,canonicalize,cse"
    } else {
        ""
    };
    let selection = if !compare_plans {
        String::new()
    } else {
        format!(",{}", lowering.selection())
    };
    let (planning, carrying_out) = (lowering.planning(), lowering.carrying_out());
    let (record, report) = if report.is_empty() {
        (String::new(), String::new())
    } else {
        (
            ",zpu-record-remarks".to_owned(),
            format!(",zpu-print-report{{file={}}}", grouped(report)),
        )
    };
    format!(
        "zpu-attach-device{{{device}{set}}},func.func(canonicalize,cse{record}{buffers}),zpu-infer-memory-spaces,\
         func.func(zpu-legalize-data-path,zpu-convert-to-dma,zpu-split-guards){selection},\
         func.func({planning},{carrying_out}),zpu-verify-sync{{allow-unknown=true}}{report}"
    )
}

/// The part of the pipeline that a plan decides: from synchronous commands to asynchronous ones.
pub(crate) struct Lowering {
    scheduler: String,
    num_stages: i64,
    time_limit: String,
    form: String,
    mode: String,
    ids: i64,
}

impl Lowering {
    /// As the pass that compares plans is told.
    pub(crate) fn of(options: &SelectPlanOptions) -> Self {
        Self {
            scheduler: options.scheduler.clone(),
            num_stages: options.num_stages,
            time_limit: options.time_limit.clone(),
            form: options.form.clone(),
            mode: options.mode.clone(),
            ids: options.ids,
        }
    }

    /// The comparison of plans.
    fn selection(&self) -> String {
        let (scheduler, form, mode) = (grouped(&self.scheduler), grouped(&self.form), grouped(&self.mode));
        let (stages, limit, ids) = (self.num_stages, self.limit(), self.ids);
        format!("zpu-select-plan{{scheduler={scheduler} num-stages={stages}{limit} form={form} mode={mode} ids={ids}}}")
    }

    /// The plan of a function.
    pub(crate) fn planning(&self) -> String {
        let (scheduler, stages, limit) = (grouped(&self.scheduler), self.num_stages, self.limit());
        format!("zpu-pipeline-planning{{scheduler={scheduler} num-stages={stages} choose-engines=true{limit}}}")
    }

    /// The passes after the plan. They go on until nothing changes, so canonicalisation need not find that out by
    /// itself, which takes as long again on long loops.
    pub(crate) fn carrying_out(&self) -> String {
        let (form, mode, ids, limit) = (grouped(&self.form), grouped(&self.mode), self.ids, self.limit());
        format!(
            "zpu-multi-version-buffer,zpu-inject-software-pipeline{{form={form}}},\
             zpu-schedule-dma-compute-overlap{{{limit}}},\
             cse,zpu-inject-dma-barrier{{mode={mode} ids={ids}}},composite-fixed-point-pass{{name=clean-up \
             pipeline=canonicalize{{max-iterations=1}},cse}}"
        )
    }

    fn limit(&self) -> String {
        if self.time_limit.is_empty() {
            String::new()
        } else {
            format!(" time-limit={}", grouped(&self.time_limit))
        }
    }
}

/// An option's value as one word of a textual pipeline, whatever spaces, commas and quotes are in it.
fn grouped(value: &str) -> String {
    format!("{{{value}}}")
}
