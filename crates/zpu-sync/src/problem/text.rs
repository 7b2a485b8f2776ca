//! A problem as a text: JSON, with one line for each value, operation and block.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::check::{Fault, check};
use super::{Block, Operation, Problem, Value, ValueId};
use zpu_device::Device;

/// The version of the form.
const SCHEMA: u32 = 1;

/// Why a text is no problem.
#[derive(Debug, Error)]
pub enum ProblemError {
    /// It is no JSON of this form.
    #[error("{0}")]
    Json(#[from] serde_json::Error),
    /// Another version of the form.
    #[error("`schema` is {0}, must be {SCHEMA}")]
    Schema(u32),
    /// A part of it cannot be.
    #[error("{0}")]
    Fault(#[from] Fault),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    schema: u32,
    name: String,
    #[serde(default)]
    is_private: bool,
    device: Device,
    values: Vec<Value>,
    operations: Vec<Operation>,
    blocks: Vec<Block>,
    #[serde(default)]
    handed_on: Vec<ValueId>,
    #[serde(default)]
    owned: Vec<ValueId>,
    #[serde(default)]
    on_stack: Vec<ValueId>,
}

/// Reads a problem and checks that it is one.
///
/// # Errors
///
/// The fault, and its position.
pub fn read_problem(text: &str) -> Result<Problem, ProblemError> {
    // Some editors put a byte order mark at the beginning.
    let document: Document = serde_json::from_str(text.strip_prefix('\u{feff}').unwrap_or(text))?;
    if document.schema != SCHEMA {
        return Err(ProblemError::Schema(document.schema));
    }
    let problem = Problem {
        name: document.name,
        is_private: document.is_private,
        device: document.device,
        values: document.values,
        operations: document.operations,
        blocks: document.blocks,
        handed_on: document.handed_on,
        owned: document.owned,
        on_stack: document.on_stack,
    };
    check(&problem)?;
    Ok(problem)
}

/// Writes a problem that [`read_problem`] reads, with a line break at the end.
pub fn write_problem(problem: &Problem) -> String {
    let mut text = format!("{{\n  \"schema\": {SCHEMA},\n  \"name\": {},\n", json(&problem.name));
    if problem.is_private {
        text.push_str("  \"is_private\": true,\n");
    }
    text.push_str(&format!("  \"device\": {},\n", json(&problem.device)));
    let lists = [
        ("handed_on", &problem.handed_on),
        ("owned", &problem.owned),
        ("on_stack", &problem.on_stack),
    ];
    for (name, list) in lists {
        if !list.is_empty() {
            text.push_str(&format!("  \"{name}\": {},\n", json(list)));
        }
    }
    lines(&mut text, "values", &problem.values);
    text.push_str(",\n");
    lines(&mut text, "operations", &problem.operations);
    text.push_str(",\n");
    lines(&mut text, "blocks", &problem.blocks);
    text.push_str("\n}\n");
    text
}

fn lines<T: Serialize>(text: &mut String, name: &str, list: &[T]) {
    let each: Vec<String> = list.iter().map(|each| format!("    {}", json(each))).collect();
    text.push_str(&format!("  \"{name}\": [\n{}\n  ]", each.join(",\n")));
}

/// Writing numbers and strings to memory does not fail.
fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
