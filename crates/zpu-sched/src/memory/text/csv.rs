//! Linear problems of one memory as CSV: `id,lower,upper,size`, lives half open, as the MiniMalloc benchmarks have
//! them.
//!
//! Invariant: every error names the line, counted from 1.

use super::super::problem::{Buffer, Problem, Space};

/// The name of the one memory.
pub const SPACE: &str = "memory";

/// The header, whose columns may come in any order.
const HEADER: [&str; 4] = ["id", "lower", "upper", "size"];

/// The reason why a text is no list of buffers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CsvError {
    /// Another header.
    #[error("line 1: the header is `{0}`, must be `id,lower,upper,size`")]
    Header(String),
    /// A line with more or fewer values than the header.
    #[error("line {line}: {count} values, the header has {expected}")]
    Values {
        /// The line.
        line: usize,
        /// Values there.
        count: usize,
        /// Values of the header.
        expected: usize,
    },
    /// A value that is no number.
    #[error("line {line}: {column} is `{value}`, must be a whole number from 0 on")]
    Number {
        /// The line.
        line: usize,
        /// The column.
        column: &'static str,
        /// The value.
        value: String,
    },
    /// A life that ends before it begins.
    #[error("line {line}: upper is {upper}, must be above lower, which is {lower}")]
    Empty {
        /// The line.
        line: usize,
        /// The first time.
        lower: u64,
        /// The time after the last.
        upper: u64,
    },
    /// A buffer without bytes.
    #[error("line {line}: size is 0, must be at least 1")]
    Zero {
        /// The line.
        line: usize,
    },
    /// Two buffers of one name.
    #[error("line {line}: the id `{id}` is that of line {first} already")]
    Twice {
        /// The line.
        line: usize,
        /// The line before.
        first: usize,
        /// The name.
        id: String,
    },
}

/// Reads a problem without a capacity.
///
/// # Errors
///
/// The first thing that is wrong, with its line.
pub fn read_csv(text: &str, name: &str) -> Result<Problem, CsvError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text.lines().enumerate();
    let header = lines.next().map_or("", |(_, line)| line);
    let columns: Vec<&str> = header.split(',').map(str::trim).collect();
    let place = |column: &str| columns.iter().position(|other| *other == column);
    let places: Vec<usize> = HEADER.iter().filter_map(|column| place(column)).collect();
    let [id, lower, upper, size] = *places else {
        return Err(CsvError::Header(header.chars().take(80).collect()));
    };
    if columns.len() != HEADER.len() {
        return Err(CsvError::Header(header.chars().take(80).collect()));
    }
    let mut problem = Problem::linear(name);
    let space = problem.add_space(Space::new(SPACE));
    let mut seen = std::collections::BTreeMap::new();
    for (place, text) in lines.filter(|(_, line)| !line.trim().is_empty()) {
        let line = place + 1;
        let values: Vec<&str> = text.split(',').map(str::trim).collect();
        if values.len() != columns.len() {
            let (count, expected) = (values.len(), columns.len());
            return Err(CsvError::Values { line, count, expected });
        }
        let number = |column: &'static str, place: usize| {
            let value = values[place];
            value.parse::<u64>().map_err(|_| CsvError::Number {
                line,
                column,
                value: value.chars().take(80).collect(),
            })
        };
        let (lower, upper, size) = (number("lower", lower)?, number("upper", upper)?, number("size", size)?);
        let length = upper.checked_sub(lower).filter(|&length| length > 0);
        let length = length.ok_or(CsvError::Empty { line, lower, upper })?;
        if size == 0 {
            return Err(CsvError::Zero { line });
        }
        let id = values[id].to_owned();
        if let Some(first) = seen.insert(id.clone(), line) {
            return Err(CsvError::Twice { line, first, id });
        }
        problem.add_buffer(Buffer::new(id, space, size, lower, length));
    }
    Ok(problem)
}
