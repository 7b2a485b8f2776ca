//! The work of an operation on tensors: its own loops, and for each tensor the elements that one iteration touches.
//!
//! Invariant: an operation of which this says nothing may do anything.

use zpu_ir::affine::{self, Map};
use zpu_ir::ops::DmaTransfer;
use zpu_ir::{Op, Value, attr, stream, ty};
use zpu_stream::order::Expr;

use super::Decline;
use super::affine::Affine;
use super::index::index;
use super::nest::Nest;
use super::through::static_shape;
use super::token::Token;

/// A tensor that an operation touches.
#[derive(Clone, Debug)]
pub(super) struct Part<'c> {
    /// The tensor, or a view of one; of a value that is overwritten the result.
    pub(super) value: Value<'c>,
    pub(super) reads: bool,
    pub(super) writes: bool,
    /// Elements that one iteration touches, from an origin that counts in the loops around the operation, and after
    /// these in its own.
    pub(super) token: Token,
}

/// An operation's own loops and the tensors that it touches.
#[derive(Clone, Debug)]
pub(super) struct Work<'c> {
    /// Trip counts, outermost first.
    pub(super) trips: Vec<i64>,
    /// True if no loop is a reduction or a window: the loops say in which order a tile is gone through.
    pub(super) is_pointwise: bool,
    pub(super) parts: Vec<Part<'c>>,
}

/// The work of an operation, if it is known.
pub(super) fn work<'c>(op: Op<'c>, nest: &Nest<'c>) -> Result<Option<Work<'c>>, Decline<'c>> {
    match op.name() {
        "memref.load" => scalar(op, nest, 0, 1, true, op.result(0)),
        "memref.store" => scalar(op, nest, 1, 2, false, op.operand(0)),
        "vector.load" => scalar(op, nest, 0, 1, true, op.result(0)),
        "vector.store" => scalar(op, nest, 1, 2, false, op.operand(0)),
        "vector.transfer_read" if is_plain_transfer(op) => scalar(op, nest, 0, 1, true, op.result(0)),
        "vector.transfer_write" if is_plain_transfer(op) && op.num_results() == 0 => {
            scalar(op, nest, 1, 2, false, op.operand(0))
        }
        "memref.copy" => copy(op, nest, op.operand(0), op.operand(1)).map(Some),
        "linalg.pack" | "linalg.unpack" => packed(op, nest),
        _ => match DmaTransfer::of(op) {
            Some(transfer) => copy(op, nest, transfer.source, transfer.dest).map(Some),
            None => structured(op, nest),
        },
    }
}

/// A transfer of a vector whose dimensions are the last ones of the memref, without a mask.
fn is_plain_transfer(op: Op<'_>) -> bool {
    let segments = op.attr("operandSegmentSizes").and_then(attr::as_int_array);
    let is_masked = segments.is_none_or(|segments| segments.last() != Some(&0));
    let map = op.attr("permutation_map").and_then(Map::of);
    let dims = map.as_ref().and_then(|map| Some((map.num_dims, map.as_dims()?)));
    let is_minor =
        dims.is_some_and(|(rank, dims)| rank >= dims.len() && dims.iter().copied().eq(rank - dims.len()..rank));
    !is_masked && is_minor
}

/// An element, or a vector of elements along the last dimensions, at indices. A vector may reach over the end.
fn scalar<'c>(
    op: Op<'c>,
    nest: &Nest<'c>,
    memref: usize,
    first: usize,
    reads: bool,
    data: Value<'c>,
) -> Result<Option<Work<'c>>, Decline<'c>> {
    let value = op.operand(memref);
    let rank = static_shape(op, value)?.len();
    let mut origin = Vec::new();
    for at in op.operands().into_iter().skip(first).take(rank) {
        origin.push(index(at, nest, op)?);
    }
    // A memref of vectors holds them as elements.
    let is_element = ty::element(value.ty()) == Some(data.ty());
    let vector = if is_element {
        Vec::new()
    } else {
        ty::static_shape(data.ty()).unwrap_or_default()
    };
    if origin.len() != rank || vector.len() > rank {
        return Ok(None);
    }
    let mut size = vec![1; rank - vector.len()];
    size.extend(vector);
    let part = Part {
        value,
        reads,
        writes: !reads,
        token: Token::dense(origin, size),
    };
    Ok(Some(Work {
        trips: Vec::new(),
        is_pointwise: true,
        parts: vec![part],
    }))
}

/// A copy goes row by row.
fn copy<'c>(op: Op<'c>, nest: &Nest<'c>, source: Value<'c>, dest: Value<'c>) -> Result<Work<'c>, Decline<'c>> {
    let trips = static_shape(op, source)?;
    let first = nest.loops.len();
    let origin: Vec<Affine> = (0..trips.len()).map(|at| Affine::index(first + at)).collect();
    let part = |value, reads| Part {
        value,
        reads,
        writes: !reads,
        token: Token::element(origin.clone()),
    };
    Ok(Work {
        parts: vec![part(source, true), part(dest, false)],
        is_pointwise: true,
        trips,
    })
}

