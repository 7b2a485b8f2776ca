// After mlp4.mlir: layers 0 and 2 on the first mesh, 1 and 3 on the second: stages go round the meshes.

func.func @step(%x: memref<32x16xf32>, %t: memref<32x16xf32>, %w0: memref<16x16xf32>, %w1: memref<16x16xf32>,
                %w2: memref<16x16xf32>, %w3: memref<16x16xf32>,
                %none: memref<16x16xf32>)
    -> (memref<16x16xf32>, memref<16x16xf32>, memref<16x16xf32>, memref<16x16xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %sums:4 = scf.for %at = %c0 to %c32 step %c8 iter_args(%g0 = %none, %g1 = %none, %g2 = %none, %g3 = %none)
      -> (memref<16x16xf32>, memref<16x16xf32>, memref<16x16xf32>, memref<16x16xf32>) {
    %din0, %in0, %y0 = zpu.fragment @m0 origins [#zpu.origin<"layer0">] stage 0
        (%all = %x, %first = %at, %w = %w0)
        : (memref<32x16xf32>, index, memref<16x16xf32>) -> (memref<8x16xf32>, memref<8x16xf32>) {
      %in = memref.alloc() : memref<8x16xf32>
      func.call @rows(%all, %first, %in) : (memref<32x16xf32>, index, memref<8x16xf32>) -> ()
      %y = memref.alloc() : memref<8x16xf32>
      func.call @forward(%in, %w, %y) : (memref<8x16xf32>, memref<16x16xf32>, memref<8x16xf32>) -> ()
      zpu.return %in, %y : memref<8x16xf32>, memref<8x16xf32>
    }
    %in1 = zpu.transfer %y0 from @m0 to @m1 : memref<8x16xf32>
    %dy1, %y1 = zpu.fragment @m1 origins [#zpu.origin<"layer1">] stage 1
        (%in = %in1, %w = %w1)
        : (memref<8x16xf32>, memref<16x16xf32>) -> (memref<8x16xf32>) {
      %y = memref.alloc() : memref<8x16xf32>
      func.call @forward(%in, %w, %y) : (memref<8x16xf32>, memref<16x16xf32>, memref<8x16xf32>) -> ()
      zpu.return %y : memref<8x16xf32>
    }
    %in2 = zpu.transfer %y1 from @m1 to @m0 : memref<8x16xf32>
    %dy2, %y2 = zpu.fragment @m0 origins [#zpu.origin<"layer2">] stage 2
        (%in = %in2, %w = %w2)
        : (memref<8x16xf32>, memref<16x16xf32>) -> (memref<8x16xf32>) {
      %y = memref.alloc() : memref<8x16xf32>
      func.call @forward(%in, %w, %y) : (memref<8x16xf32>, memref<16x16xf32>, memref<8x16xf32>) -> ()
      zpu.return %y : memref<8x16xf32>
    }
    %in3 = zpu.transfer %y2 from @m0 to @m1 : memref<8x16xf32>
    %dy3, %y3 = zpu.fragment @m1 origins [#zpu.origin<"layer3">] stage 3
        (%in = %in3, %w = %w3)
        : (memref<8x16xf32>, memref<16x16xf32>) -> (memref<8x16xf32>) {
      %y = memref.alloc() : memref<8x16xf32>
      func.call @forward(%in, %w, %y) : (memref<8x16xf32>, memref<16x16xf32>, memref<8x16xf32>) -> ()
      zpu.return %y : memref<8x16xf32>
    }
    %ddz3, %dz3, %dx3 = zpu.fragment @m1 origins [#zpu.origin<"layer3"(1)>] stage 3 split keep_transferred
        (%y = %y3, %all = %t, %first = %at, %w = %w3)
        : (memref<8x16xf32>, memref<32x16xf32>, index, memref<16x16xf32>) -> (memref<8x16xf32>, memref<8x16xf32>) {
      %target = memref.alloc() : memref<8x16xf32>
      func.call @rows(%all, %first, %target) : (memref<32x16xf32>, index, memref<8x16xf32>) -> ()
      %dy = memref.alloc() : memref<8x16xf32>
      func.call @difference(%y, %target, %dy) : (memref<8x16xf32>, memref<8x16xf32>, memref<8x16xf32>) -> ()
      %dz = memref.alloc() : memref<8x16xf32>
      func.call @where_positive(%dy, %y, %dz) : (memref<8x16xf32>, memref<8x16xf32>, memref<8x16xf32>) -> ()
      %dx = memref.alloc() : memref<8x16xf32>
      func.call @input_gradient(%dz, %w, %dx) : (memref<8x16xf32>, memref<16x16xf32>, memref<8x16xf32>) -> ()
      memref.dealloc %target : memref<8x16xf32>
      memref.dealloc %dy : memref<8x16xf32>
      zpu.return %dz, %dx : memref<8x16xf32>, memref<8x16xf32>
    }
    %dn3, %n3 = zpu.fragment @m1 origins [#zpu.origin<"layer3"(1)>] stage 3 split drop_transferred
        (%in = %in3, %dz = %dz3, %sum = %g3)
        : (memref<8x16xf32>, memref<8x16xf32>, memref<16x16xf32>) -> (memref<16x16xf32>) {
      %new = memref.alloc() : memref<16x16xf32>
      func.call @weight_gradient(%in, %dz, %sum, %new)
          : (memref<8x16xf32>, memref<8x16xf32>, memref<16x16xf32>, memref<16x16xf32>) -> ()
      zpu.return %new : memref<16x16xf32>
    }
    %back2 = zpu.transfer %dx3 from @m1 to @m0 : memref<8x16xf32>
    %ddz2, %dz2, %dx2 = zpu.fragment @m0 origins [#zpu.origin<"layer2"(1)>] stage 2 split keep_transferred
        (%dy = %back2, %y = %y2, %w = %w2)
        : (memref<8x16xf32>, memref<8x16xf32>, memref<16x16xf32>) -> (memref<8x16xf32>, memref<8x16xf32>) {
      %dz = memref.alloc() : memref<8x16xf32>
      func.call @where_positive(%dy, %y, %dz) : (memref<8x16xf32>, memref<8x16xf32>, memref<8x16xf32>) -> ()
      %dx = memref.alloc() : memref<8x16xf32>
      func.call @input_gradient(%dz, %w, %dx) : (memref<8x16xf32>, memref<16x16xf32>, memref<8x16xf32>) -> ()
      zpu.return %dz, %dx : memref<8x16xf32>, memref<8x16xf32>
    }
    %dn2, %n2 = zpu.fragment @m0 origins [#zpu.origin<"layer2"(1)>] stage 2 split drop_transferred
        (%in = %in2, %dz = %dz2, %sum = %g2)
        : (memref<8x16xf32>, memref<8x16xf32>, memref<16x16xf32>) -> (memref<16x16xf32>) {
      %new = memref.alloc() : memref<16x16xf32>
      func.call @weight_gradient(%in, %dz, %sum, %new)
          : (memref<8x16xf32>, memref<8x16xf32>, memref<16x16xf32>, memref<16x16xf32>) -> ()
      zpu.return %new : memref<16x16xf32>
    }
    %back1 = zpu.transfer %dx2 from @m0 to @m1 : memref<8x16xf32>
    %ddz1, %dz1, %dx1 = zpu.fragment @m1 origins [#zpu.origin<"layer1"(1)>] stage 1 split keep_transferred
        (%dy = %back1, %y = %y1, %w = %w1)
        : (memref<8x16xf32>, memref<8x16xf32>, memref<16x16xf32>) -> (memref<8x16xf32>, memref<8x16xf32>) {
      %dz = memref.alloc() : memref<8x16xf32>
      func.call @where_positive(%dy, %y, %dz) : (memref<8x16xf32>, memref<8x16xf32>, memref<8x16xf32>) -> ()
      %dx = memref.alloc() : memref<8x16xf32>
      func.call @input_gradient(%dz, %w, %dx) : (memref<8x16xf32>, memref<16x16xf32>, memref<8x16xf32>) -> ()
      zpu.return %dz, %dx : memref<8x16xf32>, memref<8x16xf32>
    }
    %dn1, %n1 = zpu.fragment @m1 origins [#zpu.origin<"layer1"(1)>] stage 1 split drop_transferred
        (%in = %in1, %dz = %dz1, %sum = %g1)
        : (memref<8x16xf32>, memref<8x16xf32>, memref<16x16xf32>) -> (memref<16x16xf32>) {
      %new = memref.alloc() : memref<16x16xf32>
      func.call @weight_gradient(%in, %dz, %sum, %new)
          : (memref<8x16xf32>, memref<8x16xf32>, memref<16x16xf32>, memref<16x16xf32>) -> ()
      zpu.return %new : memref<16x16xf32>
    }
    %back0 = zpu.transfer %dx1 from @m1 to @m0 : memref<8x16xf32>
    %ddz0, %dz0 = zpu.fragment @m0 origins [#zpu.origin<"layer0"(1)>] stage 0 split keep_transferred
        (%dy = %back0, %y = %y0)
        : (memref<8x16xf32>, memref<8x16xf32>) -> (memref<8x16xf32>) {
      %dz = memref.alloc() : memref<8x16xf32>
      func.call @where_positive(%dy, %y, %dz) : (memref<8x16xf32>, memref<8x16xf32>, memref<8x16xf32>) -> ()
      zpu.return %dz : memref<8x16xf32>
    }
    %dn0, %n0 = zpu.fragment @m0 origins [#zpu.origin<"layer0"(1)>] stage 0 split drop_transferred
        (%in = %in0, %dz = %dz0, %sum = %g0)
        : (memref<8x16xf32>, memref<8x16xf32>, memref<16x16xf32>) -> (memref<16x16xf32>) {
      %new = memref.alloc() : memref<16x16xf32>
      func.call @weight_gradient(%in, %dz, %sum, %new)
          : (memref<8x16xf32>, memref<8x16xf32>, memref<16x16xf32>, memref<16x16xf32>) -> ()
      zpu.return %new : memref<16x16xf32>
    }
    scf.yield %n0, %n1, %n2, %n3
        : memref<16x16xf32>, memref<16x16xf32>, memref<16x16xf32>, memref<16x16xf32>
  }
  return %sums#0, %sums#1, %sums#2, %sums#3
      : memref<16x16xf32>, memref<16x16xf32>, memref<16x16xf32>, memref<16x16xf32>
}
