// Six loops around each other: only the three around the innermost one are written twice, so that the code stays small
// and compiling takes no minutes.
// RUN: zpu-opt %s --zpu-pipeline="device=trainium2-core num-stages=3 compare-plans=false" -o %t.mlir \
// RUN:   --remarks-filter='zpu-(pipeline-planning|inject-software-pipeline)' --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: grep -c 'scf.for' %t.mlir | FileCheck %s --check-prefix=LOOPS
// RUN: zpu-opt %s --zpu-pipeline="device=trainium2-core num-stages=0" -o %t.serial.mlir
// RUN: bash -ec 'for n in 0 1 2; do zpu-sim compare %t.serial.mlir %t.mlir --init random:1 --arg 12=$n; done' | FileCheck %s --check-prefix=SIM

// REMARK-DAG: 25:{{[0-9]+}}: remark: [Missed] deep-nest {{.*}}no load goes ahead: the loops in this one are written twice for each of 3 loops around each other
// REMARK-DAG: 32:{{[0-9]+}}: remark: [Missed] deep-nest
// REMARK-DAG: 39:{{[0-9]+}}: remark: [Analysis] prefetch
// REMARK-DAG: 46:{{[0-9]+}}: remark: [Analysis] prefetch
// REMARK-DAG: 53:{{[0-9]+}}: remark: [Analysis] prefetch
// LOOPS: {{^}}21{{$}}
// SIM-COUNT-3: values: equal
func.func @nest(%x0: memref<64x16xf32> {llvm.noalias}, %y0: memref<64x16xf32> {llvm.noalias},
               %x1: memref<64x16xf32> {llvm.noalias}, %y1: memref<64x16xf32> {llvm.noalias},
               %x2: memref<64x16xf32> {llvm.noalias}, %y2: memref<64x16xf32> {llvm.noalias},
               %x3: memref<64x16xf32> {llvm.noalias}, %y3: memref<64x16xf32> {llvm.noalias},
               %x4: memref<64x16xf32> {llvm.noalias}, %y4: memref<64x16xf32> {llvm.noalias},
               %x5: memref<64x16xf32> {llvm.noalias}, %y5: memref<64x16xf32> {llvm.noalias},
               %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i0 = %c0 to %n step %c1 {
    %b0 = memref.alloc() : memref<1x16xf32>
    %s0 = memref.subview %x0[%i0, 0][1, 16][1, 1] : memref<64x16xf32> to memref<1x16xf32, strided<[16, 1], offset: ?>>
    %t0 = memref.subview %y0[%i0, 0][1, 16][1, 1] : memref<64x16xf32> to memref<1x16xf32, strided<[16, 1], offset: ?>>
    memref.copy %s0, %b0 : memref<1x16xf32, strided<[16, 1], offset: ?>> to memref<1x16xf32>
    linalg.exp ins(%b0 : memref<1x16xf32>) outs(%b0 : memref<1x16xf32>)
    memref.copy %b0, %t0 : memref<1x16xf32> to memref<1x16xf32, strided<[16, 1], offset: ?>>
    scf.for %i1 = %c0 to %n step %c1 {
      %b1 = memref.alloc() : memref<1x16xf32>
      %s1 = memref.subview %x1[%i1, 0][1, 16][1, 1] : memref<64x16xf32> to memref<1x16xf32, strided<[16, 1], offset: ?>>
      %t1 = memref.subview %y1[%i1, 0][1, 16][1, 1] : memref<64x16xf32> to memref<1x16xf32, strided<[16, 1], offset: ?>>
      memref.copy %s1, %b1 : memref<1x16xf32, strided<[16, 1], offset: ?>> to memref<1x16xf32>
      linalg.exp ins(%b1 : memref<1x16xf32>) outs(%b1 : memref<1x16xf32>)
      memref.copy %b1, %t1 : memref<1x16xf32> to memref<1x16xf32, strided<[16, 1], offset: ?>>
      scf.for %i2 = %c0 to %n step %c1 {
        %b2 = memref.alloc() : memref<1x16xf32>
        %s2 = memref.subview %x2[%i2, 0][1, 16][1, 1] : memref<64x16xf32> to memref<1x16xf32, strided<[16, 1], offset: ?>>
        %t2 = memref.subview %y2[%i2, 0][1, 16][1, 1] : memref<64x16xf32> to memref<1x16xf32, strided<[16, 1], offset: ?>>
        memref.copy %s2, %b2 : memref<1x16xf32, strided<[16, 1], offset: ?>> to memref<1x16xf32>
        linalg.exp ins(%b2 : memref<1x16xf32>) outs(%b2 : memref<1x16xf32>)
        memref.copy %b2, %t2 : memref<1x16xf32> to memref<1x16xf32, strided<[16, 1], offset: ?>>
        scf.for %i3 = %c0 to %n step %c1 {
          %b3 = memref.alloc() : memref<1x16xf32>
          %s3 = memref.subview %x3[%i3, 0][1, 16][1, 1] : memref<64x16xf32> to memref<1x16xf32, strided<[16, 1], offset: ?>>
          %t3 = memref.subview %y3[%i3, 0][1, 16][1, 1] : memref<64x16xf32> to memref<1x16xf32, strided<[16, 1], offset: ?>>
          memref.copy %s3, %b3 : memref<1x16xf32, strided<[16, 1], offset: ?>> to memref<1x16xf32>
          linalg.exp ins(%b3 : memref<1x16xf32>) outs(%b3 : memref<1x16xf32>)
          memref.copy %b3, %t3 : memref<1x16xf32> to memref<1x16xf32, strided<[16, 1], offset: ?>>
          scf.for %i4 = %c0 to %n step %c1 {
            %b4 = memref.alloc() : memref<1x16xf32>
            %s4 = memref.subview %x4[%i4, 0][1, 16][1, 1] : memref<64x16xf32> to memref<1x16xf32, strided<[16, 1], offset: ?>>
            %t4 = memref.subview %y4[%i4, 0][1, 16][1, 1] : memref<64x16xf32> to memref<1x16xf32, strided<[16, 1], offset: ?>>
            memref.copy %s4, %b4 : memref<1x16xf32, strided<[16, 1], offset: ?>> to memref<1x16xf32>
            linalg.exp ins(%b4 : memref<1x16xf32>) outs(%b4 : memref<1x16xf32>)
            memref.copy %b4, %t4 : memref<1x16xf32> to memref<1x16xf32, strided<[16, 1], offset: ?>>
            scf.for %i5 = %c0 to %n step %c1 {
              %b5 = memref.alloc() : memref<1x16xf32>
              %s5 = memref.subview %x5[%i5, 0][1, 16][1, 1] : memref<64x16xf32> to memref<1x16xf32, strided<[16, 1], offset: ?>>
              %t5 = memref.subview %y5[%i5, 0][1, 16][1, 1] : memref<64x16xf32> to memref<1x16xf32, strided<[16, 1], offset: ?>>
              memref.copy %s5, %b5 : memref<1x16xf32, strided<[16, 1], offset: ?>> to memref<1x16xf32>
              linalg.exp ins(%b5 : memref<1x16xf32>) outs(%b5 : memref<1x16xf32>)
              memref.copy %b5, %t5 : memref<1x16xf32> to memref<1x16xf32, strided<[16, 1], offset: ?>>
            }
          }
        }
      }
    }
  }
  return
}
