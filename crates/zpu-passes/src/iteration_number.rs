//! The number of an iteration as IR: what rings of versions and of barrier ids are counted by, from 0.

use zpu_ir::scf::For;
use zpu_ir::{Builder, Value, ty};

/// `(iv - lower) / step` as an index, without what the constants 0 and 1 make superfluous.
pub(crate) fn iteration_number<'c>(builder: &mut Builder<'c>, for_: For<'c>) -> Value<'c> {
    let mut number = for_.iv();
    if for_.lower().as_constant_int() != Some(0) {
        number = builder.binary("arith.subi", number, for_.lower());
    }
    if for_.step().as_constant_int() != Some(1) {
        number = builder.binary("arith.divui", number, for_.step());
    }
    if ty::is_index(number.ty()) {
        return number;
    }
    let index = ty::index(builder.context());
    // The difference of two narrow integers is an unsigned number of their width.
    builder.op("arith.index_castui", &[number], &[index], &[]).result(0)
}
