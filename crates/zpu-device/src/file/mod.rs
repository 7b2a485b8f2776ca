//! The device file: TOML that is written for people, read with places, overridden by key, and lowered to a [`Device`].
//!
//! One spelling of a key, `engine.odma.queue_depth`, serves overrides and messages alike. `docs/devices.md` describes
//! every key.

mod lower;
mod path;

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeTable, Deserializer};

use crate::error::hint;
use crate::model::one;
use crate::{Control, Device, DeviceError, EngineKind, Link, Memory, NeverIssued, Origin, Place, WhenFull};
use path::Overrides;

/// The version of the format that this build reads.
const SCHEMA: u64 = 1;

impl Device {
    /// Reads a device file's text. `file_name` is for messages; `sets` are overrides `key=value`, applied in order
    /// before anything is checked, e.g. `engine.odma.count=2`.
    pub fn from_toml(text: &str, file_name: &str, sets: &[String]) -> Result<Device, DeviceError> {
        let overrides = Overrides::new(text, file_name, sets);
        let mut table = DeTable::parse(text).map_err(|error| syntax(&overrides, None, &error))?;
        overrides.apply(table.get_mut())?;
        let file = File::deserialize(Deserializer::from(table.clone()))
            .map_err(|error| syntax(&overrides, Some(table.get_ref()), &error))?;
        let schema = *file.schema.get_ref();
        if schema != SCHEMA {
            let message = format!("schema {schema} is not known, this build reads schema {SCHEMA}");
            return Err(DeviceError::Syntax {
                place: overrides.place(file.schema.span()),
                key: String::new(),
                message,
            });
        }
        let lowered = lower::lower(file, table.get_ref());
        let checked = lowered.and_then(|device| device.check().map(|()| device));
        checked.map_err(|problems| {
            let place = |path: &str| overrides.place(path::locate(table.get_ref(), path));
            DeviceError::Inconsistent(
                problems
                    .into_iter()
                    .map(|problem| (place(&problem.path), problem))
                    .collect(),
            )
        })
    }
}

/// Turns the TOML reader's error into ours: with a place and a key, and with the nearest name where one is unknown.
/// `root` is the file's tree if there is one.
fn syntax(overrides: &Overrides<'_>, root: Option<&DeTable<'_>>, error: &toml::de::Error) -> DeviceError {
    let span = error.span().unwrap_or(0..0);
    let (place, message) = (overrides.place(span.clone()), error.message());
    if let Some((key, hint)) = unknown(message, "unknown field `") {
        return DeviceError::UnknownKey { place, key, hint };
    }
    let key = root
        .and_then(|root| path::find(root, &span))
        .map(|path| format!("`{path}`: "))
        .unwrap_or_default();
    let message = match unknown(message, "unknown variant `") {
        Some((value, hint)) => format!("unknown value `{value}`{hint}"),
        None => message
            .replace("missing field", "missing key")
            .replace("expected u64", "expected a whole number from 0"),
    };
    DeviceError::Syntax {
        place,
        key,
        message: message.trim_end().replace('\n', ", "),
    }
}

/// The unknown name and the hint, from serde's words: the unknown name in backquotes, then the known ones.
fn unknown(message: &str, start: &str) -> Option<(String, String)> {
    let mut quoted = message.strip_prefix(start)?.split('`');
    let name = quoted.next()?.to_owned();
    let known: Vec<&str> = quoted.skip(1).step_by(2).collect();
    let hint = hint(&name, &known);
    Some((name, hint))
}

/// A device file as it is written. Units are in the names: cycles of the nearest clock, bytes, GHz.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    schema: Spanned<u64>,
    device: DeviceTable,
    control: Control,
    #[serde(default)]
    memory: Vec<MemoryTable>,
    #[serde(default)]
    link: Vec<Link>,
    #[serde(default)]
    engine: Vec<EngineTable>,
    sync: SyncTable,
    /// Facts about the machine that no cost uses; anything may be in it.
    #[serde(default, rename = "info")]
    _info: toml::Table,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DeviceTable {
    name: String,
    clock_ghz: f64,
    off_chip: String,
    default_space: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MemoryTable {
    name: String,
    bytes: u64,
    #[serde(default = "one")]
    align: u64,
    #[serde(default = "one")]
    banks: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SyncTable {
    tokens: u64,
    barriers: u64,
    wait_on_never_issued: NeverIssued,
}

/// One `[[engine]]`. Keys that only some kinds have are optional here, and `lower` knows the keys of each kind.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EngineTable {
    name: String,
    kind: EngineKind,
    #[serde(default = "one")]
    count: u64,
    clock_ghz: Option<f64>,
    #[serde(default = "yes", rename = "async")]
    asynchronous: bool,
    queue_depth: u64,
    #[serde(default = "stall")]
    when_full: WhenFull,
    #[serde(default)]
    operands: OperandsTable,
    #[serde(default)]
    separate_banks: bool,

    routes: Option<Vec<(String, String)>>,
    #[serde(default)]
    links: BTreeMap<String, String>,
    bytes_per_cycle: Option<f64>,
    #[serde(default)]
    start_latency_cycles: u64,
    #[serde(default)]
    gap_cycles: u64,
    #[serde(default)]
    per_row_cycles: u64,
    #[serde(default = "one")]
    burst_bytes: u64,
    dims: Option<u64>,

    block: Option<[u64; 3]>,
    mac_per_cycle: Option<[u64; 3]>,
    cycles_per_block: Option<f64>,
    #[serde(default = "one")]
    min_k_blocks: u64,
    #[serde(default)]
    fill_cycles: u64,
    #[serde(default)]
    acc16_cycles: u64,
    #[serde(default)]
    acc32_cycles: u64,
    zero_init_cycles: Option<u64>,
    #[serde(default)]
    dtype_rate: BTreeMap<String, f64>,

    bits_per_cycle: Option<u64>,
    elems_per_cycle: Option<f64>,
    #[serde(default)]
    start_cycles: u64,
    #[serde(default)]
    op_weights: BTreeMap<String, f64>,

    min_cycles: Option<u64>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct OperandsTable {
    #[serde(default)]
    a: Spaces,
    #[serde(default)]
    b: Spaces,
    #[serde(default)]
    c: Spaces,
    #[serde(default)]
    all: Spaces,
}

/// One space, or several.
#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a memory's name or a list of them")]
enum Spaces {
    One(String),
    Several(Vec<String>),
}

impl Default for Spaces {
    fn default() -> Self {
        Spaces::Several(Vec::new())
    }
}

impl From<Spaces> for Vec<String> {
    fn from(spaces: Spaces) -> Self {
        match spaces {
            Spaces::One(space) => vec![space],
            Spaces::Several(spaces) => spaces,
        }
    }
}

impl From<MemoryTable> for Memory {
    fn from(table: MemoryTable) -> Self {
        Memory {
            name: table.name,
            bytes: table.bytes,
            align: table.align,
            banks: table.banks,
        }
    }
}

impl Place {
    fn line(file: &str, text: &str, offset: usize) -> Place {
        let before = text.get(..offset).unwrap_or(text);
        Place {
            file: file.to_owned(),
            origin: Origin::Line(before.matches('\n').count() + 1),
        }
    }
}

fn yes() -> bool {
    true
}

fn stall() -> WhenFull {
    WhenFull::Stall
}
