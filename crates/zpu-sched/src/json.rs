//! Scheduling instances as text: JSON, schema 1, the format of `docs/schedule-instance.md`.
//!
//! Invariant: what [`write_instance`] writes, [`read_instance`] reads as an equal instance. Names stand for ids;
//! reading resolves them and refuses keys that it does not know, but leaves everything else to [`crate::check`].

mod document;

use std::cell::RefCell;
use std::collections::BTreeMap;

use serde::Serialize as _;

use self::document::{AlternativeDocument, BufferDocument, Document, OperationDocument, PlanningDocument, UseDocument};
use crate::{
    Alternative, Buffer, Dependence, MAX_ITERATIONS, MAX_STAGES, MAX_TOTAL_CYCLES, OpId, Operation, Options, Problem,
    Resource, ResourceId, Space, SpaceId, StreamCosts, Use,
};

/// The version of the format.
pub const SCHEMA: u64 = 1;

/// A quantity that is minimised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Goal {
    /// The initiation interval.
    Interval,
    /// Cycles from the first start of an iteration to its last result.
    Length,
    /// Bytes of all versions of all buffers.
    Bytes,
}

impl Goal {
    /// All of them, in the default order of importance.
    pub const DEFAULT: [Goal; 3] = [Goal::Interval, Goal::Bytes, Goal::Length];

    fn name(self) -> &'static str {
        match self {
            Goal::Interval => "ii",
            Goal::Length => "length",
            Goal::Bytes => "bytes",
        }
    }
}

/// A problem as a file holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// The problem.
    pub problem: Problem,
    /// The goals, the most important first. Of a straight-line problem only the makespan matters.
    pub objective: Vec<Goal>,
    /// The options of [`crate::solve`], if the problem is that of a program which one control stream issues in order.
    /// Time limit, effort and the objective's details are not part of the file.
    pub planning: Option<Options>,
}

impl Instance {
    /// The problem with the default objective.
    pub fn new(problem: Problem) -> Instance {
        let objective = Goal::DEFAULT.to_vec();
        Instance {
            problem,
            objective,
            planning: None,
        }
    }

    /// Makes an instance of the problem of a program and the planner's options.
    pub fn of_program(problem: Problem, options: Options) -> Instance {
        Instance {
            planning: Some(options),
            ..Instance::new(problem)
        }
    }
}

/// The reason why a text is no instance.
#[derive(Debug, thiserror::Error)]
pub enum InstanceError {
    /// Nothing but blanks.
    #[error(
        "the text is empty; an instance is a JSON object, as in {{\"schema\": 1, \"name\": ..., \"kind\": \"cyclic\", \
         ...}}"
    )]
    Empty,
    /// Something else than an object.
    #[error(
        "the text begins with `{0}`; an instance is a JSON object, as in {{\"schema\": 1, \"name\": ..., \"kind\": \
         \"cyclic\", ...}}"
    )]
    NoObject(char),
    /// Not JSON, or a key, type or number that does not belong there.
    #[error("{0}")]
    Json(#[from] serde_json::Error),
    /// Another version of the format.
    #[error("the schema is {0}, this program reads schema {SCHEMA}, and 2 for whole runs")]
    Schema(u64),
    /// A name that nothing has.
    #[error("{place} names {kind} `{name}`, which is not in `{list}`{}", suggestion(.similar))]
    UnknownName {
        /// The place of the name.
        place: String,
        /// `resource`, `operation` or `space`.
        kind: &'static str,
        /// The name.
        name: String,
        /// The key under which such things are listed.
        list: &'static str,
        /// The most similar name there is.
        similar: Option<String>,
    },
    /// Both `uses` and `alternatives`.
    #[error("operation `{0}` has both `uses` and `alternatives`; give one of them")]
    UsesAndAlternatives(String),
    /// Two things of a kind with one name.
    #[error("two {kind}s are named `{name}`; names are unique")]
    DuplicateName {
        /// `resource`, `operation` or `space`.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// Names that are wrong in more than one place.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n  "))]
    Several(Vec<InstanceError>),
    /// No latency.
    #[error("operation `{0}` has no `latency`; give it cycles, 0 if its result is there at once")]
    NoLatency(String),
    /// A word where JSON wants a number.
    #[error("line {line} has {word}, which is no number in JSON; give an integer")]
    NoNumber {
        /// Its line, counted from 1.
        line: usize,
        /// The word.
        word: String,
    },
    /// A queue that holds nothing.
    #[error(
        "resource `{0}` has queue = 0, must be at least 1: the command that it works on counts; leave it out where it \
         has no limit"
    )]
    NoQueue(String),
    /// A number of `planning` that no schedule can have.
    #[error("`planning` has {key} = {value}, must be from {least} to {limit}")]
    Planning {
        /// Its key.
        key: &'static str,
        /// The number.
        value: u64,
        /// The least allowed.
        least: u64,
        /// The most allowed.
        limit: u64,
    },
    /// An objective that the schedulers do not have.
    #[error("the objective is {0}; `ii` comes first, then `length` and `bytes` in either order, each once")]
    Objective(String),
}

