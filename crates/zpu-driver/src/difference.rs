//! Differences between the values that two runs left, as numbers and in words.
//!
//! Invariant: bytes are compared, not numbers: a NaN is equal to itself, and zero is not equal to negative zero.

use std::fmt;

use zpu_device::ElementType;
use zpu_sim::{Outcome, Output, element_bytes, read_element};

use crate::elements;

/// The differing elements of two byte arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The first element that differs; where one array is the beginning of the other, the one after its end.
    pub first: usize,
    /// Elements of both that differ.
    pub count: usize,
    /// Elements of the first array.
    pub total: usize,
}

/// Compares two arrays of elements of `size` bytes, which is at least 1; `None` if they are equal.
pub fn mismatch(left: &[u8], right: &[u8], size: usize) -> Option<Mismatch> {
    if left == right {
        return None;
    }
    let pairs = || left.chunks(size).zip(right.chunks(size));
    let differs = |(left, right): (&[u8], &[u8])| left != right;
    Some(Mismatch {
        first: pairs()
            .position(differs)
            .unwrap_or_else(|| left.len().min(right.len()) / size),
        count: pairs().filter(|pair| differs(*pair)).count(),
        total: left.len() / size,
    })
}

/// A value that a call leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// An argument.
    Argument(usize),
    /// A result of the entry.
    Result(usize),
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Argument(position) => write!(f, "argument {position}"),
            Self::Result(position) => write!(f, "result {position}"),
        }
    }
}

/// The kind of a difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Discrepancy {
    /// Elements of two buffers of one shape.
    Elements {
        /// Their type.
        element: ElementType,
        /// Extents of both.
        shape: Vec<i64>,
        /// The elements, in row-major order.
        mismatch: Mismatch,
        /// Patterns of the first ones that differ.
        first: [u64; 2],
    },
    /// Two numbers.
    Number {
        /// Their type.
        element: ElementType,
        /// Their patterns.
        bits: [u64; 2],
    },
    /// Another shape or type, or one of two buffers is gone.
    Kind,
    /// One run has more values from this position on: the number of values of each run.
    Count([usize; 2]),
}

/// Two different values of two runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The position.
    pub position: Position,
    /// The kind.
    pub discrepancy: Discrepancy,
}

impl Difference {
    /// The difference in words, each run with its name:
    /// `argument 1 at [0, 1]: 1.0 in a, 0.0 in b (3 of 4 elements differ)`.
    pub fn describe(&self, a: &str, b: &str) -> String {
        let position = self.position;
        match &self.discrepancy {
            Discrepancy::Elements {
                element,
                shape,
                mismatch:
                    Mismatch {
                        first: at,
                        count,
                        total,
                    },
                first: [left, right],
            } => format!(
                "{position} at {:?}: {} in {a}, {} in {b} ({count} of {total} elements differ)",
                point(*at, shape),
                elements::text(*left, *element),
                elements::text(*right, *element),
            ),
            Discrepancy::Number {
                element,
                bits: [left, right],
            } => format!(
                "{position}: {} in {a}, {} in {b}",
                elements::text(*left, *element),
                elements::text(*right, *element)
            ),
            Discrepancy::Kind => format!("{position}: of another shape or type, or deallocated by one of them"),
            Discrepancy::Count([left, right]) => {
                let what = match position {
                    Position::Argument(_) => "arguments",
                    Position::Result(_) => "results",
                };
                format!("the number of {what}: {left} in {a}, {right} in {b}")
            }
        }
    }
}

/// The differences between two runs: at most one for each argument and result, arguments first.
pub fn differences(left: &Outcome, right: &Outcome) -> Vec<Difference> {
    let arguments = of_lists(&left.arguments, &right.arguments, Position::Argument);
    arguments
        .chain(of_lists(&left.results, &right.results, Position::Result))
        .collect()
}

/// The differences between the outputs of two calls: first so many arguments, then the results.
pub fn of_outputs(left: &[Output], right: &[Output], arguments: usize) -> Vec<Difference> {
    let position = |at: usize| match at.checked_sub(arguments) {
        None => Position::Argument(at),
        Some(at) => Position::Result(at),
    };
    of_pairs(left, right, position).collect()
}

