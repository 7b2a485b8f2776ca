// As matmul-two-level, but A and B get full tile buffers too: in each iteration a buffer is first filled with
// zeros and then copied into, a legal second write to the same scratch buffer.
//
// Use: mlir-opt --transform-preload-library=transform-library-paths=THIS --transform-interpreter KERNEL
// Only for m and n that are multiples of 32: the product is taken over full tiles of A and B, and of C as it is.

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %matmul = transform.structured.match ops{["linalg.matmul"]} in %root
        : (!transform.any_op) -> !transform.any_op
    %outer, %m, %n = transform.structured.tile_using_for %matmul tile_sizes [32, 32, 0]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    %resident = transform.structured.promote %outer
        {operands_to_promote = [2], use_full_tile_buffers = [false, false, true]}
        : (!transform.any_op) -> !transform.any_op
    %inner, %k = transform.structured.tile_using_for %resident tile_sizes [0, 0, 16]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %done = transform.structured.promote %inner
        {operands_to_promote = [0, 1], use_full_tile_buffers = [true, true, false]}
        : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
