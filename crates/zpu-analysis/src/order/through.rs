//! Views of a tensor: what one event touches of a view is a token of what it is a view of.

use zpu_ir::affine::Map;
use zpu_ir::ty::{self, MemRef};
use zpu_ir::{Op, Value, attr};

use super::Decline;
use super::affine::Affine;
use super::index::index;
use super::nest::Nest;
use super::token::Token;
use crate::view::{groups, num_dynamic};

/// True if the result of an operation is a view of its first operand, of memory or of a value.
pub(super) fn is_view(op: Op<'_>) -> bool {
    matches!(
        op.name(),
        "memref.cast"
            | "memref.memory_space_cast"
            | "memref.assume_alignment"
            | "memref.subview"
            | "memref.expand_shape"
            | "memref.collapse_shape"
            | "memref.transpose"
            | "memref.reinterpret_cast"
            | "tensor.cast"
            | "tensor.extract_slice"
            | "tensor.expand_shape"
            | "tensor.collapse_shape"
    )
}

/// A token of the view that `op` makes, as one of its source. Indices are those of the loops around `at`.
pub(super) fn out_of<'c>(op: Op<'c>, token: &Token, nest: &Nest<'c>, at: Op<'c>) -> Result<Token, Decline<'c>> {
    let not_a_box = || {
        let message = format!("{} works on elements that are no box beyond {}", at.name(), op.name());
        Decline::new("not-a-box", op, message)
    };
    let source = static_shape(op, op.operand(0))?;
    let moved = match op.name() {
        "memref.subview" | "tensor.extract_slice" => slice(op, token, nest, at)?,
        "memref.expand_shape" | "tensor.expand_shape" => {
            let shape = static_shape(op, op.result(0))?;
            groups(op).and_then(|groups| token.out_of_expansion(&groups, &shape))
        }
        "memref.collapse_shape" | "tensor.collapse_shape" => {
            groups(op).and_then(|groups| token.out_of_collapse(&groups, &source))
        }
        "memref.transpose" => {
            let dims = op.attr("permutation").and_then(Map::of).and_then(|map| map.as_dims());
            dims.and_then(|dims| token.out_of_permutation(&dims))
        }
        "memref.reinterpret_cast" => reshaped(op, token, &source),
        _ => Some(token.clone()),
    };
    moved.ok_or_else(not_a_box)
}

/// The extents of a tensor or a view of one.
pub(super) fn static_shape<'c>(at: Op<'c>, value: Value<'c>) -> Result<Vec<i64>, Decline<'c>> {
    ty::static_shape(value.ty()).ok_or_else(|| {
        let message = format!("an extent of {} is not constant", value.ty());
        Decline::new("dynamic-shape", at, message)
    })
}

fn slice<'c>(op: Op<'c>, token: &Token, nest: &Nest<'c>, at: Op<'c>) -> Result<Option<Token>, Decline<'c>> {
    let marker = ty::dynamic_size();
    let list = |name: &str| op.attr(name).and_then(attr::as_int_array);
    let (Some(offsets), Some(sizes), Some(strides)) =
        (list("static_offsets"), list("static_sizes"), list("static_strides"))
    else {
        return Ok(None);
    };
    if num_dynamic(op, "static_strides") != Some(0) || strides.iter().any(|stride| *stride < 1) {
        return Ok(None);
    }
    let mut dynamic = op.operands().into_iter().skip(1);
    let mut origin = Vec::new();
    for offset in offsets {
        origin.push(match dynamic.next_if_marked(offset == marker) {
            Some(value) => index(value, nest, at)?,
            None => Affine::constant(offset),
        });
    }
    let shape = static_shape(op, op.result(0))?;
    Ok(kept(&sizes, &shape).and_then(|kept| token.out_of_slice(&origin, &strides, &kept)))
}

/// Takes the next value of a list only where a static list has the mark of a dynamic one.
trait Marked: Iterator + Sized {
    fn next_if_marked(&mut self, is_marked: bool) -> Option<Self::Item> {
        if is_marked { self.next() } else { None }
    }
}

impl<I: Iterator> Marked for I {}

/// The dimensions that a slice keeps, found by matching sizes from the left. Where that is ambiguous it does not
/// matter: a dimension of size 1 has one index only.
fn kept(sizes: &[i64], shape: &[i64]) -> Option<Vec<usize>> {
    let mut wanted = shape.iter().peekable();
    let mut kept = Vec::new();
    for (dimension, size) in sizes.iter().enumerate() {
        let left = sizes.len() - dimension;
        let must_keep = left == wanted.len();
        if must_keep || *size != 1 {
            wanted.next_if(|wanted| *wanted == size)?;
            kept.push(dimension);
        } else if wanted.next_if(|wanted| **wanted == 1).is_some() {
            kept.push(dimension);
        }
    }
    wanted.next().is_none().then_some(kept)
}

/// The same elements in row-major order under another shape.
fn reshaped(op: Op<'_>, token: &Token, source: &[i64]) -> Option<Token> {
    let (from, to) = (MemRef::of(op.operand(0).ty())?, MemRef::of(op.result(0).ty())?);
    let is_same = from.num_elements().is_some() && from.num_elements() == to.num_elements();
    if !is_same || !is_rows(&from) || !is_rows(&to) {
        return None;
    }
    let shape: Vec<i64> = to.shape.into_iter().collect::<Option<_>>()?;
    let all = |rank: usize| vec![(0..rank).collect::<Vec<_>>()];
    let flat = token.out_of_expansion(&all(shape.len()), &shape)?;
    flat.out_of_collapse(&all(source.len()), source)
}

/// True if elements lie row by row without gaps from offset 0.
fn is_rows(memref: &MemRef<'_>) -> bool {
    let mut pitch = Some(1i64);
    let mut is_rows = memref.offset == Some(0);
    for (stride, size) in memref.strides.iter().zip(&memref.shape).rev() {
        is_rows &= *stride == pitch || *size == Some(1);
        pitch = pitch.zip(*size).and_then(|(pitch, size)| pitch.checked_mul(size));
    }
    is_rows
}

#[cfg(test)]
mod tests {
    use super::kept;

    #[test]
    fn a_slice_keeps_what_its_shape_has() {
        assert_eq!(kept(&[1, 4, 8], &[4, 8]), Some(vec![1, 2]));
        assert_eq!(kept(&[4, 1, 8], &[4, 8]), Some(vec![0, 2]));
        assert_eq!(kept(&[1, 1, 8], &[1, 8]), Some(vec![0, 2]));
        assert_eq!(kept(&[1, 8, 1], &[8, 1]), Some(vec![1, 2]));
        assert_eq!(kept(&[4, 8], &[4, 8]), Some(vec![0, 1]));
        assert_eq!(kept(&[4, 8], &[4, 4]), None);
    }
}
