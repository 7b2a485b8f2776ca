//! Operations that move the elements of a tensor and do nothing else.

use zpu_ir::affine::Map;
use zpu_ir::{Op, attr, ty};

use super::Order;

/// The dimensions of the operand that those of the result are, for a transpose of a tensor of a static shape: a
/// `linalg.transpose`, or a `linalg.generic` that does the same. Such a result is the operand under other names.
pub fn relabelling(op: Op<'_>) -> Option<Order> {
    if op.num_results() != 1 || op.num_operands() != 2 {
        return None;
    }
    let source = ty::Tensor::of(op.operand(0).ty())?;
    let result = ty::Tensor::of(op.result(0).ty())?;
    let rank = source.shape.len();
    source.bytes().filter(|_| source.element == result.element)?;
    let dims = match op.name() {
        "linalg.transpose" => {
            let written = attr::as_int_array(op.attr("permutation")?)?;
            let dims = written.into_iter().map(|dim| usize::try_from(dim).ok());
            dims.collect::<Option<Order>>()?
        }
        "linalg.generic" => copied(op)?,
        _ => return None,
    };
    let fits = |(size, dim): (&Option<i64>, &usize)| source.shape.get(*dim) == Some(size);
    let is_permutation = dims.len() == rank && (0..rank).all(|dim| dims.contains(&dim));
    (is_permutation && result.shape.iter().zip(&dims).all(fits)).then_some(dims)
}

/// The dimensions of a generic operation that yields what it reads, in another order. One that copies a tensor as it is
/// may be there for the copy.
fn copied(op: Op<'_>) -> Option<Order> {
    let body = op.body()?;
    let [only] = body.ops().collect::<Vec<_>>()[..] else {
        return None;
    };
    let maps = op.indexing_maps().and_then(Map::list)?;
    let [read, written] = &maps[..] else { return None };
    let (read, written) = (read.as_dims()?, written.as_dims()?);
    let is_whole = read.len() == maps[0].num_dims;
    let dims = written.iter().map(|at| read.iter().position(|own| own == at));
    let dims = dims.collect::<Option<Order>>()?;
    let is_copy = only.num_operands() == 1 && body.args().first() == Some(&only.operand(0));
    (is_copy && is_whole && !dims.is_sorted()).then_some(dims)
}

#[cfg(test)]
mod tests {
    use zpu_ir::{Op, new_context, parse_text};

    use super::*;
    use crate::tensor_layout::Form;

    const TEXT: &str = r#"
        #ij = affine_map<(i, j) -> (i, j)>
        #ji = affine_map<(i, j) -> (j, i)>
        #sum = affine_map<(i, j) -> (i + j)>
        func.func @f(%x: tensor<2x3xf32>, %y: tensor<3x2xf32>, %z: tensor<4xf32>, %d: tensor<?x3xf32>,
                     %e: tensor<3x?xf32>, %m: memref<2x3xf32>, %s: tensor<2x2xf32>, %v: tensor<2xf32>) {
          %0 = linalg.transpose ins(%x : tensor<2x3xf32>) outs(%y : tensor<3x2xf32>) permutation = [1, 0]
          %1 = linalg.generic {indexing_maps = [#ji, #ij], iterator_types = ["parallel", "parallel"]}
              ins(%x : tensor<2x3xf32>) outs(%y : tensor<3x2xf32>) {
          ^bb0(%in: f32, %out: f32):
            linalg.yield %in : f32
          } -> tensor<3x2xf32>
          %2 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
              ins(%y : tensor<3x2xf32>) outs(%y : tensor<3x2xf32>) {
          ^bb0(%in: f32, %out: f32):
            linalg.yield %in : f32
          } -> tensor<3x2xf32>
          %3 = linalg.generic {indexing_maps = [#sum, #ij], iterator_types = ["parallel", "parallel"]}
              ins(%z : tensor<4xf32>) outs(%y : tensor<3x2xf32>) {
          ^bb0(%in: f32, %out: f32):
            linalg.yield %in : f32
          } -> tensor<3x2xf32>
          %4 = linalg.transpose ins(%d : tensor<?x3xf32>) outs(%e : tensor<3x?xf32>) permutation = [1, 0]
          linalg.exp ins(%m : memref<2x3xf32>) outs(%m : memref<2x3xf32>)
          %5 = linalg.matmul ins(%x, %y : tensor<2x3xf32>, tensor<3x2xf32>) outs(%s : tensor<2x2xf32>)
              -> tensor<2x2xf32>
          %6 = linalg.reduce { arith.addf } ins(%x : tensor<2x3xf32>) outs(%v : tensor<2xf32>) dimensions = [1]
          return
        }"#;

    #[test]
    fn transposes_are_told_from_other_operations() {
        let context = new_context();
        let module = parse_text(&context, TEXT, "f").expect("a module");
        let named = |op: &Op<'_>| op.indexing_maps().is_some();
        let ops: Vec<Op<'_>> = Op::of_module(&module).walk().into_iter().filter(named).collect();
        let told: Vec<Option<Order>> = ops.iter().map(|op| relabelling(*op)).collect();
        let swap = Some(vec![1, 0]);
        assert_eq!(told, [swap.clone(), swap, None, None, None, None, None, None]);
    }

    #[test]
    fn the_table_says_what_an_operation_can_do() {
        let context = new_context();
        let module = parse_text(&context, TEXT, "f").expect("a module");
        let named = |op: &Op<'_>| op.indexing_maps().is_some();
        let ops: Vec<Op<'_>> = Op::of_module(&module).walk().into_iter().filter(named).collect();
        let row = |op: &Op<'_>| match Form::of(*op) {
            Err(fixed) => fixed.reason.to_owned(),
            Ok(form) => {
                let ranks = form.accesses.iter().map(|access| access.loops.len());
                let around: Vec<Vec<Order>> = ranks.map(|rank| vec![(0..rank).rev().collect()]).collect();
                let alternatives = form.alternatives(&around);
                let orders: Vec<String> = alternatives.iter().map(|each| format!("{:?}", each.orders)).collect();
                format!("{:?}: {}", form.kind, orders.join(" "))
            }
        };
        let rows: Vec<String> = ops.iter().map(row).collect();
        let expected = [
            "fixed-order",
            "Elementwise: [[0, 1], [0, 1]] [[1, 0], [0, 1]] [[0, 1], [1, 0]]",
            "Elementwise: [[0, 1], [0, 1]] [[1, 0], [1, 0]]",
            "fixed-order",
            "dynamic-size",
            "memref",
            "Product: [[0, 1], [0, 1], [0, 1]] [[1, 0], [0, 1], [0, 1]] [[0, 1], [1, 0], [0, 1]] \
             [[1, 0], [1, 0], [0, 1]]",
            "Loops: [[0, 1], [0]] [[1, 0], [0]]",
        ];
        assert_eq!(rows, expected);
    }
}
