// A training step of a perceptron of two layers, on two meshes: four microbatches, and the sums of their gradients.
//
//   mesh 0: h = relu(x W1)        dW1 += x^T dz,  dz = dh where h > 0
//   mesh 1: y = h W2,  dy = y - t  dW2 += h^T dy,  dh = dy W2^T
//
// @step has the loop over microbatches with fragments in its body; @alone computes the same on one device, one
// microbatch after the other. The sums go from one microbatch to the next, so that they are made in one order.

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

func.func @step(%x: memref<32x16xf32>, %t: memref<32x16xf32>, %w1: memref<16x16xf32>, %w2: memref<16x16xf32>,
                %none: memref<16x16xf32>) -> (memref<16x16xf32>, memref<16x16xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %sums:2 = scf.for %at = %c0 to %c32 step %c8 iter_args(%g1 = %none, %g2 = %none)
      -> (memref<16x16xf32>, memref<16x16xf32>) {
    %f0, %h = zpu.fragment @m0 origins [#zpu.origin<"layer1">] stage 0 (%all = %x, %w = %w1, %first = %at)
        : (memref<32x16xf32>, memref<16x16xf32>, index) -> memref<8x16xf32> {
      %zero = arith.constant 0.0 : f32
      %rows = memref.subview %all[%first, 0] [8, 16] [1, 1]
          : memref<32x16xf32> to memref<8x16xf32, strided<[16, 1], offset: ?>>
      %z = memref.alloc() : memref<8x16xf32>
      linalg.fill ins(%zero : f32) outs(%z : memref<8x16xf32>)
      linalg.matmul ins(%rows, %w : memref<8x16xf32, strided<[16, 1], offset: ?>>, memref<16x16xf32>)
                    outs(%z : memref<8x16xf32>)
      %out = memref.alloc() : memref<8x16xf32>
      linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
          ins(%z : memref<8x16xf32>) outs(%out : memref<8x16xf32>) {
      ^bb0(%from: f32, %to: f32):
        %positive = arith.maximumf %from, %zero : f32
        linalg.yield %positive : f32
      }
      memref.dealloc %z : memref<8x16xf32>
      zpu.return %out : memref<8x16xf32>
    }
    %h1 = zpu.transfer %h from @m0 to @m1 : memref<8x16xf32>
    %f1, %y = zpu.fragment @m1 origins [#zpu.origin<"layer2">] stage 1 (%in = %h1, %w = %w2)
        : (memref<8x16xf32>, memref<16x16xf32>) -> memref<8x16xf32> {
      %zero = arith.constant 0.0 : f32
      %out = memref.alloc() : memref<8x16xf32>
      linalg.fill ins(%zero : f32) outs(%out : memref<8x16xf32>)
      linalg.matmul ins(%in, %w : memref<8x16xf32>, memref<16x16xf32>) outs(%out : memref<8x16xf32>)
      zpu.return %out : memref<8x16xf32>
    }
    %b1, %dy, %dh = zpu.fragment @m1 origins [#zpu.origin<"layer2"(1)>] stage 1 split keep_transferred
        (%out = %y, %target = %t, %w = %w2, %first = %at)
        : (memref<8x16xf32>, memref<32x16xf32>, memref<16x16xf32>, index) -> (memref<8x16xf32>, memref<8x16xf32>) {
      %zero = arith.constant 0.0 : f32
      %rows = memref.subview %target[%first, 0] [8, 16] [1, 1]
          : memref<32x16xf32> to memref<8x16xf32, strided<[16, 1], offset: ?>>
      %error = memref.alloc() : memref<8x16xf32>
      linalg.sub ins(%out, %rows : memref<8x16xf32>, memref<8x16xf32, strided<[16, 1], offset: ?>>)
                 outs(%error : memref<8x16xf32>)
      %back = memref.alloc() : memref<8x16xf32>
      linalg.fill ins(%zero : f32) outs(%back : memref<8x16xf32>)
      linalg.generic {indexing_maps = [#left, #right_turned, #product],
                      iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%error, %w : memref<8x16xf32>, memref<16x16xf32>) outs(%back : memref<8x16xf32>) {
      ^bb0(%a: f32, %b: f32, %c: f32):
        %p = arith.mulf %a, %b : f32
        %s = arith.addf %c, %p : f32
        linalg.yield %s : f32
      }
      zpu.return %error, %back : memref<8x16xf32>, memref<8x16xf32>
    }
    %dh0 = zpu.transfer %dh from @m1 to @m0 : memref<8x16xf32>
    %w1_done, %n2 = zpu.fragment @m1 origins [#zpu.origin<"layer2"(1)>] stage 1 split drop_transferred
        (%in = %h1, %error = %dy, %sum = %g2)
        : (memref<8x16xf32>, memref<8x16xf32>, memref<16x16xf32>) -> memref<16x16xf32> {
      %next = memref.alloc() : memref<16x16xf32>
      memref.copy %sum, %next : memref<16x16xf32> to memref<16x16xf32>
      linalg.generic {indexing_maps = [#left_turned, #right, #product],
                      iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%in, %error : memref<8x16xf32>, memref<8x16xf32>) outs(%next : memref<16x16xf32>) {
      ^bb0(%a: f32, %b: f32, %c: f32):
        %p = arith.mulf %a, %b : f32
        %s = arith.addf %c, %p : f32
        linalg.yield %s : f32
      }
      zpu.return %next : memref<16x16xf32>
    }
    %b0, %dz = zpu.fragment @m0 origins [#zpu.origin<"layer1"(1)>] stage 0 split keep_transferred
        (%out = %h, %back = %dh0) : (memref<8x16xf32>, memref<8x16xf32>) -> memref<8x16xf32> {
      %zero = arith.constant 0.0 : f32
      %error = memref.alloc() : memref<8x16xf32>
      linalg.generic {indexing_maps = [#same, #same, #same], iterator_types = ["parallel", "parallel"]}
          ins(%out, %back : memref<8x16xf32>, memref<8x16xf32>) outs(%error : memref<8x16xf32>) {
      ^bb0(%value: f32, %slope: f32, %to: f32):
        %on = arith.cmpf ogt, %value, %zero : f32
        %part = arith.select %on, %slope, %zero : f32
        linalg.yield %part : f32
      }
      zpu.return %error : memref<8x16xf32>
    }
    %w0_done, %n1 = zpu.fragment @m0 origins [#zpu.origin<"layer1"(1)>] stage 0 split drop_transferred
        (%all = %x, %error = %dz, %sum = %g1, %first = %at)
        : (memref<32x16xf32>, memref<8x16xf32>, memref<16x16xf32>, index) -> memref<16x16xf32> {
      %rows = memref.subview %all[%first, 0] [8, 16] [1, 1]
          : memref<32x16xf32> to memref<8x16xf32, strided<[16, 1], offset: ?>>
      %next = memref.alloc() : memref<16x16xf32>
      memref.copy %sum, %next : memref<16x16xf32> to memref<16x16xf32>
      linalg.generic {indexing_maps = [#left_turned, #right, #product],
                      iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%rows, %error : memref<8x16xf32, strided<[16, 1], offset: ?>>, memref<8x16xf32>)
          outs(%next : memref<16x16xf32>) {
      ^bb0(%a: f32, %b: f32, %c: f32):
        %p = arith.mulf %a, %b : f32
        %s = arith.addf %c, %p : f32
        linalg.yield %s : f32
      }
      zpu.return %next : memref<16x16xf32>
    }
    scf.yield %n1, %n2 : memref<16x16xf32>, memref<16x16xf32>
  }
  return %sums#0, %sums#1 : memref<16x16xf32>, memref<16x16xf32>
}

func.func @alone(%x: memref<32x16xf32>, %t: memref<32x16xf32>, %w1: memref<16x16xf32>, %w2: memref<16x16xf32>,
                 %none: memref<16x16xf32>) -> (memref<16x16xf32>, memref<16x16xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant 0.0 : f32
  %g1 = memref.alloc() : memref<16x16xf32>
  %g2 = memref.alloc() : memref<16x16xf32>
  memref.copy %none, %g1 : memref<16x16xf32> to memref<16x16xf32>
  memref.copy %none, %g2 : memref<16x16xf32> to memref<16x16xf32>
  scf.for %at = %c0 to %c32 step %c8 {
    %rows = memref.subview %x[%at, 0] [8, 16] [1, 1]
        : memref<32x16xf32> to memref<8x16xf32, strided<[16, 1], offset: ?>>
    %targets = memref.subview %t[%at, 0] [8, 16] [1, 1]
        : memref<32x16xf32> to memref<8x16xf32, strided<[16, 1], offset: ?>>
    %h = memref.alloc() : memref<8x16xf32>
    linalg.fill ins(%zero : f32) outs(%h : memref<8x16xf32>)
    linalg.matmul ins(%rows, %w1 : memref<8x16xf32, strided<[16, 1], offset: ?>>, memref<16x16xf32>)
                  outs(%h : memref<8x16xf32>)
    linalg.generic {indexing_maps = [#same], iterator_types = ["parallel", "parallel"]} outs(%h : memref<8x16xf32>) {
    ^bb0(%from: f32):
      %positive = arith.maximumf %from, %zero : f32
      linalg.yield %positive : f32
    }
    %dy = memref.alloc() : memref<8x16xf32>
    linalg.fill ins(%zero : f32) outs(%dy : memref<8x16xf32>)
    linalg.matmul ins(%h, %w2 : memref<8x16xf32>, memref<16x16xf32>) outs(%dy : memref<8x16xf32>)
    linalg.sub ins(%dy, %targets : memref<8x16xf32>, memref<8x16xf32, strided<[16, 1], offset: ?>>)
               outs(%dy : memref<8x16xf32>)
    %dh = memref.alloc() : memref<8x16xf32>
    linalg.fill ins(%zero : f32) outs(%dh : memref<8x16xf32>)
    linalg.generic {indexing_maps = [#left, #right_turned, #product],
                    iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%dy, %w2 : memref<8x16xf32>, memref<16x16xf32>) outs(%dh : memref<8x16xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %c, %p : f32
      linalg.yield %s : f32
    }
    linalg.generic {indexing_maps = [#left_turned, #right, #product],
                    iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%h, %dy : memref<8x16xf32>, memref<8x16xf32>) outs(%g2 : memref<16x16xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %c, %p : f32
      linalg.yield %s : f32
    }
    linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
        ins(%h : memref<8x16xf32>) outs(%dh : memref<8x16xf32>) {
    ^bb0(%value: f32, %slope: f32):
      %on = arith.cmpf ogt, %value, %zero : f32
      %part = arith.select %on, %slope, %zero : f32
      linalg.yield %part : f32
    }
    linalg.generic {indexing_maps = [#left_turned, #right, #product],
                    iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%rows, %dh : memref<8x16xf32, strided<[16, 1], offset: ?>>, memref<8x16xf32>)
        outs(%g1 : memref<16x16xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %c, %p : f32
      linalg.yield %s : f32
    }
    memref.dealloc %h : memref<8x16xf32>
    memref.dealloc %dy : memref<8x16xf32>
    memref.dealloc %dh : memref<8x16xf32>
  }
  return %g1, %g2 : memref<16x16xf32>, memref<16x16xf32>
}
