//! Over which memories data gets from one to another, by DMA engines and, where they have no route, by vector engines.
//!
//! A vector engine moves data between two memories that both satisfy its operand rule. That counts where no DMA engine
//! has a route, so that a memory which only computing engines reach is not cut off.

use std::collections::{BTreeMap, VecDeque};

use crate::{Device, Engine, EngineKind, Role};

impl Device {
    /// True if one command moves data from one memory to the other: of a DMA engine, or, without such a route, of a
    /// vector engine.
    pub fn moves_directly(&self, from: &str, to: &str) -> bool {
        !self.engines_for_route(from, to).is_empty() || self.vector_mover(from, to).is_some()
    }

    /// The first vector engine whose operand rule names both memories. One without a rule works in any memory, but is
    /// no path.
    pub fn vector_mover(&self, from: &str, to: &str) -> Option<&Engine> {
        let names = |engine: &Engine, space| engine.operands.spaces(Role::All).iter().any(|name| name == space);
        self.engines_of_kind(EngineKind::Vector)
            .find(|engine| names(engine, from) && names(engine, to))
    }

    /// The memories that data passes through, both ends included: the path of DMA routes with the fewest transfers, and
    /// where there is none, the one with the fewest commands of DMA and vector engines. Of equally short paths one that
    /// stays on chip, then the first in the device's order of memories. Two memories for a direct command.
    pub fn data_path(&self, from: &str, to: &str) -> Option<Vec<String>> {
        if self.moves_directly(from, to) {
            return Some(vec![from.to_owned(), to.to_owned()]);
        }
        let by_any = |from: &str, to: &str| self.moves_directly(from, to);
        self.route_path(from, to).or_else(|| shortest(self, from, to, &by_any))
    }

    /// The memories that a copy passes through with the fewest transfers of DMA engines, both ends included: `[from,
    /// to]` for a direct route. At least one transfer even when `from` equals `to`. Of equally short paths one that
    /// stays on chip, then the first in the device's order of memories. `None` when there is no path.
    pub fn route_path(&self, from: &str, to: &str) -> Option<Vec<String>> {
        let by_dma = |from: &str, to: &str| !self.engines_for_route(from, to).is_empty();
        if by_dma(from, to) {
            return Some(vec![from.to_owned(), to.to_owned()]);
        }
        shortest(self, from, to, &by_dma)
    }
}

fn shortest(device: &Device, from: &str, to: &str, hop: &dyn Fn(&str, &str) -> bool) -> Option<Vec<String>> {
    let all = device.memories.iter().map(|memory| memory.name.as_str());
    let on_chip = all
        .clone()
        .filter(|name| !device.is_off_chip(name) || *name == to)
        .collect::<Vec<_>>();
    let paths = [
        search(&on_chip, from, to, hop),
        search(&all.collect::<Vec<_>>(), from, to, hop),
    ];
    paths.into_iter().flatten().min_by_key(Vec::len)
}

/// Breadth-first search through `memories`; ties go to the first of them.
fn search(memories: &[&str], from: &str, to: &str, hop: &dyn Fn(&str, &str) -> bool) -> Option<Vec<String>> {
    let mut came_from: BTreeMap<&str, &str> = BTreeMap::new();
    let mut queue = VecDeque::from([from]);
    while let Some(space) = queue.pop_front() {
        for &next in memories.iter().filter(|next| hop(space, next)) {
            if next == to {
                let mut path = vec![to, space];
                while let Some(before) = came_from.get(path[path.len() - 1]) {
                    path.push(before);
                }
                return Some(path.into_iter().rev().map(str::to_owned).collect());
            }
            if next != from && !came_from.contains_key(next) {
                came_from.insert(next, space);
                queue.push_back(next);
            }
        }
    }
    None
}
