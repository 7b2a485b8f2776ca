//! The JSON document, key by key. A key that is not here is an error.

use std::fmt;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::{Goal, Instance, SCHEMA};
use crate::{Kind, OpId, Problem, Use};

fn one() -> u32 {
    1
}

fn is_one(value: &u32) -> bool {
    *value == 1
}

fn is_zero<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Document {
    pub(super) schema: u64,
    #[serde(default)]
    pub(super) name: String,
    pub(super) kind: Kind,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) objective: Option<Vec<String>>,
    #[serde(default)]
    pub(super) resources: Vec<ResourceDocument>,
    pub(super) operations: Vec<OperationDocument>,
    #[serde(default)]
    pub(super) dependences: Vec<DependenceDocument>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) buffers: Vec<BufferDocument>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) spaces: Vec<SpaceDocument>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) planning: Option<PlanningDocument>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PlanningDocument {
    pub(super) stages: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) versions: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) iterations: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) trip: Option<u64>,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) wait: u64,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) back_edge: u64,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) trust_queues: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) loads: Vec<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ResourceDocument {
    pub(super) name: String,
    #[serde(default = "one")]
    pub(super) capacity: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) queue: Option<u32>,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) shared: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OperationDocument {
    pub(super) name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) latency: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) uses: Option<Vec<UseDocument>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) alternatives: Option<Vec<AlternativeDocument>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) condition: Option<u32>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct UseDocument {
    pub(super) resource: String,
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub(super) amount: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cycles: Option<u64>,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) offset: u64,
}

/// A list of uses, or an object with such a list and a latency.
#[derive(Serialize)]
pub(super) struct AlternativeDocument {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) latency: Option<u64>,
    pub(super) uses: Vec<UseDocument>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AlternativeObject {
    latency: Option<u64>,
    #[serde(default)]
    uses: Vec<UseDocument>,
}

impl<'de> Deserialize<'de> for AlternativeDocument {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ListOrObject;

        impl<'de> Visitor<'de> for ListOrObject {
            type Value = AlternativeDocument;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of uses, or an object with `latency` and `uses`")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
                let uses = Vec::deserialize(SeqAccessDeserializer::new(list))?;
                Ok(AlternativeDocument { latency: None, uses })
            }

            fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<Self::Value, A::Error> {
                let object = AlternativeObject::deserialize(MapAccessDeserializer::new(object))?;
                Ok(AlternativeDocument {
                    latency: object.latency,
                    uses: object.uses,
                })
            }
        }

        deserializer.deserialize_any(ListOrObject)
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DependenceDocument {
    pub(super) from: String,
    pub(super) to: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) latency: Option<i64>,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) distance: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BufferDocument {
    pub(super) name: String,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) space: Option<String>,
    pub(super) writers: Vec<String>,
    #[serde(default)]
    pub(super) readers: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) max_versions: Option<u32>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SpaceDocument {
    pub(super) name: String,
    pub(super) bytes: u64,
}

impl Document {
    /// The document of an instance.
    pub(super) fn of(instance: &Instance) -> Document {
        let problem = &instance.problem;
        let goals = || instance.objective.iter().map(|goal| goal.name().to_owned()).collect();
        let operation = |id: OpId| {
            problem
                .operations
                .get(id.index())
                .map_or(String::new(), |o| o.name.clone())
        };
        let operations = |ids: &[OpId]| ids.iter().map(|id| operation(*id)).collect();
        let space = |index: usize| problem.spaces.get(index).map_or(String::new(), |s| s.name.clone());
        Document {
            schema: SCHEMA,
            name: problem.name.clone(),
            kind: problem.kind,
            objective: (instance.objective != Goal::DEFAULT).then(goals),
            resources: problem
                .resources
                .iter()
                .map(|r| ResourceDocument {
                    name: r.name.clone(),
                    capacity: r.capacity,
                    queue: r.queue,
                    shared: r.shared,
                })
                .collect(),
            operations: problem
                .operations
                .iter()
                .map(|o| operation_document(problem, o))
                .collect(),
            dependences: problem
                .dependences
                .iter()
                .map(|d| DependenceDocument {
                    from: operation(d.from),
                    to: operation(d.to),
                    latency: d.latency,
                    distance: d.distance,
                })
                .collect(),
            buffers: problem
                .buffers
                .iter()
                .map(|b| BufferDocument {
                    name: b.name.clone(),
                    bytes: b.bytes,
                    space: b.space.map(|id| space(id.index())),
                    writers: operations(&b.writers),
                    readers: operations(&b.readers),
                    max_versions: b.max_versions,
                })
                .collect(),
            spaces: problem
                .spaces
                .iter()
                .map(|s| SpaceDocument {
                    name: s.name.clone(),
                    bytes: s.bytes,
                })
                .collect(),
            planning: instance.planning.as_ref().map(|options| PlanningDocument {
                stages: options.num_stages,
                versions: options.max_versions,
                iterations: options.iterations,
                trip: options.trip,
                wait: options.stream.wait,
                back_edge: options.stream.back_edge,
                trust_queues: options.stream.trust_queues,
                loads: operations(&options.loads),
            }),
        }
    }
}

fn operation_document(problem: &Problem, operation: &crate::Operation) -> OperationDocument {
    let uses = |uses: &[Use], latency: u64| {
        let each = uses.iter().map(|u| UseDocument {
            resource: problem
                .resources
                .get(u.resource.index())
                .map_or(String::new(), |r| r.name.clone()),
            amount: u.amount,
            cycles: (u.cycles != latency).then_some(u.cycles),
            offset: u.offset,
        });
        each.collect()
    };
    let (name, condition) = (operation.name.clone(), operation.condition);
    match operation.alternatives.as_slice() {
        [only] => OperationDocument {
            name,
            latency: Some(only.latency),
            uses: Some(uses(&only.uses, only.latency)),
            alternatives: None,
            condition,
        },
        several => OperationDocument {
            name,
            latency: None,
            uses: None,
            alternatives: Some(
                several
                    .iter()
                    .map(|alternative| AlternativeDocument {
                        latency: Some(alternative.latency),
                        uses: uses(&alternative.uses, alternative.latency),
                    })
                    .collect(),
            ),
            condition,
        },
    }
}
