// One conversion for two readers. A majority vote would convert twice: before the elementwise operation, and back for
// the reader that wants the other order.
// RUN: cat %toy %s | zpu-opt --zpu-assign-layouts --remarks-filter='zpu-.*' --remark-format=emitRemark -o %t.mlir 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s < %t.mlir
// RUN: cat %toy %s | zpu-opt --zpu-assign-layouts=algorithm=vote --remarks-filter='zpu-.*' --remark-format=emitRemark -o %t.vote.mlir 2>&1 | FileCheck %s --check-prefix=VOTE
// RUN: FileCheck %s --check-prefix=KEPT < %t.vote.mlir

// REMARK: [Passed] assigned | Category:zpu-assign-layouts | Function=fork
// REMARK-SAME: AsWritten=5120, Bytes=2560, Conversions=1, MajorityVote=5120, Proven=true
// REMARK-SAME: conversions move 2560 bytes, the fewest possible; 5120 as written, 5120 by majority vote
// REMARK: tensor of 16x40: expected producer layout [0, 1], expected consumer layouts any, current layout [0, 1]
// REMARK: tensor of 16x40: expected producer layout any, expected consumer layouts [0, 1], [1, 0], current layout [0, 1]
// REMARK: [Passed] conversion
// REMARK-SAME: converted from [0, 1] to [1, 0]: 2560 bytes

// VOTE: [Analysis] as-written
// VOTE-SAME: AsWritten=5120, Bytes=5120, Conversions=2, MajorityVote=5120, Proven=false
// KEPT-COUNT-2: linalg.transpose

// CHECK-LABEL: func.func @fork
// CHECK-SAME:    %[[P:.*]]: tensor<16x40xf32>
// CHECK:         %[[E:.*]] = linalg.exp ins(%[[P]] : tensor<16x40xf32>)
// CHECK-NEXT:    %[[EMPTY:.*]] = tensor.empty() : tensor<40x16xf32>
// CHECK-NEXT:    %[[T:.*]] = linalg.transpose ins(%[[E]] : tensor<16x40xf32>) outs(%[[EMPTY]] : tensor<40x16xf32>) permutation = [1, 0]
// CHECK-NEXT:    tensor.extract_slice %[[T]][0, 3]
// CHECK-NEXT:    tensor.extract_slice %[[T]][0, 5]
// CHECK-NEXT:    tensor.extract_slice %[[E]][7, 0]
// CHECK-NEXT:    return
func.func @fork(%p: tensor<16x40xf32>) -> (tensor<40x1xf32>, tensor<40x1xf32>, tensor<1x40xf32>) {
  %rows = tensor.empty() : tensor<16x40xf32>
  %e = linalg.exp ins(%p : tensor<16x40xf32>) outs(%rows : tensor<16x40xf32>) -> tensor<16x40xf32>
  %columns = tensor.empty() : tensor<40x16xf32>
  %t = linalg.transpose ins(%e : tensor<16x40xf32>) outs(%columns : tensor<40x16xf32>) permutation = [1, 0]
  %first = tensor.extract_slice %t[0, 3] [40, 1] [1, 1] : tensor<40x16xf32> to tensor<40x1xf32>
  %u = linalg.transpose ins(%e : tensor<16x40xf32>) outs(%columns : tensor<40x16xf32>) permutation = [1, 0]
  %second = tensor.extract_slice %u[0, 5] [40, 1] [1, 1] : tensor<40x16xf32> to tensor<40x1xf32>
  %third = tensor.extract_slice %e[7, 0] [1, 40] [1, 1] : tensor<16x40xf32> to tensor<1x40xf32>
  return %first, %second, %third : tensor<40x1xf32>, tensor<40x1xf32>, tensor<1x40xf32>
}
