// Sizes of blocks and stages for attention.mlir, as knobs: see README.md.
//
// The loops are in the kernel. The script replaces the two constants that their steps come from, and canonicalization
// then makes constants of all that depends on them.
!op = !transform.any_op
!size = !transform.param<i64>

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !op) {
    %tile_q = transform.tune.knob<"tile_q"> = 250 : i64 from options = [32, 64, 96, 125, 128, 250, 256] -> !size
    %tile_k = transform.tune.knob<"tile_k"> = 64 : i64 from options = [64, 128, 192, 256, 512] -> !size
    %stages_step = transform.tune.knob<"stages_step"> = 2 : i64 from options = [0, 1, 2, 3, 4] -> !size
    %stages_k = transform.tune.knob<"stages_k"> = 2 : i64 from options = [0, 1, 2, 3, 4] -> !size
    %stages_tile = transform.tune.knob<"stages_tile"> = 2 : i64 from options = [0, 1, 2, 3, 4] -> !size

    %block = transform.structured.match ops{["arith.constant"]} attributes {tile = "q"} in %root : (!op) -> !op
    transform.annotate %block "value" = %tile_q : !op, !size
    %load = transform.structured.match ops{["arith.constant"]} attributes {tile = "k"} in %root : (!op) -> !op
    transform.annotate %load "value" = %tile_k : !op, !size

    %products = transform.structured.match ops{["linalg.matmul"]} in %root : (!op) -> !op
    %scores, %sums = transform.split_handle %products : (!op) -> (!op, !op)
    %steps = transform.get_parent_op %scores {op_name = "scf.for"} : (!op) -> !op
    %keys = transform.get_parent_op %steps {op_name = "scf.for"} : (!op) -> !op
    %queries = transform.get_parent_op %keys {op_name = "scf.for"} : (!op) -> !op
    transform.tune.alternatives<"stages"> selected_region = 0 {
      transform.annotate %steps "zpu.num_stages" = %stages_step : !op, !size
      transform.annotate %keys "zpu.num_stages" = %stages_k : !op, !size
      transform.annotate %queries "zpu.num_stages" = %stages_tile : !op, !size
    }, {
      // Left to the pipeline: num-stages.
    }

    // Where a tile divides the length, its size is that constant, and not a minimum.
    %function = transform.structured.match ops{["func.func"]} in %root : (!op) -> !op
    transform.apply_patterns to %function {
      transform.apply_patterns.canonicalization
      transform.apply_patterns.scf.for_loop_canonicalization
    } : !op

    transform.tune.alternatives<"edges"> selected_region = 0 {
      // A loop has whole and partial tiles, of a size that is computed.
    }, {
      // The partial tiles get loops of their own, so that all sizes are constants.
      %peeled = transform.apply_registered_pass "scf-for-loop-peeling" to %function : (!op) -> !op
    }
    transform.yield
  }
}
