//! Numbers of element types: from text, as text, and many of them as bytes.
//!
//! Invariant: a number is its bit pattern, as in the simulator. Text that is read and written again is the same number.

use zpu_device::ElementType;
use zpu_sim::{element_bits, element_bytes, element_mask, from_f64, is_float, to_f64};

/// The pattern of a number that is written as text, or `None` if it is no number of that type.
pub fn parse(text: &str, ty: ElementType) -> Option<u64> {
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
    fits.then_some(value as u64 & element_mask(ty))
}

/// An integer's value, sign-extended; of an i1, 0 or 1.
pub fn integer(bits: u64, ty: ElementType) -> i64 {
    match element_bits(ty) {
        1 => (bits & 1) as i64,
        width => ((bits << (64 - width)) as i64) >> (64 - width),
    }
}

/// A number for people.
pub fn text(bits: u64, ty: ElementType) -> String {
    if is_float(ty) {
        let value = to_f64(bits, ty);
        return if value.is_nan() {
            format!("nan (0x{bits:x})")
        } else {
            format!("{value:?}")
        };
    }
    integer(bits, ty).to_string()
}

/// `count` elements as bytes, little-endian, by position.
pub fn bytes(ty: ElementType, count: usize, mut element: impl FnMut(usize) -> u64) -> Vec<u8> {
    let size = element_bytes(ty);
    let mut bytes = Vec::with_capacity(count * size);
    for i in 0..count {
        bytes.extend_from_slice(&element(i).to_le_bytes()[..size]);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use zpu_device::ElementType::{self, F16, F32, Index, Int};

    use super::{integer, parse, text};

    #[test]
    fn numbers_are_read_and_written() {
        let cases: [(&str, ElementType); 7] = [
            ("-2.5", F16),
            ("0.1", F32),
            ("inf", F32),
            ("-128", Int(8)),
            ("1", Int(1)),
            ("-1", Int(64)),
            ("17", Index),
        ];
        for (number, ty) in cases {
            assert_eq!(
                parse(number, ty).map(|bits| text(bits, ty)).as_deref(),
                Some(match number {
                    "0.1" => "0.10000000149011612",
                    other => other,
                })
            );
        }
        assert_eq!(parse("256", Int(8)), None);
        assert_eq!(parse("2.5", Int(8)), None);
        assert_eq!(parse("true", Int(1)), Some(1));
        assert_eq!(parse("255", Int(8)).map(|bits| integer(bits, Int(8))), Some(-1));
    }
}
