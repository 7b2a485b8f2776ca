//! Numbers as bit patterns: a value of any element type is a `u64`, zero-extended from the type's width.
//!
//! Invariant: half-width floats are computed in f32 and rounded after each operation, which is what upstream's lowering to x86
//! does for types without native arithmetic.

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

/// Whether the type is a float.
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
pub(crate) fn mask(ty: ElementType) -> u64 {
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
    /// What operations are carried out in.
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
        f16::from_bits(bits as u16).to_f32()
    }
    fn store(value: f32) -> u64 {
        u64::from(f16::from_f32(value).to_bits())
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
    fn sign_extension_follows_the_width() {
        assert_eq!(signed(0b1, ElementType::Int(1)), -1);
        assert_eq!(signed(0xff, ElementType::Int(8)), -1);
        assert_eq!(signed(0x7f, ElementType::Int(8)), 127);
    }
}
