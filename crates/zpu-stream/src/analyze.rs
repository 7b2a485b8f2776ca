//! The whole question: formulas first, a sweep where they do not decide, a bound where that is too long.

use crate::closed;
use crate::fork::{ConsumerId, Fork, ForkError, Party};
use crate::groups::groups;
use crate::sweep::{Swept, TooMany};
use crate::verdict::{Edge, Method, Reason, Sizes, Verdict};

/// Limits of the work that may be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most accesses, in units of common tokens, that a sweep walks over; past it sizes are upper bounds.
    pub accesses: u32,
    /// The most elements that are visited in search of moduli; past it they may be larger than needed.
    pub modulo_steps: u64,
    /// The most accesses of a block that is swept for its moduli alone, because formulas have the rest; past it they
    /// may be larger than needed.
    pub modulo_accesses: u32,
    /// Tells whether formulas are tried at all. Without them everything is swept, to compare.
    pub use_formulas: bool,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            // A window of 3 x 3 over 2048 x 2048 single elements, and half as much again: about half a second.
            accesses: 1 << 26,
            modulo_steps: 1 << 26,
            // Some milliseconds.
            modulo_accesses: 1 << 17,
            use_formulas: true,
        }
    }
}

/// The most accesses of two consumers that are compared one by one; both are listed, which takes memory.
const MAX_COMPARED: u32 = 1 << 22;

/// Answer for a fork.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// By consumer.
    pub edges: Vec<Edge>,
    /// Consumers with the same events and the same gate, by their first one.
    pub groups: Vec<Vec<ConsumerId>>,
    /// One buffer for all of them; nothing if one is incompatible.
    pub shared: Option<Shared>,
}

/// One buffer for all consumers, against one for each group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shared {
    /// The costliest verdict of its readers.
    pub verdict: Verdict,
    /// Sizes of the one buffer.
    pub sizes: Sizes,
    /// The sum of the smallest capacities of one buffer for each group.
    pub separate: u128,
}

impl Shared {
    /// Tells whether one buffer is smaller than one for each group, or as small.
    pub fn is_smaller(&self) -> bool {
        self.sizes.min_capacity <= self.separate
    }
}

/// Decides all edges of a fork.
///
/// # Errors
///
/// Numbers that are none, and accesses beyond the limit where not even a bound is known.
pub fn analyze(fork: &Fork, limits: Limits) -> Result<Answer, ForkError> {
    fork.check()?;
    let groups = groups(fork, limits.accesses.min(MAX_COMPARED));
    let gate_order = fork.gate_order();
    let closed = limits.use_formulas.then(|| closed::Fork::of(fork));
    let mut edges: Vec<Option<Edge>> = fork.consumers.iter().map(|_| None).collect();
    for id in fork.ids() {
        edges[id.index()] = match &closed {
            _ if !gate_order.contains(&id) => Some(Edge::incompatible(waits(fork, id), Method::Formula)),
            Some(closed) if fork.consumers[id.index()].gate.is_none() => closed.edge(id, &limits),
            _ => None,
        };
    }
    let open: Vec<ConsumerId> = fork.ids().filter(|id| edges[id.index()].is_none()).collect();
    let mut shared = match (&closed, groups.len()) {
        (Some(closed), 2..) if open.is_empty() => closed.shared(&limits),
        _ => None,
    };
    let wants_all = shared.is_none() && groups.len() > 1 && gate_order.len() == fork.consumers.len();
    if wants_all || !open.is_empty() {
        let needed = with_gates(fork, &open, &gate_order);
        let swept = match Swept::of(fork, &gate_order, limits.accesses) {
            Err(_) if wants_all => Swept::of(fork, &needed, limits.accesses),
            swept => swept,
        };
        for &id in &open {
            edges[id.index()] = Some(match &swept {
                Ok(swept) => swept
                    .edge(fork, id, limits.modulo_steps)
                    .unwrap_or_else(|| bound(fork, id)),
                Err(error) => bounded(fork, id, error, &limits)?,
            });
        }
        if wants_all {
            shared = swept
                .ok()
                .and_then(|swept| swept.sizes(&gate_order, limits.modulo_steps));
        }
    }
    let edges: Vec<Edge> = edges.into_iter().flatten().collect();
    let shared = together(fork, &edges, &groups, shared);
    Ok(Answer { edges, groups, shared })
}

/// Says why a consumer that is in no order of gates never starts.
fn waits(fork: &Fork, id: ConsumerId) -> Reason {
    let mut at = id;
    for _ in 0..fork.consumers.len() {
        let Some(gate) = fork.consumers[at.index()].gate else {
            break;
        };
        at = gate.on;
        if at == id {
            return Reason::WaitsForItself;
        }
    }
    fork.consumers[id.index()]
        .gate
        .map_or(Reason::WaitsForItself, |gate| Reason::WaitsFor(gate.on))
}

/// Some consumers and all that their gates wait for, in an order of gates.
fn with_gates(fork: &Fork, which: &[ConsumerId], gate_order: &[ConsumerId]) -> Vec<ConsumerId> {
    let mut is_needed = vec![false; fork.consumers.len()];
    for &id in gate_order.iter().rev() {
        is_needed[id.index()] |= which.contains(&id);
        if let Some(gate) = fork.consumers[id.index()].gate.filter(|_| is_needed[id.index()]) {
            is_needed[gate.on.index()] = true;
        }
    }
    gate_order.iter().copied().filter(|id| is_needed[id.index()]).collect()
}

/// An upper bound, if it is certain that nothing is missing.
fn bounded(fork: &Fork, id: ConsumerId, error: &TooMany, limits: &Limits) -> Result<Edge, ForkError> {
    if closed::writes_everything(fork) && closed::touches(fork, id) {
        return Ok(bound(fork, id));
    }
    Err(ForkError::TooLarge {
        party: match fork.consumers.len() {
            1 => Party::Tensor,
            _ => fork.party(id),
        },
        accesses: error.accesses,
        limit: limits.accesses.into(),
    })
}

fn bound(fork: &Fork, id: ConsumerId) -> Edge {
    Edge {
        verdict: Verdict::ReorderFull,
        multiplicity: None,
        dropped: None,
        sizes: Some(closed::bound(fork, id)),
        reason: None,
        method: Method::Bound,
    }
}

/// Sizes of the whole tensor.
fn whole(fork: &Fork) -> Sizes {
    let volume = fork
        .tensor
        .iter()
        .map(|&extent| u128::from(extent.unsigned_abs()))
        .product();
    Sizes {
        min_capacity: volume,
        retained: volume,
        circular_span: volume,
        epochs: 1,
        block_shape: fork.tensor.clone(),
        modulo_shape: fork.tensor.clone(),
        is_exact: false,
        is_modulo_exact: false,
    }
}

fn together(fork: &Fork, edges: &[Edge], groups: &[Vec<ConsumerId>], sizes: Option<Sizes>) -> Option<Shared> {
    let of_groups: Vec<&Sizes> = groups
        .iter()
        .map(|group| edges[group[0].index()].sizes.as_ref())
        .collect::<Option<_>>()?;
    let sizes = match (sizes, of_groups.as_slice()) {
        (Some(sizes), _) => sizes,
        (None, [one]) => (*one).clone(),
        (None, _) => whole(fork),
    };
    Some(Shared {
        verdict: edges.iter().map(|edge| edge.verdict).max()?,
        separate: of_groups
            .iter()
            .map(|sizes| sizes.min_capacity)
            .fold(0, u128::saturating_add),
        sizes,
    })
}
