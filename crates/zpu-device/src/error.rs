//! Errors of devices, with texts that name the place, the fault, the limit, and the nearest known name.

use std::fmt;

use thiserror::Error;

/// The reason why there is no device.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DeviceError {
    /// Neither built in nor a file.
    #[error("no device `{name}`: neither built in ({builtin}) nor a file that can be read ({reason}){hint}")]
    NotFound {
        /// The requested name.
        name: String,
        /// Names of the built-in devices.
        builtin: String,
        /// `; did you mean ...?`, or empty.
        hint: String,
        /// The error of the file system.
        reason: String,
    },
    /// A file that is there and gives no text.
    #[error("the device file {file} cannot be read: {reason}")]
    Unreadable {
        /// The file as the user named it.
        file: String,
        /// The reason.
        reason: String,
    },
    /// Not TOML, or a value of the wrong type, or a key that has to be there is not.
    #[error("{place}: {key}{message}")]
    Syntax {
        /// The place.
        place: Place,
        /// The key, as `` `control.start_cycles`:  ``, or empty where there is none.
        key: String,
        /// The message of the parser.
        message: String,
    },
    /// A key that means nothing there.
    #[error("{place}: unknown key `{key}`{hint}")]
    UnknownKey {
        /// The place.
        place: Place,
        /// The key.
        key: String,
        /// The nearest known key, or all known keys.
        hint: String,
    },
    /// An override `key=value` that cannot be applied.
    #[error("override `{set}`: {message}")]
    Override {
        /// The override as given.
        set: String,
        /// The fault.
        message: String,
    },
    /// The file can be read but describes no machine.
    #[error("{}", join(.0))]
    Inconsistent(
        /// Every problem found, never empty.
        Vec<(Place, Problem)>,
    ),
}

/// A place in a device file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file as the user named it.
    pub file: String,
    /// The place in it.
    pub origin: Origin,
}

/// The origin of a key of a device description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A line of the file, counted from 1.
    Line(usize),
    /// An override `key=value`.
    Override(String),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.origin {
            Origin::Line(line) => write!(f, "{}:{line}", self.file),
            Origin::Override(set) => write!(f, "{}, override `{set}`", self.file),
        }
    }
}

fn join(problems: &[(Place, Problem)]) -> String {
    let lines: Vec<String> = problems
        .iter()
        .map(|(place, problem)| format!("{place}: {problem}"))
        .collect();
    lines.join("\n")
}

/// One inconsistency of a device.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{path}` {fault}")]
pub struct Problem {
    /// The key as overrides spell it, e.g. `engine.odma.routes`.
    pub path: String,
    /// The fault.
    pub fault: Fault,
}

/// The fault of a key; its text continues the key's name.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Fault {
    /// A number out of its range.
    #[error("is {value}, but must be {range}")]
    OutOfRange {
        /// The number.
        value: String,
        /// The range in words.
        range: String,
    },
    /// Two things of one name.
    #[error("gives the name `{name}` a second time; memories, links and engines share one set of names")]
    Duplicate {
        /// The name.
        name: String,
    },
    /// A name that is no identifier.
    #[error("is `{name}`, but a name is a letter or `_`, then letters, digits and {more}")]
    BadName {
        /// The name.
        name: String,
        /// Further characters that may be in it.
        more: &'static str,
    },
    /// A name that stands for nothing.
    #[error("names the unknown {what} `{name}`{hint}")]
    Unknown {
        /// The kind of thing that it should name: `memory`, `link`, ...
        what: &'static str,
        /// The name.
        name: String,
        /// The nearest known name, or all known names.
        hint: String,
    },
    /// Something that has to be there is not.
    #[error("{0}")]
    Missing(
        /// The fault in words, e.g. `has no routes, a dma engine needs at least one`.
        String,
    ),
    /// A route twice in one engine.
    #[error("has the route {route} twice")]
    DuplicateRoute {
        /// `from->to`.
        route: String,
    },
    /// The kind of an engine and of its cost differ.
    #[error("is a {kind} engine with the cost of a {cost} engine")]
    KindMismatch {
        /// Kind of the engine.
        kind: String,
        /// Kind of its cost.
        cost: String,
    },
    /// A key of another kind of engine.
    #[error("does not apply to a {kind} engine, which has {known}")]
    NotForKind {
        /// Kind of the engine.
        kind: String,
        /// Keys of such an engine.
        known: String,
    },
}

/// The end of a message about an unknown name: the nearest known one if it is near, else all of them.
pub fn hint(name: &str, known: &[&str]) -> String {
    match nearest(name, known) {
        Some(near) => format!("; did you mean `{near}`?"),
        None if known.is_empty() => "; none is known here".to_owned(),
        None => format!("; known: {}", known.join(", ")),
    }
}

/// The known name that is a typing error away from `name`, if any: up to a third of its letters may differ.
pub(crate) fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let distance = |other: &str| strsim::damerau_levenshtein(name, other);
    let near = known.iter().copied().min_by_key(|other| distance(other))?;
    let similar = distance(near) <= name.chars().count() / 3 || (name.len() > 3 && near.starts_with(name));
    similar.then_some(near)
}
