//! Values of the entry's arguments.

use anyhow::Result;
use zpu_device::ElementType;
use zpu_sim::{Argument, MemRefType, ValueType, element_name};

use crate::command_line::{Fill, Settings};
use crate::elements;
use crate::failure::usage;
use crate::files;
use crate::program::Runnable;

/// Bytes of one argument, at most.
const LIMIT: i64 = 8 << 30;

/// Arguments that fit all the programs, position by position.
pub(crate) fn make(settings: &Settings, programs: &[&Runnable]) -> Result<Vec<Argument>> {
    let types: Vec<Vec<&ValueType>> = programs.iter().map(|program| program.parameters()).collect();
    let count = types.first().map_or(0, Vec::len);
    if let Some(other) = types.iter().position(|types| types.len() != count) {
        return Err(usage(format!(
            "`{}` of {} takes {count} arguments, `{}` of {} takes {}",
            programs[0].entry,
            programs[0].name,
            programs[other].entry,
            programs[other].name,
            types[other].len()
        )));
    }
    for (option, positions) in [("--arg", &settings.values), ("--out", &settings.out)] {
        for (i, (position, _)) in positions.iter().enumerate() {
            if *position >= count {
                let entry = &programs[0].entry;
                return Err(usage(format!(
                    "{option} {position}: `{entry}` takes {count} arguments, they count from 0"
                )));
            }
            if positions[..i].iter().any(|(earlier, _)| earlier == position) {
                return Err(usage(format!("{option} {position} was given twice")));
            }
        }
    }
    (0..count)
        .map(|position| {
            let types: Vec<&ValueType> = types.iter().map(|types| types[position]).collect();
            let value = settings.values.iter().find(|(named, _)| *named == position);
            let kind = Kind::of(position, &types)?;
            argument(position, &kind, value.map(|(_, text)| text.as_str()), settings.init)
        })
        .collect()
}

/// What an argument has to be for all the programs.
enum Kind {
    Scalar(ElementType),
    Buffer(ElementType, Vec<Option<i64>>),
}

impl Kind {
    fn of(position: usize, types: &[&ValueType]) -> Result<Self> {
        let mut kind = Self::single(position, types[0])?;
        for ty in &types[1..] {
            let other = Self::single(position, ty)?;
            kind = kind.both(&other).ok_or_else(|| {
                usage(format!(
                    "argument {position} is {} in one program and {} in the other",
                    kind.text(),
                    other.text()
                ))
            })?;
        }
        Ok(kind)
    }

    fn single(position: usize, ty: &ValueType) -> Result<Self> {
        match ty {
            ValueType::Scalar(ty) => Ok(Self::Scalar(*ty)),
            ValueType::MemRef(MemRefType { element, shape, .. }) => Ok(Self::Buffer(*element, shape.clone())),
            ValueType::Token => Err(usage(format!(
                "argument {position} is a token, which cannot be given; issue its command in the function"
            ))),
        }
    }

    /// What fits both; a static size wins over a dynamic one.
    fn both(&self, other: &Self) -> Option<Self> {
        match (self, other) {
            (Self::Scalar(a), Self::Scalar(b)) if a == b => Some(Self::Scalar(*a)),
            (Self::Buffer(a, left), Self::Buffer(b, right)) if a == b && left.len() == right.len() => {
                let size = |(left, right): (&Option<i64>, &Option<i64>)| match (left, right) {
                    (Some(left), Some(right)) => (left == right).then_some(Some(*left)),
                    _ => Some(left.or(*right)),
                };
                let shape = left.iter().zip(right).map(size).collect::<Option<_>>()?;
                Some(Self::Buffer(*a, shape))
            }
            _ => None,
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Scalar(ty) => element_name(*ty),
            Self::Buffer(ty, shape) => elements::shaped(shape, *ty),
        }
    }
}

