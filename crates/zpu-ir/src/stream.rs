//! Access orders and verdicts of edges as attributes, `#zpu.order` and `#zpu.stream`, and back.
//!
//! Invariant: an order that is written and read again has the same events. Its map may be written differently: MLIR
//! simplifies expressions.

use melior::ir::attribute::AttributeLike as _;
use zpu_stream::order::{Expr, Map, Order};
use zpu_stream::verdict::{Sizes, Verdict};
use zpu_sys::{ZpuOrder, ZpuStream};

use crate::{Attribute, ContextRef, affine, attr};

/// A `#zpu.stream`: the record of one edge, or of the buffer that serves all consumers of a tensor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Kind of the edge; of a shared buffer the costliest of its readers.
    pub verdict: Verdict,
    /// Order of the producer.
    pub write: Order,
    /// Order of the consumer; nothing for a shared buffer.
    pub read: Option<Order>,
    /// Number of the result that is the tensor.
    pub result: usize,
    /// Entry of the list that the consumer waits for, and the number of outermost loop indices that it shares with it.
    pub gate: Option<(usize, usize)>,
    /// Sizes in elements; nothing if the edge is incompatible.
    pub sizes: Option<Sizes>,
}

/// Makes a `#zpu.order`.
pub fn order<'c>(context: ContextRef<'c>, order: &Order) -> Attribute<'c> {
    let list = |values: &[i64]| attr::int_array(context, values).to_raw();
    let lanes: Vec<i64> = order.lanes.iter().map(|&lane| lane as i64).collect();
    let parts = ZpuOrder {
        loops: list(&order.loops),
        map: written_map(&order.map).attribute(context).to_raw(),
        token: list(&order.token),
        dilation: list(&order.dilation),
        lanes: list(&lanes),
        align: order.align,
    };
    // SAFETY: the context and all parts are alive, and have the kinds that the fields want.
    unsafe { Attribute::from_raw(zpu_sys::zpuOrderAttrGet(context.to_raw(), &parts)) }
}

/// Reads a `#zpu.order`; nothing if it is none, or if its map divides by what is no number.
pub fn as_order(attribute: Attribute<'_>) -> Option<Order> {
    let null = mlir_sys::MlirAttribute {
        ptr: std::ptr::null_mut(),
    };
    let mut parts = ZpuOrder {
        loops: null,
        map: null,
        token: null,
        dilation: null,
        lanes: null,
        align: 1,
    };
    // SAFETY: the kind is asked first; the out pointer is ours.
    unsafe {
        let raw = attribute.to_raw();
        if !zpu_sys::zpuAttributeIsAnOrder(raw) {
            return None;
        }
        zpu_sys::zpuOrderAttrGetParts(raw, &mut parts);
    }
    let token = numbers(parts.token)?;
    let map = affine::Map::of(attribute_of(parts.map)?)?;
    let in_order = || (0..token.len()).collect();
    let lane = |lane: i64| usize::try_from(lane).ok();
    Some(Order {
        loops: numbers(parts.loops)?,
        map: read_map(&map)?,
        dilation: numbers(parts.dilation).unwrap_or_else(|| vec![1; token.len()]),
        lanes: match numbers(parts.lanes) {
            Some(lanes) => lanes.into_iter().map(lane).collect::<Option<_>>()?,
            None => in_order(),
        },
        token,
        align: parts.align,
    })
}

/// Makes a `#zpu.stream`; nothing if a size does not fit in 63 bits.
pub fn record<'c>(context: ContextRef<'c>, record: &Record) -> Option<Attribute<'c>> {
    let null = mlir_sys::MlirAttribute {
        ptr: std::ptr::null_mut(),
    };
    let list = |values: &[i64]| attr::int_array(context, values).to_raw();
    let fits = |size: u128| i64::try_from(size).ok();
    let mut parts = ZpuStream {
        verdict: verdict_number(record.verdict),
        write: order(context, &record.write).to_raw(),
        read: record.read.as_ref().map_or(null, |read| order(context, read).to_raw()),
        result: record.result as i64,
        gate: record
            .gate
            .map_or(null, |(on, prefix)| list(&[on as i64, prefix as i64])),
        min_capacity: 0,
        retained: 0,
        circular_span: 0,
        epochs: 0,
        block_shape: null,
        modulo_shape: null,
        bound: 0,
        modulo_bound: 0,
    };
    if let Some(sizes) = &record.sizes {
        parts.min_capacity = fits(sizes.min_capacity)?;
        parts.retained = fits(sizes.retained)?;
        parts.circular_span = fits(sizes.circular_span)?;
        parts.epochs = fits(sizes.epochs)?;
        parts.block_shape = list(&sizes.block_shape);
        parts.modulo_shape = list(&sizes.modulo_shape);
        parts.bound = i64::from(!sizes.is_exact);
        parts.modulo_bound = i64::from(!sizes.is_modulo_exact);
    }
    // SAFETY: the context and all parts are alive, and have the kinds that the fields want; verdicts and bounds are
    // numbers of their enums.
    Some(unsafe { Attribute::from_raw(zpu_sys::zpuStreamAttrGet(context.to_raw(), &parts)) })
}

