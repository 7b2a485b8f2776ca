//! Parameters of entries, and arguments made of nothing but types and a way to fill buffers.
//!
//! Invariant: the same seed, position and type give the same bytes to all callers: the fuzzer, its reproducers, a
//! command line.

use std::fmt;
use std::str::FromStr;

use zpu_device::ElementType;
use zpu_sim::{Argument, MemRefType, ValueType, argument_seed, element_bytes, element_mask, element_name};
use zpu_sim::{from_f64, is_float, random_bytes};

use crate::{Executable, elements};

/// The most bytes of one argument: more are hardly intended, and would take the host's memory.
const MOST_BYTES: i64 = 8 << 30;

/// The contents that a buffer is filled with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fill {
    /// Zeros.
    Zero,
    /// 0, 1, 2, ... in row-major order.
    Iota,
    /// Random numbers of a seed: floats from -1 to 1, integers from -128 to 127 (an i1: 0 or 1; an index: 0 to 127).
    Random(u64),
}

impl Fill {
    /// The fill of the argument at a position, if one is given for all: each argument has random numbers of its own.
    #[must_use]
    pub fn of_argument(self, position: usize) -> Self {
        match self {
            Self::Random(seed) => Self::Random(argument_seed(seed, position)),
            other => other,
        }
    }

    /// `count` elements as bytes, little-endian.
    pub fn bytes(self, ty: ElementType, count: usize) -> Vec<u8> {
        match self {
            Self::Zero => elements::bytes(ty, count, |_| 0),
            Self::Iota if is_float(ty) => elements::bytes(ty, count, |i| from_f64(i as f64, ty)),
            Self::Iota => elements::bytes(ty, count, |i| i as u64 & element_mask(ty)),
            Self::Random(seed) => random_bytes(seed, ty, count),
        }
    }
}

/// A text that names no way to fill a buffer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnknownFill {
    /// `random:` without a number.
    #[error("`{0}` is no seed; give a number, as in random:1")]
    Seed(String),
    /// Anything else.
    #[error("`{0}` is none of zero, iota, random:SEED")]
    Name(String),
}

impl FromStr for Fill {
    type Err = UnknownFill;

    fn from_str(text: &str) -> Result<Self, UnknownFill> {
        match text.split_once(':') {
            None if text == "zero" => Ok(Self::Zero),
            None if text == "iota" => Ok(Self::Iota),
            Some(("random", seed)) => seed
                .parse()
                .map(Self::Random)
                .map_err(|_| UnknownFill::Seed(seed.to_owned())),
            _ => Err(UnknownFill::Name(text.to_owned())),
        }
    }
}

/// The type that an argument has to have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// A number.
    Number(ElementType),
    /// A buffer.
    Buffer {
        /// Element type.
        element: ElementType,
        /// Extents; `None` is one that the call chooses.
        shape: Vec<Option<i64>>,
    },
}

impl fmt::Display for Parameter {
    /// Writes the type as MLIR spells it, without layout and memory space.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(ty) => f.write_str(&element_name(*ty)),
            Self::Buffer { element, shape } => {
                f.write_str("memref<")?;
                for size in shape {
                    match size {
                        Some(size) => write!(f, "{size}x")?,
                        None => f.write_str("?x")?,
                    }
                }
                write!(f, "{}>", element_name(*element))
            }
        }
    }
}

impl Parameter {
    /// The parameter of a type; `None` for a token, which is not given from outside.
    fn of(ty: &ValueType) -> Option<Self> {
        match ty {
            ValueType::Scalar(ty) => Some(Self::Number(*ty)),
            ValueType::MemRef(MemRefType { element, shape, .. }) => Some(Self::Buffer {
                element: *element,
                shape: shape.clone(),
            }),
            ValueType::Token => None,
        }
    }

    /// The parameter that fits both; a static size wins over a dynamic one.
    fn both(&self, other: &Self) -> Option<Self> {
        match (self, other) {
            (Self::Number(a), Self::Number(b)) if a == b => Some(Self::Number(*a)),
            (
                Self::Buffer { element, shape },
                Self::Buffer {
                    element: other_element,
                    shape: other_shape,
                },
            ) if element == other_element && shape.len() == other_shape.len() => {
                let size = |(left, right): (&Option<i64>, &Option<i64>)| match (left, right) {
                    (Some(left), Some(right)) => (left == right).then_some(Some(*left)),
                    _ => Some(left.or(*right)),
                };
                let shape = shape.iter().zip(other_shape).map(size).collect::<Option<_>>()?;
                Some(Self::Buffer {
                    element: *element,
                    shape,
                })
            }
            _ => None,
        }
    }

    /// The extents of a buffer: those given, if they fit; without any, those of the type.
    ///
    /// # Errors
    ///
    /// [`Misfit::Number`], [`Misfit::DynamicSizes`], [`Misfit::Shape`].
    pub fn sizes(&self, given: Option<&[i64]>) -> Result<Vec<i64>, Misfit> {
        let Self::Buffer { shape, .. } = self else {
            return Err(Misfit::Number);
        };
        let Some(given) = given else {
            let known: Option<Vec<i64>> = shape.iter().copied().collect();
            return known.ok_or(Misfit::DynamicSizes);
        };
        let fits = |(size, ty): (&i64, &Option<i64>)| *size >= 0 && ty.is_none_or(|ty| ty == *size);
        if given.len() == shape.len() && given.iter().zip(shape).all(fits) {
            Ok(given.to_vec())
        } else {
            Err(Misfit::Shape(given.to_vec()))
        }
    }

