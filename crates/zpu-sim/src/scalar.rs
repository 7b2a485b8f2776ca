//! Numbers as bit patterns: a value of any element type is a `u64`, zero-extended from the type's width.
//!
//! Invariant: half-width floats are computed in f32 and rounded after each operation, which is what upstream's lowering
//! to x86 does for types without native arithmetic.

use half::{bf16, f16};
use zpu_device::ElementType;

/// Bytes of one element in memory. i1 takes a byte, other integers the next power of two.
pub fn element_bytes(ty: ElementType) -> usize {
    match ty {
        ElementType::F16 | ElementType::Bf16 => 2,
        ElementType::F32 => 4,
        ElementType::F64 | ElementType::Index => 8,
        ElementType::Int(bits) => usize::from(bits.clamp(1, 64).div_ceil(8)).next_power_of_two(),
    }
}

/// Bits of a value.
pub fn element_bits(ty: ElementType) -> u32 {
    match ty {
        ElementType::F16 | ElementType::Bf16 => 16,
        ElementType::F32 => 32,
        ElementType::F64 | ElementType::Index => 64,
        ElementType::Int(bits) => u32::from(bits.clamp(1, 64)),
    }
}

/// True if the type is a float.
pub fn is_float(ty: ElementType) -> bool {
    matches!(
        ty,
        ElementType::F16 | ElementType::Bf16 | ElementType::F32 | ElementType::F64
    )
}

/// The name as MLIR spells it.
pub fn element_name(ty: ElementType) -> String {
    match ty {
        ElementType::F16 => "f16".into(),
        ElementType::Bf16 => "bf16".into(),
        ElementType::F32 => "f32".into(),
        ElementType::F64 => "f64".into(),
        ElementType::Index => "index".into(),
        ElementType::Int(bits) => format!("i{bits}"),
    }
}

/// The low bits of a pattern of the type's width.
pub fn mask(ty: ElementType) -> u64 {
    u64::MAX >> (64 - element_bits(ty))
}

/// An integer's value, sign-extended from its width.
pub(crate) fn signed(bits: u64, ty: ElementType) -> i64 {
    let shift = 64 - element_bits(ty);
    ((bits << shift) as i64) >> shift
}

/// Reads one little-endian element; `bytes` has the element's size.
pub fn read_element(bytes: &[u8]) -> u64 {
    let mut buffer = [0; 8];
    let count = bytes.len().min(8);
    buffer[..count].copy_from_slice(&bytes[..count]);
    u64::from_le_bytes(buffer)
}

/// Writes one little-endian element; `bytes` has the element's size.
pub fn write_element(bytes: &mut [u8], bits: u64) {
    let count = bytes.len().min(8);
    bytes[..count].copy_from_slice(&bits.to_le_bytes()[..count]);
}

/// A float type: how its patterns become numbers to compute with.
pub(crate) trait Float {
    /// The type that operations are carried out in.
    type Work: Copy;
    /// The number of a pattern.
    fn load(bits: u64) -> Self::Work;
    /// The rounded pattern of a number.
    fn store(value: Self::Work) -> u64;
}

/// Marker of f16.
pub(crate) struct Half;
/// Marker of bf16.
pub(crate) struct Brain;
/// Marker of f32.
pub(crate) struct Single;
/// Marker of f64.
pub(crate) struct Double;

impl Float for Half {
    type Work = f32;
    fn load(bits: u64) -> f32 {
        half_to_single(bits as u16)
    }
    fn store(value: f32) -> u64 {
        u64::from(single_to_half(value))
    }
}

impl Float for Brain {
    type Work = f32;
    fn load(bits: u64) -> f32 {
        f32::from_bits((bits as u32) << 16)
    }
    fn store(value: f32) -> u64 {
        u64::from(bf16::from_f32(value).to_bits())
    }
}

impl Float for Single {
    type Work = f32;
    fn load(bits: u64) -> f32 {
        f32::from_bits(bits as u32)
    }
    fn store(value: f32) -> u64 {
        u64::from(value.to_bits())
    }
}

impl Float for Double {
    type Work = f64;
    fn load(bits: u64) -> f64 {
        f64::from_bits(bits)
    }
    fn store(value: f64) -> u64 {
        value.to_bits()
    }
}

