//! The JSON document of a program, key by key. A key that is not here is an error.

use serde::Deserialize;

use super::super::error::FragmentError;
use super::super::problem::{Fragment, MeshId, Node, NodeId, NodeKind, Origin, Program, Recompute, Split};
use crate::InstanceError;
use crate::json::{Names, no_number};

/// The version of the format.
pub const SCHEMA: u64 = 1;

/// The reason why a text is no program.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// Nothing but blanks.
    #[error("the text is empty; a program is a JSON object, as in {{\"schema\": 1, \"meshes\": [...], ...}}")]
    Empty,
    /// Something else than an object.
    #[error("the text begins with `{0}`; a program is a JSON object, as in {{\"schema\": 1, \"meshes\": [...], ...}}")]
    NoObject(char),
    /// Another version of the format.
    #[error("the schema is {0}, this program reads schema {SCHEMA}")]
    Schema(u64),
    /// Not JSON, or a key, type, number or name that does not belong there.
    #[error(transparent)]
    Json(#[from] InstanceError),
    /// An order of the block that leaves nodes out, or has them twice.
    #[error("`program_order_in` has `{name}` {count} times; list each fragment and transfer once, or leave it out")]
    Order {
        /// The node.
        name: String,
        /// How often it is there.
        count: usize,
    },
    /// A program that makes no sense.
    #[error(transparent)]
    Program(Box<FragmentError>),
}

