//! From a request to an answer: orders by key, control dependences, transfer queues, times.
//!
//! The way is: check the program, order the units of each mesh, let the rest keep its place, put transfers into queues,
//! play it, verify it.

use super::auto::{self, AutoOptions};
use super::bound::bound;
use super::error::FragmentError;
use super::graph::{Arcs, topological_by};
use super::name::Builtin;
use super::problem::{MeshId, NodeId, NodeKind, Program};
use super::remark::{Reason, Remark};
use super::replay::{Timing, earliest, replay_with};
use super::rules::{Rule, apply};
use super::table::Table;
use super::unit::{Unit, Units};
use super::verify::{Claims, verify};
use super::{forced, keys, repair, zero_bubble};

/// The way in which fragments are ordered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// By a schedule with a name.
    Builtin(Builtin),
    /// By rules; the rest keeps its place.
    Rules(Vec<Rule>),
    /// By a table that a user wrote.
    Table(Table),
    /// By the best that is found.
    Auto(AutoOptions),
}

/// The end of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Direction {
    /// The sending mesh's queue.
    Send,
    /// The receiving mesh's queue.
    Receive,
}

/// The transfers of one end of a link, which happen in this order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Queue {
    /// The sending mesh.
    pub from: MeshId,
    /// The receiving mesh.
    pub to: MeshId,
    /// The end.
    pub direction: Direction,
    /// Transfers in order.
    pub transfers: Vec<NodeId>,
}

/// An order of everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    /// By mesh, all of its fragments.
    pub order: Vec<Vec<NodeId>>,
    /// Two for each link that is used.
    pub queues: Vec<Queue>,
    /// Control dependences that hold the order of scheduling units where data do not do so directly.
    pub control: Vec<(NodeId, NodeId)>,
}

impl Schedule {
    /// All nodes in one order that respects data, meshes and queues: by start. Programs can be rewritten in it.
    pub fn block_order(&self, program: &Program) -> Vec<NodeId> {
        let sending = self.queues.iter().filter(|queue| queue.direction == Direction::Send);
        let rows = self.order.iter().chain(sending.map(|queue| &queue.transfers));
        let mut order: Vec<NodeId> = program.ids().map(|(id, _)| id).collect();
        if let Some(earliest) = earliest(program, rows, &Arcs::of_data(program)) {
            order.sort_by_key(|node| (earliest.start[node.index()], earliest.level[node.index()], *node));
        }
        order
    }
}

/// A schedule with what is known of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The schedule's name; of `auto`, the name of what it took.
    pub name: String,
    /// The order.
    pub schedule: Schedule,
    /// Its times.
    pub timing: Timing,
    /// No order of this program has a smaller makespan; after `auto` with a cap, none that fits.
    pub bound: u64,
    /// True if the makespan is proven to be the least.
    pub proven: bool,
    /// By mesh: true if data and the schedule's demands leave one order only; `None` if the program is too large to
    /// tell.
    pub forced: Vec<Option<bool>>,
    /// Neighbours of the order that the schedule's demands leave open, and that were ordered by rule.
    pub completed: Vec<(NodeId, NodeId)>,
    /// Forward fragments that are computed again, each with the backward fragment for which that is done.
    pub remat: Vec<(NodeId, NodeId)>,
    /// Remarks, in the order in which they arose.
    pub remarks: Vec<Remark>,
}

/// Orders the fragments of a program.
///
/// # Errors
///
/// A program that [`Program::check`] refuses, or to which the request does not apply. Then there is no order.
pub fn schedule(program: &Program, request: &Request) -> Result<Answer, FragmentError> {
    program.check()?;
    let answer = match request {
        Request::Builtin(builtin) => Prepared::new(program).by_name(*builtin)?,
        Request::Rules(rules) => apply(program, rules)?,
        Request::Table(table) => {
            let prepared = Prepared::new(program);
            let orders = table.orders(program, &prepared.units)?;
            prepared.by_orders("schedule file", orders)?
        }
        Request::Auto(options) => auto::auto(program, options)?,
    };
    let claims = Claims {
        timing: Some(&answer.timing),
        bound: answer.bound,
        memory_cap: match request {
            Request::Auto(options) => options.memory_cap,
            _ => None,
        },
        counts: false,
    };
    debug_assert_eq!(verify(program, &answer.schedule, &claims), Ok(()));
    Ok(answer)
}

/// The answer with the order that a program has, as far as data allow. Unlike [`Builtin::None`], it takes programs with
/// microbatches that some mesh does not have.
///
/// # Errors
///
/// A program that [`Program::check`] refuses.
pub fn keep(program: &Program) -> Result<Answer, FragmentError> {
    program.check()?;
    Prepared::new(program).as_it_is()
}

