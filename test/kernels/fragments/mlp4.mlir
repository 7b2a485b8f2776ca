// A training step of a perceptron of four layers on two meshes: what its two placements have in common, to put before
// mlp4-v.mlir or mlp4-round.mlir. Bodies of fragments call functions of the module.
//
//   layer k: y = relu(x W)   dz = dy where y > 0   dx = dz W^T   dW += x^T dz;   the last dy is y - t
//
// @step, in the other file, has the loop over microbatches with fragments in its body; @alone computes the same on one
// device. The sums go from one microbatch to the next, so that they are made in one order.

#left = affine_map<(i, j, k) -> (i, k)>
#right = affine_map<(i, j, k) -> (k, j)>
#left_turned = affine_map<(i, j, k) -> (k, i)>
#right_turned = affine_map<(i, j, k) -> (j, k)>
#product = affine_map<(i, j, k) -> (i, j)>
#same = affine_map<(i, j) -> (i, j)>

zpu.topology @pipeline {
  zpu.mesh @m0
  zpu.mesh @m1
  zpu.mesh_link from @m0 to @m1 latency 50 bytes_per_cycle 16.0
  zpu.mesh_link from @m1 to @m0 latency 50 bytes_per_cycle 16.0
}

// Eight rows of all, from the first one on.
func.func private @rows(%all: memref<32x16xf32>, %first: index, %out: memref<8x16xf32>) {
  %rows = memref.subview %all[%first, 0] [8, 16] [1, 1]
      : memref<32x16xf32> to memref<8x16xf32, strided<[16, 1], offset: ?>>
  linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%rows : memref<8x16xf32, strided<[16, 1], offset: ?>>) outs(%out : memref<8x16xf32>) {
  ^bb0(%from: f32, %to: f32):
    linalg.yield %from : f32
  }
  return
}

func.func private @forward(%x: memref<8x16xf32>, %w: memref<16x16xf32>, %y: memref<8x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %z = memref.alloc() : memref<8x16xf32>
  linalg.fill ins(%zero : f32) outs(%z : memref<8x16xf32>)
  linalg.matmul ins(%x, %w : memref<8x16xf32>, memref<16x16xf32>) outs(%z : memref<8x16xf32>)
  linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%z : memref<8x16xf32>) outs(%y : memref<8x16xf32>) {
  ^bb0(%from: f32, %to: f32):
    %positive = arith.maximumf %from, %zero : f32
    linalg.yield %positive : f32
  }
  memref.dealloc %z : memref<8x16xf32>
  return
}

