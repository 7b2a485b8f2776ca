//! The body of a fragment as operations that read and write buffers, and the halves that it can be cut into.

use std::collections::{BTreeSet, HashMap, HashSet};

use zpu_analysis::region::region_of;
use zpu_ir::edit::{ValueMap, clone_mapped};
use zpu_ir::{Builder, Def, EffectKind, Op, Value, ops, ty};

/// The part that an operation has.
#[derive(Debug)]
enum Role<'c> {
    /// Without effects: any half that needs its results has a copy.
    Pure,
    /// The beginning of a buffer.
    Allocation,
    /// The end of a buffer.
    Deallocation(Value<'c>),
    /// Reads and writes of buffers, by their origins.
    Work {
        reads: HashSet<Value<'c>>,
        writes: HashSet<Value<'c>>,
    },
}

/// A body, operation by operation.
pub(super) struct Body<'c> {
    fragment: ops::Fragment<'c>,
    ops: Vec<Op<'c>>,
    roles: Vec<Role<'c>>,
    place_of: HashMap<Op<'c>, usize>,
    /// The values that are returned.
    pub(super) returned: Vec<Value<'c>>,
}

impl<'c> Body<'c> {
    /// Takes a body apart; the error says what stands in the way.
    pub(super) fn of(fragment: ops::Fragment<'c>) -> Result<Self, String> {
        let Some(block) = fragment.body() else {
            return Err("it has no body".to_owned());
        };
        let mut body = Self {
            fragment,
            ops: Vec::new(),
            roles: Vec::new(),
            place_of: HashMap::new(),
            returned: Vec::new(),
        };
        for op in block.ops() {
            if op.is(ops::Return::NAME) {
                body.returned = op.operands();
                continue;
            }
            let role = role(op)?;
            body.place_of.insert(op, body.ops.len());
            body.ops.push(op);
            body.roles.push(role);
        }
        Ok(body)
    }

    /// The operations with effects that values come from.
    pub(super) fn needed_for(&self, values: &[Value<'c>]) -> HashSet<usize> {
        let mut needed = Needed::default();
        values.iter().for_each(|value| self.require(*value, &mut needed));
        for place in (0..self.ops.len()).rev() {
            let Role::Work { reads, writes } = &self.roles[place] else {
                continue;
            };
            if !needed.work.contains(&place) && writes.is_disjoint(&needed.roots) {
                continue;
            }
            needed.work.insert(place);
            needed.roots.extend(reads.iter().chain(writes));
            for value in outer_operands(self.ops[place]) {
                self.require(value, &mut needed);
            }
        }
        needed.work
    }

    /// Notes what a value comes from: a buffer, or the operation that computes it.
    fn require(&self, value: Value<'c>, needed: &mut Needed<'c>) {
        let mut open = vec![value];
        while let Some(value) = open.pop() {
            if ty::is_memref(value.ty()) {
                needed.roots.insert(root(value));
            }
            let Some(&place) = value.defining_op().and_then(|op| self.place_of.get(&op)) else {
                continue;
            };
            match self.roles[place] {
                Role::Work { .. } => drop(needed.work.insert(place)),
                _ => open.extend(outer_operands(self.ops[place])),
            }
        }
    }

    /// The buffers that the first half makes and the second one reads.
    pub(super) fn shared(&self, keep: &HashSet<usize>, rest: &HashSet<usize>) -> Result<Vec<Value<'c>>, String> {
        let mut shared: Vec<Value<'c>> = Vec::new();
        for place in in_order(rest) {
            let Role::Work { reads, writes } = &self.roles[place] else {
                continue;
            };
            for root in reads.iter().chain(writes) {
                let writers: Vec<usize> = self.writers(*root).filter(|writer| keep.contains(writer)).collect();
                let Some(last) = writers.iter().max() else { continue };
                if writes.contains(root) || self.writers(*root).any(|writer| rest.contains(&writer)) {
                    return Err("both halves would write one buffer".to_owned());
                }
                if *last > place {
                    return Err("the first half would write what the second one has read before".to_owned());
                }
                if !root.defining_op().is_some_and(|op| op.is("memref.alloc")) {
                    return Err("the first half would write a buffer that it has not made".to_owned());
                }
                if !shared.contains(root) {
                    shared.push(*root);
                }
            }
        }
        // Sets have no order, and programs need one.
        shared.sort_by_key(|root| root.defining_op().and_then(|op| self.place_of.get(&op)).copied());
        Ok(shared)
    }

    fn writers(&self, root: Value<'c>) -> impl Iterator<Item = usize> {
        let writes = move |role: &Role<'c>| matches!(role, Role::Work { writes, .. } if writes.contains(&root));
        let places = self.roles.iter().enumerate();
        places.filter(move |(_, role)| writes(role)).map(|(place, _)| place)
    }

    /// True if a result is complete without the second half.
    pub(super) fn is_made_by(&self, place: usize, keep: &HashSet<usize>) -> bool {
        self.needed_for(&[self.returned[place]]).is_subset(keep)
    }
}

#[derive(Default)]
struct Needed<'c> {
    work: HashSet<usize>,
    roots: HashSet<Value<'c>>,
}

