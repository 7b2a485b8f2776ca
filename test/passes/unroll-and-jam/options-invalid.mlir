// RUN: not zpu-opt %s --zpu-attach-device=device=toy --zpu-unroll-and-jam=factor=0 2>&1 | FileCheck %s --check-prefix=FACTOR
// RUN: not zpu-opt %s --zpu-attach-device=device=toy --zpu-unroll-and-jam=max-commands=2000 2>&1 | FileCheck %s --check-prefix=COMMANDS
// RUN: sed 's/@f()/@f() attributes {zpu.unroll_and_jam = 2000 : i64}/' %s | not zpu-opt --zpu-attach-device=device=toy --zpu-unroll-and-jam 2>&1 | FileCheck %s --check-prefix=WRITTEN
// RUN: zpu-opt %s --zpu-attach-device=device=toy --zpu-unroll-and-jam="factor=4 max-commands=2" --remarks-filter=zpu-unroll-and-jam --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=FEWER

// FACTOR: error: factor is 0, must be from 1 to 1024
// COMMANDS: error: max-commands is 2000, must be from 1 to 1024
// WRITTEN: error: zpu.unroll_and_jam is 2000, must be from 1 to 1024
// FEWER: [Missed] fewer | {{.*}}4 iterations of 1 commands are more than 2 commands; 2 run side by side
// FEWER: [Passed] jammed | {{.*}}Factor=2
func.func @f() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %c8 step %c1 {
    scf.for %k = %c0 to %c8 step %c1 {
      %a = memref.alloc() : memref<64xf32, #zpu.space<rsram>>
      zpu.compute on @vector {
        linalg.fill ins(%zero : f32) outs(%a : memref<64xf32, #zpu.space<rsram>>)
      }
    }
  }
  return
}
