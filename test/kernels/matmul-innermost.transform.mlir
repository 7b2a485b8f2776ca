// One level of tiles, and all three operands promoted in the innermost loop: the tile of C is copied in and out
// again in each iteration over k, a dependence that is carried through off-chip memory.
//
// Use: mlir-opt --transform-preload-library=transform-library-paths=THIS --transform-interpreter KERNEL

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %matmul = transform.structured.match ops{["linalg.matmul"]} in %root
        : (!transform.any_op) -> !transform.any_op
    %tiled, %m, %n, %k = transform.structured.tile_using_for %matmul tile_sizes [32, 32, 16]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    %done = transform.structured.promote %tiled : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
