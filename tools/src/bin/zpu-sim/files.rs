//! Arrays and reports on disk.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use anyhow::Result;
use half::f16;
use npyz::{DType, NpyFile, Order, TypeChar, TypeStr, WriterBuilder as _};
use serde::Serialize;
use zpu_device::ElementType;
use zpu_driver::elements;
use zpu_sim::{Output, element_bytes, element_mask, element_name, read_element};

use crate::command_line::Settings;
use crate::failure::usage;
use crate::process;
use crate::whole_file;

/// Writes a file whole or not at all.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    whole_file::write_whole(path, bytes).map_err(usage)
}

/// Checks that each file to be written has a name of its own.
pub(crate) fn check_names(settings: &Settings) -> Result<()> {
    let arrays = [("--out", &settings.out), ("--result", &settings.result)];
    let arrays = arrays
        .into_iter()
        .flat_map(|(option, files)| files.iter().map(move |(_, file)| (option, Path::new(file))));
    let others = [
        ("--trace", &settings.trace),
        ("--dump-problem", &settings.dump_problem),
        ("--json", &settings.json),
    ];
    let others = others
        .into_iter()
        .filter_map(|(option, file)| Some((option, file.as_deref()?)));
    let mut named: Vec<(&str, &Path)> = Vec::new();
    for (option, file) in arrays.chain(others) {
        if file == Path::new("-") && option != "--json" {
            return Err(usage(format!(
                "{option} writes a file, and standard output is none; name one in place of `-`"
            )));
        }
        if let Some((other, _)) = named.iter().find(|(_, known)| *known == file) {
            return Err(usage(format!(
                "{other} and {option} would both write {}; name two files",
                file.display()
            )));
        }
        named.push((option, file));
    }
    Ok(())
}

/// Writes to standard output.
pub(crate) fn print(text: &str) -> Result<()> {
    process::print(text).map_err(usage)
}

/// Writes a document to where --json says.
pub(crate) fn write_json(settings: &Settings, document: &impl Serialize) -> Result<()> {
    let mut text = serde_json::to_string_pretty(document)?;
    text.push('\n');
    match &settings.json {
        Some(_) if settings.json_on_stdout() => print(&text),
        Some(path) => write_whole(path, text.as_bytes()),
        None => Ok(()),
    }
}

/// Writes the arguments that --out names.
pub(crate) fn write_arrays(settings: &Settings, arguments: &[Output]) -> Result<()> {
    let gone = |position| format!("--out {position}: the program deallocated the argument");
    write_all(&settings.out, arguments, gone)
}

/// Writes the results that --result names.
pub(crate) fn write_results(settings: &Settings, results: &[Output]) -> Result<()> {
    let count = results.len();
    let none = |position| match position < count {
        true => format!("--result {position}: the program has freed the buffer that it returns"),
        false => format!("--result {position}: the function has {count} results, they count from 0"),
    };
    write_all(&settings.result, results, none)
}

fn write_all(asked: &[(usize, String)], outputs: &[Output], none: impl Fn(usize) -> String) -> Result<()> {
    let mut arrays = Vec::new();
    for (position, file) in asked {
        let bytes = match outputs.get(*position) {
            Some(Output::Buffer { element, shape, bytes }) => array(*element, shape, bytes)?,
            Some(Output::Scalar(element, bits)) => {
                array(*element, &[], &bits.to_le_bytes()[..element_bytes(*element)])?
            }
            _ => return Err(usage(none(*position))),
        };
        arrays.push((file, bytes));
    }
    arrays
        .into_iter()
        .try_for_each(|(file, bytes)| write_whole(Path::new(file), &bytes))
}

/// NumPy's name for an element type. bf16, which it does not have, is stored as its bit patterns.
fn type_name(ty: ElementType) -> String {
    match ty {
        ElementType::F16 | ElementType::F32 | ElementType::F64 => format!("<f{}", element_bytes(ty)),
        ElementType::Bf16 => "<u2".to_owned(),
        ElementType::Int(1) => "|b1".to_owned(),
        ElementType::Int(_) | ElementType::Index => match element_bytes(ty) {
            1 => "|i1".to_owned(),
            size => format!("<i{size}"),
        },
    }
}