/// A program with what all schedules need of it.
pub(crate) struct Prepared<'p> {
    pub(crate) program: &'p Program,
    pub(crate) units: Units,
    pub(crate) data: Arcs,
}

impl<'p> Prepared<'p> {
    pub(crate) fn new(program: &'p Program) -> Prepared<'p> {
        let data = Arcs::of_data(program);
        Prepared {
            program,
            units: Units::new(program, &data),
            data,
        }
    }

    /// The schedule of a name.
    pub(crate) fn by_name(&self, builtin: Builtin) -> Result<Answer, FragmentError> {
        let program = self.program;
        self.units.check(program, builtin)?;
        if builtin == Builtin::None {
            return self.as_it_is();
        }
        let (schedule, timing, mut remarks) = self.settle(builtin, keys::orders(program, &self.units, builtin)?)?;
        let mut answer = self.answer(builtin.name(), schedule, timing);
        if builtin.is_predicate() {
            let found = forced::forced(self, builtin, &answer.schedule.order);
            answer.forced = found.forced;
            answer.completed = found.completed;
            remarks.extend(found.remarks);
        }
        remarks.extend(self.clamped(builtin));
        remarks.extend(self.without_counter());
        answer.remarks = remarks;
        Ok(answer)
    }

    /// The order of the program, as far as data allow.
    fn as_it_is(&self) -> Result<Answer, FragmentError> {
        let order = self.place_with(&[]).unwrap_or_default();
        let (mut schedule, timing) = self.finish(order).ok_or_else(cyclic)?;
        schedule.control.clear();
        let mut answer = self.answer(Builtin::None.name(), schedule, timing);
        let found = forced::forced(self, Builtin::None, &answer.schedule.order);
        answer.forced = found.forced;
        answer.completed = found.completed;
        answer.remarks = found.remarks;
        Ok(answer)
    }

    /// A schedule of total orders by schedulable mesh.
    pub(crate) fn by_orders(&self, name: &str, orders: Vec<Vec<NodeId>>) -> Result<Answer, FragmentError> {
        let order = self.place(&orders);
        let finished = order.and_then(|order| self.finish(order));
        let (schedule, timing) = finished.ok_or_else(|| self.contradiction(name, &orders))?;
        Ok(self.answer(name, schedule, timing))
    }

    pub(crate) fn answer(&self, name: &str, schedule: Schedule, timing: Timing) -> Answer {
        let bound = bound(self.program);
        Answer {
            name: name.to_owned(),
            proven: timing.makespan == bound,
            bound,
            forced: vec![Some(true); schedule.order.len()],
            completed: vec![],
            remat: vec![],
            remarks: vec![],
            schedule,
            timing,
        }
    }

    /// Orders everything as the orders of units demand; where data forbid that, data win.
    fn settle(
        &self,
        builtin: Builtin,
        orders: Vec<Vec<NodeId>>,
    ) -> Result<(Schedule, Timing, Vec<Remark>), FragmentError> {
        if let Some((schedule, timing)) = self.place(&orders).and_then(|order| self.finish(order)) {
            return Ok((schedule, timing, vec![]));
        }
        if self.program.nodes.len() > repair::MOST_NODES {
            return Err(self.contradiction(builtin.name(), &orders));
        }
        let (orders, remarks) = repair::repair(self, builtin, orders);
        let repaired = self.place(&orders).and_then(|order| self.finish(order));
        let (schedule, timing) = repaired.ok_or_else(cyclic)?;
        Ok((schedule, timing, remarks))
    }

    fn contradiction(&self, name: &str, orders: &[Vec<NodeId>]) -> FragmentError {
        let arcs = Arcs::with(self.program, &neighbours(orders));
        let cycle = super::graph::shortest_cycle(self.program, &arcs);
        FragmentError::Contradiction {
            schedule: name.to_owned(),
            cycle: self.program.parties(cycle),
        }
    }

    /// All fragments of each mesh: units in their order, the rest where it was as far as data allow. `None` if data
    /// forbid it.
    pub(crate) fn place(&self, orders: &[Vec<NodeId>]) -> Option<Vec<Vec<NodeId>>> {
        let program = self.program;
        if self.units.are_all(program) {
            let mut rows = vec![vec![]; program.meshes.len()];
            for (mesh, order) in self.units.meshes.iter().zip(orders) {
                rows[mesh.index()].clone_from(order);
            }
            return Some(rows);
        }
        self.place_with(&neighbours(orders))
    }

    /// All fragments of each mesh where they were, as far as data and these edges allow.
    pub(crate) fn place_with(&self, edges: &[(NodeId, NodeId)]) -> Option<Vec<Vec<NodeId>>> {
        let program = self.program;
        let mut rows = vec![vec![]; program.meshes.len()];
        for node in topological_by(&Arcs::with(program, edges), |node| node)? {
            if let Some(fragment) = program.node(node).fragment() {
                rows[fragment.mesh.index()].push(node);
            }
        }
        Some(rows)
    }

    /// Adds queues, control dependences and times to an order; `None` if it waits for itself.
    pub(crate) fn finish(&self, order: Vec<Vec<NodeId>>) -> Option<(Schedule, Timing)> {
        let program = self.program;
        let free = earliest(program, order.iter(), &self.data)?;
        let mut sent: Vec<(MeshId, MeshId, NodeId)> = Vec::new();
        for (id, node) in program.ids() {
            if let NodeKind::Transfer { from, to } = node.kind {
                sent.push((from, to, id));
            }
        }
        // First ready, first sent. A path between two of them never goes against that.
        sent.sort_by(|a, b| {
            let key = |t: &(MeshId, MeshId, NodeId)| (t.0, t.1, free.start[t.2.index()], free.level[t.2.index()]);
            let name = |t: &(MeshId, MeshId, NodeId)| &program.node(t.2).name;
            key(a).cmp(&key(b)).then_with(|| name(a).cmp(name(b)))
        });
        let mut queues = Vec::new();
        for link in sent.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            for direction in [Direction::Send, Direction::Receive] {
                queues.push(Queue {
                    from: link[0].0,
                    to: link[0].1,
                    direction,
                    transfers: link.iter().map(|transfer| transfer.2).collect(),
                });
            }
        }
        let control = self.control(&order);
        let schedule = Schedule { order, queues, control };
        let timing = replay_with(program, &schedule, &self.data)?;
        Some((schedule, timing))
    }

