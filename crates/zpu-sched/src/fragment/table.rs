//! Schedules that users write: the CSV of PyTorch's pipelines.
//!
//! A line is a mesh, in the order of the topology; an entry is an action on it. `2F0` is the forward pass of stage 2
//! for microbatch 0, `2I0` the gradients of inputs, `2W0` those of weights, `2B0` both; `(0F8;7B0)OVERLAP_F_B` is two
//! actions, which run one after the other here; an empty entry is idle time. `2B0` means the gradients of inputs alone
//! where the line has `2W0` as well, as older files write it. Actions that only communicate are skipped: transfers have
//! queues of their own. Format: `torch/distributed/pipelining/schedules.py`, `_Action`.

use std::collections::{BTreeMap, BTreeSet};

use super::error::FragmentError;
use super::problem::{NodeId, Program};
use super::unit::{Piece, Units};

/// Actions that fragments do not stand for.
const SKIPPED: [&str; 8] = [
    "UNSHARD",
    "RESHARD",
    "SEND_F",
    "RECV_F",
    "SEND_B",
    "RECV_B",
    "REDUCE_GRAD",
    "WAIT",
];

/// A schedule as a user wrote it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    rows: Vec<Vec<Entry>>,
}

/// An action of a mesh.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    /// Its place in the line, counted from 1.
    column: usize,
    stage: u32,
    /// One piece, or both halves of a backward pass.
    pieces: Vec<Piece>,
    microbatch: u32,
}

impl Table {
    /// Reads a table.
    ///
    /// # Errors
    ///
    /// [`FragmentError::Table`] with the line and the entry.
    pub fn parse(text: &str) -> Result<Table, FragmentError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if text.trim().is_empty() {
            return Err(error(
                "line 1",
                "it is empty; give a line for each mesh, like `0F0,0F1,0B0,0B1`",
            ));
        }
        let lines = text.trim_end().lines().enumerate();
        let rows = lines
            .map(|(number, line)| row(number + 1, line))
            .collect::<Result<_, _>>()?;
        Ok(Table { rows })
    }

    /// The order of each schedulable mesh.
    pub(crate) fn orders(&self, program: &Program, units: &Units) -> Result<Vec<Vec<NodeId>>, FragmentError> {
        if self.rows.len() != units.meshes.len() {
            return Err(error(
                "all lines",
                &format!(
                    "it has {} lines, the program has {} meshes; give a line for each",
                    self.rows.len(),
                    units.meshes.len()
                ),
            ));
        }
        let rows = self.rows.iter().enumerate();
        rows.map(|(mesh, row)| order(program, units, mesh, row)).collect()
    }
}

fn error(place: &str, problem: &str) -> FragmentError {
    FragmentError::Table {
        place: place.to_owned(),
        problem: problem.to_owned(),
        missing: None,
    }
}

fn row(number: usize, line: &str) -> Result<Vec<Entry>, FragmentError> {
    let mut entries = Vec::new();
    for (column, cell) in (1..).zip(line.split(',')) {
        let cell = cell.trim();
        let joined = cell
            .strip_prefix('(')
            .and_then(|rest| rest.strip_suffix(")OVERLAP_F_B"));
        for action in joined
            .unwrap_or(cell)
            .split(';')
            .map(str::trim)
            .filter(|action| !action.is_empty())
        {
            entries.extend(entry(column, action).map_err(|problem| {
                error(
                    &format!("line {number}, entry {column}"),
                    &format!("`{action}` {problem}"),
                )
            })?);
        }
    }
    // Where weight gradients stand alone, `B` is the other half.
    let alone: BTreeSet<(u32, u32)> = entries
        .iter()
        .filter(|entry| entry.pieces == [Piece::Weight])
        .map(|entry| (entry.stage, entry.microbatch))
        .collect();
    for entry in &mut entries {
        if entry.pieces.len() > 1 && alone.contains(&(entry.stage, entry.microbatch)) {
            entry.pieces.truncate(1);
        }
    }
    Ok(entries)
}

/// An action; nothing if it only communicates.
fn entry(column: usize, action: &str) -> Result<Option<Entry>, String> {
    let is_letter = |c: char| !c.is_ascii_digit();
    let begin = action.find(is_letter).unwrap_or(action.len());
    let end = action.rfind(is_letter).map_or(begin, |at| at + 1);
    // Letters that are no digits may be of several bytes; then the action is none of those known.
    let (stage, rest) = action.split_at(begin);
    let name = action.get(begin..end).unwrap_or(rest);
    let microbatch = action.get(end..).unwrap_or("");
    if SKIPPED.contains(&name) {
        return Ok(None);
    }
    let pieces = match name {
        "F" => vec![Piece::Forward],
        "I" => vec![Piece::Backward],
        "W" => vec![Piece::Weight],
        "B" => vec![Piece::Backward, Piece::Weight],
        _ => return Err("is no action; write stage, F, I, W or B, and microbatch, like `2F0`".to_owned()),
    };
    let number = |text: &str, of: &str| {
        text.parse()
            .map_err(|_| format!("has no number of a {of} below 2^32; write it like `2F0`"))
    };
    Ok(Some(Entry {
        column,
        stage: number(stage, "stage")?,
        pieces,
        microbatch: number(microbatch, "microbatch")?,
    }))
}

fn order(program: &Program, units: &Units, mesh: usize, row: &[Entry]) -> Result<Vec<NodeId>, FragmentError> {
    let mut slots: BTreeMap<(u32, Piece, u32), Vec<NodeId>> = BTreeMap::new();
    for unit in &units.of_mesh[mesh] {
        let stage = unit.stage.unwrap_or(mesh as u32);
        slots
            .entry((stage, unit.piece, unit.counter))
            .or_default()
            .push(unit.node);
    }
    let name = program.mesh(units.meshes[mesh]);
    let mut order = Vec::new();
    for entry in row {
        let mut found = false;
        for &piece in &entry.pieces {
            let slot = slots.remove(&(entry.stage, piece, entry.microbatch));
            found |= slot.is_some();
            order.extend(slot.into_iter().flatten());
        }
        if !found {
            let letter = entry.pieces[0].letter();
            let problem = format!(
                "mesh `{name}` has no fragment {letter} of stage {} for microbatch {}, or the line has it twice",
                entry.stage, entry.microbatch
            );
            return Err(error(&format!("line {}, entry {}", mesh + 1, entry.column), &problem));
        }
    }
    match slots.into_iter().next() {
        None => Ok(order),
        Some(((stage, piece, microbatch), nodes)) => Err(FragmentError::Table {
            place: format!("line {}", mesh + 1),
            problem: format!(
                "{} of mesh `{name}` is missing; add {} of stage {stage} for microbatch {microbatch}",
                program.party(nodes[0]),
                piece.letter()
            ),
            missing: Some(program.party(nodes[0])),
        }),
    }
}
