// Views, arithmetic and loads by the control stream go where their users go, and stay after what they need; the body of an
// outer loop is ordered between its inner loops, an innermost loop that the planner takes is not.
// RUN: zpu-opt %s --zpu-schedule-dma-compute-overlap -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: zpu-opt %s --zpu-inject-dma-barrier -o %t.before.mlir
// RUN: zpu-opt %t.mlir --zpu-inject-dma-barrier -o %t.after.mlir
// RUN: zpu-sim compare %t.before.mlir %t.after.mlir --entry=indirect --init random:1 --arg 1=1 | FileCheck %s --check-prefix=EQUAL
// RUN: zpu-sim compare %t.before.mlir %t.after.mlir --entry=nest --init random:1 | FileCheck %s --check-prefix=EQUAL
// EQUAL: equal

zpu.device @d clock 1.0 off_chip @dram default_space @sram {
  zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
  zpu.memory @dram bytes 1073741824 align 64
  zpu.memory @sram bytes 1048576 align 64
  zpu.engine @odma0 dma depth 8 when_full stall cost {bytes_per_cycle = 64.0, gap = 10 : i64}
  zpu.route @odma0 from @dram to @sram
  zpu.route @odma0 from @sram to @dram
  zpu.engine @odma1 dma depth 8 when_full stall cost {bytes_per_cycle = 64.0, gap = 10 : i64}
  zpu.route @odma1 from @dram to @sram
  zpu.engine @vector vector depth 8 when_full stall cost {per_cycle = 64.0}
  zpu.sync ids 64 barriers 16 never_issued return
}

!off = memref<256x64xf32, #zpu.space<dram>>
!part = memref<64x64xf32, strided<[64, 1], offset: ?>, #zpu.space<dram>>
!out = memref<64x64xf32, #zpu.space<dram>>
!on = memref<64x64xf32, #zpu.space<sram>>

// CHECK-LABEL: func.func @indirect
// CHECK: memref.load
// CHECK: zpu.dma
// CHECK: memref.load
// CHECK: zpu.dma
// CHECK: linalg.add
// CHECK: linalg.add
func.func @indirect(%x: !off {llvm.noalias}, %which: memref<2xindex, #zpu.space<dram>> {llvm.noalias}, %z: !out {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %a = memref.alloc() : !on
  %b = memref.alloc() : !on
  %c = memref.alloc() : !on
  %first = memref.load %which[%c0] : memref<2xindex, #zpu.space<dram>>
  %at_first = arith.muli %first, %c64 : index
  %part = memref.subview %x[%at_first, 0] [64, 64] [1, 1] : !off to !part
  zpu.dma %part to %a on @odma0 : !part to !on
  zpu.compute on @vector {
    linalg.add ins(%a, %a : !on, !on) outs(%c : !on)
  }
  %second = memref.load %which[%c1] : memref<2xindex, #zpu.space<dram>>
  %at_second = arith.muli %second, %c64 : index
  %other = memref.subview %x[%at_second, 0] [64, 64] [1, 1] : !off to !part
  zpu.dma %other to %b on @odma0 : !part to !on
  zpu.compute on @vector {
    linalg.add ins(%b, %c : !on, !on) outs(%c : !on)
  }
  zpu.dma %c to %z on @odma0 : !on to !out
  return
}

// CHECK-LABEL: func.func @nest
// CHECK: scf.for
// CHECK: zpu.dma
// CHECK: zpu.dma
// CHECK: linalg.add
// CHECK: linalg.add
// CHECK: scf.for
// CHECK: zpu.dma
// CHECK: linalg.max
// CHECK: zpu.dma
// CHECK: linalg.max
func.func @nest(%x: !off {llvm.noalias}, %z: !out {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %a = memref.alloc() : !on
  %b = memref.alloc() : !on
  %c = memref.alloc() : !on
  scf.for %i = %c0 to %c128 step %c64 {
    %part = memref.subview %x[%i, 0] [64, 64] [1, 1] : !off to !part
    zpu.dma %part to %a on @odma0 : !part to !on
    zpu.compute on @vector {
      linalg.add ins(%a, %a : !on, !on) outs(%c : !on)
    }
    %next = arith.addi %i, %c64 : index
    %other = memref.subview %x[%next, 0] [64, 64] [1, 1] : !off to !part
    zpu.dma %other to %b on @odma0 : !part to !on
    zpu.compute on @vector {
      linalg.add ins(%b, %c : !on, !on) outs(%c : !on)
    }
    scf.for %j = %c0 to %c128 step %c64 {
      %inner = memref.subview %x[%j, 0] [64, 64] [1, 1] : !off to !part
      zpu.dma %inner to %a on @odma0 : !part to !on
      zpu.compute on @vector {
        linalg.max ins(%a, %c : !on, !on) outs(%c : !on)
      }
      zpu.dma %inner to %b on @odma0 : !part to !on
      zpu.compute on @vector {
        linalg.max ins(%b, %c : !on, !on) outs(%c : !on)
      }
    }
  }
  zpu.dma %c to %z on @odma0 : !on to !out
  return
}