fn in_order(places: &HashSet<usize>) -> BTreeSet<usize> {
    places.iter().copied().collect()
}

/// The buffer that a memref is of.
fn root(value: Value<'_>) -> Value<'_> {
    region_of(value).root.value()
}

fn role(op: Op<'_>) -> Result<Role<'_>, String> {
    if op.is("memref.alloc") {
        return Ok(Role::Allocation);
    }
    if op.is("memref.dealloc") {
        return Ok(Role::Deallocation(root(op.operand(0))));
    }
    if op.is_memory_effect_free() {
        return Ok(Role::Pure);
    }
    let unknown = || format!("it is not known what {} reads and writes", op.name());
    let (mut reads, mut writes) = (HashSet::new(), HashSet::new());
    for effect in op.effects().ok_or_else(unknown)? {
        let root = root(effect.value.ok_or_else(unknown)?);
        if root.is_defined_inside(op) {
            continue;
        }
        // A buffer that control flow chooses may be any of several.
        let is_plain = match root.def() {
            Def::Argument(..) => true,
            Def::Result(of, _) => of.is("memref.alloc"),
        };
        match effect.kind {
            _ if !is_plain => return Err(unknown()),
            EffectKind::Read => drop(reads.insert(root)),
            EffectKind::Write => drop(writes.insert(root)),
            EffectKind::Allocate | EffectKind::Free => return Err(unknown()),
        }
    }
    Ok(Role::Work { reads, writes })
}

/// Values that an operation, or one in it, takes from outside.
fn outer_operands(op: Op<'_>) -> Vec<Value<'_>> {
    let operands = op.walk().into_iter().flat_map(Op::operands);
    operands.filter(|value| !value.is_defined_inside(op)).collect()
}

/// One of two parts of a body.
pub(super) struct Half {
    /// The arguments of the body that it takes.
    pub(super) arguments: Vec<usize>,
    /// The operations that it has.
    places: BTreeSet<usize>,
}

impl Half {
    /// The half that does some of the work and returns some results; `given` is handed to it.
    pub(super) fn of(
        body: &Body<'_>,
        work: &HashSet<usize>,
        returned: &[usize],
        given: &HashSet<Value<'_>>,
    ) -> Result<Self, String> {
        let (mut arguments, mut places) = (BTreeSet::new(), in_order(work));
        let mut open: Vec<Value<'_>> = work.iter().flat_map(|&place| outer_operands(body.ops[place])).collect();
        open.extend(returned.iter().map(|&place| body.returned[place]));
        let mut seen = HashSet::new();
        while let Some(value) = open.pop() {
            if given.contains(&value) || !seen.insert(value) {
                continue;
            }
            match value.def() {
                Def::Argument(block, index) if Some(block) == body.fragment.body() => {
                    arguments.insert(index);
                }
                Def::Argument(..) => {}
                Def::Result(op, _) => {
                    let Some(&place) = body.place_of.get(&op) else { continue };
                    if matches!(body.roles[place], Role::Work { .. }) {
                        if !work.contains(&place) {
                            return Err("the second half would need a number that the first one reads".to_owned());
                        }
                        continue;
                    }
                    places.insert(place);
                    open.extend(outer_operands(op));
                }
            }
        }
        // Buffers of its own end where they did, unless they are handed on.
        let own: Vec<Value<'_>> = places
            .iter()
            .map(|&place| body.ops[place])
            .filter(|op| op.is("memref.alloc"))
            .map(|op| op.result(0))
            .collect();
        let handed: HashSet<Value<'_>> = returned.iter().map(|&place| root(body.returned[place])).collect();
        for (place, role) in body.roles.iter().enumerate() {
            if let Role::Deallocation(of) = role
                && own.contains(of)
                && !handed.contains(of)
            {
                places.insert(place);
            }
        }
        Ok(Self {
            arguments: arguments.into_iter().collect(),
            places,
        })
    }

    /// Fills the body of a fragment that takes the arguments of this half and then `given`, and returns values of the
    /// whole body. What is returned is not freed.
    pub(super) fn emit<'c>(
        &self,
        body: &Body<'c>,
        into: ops::Fragment<'c>,
        given: &[Value<'c>],
        returned: &[Value<'c>],
    ) {
        let (Some(old), Some(new)) = (body.fragment.body(), into.body()) else {
            return;
        };
        let mut map = ValueMap::default();
        let taken = self.arguments.iter().map(|&index| old.args()[index]);
        for (value, argument) in taken.chain(given.iter().copied()).zip(new.args()) {
            map.set(value, argument);
        }
        let mut builder = Builder::at_end(new, body.fragment.op);
        for &place in &self.places {
            if matches!(body.roles[place], Role::Deallocation(of) if returned.contains(&of)) {
                continue;
            }
            let op = body.ops[place];
            clone_mapped(&mut builder.like(op), op, &mut map);
        }
        let values: Vec<Value<'c>> = returned.iter().map(|value| map.get(*value)).collect();
        builder.op(ops::Return::NAME, &values, &[], &[]);
    }
}
