//! The passes, one module each: IR to problem, solve, verify, edit.
//!
//! `dialect/Passes.td` has the name, the options and the description of each pass. Algorithms live in `zpu-sched`,
//! `zpu-sync` and `zpu-analysis`; a pass translates. Every pass leaves a correct program. It leaves a loop that it
//! cannot handle untouched, and gives the reason in a remark.

#![forbid(unsafe_code)]

mod addresses_to_views;
mod analyze_streams;
mod annotate_calls;
mod annotations;
mod assign_layouts;
mod asynchronous_copy_rules;
mod attach_device;
mod balance_engines;
mod buffer_notes;
mod capacity;
mod convert_to_dma;
mod data_path;
mod dump;
mod engine_loads;
mod gather_transfers;
mod hoist_allocations;
mod hoist_copies;
mod infer_memory_spaces;
mod inject_dma_barrier;
mod inject_software_pipeline;
mod insert_buffers;
mod iteration_number;
mod join_rings;
mod legalize_data_path;
mod loop_problem;
mod lowering;
mod machine;
mod measure;
mod merge_carried_values;
mod mpmd;
mod mpmd_attach_devices;
mod mpmd_import;
mod mpmd_inline_calls;
mod mpmd_measure_fragments;
mod mpmd_merge_fragments;
mod mpmd_move_transfers_to_producer;
mod mpmd_pipeline_scheduler;
mod mpmd_remat_fragment;
mod mpmd_rule_based_schedule;
mod mpmd_split_bwd_fragments;
mod mpmd_unroll_loops;
mod mpmd_verify_schedule;
mod multi_version_buffer;
mod nest_levels;
mod num_stages;
mod pipeline;
mod pipeline_planning;
mod plan_memory;
mod predict_cycles;
mod prediction;
mod print_dependences;
mod print_liveness;
mod print_pipelining_candidates;
mod print_report;
mod record_remarks;
mod retarget_copies;
mod reuse;
mod rings;
mod rotate_buffers;
mod run_commands;
mod schedule_dma_compute_overlap;
mod seats;
mod select_buffers;
mod select_plan;
mod side_by_side;
mod solved;
mod split_guards;
mod split_transfers;
mod streams;
mod time_limit;
mod unroll_and_jam;
mod unroll_factor;
mod unroll_loops;
mod verify_addresses;
mod verify_streams;
mod verify_sync;

#[cfg(feature = "seeded-bugs")]
pub use zpu_analysis::seeded::{bugs, plant};
use zpu_ir::{Failed, Op, Pass, PassResult, Passes, device};

/// Registers the passes and `--zpu-pipeline` with MLIR, once for the process.
pub fn install() {
    zpu_ir::install(Passes {
        run,
        pipeline: pipeline::text,
    });
}

