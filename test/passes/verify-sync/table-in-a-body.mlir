// What the body of a structured operation loads by itself is read there, wherever its indices lead.
// RUN: cat %toy %s | not zpu-opt --zpu-verify-sync --remarks-filter='zpu-verify-sync' --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s

!d = memref<8xf32, #zpu.space<dram>>
!r = memref<8xf32, #zpu.space<rsram>>
#id = affine_map<(i) -> (i)>

// The table is still on its way.
// CHECK: error: possible read-after-write race: `linalg.generic` reads the buffer allocated at
func.func @on_its_way(%x: !d {llvm.noalias}, %at: memref<8xindex, #zpu.space<rsram>> {llvm.noalias}, %out: !r {llvm.noalias}) {
  %table = memref.alloc() : !r
  %t = zpu.dma_start %x to %table on @odma0 : !d to !r
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
    ins(%at : memref<8xindex, #zpu.space<rsram>>) outs(%out : !r) {
  ^bb0(%i: index, %old: f32):
    %v = memref.load %table[%i] : !r
    linalg.yield %v : f32
  }
  zpu.dma_wait %t : !zpu.token<@odma0>
  return
}

// CHECK: proven | Category:zpu-verify-sync | Function=there
func.func @there(%x: !d {llvm.noalias}, %at: memref<8xindex, #zpu.space<rsram>> {llvm.noalias}, %out: !r {llvm.noalias}) {
  %table = memref.alloc() : !r
  %t = zpu.dma_start %x to %table on @odma0 : !d to !r
  zpu.dma_wait %t : !zpu.token<@odma0>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
    ins(%at : memref<8xindex, #zpu.space<rsram>>) outs(%out : !r) {
  ^bb0(%i: index, %old: f32):
    %v = memref.load %table[%i] : !r
    linalg.yield %v : f32
  }
  return
}