fn argument(position: usize, kind: &Kind, value: Option<&str>, init: Fill) -> Result<Argument> {
    let fail = |why: String| usage(format!("argument {position}, {}: {why}", kind.text()));
    match (kind, value) {
        (Kind::Scalar(_), None) => Err(fail(format!("is a number; give it with --arg {position}=VALUE"))),
        (Kind::Scalar(ty), Some(text)) => {
            let bits = elements::parse(text, *ty).or_else(|| (text == "zero").then_some(0));
            let bits = bits.ok_or_else(|| fail(format!("`{text}` is no {}", element_name(*ty))))?;
            Ok(Argument::Scalar(bits))
        }
        (Kind::Buffer(ty, shape), None) => {
            let init = match init {
                Fill::Random(seed) => Fill::Random(zpu_sim::argument_seed(seed, position)),
                other => other,
            };
            let shape = sizes(position, shape, None).map_err(fail)?;
            let bytes = elements::fill(init, *ty, volume(&shape, *ty).map_err(fail)?);
            Ok(Argument::Buffer { shape, bytes })
        }
        (Kind::Buffer(ty, shape), Some(file)) if file.ends_with(".npy") => {
            let (found, bytes) = files::read_array(file, *ty).map_err(fail)?;
            let found = sizes(position, shape, Some(&found)).map_err(|why| fail(format!("{file} {why}")))?;
            Ok(Argument::Buffer { shape: found, bytes })
        }
        (Kind::Buffer(ty, shape), Some(text)) => {
            let (given, suffix) = split_shape(text);
            let suffix = suffix.map(parse_shape).transpose().map_err(fail)?;
            let shape = sizes(position, shape, suffix.as_deref()).map_err(fail)?;
            let count = volume(&shape, *ty).map_err(fail)?;
            let bytes = match (elements::parse(given, *ty), given.parse::<Fill>()) {
                (Some(bits), _) => elements::bytes(*ty, count, |_| bits),
                (None, Ok(fill)) => elements::fill(fill, *ty, count),
                (None, Err(_)) => {
                    return Err(fail(format!(
                        "`{given}` is none of zero, iota, random:SEED, a number, FILE.npy"
                    )));
                }
            };
            Ok(Argument::Buffer { shape, bytes })
        }
    }
}

/// `random:1:64x128` in two: what comes before the shape, and the shape. A seed is no shape.
fn split_shape(text: &str) -> (&str, Option<&str>) {
    match text.strip_prefix("random:") {
        Some(rest) => match rest.split_once(':') {
            Some((seed, shape)) => (&text[.."random:".len() + seed.len()], Some(shape)),
            None => (text, None),
        },
        None => match text.split_once(':') {
            Some((before, shape)) => (before, Some(shape)),
            None => (text, None),
        },
    }
}

fn parse_shape(text: &str) -> Result<Vec<i64>, String> {
    let size = |size: &str| size.parse::<i64>().ok().filter(|size| *size >= 0);
    let sizes: Option<Vec<i64>> = text.split('x').map(size).collect();
    sizes.ok_or_else(|| format!("`{text}` is no shape; it has the form 64x128"))
}

/// The sizes of a buffer: those given, if they fit its type.
fn sizes(position: usize, ty: &[Option<i64>], given: Option<&[i64]>) -> Result<Vec<i64>, String> {
    let Some(given) = given else {
        let known: Option<Vec<i64>> = ty.iter().copied().collect();
        return known.ok_or_else(|| {
            let example: Vec<String> = ty.iter().map(|size| size.unwrap_or(64).to_string()).collect();
            format!(
                "has dynamic sizes; give them, as in --arg {position}=zero:{}",
                example.join("x")
            )
        });
    };
    let fits = given.len() == ty.len() && given.iter().zip(ty).all(|(size, ty)| ty.is_none_or(|ty| ty == *size));
    if fits {
        return Ok(given.to_vec());
    }
    let given: Vec<String> = given.iter().map(i64::to_string).collect();
    let given = if given.is_empty() {
        "no dimensions".to_owned()
    } else {
        given.join("x")
    };
    Err(format!("has shape {given}, which does not fit"))
}

/// Elements of a shape.
fn volume(shape: &[i64], ty: ElementType) -> Result<usize, String> {
    let count = shape.iter().try_fold(1i64, |count, size| count.checked_mul(*size));
    let bytes = count.and_then(|count| count.checked_mul(zpu_sim::element_bytes(ty) as i64));
    match (count, bytes) {
        (Some(count), Some(0..=LIMIT)) => Ok(count as usize),
        _ => Err(format!("is larger than {} GiB", LIMIT >> 30)),
    }
}
