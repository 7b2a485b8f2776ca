//! Numbers of element types: from text, from generators, and as text.

use zpu_device::ElementType;
use zpu_sim::{element_bits, element_name, from_f64, is_float, to_f64};

use crate::command_line::Fill;

/// The pattern of a number that is written as text, or `None` if it is no number of that type.
pub(crate) fn parse(text: &str, ty: ElementType) -> Option<u64> {
    if is_float(ty) {
        return text.parse().ok().map(|value| from_f64(value, ty));
    }
    let value = match text {
        "true" if ty == ElementType::Int(1) => 1,
        "false" if ty == ElementType::Int(1) => 0,
        _ => text.parse::<i128>().ok()?,
    };
    let bits = element_bits(ty);
    let fits = (-(1i128 << (bits - 1))..1i128 << bits).contains(&value);
    fits.then_some(value as u64 & mask(ty))
}

/// The low bits of a type's width.
fn mask(ty: ElementType) -> u64 {
    u64::MAX >> (64 - element_bits(ty))
}

/// An integer's value, sign-extended; of an i1, 0 or 1.
fn signed(bits: u64, ty: ElementType) -> i64 {
    match element_bits(ty) {
        1 => (bits & 1) as i64,
        width => ((bits << (64 - width)) as i64) >> (64 - width),
    }
}

/// A number for people.
pub(crate) fn text(bits: u64, ty: ElementType) -> String {
    if is_float(ty) {
        let value = to_f64(bits, ty);
        return if value.is_nan() {
            format!("nan (0x{bits:x})")
        } else {
            format!("{value:?}")
        };
    }
    signed(bits, ty).to_string()
}

/// A number for programs; what JSON has no number for is a text.
pub(crate) fn json(bits: u64, ty: ElementType) -> serde_json::Value {
    if !is_float(ty) {
        return signed(bits, ty).into();
    }
    serde_json::Number::from_f64(to_f64(bits, ty)).map_or_else(|| text(bits, ty).into(), Into::into)
}

/// `count` elements as bytes, little-endian.
pub(crate) fn fill(fill: Fill, ty: ElementType, count: usize) -> Vec<u8> {
    match fill {
        Fill::Zero => bytes(ty, count, |_| 0),
        Fill::Iota => bytes(ty, count, |i| {
            if is_float(ty) {
                from_f64(i as f64, ty)
            } else {
                i as u64 & mask(ty)
            }
        }),
        Fill::Random(seed) => zpu_sim::random_bytes(seed, ty, count),
    }
}

/// `count` elements as bytes, little-endian, by position.
pub(crate) fn bytes(ty: ElementType, count: usize, mut element: impl FnMut(usize) -> u64) -> Vec<u8> {
    let size = zpu_sim::element_bytes(ty);
    let mut bytes = Vec::with_capacity(count * size);
    for i in 0..count {
        bytes.extend_from_slice(&element(i).to_le_bytes()[..size]);
    }
    bytes
}

/// `64x128xf32`.
pub(crate) fn shaped(shape: &[Option<i64>], ty: ElementType) -> String {
    let sizes = shape
        .iter()
        .map(|size| size.map_or("?x".to_owned(), |size| format!("{size}x")));
    format!("memref<{}{}>", sizes.collect::<String>(), element_name(ty))
}
