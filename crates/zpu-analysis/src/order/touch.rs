//! The operations that touch a tensor, found by following its uses through views.

use zpu_ir::scf::For;
use zpu_ir::{Def, Op, Value, ty};
use zpu_stream::order::Order;

use super::Decline;
use super::affine::Affine;
use super::nest::{Nest, Numbers};
use super::through::{is_view, out_of};
use super::token::Token;
use super::work::{Part, Work, work};

/// An operation that reads or writes a tensor.
#[derive(Clone, Debug)]
pub(super) struct Touch<'c> {
    pub(super) op: Op<'c>,
    /// The operation as far as one event of it cannot be taken apart: for an access of single elements all that stands
    /// in its block, named by the operation around it.
    pub(super) unit: Op<'c>,
    /// The tensor, or the view of it, that the operation works on.
    pub(super) view: Value<'c>,
    pub(super) reads: bool,
    pub(super) writes: bool,
    pub(super) nest: Nest<'c>,
    /// The operations that make the view, the last one first.
    views: Vec<Op<'c>>,
    /// Trip counts of the operation's own loops.
    own: Vec<i64>,
    is_pointwise: bool,
    token: Token,
}

/// The part of the tensor itself that one event touches, and the loops whose iterations are the events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Events {
    pub(super) token: Token,
    /// Trip counts of the loops around the operation and then of its own; nothing where they are not constant.
    pub(super) trips: Vec<Option<i64>>,
}

/// All that touches a tensor, in program order.
#[derive(Clone, Debug, Default)]
pub(super) struct Touches<'c> {
    pub(super) list: Vec<Touch<'c>>,
    /// Operations that have the tensor and may do anything with it, with the reasons.
    pub(super) unknown: Vec<(Op<'c>, Decline<'c>)>,
}

impl<'c> Touches<'c> {
    /// Finds all of a tensor. `numbers` are the places of operations in their function.
    pub(super) fn of(tensor: Value<'c>, numbers: &Numbers<'c>) -> Touches<'c> {
        let mut found = Touches::default();
        if let Def::Result(op, _) = tensor.def() {
            found.add(op, tensor, &[]);
        }
        let mut open = vec![(tensor, Vec::new())];
        let mut seen: Vec<(Op<'c>, Value<'c>)> = Vec::new();
        while let Some((value, views)) = open.pop() {
            for each in value.uses() {
                if is_view(each.op) && each.index == 0 {
                    let mut views: Vec<Op<'c>> = views.clone();
                    views.insert(0, each.op);
                    open.push((each.op.result(0), views));
                } else if !asks_nothing(each.op) && !seen.contains(&(each.op, value)) {
                    seen.push((each.op, value));
                    found.add(each.op, value, &views);
                }
            }
        }
        found.list.sort_by_key(|touch| numbers.get(touch.op));
        found.unknown.sort_by_key(|(op, _)| numbers.get(*op));
        found
    }

    /// Adds what an operation does with a value, of which the operations `views` make it.
    fn add(&mut self, op: Op<'c>, value: Value<'c>, views: &[Op<'c>]) {
        let is_maker = value.defining_op() == Some(op);
        let known = Nest::around(op).and_then(|nest| Ok((work(op, &nest)?, nest)));
        match known {
            Ok((
                Some(Work {
                    trips,
                    is_pointwise,
                    parts,
                }),
                nest,
            )) => {
                let is_own = |part: &Part<'c>| part.value == value && (part.reads || part.writes);
                for part in parts.into_iter().filter(is_own) {
                    self.list.push(Touch {
                        op,
                        unit: unit_of(op),
                        view: value,
                        reads: part.reads,
                        writes: part.writes,
                        nest: nest.clone(),
                        views: views.to_vec(),
                        own: trips.clone(),
                        is_pointwise,
                        token: part.token,
                    });
                }
            }
            Ok((None, _)) if is_maker && makes_nothing(op) => {}
            Ok((None, _)) => self.unknown.push((op, unknown(op, is_maker))),
            Err(decline) => self.unknown.push((op, decline)),
        }
    }
}

/// True if an operation looks at the type of a tensor only, or ends its life.
fn asks_nothing(op: Op<'_>) -> bool {
    matches!(
        op.name(),
        "memref.dealloc" | "memref.dim" | "tensor.dim" | "memref.rank" | "tensor.rank"
    )
}

/// True if the results of an operation have no elements worth a name yet.
fn makes_nothing(op: Op<'_>) -> bool {
    matches!(
        op.name(),
        "memref.alloc" | "memref.alloca" | "tensor.empty" | "bufferization.alloc_tensor"
    )
}

