//! Comparisons of integers: the predicates of `arith.cmpi`.

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
}
