//! Which commands concern an operation, seen from elsewhere in the program.
//!
//! A query is what an operation reads and writes. Going back in time from the operation, it is said anew at every
//! border: in an earlier iteration of a loop its iteration number is so many ahead, before a loop nothing that the loop
//! makes has a meaning, and a loop that was passed through is seen from its end, where its iterations are counted
//! backwards.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use crate::problem::view::{Op, Value};

use crate::id::IdVec;
use crate::index::distance::endless_distance;
use crate::place::tree::{AsyncEngineId, CommandId, Engines, Tree};
use crate::problem::algebra::Access;
use crate::problem::algebra::Root;
use crate::problem::algebra::{Linear, Symbol};
use crate::program::ItemId;

/// Reads and writes of an operation; `None` is anything.
pub(crate) type Query<'c> = Option<Rc<[Access<'c>]>>;

/// A question about the commands of one engine.
#[derive(Clone, Debug)]
pub(crate) struct Search<'c> {
    /// The engine.
    pub(crate) engine: AsyncEngineId,
    /// A command concerns us if it concerns one of these.
    queries: Rc<Vec<Query<'c>>>,
    candidates: Candidates<'c>,
    /// The innermost loop whose present iteration the queries speak of.
    base: Option<ItemId>,
    /// Loops inside it that are looked at from their end, and the iteration if one is meant.
    entered: Vec<(ItemId, Option<Linear<'c>>)>,
    /// Commands that are taken to conflict.
    forced: Rc<BTreeSet<CommandId>>,
}

/// Commands of an engine that can conflict with a question at all.
#[derive(Clone, Debug)]
struct Candidates<'c> {
    /// In order.
    commands: Rc<[CommandId]>,
    /// By the memory that commands touch, the positions of the queries that may touch it, in order; `None` if one query
    /// is about anything.
    queries: Option<Rc<HashMap<Value<'c>, Vec<usize>>>>,
}

/// The commands that touch some memory, by engine.
#[derive(Debug)]
struct Touching<'c> {
    root: Root<'c>,
    commands: ByEngine,
}

/// Commands of each engine, in order.
type ByEngine = IdVec<AsyncEngineId, Rc<[CommandId]>>;

/// Commands by the memory that they touch.
#[derive(Debug)]
pub(crate) struct Buckets<'c> {
    /// Of each engine all commands.
    all: ByEngine,
    /// Of each engine those with unknown accesses.
    unknown: ByEngine,
    roots: Vec<Touching<'c>>,
    /// By the root of a query: positions of the roots that may be the same memory.
    found: HashMap<Value<'c>, Vec<usize>>,
    /// The latest question about a single query: the same is asked of one engine after the other.
    latest: Option<(Rc<[Access<'c>]>, Related<'c>)>,
}

/// What the queries of a question may touch.
#[derive(Clone, Debug)]
struct Related<'c> {
    /// As in [`Candidates`].
    queries: Rc<HashMap<Value<'c>, Vec<usize>>>,
    /// Positions of the roots.
    touched: Rc<[usize]>,
}

