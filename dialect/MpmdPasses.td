// The passes for programs over several devices. Passes.td includes this file.

#ifndef ZPU_MPMD_PASSES_TD
#define ZPU_MPMD_PASSES_TD

defvar RemoveControlOption =
  Option<"removeControlDependencies", "remove-control-dependencies", "bool", "true",
         "leave the schedule in the order of the block only; otherwise fragments also wait for those before them "
         "('after')">;
defvar TransferLatencyOption =
  Option<"transferLatency", "transfer-latency", "int64_t", "-1",
         "cycles between the end of a transfer and its arrival, in place of those of the links; -1 for those">;

def MpmdAttachDevices : ZpuPass<"zpu-mpmd-attach-devices", "::mlir::ModuleOp"> {
  let summary = "give meshes their devices";
  let description = [{
    Puts devices into the module's `zpu.topology`, and has each mesh that names none name one: the only device of the
    list, or the one at the place of the mesh in the topology. Meshes that name a device keep it, and hosts, whose
    names end in `/cpu`, get none. Commands in fragments are checked against the device of their mesh from here on.
  }];
  let options = [
    ListOption<"devices", "devices", "std::string",
               "built-in devices or paths of device files: one for all meshes, or one for each">
  ];
}

def MpmdImport : ZpuPass<"zpu-mpmd-import", "::mlir::ModuleOp"> {
  let summary = "make a program of fragments of one in Shardy's dialect mpmd";
  let description = [{
    Takes a module as Shardy prints it in MLIR's generic form (`--mlir-print-op-generic`), parsed with
    `--allow-unregistered-dialect`, and writes its structure in operations of this dialect:

    | Shardy | here |
    |---|---|
    | attribute `topology` of functions, one for all of them | `zpu.topology`, a `zpu.mesh` for each mesh |
    | `mpmd.fragment` with `mesh_name`, `origin`, `stage_id`, `call_counter`, `split_keep_transferred` or `split_drop_transferred`, `remat` | `zpu.fragment` |
    | `mpmd.fragment_call` | `zpu.fragment` without a body; the function that it calls goes |
    | `mpmd.transfer` | `zpu.transfer`; nothing, if it stays on its mesh |
    | `mpmd.assign`, `mpmd.unassign`, `mpmd.broadcast` | nothing, or a `zpu.transfer` where a value comes to another mesh by them |
    | `mpmd.call` with `call_counter` or `unroll_counter` | `func.call` with `zpu.call_counter`, see `zpu-mpmd-inline-calls` |
    | `mpmd.for` | `scf.for`, see `zpu-mpmd-unroll-loops` |
    | `!mpmd.mesh_tensor<"m", tensor<4xf32>>` | `tensor<4xf32>` |

    A fragment whose body has operations of dialects that are not there, such as StableHLO, becomes one without a body.
    It costs `zpu.cycles`, if it has that attribute, otherwise what `costs` says: a list of `NAME=CYCLES`,
    `NAME(1)=CYCLES` for the backward computation, `NAME(1).keep=CYCLES` and `NAME(1).drop=CYCLES` for the halves of a
    split one, `inferred=CYCLES` for fragments without origins. A fragment of several origins costs their sum. An entry
    that fits no fragment is an error.

    A mesh is one place here, however many devices it has. What has no counterpart is left out, with a remark at its
    place: axes of meshes (`mesh-axes`), shardings and kinds of memory (`type-parameter`), other attributes
    (`attribute`), bodies (`opaque-body`), transfers within a mesh (`same-mesh`), other operations of the module
    (`operation`). What would change the order of fragments if it were left out is an error: other operations of the
    dialect `mpmd`, operations of unknown dialects between fragments, the number of the iteration of an `mpmd.for` where
    it is used. Then nothing is changed.
  }];
  let options = [
    ListOption<"costs", "costs", "std::string", "cycles of computations, NAME=CYCLES, for fragments without zpu.cycles">
  ];
}

