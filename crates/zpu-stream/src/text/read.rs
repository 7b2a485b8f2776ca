//! A document from JSON.

use serde_json::Value;

use super::fields::{At, shown};
use super::unique::Unique;
use super::{Document, Question, ReadError, SCHEMA, graph};
use crate::fork::{Consumer, ConsumerId, Fork, Gate};
use crate::order::{Map, Order};

const SIDE: [&str; 8] = ["loops", "map", "token", "dilation", "lanes", "align", "name", "title"];
const CONSUMER: [&str; 9] = [
    "loops", "map", "token", "dilation", "lanes", "align", "name", "title", "gate",
];
const CASE: [&str; 6] = ["id", "title", "schema", "tensor", "producer", "consumers"];

/// Reads a document, a list of questions, or a single one.
///
/// # Errors
///
/// The first fault, with its path.
pub fn read(text: &str) -> Result<Document, ReadError> {
    // Some editors put a byte order mark in front.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim().is_empty() {
        return Err(ReadError::Empty);
    }
    let Unique(value) = serde_json::from_str(text)?;
    let path = "document".to_owned();
    let document = At { value: &value, path };
    let is_single = document.value.is_object() && ["cases", "graphs"].iter().all(|key| document.get(key).is_none());
    let mut questions = Vec::new();
    match document.value {
        Value::Array(_) => {
            for (number, at) in document.list()?.iter().enumerate() {
                questions.push(question(at, number)?);
            }
        }
        Value::Object(_) if is_single => questions.push(question(&document, 0)?),
        Value::Object(_) => {
            document.object(&["schema", "cases", "graphs", "title"])?;
            schema(&document.need("schema")?)?;
            for at in document.get("cases").map_or(Ok(Vec::new()), |cases| cases.list())? {
                questions.push(Question::Case(case(&at, questions.len())?));
            }
            for at in document.get("graphs").map_or(Ok(Vec::new()), |graphs| graphs.list())? {
                questions.push(Question::Graph(graph::read(&at, questions.len())?));
            }
        }
        other => return Err(document.error(format!("is {}, must be an object or a list", shown(other)))),
    }
    Ok(Document { questions, is_single })
}

fn question(at: &At<'_>, number: usize) -> Result<Question, ReadError> {
    if at.get("schema").is_some() {
        schema(&at.need("schema")?)?;
    }
    if at.get("ops").is_some() {
        return graph::read(at, number).map(Question::Graph);
    }
    case(at, number).map(Question::Case)
}

fn schema(at: &At<'_>) -> Result<(), ReadError> {
    match at.integer()? {
        SCHEMA => Ok(()),
        other => Err(at.error(format!("is {other}, this program reads schema {SCHEMA}"))),
    }
}

/// The name of a question; a number where it has none.
pub(super) fn id(at: &At<'_>, number: usize) -> Result<String, ReadError> {
    at.get("id")
        .map_or_else(|| Ok(number.to_string()), |id| id.text().map(str::to_owned))
}

fn case(at: &At<'_>, number: usize) -> Result<Fork, ReadError> {
    at.object(&CASE)?;
    let name = id(at, number)?;
    let tensor = at.need("tensor")?.extents()?;
    let producer = at.need("producer")?;
    producer.object(&SIDE)?;
    texts(&producer)?;
    let consumers = at.need("consumers")?.list()?;
    let fork = Fork {
        name,
        producer: order(&producer, tensor.len())?,
        consumers: consumers
            .iter()
            .map(|each| consumer(each, tensor.len()))
            .collect::<Result<_, _>>()?,
        tensor,
    };
    fork.check().map_err(|error| at.error(error.to_string()))?;
    Ok(fork)
}

fn consumer(at: &At<'_>, rank: usize) -> Result<Consumer, ReadError> {
    at.object(&CONSUMER)?;
    texts(at)?;
    let name = at.get("name").map_or(Ok(""), |name| name.text())?.to_owned();
    let gate = at.get("gate").filter(|gate| !gate.value.is_null());
    let gate = gate.map(|gate| {
        gate.object(&["on", "prefix"])?;
        let on = u32::try_from(gate.need("on")?.count(u32::MAX.into())?).unwrap_or(u32::MAX);
        let prefix = usize::try_from(gate.need("prefix")?.count(u32::MAX.into())?).unwrap_or(usize::MAX);
        Ok::<Gate, ReadError>(Gate {
            on: ConsumerId(on),
            prefix,
        })
    });
    Ok(Consumer {
        name,
        order: order(at, rank)?,
        gate: gate.transpose()?,
    })
}

/// Names and titles are texts, whatever they say.
fn texts(at: &At<'_>) -> Result<(), ReadError> {
    for key in ["name", "title"] {
        at.get(key).map_or(Ok(""), |text| text.text())?;
    }
    Ok(())
}

fn order(at: &At<'_>, rank: usize) -> Result<Order, ReadError> {
    let loops = at.need("loops")?.extents()?;
    let map = at.need("map")?;
    let map: Map = map
        .text()?
        .parse()
        .map_err(|error: crate::order::MapError| map.error(error.to_string()))?;
    let token = at.need("token")?.extents()?;
    let dilation = at
        .get("dilation")
        .map_or_else(|| Ok(vec![1; token.len()]), |dilation| dilation.integers())?;
    let mut lanes = match at.get("lanes") {
        Some(lanes) => lanes.counts(u32::MAX.into())?,
        None => (0..rank).collect(),
    };
    // Dimensions along which a token has one element may be left out: their place makes no difference.
    if lanes.len() < rank {
        let single = (0..token.len()).filter(|&dimension| token[dimension] == 1);
        let missing: Vec<usize> = single.filter(|dimension| !lanes.contains(dimension)).collect();
        lanes.splice(0..0, missing);
    }
    let align = at.get("align").map_or(Ok(1), |align| align.integer())?;
    Ok(Order {
        loops,
        map,
        token,
        dilation,
        lanes,
        align,
    })
}
