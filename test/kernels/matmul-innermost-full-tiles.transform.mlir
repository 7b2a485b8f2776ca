// As matmul-innermost, but each promoted operand gets a full tile buffer, filled with zeros before the copy: the
// product itself then has a static shape for every tile, also for the partial ones at the edges.
//
// Use: mlir-opt --transform-preload-library=transform-library-paths=THIS --transform-interpreter KERNEL

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %matmul = transform.structured.match ops{["linalg.matmul"]} in %root
        : (!transform.any_op) -> !transform.any_op
    %tiled, %m, %n, %k = transform.structured.tile_using_for %matmul tile_sizes [32, 32, 16]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    %done = transform.structured.promote %tiled {use_full_tiles_by_default}
        : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
