//! Arguments: shapes with an element type, and reproducible contents.

use half::f16;
use zpu_device::ElementType;
use zpu_ir::jit::Arg;
use zpu_sim::Argument;

use super::random::Random;

/// The arguments of one call: element type and extents of each.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Case {
    /// Trip count of the innermost loop.
    pub(crate) trips: i64,
    /// What is passed.
    pub(crate) arguments: Vec<(ElementType, Vec<i64>)>,
    /// The number that stands for every `?` of the file, if one number does.
    pub(crate) constant: Option<i64>,
}

/// A buffer and its contents.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Buffer {
    /// Element type.
    pub(crate) element: ElementType,
    /// Extents.
    pub(crate) shape: Vec<i64>,
    /// Row-major contents, little-endian.
    pub(crate) bytes: Vec<u8>,
}

impl Case {
    /// Buffers with random numbers, the results' ones too, so that what is not written is seen.
    pub(crate) fn buffers(&self, seed: u64) -> Vec<Buffer> {
        let mut random = Random(seed);
        self.arguments
            .iter()
            .map(|(element, shape)| Buffer {
                element: *element,
                shape: shape.clone(),
                bytes: (0..shape.iter().product::<i64>())
                    .flat_map(|_| random_element(&mut random, *element))
                    .collect(),
            })
            .collect()
    }

    /// The extents, as messages show them.
    pub(crate) fn extents(&self) -> String {
        let shapes: Vec<String> = self.arguments.iter().map(|(_, shape)| format!("{shape:?}")).collect();
        shapes.join(" ")
    }
}

impl Buffer {
    /// As the JIT takes it.
    pub(crate) fn to_jit(&self) -> Arg {
        Arg::Memref {
            element: self.element,
            shape: self.shape.clone(),
            bytes: self.bytes.clone(),
        }
    }

    /// As the simulator takes it.
    pub(crate) fn to_simulator(&self) -> Argument {
        Argument::Buffer {
            shape: self.shape.clone(),
            bytes: self.bytes.clone(),
        }
    }
}

/// A number in [-1, 1) in its memory form; a bf16 is an f32 without its lower half.
fn random_element(random: &mut Random, element: ElementType) -> Vec<u8> {
    let number = (random.next() >> 40) as f32 / (1 << 23) as f32 - 1.0;
    match element {
        ElementType::F32 => number.to_le_bytes().to_vec(),
        ElementType::Bf16 => number.to_le_bytes()[2..].to_vec(),
        ElementType::F16 => f16::from_f32(number).to_le_bytes().to_vec(),
        ElementType::Int(8) => vec![(number * 128.0) as i8 as u8],
        other => panic!("no kernel has arguments of {other:?}"),
    }
}

/// The first element in which two memories differ, in words.
pub(crate) fn difference(expected: &[Buffer], found: &[Vec<u8>]) -> Option<String> {
    if expected.len() != found.len() {
        return Some(format!("{} buffers instead of {}", found.len(), expected.len()));
    }
    expected
        .iter()
        .zip(found)
        .enumerate()
        .find_map(|(position, (expected, found))| {
            let size = expected.element.bytes() as usize;
            let pairs = || expected.bytes.chunks(size).zip(found.chunks(size));
            let first = pairs().position(|(a, b)| a != b)?;
            let count = pairs().filter(|(a, b)| a != b).count();
            let (a, b) = pairs().nth(first)?;
            Some(format!(
                "argument {position} {:?}: element {first} is {} instead of {} ({count} of {} differ)",
                expected.shape,
                number(expected.element, b),
                number(expected.element, a),
                found.len() / size
            ))
        })
}

/// An element as a number.
fn number(element: ElementType, bytes: &[u8]) -> f32 {
    let mut wide = [0; 4];
    match (element, bytes) {
        (ElementType::Int(8), [byte]) => f32::from(*byte as i8),
        (ElementType::F16, [low, high]) => f16::from_le_bytes([*low, *high]).to_f32(),
        _ => {
            wide[4 - bytes.len()..].copy_from_slice(bytes);
            f32::from_le_bytes(wide)
        }
    }
}
