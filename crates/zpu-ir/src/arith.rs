//! Arithmetic of integers: the predicates of `arith.cmpi`, and what operations say about overflow.

pub use zpu_sync::predicate::CmpIPredicate;

use crate::{Op, attr};

/// The predicate of an operation, if that is an `arith.cmpi`.
pub fn cmpi_predicate(op: Op<'_>) -> Option<CmpIPredicate> {
    let number = op
        .attr("predicate")
        .filter(|_| op.is("arith.cmpi"))
        .and_then(attr::as_int)?;
    CmpIPredicate::ALL.get(usize::try_from(number).ok()?).copied()
}

/// The attribute of an operation that says how its result does not wrap.
pub const OVERFLOW_FLAGS: &str = "overflowFlags";

/// True if an operation says that its result, read as an unsigned number, does not wrap.
pub fn has_no_unsigned_wrap(op: Op<'_>) -> bool {
    let flags = op.attr(OVERFLOW_FLAGS);
    flags.is_some_and(|flags| flags.to_string().contains("nuw"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{new_context, parse_text};

    #[test]
    fn the_numbers_are_those_of_upstream() {
        let names = ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"];
        let context = new_context();
        for (name, predicate) in names.into_iter().zip(CmpIPredicate::ALL) {
            let text = format!(
                "func.func @f(%a: i64, %b: i64) -> i1 {{\n  %c = arith.cmpi {name}, %a, %b : i64\n  return %c : i1\n}}"
            );
            let module = parse_text(&context, &text, "compare.mlir").expect("the text parses");
            let found = Op::of_module(&module).find_all("arith.cmpi");
            assert_eq!(
                found.first().copied().and_then(cmpi_predicate),
                Some(predicate),
                "{name}"
            );
            assert_eq!(
                CmpIPredicate::ALL[usize::try_from(predicate.number()).unwrap()],
                predicate
            );
        }
    }

    #[test]
    fn a_flag_of_unsigned_numbers_is_seen() {
        let context = new_context();
        let text = "func.func @f(%a: index) {\n  %b = arith.addi %a, %a overflow<nsw> : index\n  \
                    %c = arith.addi %a, %a overflow<nsw, nuw> : index\n  %d = arith.addi %a, %a : index\n  return\n}";
        let module = parse_text(&context, text, "sums.mlir").expect("the text parses");
        let sums = Op::of_module(&module).find_all("arith.addi");
        let flagged: Vec<bool> = sums.into_iter().map(has_no_unsigned_wrap).collect();
        assert_eq!(flagged, [false, true, false]);
    }
}