fn run(pass: &Pass, op: Op<'_>) -> PassResult {
    if needs_device(pass) {
        require_device(op)?;
    }
    match pass {
        Pass::AttachDevice(options) => attach_device::run(op, options),
        Pass::AssignLayouts(options) => assign_layouts::run(op, options),
        Pass::InsertBuffers(options) => insert_buffers::run(op, options),
        Pass::InferMemorySpaces(options) => infer_memory_spaces::run(op, options),
        Pass::AnnotateCalls(_) => annotate_calls::run(op),
        Pass::RotateBuffers(options) => rotate_buffers::run(op, options),
        Pass::HoistCopies(options) => hoist_copies::run(op, options),
        Pass::LegalizeDataPath(options) => legalize_data_path::run(op, options),
        Pass::ConvertToDma(options) => convert_to_dma::run(op, options),
        Pass::SplitGuards(options) => split_guards::run(op, options),
        Pass::SelectBuffers(options) => select_buffers::run(op, options),
        Pass::PredictCycles(options) => predict_cycles::run(op, options),
        Pass::SelectPlan(options) => select_plan::run(op, options),
        Pass::BalanceEngines(options) => balance_engines::run(op, options),
        Pass::GatherTransfers(options) => gather_transfers::run(op, options),
        Pass::RetargetCopies(options) => retarget_copies::run(op, options),
        Pass::SplitTransfers(options) => split_transfers::run(op, options),
        Pass::UnrollAndJam(options) => unroll_and_jam::run(op, options),
        Pass::UnrollLoops(options) => unroll_loops::run(op, options),
        Pass::PipelinePlanning(options) => pipeline_planning::run(op, options),
        Pass::PrintPipeliningCandidates(_) => print_pipelining_candidates::run(op),
        Pass::JoinRings(options) => join_rings::run(op, options),
        Pass::MultiVersionBuffer(options) => multi_version_buffer::run(op, options),
        Pass::InjectSoftwarePipeline(options) => inject_software_pipeline::run(op, options),
        Pass::PrintDependences(options) => print_dependences::run(op, options),
        Pass::PlanMemory(options) => plan_memory::run(op, options),
        Pass::AddressesToViews(_) => addresses_to_views::run(op),
        Pass::PrintLiveness(_) => print_liveness::run(op),
        Pass::AnalyzeStreams(options) => analyze_streams::run(op, options),
        Pass::VerifyAddresses(_) => verify_addresses::run(op),
        Pass::VerifyStreams(options) => verify_streams::run(op, options),
        Pass::ScheduleDmaComputeOverlap(options) => schedule_dma_compute_overlap::run(op, options),
        Pass::InjectDmaBarrier(options) => inject_dma_barrier::run(op, options),
        Pass::MergeCarriedValues(_) => merge_carried_values::run(op),
        Pass::MpmdAttachDevices(options) => mpmd_attach_devices::run(op, options),
        Pass::MpmdImport(options) => mpmd_import::run(op, options),
        Pass::MpmdInlineCalls(options) => mpmd_inline_calls::run(op, options),
        Pass::MpmdMeasureFragments(options) => mpmd_measure_fragments::run(op, options),
        Pass::MpmdMergeFragments(options) => mpmd_merge_fragments::run(op, options),
        Pass::MpmdMoveTransfersToProducer(options) => mpmd_move_transfers_to_producer::run(op, options),
        Pass::MpmdPipelineScheduler(options) => mpmd_pipeline_scheduler::run(op, options),
        Pass::MpmdRematFragment(options) => mpmd_remat_fragment::run(op, options),
        Pass::MpmdRuleBasedSchedule(options) => mpmd_rule_based_schedule::run(op, options),
        Pass::MpmdSplitBwdFragments(options) => mpmd_split_bwd_fragments::run(op, options),
        Pass::MpmdUnrollLoops(options) => mpmd_unroll_loops::run(op, options),
        Pass::MpmdVerifySchedule(options) => mpmd_verify_schedule::run(op, options),
        Pass::RecordRemarks(_) => record_remarks::run(op),
        Pass::PrintReport(options) => print_report::run(op, options),
        Pass::VerifySync(options) => verify_sync::run(op, options),
    }
}

/// True but for the pass that brings the device, and those that look at no machine: orders of accesses are those of the
/// program, and a topology has devices of its own.
fn needs_device(pass: &Pass) -> bool {
    !matches!(
        pass,
        Pass::AttachDevice(_)
            | Pass::AnnotateCalls(_)
            | Pass::AnalyzeStreams(_)
            | Pass::VerifyStreams(_)
            | Pass::AssignLayouts(_)
            | Pass::MergeCarriedValues(_)
            | Pass::MpmdAttachDevices(_)
            | Pass::MpmdImport(_)
            | Pass::MpmdInlineCalls(_)
            | Pass::MpmdMeasureFragments(_)
            | Pass::MpmdMergeFragments(_)
            | Pass::MpmdMoveTransfersToProducer(_)
            | Pass::MpmdPipelineScheduler(_)
            | Pass::MpmdRematFragment(_)
            | Pass::MpmdRuleBasedSchedule(_)
            | Pass::MpmdSplitBwdFragments(_)
            | Pass::MpmdUnrollLoops(_)
            | Pass::MpmdVerifySchedule(_)
    )
}

/// Requires a device in the module. A program can be written and read before its machine is chosen, but only the
/// machine says what commands mean and which of them run at the same time.
fn require_device(op: Op<'_>) -> PassResult {
    device::require(op).map(drop).map_err(|missing| {
        missing.emit();
        Failed
    })
}
