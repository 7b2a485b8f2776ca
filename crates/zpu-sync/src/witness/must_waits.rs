//! Waits that are passed on every way through a branch or a loop: after it, a wait for the same is a second one,
//! whichever way was taken.

use crate::program::{BlockId, ItemId, Kind, Program};
use std::collections::BTreeMap;

use crate::problem::view::Value;

/// By branch or loop: the tokens and barrier ids from outside that every way through it waits for.
pub(crate) type MustWaits<'c> = BTreeMap<ItemId, Vec<Value<'c>>>;

/// The waits of all branches and loops of a program that have some.
pub(crate) fn must_waits<'c>(program: &Program<'c>) -> MustWaits<'c> {
    let mut passed = MustWaits::new();
    if let Some(entry) = program.entry {
        in_block(program, entry, &mut passed);
    }
    passed
}

/// Waits and ids of a block.
#[derive(Default)]
struct PathSummary<'c> {
    /// Values that every way through it waits for.
    waited: Vec<Value<'c>>,
    /// A command may be given a barrier id: an id that was waited for before may mean that one then.
    gives_ids: bool,
}

impl<'c> PathSummary<'c> {
    /// Goes on with another one.
    fn then(&mut self, next: Self) {
        if next.gives_ids {
            self.waited.retain(|value| value.is_token());
        }
        self.gives_ids |= next.gives_ids;
        for value in next.waited {
            if !self.waited.contains(&value) {
                self.waited.push(value);
            }
        }
    }
}

fn in_block<'c>(program: &Program<'c>, block: BlockId, passed: &mut MustWaits<'c>) -> PathSummary<'c> {
    let mut way = PathSummary::default();
    for id in &program.blocks[block].items {
        way.then(in_item(program, *id, passed));
    }
    way
}

fn in_item<'c>(program: &Program<'c>, id: ItemId, passed: &mut MustWaits<'c>) -> PathSummary<'c> {
    let waits_for = |value: Value<'c>| PathSummary {
        waited: vec![value],
        gives_ids: false,
    };
    let mut inside = |block: &BlockId| in_block(program, *block, passed);
    let mut way = match &program.items[id].kind {
        Kind::Wait(token) => return waits_for(*token),
        Kind::WaitId(number) => return waits_for(program.tracked.name(*number)),
        Kind::Start(.., barrier) => {
            return PathSummary {
                waited: Vec::new(),
                gives_ids: barrier.is_some(),
            };
        }
        Kind::Block(block, _) => inside(block),
        Kind::If(_, blocks, _) => {
            let mut ways: Vec<PathSummary<'c>> = blocks.iter().map(&mut inside).collect();
            let mut way = ways.pop().unwrap_or_default();
            way.gives_ids |= ways.iter().any(|other| other.gives_ids);
            // A side that is missing waits for nothing.
            way.waited
                .retain(|value| blocks.len() == 2 && ways.iter().all(|other| other.waited.contains(value)));
            way
        }
        Kind::For(loop_) => {
            let mut way = inside(&loop_.body);
            if loop_.constant_trips.is_none_or(|trips| trips <= 0) {
                way.waited.clear();
            }
            way
        }
        Kind::While(loop_) => {
            // What decides comes last, as it came first.
            let mut way = inside(&loop_.after);
            way.waited.clear();
            way.then(inside(&loop_.before));
            way
        }
        Kind::Other(blocks, _) => {
            let ways = blocks.iter().map(&mut inside);
            PathSummary {
                waited: Vec::new(),
                gives_ids: ways.fold(false, |gives, way| gives | way.gives_ids),
            }
        }
        _ => return PathSummary::default(),
    };
    let op = program.items[id].op;
    way.waited
        .retain(|value| value.as_constant_int().is_some() || !value.is_defined_inside(op));
    if !way.waited.is_empty() {
        passed.insert(id, way.waited.clone());
    }
    way
}
