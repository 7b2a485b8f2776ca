// The program zpu-sync makes synchronous commands asynchronous, finds their waits, and proves the result.
// RUN: cat %toy %s > %t.mlir
// RUN: zpu-opt %t.mlir --zpu-verify-sync=dump-problem=%t.dir -o /dev/null
// RUN: zpu-sync %t.dir/product.json --place=%t.json --waits | FileCheck %s
// RUN: zpu-sync %t.json | FileCheck %s --check-prefix=AGAIN
// RUN: zpu-sync %t.dir/product.json --place=- --ids=3 2>%t.err | zpu-sync - | FileCheck %s --check-prefix=IDS
// RUN: FileCheck %s --check-prefix=IDS < %t.err
// RUN: sh -c 'zpu-sync %t.dir/product.json --place=- --ids=11; test $? = 1' 2>&1 | FileCheck %s --check-prefix=LIMIT

// CHECK: operation [[#]] (`zpu.dma_wait`): needed
// CHECK-NEXT: operation [[#]] (`zpu.dma_wait`): needed
// CHECK-NEXT: operation [[#]] (`zpu.compute_wait`): needed
// CHECK-NEXT: operation [[#]] (`zpu.dma_wait`): needed
// CHECK-NOT: wait
// AGAIN: @product: proven: 4 asynchronous commands, 4 waits, 0 findings
// IDS: @product: proven: 4 asynchronous commands, 4 waits, 0 findings
// LIMIT: zpu-sync: error: --ids is 11, but device @toy has 10 barrier ids

!dram = memref<16x16xf32, #zpu.space<dram>>
!a = memref<16x16xf32, #zpu.space<asram>>
!b = memref<16x16xf32, #zpu.space<wsram>>
!c = memref<16x16xf32, #zpu.space<rsram>>
func.func @product(%x: !dram {llvm.noalias}, %y: !dram {llvm.noalias}, %z: !dram {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.alloc() : !a
    %b = memref.alloc() : !b
    %c = memref.alloc() : !c
    zpu.dma %x to %a on @odma0 : !dram to !a
    zpu.dma %y to %b on @odma1 : !dram to !b
    zpu.compute on @tensor {
      linalg.matmul ins(%a, %b : !a, !b) outs(%c : !c)
    }
    zpu.dma %c to %z on @odma0 : !c to !dram
    memref.dealloc %a : !a
    memref.dealloc %b : !b
    memref.dealloc %c : !c
  }
  return
}