    /// Neighbouring units of a mesh of which the second does not take the first one's result.
    fn control(&self, order: &[Vec<NodeId>]) -> Vec<(NodeId, NodeId)> {
        let program = self.program;
        let mut control = Vec::new();
        for row in self.units.meshes.iter().filter_map(|mesh| order.get(mesh.index())) {
            let is_unit = |node: &NodeId| {
                let fragment = program.node(*node).fragment();
                fragment.is_some_and(|fragment| Unit::of(*node, fragment).is_some())
            };
            let units: Vec<NodeId> = row.iter().copied().filter(is_unit).collect();
            let pairs = units.windows(2).map(|pair| (pair[0], pair[1]));
            control.extend(pairs.filter(|(a, b)| !program.node(*b).deps.contains(a)));
        }
        control
    }

    /// By mesh: whether data and the control dependences leave one order only.
    pub(crate) fn forced_by(&self, schedule: &Schedule) -> Vec<Option<bool>> {
        forced::by_edges(self, &schedule.control, &schedule.order)
    }

    fn clamped(&self, builtin: Builtin) -> Option<Remark> {
        let doubled = builtin.doubled_latency()?;
        let grids = (0..self.units.meshes.len()).map(|mesh| keys::grid(self.program, &self.units, mesh));
        let clamped: Vec<_> = grids.filter(|grid| zero_bubble::is_clamped(*grid, doubled)).collect();
        let first = clamped.first()?;
        let free = super::predicate::Grid {
            microbatches: u32::MAX,
            ..*first
        };
        let mesh = self.program.mesh(self.units.meshes[first.mesh as usize]);
        Some(Remark::new(
            Reason::Clamped,
            vec![],
            format!(
                "mesh `{mesh}` would run {} forwards before its first backward, there are {} microbatches; all of them \
                 run first",
                free.ahead(first.remaining(), doubled),
                first.microbatches
            ),
        ))
    }

    fn without_counter(&self) -> Option<Remark> {
        let program = self.program;
        let others = program
            .fragments()
            .filter(|(id, fragment)| fragment.is_user() && Unit::of(*id, fragment).is_none());
        let parties = program.parties(others.map(|(id, _)| id));
        (!parties.is_empty()).then(|| {
            let text = "no scheduling unit: it keeps its place as far as data allow";
            Remark::new(Reason::NotAUnit, parties, text)
        })
    }
}

/// Neighbours of all rows.
pub(crate) fn neighbours(rows: &[Vec<NodeId>]) -> Vec<(NodeId, NodeId)> {
    rows.iter()
        .flat_map(|row| row.windows(2).map(|pair| (pair[0], pair[1])))
        .collect()
}

/// An error for what cannot be: the program passed its check.
pub(crate) fn cyclic() -> FragmentError {
    FragmentError::Unverified("the order waits for itself".to_owned())
}