fn suggestion(similar: &Option<String>) -> String {
    similar
        .as_ref()
        .map_or(String::new(), |name| format!("; did you mean `{name}`?"))
}

/// Reads an instance. It may still be one without a solution: see [`crate::check`].
pub fn read_instance(text: &str) -> Result<Instance, InstanceError> {
    // Some editors put a byte order mark in front.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match text.trim_start().chars().next() {
        None => return Err(InstanceError::Empty),
        Some('{') => {}
        Some(other) => return Err(InstanceError::NoObject(other)),
    }
    let document: Document = serde_json::from_str(text).map_err(|error| no_number(text, error))?;
    if document.schema != SCHEMA {
        return Err(InstanceError::Schema(document.schema));
    }
    if let Some(resource) = document.resources.iter().find(|resource| resource.queue == Some(0)) {
        return Err(InstanceError::NoQueue(resource.name.clone()));
    }
    let objective = objective(document.objective.as_deref())?;
    let problem = problem(&document)?;
    let planning = document.planning.as_ref();
    let planning = planning.map(|planning| options(planning, &document)).transpose()?;
    Ok(Instance {
        problem,
        objective,
        planning,
    })
}

/// Replaces the reader's error on a word in place of a number by a clear one.
pub(crate) fn no_number(text: &str, error: serde_json::Error) -> InstanceError {
    let line = error.line();
    let before = text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
    // The column counts bytes, and is that of the first character which does not fit.
    let from = before.get(..error.column().min(before.len())).unwrap_or_default();
    let begin = from.rfind([':', ',', '[']).map_or(0, |at| at + 1);
    let rest = before[begin..].trim_start();
    let end = rest.find(|c: char| !c.is_ascii_alphabetic() && !matches!(c, '-' | '+'));
    let word = &rest[..end.unwrap_or(rest.len())];
    let bare = word.trim_start_matches(['-', '+']).to_ascii_lowercase();
    match (error.is_syntax(), bare.as_str()) {
        (true, "nan" | "inf" | "infinity") => InstanceError::NoNumber {
            line,
            word: format!("`{word}`"),
        },
        _ => InstanceError::Json(error),
    }
}

/// Writes an instance that [`read_instance`] reads, with a line break at the end.
///
/// Ids that are out of range are written as empty names; [`crate::check`] finds them before.
pub fn write_instance(instance: &Instance) -> String {
    let mut text = Vec::new();
    let formatter = serde_json::ser::PrettyFormatter::with_indent(b"  ");
    let mut serializer = serde_json::Serializer::with_formatter(&mut text, formatter);
    // Writing numbers and strings to memory does not fail.
    let written = Document::of(instance).serialize(&mut serializer);
    debug_assert!(written.is_ok());
    text.push(b'\n');
    String::from_utf8_lossy(&text).into_owned()
}