def MpmdInlineCalls : ZpuPass<"zpu-mpmd-inline-calls", "::mlir::ModuleOp"> {
  let summary = "put functions with fragments in the place of their calls, and number the microbatches";
  let description = [{
    Each `func.call` of a function that holds fragments, or calls one that does, becomes a copy of the function's body.
    Its `zpu.call_counter` is the microbatch, and becomes the `call_counter` of the fragments in the copy. Of calls that
    stand in each other, one has it; those in a loop have none, since `zpu-mpmd-unroll-loops` numbers its iterations.
    Private functions that nobody calls any more go.

    ```mlir
    func.func private @step(%x: memref<4xf32>) {
      %done = zpu.fragment @m0 origins [#zpu.origin<"f">] (%a = %x) : (memref<4xf32>) -> () {
        zpu.return
      }
      return
    }
    func.func @main(%x: memref<4xf32>) {
      func.call @step(%x) {zpu.call_counter = 0 : i64} : (memref<4xf32>) -> ()
      func.call @step(%x) {zpu.call_counter = 1 : i64} : (memref<4xf32>) -> ()
      return
    }
    ```

    Errors, which change nothing: a call without a counter; one whose function, or a fragment in it, has a counter
    already; a fragment that would be there twice in one microbatch; functions that call each other in a circle; a
    function of several blocks; a call under a condition or in a fragment; more than `max-copies` copies.
  }];
  let options = [
    Option<"maxCopies", "max-copies", "int64_t", "65536", "most copies of functions that are made">
  ];
}

def MpmdSplitBwdFragments : ZpuPass<"zpu-mpmd-split-bwd-fragments", "::mlir::func::FuncOp"> {
  let summary = "make two fragments of a backward one: what other meshes wait for, and the rest";
  let description = [{
    A backward fragment of which some results are transferred and some are not becomes two. The first
    (`split keep_transferred`) computes what is transferred, and returns besides the buffers that the second needs; the
    second (`split drop_transferred`) computes the rest, usually gradients of weights, which schedules like
    `ZeroBubbleH1` put where a mesh would wait. Costs of the whole (`zpu.cycles`) are left out; measure the halves.

    A fragment of which all results are transferred, or none, and one that is a half already stay as they are. So do,
    with a remark (`not-split`), a fragment without a body, one whose second half would write a buffer of the first or
    read it before it is whole, and one with operations of which it is not known what they read and write.
  }];
}

def MpmdUnrollLoops : ZpuPass<"zpu-mpmd-unroll-loops", "::mlir::func::FuncOp"> {
  let summary = "take loops over microbatches apart, and number the microbatches";
  let description = [{
    An `scf.for` that holds fragments becomes copies of its body, one for each iteration, in its place. The number of
    the iteration is the `call_counter` of its fragments; the next loop goes on counting, and so does the first one
    after fragments that stand outside of loops. Values that the loop carries, such as sums of gradients, go from copy
    to copy.

    ```mlir
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    scf.for %i = %c0 to %c4 step %c1 {
      %done = zpu.fragment @m0 origins [#zpu.origin<"f">] (%number = %i) : (index) -> () {
        zpu.return
      }
    }
    ```

    Bounds and step have to be constant. A loop over microbatches in another one, or more than `max-copies` iterations,
    is an error, and nothing is changed.
  }];
  let options = [
    Option<"maxCopies", "max-copies", "int64_t", "65536", "most iterations of all loops over microbatches together">
  ];
}

def MpmdMeasureFragments : ZpuPass<"zpu-mpmd-measure-fragments", "::mlir::ModuleOp"> {
  let summary = "simulate each fragment on its mesh, and note its cycles";
  let description = [{
    Writes `zpu.cycles` on each fragment that has a body and a device and does not have it yet: the cycles of a copy
    that is compiled by `--zpu-pipeline` with the options of `pipeline`, and run by the simulator without values. The
    program itself is not compiled. Buffers and numbers that decide how long a fragment takes are 1 where they are whole
    numbers in memory, and otherwise 0. A fragment that cannot be compiled or run keeps no cost, and a remark
    (`not-measured`) has the reason.
  }];
  let options = [
    Option<"pipeline", "pipeline", "std::string", "\"\"",
           "options of --zpu-pipeline, in braces, by which copies are compiled">
  ];
}