/// Reads a `#zpu.stream`; nothing if it is none, or one of its orders cannot be read.
pub fn as_record(attribute: Attribute<'_>) -> Option<Record> {
    let null = mlir_sys::MlirAttribute {
        ptr: std::ptr::null_mut(),
    };
    let mut parts = ZpuStream {
        verdict: 0,
        write: null,
        read: null,
        result: 0,
        gate: null,
        min_capacity: 0,
        retained: 0,
        circular_span: 0,
        epochs: 0,
        block_shape: null,
        modulo_shape: null,
        bound: 0,
        modulo_bound: 0,
    };
    // SAFETY: the kind is asked first; the out pointer is ours.
    unsafe {
        let raw = attribute.to_raw();
        if !zpu_sys::zpuAttributeIsAStream(raw) {
            return None;
        }
        zpu_sys::zpuStreamAttrGetParts(raw, &mut parts);
    }
    let size = |size: i64| u128::try_from(size).ok();
    let gate = match numbers(parts.gate).as_deref() {
        Some(&[on, prefix]) => Some((usize::try_from(on).ok()?, usize::try_from(prefix).ok()?)),
        _ => None,
    };
    let sizes = match (numbers(parts.block_shape), numbers(parts.modulo_shape)) {
        (Some(block_shape), Some(modulo_shape)) => Some(Sizes {
            min_capacity: size(parts.min_capacity)?,
            retained: size(parts.retained)?,
            circular_span: size(parts.circular_span)?,
            epochs: size(parts.epochs)?,
            block_shape,
            modulo_shape,
            is_exact: parts.bound == 0,
            is_modulo_exact: parts.modulo_bound == 0,
        }),
        _ => None,
    };
    Some(Record {
        verdict: *Verdict::ALL.get(usize::try_from(parts.verdict).ok()?)?,
        write: as_order(attribute_of(parts.write)?)?,
        read: match attribute_of(parts.read) {
            Some(read) => Some(as_order(read)?),
            None => None,
        },
        result: usize::try_from(parts.result).ok()?,
        gate,
        sizes,
    })
}

/// The number that the ODS gives to a verdict: its place in the list of all.
pub(crate) fn verdict_number(verdict: Verdict) -> i64 {
    let place = Verdict::ALL.iter().position(|each| *each == verdict);
    place.map_or(0, |place| place as i64)
}

/// A part that is not left out.
fn attribute_of<'c>(raw: mlir_sys::MlirAttribute) -> Option<Attribute<'c>> {
    // SAFETY: parts of an attribute live in its context; null is filtered.
    unsafe { Attribute::from_option_raw(raw) }
}

fn numbers(raw: mlir_sys::MlirAttribute) -> Option<Vec<i64>> {
    attribute_of(raw).and_then(attr::as_int_array)
}

fn written_map(map: &Map) -> affine::Map {
    affine::Map {
        num_dims: map.inputs,
        num_symbols: 0,
        results: map.results.iter().map(written).collect(),
    }
}

fn written(expr: &Expr) -> affine::Expr {
    let pair = |inner: &Expr, by: i64| (Box::new(written(inner)), Box::new(affine::Expr::Constant(by)));
    match expr {
        Expr::Constant(value) => affine::Expr::Constant(*value),
        Expr::Index(at) => affine::Expr::Dim(*at),
        Expr::Sum(terms) => terms
            .iter()
            .map(written)
            .reduce(|sum, term| affine::Expr::Add(Box::new(sum), Box::new(term)))
            .unwrap_or(affine::Expr::Constant(0)),
        Expr::Scaled(inner, factor) => {
            let (inner, factor) = pair(inner, *factor);
            affine::Expr::Mul(inner, factor)
        }
        Expr::FloorDiv(inner, by) => {
            let (inner, by) = pair(inner, *by);
            affine::Expr::FloorDiv(inner, by)
        }
        Expr::Mod(inner, by) => {
            let (inner, by) = pair(inner, *by);
            affine::Expr::Mod(inner, by)
        }
    }
}

/// The map with the indices of an order as its dimensions; nothing if it has symbols, or multiplies or divides by what
/// is no number.
fn read_map(map: &affine::Map) -> Option<Map> {
    let results = map.results.iter().map(read);
    Some(Map {
        inputs: map.num_dims,
        results: results.collect::<Option<_>>()?,
    })
}

/// An expression of an affine map as one of an order; nothing if it has symbols, or multiplies or divides by what is no
/// number.
pub fn read(expr: &affine::Expr) -> Option<Expr> {
    Some(match expr {
        affine::Expr::Dim(at) => Expr::Index(*at),
        affine::Expr::Symbol(_) => return None,
        affine::Expr::Constant(value) => Expr::Constant(*value),
        affine::Expr::Add(left, right) => Expr::Sum(vec![read(left)?, read(right)?]),
        affine::Expr::Mul(left, right) => match (read(left)?, read(right)?) {
            (inner, Expr::Constant(factor)) | (Expr::Constant(factor), inner) => inner.scaled(factor),
            _ => return None,
        },
        affine::Expr::FloorDiv(inner, by) => Expr::FloorDiv(Box::new(read(inner)?), divisor(by)?),
        affine::Expr::Mod(inner, by) => Expr::Mod(Box::new(read(inner)?), divisor(by)?),
        affine::Expr::CeilDiv(inner, by) => {
            let by = divisor(by)?;
            let up = Expr::Sum(vec![read(inner)?, Expr::Constant(by - 1)]);
            Expr::FloorDiv(Box::new(up), by)
        }
    })
}

fn divisor(expr: &affine::Expr) -> Option<i64> {
    match expr {
        affine::Expr::Constant(value) if *value > 0 => Some(*value),
        _ => None,
    }
}