    /// A buffer of these extents (see [`Self::sizes`]) whose contents `contents` makes for so many elements of the
    /// type.
    ///
    /// # Errors
    ///
    /// The errors of [`Self::sizes`], and [`Misfit::TooLarge`].
    pub fn buffer(
        &self,
        sizes: Option<&[i64]>,
        contents: impl FnOnce(ElementType, usize) -> Vec<u8>,
    ) -> Result<Argument, Misfit> {
        let shape = self.sizes(sizes)?;
        let Self::Buffer { element, .. } = self else {
            return Err(Misfit::Number);
        };
        let count = volume(&shape, *element)?;
        let bytes = contents(*element, count);
        Ok(Argument::Buffer { shape, bytes })
    }
}

/// Elements of a shape.
fn volume(shape: &[i64], ty: ElementType) -> Result<usize, Misfit> {
    let count = shape.iter().try_fold(1i64, |count, size| count.checked_mul(*size));
    let bytes = count.and_then(|count| count.checked_mul(element_bytes(ty) as i64));
    match (count, bytes) {
        (Some(count), Some(0..=MOST_BYTES)) => Ok(count as usize),
        _ => Err(Misfit::TooLarge),
    }
}

/// The reason why no argument can be made for a parameter.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Misfit {
    /// A number is given as such, and not filled.
    #[error("is a number, which has to be given")]
    Number,
    /// The call has to choose sizes.
    #[error("has dynamic sizes, which have to be given")]
    DynamicSizes,
    /// Other dimensions, or other static sizes.
    #[error("has shape {}, which does not fit", shape_text(.0))]
    Shape(Vec<i64>),
    /// More bytes than an argument may have.
    #[error("is larger than {} GiB", MOST_BYTES >> 30)]
    TooLarge,
}

fn shape_text(shape: &[i64]) -> String {
    let sizes: Vec<String> = shape.iter().map(i64::to_string).collect();
    if sizes.is_empty() {
        "no dimensions".to_owned()
    } else {
        sizes.join("x")
    }
}

/// The reason why there are no arguments for one or several entries.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArgumentError {
    /// Two entries take different numbers of arguments.
    #[error("the first entry takes {expected} arguments, another one {found}")]
    Count {
        /// Position of the other executable.
        executable: usize,
        /// Arguments of the first one.
        expected: usize,
        /// Arguments of the other one.
        found: usize,
    },
    /// A token comes from a command, not from outside.
    #[error("argument {position} is a token, which cannot be given; issue its command in the function")]
    Token {
        /// The argument.
        position: usize,
    },
    /// No argument fits both of two entries.
    #[error("argument {position} is {one} in one program and {other} in the other")]
    Types {
        /// The argument.
        position: usize,
        /// The parameter of some entries.
        one: Parameter,
        /// The parameter of the next one.
        other: Parameter,
    },
    /// One argument cannot be made.
    #[error("argument {position}, {parameter}: {misfit}")]
    Misfit {
        /// The argument.
        position: usize,
        /// The parameter.
        parameter: Parameter,
        /// The reason.
        misfit: Misfit,
    },
}

/// The number of arguments that several programs take.
///
/// # Errors
///
/// [`ArgumentError::Count`].
pub fn arity(executables: &[&Executable]) -> Result<usize, ArgumentError> {
    let mut counts = executables.iter().map(|each| each.types().count());
    let expected = counts.next().unwrap_or(0);
    match counts.enumerate().find(|(_, count)| *count != expected) {
        Some((others, found)) => Err(ArgumentError::Count {
            executable: others + 1,
            expected,
            found,
        }),
        None => Ok(expected),
    }
}

/// The parameter at a position that fits several programs, all of which have one there.
///
/// # Errors
///
/// [`ArgumentError::Token`], [`ArgumentError::Types`].
pub fn parameter(executables: &[&Executable], position: usize) -> Result<Parameter, ArgumentError> {
    let token = ArgumentError::Token { position };
    let mut all = executables
        .iter()
        .filter_map(|each| each.types().nth(position))
        .map(Parameter::of);
    let Some(first) = all.next().flatten() else {
        return Err(token);
    };
    all.try_fold(first, |one, other| {
        let other = other.ok_or_else(|| token.clone())?;
        one.both(&other).ok_or(ArgumentError::Types { position, one, other })
    })
}

/// The parameters that fit several programs, position by position.
///
/// # Errors
///
/// [`ArgumentError::Count`], [`ArgumentError::Token`], [`ArgumentError::Types`].
pub fn parameters(executables: &[&Executable]) -> Result<Vec<Parameter>, ArgumentError> {
    let positions = 0..arity(executables)?;
    positions.map(|position| parameter(executables, position)).collect()
}

impl Executable {
    /// The parameters of the entry.
    ///
    /// # Errors
    ///
    /// [`ArgumentError::Token`].
    pub fn parameters(&self) -> Result<Vec<Parameter>, ArgumentError> {
        parameters(&[self])
    }

    /// Arguments for an entry that takes buffers of static sizes only.
    ///
    /// # Errors
    ///
    /// [`ArgumentError::Token`], [`ArgumentError::Misfit`].
    pub fn filled(&self, fill: Fill) -> Result<Vec<Argument>, ArgumentError> {
        let parameters = self.parameters()?.into_iter().enumerate();
        let argument = |(position, parameter): (usize, Parameter)| {
            let fill = fill.of_argument(position);
            let buffer = parameter.buffer(None, |ty, count| fill.bytes(ty, count));
            buffer.map_err(|misfit| ArgumentError::Misfit {
                position,
                parameter,
                misfit,
            })
        };
        parameters.map(argument).collect()
    }
}