fn of_lists(left: &[Output], right: &[Output], position: fn(usize) -> Position) -> impl Iterator<Item = Difference> {
    let lengths = [left.len(), right.len()];
    let count = (left.len() != right.len()).then(|| Difference {
        position: position(left.len().min(right.len())),
        discrepancy: Discrepancy::Count(lengths),
    });
    count.into_iter().chain(of_pairs(left, right, position))
}

fn of_pairs(
    left: &[Output],
    right: &[Output],
    position: impl Fn(usize) -> Position,
) -> impl Iterator<Item = Difference> {
    let pairs = left.iter().zip(right).enumerate();
    pairs.filter_map(move |(at, (left, right))| {
        let discrepancy = discrepancy(left, right)?;
        Some(Difference {
            position: position(at),
            discrepancy,
        })
    })
}

fn discrepancy(left: &Output, right: &Output) -> Option<Discrepancy> {
    if left == right {
        return None;
    }
    Some(match (left, right) {
        (
            Output::Buffer { element, shape, bytes },
            Output::Buffer {
                element: other_element,
                shape: other_shape,
                bytes: other,
            },
        ) if (element, shape) == (other_element, other_shape) => {
            let size = element_bytes(*element);
            let mismatch = mismatch(bytes, other, size)?;
            let number = |bytes: &[u8]| bytes.chunks(size).nth(mismatch.first).map_or(0, read_element);
            Discrepancy::Elements {
                element: *element,
                shape: shape.clone(),
                mismatch,
                first: [number(bytes), number(other)],
            }
        }
        (Output::Scalar(ty, left), Output::Scalar(other, right)) if ty == other => Discrepancy::Number {
            element: *ty,
            bits: [*left, *right],
        },
        _ => Discrepancy::Kind,
    })
}

/// Indices of an element by its position in row-major order.
fn point(at: usize, shape: &[i64]) -> Vec<usize> {
    let mut rest = at;
    let mut indices: Vec<usize> = shape
        .iter()
        .rev()
        .map(|size| {
            let size = (*size).max(1) as usize;
            let index = rest % size;
            rest /= size;
            index
        })
        .collect();
    indices.reverse();
    indices
}

#[cfg(test)]
mod tests {
    use zpu_device::ElementType::{F32, Int};
    use zpu_sim::Output;

    use super::{Mismatch, mismatch, of_outputs};

    #[test]
    fn arrays_are_compared_by_elements() {
        assert_eq!(mismatch(&[1, 2, 3, 4], &[1, 2, 3, 4], 2), None);
        let found = |first, count, total| Some(Mismatch { first, count, total });
        assert_eq!(mismatch(&[1, 2, 3, 4], &[1, 9, 3, 9], 1), found(1, 2, 4));
        assert_eq!(mismatch(&[1, 2, 3, 4], &[1, 9, 3, 9], 2), found(0, 2, 2));
        assert_eq!(mismatch(&[1, 2], &[1, 2, 3], 1), found(2, 0, 2));
    }

    #[test]
    fn differences_are_said_by_position_and_element() {
        let buffer = |bytes: [f32; 4]| Output::Buffer {
            element: F32,
            shape: vec![2, 2],
            bytes: bytes.iter().flat_map(|value| value.to_le_bytes()).collect(),
        };
        let number = |bits| Output::Scalar(Int(8), bits);
        let left = [buffer([0.0, 1.0, 2.0, 3.0]), buffer([0.0; 4]), number(255)];
        let right = [buffer([0.0, 1.0, -2.0, 4.0]), Output::Nothing, number(1)];
        let texts: Vec<String> = of_outputs(&left, &right, 2)
            .iter()
            .map(|difference| difference.describe("a", "b"))
            .collect();
        assert_eq!(
            texts,
            [
                "argument 0 at [1, 0]: 2.0 in a, -2.0 in b (2 of 4 elements differ)",
                "argument 1: of another shape or type, or deallocated by one of them",
                "result 0: -1 in a, 1 in b",
            ]
        );
    }
}
