//! The table: the ways to carry out an operation.

use super::{Access, Alternative, Form, Kind, Order, Role};

/// The most loops of which all orders are tried that agree with the one of a tensor along some of them: 12 for two of
/// four loops.
const MAX_MERGED: usize = 4;

impl Form<'_> {
    /// The operation as it is written.
    pub fn as_written(&self) -> Alternative {
        Alternative {
            loops: (0..self.is_ordered.len()).collect(),
            orders: self
                .accesses
                .iter()
                .map(|access| (0..access.loops.len()).collect())
                .collect(),
        }
    }

    /// All ways to carry the operation out in which some tensor has one of the orders that are `around` for it, by its
    /// place among the accesses. The one that is written comes first, then its loops with all tensors in their order.
    pub fn alternatives(&self, around: &[Vec<Order>]) -> Vec<Alternative> {
        let mut found = vec![self.as_written()];
        let others = match self.kind {
            Kind::Product => self.factors(around),
            Kind::Elementwise | Kind::Loops => self.loop_orders(around),
        };
        for alternative in others {
            if !found.contains(&alternative) {
                found.push(alternative);
            }
        }
        found
    }

    /// True if the operation has no order of its own.
    pub fn is_transparent(&self) -> bool {
        self.kind == Kind::Elementwise
    }

    fn loop_orders(&self, around: &[Vec<Order>]) -> Vec<Alternative> {
        let written: Order = (0..self.is_ordered.len()).collect();
        let mut all = vec![self.by_loops(&written)];
        for (access, orders) in self.accesses.iter().zip(around) {
            // A single dimension has no order to hand on.
            for order in orders.iter().filter(|order| order.len() > 1) {
                for loops in with_order(written.len(), access, order) {
                    if loops.iter().filter(|at| self.is_ordered[**at]).is_sorted() {
                        all.push(self.by_loops(&loops));
                    }
                }
            }
        }
        all
    }

    /// All tensors in the order of the loops.
    fn by_loops(&self, loops: &[usize]) -> Alternative {
        let place = |at: usize| loops.iter().position(|other| *other == at);
        let order = |access: &Access<'_>| {
            let mut dims: Order = (0..access.loops.len()).collect();
            dims.sort_by_key(|dim| place(access.loops[*dim]));
            dims
        };
        Alternative {
            loops: loops.to_vec(),
            orders: self.accesses.iter().map(order).collect(),
        }
    }

    /// Every combination of the orders of the factors.
    fn factors(&self, around: &[Vec<Order>]) -> Vec<Alternative> {
        let is_shared = |at: &usize| self.accesses.iter().all(|access| access.loops.contains(at));
        let mut all = vec![self.as_written()];
        for (place, access) in self.accesses.iter().enumerate() {
            if access.role != Role::Input {
                continue;
            }
            // A dimension that counts products, not elements of a factor, stays where it is.
            let stays = |dim: usize| is_shared(&access.loops[dim]);
            let is_allowed = |order: &&Order| order.iter().enumerate().all(|(at, dim)| !stays(at) || *dim == at);
            let orders: Vec<&Order> = around[place].iter().filter(is_allowed).collect();
            let mut more = all.clone();
            for known in &all {
                for order in &orders {
                    let mut other = known.clone();
                    other.orders[place] = (*order).clone();
                    if !more.contains(&other) {
                        more.push(other);
                    }
                }
            }
            all = more;
        }
        all
    }
}

/// Orders of loops in which those of a tensor stand in the order of its dimensions: first the one in which all others
/// stand where they are, then, if they are few, all.
fn with_order(num_loops: usize, access: &Access<'_>, order: &[usize]) -> Vec<Order> {
    let own: Order = order.iter().map(|dim| access.loops[*dim]).collect();
    let mut next = own.iter();
    let swap = |at: usize| match own.contains(&at) {
        true => *next.next().unwrap_or(&at),
        false => at,
    };
    let mut all = vec![(0..num_loops).map(swap).collect()];
    if num_loops <= MAX_MERGED && own.len() < num_loops {
        let mut merged = vec![own.clone()];
        for other in (0..num_loops).filter(|at| !own.contains(at)) {
            let insert = |known: Order| {
                (0..=known.len()).map(move |place| {
                    let mut more = known.clone();
                    more.insert(place, other);
                    more
                })
            };
            merged = merged.into_iter().flat_map(insert).collect();
        }
        all.extend(merged);
    }
    all
}
