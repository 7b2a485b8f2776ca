//! Values of the entry's arguments.

use anyhow::Result;
use zpu_device::ElementType;
use zpu_driver::{ArgumentError, Fill, Misfit, Parameter, elements};
use zpu_sim::{Argument, element_name};

use crate::command_line::Settings;
use crate::failure::usage;
use crate::files;
use crate::program::Runnable;

/// Arguments that fit all the programs, position by position.
pub(crate) fn make(settings: &Settings, programs: &[&Runnable]) -> Result<Vec<Argument>> {
    arguments(settings, programs, true)
}

/// Arguments for a run without values: buffers that no option gives have no contents.
pub(crate) fn make_shapes(settings: &Settings, program: &Runnable) -> Result<Vec<Argument>> {
    arguments(settings, &[program], false)
}

fn arguments(settings: &Settings, programs: &[&Runnable], with_contents: bool) -> Result<Vec<Argument>> {
    let executables: Vec<_> = programs.iter().map(|program| &program.executable).collect();
    let count = zpu_driver::arity(&executables).map_err(|error| match error {
        ArgumentError::Count {
            executable,
            expected,
            found,
        } => {
            let (first, other) = (programs[0], programs[executable]);
            usage(format!(
                "`{}` of {} takes {expected} arguments, `{}` of {} takes {found}",
                first.executable.entry(),
                first.name,
                other.executable.entry(),
                other.name,
            ))
        }
        other => usage(other),
    })?;
    for (option, positions) in [("--arg", &settings.values), ("--out", &settings.out)] {
        for (i, (position, _)) in positions.iter().enumerate() {
            if *position >= count {
                let entry = executables[0].entry();
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
            let parameter = zpu_driver::parameter(&executables, position).map_err(usage)?;
            let value = settings.values.iter().find(|(named, _)| *named == position);
            let value = value.map(|(_, text)| text.as_str());
            match (&parameter, value) {
                (Parameter::Buffer { .. }, None) if !with_contents => {
                    let sizes = parameter.sizes(None);
                    let sizes = sizes.map_err(|misfit| unfit(position, &parameter, &misfit))?;
                    Ok(Argument::Shape(sizes))
                }
                _ => argument(position, &parameter, value, settings.init),
            }
        })
        .collect()
}

fn wrong(position: usize, parameter: &Parameter, why: &str) -> anyhow::Error {
    usage(format!("argument {position}, {parameter}: {why}"))
}

fn unfit(position: usize, parameter: &Parameter, misfit: &Misfit) -> anyhow::Error {
    wrong(position, parameter, &why(position, parameter, misfit))
}

fn argument(position: usize, parameter: &Parameter, value: Option<&str>, init: Fill) -> Result<Argument> {
    let fail = |why: String| wrong(position, parameter, &why);
    let unfit = |misfit: Misfit| unfit(position, parameter, &misfit);
    match (parameter, value) {
        (Parameter::Number(_), None) => Err(fail(format!("is a number; give it with --arg {position}=VALUE"))),
        (Parameter::Number(ty), Some(text)) => {
            let bits = elements::parse(text, *ty).or_else(|| (text == "zero").then_some(0));
            let bits = bits.ok_or_else(|| fail(format!("`{text}` is no {}", element_name(*ty))))?;
            Ok(Argument::Scalar(bits))
        }
        (Parameter::Buffer { .. }, None) => {
            let init = init.of_argument(position);
            parameter.buffer(None, |ty, count| init.bytes(ty, count)).map_err(unfit)
        }
        (Parameter::Buffer { element, .. }, Some(file)) if file.ends_with(".npy") => {
            let (found, bytes) = files::read_array(file, *element).map_err(fail)?;
            let found = parameter
                .sizes(Some(&found))
                .map_err(|misfit| fail(format!("{file} {misfit}")))?;
            Ok(Argument::Buffer { shape: found, bytes })
        }
        (Parameter::Buffer { element, .. }, Some(text)) => {
            let (given, suffix) = split_shape(text);
            let suffix = suffix.map(parse_shape).transpose().map_err(fail)?;
            let value = Value::of(given, *element);
            let bytes = |ty, count| value.map_or_else(Vec::new, |value| value.bytes(ty, count));
            let argument = parameter.buffer(suffix.as_deref(), bytes).map_err(unfit)?;
            if value.is_none() {
                return Err(fail(format!(
                    "`{given}` is none of zero, iota, random:SEED, a number, FILE.npy"
                )));
            }
            Ok(argument)
        }
    }
}

/// The contents that --arg gives a buffer.
#[derive(Clone, Copy)]
enum Value {
    /// One number everywhere.
    Everywhere(u64),
    Fill(Fill),
}

impl Value {
    fn of(text: &str, ty: ElementType) -> Option<Self> {
        let number = elements::parse(text, ty).map(Self::Everywhere);
        number.or_else(|| text.parse().ok().map(Self::Fill))
    }

    fn bytes(self, ty: ElementType, count: usize) -> Vec<u8> {
        match self {
            Self::Everywhere(bits) => elements::bytes(ty, count, |_| bits),
            Self::Fill(fill) => fill.bytes(ty, count),
        }
    }
}

/// The reason why an argument does not fit, with the option that helps.
fn why(position: usize, parameter: &Parameter, misfit: &Misfit) -> String {
    match (misfit, parameter) {
        (Misfit::DynamicSizes, Parameter::Buffer { shape, .. }) => {
            let example: Vec<String> = shape.iter().map(|size| size.unwrap_or(64).to_string()).collect();
            format!(
                "has dynamic sizes; give them, as in --arg {position}=zero:{}",
                example.join("x")
            )
        }
        _ => misfit.to_string(),
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
