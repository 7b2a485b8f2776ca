//! The JSON document of a problem, key by key. A key that is not here is an error.

use rustc_hash::FxHashMap;
use serde::Deserialize;

use super::super::problem::{Buffer, BufferId, Life, Problem, Space, SpaceId};

/// The version of the format.
pub const SCHEMA: u64 = 1;

/// The reason why a text is no problem.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// Nothing but blanks, or something else than an object.
    #[error(
        "the text {}; an instance is a JSON object, as in {{\"schema\": 1, \"spaces\": [...], \"buffers\": [...]}}, or \
         CSV with the header id,lower,upper,size",
        begins(.0)
    )]
    NoObject(Option<char>),
    /// Not JSON, or a key, type or number that does not belong there.
    #[error("{0}")]
    Json(#[from] serde_json::Error),
    /// Another version of the format.
    #[error("the schema is {0}, this program reads schema {SCHEMA}")]
    Schema(u64),
    /// Names that nothing has, or lives that are not given once.
    #[error("{}", .0.join("\n  "))]
    Names(Vec<String>),
}

fn begins(first: &Option<char>) -> String {
    first.map_or("is empty".to_owned(), |first| format!("begins with `{first}`"))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    schema: u64,
    #[serde(default)]
    name: String,
    #[serde(default)]
    period: Option<u64>,
    spaces: Vec<SpaceDocument>,
    buffers: Vec<BufferDocument>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SpaceDocument {
    name: String,
    #[serde(default)]
    bytes: Option<u64>,
    #[serde(default = "one")]
    align: u64,
    #[serde(default = "one_bank")]
    banks: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BufferDocument {
    name: String,
    space: String,
    bytes: u64,
    #[serde(default)]
    from: Option<u64>,
    #[serde(default)]
    length: Option<u64>,
    #[serde(default)]
    lives: Option<Vec<(u64, u64)>>,
    #[serde(default)]
    align: Option<u64>,
    #[serde(default)]
    offset: Option<u64>,
    #[serde(default)]
    group: Option<String>,
    #[serde(default)]
    apart: Vec<String>,
    #[serde(default)]
    versions: Option<u32>,
}

fn one() -> u64 {
    1
}

fn one_bank() -> u32 {
    1
}

/// Reads a problem. It may still be one that makes no sense: see [`check`](super::super::check()).
///
/// # Errors
///
/// The error in the text.
pub fn read_json(text: &str) -> Result<Problem, FileError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match text.trim_start().chars().next() {
        Some('{') => {}
        other => return Err(FileError::NoObject(other)),
    }
    let document: Document = serde_json::from_str(text)?;
    if document.schema != SCHEMA {
        return Err(FileError::Schema(document.schema));
    }
    let places = |names: Vec<&String>| -> FxHashMap<String, u32> {
        // The first of two of one name; the check reports the second.
        let each = names.into_iter().enumerate().rev();
        each.map(|(place, name)| (name.clone(), place as u32)).collect()
    };
    let spaces = places(document.spaces.iter().map(|space| &space.name).collect());
    let buffers = places(document.buffers.iter().map(|buffer| &buffer.name).collect());
    let mut errors = vec![];
    let mut problem = Problem {
        name: document.name,
        period: document.period.unwrap_or(0),
        spaces: vec![],
        buffers: vec![],
    };
    for SpaceDocument {
        name,
        bytes,
        align,
        banks,
    } in document.spaces
    {
        problem.spaces.push(Space {
            name,
            bytes,
            align,
            banks,
        });
    }
    for buffer in document.buffers {
        let name = &buffer.name;
        let mut find = |list: &FxHashMap<String, u32>, kind: &str, wanted: &String| {
            let found = list.get(wanted).copied();
            if found.is_none() {
                errors.push(format!(
                    "buffer `{name}` names {kind} `{wanted}`, which is not in `{kind}s`"
                ));
            }
            found
        };
        let space = find(&spaces, "space", &buffer.space);
        let apart: Vec<_> = buffer
            .apart
            .iter()
            .map(|other| find(&buffers, "buffer", other))
            .collect();
        let lives = match (buffer.from, buffer.length, buffer.lives) {
            (Some(from), Some(length), None) => vec![Life { from, length }],
            (None, None, Some(lives)) => lives.into_iter().map(|(from, length)| Life { from, length }).collect(),
            (from, length, lives) => {
                let has = match (lives.is_some(), from.is_some() || length.is_some()) {
                    (true, _) => "both `lives` and `from` or `length`",
                    (false, true) => "one of `from` and `length`",
                    (false, false) => "no life",
                };
                errors.push(format!(
                    "buffer `{name}` has {has}; give it `from` and `length`, or else `lives`"
                ));
                vec![]
            }
        };
        problem.buffers.push(Buffer {
            name: buffer.name,
            space: SpaceId(space.unwrap_or(0)),
            bytes: buffer.bytes,
            lives,
            align: buffer.align,
            offset: buffer.offset,
            group: buffer.group,
            apart: apart.into_iter().flatten().map(BufferId).collect(),
            versions: buffer.versions,
        });
    }
    if errors.is_empty() {
        Ok(problem)
    } else {
        Err(FileError::Names(errors))
    }
}
