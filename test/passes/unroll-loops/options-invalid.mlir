// RUN: not zpu-opt %s --zpu-attach-device=device=toy --zpu-unroll-loops=factor=0 2>&1 | FileCheck %s --check-prefix=FACTOR
// RUN: not zpu-opt %s --zpu-attach-device=device=toy --zpu-unroll-loops=max-commands=2000 2>&1 | FileCheck %s --check-prefix=COMMANDS
// RUN: not zpu-opt %s --zpu-attach-device=device=toy --zpu-split-transfers=max-pieces=-1 2>&1 | FileCheck %s --check-prefix=PIECES
// RUN: sed 's/@f()/@f() attributes {zpu.unroll = 2000 : i64}/' %s | not zpu-opt --zpu-attach-device=device=toy --zpu-unroll-loops 2>&1 | FileCheck %s --check-prefix=WRITTEN
// RUN: zpu-opt %s --zpu-attach-device=device=toy --zpu-unroll-loops="factor=8 max-commands=3" --remarks-filter=zpu-unroll-loops --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=FEWER

// FACTOR: error: factor is 0, must be from 1 to 1024
// COMMANDS: error: max-commands is 2000, must be from 1 to 1024
// PIECES: error: max-pieces is -1, must be from 1 to 1024
// WRITTEN: error: zpu.unroll is 2000, must be from 1 to 1024
// FEWER: [Missed] fewer | {{.*}}8 iterations of 1 commands are more than 3 commands; 3 become one
func.func @f() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %c9 step %c1 {
    %a = memref.alloc() : memref<64xf32, #zpu.space<rsram>>
    zpu.compute on @vector {
      linalg.fill ins(%zero : f32) outs(%a : memref<64xf32, #zpu.space<rsram>>)
    }
  }
  return
}
