//! Arguments: shapes with an element type, and reproducible contents.

use zpu_device::ElementType;
use zpu_driver::{Fill, elements, mismatch};
use zpu_ir::jit::Arg;
use zpu_sim::{Argument, element_bytes, read_element};

/// The arguments of one call: element type and extents of each.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Case {
    /// Trip count of the innermost loop.
    pub(crate) trips: i64,
    /// The types and shapes of the arguments.
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
    /// Buffers with random numbers, those of results too, so that unwritten elements show.
    pub(crate) fn buffers(&self, seed: u64) -> Vec<Buffer> {
        let arguments = self.arguments.iter().enumerate();
        let buffer = |(position, (element, shape)): (usize, &(ElementType, Vec<i64>))| {
            let fill = Fill::Random(seed).of_argument(position);
            Buffer {
                element: *element,
                shape: shape.clone(),
                bytes: fill.bytes(*element, shape.iter().product::<i64>() as usize),
            }
        };
        arguments.map(buffer).collect()
    }

    /// The extents, as messages show them.
    pub(crate) fn extents(&self) -> String {
        let shapes: Vec<String> = self.arguments.iter().map(|(_, shape)| format!("{shape:?}")).collect();
        shapes.join(" ")
    }
}

impl Buffer {
    /// The argument for the JIT.
    pub(crate) fn to_jit(&self) -> Arg {
        Arg::Memref {
            element: self.element,
            shape: self.shape.clone(),
            bytes: self.bytes.clone(),
        }
    }

    /// The argument for the simulator.
    pub(crate) fn to_simulator(&self) -> Argument {
        Argument::Buffer {
            shape: self.shape.clone(),
            bytes: self.bytes.clone(),
        }
    }
}

/// The first element in which two memories differ, in words.
pub(crate) fn difference(expected: &[Buffer], found: &[Vec<u8>]) -> Option<String> {
    if expected.len() != found.len() {
        return Some(format!("{} buffers instead of {}", found.len(), expected.len()));
    }
    let mut pairs = expected.iter().zip(found).enumerate();
    pairs.find_map(|(position, (expected, found))| {
        let size = element_bytes(expected.element);
        let differing = mismatch(&expected.bytes, found, size)?;
        let number = |bytes: &[u8]| {
            let element = bytes.chunks(size).nth(differing.first).map(read_element);
            element.map_or("gone".to_owned(), |bits| elements::text(bits, expected.element))
        };
        Some(format!(
            "argument {position} {:?}: element {} is {} instead of {} ({} of {} differ)",
            expected.shape,
            differing.first,
            number(found),
            number(&expected.bytes),
            differing.count,
            differing.total
        ))
    })
}