fn options(planning: &PlanningDocument, document: &Document) -> Result<Options, InstanceError> {
    let operations = Names::new("operation", "operations", document.operations.iter().map(|o| &o.name));
    let place = || "`planning`".to_owned();
    let loads = planning.loads.iter().map(|name| OpId(operations.id(name, &place)));
    let loads = loads.collect();
    if let Some(unknown) = operations.unknown.take().into_iter().next() {
        return Err(unknown);
    }
    let numbers = [
        ("stages", Some(planning.stages.into()), 1, MAX_STAGES.into()),
        ("versions", planning.versions.map(u64::from), 1, MAX_STAGES.into()),
        (
            "iterations",
            planning.iterations.map(u64::from),
            1,
            MAX_ITERATIONS.into(),
        ),
        ("wait", Some(planning.wait), 0, MAX_TOTAL_CYCLES),
        ("back_edge", Some(planning.back_edge), 0, MAX_TOTAL_CYCLES),
    ];
    for (key, value, least, limit) in numbers {
        if let Some(value) = value.filter(|value| !(least..=limit).contains(value)) {
            return Err(InstanceError::Planning {
                key,
                value,
                least,
                limit,
            });
        }
    }
    Ok(Options {
        num_stages: planning.stages,
        max_versions: planning.versions,
        iterations: planning.iterations,
        loads,
        trip: planning.trip,
        stream: StreamCosts {
            wait: planning.wait,
            back_edge: planning.back_edge,
            trust_queues: planning.trust_queues,
        },
        ..Options::default()
    })
}

fn objective(goals: Option<&[String]>) -> Result<Vec<Goal>, InstanceError> {
    let Some(names) = goals else {
        return Ok(Goal::DEFAULT.to_vec());
    };
    let refused = || InstanceError::Objective(format!("{names:?}"));
    let mut goals = Vec::new();
    for name in names {
        let goal = Goal::DEFAULT.into_iter().find(|goal| goal.name() == name);
        let goal = goal.filter(|goal| !goals.contains(goal)).ok_or_else(refused)?;
        goals.push(goal);
    }
    match goals.first() {
        Some(Goal::Interval) => Ok(goals),
        _ => Err(refused()),
    }
}

/// Ids by name; of equal names the first.
pub(crate) struct Names<'a> {
    kind: &'static str,
    list: &'static str,
    ids: BTreeMap<&'a str, u32>,
    /// Names that are not unique. Alone, they are left to [`crate::check`].
    duplicates: Vec<InstanceError>,
    /// Names that nothing has, as they are met.
    pub(crate) unknown: RefCell<Vec<InstanceError>>,
}

