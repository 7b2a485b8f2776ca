//! The JSON document of a whole run: schema 2 of the instance format. A key that is not here is an error.

use serde::{Deserialize, Serialize};

use super::problem::{
    ControlCosts, RunEngine, RunError, RunLink, RunOperation, RunProblem, RunSpace, RunStorage, RunWay,
};
use crate::Kind;

/// The schema of the document.
pub const RUN_SCHEMA: u64 = 2;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    schema: u64,
    #[serde(default)]
    name: String,
    kind: Kind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cycles: Option<u64>,
    control: Control,
    resources: Vec<Resource>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    links: Vec<Link>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    spaces: Vec<Space>,
    works: Vec<Vec<Way>>,
    operations: Vec<Operation>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    buffers: Vec<Buffer>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Control {
    issue: u64,
    wait: u64,
    barrier: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Resource {
    name: String,
    queue: u64,
    #[serde(default, skip_serializing_if = "is_default")]
    blocking: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Link {
    name: String,
    rate: f64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Space {
    name: String,
    bytes: u64,
    #[serde(default, skip_serializing_if = "is_default")]
    resident: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Way {
    resource: String,
    #[serde(default, skip_serializing_if = "is_default")]
    start_latency: u64,
    cycles: u64,
    #[serde(default, skip_serializing_if = "is_default")]
    shared: u64,
    #[serde(default, skip_serializing_if = "is_default")]
    rate: f64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    links: Vec<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Operation {
    #[serde(default)]
    name: String,
    work: usize,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    after: Vec<u32>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Buffer {
    bytes: u64,
    space: String,
    operations: Vec<u32>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// The reason why a text is no whole run.
#[derive(Debug, thiserror::Error)]
pub enum RunReadError {
    /// It is no such document.
    #[error("{0}")]
    Json(#[from] serde_json::Error),
    /// It has another schema.
    #[error("schema {0}; a whole run has {RUN_SCHEMA}")]
    Schema(u64),
    /// Whole runs do not repeat.
    #[error("kind `cyclic`; a whole run is `acyclic`")]
    Cyclic,
    /// A name that nothing has.
    #[error("{of} names the {what} `{name}`, which is not among: {known}")]
    Unknown {
        /// What names it.
        of: String,
        /// What it should be.
        what: &'static str,
        /// The name.
        name: String,
        /// The names that there are.
        known: String,
    },
    /// A name that two have.
    #[error("two are named `{0}`; give each a name of its own")]
    Twice(String),
    /// A way with more shared cycles than cycles.
    #[error("work {work} shares {shared} of {cycles} cycles; it cannot share more than all")]
    Shared {
        /// The work.
        work: usize,
        /// Shared cycles.
        shared: u64,
        /// All cycles.
        cycles: u64,
    },
    /// It makes no sense.
    #[error(transparent)]
    Problem(#[from] RunError),
}

/// True if a text is a document of that schema, whatever else is in it.
pub fn is_run(text: &str) -> bool {
    #[derive(Deserialize)]
    struct Schema {
        schema: u64,
    }
    serde_json::from_str(text).is_ok_and(|Schema { schema }| schema == RUN_SCHEMA)
}

/// Reads a whole run and checks it.
///
/// # Errors
///
/// What is wrong with the text, by name and value.
pub fn read_run(text: &str) -> Result<RunProblem, RunReadError> {
    let document: Document = serde_json::from_str(text)?;
    if document.schema != RUN_SCHEMA {
        return Err(RunReadError::Schema(document.schema));
    }
    if document.kind == Kind::Cyclic {
        return Err(RunReadError::Cyclic);
    }
    let names = |names: Vec<&String>| -> Result<Vec<String>, RunReadError> {
        match (1..names.len()).find(|i| names[..*i].contains(&names[*i])) {
            Some(again) => Err(RunReadError::Twice(names[again].clone())),
            None => Ok(names.into_iter().cloned().collect()),
        }
    };
    let resources = names(document.resources.iter().map(|resource| &resource.name).collect())?;
    let links = names(document.links.iter().map(|link| &link.name).collect())?;
    let spaces = names(document.spaces.iter().map(|space| &space.name).collect())?;
    let place = |of: String, what: &'static str, name: &String, known: &[String]| {
        let found = known.iter().position(|candidate| candidate == name);
        found.ok_or_else(|| RunReadError::Unknown {
            of,
            what,
            name: name.clone(),
            known: known.join(", "),
        })
    };
    let way = |work: usize, way: Way| -> Result<RunWay, RunReadError> {
        let of = || format!("work {work}");
        let on = way.links.iter().map(|link| place(of(), "link", link, &links));
        let (cycles, shared) = (way.cycles, way.shared);
        let alone = cycles
            .checked_sub(shared)
            .ok_or(RunReadError::Shared { work, shared, cycles })?;
        Ok(RunWay {
            engine: place(of(), "resource", &way.resource, &resources)?,
            start_latency: way.start_latency,
            alone,
            shared,
            rate: way.rate,
            links: on.collect::<Result<_, _>>()?,
        })
    };
    let works = document.works.into_iter().enumerate();
    let works = works.map(|(work, ways)| ways.into_iter().map(|each| way(work, each)).collect());
    let storages = document.buffers.into_iter().enumerate().map(|(i, buffer)| {
        Ok(RunStorage {
            bytes: buffer.bytes,
            space: place(format!("buffer {i}"), "space", &buffer.space, &spaces)?,
            operations: buffer.operations,
        })
    });
    let problem = RunProblem {
        works: works.collect::<Result<_, RunReadError>>()?,
        storages: storages.collect::<Result<_, RunReadError>>()?,
        name: document.name,
        cycles: document.cycles,
        control: ControlCosts {
            issue: document.control.issue,
            wait: document.control.wait,
            barrier: document.control.barrier,
        },
        engines: document
            .resources
            .into_iter()
            .map(|resource| RunEngine {
                name: resource.name,
                queue: resource.queue,
                blocking: resource.blocking,
            })
            .collect(),
        links: document
            .links
            .into_iter()
            .map(|link| RunLink {
                name: link.name,
                rate: link.rate,
            })
            .collect(),
        spaces: document
            .spaces
            .into_iter()
            .map(|space| RunSpace {
                name: space.name,
                bytes: space.bytes,
                resident: space.resident,
            })
            .collect(),
        operations: document
            .operations
            .into_iter()
            .map(|operation| RunOperation {
                name: operation.name,
                work: operation.work,
                after: operation.after,
            })
            .collect(),
    };
    problem.check()?;
    Ok(problem)
}

/// The document of a whole run that [`RunProblem::check`] accepts.
pub fn write_run(problem: &RunProblem) -> String {
    let way = |way: &RunWay| Way {
        resource: problem.engines[way.engine].name.clone(),
        start_latency: way.start_latency,
        cycles: way.occupancy(),
        shared: way.shared,
        rate: way.rate,
        links: way.links.iter().map(|link| problem.links[*link].name.clone()).collect(),
    };
    let document = Document {
        schema: RUN_SCHEMA,
        name: problem.name.clone(),
        kind: Kind::Acyclic,
        cycles: problem.cycles,
        control: Control {
            issue: problem.control.issue,
            wait: problem.control.wait,
            barrier: problem.control.barrier,
        },
        resources: problem
            .engines
            .iter()
            .map(|engine| Resource {
                name: engine.name.clone(),
                queue: engine.queue,
                blocking: engine.blocking,
            })
            .collect(),
        links: problem
            .links
            .iter()
            .map(|link| Link {
                name: link.name.clone(),
                rate: link.rate,
            })
            .collect(),
        spaces: problem
            .spaces
            .iter()
            .map(|space| Space {
                name: space.name.clone(),
                bytes: space.bytes,
                resident: space.resident,
            })
            .collect(),
        works: problem
            .works
            .iter()
            .map(|ways| ways.iter().map(way).collect())
            .collect(),
        operations: problem
            .operations
            .iter()
            .map(|operation| Operation {
                name: operation.name.clone(),
                work: operation.work,
                after: operation.after.clone(),
            })
            .collect(),
        buffers: problem
            .storages
            .iter()
            .map(|storage| Buffer {
                bytes: storage.bytes,
                space: problem.spaces[storage.space].name.clone(),
                operations: storage.operations.clone(),
            })
            .collect(),
    };
    // Nothing in the document can fail to be written: no map has keys that are no text, and all numbers are finite.
    serde_json::to_string(&document).unwrap_or_default()
}
