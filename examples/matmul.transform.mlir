// Tiles of 256 x 256 x 64: C stays on chip for the whole loop over k, A and B are copied in each of its iterations.
//
// Use: mlir-opt --transform-preload-library=transform-library-paths=matmul.transform.mlir --transform-interpreter
//      matmul.mlir

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %matmul = transform.structured.match ops{["linalg.matmul"]} in %root
        : (!transform.any_op) -> !transform.any_op
    %outer, %m, %n = transform.structured.tile_using_for %matmul tile_sizes [256, 256, 0]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    %resident = transform.structured.promote %outer
        {operands_to_promote = [2], use_full_tile_buffers = [false, false, true]}
        : (!transform.any_op) -> !transform.any_op
    %inner, %k = transform.structured.tile_using_for %resident tile_sizes [0, 0, 64]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %done = transform.structured.promote %inner {operands_to_promote = [0, 1]}
        : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