/// The value of an f16, without the call that a library conversion costs each element.
fn half_to_single(bits: u16) -> f32 {
    /// The exponent bits of an f16 within an f32's pattern, and the difference of the exponents' biases.
    const EXPONENT: u32 = 0x7c00 << 13;
    const REBIAS: u32 = (127 - 15) << 23;
    let magnitude = u32::from(bits & 0x7fff) << 13;
    let value = match magnitude & EXPONENT {
        EXPONENT if magnitude > EXPONENT => f32::from_bits((magnitude + 2 * REBIAS) | (1 << 22)),
        EXPONENT => f32::INFINITY,
        // Subnormal: the mantissa is the number of units of 2^-24.
        0 => (magnitude >> 13) as f32 * f32::from_bits((127 - 24) << 23),
        _ => f32::from_bits(magnitude + REBIAS),
    };
    f32::from_bits(value.to_bits() | u32::from(bits & 0x8000) << 16)
}

/// The f16 nearest to a value, ties to even; a NaN keeps the top of its payload.
fn single_to_half(value: f32) -> u16 {
    const INFINITY: u32 = 255 << 23;
    let sign = (value.to_bits() >> 16) as u16 & 0x8000;
    let magnitude = value.to_bits() & 0x7fff_ffff;
    let half = if magnitude > INFINITY {
        0x7e00 | (magnitude >> 13) as u16 & 0x3ff
    } else if magnitude >= (127 + 16) << 23 {
        0x7c00
    } else if magnitude < (127 - 14) << 23 {
        // Subnormal or zero: adding one half rounds the number at units of 2^-24, the last bit of the sum.
        ((f32::from_bits(magnitude) + 0.5).to_bits() - 0.5f32.to_bits()) as u16
    } else {
        // Rounding may carry into the exponent, and from the greatest number to infinity, which is right.
        let odd = magnitude >> 13 & 1;
        ((magnitude - ((127 - 15) << 23) + 0xfff + odd) >> 13) as u16
    };
    sign | half
}

/// The exact value of a float pattern as f64.
pub fn to_f64(bits: u64, ty: ElementType) -> f64 {
    match ty {
        ElementType::F16 => f64::from(Half::load(bits)),
        ElementType::Bf16 => f64::from(Brain::load(bits)),
        ElementType::F32 => f64::from(Single::load(bits)),
        _ => f64::from_bits(bits),
    }
}

/// The pattern of the nearest value of a float type, rounded once.
pub fn from_f64(value: f64, ty: ElementType) -> u64 {
    match ty {
        ElementType::F16 => u64::from(f16::from_f64(value).to_bits()),
        ElementType::Bf16 => u64::from(bf16::from_f64(value).to_bits()),
        ElementType::F32 => Single::store(value as f32),
        _ => value.to_bits(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_powers_of_two() {
        let sizes = [1, 8, 9, 24, 33, 64].map(|bits| element_bytes(ElementType::Int(bits)));
        assert_eq!(sizes, [1, 1, 2, 4, 8, 8]);
    }

    #[test]
    fn half_conversions_are_those_of_the_half_crate() {
        for bits in 0..=u16::MAX {
            let value = f16::from_bits(bits).to_f32();
            assert_eq!(half_to_single(bits).to_bits(), value.to_bits(), "{bits:#x}");
            // The value itself, the middle to the next one, and the numbers just beside.
            let step = f32::from_bits(value.to_bits() + 0x1000);
            for near in [value, step] {
                for offset in [-1i32, 0, 1] {
                    let near = f32::from_bits(near.to_bits().wrapping_add_signed(offset));
                    assert_eq!(
                        single_to_half(near),
                        f16::from_f32(near).to_bits(),
                        "{near:?} {:#x}",
                        near.to_bits()
                    );
                }
            }
        }
        for value in [
            f32::MIN_POSITIVE,
            1e-8,
            2.9e-8,
            3e-8,
            65519.9,
            65520.0,
            1e10,
            f32::INFINITY,
        ] {
            assert_eq!(single_to_half(-value), f16::from_f32(-value).to_bits(), "{value}");
        }
    }

    #[test]
    fn sign_extension_follows_the_width() {
        assert_eq!(signed(0b1, ElementType::Int(1)), -1);
        assert_eq!(signed(0xff, ElementType::Int(8)), -1);
        assert_eq!(signed(0x7f, ElementType::Int(8)), 127);
    }
}