impl<'a> Names<'a> {
    pub(crate) fn new(kind: &'static str, list: &'static str, names: impl Iterator<Item = &'a String>) -> Names<'a> {
        let (mut ids, mut duplicates) = (BTreeMap::new(), vec![]);
        for (id, name) in (0u32..).zip(names) {
            if *ids.entry(name.as_str()).or_insert(id) != id {
                let name = name.clone();
                duplicates.push(InstanceError::DuplicateName { kind, name });
            }
        }
        Names {
            kind,
            list,
            ids,
            duplicates,
            unknown: RefCell::default(),
        }
    }

    /// The id; where there is none, that is noted and any number does.
    pub(crate) fn id(&self, name: &str, place: &dyn Fn() -> String) -> u32 {
        let found = self.ids.get(name).copied();
        found.unwrap_or_else(|| {
            self.unknown.borrow_mut().push(InstanceError::UnknownName {
                place: place(),
                kind: self.kind,
                name: name.to_owned(),
                list: self.list,
                similar: self.similar(name),
            });
            0
        })
    }

    /// The name that shares the longest beginning with the one given, if that is half of it.
    fn similar(&self, name: &str) -> Option<String> {
        let shared = |other: &str| {
            let pairs = name.chars().zip(other.chars());
            pairs.take_while(|(a, b)| a.to_lowercase().eq(b.to_lowercase())).count()
        };
        let best = self
            .ids
            .keys()
            .map(|other| (shared(other), *other))
            .max_by_key(|best| best.0)?;
        (2 * best.0 >= name.chars().count()).then(|| best.1.to_owned())
    }
}

fn problem(document: &Document) -> Result<Problem, InstanceError> {
    let resources = Names::new("resource", "resources", document.resources.iter().map(|r| &r.name));
    let operations = Names::new("operation", "operations", document.operations.iter().map(|o| &o.name));
    let spaces = Names::new("space", "spaces", document.spaces.iter().map(|s| &s.name));
    let read_dependence = |(index, d): (usize, &document::DependenceDocument)| {
        let place = || format!("dependence {index}");
        Dependence {
            from: OpId(operations.id(&d.from, &place)),
            to: OpId(operations.id(&d.to, &place)),
            latency: d.latency,
            distance: d.distance,
        }
    };
    let read_buffer = |b: &BufferDocument| {
        let place = || format!("buffer `{}`", b.name);
        let ids = |names: &[String]| names.iter().map(|name| OpId(operations.id(name, &place))).collect();
        Buffer {
            name: b.name.clone(),
            writers: ids(&b.writers),
            readers: ids(&b.readers),
            bytes: b.bytes,
            space: b.space.as_ref().map(|name| SpaceId(spaces.id(name, &place))),
            max_versions: b.max_versions,
        }
    };
    let dependences = document.dependences.iter().enumerate().map(read_dependence);
    let problem = Problem {
        name: document.name.clone(),
        kind: document.kind,
        resources: document
            .resources
            .iter()
            .map(|r| Resource {
                name: r.name.clone(),
                capacity: r.capacity,
                queue: r.queue,
                shared: r.shared,
            })
            .collect(),
        operations: document
            .operations
            .iter()
            .map(|o| operation(o, &resources))
            .collect::<Result<_, InstanceError>>()?,
        dependences: dependences.collect(),
        buffers: document.buffers.iter().map(read_buffer).collect(),
        spaces: document
            .spaces
            .iter()
            .map(|s| Space {
                name: s.name.clone(),
                bytes: s.bytes,
            })
            .collect(),
    };
    let lists = [resources, operations, spaces];
    let unknown: Vec<_> = lists.iter().flat_map(|names| names.unknown.take()).collect();
    if unknown.is_empty() {
        return Ok(problem);
    }
    let mut errors: Vec<_> = lists.into_iter().flat_map(|names| names.duplicates).collect();
    errors.extend(unknown);
    Err(match errors.len() {
        1 => errors.remove(0),
        _ => InstanceError::Several(errors),
    })
}

fn operation(document: &OperationDocument, resources: &Names<'_>) -> Result<Operation, InstanceError> {
    let place = || format!("operation `{}`", document.name);
    let no_latency = || InstanceError::NoLatency(document.name.clone());
    let alternative = |latency: Option<u64>, uses: &[UseDocument]| {
        let latency = latency.or(document.latency).ok_or_else(no_latency)?;
        let uses = uses.iter().map(|u| Use {
            resource: ResourceId(resources.id(&u.resource, &place)),
            amount: u.amount,
            cycles: u.cycles.unwrap_or(latency),
            offset: u.offset,
        });
        let uses = uses.collect();
        Ok(Alternative { latency, uses })
    };
    let alternatives = match (&document.uses, &document.alternatives) {
        (Some(_), Some(_)) => return Err(InstanceError::UsesAndAlternatives(document.name.clone())),
        (uses, None) => vec![alternative(None, uses.as_deref().unwrap_or_default())?],
        (None, Some(list)) => list
            .iter()
            .map(|AlternativeDocument { latency, uses }| alternative(*latency, uses))
            .collect::<Result<_, InstanceError>>()?,
    };
    Ok(Operation {
        name: document.name.clone(),
        alternatives,
        condition: document.condition,
    })
}