/// A structured operation by its indexing maps.
fn structured<'c>(op: Op<'c>, nest: &Nest<'c>) -> Result<Option<Work<'c>>, Decline<'c>> {
    let (Some(maps), Some(body)) = (op.indexing_maps().and_then(Map::list), op.body()) else {
        return Ok(None);
    };
    let (operands, arguments) = (op.operands(), body.args());
    let outputs = body.terminator().map_or(0, Op::num_operands);
    if maps.len() != operands.len() || outputs > operands.len() {
        return Ok(None);
    }
    let inputs = operands.len() - outputs;
    let shaped = || {
        operands
            .iter()
            .zip(&maps)
            .filter(|(value, _)| ty::shape(value.ty()).is_some())
    };
    let mut trips = vec![None; maps.first().map_or(0, |map| map.num_dims)];
    for (value, map) in shaped() {
        let shape = static_shape(op, *value)?;
        for (result, extent) in map.results.iter().zip(shape) {
            if let affine::Expr::Dim(dim) = result {
                trips[*dim] = Some(extent);
            }
        }
    }
    let Some(trips) = trips.into_iter().collect::<Option<Vec<i64>>>() else {
        return Ok(None);
    };
    let is_permuted = |map: &Map| map.results.len() == trips.len() && map.as_dims().is_some();
    let is_pointwise = maps[inputs..].iter().all(is_permuted);
    let mut parts = Vec::new();
    for (at, (value, map)) in operands.iter().zip(&maps).enumerate() {
        if ty::shape(value.ty()).is_none() {
            continue;
        }
        let first = nest.loops.len();
        let origin = map
            .results
            .iter()
            .map(|result| affine_of(&stream::read(result)?, first));
        let Some(origin) = origin.collect::<Option<Vec<Affine>>>() else {
            let message = format!("{} has an indexing map that is no sum of its loops", op.name());
            return Err(Decline::new("data-dependent", op, message));
        };
        let token = Token::element(origin);
        let is_output = at >= inputs;
        // What the body does not look at is not read.
        let reads = arguments.get(at).map_or(!is_output, |argument| !argument.is_unused());
        let is_memory = ty::is_memref(value.ty());
        parts.push(Part {
            value: *value,
            reads,
            writes: is_output && is_memory,
            token: token.clone(),
        });
        if is_output && !is_memory {
            let Some(result) = op.results().get(at - inputs).copied() else {
                return Ok(None);
            };
            parts.push(Part {
                value: result,
                reads: false,
                writes: true,
                token,
            });
        }
    }
    Ok(Some(Work {
        trips,
        is_pointwise,
        parts,
    }))
}

/// An expression of an operation's own loops, which come after `first` others.
fn affine_of(expr: &Expr, first: usize) -> Option<Affine> {
    match expr {
        Expr::Constant(value) => Some(Affine::constant(*value)),
        Expr::Index(at) => Some(Affine::index(first + at)),
        Expr::Sum(terms) => terms
            .iter()
            .try_fold(Affine::default(), |sum, term| sum.plus(&affine_of(term, first)?, 1)),
        Expr::Scaled(inner, factor) => affine_of(inner, first)?.times(*factor),
        Expr::FloorDiv(inner, by) => affine_of(inner, first)?.quotient(*by),
        Expr::Mod(inner, by) => affine_of(inner, first)?.remainder(*by),
    }
}

/// `linalg.pack` and `linalg.unpack`, which split and join dimensions, go through their result row by row.
fn packed<'c>(op: Op<'c>, nest: &Nest<'c>) -> Result<Option<Work<'c>>, Decline<'c>> {
    let is_pack = op.is("linalg.pack");
    let list = |name: &str| -> Option<Vec<usize>> {
        let entries = attr::as_int_array(op.attr(name)?)?;
        entries.into_iter().map(|entry| usize::try_from(entry).ok()).collect()
    };
    let (source, dest) = (op.operand(0), op.operand(1));
    let trips = static_shape(op, dest)?;
    let first = nest.loops.len();
    let own: Vec<Affine> = (0..trips.len()).map(|at| Affine::index(first + at)).collect();
    let rank = static_shape(op, if is_pack { source } else { dest })?.len();
    let (Some(positions), Some(tiles)) = (
        list("inner_dims_pos"),
        op.attr("static_inner_tiles").and_then(attr::as_int_array),
    ) else {
        return Ok(None);
    };
    let permutation = list("outer_dims_perm").filter(|dims| !dims.is_empty());
    let permutation = permutation.unwrap_or_else(|| (0..rank).collect());
    let is_whole = tiles.iter().all(|tile| *tile > 0) && positions.len() == tiles.len() && permutation.len() == rank;
    if !is_whole || positions.iter().chain(&permutation).any(|dimension| *dimension >= rank) {
        return Ok(None);
    }
    let tile_of = |dimension: usize| {
        let at = positions.iter().position(|position| *position == dimension)?;
        Some((at, tiles[at]))
    };
    let read = if is_pack {
        let mut read = vec![Affine::default(); rank];
        for (outer, &dimension) in permutation.iter().enumerate() {
            read[dimension] = own[outer].clone();
            if let Some((at, tile)) = tile_of(dimension) {
                let place = own[outer]
                    .times(tile)
                    .and_then(|place| place.plus(own.get(rank + at)?, 1));
                let Some(place) = place else { return Ok(None) };
                read[dimension] = place;
            }
        }
        Some(read)
    } else {
        let outer = permutation.iter().map(|&dimension| match tile_of(dimension) {
            Some((_, tile)) => own[dimension].quotient(tile),
            None => Some(own[dimension].clone()),
        });
        let inner = positions.iter().zip(&tiles);
        let inner = inner.map(|(&dimension, &tile)| own[dimension].remainder(tile));
        outer.chain(inner).collect()
    };
    let Some(read) = read else { return Ok(None) };
    let written = if ty::is_memref(dest.ty()) { dest } else { op.result(0) };
    let part = |value, reads, origin| Part {
        value,
        reads,
        writes: !reads,
        token: Token::element(origin),
    };
    Ok(Some(Work {
        parts: vec![part(source, true, read), part(written, false, own)],
        is_pointwise: true,
        trips,
    }))
}
