//! Rematerialisation: forward fragments that are computed again for their backward fragments, so that their results
//! need not be held in between. It runs after scheduling.
//!
//! Without a budget, each pair of a forward fragment and a user of its results gets a clone, as in Shardy's
//! `mpmd-remat-fragment`: transpose counts are 0 and 1, call counters are there and equal, stages are equal, and the
//! backward fragment does not run right after the forward one. With a budget, [`choose`] takes the forward fragments
//! whose second run costs the fewest cycles; each has one clone, before the first backward piece of its microbatch.

mod choose;

use super::error::FragmentError;
use super::problem::{MeshId, NodeId, NodeKind, Program, Recompute};
use super::remark::{Reason, Remark};
use super::replay::held;
use super::schedule::{Answer, Prepared, cyclic};
use super::unit::{Piece, Unit, is_schedulable};

use self::choose::{Candidate, Choice, choose};

/// The options of rematerialisation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RematOptions {
    /// True if a clone becomes a part of the backward fragment that it is for.
    pub merge: bool,
    /// The most bytes that a mesh may hold; without it, all pairs are computed again.
    pub budget: Option<u64>,
    /// Steps of the search for each mesh; no clock is read.
    pub effort: u64,
}

impl Default for RematOptions {
    fn default() -> RematOptions {
        RematOptions {
            merge: false,
            budget: None,
            effort: 100_000,
        }
    }
}

/// The cost of what is computed again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recomputed {
    /// Cycles that meshes compute more.
    pub cycles: u64,
    /// Fewer cycles cannot meet the budget.
    pub least: u64,
    /// True if `cycles` is proven to be the least.
    pub proven: bool,
}

/// A program in which fragments are computed again, with its order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rematerialised {
    /// The program: that of the schedule, with clones at the end of its nodes.
    pub program: Program,
    /// The order with clones in it, its times, and the pairs in [`Answer::remat`].
    pub answer: Answer,
    /// The cost.
    pub cost: Recomputed,
}

/// A forward fragment and the backward fragments that use its results, in the order of its mesh.
struct Pairs {
    forward: NodeId,
    mesh: MeshId,
    place: usize,
    /// Users that do not run right after it, with their places.
    users: Vec<(NodeId, usize)>,
    /// True if some backward user runs right after it.
    is_used_at_once: bool,
}

/// Computes forward fragments of a scheduled program again.
///
/// # Errors
///
/// [`FragmentError::Budget`] if the budget cannot be met.
pub fn rematerialise(
    program: &Program,
    answer: &Answer,
    options: &RematOptions,
) -> Result<Rematerialised, FragmentError> {
    let pairs = pairs(program, answer);
    let (chosen, mut cost) = match options.budget {
        Some(budget) => within(program, answer, &pairs, budget, options.effort)?,
        None => {
            let all = pairs
                .iter()
                .map(|of| of.users.iter().map(|user| user.0).collect())
                .collect();
            (all, Recomputed::default())
        }
    };
    let mut rewritten = Rewritten {
        program: program.clone(),
        order: answer.schedule.order.clone(),
        remat: vec![],
        cycles: 0,
    };
    for (pairs, users) in pairs.iter().zip(&chosen) {
        rewritten.recompute(pairs, users, options);
    }
    let Rewritten {
        program,
        order,
        remat,
        cycles,
    } = rewritten;
    if options.budget.is_none() {
        cost = Recomputed {
            cycles,
            least: cycles,
            proven: true,
        };
    }
    let prepared = Prepared::new(&program);
    let (mut schedule, timing) = prepared.finish(order).ok_or_else(cyclic)?;
    // Clones need no order of their own: they stand where they are needed.
    schedule.control.clone_from(&answer.schedule.control);
    let mut new = prepared.answer(&answer.name, schedule, timing);
    new.forced.clone_from(&answer.forced);
    new.completed.clone_from(&answer.completed);
    new.remarks.clone_from(&answer.remarks);
    if !remat.is_empty() {
        let parties = program.parties(remat.iter().map(|pair| pair.0));
        let text = match (options.budget, cost.proven) {
            (None, _) => format!("{} cycles more", cost.cycles),
            (Some(_), true) => format!("{} cycles more, no fewer meet the budget", cost.cycles),
            (Some(_), false) => format!("{} cycles more, at least {} are needed", cost.cycles, cost.least),
        };
        new.remarks.push(Remark::new(Reason::Recomputed, parties, text));
    }
    new.remat = remat;
    Ok(Rematerialised {
        answer: new,
        program,
        cost,
    })
}

/// Forward fragments with backward users, mesh by mesh in the order of the schedule.
fn pairs(program: &Program, answer: &Answer) -> Vec<Pairs> {
    let unit = |id: NodeId| program.node(id).fragment().and_then(|fragment| Unit::of(id, fragment));
    let mut found: Vec<Pairs> = Vec::new();
    for (mesh, row) in answer.schedule.order.iter().enumerate() {
        // Hosts are left alone, as by schedules.
        if !is_schedulable(&program.meshes[mesh]) {
            continue;
        }
        let mut number = vec![usize::MAX; program.nodes.len()];
        for (place, &id) in row.iter().enumerate() {
            let Some(unit_of) = unit(id) else { continue };
            if unit_of.piece == Piece::Forward {
                number[id.index()] = found.len();
                found.push(Pairs {
                    forward: id,
                    mesh: MeshId(mesh as u32),
                    place,
                    users: vec![],
                    is_used_at_once: false,
                });
                continue;
            }
            for dep in &program.node(id).deps {
                let Some(of) = found.get_mut(number[dep.index()]) else {
                    continue;
                };
                let matches = unit(*dep)
                    .is_some_and(|forward| (forward.counter, forward.stage) == (unit_of.counter, unit_of.stage));
                if !matches || of.users.iter().any(|user| user.0 == id) {
                    continue;
                }
                if of.place + 1 == place {
                    of.is_used_at_once = true;
                } else {
                    of.users.push((id, place));
                }
            }
        }
    }
    found
}

