// Tiles for matmul.mlir, with everything that can be tuned as a knob: see README.md.
//
// C stays on chip for the whole loop over k, in all variants. No buffer is filled up to a full tile, so that a partial
// tile at an edge costs no vector work.
!op = !transform.any_op
!size = !transform.param<i64>

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !op) {
    %tile_m = transform.tune.knob<"tile_m"> = 256 : i64 from options = [32, 64, 96, 128, 192, 256, 384, 512] -> !size
    %tile_n = transform.tune.knob<"tile_n"> = 256 : i64 from options = [32, 64, 96, 128, 192, 256, 384, 512] -> !size
    %tile_k = transform.tune.knob<"tile_k"> = 128 : i64 from options = [16, 32, 48, 64, 96, 128, 192, 256] -> !size
    %stages_k = transform.tune.knob<"stages_k"> = 2 : i64 from options = [0, 1, 2, 3, 4, 6] -> !size
    %stages_tile = transform.tune.knob<"stages_tile"> = 2 : i64 from options = [0, 1, 2, 3, 4] -> !size

    %matmul = transform.structured.match ops{["linalg.matmul"]} in %root : (!op) -> !op
    %outer, %middle, %k = transform.tune.alternatives<"loop_order"> selected_region = 0 -> !op, !op, !op {
      // m outside n.
      %strip, %m = transform.structured.tile_using_for %matmul tile_sizes [%tile_m, 0, 0] : (!op, !size) -> (!op, !op)
      %block, %n = transform.structured.tile_using_for %strip tile_sizes [0, %tile_n, 0] : (!op, !size) -> (!op, !op)
      %resident = transform.structured.promote %block {operands_to_promote = [2]} : (!op) -> !op
      %inner, %k = transform.structured.tile_using_for %resident tile_sizes [0, 0, %tile_k] : (!op, !size) -> (!op, !op)
      %done = transform.structured.promote %inner {operands_to_promote = [0, 1]} : (!op) -> !op
      transform.yield %m, %n, %k : !op, !op, !op
    }, {
      // n outside m.
      %strip, %n = transform.structured.tile_using_for %matmul tile_sizes [0, %tile_n, 0] : (!op, !size) -> (!op, !op)
      %block, %m = transform.structured.tile_using_for %strip tile_sizes [%tile_m, 0, 0] : (!op, !size) -> (!op, !op)
      %resident = transform.structured.promote %block {operands_to_promote = [2]} : (!op) -> !op
      %inner, %k = transform.structured.tile_using_for %resident tile_sizes [0, 0, %tile_k] : (!op, !size) -> (!op, !op)
      %done = transform.structured.promote %inner {operands_to_promote = [0, 1]} : (!op) -> !op
      transform.yield %n, %m, %k : !op, !op, !op
    }, {
      // m outside n; a panel of A, tile_m rows and all of k, stays on chip for all tiles of n.
      %strip, %m = transform.structured.tile_using_for %matmul tile_sizes [%tile_m, 0, 0] : (!op, !size) -> (!op, !op)
      %with_panel = transform.structured.promote %strip {operands_to_promote = [0]} : (!op) -> !op
      %block, %n = transform.structured.tile_using_for %with_panel tile_sizes [0, %tile_n, 0]
          : (!op, !size) -> (!op, !op)
      %resident = transform.structured.promote %block {operands_to_promote = [2]} : (!op) -> !op
      %inner, %k = transform.structured.tile_using_for %resident tile_sizes [0, 0, %tile_k] : (!op, !size) -> (!op, !op)
      %done = transform.structured.promote %inner {operands_to_promote = [1]} : (!op) -> !op
      transform.yield %m, %n, %k : !op, !op, !op
    }, {
      // n outside m; a panel of B, all of k and tile_n columns, stays on chip for all tiles of m.
      %strip, %n = transform.structured.tile_using_for %matmul tile_sizes [0, %tile_n, 0] : (!op, !size) -> (!op, !op)
      %with_panel = transform.structured.promote %strip {operands_to_promote = [1]} : (!op) -> !op
      %block, %m = transform.structured.tile_using_for %with_panel tile_sizes [%tile_m, 0, 0]
          : (!op, !size) -> (!op, !op)
      %resident = transform.structured.promote %block {operands_to_promote = [2]} : (!op) -> !op
      %inner, %k = transform.structured.tile_using_for %resident tile_sizes [0, 0, %tile_k] : (!op, !size) -> (!op, !op)
      %done = transform.structured.promote %inner {operands_to_promote = [0]} : (!op) -> !op
      transform.yield %n, %m, %k : !op, !op, !op
    }

    %tiles = transform.merge_handles %outer, %middle : !op
    transform.tune.alternatives<"stages"> selected_region = 0 {
      transform.annotate %tiles "zpu.num_stages" = %stages_tile : !op, !size
      transform.annotate %k "zpu.num_stages" = %stages_k : !op, !size
    }, {
      // Left to the pipeline: num-stages.
    }

    transform.tune.alternatives<"edges"> selected_region = 0 {
      // A loop has whole and partial tiles, of a size that is computed.
    }, {
      // The partial tiles get loops of their own, so that all sizes are constants.
      %function = transform.structured.match ops{["func.func"]} in %root : (!op) -> !op
      %peeled = transform.apply_registered_pass "scf-for-loop-peeling" to %function : (!op) -> !op
    }
    transform.yield
  }
}