impl<'c> Buckets<'c> {
    pub(crate) fn new(tree: &Tree<'c>, engines: &Engines) -> Self {
        type Lists = IdVec<AsyncEngineId, Vec<CommandId>>;
        let none: Lists = engines.ids().map(|_| Vec::new()).collect();
        let (mut all, mut unknown) = (none.clone(), none.clone());
        let mut roots: Vec<(Root<'c>, Lists)> = Vec::new();
        let mut known: HashMap<Value<'c>, usize> = HashMap::new();
        for (id, command) in tree.commands.enumerate() {
            all[command.engine].push(id);
            let Some(accesses) = &tree.site(command.item).accesses else {
                unknown[command.engine].push(id);
                continue;
            };
            for access in accesses.iter() {
                let root = access.region.root;
                let at = *known.entry(root.value()).or_insert_with(|| {
                    roots.push((root, none.clone()));
                    roots.len() - 1
                });
                let list = &mut roots[at].1[command.engine];
                if list.last() != Some(&id) {
                    list.push(id);
                }
            }
        }
        let shared = |lists: Lists| -> ByEngine { lists.into_iter().map(Rc::from).collect() };
        Self {
            all: shared(all),
            unknown: shared(unknown),
            roots: roots
                .into_iter()
                .map(|(root, lists)| Touching {
                    root,
                    commands: shared(lists),
                })
                .collect(),
            found: HashMap::new(),
            latest: None,
        }
    }

    /// True if an engine has commands at all.
    pub(crate) fn has_commands(&self, engine: AsyncEngineId) -> bool {
        !self.all[engine].is_empty()
    }

    /// Commands of an engine that can conflict with one of the queries.
    fn candidates(&mut self, engine: AsyncEngineId, queries: &[Query<'c>]) -> Candidates<'c> {
        let Some(Related { queries, touched }) = self.related(queries) else {
            return Candidates {
                commands: Rc::clone(&self.all[engine]),
                queries: None,
            };
        };
        let lists = touched.iter().map(|at| &self.roots[*at].commands[engine]);
        let lists = lists.chain([&self.unknown[engine]]);
        Candidates {
            commands: merged(lists.filter(|list| !list.is_empty()).collect()),
            queries: Some(queries),
        }
    }

    /// What the queries may touch; `None` if one is about anything.
    fn related(&mut self, queries: &[Query<'c>]) -> Option<Related<'c>> {
        if let ([Some(query)], Some((known, related))) = (queries, &self.latest)
            && Rc::ptr_eq(query, known)
        {
            return Some(related.clone());
        }
        let mut related: HashMap<Value<'c>, Vec<usize>> = HashMap::new();
        let mut touched: Vec<usize> = Vec::new();
        for (query, accesses) in queries.iter().enumerate() {
            for access in accesses.as_ref()?.iter() {
                let root = access.region.root;
                let roots = &self.roots;
                let shared = self.found.entry(root.value()).or_insert_with(|| {
                    let shares = |at: &usize| roots[*at].root.may_alias(root);
                    (0..roots.len()).filter(shares).collect()
                });
                for at in shared {
                    let list = related.entry(self.roots[*at].root.value()).or_insert_with(|| {
                        touched.push(*at);
                        Vec::new()
                    });
                    if list.last() != Some(&query) {
                        list.push(query);
                    }
                }
            }
        }
        let related = Related {
            queries: Rc::new(related),
            touched: touched.into(),
        };
        if let [Some(query)] = queries {
            self.latest = Some((Rc::clone(query), related.clone()));
        }
        Some(related)
    }

    /// A question about the commands of an engine, asked where `base` is the innermost loop.
    pub(crate) fn search(
        &mut self,
        engine: AsyncEngineId,
        queries: Vec<Query<'c>>,
        base: Option<ItemId>,
    ) -> Search<'c> {
        Search {
            engine,
            candidates: self.candidates(engine, &queries),
            queries: Rc::new(queries),
            base,
            entered: Vec::new(),
            forced: Rc::new(BTreeSet::new()),
        }
    }
}

/// All that is in one of several ordered lists, in order. Most questions are about one list, which is shared rather
/// than copied.
fn merged(lists: Vec<&Rc<[CommandId]>>) -> Rc<[CommandId]> {
    if let [list] = lists.as_slice() {
        return Rc::clone(list);
    }
    let mut all: Vec<CommandId> = lists.into_iter().flat_map(|list| list.iter().copied()).collect();
    // A stable sort merges what is in order already.
    all.sort();
    all.dedup();
    Rc::from(all)
}

/// A query before a loop: of one iteration, or of any.
pub(crate) fn before<'c>(query: &Query<'c>, op: Op<'c>, iteration: Option<i64>) -> Query<'c> {
    let moved = |access: &Access<'c>| match iteration {
        Some(number) => access.at(op, &Linear::constant(number), number + 1).outside(op),
        None => access.outside(op),
    };
    Some(
        query
            .as_ref()?
            .iter()
            .filter(|access| !is_made_in(op, access))
            .map(moved)
            .collect(),
    )
}

/// True if the memory belongs to one iteration of a loop.
fn is_made_in<'c>(op: Op<'c>, access: &Access<'c>) -> bool {
    matches!(access.region.root, Root::Allocation(value) if value.is_defined_inside(op))
}

impl<'c> Search<'c> {
    /// The queries, as they are said at this place.
    pub(crate) fn queries(&self) -> &[Query<'c>] {
        &self.queries
    }

    /// The question before a loop that it was asked in.
    pub(crate) fn before(&self, tree: &Tree<'c>, loop_: ItemId, iteration: Option<i64>) -> Self {
        let op = tree.site(loop_).op;
        Self {
            queries: Rc::new(self.queries.iter().map(|query| before(query, op, iteration)).collect()),
            base: tree.base_of(loop_),
            ..self.clone()
        }
    }

    /// The question `distance` iterations earlier.
    pub(crate) fn earlier(&self, tree: &Tree<'c>, loop_: ItemId, distance: u32, forced: BTreeSet<CommandId>) -> Self {
        let op = tree.site(loop_).op;
        let ahead = Linear::constant(i64::from(distance));
        let ahead = Linear::symbol(Symbol::Iteration(op)).add_scaled(&ahead, 1);
        let moved = |query: &Query<'c>| {
            let (accesses, ahead) = (query.as_ref()?, ahead.as_ref()?);
            let kept = accesses.iter().filter(|access| !is_made_in(op, access));
            Some(kept.map(|access| access.at(op, ahead, -i64::from(distance))).collect())
        };
        Self {
            queries: Rc::new(self.queries.iter().map(moved).collect()),
            forced: Rc::new(forced),
            ..self.clone()
        }
    }

    /// The question at the end of a loop that is over, about one iteration or any.
    pub(crate) fn behind(&self, loop_: ItemId, iteration: Option<Linear<'c>>) -> Self {
        let mut inside = self.clone();
        inside.entered.push((loop_, iteration));
        inside
    }

    /// The question with more commands taken to conflict.
    pub(crate) fn forcing(&self, more: impl IntoIterator<Item = CommandId>) -> Self {
        let mut forced = (*self.forced).clone();
        forced.extend(more);
        Self {
            forced: Rc::new(forced),
            ..self.clone()
        }
    }

    /// True if a command is taken to conflict.
    pub(crate) fn is_forced(&self, command: CommandId) -> bool {
        self.forced.contains(&command)
    }

    /// The accesses of the queries with which the order of an access of a command may matter; `None` is anything.
    fn others<'s>(&'s self, access: &'s Access<'c>) -> Option<Vec<&'s Access<'c>>> {
        let related = self.candidates.queries.as_ref()?.get(&access.region.root.value());
        let mut others = Vec::new();
        for query in related.into_iter().flatten() {
            let all = self.queries[*query].as_ref()?.iter();
            others.extend(all.filter(|other| access.concerns(other)));
        }
        Some(others)
    }