/// An array as a file's contents.
fn array(ty: ElementType, shape: &[i64], bytes: &[u8]) -> Result<Vec<u8>> {
    let size = element_bytes(ty);
    let elements = || bytes.chunks_exact(size).map(read_element);
    let shape: Vec<u64> = shape.iter().map(|size| size.unsigned_abs()).collect();
    let mut out = Vec::new();
    macro_rules! write {
        ($element:ty, $convert:expr) => {{
            let dtype = DType::Plain(
                type_name(ty)
                    .parse::<TypeStr>()
                    .map_err(|error| anyhow::anyhow!("{error}"))?,
            );
            let options = npyz::WriteOptions::<$element>::new().dtype(dtype).shape(&shape);
            let mut writer = options.writer(&mut out).begin_nd()?;
            writer.extend(elements().map($convert))?;
            writer.finish()?;
        }};
    }
    match ty {
        ElementType::F16 => write!(f16, |bits| f16::from_bits(bits as u16)),
        ElementType::F32 => write!(f32, |bits| f32::from_bits(bits as u32)),
        ElementType::F64 => write!(f64, f64::from_bits),
        ElementType::Bf16 => write!(u16, |bits| bits as u16),
        ElementType::Int(1) => write!(bool, |bits| bits & 1 != 0),
        _ => match size {
            1 => write!(i8, |bits| bits as i8),
            2 => write!(i16, |bits| bits as i16),
            4 => write!(i32, |bits| bits as i32),
            _ => write!(i64, |bits| bits as i64),
        },
    }
    Ok(out)
}

/// Reads an array of an element type: its shape and its elements, row-major, little-endian.
pub(crate) fn read_array(file: &str, ty: ElementType) -> Result<(Vec<i64>, Vec<u8>), String> {
    let unreadable = |error: std::io::Error| format!("{file} cannot be read: {error}");
    let reader = BufReader::new(File::open(file).map_err(unreadable)?);
    let array = NpyFile::new(reader).map_err(unreadable)?;
    let shape: Vec<i64> = array.shape().iter().map(|size| *size as i64).collect();
    let order = array.order();
    let wrong = |found: String| {
        let name = element_name(ty);
        format!("{file} holds `{found}`, for {name} it has to be `{}`", type_name(ty))
    };
    let DType::Plain(found) = array.dtype() else {
        return Err(wrong(array.dtype().descr()));
    };
    let bits: Vec<u64> = match (ty, found.type_char(), found.size_field()) {
        (ElementType::F16, TypeChar::Float, 2) => read(array, |value: f16| u64::from(value.to_bits())),
        (ElementType::F32, TypeChar::Float, 4) => read(array, |value: f32| u64::from(value.to_bits())),
        (ElementType::F64, TypeChar::Float, 8) => read(array, f64::to_bits),
        (ElementType::Bf16, TypeChar::Uint, 2) => read(array, |value: u16| u64::from(value)),
        (ElementType::Int(1), TypeChar::Bool, 1) => read(array, |value: bool| u64::from(value)),
        (ElementType::Int(_) | ElementType::Index, TypeChar::Int, size) if size as usize == element_bytes(ty) => {
            match size {
                1 => read(array, |value: i8| value as u64),
                2 => read(array, |value: i16| value as u64),
                4 => read(array, |value: i32| value as u64),
                _ => read(array, |value: i64| value as u64),
            }
        }
        (ElementType::Int(_) | ElementType::Index, TypeChar::Uint, size) if size as usize == element_bytes(ty) => {
            match size {
                1 => read(array, |value: u8| u64::from(value)),
                2 => read(array, |value: u16| u64::from(value)),
                4 => read(array, |value: u32| u64::from(value)),
                _ => read(array, |value: u64| value),
            }
        }
        _ => return Err(wrong(found.to_string())),
    }
    .map_err(unreadable)?;
    let mask = element_mask(ty);
    let place = row_major(&shape, order);
    let bytes = elements::bytes(ty, bits.len(), |i| bits[place(i)] & mask);
    Ok((shape, bytes))
}

fn read<T: npyz::Deserialize>(array: NpyFile<BufReader<File>>, bits: impl Fn(T) -> u64) -> std::io::Result<Vec<u64>> {
    array
        .data::<T>()
        .map_err(std::io::Error::other)?
        .map(|value| value.map(&bits))
        .collect()
}

/// The place in the file of the i-th element in row-major order.
fn row_major(shape: &[i64], order: Order) -> impl Fn(usize) -> usize + use<> {
    let shape: Vec<usize> = shape.iter().map(|size| *size as usize).collect();
    move |index| match order {
        Order::C => index,
        Order::Fortran => {
            let (mut rest, mut place) = (index, 0);
            let mut stride: usize = shape.iter().product();
            for size in shape.iter().rev() {
                stride /= (*size).max(1);
                place += rest % size * stride;
                rest /= size;
            }
            place
        }
    }
}
