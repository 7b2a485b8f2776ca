//! A graph of layouts from JSON. Names stand for operations, texts and objects for layouts.

use std::collections::BTreeMap;

use serde_json::Value;

use super::fields::{At, shown};
use super::read::id;
use super::{Graph, ReadError};
use crate::layout::{Alternative, LayoutId, Op, OpId, Problem};

/// Equal labels and equal objects are one layout.
#[derive(Default)]
struct Layouts {
    ids: BTreeMap<String, LayoutId>,
}

pub(super) fn read(at: &At<'_>, number: usize) -> Result<Graph, ReadError> {
    at.object(&["id", "title", "schema", "ops"])?;
    let name = id(at, number)?;
    let ops = at.need("ops")?;
    let Value::Object(named) = ops.value else {
        return Err(ops.error(format!("is {}, must be an object", shown(ops.value))));
    };
    let ids: BTreeMap<&str, OpId> = named.keys().map(String::as_str).zip((0..).map(OpId)).collect();
    let mut layouts = Layouts::default();
    let mut problem = Problem::default();
    for (name, value) in named {
        let path = format!("{}.{name}", ops.path);
        problem.ops.push(op(&At { value, path }, name, &ids, &mut layouts)?);
    }
    Ok(Graph { id: name, problem })
}

fn op(at: &At<'_>, name: &str, ids: &BTreeMap<&str, OpId>, layouts: &mut Layouts) -> Result<Op, ReadError> {
    at.object(&["elems", "ins", "alts", "title"])?;
    let input = |each: At<'_>| {
        let input = each.text()?;
        ids.get(input)
            .copied()
            .ok_or_else(|| each.error(format!("there is no operation `{input}`")))
    };
    let inputs: Vec<OpId> = at
        .get("ins")
        .map_or(Ok(Vec::new()), |ins| ins.list())?
        .into_iter()
        .map(input)
        .collect::<Result<_, _>>()?;
    let mut alternatives = Vec::new();
    for each in at.need("alts")?.list()? {
        each.object(&["out", "in"])?;
        let wanted = each.get("in").map_or(Ok(Vec::new()), |wanted| wanted.list())?;
        if wanted.len() != inputs.len() {
            let message = format!(
                "`in` has {} layouts, the operation has {} inputs",
                wanted.len(),
                inputs.len()
            );
            return Err(each.error(message));
        }
        alternatives.push(Alternative {
            output: layouts.id(&each.need("out")?)?,
            inputs: wanted
                .iter()
                .map(|layout| layouts.id(layout))
                .collect::<Result<_, _>>()?,
        });
    }
    Ok(Op {
        name: name.to_owned(),
        elements: at.need("elems")?.count(u64::MAX)?,
        inputs,
        alternatives,
        absorbed: Vec::new(),
    })
}

impl Layouts {
    fn id(&mut self, at: &At<'_>) -> Result<LayoutId, ReadError> {
        let key = match at.value {
            // Apart from any object, which begins with another sign.
            Value::String(label) => format!("\"{label}"),
            Value::Object(_) => {
                at.object(&["vector_dim", "order", "align"])?;
                let vector = at.get("vector_dim").filter(|vector| !vector.value.is_null());
                let vector = vector.map(|vector| vector.count(u32::MAX.into())).transpose()?;
                let order = at.get("order").map(|order| order.counts(u32::MAX.into())).transpose()?;
                let align = at.get("align").map(|align| align.count(u32::MAX.into())).transpose()?;
                format!("{{{vector:?} {order:?} {align:?}")
            }
            other => return Err(at.error(format!("is {}, must be a label or an object", shown(other)))),
        };
        let next = LayoutId(u32::try_from(self.ids.len()).unwrap_or(u32::MAX));
        Ok(*self.ids.entry(key).or_insert(next))
    }
}