func.func private @difference(%y: memref<8x16xf32>, %t: memref<8x16xf32>, %dy: memref<8x16xf32>) {
  linalg.generic {indexing_maps = [#same, #same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%y, %t : memref<8x16xf32>, memref<8x16xf32>) outs(%dy : memref<8x16xf32>) {
  ^bb0(%a: f32, %b: f32, %to: f32):
    %less = arith.subf %a, %b : f32
    linalg.yield %less : f32
  }
  return
}

func.func private @where_positive(%dy: memref<8x16xf32>, %y: memref<8x16xf32>, %dz: memref<8x16xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.generic {indexing_maps = [#same, #same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%dy, %y : memref<8x16xf32>, memref<8x16xf32>) outs(%dz : memref<8x16xf32>) {
  ^bb0(%d: f32, %at: f32, %to: f32):
    %is_positive = arith.cmpf ogt, %at, %zero : f32
    %kept = arith.select %is_positive, %d, %zero : f32
    linalg.yield %kept : f32
  }
  return
}

func.func private @input_gradient(%dz: memref<8x16xf32>, %w: memref<16x16xf32>, %dx: memref<8x16xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%dx : memref<8x16xf32>)
  linalg.generic {indexing_maps = [#left, #right_turned, #product],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%dz, %w : memref<8x16xf32>, memref<16x16xf32>) outs(%dx : memref<8x16xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %product = arith.mulf %a, %b : f32
    %more = arith.addf %sum, %product : f32
    linalg.yield %more : f32
  }
  return
}

func.func private @weight_gradient(%x: memref<8x16xf32>, %dz: memref<8x16xf32>, %sum: memref<16x16xf32>,
                                   %new: memref<16x16xf32>) {
  linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%sum : memref<16x16xf32>) outs(%new : memref<16x16xf32>) {
  ^bb0(%from: f32, %to: f32):
    linalg.yield %from : f32
  }
  linalg.generic {indexing_maps = [#left_turned, #right, #product],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %dz : memref<8x16xf32>, memref<8x16xf32>) outs(%new : memref<16x16xf32>) {
  ^bb0(%a: f32, %b: f32, %to: f32):
    %product = arith.mulf %a, %b : f32
    %more = arith.addf %to, %product : f32
    linalg.yield %more : f32
  }
  return
}

func.func @alone(%x: memref<32x16xf32>, %t: memref<32x16xf32>, %w0: memref<16x16xf32>, %w1: memref<16x16xf32>,
                 %w2: memref<16x16xf32>, %w3: memref<16x16xf32>,
                %none: memref<16x16xf32>)
    -> (memref<16x16xf32>, memref<16x16xf32>, memref<16x16xf32>, memref<16x16xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %sums:4 = scf.for %at = %c0 to %c32 step %c8 iter_args(%g0 = %none, %g1 = %none, %g2 = %none, %g3 = %none)
      -> (memref<16x16xf32>, memref<16x16xf32>, memref<16x16xf32>, memref<16x16xf32>) {
    %in0 = memref.alloc() : memref<8x16xf32>
    func.call @rows(%x, %at, %in0) : (memref<32x16xf32>, index, memref<8x16xf32>) -> ()
    %y0 = memref.alloc() : memref<8x16xf32>
    func.call @forward(%in0, %w0, %y0) : (memref<8x16xf32>, memref<16x16xf32>, memref<8x16xf32>) -> ()
    %y1 = memref.alloc() : memref<8x16xf32>
    func.call @forward(%y0, %w1, %y1) : (memref<8x16xf32>, memref<16x16xf32>, memref<8x16xf32>) -> ()
    %y2 = memref.alloc() : memref<8x16xf32>
    func.call @forward(%y1, %w2, %y2) : (memref<8x16xf32>, memref<16x16xf32>, memref<8x16xf32>) -> ()
    %y3 = memref.alloc() : memref<8x16xf32>
    func.call @forward(%y2, %w3, %y3) : (memref<8x16xf32>, memref<16x16xf32>, memref<8x16xf32>) -> ()
    %target = memref.alloc() : memref<8x16xf32>
    func.call @rows(%t, %at, %target) : (memref<32x16xf32>, index, memref<8x16xf32>) -> ()
    %dx4 = memref.alloc() : memref<8x16xf32>
    func.call @difference(%y3, %target, %dx4) : (memref<8x16xf32>, memref<8x16xf32>, memref<8x16xf32>) -> ()
    %dz3 = memref.alloc() : memref<8x16xf32>
    func.call @where_positive(%dx4, %y3, %dz3) : (memref<8x16xf32>, memref<8x16xf32>, memref<8x16xf32>) -> ()
    %dx3 = memref.alloc() : memref<8x16xf32>
    func.call @input_gradient(%dz3, %w3, %dx3) : (memref<8x16xf32>, memref<16x16xf32>, memref<8x16xf32>) -> ()
    %n3 = memref.alloc() : memref<16x16xf32>
    func.call @weight_gradient(%y2, %dz3, %g3, %n3)
        : (memref<8x16xf32>, memref<8x16xf32>, memref<16x16xf32>, memref<16x16xf32>) -> ()
    %dz2 = memref.alloc() : memref<8x16xf32>
    func.call @where_positive(%dx3, %y2, %dz2) : (memref<8x16xf32>, memref<8x16xf32>, memref<8x16xf32>) -> ()
    %dx2 = memref.alloc() : memref<8x16xf32>
    func.call @input_gradient(%dz2, %w2, %dx2) : (memref<8x16xf32>, memref<16x16xf32>, memref<8x16xf32>) -> ()
    %n2 = memref.alloc() : memref<16x16xf32>
    func.call @weight_gradient(%y1, %dz2, %g2, %n2)
        : (memref<8x16xf32>, memref<8x16xf32>, memref<16x16xf32>, memref<16x16xf32>) -> ()
    %dz1 = memref.alloc() : memref<8x16xf32>
    func.call @where_positive(%dx2, %y1, %dz1) : (memref<8x16xf32>, memref<8x16xf32>, memref<8x16xf32>) -> ()
    %dx1 = memref.alloc() : memref<8x16xf32>
    func.call @input_gradient(%dz1, %w1, %dx1) : (memref<8x16xf32>, memref<16x16xf32>, memref<8x16xf32>) -> ()
    %n1 = memref.alloc() : memref<16x16xf32>
    func.call @weight_gradient(%y0, %dz1, %g1, %n1)
        : (memref<8x16xf32>, memref<8x16xf32>, memref<16x16xf32>, memref<16x16xf32>) -> ()
    %dz0 = memref.alloc() : memref<8x16xf32>
    func.call @where_positive(%dx1, %y0, %dz0) : (memref<8x16xf32>, memref<8x16xf32>, memref<8x16xf32>) -> ()
    %n0 = memref.alloc() : memref<16x16xf32>
    func.call @weight_gradient(%in0, %dz0, %g0, %n0)
        : (memref<8x16xf32>, memref<8x16xf32>, memref<16x16xf32>, memref<16x16xf32>) -> ()
    scf.yield %n0, %n1, %n2, %n3
        : memref<16x16xf32>, memref<16x16xf32>, memref<16x16xf32>, memref<16x16xf32>
  }
  return %sums#0, %sums#1, %sums#2, %sums#3
      : memref<16x16xf32>, memref<16x16xf32>, memref<16x16xf32>, memref<16x16xf32>
}
