// Sizes of blocks and stages for chunk_scan.mlir, as knobs: see README.md.
//
// The loops are in the kernel. The script replaces the two constants that their steps come from, and canonicalization
// then makes constants of all that depends on them.
!op = !transform.any_op
!size = !transform.param<i64>

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !op) {
    %tile_m = transform.tune.knob<"tile_m"> = 64 : i64 from options = [32, 64, 128, 256] -> !size
    %tile_k = transform.tune.knob<"tile_k"> = 64 : i64 from options = [32, 64, 128, 256] -> !size
    %stages_k = transform.tune.knob<"stages_k"> = 2 : i64 from options = [0, 1, 2, 3, 4] -> !size
    %stages_tile = transform.tune.knob<"stages_tile"> = 2 : i64 from options = [0, 1, 2, 3, 4] -> !size

    %block = transform.structured.match ops{["arith.constant"]} attributes {tile = "m"} in %root : (!op) -> !op
    transform.annotate %block "value" = %tile_m : !op, !size
    %tile = transform.structured.match ops{["arith.constant"]} attributes {tile = "k"} in %root : (!op) -> !op
    transform.annotate %tile "value" = %tile_k : !op, !size

    %products = transform.structured.match ops{["linalg.matmul"]} in %root : (!op) -> !op
    %state, %sums = transform.split_handle %products : (!op) -> (!op, !op)
    %positions = transform.get_parent_op %sums {op_name = "scf.for"} : (!op) -> !op
    %blocks = transform.get_parent_op %positions {op_name = "scf.for"} : (!op) -> !op
    %chunks = transform.get_parent_op %blocks {op_name = "scf.for"} : (!op) -> !op
    %tiles = transform.merge_handles %blocks, %chunks : !op
    transform.tune.alternatives<"stages"> selected_region = 0 {
      transform.annotate %positions "zpu.num_stages" = %stages_k : !op, !size
      transform.annotate %tiles "zpu.num_stages" = %stages_tile : !op, !size
    }, {
      // Left to the pipeline: num-stages.
    }

    %function = transform.structured.match ops{["func.func"]} in %root : (!op) -> !op
    transform.apply_patterns to %function {
      transform.apply_patterns.canonicalization
      transform.apply_patterns.scf.for_loop_canonicalization
    } : !op
    transform.yield
  }
}