fn unknown(op: Op<'_>, is_maker: bool) -> Decline<'_> {
    let name = op.name();
    if is_maker {
        let message = format!("it is not known in which order {name} writes its elements");
        return Decline::new("unknown-access", op, message);
    }
    let leaves =
        matches!(name, "func.return" | "func.call" | "func.call_indirect" | "scf.yield") || For::of(op).is_some();
    if leaves {
        return Decline::new("escapes", op, format!("{name} takes it where it is not followed"));
    }
    Decline::new(
        "unknown-access",
        op,
        format!("it is not known in which order {name} touches its elements"),
    )
}

/// See [`Touch::unit`].
fn unit_of(op: Op<'_>) -> Op<'_> {
    let is_scalar = matches!(
        op.name().split_once('.'),
        Some(("memref", "load" | "store") | ("vector", _))
    );
    op.parent().filter(|_| is_scalar).unwrap_or(op)
}

impl<'c> Touch<'c> {
    /// The events, where loops below `drop` are outside. In a nest inside these, the operation as a whole is an event;
    /// otherwise each iteration of its own loops is one.
    pub(super) fn events(&self, drop: usize) -> Result<Events, Decline<'c>> {
        let depth = self.nest.loops.len();
        if depth <= drop || self.own.is_empty() {
            return self.elements();
        }
        let token = self.whole().ok_or_else(|| {
            let message = format!("what {} touches of {} is no box", self.op.name(), self.view.ty());
            Decline::new("not-a-box", self.op, message)
        })?;
        self.moved(token, self.nest.trips())
    }

    /// The events as single iterations of the operation's own loops.
    pub(super) fn elements(&self) -> Result<Events, Decline<'c>> {
        let mut trips = self.nest.trips();
        trips.extend(self.own.iter().copied().map(Some));
        self.moved(self.token.clone(), trips)
    }

    fn moved(&self, mut token: Token, trips: Vec<Option<i64>>) -> Result<Events, Decline<'c>> {
        for view in &self.views {
            token = out_of(*view, &token, &self.nest, self.op)?;
        }
        Ok(Events { token, trips })
    }

    /// The box that all iterations of the operation's own loops touch together.
    fn whole(&self) -> Option<Token> {
        let first = self.nest.loops.len();
        let rank = self.token.size.len();
        let mut whole = self.token.clone();
        let mut used = vec![false; self.own.len()];
        // The own loop that moves a dimension, for the lanes.
        let mut moved_by = vec![0; rank];
        for (dimension, moved_by) in moved_by.iter_mut().enumerate() {
            let mut steps = Vec::new();
            for (at, &trip) in self.own.iter().enumerate() {
                let step = whole.origin[dimension].step(first + at)?;
                whole.origin[dimension] = std::mem::take(&mut whole.origin[dimension]).without(first + at);
                if step != 0 {
                    *moved_by = at;
                    if std::mem::replace(&mut used[at], true) && trip > 1 {
                        return None;
                    }
                    steps.push((step, trip));
                }
            }
            if !steps.is_empty() {
                (whole.size[dimension], whole.dilation[dimension]) = comb(steps)?;
            }
        }
        if self.is_pointwise {
            whole.lanes.sort_by_key(|lane| moved_by[*lane]);
        }
        Some(whole)
    }

    /// The order of the events on the tensor, of the loops from `drop` on.
    pub(super) fn order(&self, events: &Events, drop: usize) -> Result<Order, Decline<'c>> {
        let mut loops = Vec::new();
        for (place, trip) in events.trips.iter().enumerate().skip(drop) {
            let at = self.nest.loops.get(place).map_or(self.op, |for_| for_.op);
            match trip {
                None => {
                    let message = "bounds and step of the loop are not constant".to_owned();
                    return Err(Decline::new("dynamic-trip-count", at, message));
                }
                Some(0) => return Err(Decline::new("empty-loop", at, "the loop has no iteration".to_owned())),
                Some(trip) => loops.push(*trip),
            }
        }
        let results = events.token.origin.iter().map(|origin: &Affine| origin.expr(drop));
        let map = zpu_stream::order::Map {
            inputs: loops.len(),
            results: results.collect::<Option<_>>().ok_or_else(|| {
                let message = format!("{} depends on a loop around the tensor", self.op.name());
                Decline::new("data-dependent", self.op, message)
            })?,
        };
        let order = Order::new(loops, map, events.token.size.clone());
        Ok(order
            .with_dilation(events.token.dilation.clone())
            .with_lanes(events.token.lanes.clone()))
    }
}

/// Elements and distance of what loops with steps and trip counts reach together; nothing if that has gaps.
fn comb(mut steps: Vec<(i64, i64)>) -> Option<(i64, i64)> {
    steps.retain(|(_, trip)| *trip > 1);
    steps.sort_unstable();
    let Some(&(pitch, _)) = steps.first() else {
        return Some((1, 1));
    };
    if pitch < 1 {
        return None;
    }
    let mut reach = 0i64;
    for (step, trip) in steps {
        if step % pitch != 0 || step > reach.checked_add(pitch)? {
            return None;
        }
        reach = reach.checked_add(step.checked_mul(trip - 1)?)?;
    }
    Some((reach / pitch + 1, pitch))
}

/// True if a value can have edges: it is memory or a value with a rank.
pub(super) fn is_tensor(value: Value<'_>) -> bool {
    let ty = value.ty();
    (ty::is_memref(ty) || ty::is_tensor(ty)) && ty::shape(ty).is_some()
}

#[cfg(test)]
mod tests {
    use super::comb;

    #[test]
    fn loops_reach_a_run_without_gaps() {
        assert_eq!(comb(vec![(1, 6), (1, 3)]), Some((8, 1)));
        assert_eq!(comb(vec![(2, 6), (1, 3)]), Some((13, 1)));
        assert_eq!(comb(vec![(4, 6)]), Some((6, 4)));
        assert_eq!(comb(vec![(3, 6), (1, 2)]), None);
        assert_eq!(comb(vec![(5, 1), (2, 3)]), Some((3, 2)));
        assert_eq!(comb(vec![(-1, 3)]), None);
    }
}