/// The users for which each forward fragment is computed again, so that no mesh holds more than the budget.
fn within(
    program: &Program,
    answer: &Answer,
    pairs: &[Pairs],
    budget: u64,
    effort: u64,
) -> Result<(Vec<Vec<NodeId>>, Recomputed), FragmentError> {
    let mut chosen = vec![vec![]; pairs.len()];
    let mut cost = Recomputed {
        proven: true,
        ..Recomputed::default()
    };
    for (mesh, row) in answer.schedule.order.iter().enumerate() {
        let held = held(program, row);
        let own = pairs.iter().enumerate().filter(|(_, of)| of.mesh.index() == mesh);
        let mut numbers = Vec::new();
        let mut candidates = Vec::new();
        for (number, of) in own {
            let Some(until) = first_backward(program, row, of) else {
                continue;
            };
            let bytes = program.node(of.forward).fragment().map_or(0, |fragment| fragment.bytes);
            if !of.is_used_at_once && of.place + 1 < until && !of.users.is_empty() {
                numbers.push(number);
                candidates.push(Candidate {
                    from: of.place + 1,
                    until,
                    bytes,
                    cycles: program.node(of.forward).cycles,
                });
            }
        }
        let choice = choose(&held, budget, &candidates, effort).map_err(|(place, needed)| FragmentError::Budget {
            mesh: program.meshes[mesh].clone(),
            needed,
            budget,
            party: program.party(row[place]),
        })?;
        let Choice { taken, least, proven } = choice;
        for (number, _) in numbers.iter().zip(&taken).filter(|(_, taken)| **taken) {
            chosen[*number] = pairs[*number].users.iter().map(|user| user.0).collect();
        }
        cost.cycles += candidates
            .iter()
            .zip(&taken)
            .filter(|(_, taken)| **taken)
            .map(|(of, _)| of.cycles)
            .sum::<u64>();
        cost.least += least;
        cost.proven &= proven;
    }
    Ok((chosen, cost))
}

/// The place of the first backward piece of the same stage and microbatch after a forward fragment.
fn first_backward(program: &Program, row: &[NodeId], of: &Pairs) -> Option<usize> {
    let unit = |id: NodeId| program.node(id).fragment().and_then(|fragment| Unit::of(id, fragment));
    let forward = unit(of.forward)?;
    let is_piece = |id: &NodeId| {
        unit(*id).is_some_and(|unit| {
            unit.piece != Piece::Forward && (unit.stage, unit.counter) == (forward.stage, forward.counter)
        })
    };
    row[of.place..].iter().position(is_piece).map(|place| of.place + place)
}

/// A program that is being rewritten.
struct Rewritten {
    program: Program,
    order: Vec<Vec<NodeId>>,
    remat: Vec<(NodeId, NodeId)>,
    cycles: u64,
}

impl Rewritten {
    /// Computes a forward fragment again for these users: with a budget once for all of them, without one for each.
    fn recompute(&mut self, of: &Pairs, users: &[NodeId], options: &RematOptions) {
        let Some(&first) = users.first() else { return };
        let is_dropped = users.len() == of.users.len() && !of.is_used_at_once;
        match &mut self.program.nodes[of.forward.index()].kind {
            NodeKind::Fragment(fragment) if is_dropped => fragment.recompute = Recompute::Dropped,
            _ => {}
        }
        if options.budget.is_some() {
            let clone = self.clone_before(of, first, options.merge);
            users.iter().for_each(|&user| self.redirect(of.forward, user, clone));
            return;
        }
        for &user in users {
            let clone = self.clone_before(of, user, options.merge);
            self.redirect(of.forward, user, clone);
        }
    }

    /// Adds a clone before a user, or to it. Returns the fragment that now has its results.
    fn clone_before(&mut self, of: &Pairs, user: NodeId, merge: bool) -> NodeId {
        let forward = self.program.node(of.forward).clone();
        self.remat.push((of.forward, user));
        self.cycles += forward.cycles;
        let place = self.program.nodes[user.index()]
            .fragment()
            .map(|fragment| fragment.recompute);
        // A fragment takes one clone; further ones stand before it.
        if merge && place == Some(Recompute::Kept) {
            let node = &mut self.program.nodes[user.index()];
            node.cycles += forward.cycles;
            node.deps.retain(|dep| *dep != of.forward);
            node.deps.extend(&forward.deps);
            node.deps.sort_unstable();
            node.deps.dedup();
            if let (NodeKind::Fragment(into), Some(from)) = (&mut node.kind, forward.fragment()) {
                into.recompute = Recompute::Clone { of: of.forward };
                into.origins.splice(0..0, from.origins.iter().cloned());
                into.origins.dedup();
            }
            return user;
        }
        let mut kind = forward.kind.clone();
        if let NodeKind::Fragment(fragment) = &mut kind {
            fragment.recompute = Recompute::Clone { of: of.forward };
        }
        let name = format!("{}.remat.{}", forward.name, self.program.node(user).name);
        let clone = self.program.add(name, kind, forward.deps, forward.cycles);
        let row = &mut self.order[of.mesh.index()];
        let before = row.iter().position(|node| *node == user).unwrap_or(row.len());
        row.insert(before, clone);
        clone
    }

    /// Gives a user the results of a clone.
    fn redirect(&mut self, forward: NodeId, user: NodeId, clone: NodeId) {
        if user == clone {
            return;
        }
        for dep in &mut self.program.nodes[user.index()].deps {
            if *dep == forward {
                *dep = clone;
            }
        }
    }
}
