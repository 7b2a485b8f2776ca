//! Operations that read what they write, through operands that would become copies apart from each other.
//!
//! A structured operation that reads one part of a buffer and writes another part that overlaps with it sees its own
//! results, element by element. On copies of both parts it would not. So such an operation is refused where it is
//! certain that an element is read after it was written, and else the user is warned.

use zpu_analysis::access::{Access, accesses};
use zpu_analysis::dependence::straight_line_conflicts;
use zpu_analysis::region::{Extent, Region, region_of};
use zpu_ir::{Failed, PassResult, error, warning};

use super::demands::Demand;
use super::staging::Stage;
use crate::capacity;

/// Checks all operations whose operands have demands.
pub(super) fn check<'c>(stages: &[Stage<'c>], demands: &[Demand<'c, '_>]) -> PassResult {
    let mut result = Ok(());
    for of_one in demands.chunk_by(|one, next| one.op == next.op) {
        let written = of_one.iter().filter(|demand| demand.writes);
        let pairs = written.flat_map(|written| of_one.iter().map(move |read| (written, read)));
        let mut pairs = pairs.filter(|(written, read)| read.index != written.index && are_apart(stages, written, read));
        if let Some((written, read)) = pairs.find(|(written, read)| overlap(written, read)) {
            let message = format!(
                "operand {} is read and overlaps with operand {}, which is written, but they are to be copies of their \
                 own; let the operation write another buffer, and copy that",
                read.index, written.index
            );
            if is_wrong(written, read) && capacity::is_executed(written.op) {
                error(written.op, &message, &[]);
                result = Err(Failed);
            } else {
                let message = message.replace("overlaps with", "may overlap with");
                warning(written.op, &message, &[]);
            }
        }
    }
    result
}

/// True if two operands of an operation would not be in one buffer as they are now.
fn are_apart<'c>(stages: &[Stage<'c>], written: &Demand<'c, '_>, read: &Demand<'c, '_>) -> bool {
    let stage = |demand: &Demand<'c, '_>| stages.iter().position(|stage| stage.serves(demand.op, demand.index));
    let [one, other] = [written, read].map(stage);
    let is_same_part = written.value == read.value || region_of(written.value) == region_of(read.value);
    one != other && !(is_same_part && written.allowed == read.allowed)
}

/// True if two operands are parts of one buffer that may overlap.
fn overlap<'c>(written: &Demand<'c, '_>, read: &Demand<'c, '_>) -> bool {
    if region_of(written.value).root != region_of(read.value).root {
        return false;
    }
    let Some(all) = accesses(written.op) else { return false };
    let of = |demand: &Demand<'c, '_>, write: bool| -> Vec<Access<'c>> {
        let all = all.iter().filter(|access| access.write == write);
        all.filter(|access| access.whole_of == Some(demand.value))
            .cloned()
            .collect()
    };
    let (writes, reads) = (of(written, true), of(read, false));
    !straight_line_conflicts(&[Some(&writes), Some(&reads)]).is_empty()
}

/// True if some element is certainly written before it is read. An operation on elements goes over them in order, so
/// that takes a part that begins before the one that is written; operands of a product are read again and again.
fn is_wrong(written: &Demand<'_, '_>, read: &Demand<'_, '_>) -> bool {
    let (one, other) = (region_of(written.value), region_of(read.value));
    let (Some(to), Some(from)) = (place(&one), place(&other)) else {
        return false;
    };
    one.base == other.base && (written.allowed != read.allowed || from < to)
}

/// The first index in each dimension of a part without gaps, if it is known.
fn place(part: &Region<'_>) -> Option<Vec<i64>> {
    let extents = part.extents.iter().flatten();
    let first = |extent: &Extent<'_>| {
        let span = extent.span.as_ref().and_then(|span| span.as_constant());
        let offset = extent.offset.as_linear().and_then(|offset| offset.as_constant());
        offset.filter(|_| extent.exact && span.is_some())
    };
    part.extents.as_ref()?;
    extents.map(first).collect()
}