def MpmdPipelineScheduler : ZpuPass<"zpu-mpmd-pipeline-scheduler", "::mlir::func::FuncOp"> {
  let summary = "order the fragments of each mesh by a pipeline schedule";
  let description = [{
    Takes a function with `zpu.fragment` operations, which stand directly in it, and puts them, with the transfers
    between them, into the order of a schedule. The order of each mesh is total, and does not depend on the order in
    which fragments came, but for `none` and for those that are no scheduling units: these keep their place as far as
    data allow. Control dependences that are there already hold like those of data.

    `must-happen-before` names the schedule, in any case, with or without `builtin:`:

    | name | order |
    |---|---|
    | `none` | as it is |
    | `1F1B`, `GPipe`, `GPipeBut1F1BForLastMesh` | one stage a mesh |
    | `Circular`, `CircularWithReversedBackward` | several stages a mesh, by rounds of microbatches |
    | `ZeroBubbleH1`, `ZeroBubbleH2ZeroTxLatency`, `ZeroBubbleH2HalfTxLatency`, `ZeroBubbleH2FullTxLatency` | backward computations in two parts |
    | `ParallelPipelinesWithWrapAround` | forward only, each mesh begins elsewhere |
    | `Interleaved1F1B`, `BreadthFirst`, `ZBV`, `DualPipeV` | several stages a mesh |
    | `auto` | the best of all of these, a greedy and an exact search, under `memory-cap` |

    A fragment takes `zpu.cycles`, or 1; a transfer takes what its `zpu.mesh_link` says. Bytes are held from the
    beginning of a forward fragment until the last backward fragment of its microbatch and stage on that mesh has
    ended: `zpu.held_bytes`, or those of its results that backward fragments take.

    A remark (`scheduled`) has the makespan, the proven lower bound, and for each mesh idle cycles and peak bytes.
    Others name what was completed, clamped or skipped, with a reason for programs. Fragments in loops, microbatches
    that are missing on a mesh, stages that a schedule needs and does not find, and data in a circle are errors that
    name the fragments; then nothing is changed.
  }];
  let options = [
    Option<"mustHappenBefore", "must-happen-before", "std::string", "\"1F1B\"", "name of the schedule, or auto">,
    RemoveControlOption,
    Option<"scheduleFile", "schedule-file", "std::string", "\"\"",
           "a table of actions as PyTorch writes them, a line for each mesh, in place of a name">,
    Option<"memoryCap", "memory-cap", "int64_t", "-1", "with auto: most bytes that a mesh may hold; -1 for any">,
    TransferLatencyOption
  ];
}

def MpmdRuleBasedSchedule : ZpuPass<"zpu-mpmd-rule-based-schedule", "::mlir::func::FuncOp"> {
  let summary = "order fragments as rules say";
  let description = [{
    Each rule is a sequence of fragments of one mesh, of which each has to run before the next:

    ```text
    FragmentScheduleRule(ordered_fragments=[FragmentInfo(origins=["enc"],call_counter=3,mesh_name="a")->FragmentInfo(origins=["dec"(1)],mesh_name="a")])
    ```

    `FragmentInfo` has `origins` first, each with its transpose count unless that is 0, then `stage`, `call_counter`,
    `mesh_name` and `split_type` (`kKeepTransferred`, `kDropTransferred`) in any order. All have to be as those of the
    fragment; a field that is left out is one that the fragment does not have. Rules stand one after the other, with
    commas between them and without white space.

    Skipped with a remark: a rule of fewer than two fragments (`short-rule`), a fragment that does not exist
    (`missing-fragment`; of x, y, z without y, x stays before z), one twice in a row (`same-fragment`), fragments of
    different meshes (`different-meshes`), and a pair that data have in the other order (`against-data`, with the path).
    Rules that contradict each other are an error that prints the circle, whatever the order of the block; so are two
    fragments that rules cannot tell apart.
  }];
  let options = [
    Option<"rules", "rules", "std::string", "\"\"", "the rules, in braces">,
    RemoveControlOption
  ];
}

