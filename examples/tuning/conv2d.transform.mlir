// Tiles for conv2d.mlir and conv2d_stride2.mlir, with everything that can be tuned as a knob: see README.md.
//
// The loops over the window are outside the one over input channels, as in the operation itself, so that each point of
// the output sums in the same order whatever the tiles are.
!op = !transform.any_op
!size = !transform.param<i64>

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !op) {
    %tile_h = transform.tune.knob<"tile_h"> = 14 : i64 from options = [1, 2, 4, 7, 8, 14, 28] -> !size
    %tile_w = transform.tune.knob<"tile_w"> = 28 : i64 from options = [7, 8, 14, 16, 28] -> !size
    %tile_co = transform.tune.knob<"tile_co"> = 64 : i64 from options = [16, 32, 48, 64] -> !size
    %tile_ci = transform.tune.knob<"tile_ci"> = 64 : i64 from options = [16, 32, 48, 64] -> !size
    %stages_k = transform.tune.knob<"stages_k"> = 2 : i64 from options = [0, 1, 2, 3, 4, 6] -> !size
    %stages_tile = transform.tune.knob<"stages_tile"> = 2 : i64 from options = [0, 1, 2, 3, 4] -> !size

    %conv = transform.structured.match ops{["linalg.conv_2d_nhwc_hwcf"]} in %root : (!op) -> !op
    transform.tune.alternatives<"resident"> selected_region = 1 {
      // Each tap of the window and each tile of input channels: a part of the input and one of the filter.
      %block, %n, %h, %w, %co = transform.structured.tile_using_for %conv tile_sizes [1, %tile_h, %tile_w, %tile_co]
          : (!op, !size, !size, !size) -> (!op, !op, !op, !op, !op)
      %resident = transform.structured.promote %block {operands_to_promote = [2]} : (!op) -> !op
      %inner, %kh, %kw, %ci = transform.structured.tile_using_for %resident tile_sizes [0, 0, 0, 0, 1, 1, %tile_ci]
          : (!op, !size) -> (!op, !op, !op, !op)
      %done = transform.structured.promote %inner {operands_to_promote = [0, 1]} : (!op) -> !op
      %tiles = transform.merge_handles %n, %h, %w, %co : !op
      %taps = transform.merge_handles %kh, %kw, %ci : !op
      transform.tune.alternatives<"stages"> selected_region = 0 {
        transform.annotate %tiles "zpu.num_stages" = %stages_tile : !op, !size
        transform.annotate %taps "zpu.num_stages" = %stages_k : !op, !size
      }, {
        // Left to the pipeline: num-stages.
      }
    }, {
      // The input of the block, with its halo and all channels, is loaded once; the loops over taps load the filter.
      %block, %n, %h, %w, %co = transform.structured.tile_using_for %conv tile_sizes [1, %tile_h, %tile_w, %tile_co]
          : (!op, !size, !size, !size) -> (!op, !op, !op, !op, !op)
      %resident = transform.structured.promote %block {operands_to_promote = [0, 2]} : (!op) -> !op
      %inner, %kh, %kw, %ci = transform.structured.tile_using_for %resident tile_sizes [0, 0, 0, 0, 1, 1, %tile_ci]
          : (!op, !size) -> (!op, !op, !op, !op)
      %done = transform.structured.promote %inner {operands_to_promote = [1]} : (!op) -> !op
      %tiles = transform.merge_handles %n, %h, %w, %co : !op
      %taps = transform.merge_handles %kh, %kw, %ci : !op
      transform.tune.alternatives<"stages"> selected_region = 0 {
        transform.annotate %tiles "zpu.num_stages" = %stages_tile : !op, !size
        transform.annotate %taps "zpu.num_stages" = %stages_k : !op, !size
      }, {
        // Left to the pipeline: num-stages.
      }
    }, {
      // Input and filter of the block are loaded whole, and the block is one command of the engine.
      %block, %n, %h, %w, %co = transform.structured.tile_using_for %conv tile_sizes [1, %tile_h, %tile_w, %tile_co]
          : (!op, !size, !size, !size) -> (!op, !op, !op, !op, !op)
      %done = transform.structured.promote %block {operands_to_promote = [0, 1, 2]} : (!op) -> !op
      %tiles = transform.merge_handles %n, %h, %w, %co : !op
      transform.tune.alternatives<"stages"> selected_region = 0 {
        transform.annotate %tiles "zpu.num_stages" = %stages_tile : !op, !size
      }, {
        // Left to the pipeline: num-stages.
      }
    }, {
      // The same with output channels outside: a filter of tile_co channels stays on chip for all points.
      %slice, %co = transform.structured.tile_using_for %conv tile_sizes [0, 0, 0, %tile_co]
          : (!op, !size) -> (!op, !op)
      %with_filter = transform.structured.promote %slice {operands_to_promote = [1]} : (!op) -> !op
      %block, %n, %h, %w = transform.structured.tile_using_for %with_filter tile_sizes [1, %tile_h, %tile_w]
          : (!op, !size, !size) -> (!op, !op, !op, !op)
      %done = transform.structured.promote %block {operands_to_promote = [0, 2]} : (!op) -> !op
      %tiles = transform.merge_handles %co, %n, %h, %w : !op
      transform.tune.alternatives<"stages"> selected_region = 0 {
        transform.annotate %tiles "zpu.num_stages" = %stages_tile : !op, !size
      }, {
        // Left to the pipeline: num-stages.
      }
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
