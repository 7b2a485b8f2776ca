//! Reproducible contents of arguments: what `--init random:SEED` and the fuzzer fill buffers with.
//!
//! Invariant: the same seed, position and type give the same bytes on every machine.

use zpu_device::ElementType;

use crate::scalar::{element_bits, element_bytes, from_f64};

/// `count` random elements as bytes, little-endian: floats from -1 to 1, integers from -128 to 127 (an i1: 0 or 1; an
/// index: 0 to 127).
pub fn random_bytes(seed: u64, ty: ElementType, count: usize) -> Vec<u8> {
    let mut state = seed;
    let size = element_bytes(ty);
    let mut bytes = Vec::with_capacity(count * size);
    for _ in 0..count {
        let element = random(next(&mut state), ty);
        bytes.extend_from_slice(&element.to_le_bytes()[..size]);
    }
    bytes
}

/// A seed of its own for each argument.
pub fn argument_seed(seed: u64, position: usize) -> u64 {
    let mut state = seed ^ (position as u64).rotate_left(32);
    next(&mut state)
}

/// A number of a type from random bits.
fn random(bits: u64, ty: ElementType) -> u64 {
    match ty {
        ElementType::Index => bits >> 57,
        ElementType::Int(_) => ((bits >> 56) as i64 - 128) as u64 & (u64::MAX >> (64 - element_bits(ty))),
        _ => from_f64((bits >> 40) as f64 / f64::from(1 << 23) - 1.0, ty),
    }
}

/// SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