def MpmdMergeFragments : ZpuPass<"zpu-mpmd-merge-fragments", "::mlir::func::FuncOp"> {
  let summary = "make one fragment of two";
  let description = [{
    The merged fragment stands where the second one stood, does the work of both, and has the results of both that are
    taken elsewhere. It has the origins of both, and stage and call counter of the second, or of the first where that
    has none. Two are merged only if no way leads from the first to the second but the direct one. `way`:

    | way | which |
    |---|---|
    | `units` | a user fragment and the nearest one of its mesh that takes its results: transpose counts are equal, call counters and stages are equal or one of them is not there |
    | `inferred` | a fragment without origins and the first one of its mesh that takes its results, else the one that it takes values from |
    | `forward-with-backward` | a forward fragment and its backward one, if that is the next on the mesh: the last stage of `1F1B` |
    | `rules` | `FragmentMergeRule(sources=[info,...],target=info)`, with the information of `zpu-mpmd-rule-based-schedule` |

    A rule with a source that does not exist is skipped with a remark (`missing-fragment`). Sources that cannot be told
    apart, are on different meshes, or have something between them that needs one and is needed by another, are an
    error.
  }];
  let options = [
    Option<"way", "way", "std::string", "\"units\"", "units, inferred, forward-with-backward or rules">,
    Option<"rules", "rules", "std::string", "\"\"", "rules of way=rules, in braces">
  ];
}

def MpmdMoveTransfersToProducer : ZpuPass<"zpu-mpmd-move-transfers-to-producer", "::mlir::func::FuncOp"> {
  let summary = "put each transfer right after what it takes its value from";
  let description = [{
    A transfer of an argument goes to the beginning of the function. A transfer that stands early holds up nothing,
    since links are engines of their own; one that stands late holds up those after it on its link.
  }];
}

def MpmdRematFragment : ZpuPass<"zpu-mpmd-remat-fragment", "::mlir::func::FuncOp"> {
  let summary = "compute forward fragments again, so that their results need not be held";
  let description = [{
    Runs after scheduling. A forward fragment and a backward one that takes a result of it, of one mesh, microbatch and
    stage, are a pair unless the backward fragment runs right after the forward one. Without `memory-budget`, each pair
    gets a copy of the forward fragment before the backward one, which then takes the results of the copy.

    With it, those forward fragments are chosen whose second run takes the fewest cycles such that no mesh holds more
    bytes than the budget; each has one copy, before the first backward fragment of its microbatch. The choice is proven
    to be the best where the search ends. A budget that cannot be met is an error that names the mesh, the bytes and the
    fragment, and nothing is changed.

    With `merge-remat-fragments`, a copy becomes a part of the backward fragment. Copies, and fragments with copies in
    them, are marked `remat`. A remark (`recomputed`) has the cycles that this costs.
  }];
  let options = [
    Option<"mergeRematFragments", "merge-remat-fragments", "bool", "false",
           "make a copy a part of the backward fragment that takes its results">,
    Option<"memoryBudget", "memory-budget", "int64_t", "-1",
           "most bytes that a mesh may hold; -1 to compute everything again">
  ];
}

def MpmdVerifySchedule : ZpuPass<"zpu-mpmd-verify-schedule", "::mlir::func::FuncOp"> {
  let summary = "check that fragments, in the order in which they stand, are a schedule";
  let description = [{
    Each mesh runs its fragments, and each link moves its transfers, in the order of the block. Errors: data, control
    dependences and these orders have a common circle; a mesh or a stage of it lacks a microbatch, forward or backward
    (where any fragment is a scheduling unit); more bytes are held than `memory-cap` allows. A remark (`verified`) has
    makespan, bound, idle cycles and peak bytes. Shares no code with what makes schedules.
  }];
  let options = [
    Option<"memoryCap", "memory-cap", "int64_t", "-1", "most bytes that a mesh may hold; -1 for any">,
    TransferLatencyOption
  ];
}

#endif // ZPU_MPMD_PASSES_TD
