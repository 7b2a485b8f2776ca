//! The table: the ways to carry out an operation.

use super::{Access, Alternative, Form, Kind, Order, Role};

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
            for order in orders {
                let loops = with_order(&written, access, order);
                if loops.iter().filter(|at| self.is_ordered[**at]).is_sorted() {
                    all.push(self.by_loops(&loops));
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

/// Loops of which those of a tensor stand in the order of its dimensions, in the places that they have anyway.
fn with_order(loops: &[usize], access: &Access<'_>, order: &[usize]) -> Order {
    let mut next = order.iter().map(|dim| access.loops[*dim]);
    let swap = |at: &usize| match access.loops.contains(at) {
        true => next.next().unwrap_or(*at),
        false => *at,
    };
    loops.iter().map(swap).collect()
}
