//! Answers with every number that is known, in the form in which they are printed.

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::{Graph, Question};
use crate::analyze::{Answer, Limits, Shared, analyze};
use crate::fork::{ConsumerId, Fork};
use crate::layout::{assign, vote};
use crate::plan::blocks;
use crate::projection::{Class, LayoutTriple};
use crate::verdict::{Edge, Method, Sizes, Verdict};

/// The most nodes of a search for layouts.
const MAX_NODES: u64 = 1 << 22;

/// Answer to one question.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Answered {
    /// Edges of a tensor.
    Case(Box<CaseAnswer>),
    /// A graph of layouts.
    Graph(GraphAnswer),
    /// Nothing, with the reason.
    Declined(DeclinedAnswer),
}

impl Answered {
    /// Tells whether the question has an answer, and no edge of it is incompatible.
    pub fn is_possible(&self) -> bool {
        match self {
            Answered::Case(case) => case.consumers.iter().all(|each| each.verdict != Verdict::Incompatible),
            Answered::Graph(_) => true,
            Answered::Declined(_) => false,
        }
    }
}

/// A question without an answer.
#[derive(Clone, Debug, Serialize)]
pub struct DeclinedAnswer {
    /// Its name.
    pub id: String,
    /// Reason.
    pub declined: String,
}

/// Edges of a tensor.
#[derive(Clone, Debug, Serialize)]
pub struct CaseAnswer {
    /// Name of the case.
    pub id: String,
    /// The producer's layout as a triple.
    pub producer_layout: LayoutTriple,
    /// By consumer.
    pub consumers: Vec<ConsumerAnswer>,
    /// Consumers that read alike.
    pub groups: Vec<Vec<ConsumerId>>,
    /// One buffer for all; nothing if an edge is incompatible.
    pub shared: Option<SharedAnswer>,
}

/// One edge.
#[derive(Clone, Debug, Serialize)]
pub struct ConsumerAnswer {
    /// Name of the consumer, if it has one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Kind of the edge.
    pub verdict: Verdict,
    /// The largest number of its events on one element.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub multiplicity: Option<u128>,
    /// Elements that are written and never read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dropped: Option<u128>,
    /// Sizes; nothing if it is incompatible.
    #[serde(flatten)]
    pub sizes: Option<SizesAnswer>,
    /// Reason, if it is incompatible.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Class of producer and consumer, by the orders alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<&'static str>,
    /// Its layout as a triple.
    pub layout: LayoutTriple,
    /// Method that decided it.
    pub method: &'static str,
}

/// Sizes, in elements.
#[derive(Clone, Debug)]
pub struct SizesAnswer(pub Sizes);

impl Serialize for SizesAnswer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let sizes = &self.0;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("min_capacity", &sizes.min_capacity)?;
        map.serialize_entry("retained", &sizes.retained)?;
        map.serialize_entry("circular_span", &sizes.circular_span)?;
        map.serialize_entry("epochs", &sizes.epochs)?;
        map.serialize_entry("block_shape", &sizes.block_shape)?;
        map.serialize_entry("modulo_shape", &sizes.modulo_shape)?;
        map.serialize_entry("ping_pong", &blocks(sizes, 2))?;
        map.serialize_entry("exact", &sizes.is_exact)?;
        map.serialize_entry("modulo_exact", &sizes.is_modulo_exact)?;
        map.end()
    }
}

/// One buffer for all.
#[derive(Clone, Debug, Serialize)]
pub struct SharedAnswer {
    /// The costliest verdict of its readers.
    pub verdict: Verdict,
    /// Sizes.
    #[serde(flatten)]
    pub sizes: SizesAnswer,
    /// Elements of one buffer for each group, together.
    pub separate: u128,
    /// Smaller one of both: `shared` or `groups`.
    pub taken: &'static str,
}

/// A choice of layouts.
#[derive(Clone, Debug, Serialize)]
pub struct GraphAnswer {
    /// Name of the graph.
    pub id: String,
    /// Elements that conversions move.
    pub min_cost: u128,
    /// Number of conversions.
    pub conversions: usize,
    /// The alternative of each operation.
    pub choice: Choice,
    /// Tells whether no choice costs less.
    pub proven: bool,
    /// Cost of a majority vote.
    pub majority_vote: u128,
}

/// Alternatives by the names of their operations, in the order of the graph.
#[derive(Clone, Debug)]
pub struct Choice(pub Vec<(String, usize)>);

impl Serialize for Choice {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, choice)| (name, choice)))
    }
}

/// Answers one question.
pub fn answer(question: &Question, limits: Limits) -> Answered {
    match question {
        Question::Case(fork) => match analyze(fork, limits) {
            Ok(answer) => Answered::Case(Box::new(case(fork, answer))),
            Err(error) => declined(&fork.name, &error),
        },
        Question::Graph(graph) => match layouts(graph) {
            Ok(answer) => Answered::Graph(answer),
            Err(error) => declined(&graph.id, &error),
        },
    }
}

fn declined(id: &str, error: &impl ToString) -> Answered {
    Answered::Declined(DeclinedAnswer {
        id: id.to_owned(),
        declined: error.to_string(),
    })
}

fn case(fork: &Fork, answer: Answer) -> CaseAnswer {
    let consumers = fork
        .consumers
        .iter()
        .zip(answer.edges)
        .map(|(consumer, edge)| ConsumerAnswer {
            name: consumer.name.clone(),
            reason: edge.reason.as_ref().map(ToString::to_string),
            class: Class::of(edge.verdict).map(Class::name),
            layout: LayoutTriple::of(&consumer.order),
            method: method(&edge),
            verdict: edge.verdict,
            multiplicity: edge.multiplicity,
            dropped: edge.dropped,
            sizes: edge.sizes.map(SizesAnswer),
        });
    CaseAnswer {
        id: fork.name.clone(),
        producer_layout: LayoutTriple::of(&fork.producer),
        consumers: consumers.collect(),
        groups: answer.groups,
        shared: answer.shared.map(shared),
    }
}

fn method(edge: &Edge) -> &'static str {
    match edge.method {
        Method::Formula => "formula",
        Method::BlockSweep => "formula, moduli by a sweep of a block",
        Method::Sweep => "sweep",
        Method::Bound => "bound",
    }
}

fn shared(shared: Shared) -> SharedAnswer {
    SharedAnswer {
        verdict: shared.verdict,
        separate: shared.separate,
        taken: if shared.is_smaller() { "shared" } else { "groups" },
        sizes: SizesAnswer(shared.sizes),
    }
}

fn layouts(graph: &Graph) -> Result<GraphAnswer, crate::layout::LayoutError> {
    let best = assign(&graph.problem, MAX_NODES)?;
    let voted = vote(&graph.problem)?;
    let names = graph.problem.ops.iter().map(|op| op.name.clone());
    Ok(GraphAnswer {
        id: graph.id.clone(),
        min_cost: best.cost,
        conversions: best.conversions,
        choice: Choice(names.zip(best.choice).collect()),
        proven: best.is_proven,
        majority_vote: voted.cost,
    })
}