    /// True if a command concerns us.
    pub(crate) fn concerns(&self, tree: &Tree<'c>, command: CommandId) -> bool {
        if self.is_forced(command) {
            return true;
        }
        let Some(accesses) = &tree.site(tree.commands[command].item).accesses else {
            return true;
        };
        if self.candidates.queries.is_none() {
            return true;
        }
        accesses.iter().any(|access| match self.others(access) {
            None => true,
            Some(others) if others.is_empty() => false,
            Some(others) => match self.seen(tree, command, access, self.base) {
                Some(access) => others.into_iter().any(|other| access.conflicts(other)),
                None => true,
            },
        })
    }

    /// An access of a command as it is seen from where the question is asked: `None` is anything.
    fn seen(
        &self,
        tree: &Tree<'c>,
        command: CommandId,
        access: &Access<'c>,
        base: Option<ItemId>,
    ) -> Option<Access<'c>> {
        let mut access = access.clone();
        for loop_ in &tree.commands[command].loops {
            if Some(*loop_) == base {
                break;
            }
            let op = tree.site(*loop_).op;
            // Memory of unknown origin that the loop carries or chooses has other names after it.
            if matches!(access.region.root, Root::Unknown(value) if value.is_defined_inside(op)) {
                return None;
            }
            let entered = self.entered.iter().find(|(entered, _)| entered == loop_);
            if let Some((_, Some(iteration))) = entered {
                access = access.at(op, iteration, 0);
            }
            access = access.outside(op);
        }
        Some(access)
    }

    /// The smallest number of iterations of the loop around us after which a command of it concerns us, whatever
    /// iterations of loops inside it are meant.
    pub(crate) fn distance(&self, tree: &Tree<'c>, loop_: ItemId, command: CommandId) -> Option<u32> {
        let Some(accesses) = &tree.site(tree.commands[command].item).accesses else {
            return Some(1);
        };
        let for_ = tree.loop_of(loop_).for_;
        let mut least: Option<u32> = None;
        for access in accesses.iter() {
            let Some(others) = self.others(access) else {
                return Some(1);
            };
            if others.is_empty() {
                continue;
            }
            let Some(access) = self.seen(tree, command, access, Some(loop_)) else {
                return Some(1);
            };
            let found = others
                .into_iter()
                .filter(|other| !is_made_in(for_.op, other))
                .filter_map(|other| endless_distance(for_.op, &access, other, 1))
                .min();
            least = [least, found].into_iter().flatten().min();
        }
        least
    }
}

/// Candidates of a question in a range of commands.
pub(crate) fn candidates_in<'s>(search: &'s Search<'_>, range: std::ops::Range<CommandId>) -> &'s [CommandId] {
    let list = &search.candidates.commands;
    let first = list.partition_point(|id| *id < range.start);
    let end = list.partition_point(|id| *id < range.end);
    &list[first..end.max(first)]
}