impl From<FragmentError> for FileError {
    fn from(error: FragmentError) -> FileError {
        FileError::Program(Box::new(error))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    schema: u64,
    meshes: Vec<String>,
    fragments: Vec<FragmentDocument>,
    #[serde(default)]
    transfers: Vec<TransferDocument>,
    program_order_in: Option<Vec<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FragmentDocument {
    id: String,
    mesh: String,
    origin: Option<Vec<(Box<str>, u32)>>,
    stage: Option<u32>,
    call_counter: Option<u32>,
    transpose_count: Option<u32>,
    split_type: Option<SplitDocument>,
    inferred: Option<bool>,
    deps: Option<Vec<String>>,
    cycles: Option<u64>,
    bytes: Option<u64>,
}

#[derive(Clone, Copy, Deserialize)]
enum SplitDocument {
    #[serde(rename = "keep_transferred", alias = "kKeepTransferred", alias = "keep transferred")]
    Keep,
    #[serde(rename = "drop_transferred", alias = "kDropTransferred", alias = "drop transferred")]
    Drop,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TransferDocument {
    id: String,
    src_mesh: String,
    dst_mesh: String,
    operands: Option<Vec<String>>,
    cycles: Option<u64>,
}

/// Reads a program and checks it.
///
/// # Errors
///
/// [`FileError`], with the place where there is one.
pub fn read_program(text: &str) -> Result<Program, FileError> {
    // Some editors put a byte order mark first.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match text.trim_start().chars().next() {
        None => return Err(FileError::Empty),
        Some('{') => {}
        Some(other) => return Err(FileError::NoObject(other)),
    }
    let document: Document = serde_json::from_str(text).map_err(|error| no_number(text, error))?;
    if document.schema != SCHEMA {
        return Err(FileError::Schema(document.schema));
    }
    let program = program(document)?;
    program.check()?;
    Ok(program)
}

fn program(document: Document) -> Result<Program, FileError> {
    let ids: Vec<String> = document
        .fragments
        .iter()
        .map(|fragment| fragment.id.clone())
        .chain(document.transfers.iter().map(|transfer| transfer.id.clone()))
        .collect();
    let mut sorted: Vec<&String> = ids.iter().collect();
    sorted.sort_unstable();
    if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        let name = pair[0].clone();
        return Err(FragmentError::DuplicateName { name }.into());
    }
    let meshes = Names::new("mesh", "meshes", document.meshes.iter());
    let names = Names::new("fragment or transfer", "fragments` or `transfers", ids.iter());
    let order = order(&document, &ids, &names)?;
    // By place in the document, the place in the block.
    let mut place = vec![0u32; ids.len()];
    for (at, &id) in (0..).zip(&order) {
        place[id as usize] = at;
    }
    let mut nodes: Vec<Option<Node>> = document
        .fragments
        .into_iter()
        .map(|fragment| node(fragment, &meshes, &names, &place))
        .chain(document.transfers.into_iter().map(|transfer| {
            let at = || format!("transfer `{}`", transfer.id);
            Node {
                kind: NodeKind::Transfer {
                    from: MeshId(meshes.id(&transfer.src_mesh, &at)),
                    to: MeshId(meshes.id(&transfer.dst_mesh, &at)),
                },
                deps: deps(transfer.operands.as_deref(), &names, &place, &at),
                cycles: transfer.cycles.unwrap_or(1),
                name: transfer.id.clone().into(),
            }
        }))
        .map(Some)
        .collect();
    let mut unknown = meshes.unknown.take();
    unknown.extend(names.unknown.take());
    match unknown.len() {
        0 => {}
        1 => return Err(unknown.remove(0).into()),
        _ => return Err(InstanceError::Several(unknown).into()),
    }
    let nodes = order.into_iter().filter_map(|id| nodes[id as usize].take());
    Ok(Program {
        nodes: nodes.collect(),
        meshes: document.meshes,
        transfer_latency: 0,
        link_latency: std::collections::BTreeMap::new(),
    })
}

/// The order of the block, as places in the document.
fn order(document: &Document, ids: &[String], names: &Names<'_>) -> Result<Vec<u32>, FileError> {
    let Some(listed) = &document.program_order_in else {
        return Ok((0..ids.len() as u32).collect());
    };
    let place = || "`program_order_in`".to_owned();
    let order: Vec<u32> = listed.iter().map(|name| names.id(name, &place)).collect();
    if let Some(unknown) = names.unknown.take().into_iter().next() {
        return Err(unknown.into());
    }
    let mut count = vec![0; ids.len()];
    order.iter().for_each(|id| count[*id as usize] += 1);
    match count.iter().position(|count| *count != 1) {
        None => Ok(order),
        Some(id) => Err(FileError::Order {
            name: ids[id].clone(),
            count: count[id],
        }),
    }
}

fn node(document: FragmentDocument, meshes: &Names<'_>, names: &Names<'_>, place: &[u32]) -> Node {
    let at = || format!("fragment `{}`", document.id);
    let origins: Vec<Origin> = document
        .origin
        .unwrap_or_default()
        .into_iter()
        .map(|(name, transpose_count)| Origin { name, transpose_count })
        .collect();
    let mut counts = origins.iter().map(|origin| origin.transpose_count);
    let agreed = counts.next().filter(|first| counts.all(|count| count == *first));
    Node {
        kind: NodeKind::Fragment(Fragment {
            mesh: MeshId(meshes.id(&document.mesh, &at)),
            transpose_count: document.transpose_count.or(agreed),
            origins,
            stage: document.stage,
            call_counter: document.call_counter,
            split: document.split_type.map(|split| match split {
                SplitDocument::Keep => Split::KeepTransferred,
                SplitDocument::Drop => Split::DropTransferred,
            }),
            inferred: document.inferred.unwrap_or(false),
            bytes: document.bytes.unwrap_or(1),
            recompute: Recompute::Kept,
        }),
        deps: deps(document.deps.as_deref(), names, place, &at),
        cycles: document.cycles.unwrap_or(1),
        name: document.id.clone().into(),
    }
}

fn deps(listed: Option<&[String]>, names: &Names<'_>, place: &[u32], at: &dyn Fn() -> String) -> Vec<NodeId> {
    let listed = listed.unwrap_or_default().iter();
    let ids = listed.map(|name| names.id(name, at) as usize);
    ids.filter_map(|id| place.get(id).map(|place| NodeId(*place))).collect()
}
