// A remark for each loop and function says how many waits there are, and how many are shown to be needed.
// RUN: cat %toy %s | zpu-opt --zpu-inject-dma-barrier -o /dev/null --remarks-filter=zpu-inject-dma-barrier --remark-format=emitRemark 2>&1 | FileCheck %s

!chip = memref<8xf32, #zpu.space<rsram>>
!dram = memref<8xf32, #zpu.space<dram>>

// The computation waits for the load, the load of the next iteration for the computation; after the loop, the caller for it.
// CHECK: [Analysis] waits | {{.*}}Function=one_buffer | Minimum=2, Remark="2 waits in this loop, minimum 2", Waits=2
// CHECK: [Analysis] waits | {{.*}}Function=one_buffer | Minimum=3, Remark="3 waits in this function, minimum 3", Waits=3
func.func @one_buffer(%n: index, %x: !dram {llvm.noalias}, %b: !chip {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    zpu.dma %x to %b on @odma0 : !dram to !chip
    zpu.compute on @vector {
      linalg.exp ins(%b : !chip) outs(%b : !chip)
    }
  }
  return
}

// What is needed on one side of a branch only is no reason to leave out a wait after it.
// CHECK: Function=branch | Minimum=3, Remark="3 waits in this function, minimum 3", Waits=3
func.func @branch(%p: i1, %x: !dram {llvm.noalias}, %b: !chip {llvm.noalias}) {
  %c = memref.alloc() : !chip
  zpu.dma %x to %b on @odma0 : !dram to !chip
  scf.if %p {
    zpu.compute on @vector {
      linalg.exp ins(%c : !chip) outs(%c : !chip)
    }
    zpu.compute on @vector {
      linalg.exp ins(%b : !chip) outs(%b : !chip)
    }
  }
  return
}

// Whether a trip is done is read from memory that nothing here writes: both may be.
// CHECK: Function=mask | Minimum=2, Remark="2 waits in this loop, minimum 2", Waits=2
// CHECK: Function=mask | Minimum=4, Remark="4 waits in this function, minimum 4", Waits=4
func.func @mask(%mask: memref<4xi8> {llvm.noalias}, %x: !dram {llvm.noalias}, %b: !chip {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0 : i8
  scf.for %i = %c0 to %c4 step %c1 {
    zpu.dma %x to %b on @odma0 : !dram to !chip
    %bit = memref.load %mask[%i] : memref<4xi8>
    %is_done = arith.cmpi ne, %bit, %zero : i8
    scf.if %is_done {
      zpu.compute on @vector {
        linalg.exp ins(%b : !chip) outs(%b : !chip)
      }
    }
  }
  return
}

// Starts that are there already are left to their author, and counted. Here the second wait is one too many.
// CHECK: [Missed] asynchronous-body | {{.*}}Function=by_hand
// CHECK: Function=by_hand | Minimum=1, Remark="2 waits in this function, minimum at least 1", Waits=2
func.func @by_hand(%x: !dram {llvm.noalias}, %b: !chip {llvm.noalias}) {
  %early = zpu.dma_start %x to %b on @odma0 : !dram to !chip
  %late = zpu.dma_start %x to %b on @odma0 : !dram to !chip
  zpu.dma_wait %late : !zpu.token<@odma0>
  zpu.dma_wait %early : !zpu.token<@odma0>
  return
}
