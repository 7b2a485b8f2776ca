//! Decides where waits stand.
//!
//! Operations are taken in program order. For each one and each engine, the latest command that conflicts is looked up,
//! and a wait is put before the operation, unless an earlier wait of the block reaches as far: then that one takes the
//! question over as well, so that it is right in the first iterations and where a branch was not taken. Where nothing
//! in a loop conflicts, but something before it does, the wait goes before the loop.
//!
//! Last, waits that a wait of the previous iteration makes redundant are removed, if in the first iterations, too,
//! nothing is left to wait for; and waits before a loop that only later iterations need, if one inside comes before
//! those.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::id::{IdVec, id};
use crate::place::available_wait::{AvailableWait, AvailableWaits};
use crate::place::find::{Found, Outcome};
use crate::place::query::{Buckets, Query, Search, before};
use crate::place::tree::{AsyncEngineId, Engines, Entry, Role, Tree};
use crate::program::epoch::Moment;
use crate::program::{BlockId, ItemId};

id! {
    /// Number of a wait, in the order in which they are found.
    pub(crate) struct WaitId(u32);
}

/// A wait before an item.
#[derive(Debug)]
pub(crate) struct Wait<'c> {
    /// The item.
    pub(crate) item: ItemId,
    /// The engine: it waits for the latest commands of that engine which concern the queries.
    pub(crate) engine: AsyncEngineId,
    pub(crate) queries: Vec<Query<'c>>,
    /// The loop in whose body it stands, if it waits for commands before that loop.
    pub(crate) inside: Option<ItemId>,
    /// Items that need it.
    askers: Vec<Asker<'c>>,
    /// The latest command that they need.
    found: Found,
    /// Other waits were left out since there is this one.
    pinned: bool,
    /// Something after a loop around it goes without a wait since there is this one.
    is_relied_on: bool,
    removed: bool,
}

/// An item that needs a wait, or a loop with an item that does.
#[derive(Clone, Debug)]
struct Asker<'c> {
    item: ItemId,
    query: Query<'c>,
    inside: Option<(ItemId, Query<'c>)>,
}

impl<'c> Wait<'c> {
    fn of(item: ItemId, engine: AsyncEngineId, query: Query<'c>, found: Found) -> Self {
        Self {
            item,
            engine,
            queries: vec![query],
            inside: None,
            askers: Vec::new(),
            found,
            pinned: false,
            is_relied_on: false,
            removed: false,
        }
    }

    /// Takes a question over.
    fn share(&mut self, asker: Asker<'c>) {
        self.queries.push(asker.query.clone());
        self.askers.push(asker);
    }

    /// The loop after it that needs it, and for what, if nothing else does.
    fn origin(&self) -> Option<(ItemId, Vec<Query<'c>>)> {
        let inside = |asker: &Asker<'c>| {
            let (_, query) = asker.inside.as_ref().filter(|_| asker.item == self.item)?;
            Some(query.clone())
        };
        let queries: Option<Vec<Query<'c>>> = self.askers.iter().map(inside).collect();
        Some((self.item, queries.filter(|queries| !queries.is_empty())?))
    }
}

/// Waits in the body of a loop that are looked at for one before it: each takes several searches.
const MOST_INSIDE: usize = 4;

/// The moment to which the waits before a point reach.
type Reach = BTreeMap<AsyncEngineId, (Moment, By)>;

/// A wait that reaches so far.
#[derive(Clone, Copy, Debug)]
enum By {
    /// This wait.
    Wait(WaitId),
    /// This one, in the last iteration of a loop that is over.
    Last(WaitId),
}

/// The waits of a function.
pub(crate) struct Placement<'t, 'c> {
    tree: &'t Tree<'c>,
    buckets: Buckets<'c>,
    engines: &'t Engines,
    waits: IdVec<WaitId, Wait<'c>>,
    /// Waits before items of each block.
    in_block: IdVec<BlockId, Vec<WaitId>>,
    reach: IdVec<BlockId, Reach>,
    /// For each block and engine the waits that certainly are passed, those of loops in it included.
    available: IdVec<BlockId, BTreeMap<AsyncEngineId, Rc<AvailableWaits>>>,
    /// The latest queries that were said anew before a loop, from the innermost loop outward: the same is asked of one
    /// engine after the other.
    outside: Vec<(ItemId, Query<'c>, Query<'c>)>,
}

/// A wait that stands for another one, and what it has to wait for as well.
struct Use<'c> {
    wait: WaitId,
    queries: Vec<Query<'c>>,
}

/// The waits that a tree needs. With `inside`, each iteration of a loop waits for the commands before the loop that it
/// needs; else the first one does for all.
pub(crate) fn place<'c>(tree: &Tree<'c>, engines: &Engines, inside: bool) -> (Vec<Wait<'c>>, Buckets<'c>) {
    let mut placement = Placement {
        tree,
        buckets: Buckets::new(tree, engines),
        engines,
        waits: IdVec::new(),
        in_block: IdVec::like(tree.nodes(), Vec::new()),
        reach: IdVec::like(tree.nodes(), Reach::new()),
        available: IdVec::like(tree.nodes(), BTreeMap::new()),
        outside: Vec::new(),
    };
    for root in &tree.roots {
        placement.block(*root);
    }
    placement.gather();
    for wait in placement.waits.ids() {
        placement.remove_if_redundant(wait);
    }
    if inside {
        for wait in placement.waits.ids() {
            placement.put_inside(wait);
        }
    }
    let Placement { waits, buckets, .. } = placement;
    (waits.into_iter().filter(|wait| !wait.removed).collect(), buckets)
}

impl<'c> Placement<'_, 'c> {
    fn block(&mut self, block: BlockId) {
        for id in self.tree.node(block).items.clone() {
            let item = self.tree.site(id);
            match &item.role {
                Role::Command(_, own) => self.operation(id, Some(*own)),
                Role::Access => self.operation(id, None),
                Role::If(branches) => {
                    for branch in branches {
                        let bordered = |(engine, (moment, by)): (&AsyncEngineId, &(Moment, By))| {
                            (*engine, (moment.clone().seen_from_branch(), *by))
                        };
                        self.reach[*branch] = self.reach[block].iter().map(bordered).collect();
                        self.block(*branch);
                    }
                }
                Role::Loop(body) => {
                    self.block(*body);
                    self.leave(id, *body);
                }
            }
        }
    }

    /// Lets waits of the last iteration of a loop that certainly has one stand for those after the loop.
    fn leave(&mut self, loop_: ItemId, body: BlockId) {
        let Some(trips) = self.tree.loop_of(loop_).constant_trips else {
            return;
        };
        let item = self.tree.site(loop_);
        for id in self.in_block[body].clone() {
            let wait = &self.waits[id];
            let moment = wait.found.moment.earliest().after_loop(item.index, trips);
            let Some(moment) = moment.filter(|_| wait.found.certain) else {
                continue;
            };
            let reach = &mut self.reach[item.block];
            if reach.get(&wait.engine).is_none_or(|(known, _)| moment < *known) {
                reach.insert(wait.engine, (moment, By::Last(id)));
            }
        }
    }

    fn operation(&mut self, id: ItemId, own: Option<AsyncEngineId>) {
        let item = self.tree.site(id);
        if item.accesses.as_ref().is_some_and(|accesses| accesses.is_empty()) {
            return;
        }
        let others = self.engines.ids().filter(|engine| Some(*engine) != own);
        let others: Vec<AsyncEngineId> = others.filter(|engine| self.buckets.has_commands(*engine)).collect();
        self.outside.clear();
        for engine in others {
            self.wait(id, engine, item.accesses.clone(), None);
        }
    }

    fn search(&mut self, engine: AsyncEngineId, queries: Vec<Query<'c>>, block: BlockId) -> Search<'c> {
        self.buckets.search(engine, queries, self.tree.node(block).base)
    }

    /// The question that a wait answers.
    fn search_of(&mut self, wait: WaitId) -> Search<'c> {
        let Wait {
            item, engine, queries, ..
        } = &self.waits[wait];
        let (engine, queries, block) = (*engine, queries.clone(), self.tree.site(*item).block);
        self.search(engine, queries, block)
    }

    /// Sees to it that the commands of an engine that concern the query are complete before an item. Of a loop,
    /// `inside` is what an item in its body asks.
    fn wait(&mut self, id: ItemId, engine: AsyncEngineId, query: Query<'c>, inside: Option<(ItemId, Query<'c>)>) {
        let (block, index) = (self.tree.site(id).block, self.tree.site(id).index);
        let search = self.search(engine, vec![query.clone()], block);
        let asker = Asker {
            item: id,
            query,
            inside,
        };
        match self.tree.find(block, index, &search) {
            Outcome::Nothing => {}
            Outcome::Here(found) => {
                let reach = self.reach[block]
                    .get(&engine)
                    .filter(|(moment, _)| *moment <= found.moment);
                match reach {
                    Some((_, By::Last(wait))) => {
                        self.waits[*wait].is_relied_on = true;
                        return;
                    }
                    Some((moment, By::Wait(wait))) if self.takes_over(*wait, moment, &found.moment) => {
                        self.waits[*wait].share(asker);
                        return;
                    }
                    _ => {}
                }
                let wait = self.waits.next_id();
                self.in_block[block].push(wait);
                let reach = self.reach[block]
                    .entry(engine)
                    .or_insert((found.moment.clone(), By::Wait(wait)));
                if found.moment < reach.0 {
                    *reach = (found.moment.clone(), By::Wait(wait));
                }
                let mut new = Wait::of(id, engine, asker.query.clone(), found);
                new.askers.push(asker);
                self.waits.push(new);
            }
            Outcome::Outside(loop_) => match self.reach[block].get(&engine) {
                // Whatever this loop waits for is later than any command before it.
                Some((_, By::Wait(wait))) => self.waits[*wait].share(asker),
                Some((_, By::Last(wait))) => self.waits[*wait].is_relied_on = true,
                None => {
                    let outside = self.before_loop(loop_, &asker.query);
                    self.wait(loop_, engine, outside, Some((id, asker.query)));
                }
            },
        }
    }

    /// A query of the present operation before a loop around it.
    fn before_loop(&mut self, loop_: ItemId, query: &Query<'c>) -> Query<'c> {
        let is_same = |of: &Query<'c>| match (of, query) {
            (Some(of), Some(query)) => Rc::ptr_eq(of, query),
            (of, query) => of.is_none() && query.is_none(),
        };
        let mut known = self.outside.iter();
        if let Some((.., outside)) = known.find(|(of, asked, _)| *of == loop_ && is_same(asked)) {
            return outside.clone();
        }
        let outside = before(query, self.tree.site(loop_).op, None);
        self.outside.push((loop_, query.clone(), outside.clone()));
        outside
    }

    /// True if a wait that reaches far enough may answer for another operation. Where it is not certain that there is
    /// anything to wait for, it has to be the same iteration, lest it waits for later commands than its own operation
    /// needs.
    fn takes_over(&self, wait: WaitId, moment: &Moment, other: &Moment) -> bool {
        self.waits[wait].found.certain || !moment.differs_one_border_away(other)
    }

    fn remove_if_redundant(&mut self, id: WaitId) {
        if self.waits[id].pinned {
            return;
        }
        let (item, engine) = (self.waits[id].item, self.waits[id].engine);
        let (block, index) = (self.tree.site(item).block, self.tree.site(item).index);
        if let Some(inside) = self.wait_inside(id) {
            self.waits[id].removed = true;
            self.waits[inside].pinned = true;
            return;
        }
        let mut used = Vec::new();
        for query in self.waits[id].queries.clone() {
            let search = self.search(engine, vec![query], block);
            match self.complete(block, index, &search, id) {
                Some(waits) => used.extend(waits),
                None => return,
            }
        }
        self.waits[id].removed = true;
        for Use { wait, queries } in used {
            self.waits[wait].pinned = true;
            self.waits[wait].queries.extend(queries);
        }
    }

    /// The wait in the body of a loop that does for one before the loop: all that need that one do so in later
    /// iterations.
    fn wait_inside(&mut self, id: WaitId) -> Option<WaitId> {
        let (loop_, queries) = self.waits[id].origin()?;
        let (engine, body) = (self.waits[id].engine, self.tree.loop_of(loop_).body);
        let (block, index) = (self.tree.site(loop_).block, self.tree.site(loop_).index);
        // Items after a loop around it may rely on it.
        if self.tree.node(block).base.is_some() {
            return None;
        }
        let available = self.available[body].get(&engine).cloned().unwrap_or_default();
        let inside = available
            .iter()
            .filter(|other| !other.is_inside && !self.waits[other.wait].removed);
        let inside: Vec<&AvailableWait> = inside.take(MOST_INSIDE).collect();
        let tree = self.tree;
        let questions: Vec<Search<'c>> = queries
            .into_iter()
            .map(|query| self.search(engine, vec![query], body))
            .collect();
        inside
            .into_iter()
            .map(|other| (other.wait, self.first_reach(loop_, other, id)))
            .find_map(|(wait, first)| {
                let is_free = |search: &Search<'c>, iteration| {
                    tree.find(block, index, &search.before(tree, loop_, Some(iteration))) == Outcome::Nothing
                };
                let mut each = questions.iter();
                each.all(|search| (0..=first).all(|iteration| is_free(search, iteration)))
                    .then_some(wait)
            })
    }

    /// The first iteration of a loop in which a wait in its body reaches as far as one before it.
    fn first_reach(&mut self, loop_: ItemId, inside: &AvailableWait, front: WaitId) -> i64 {
        let (block, index) = (self.tree.site(loop_).block, self.tree.site(loop_).index);
        let distance = inside.moment.iterations_ago().map_or(0, i64::from);
        let search = self.search_of(inside.wait);
        let reaches = |iteration: &i64| {
            let before = search.before(self.tree, loop_, Some(*iteration));
            match self.tree.find(block, index, &before) {
                Outcome::Here(by) => {
                    by.certain && by.moment.is_here() && by.moment.earliest() <= self.waits[front].found.moment
                }
                Outcome::Nothing | Outcome::Outside(_) => false,
            }
        };
        (0..distance).find(reaches).unwrap_or(distance)
    }

    /// The waits by which everything that a search finds is complete, if it is.
    fn complete(&mut self, block: BlockId, index: usize, search: &Search<'c>, except: WaitId) -> Option<Vec<Use<'c>>> {
        let entry = self.tree.node(block).entry;
        let found = match self.tree.find(block, index, search) {
            Outcome::Nothing => return Some(Vec::new()),
            Outcome::Here(found) => found,
            Outcome::Outside(loop_) => {
                let item = self.tree.site(loop_);
                return self.complete(item.block, item.index, &search.before(self.tree, loop_, None), except);
            }
        };
        let others = self.available[block].get(&search.engine).cloned().unwrap_or_default();
        let stays = |other: &AvailableWait| other.wait != except && !self.waits[other.wait].removed;
        let stands = |other: &AvailableWait| {
            let is_before = other.index < index || other.index == index && !other.is_inside && other.wait < except;
            is_before && stays(other)
        };
        // What is in this iteration is there in every one. Any other wait has to know what is meant in the first
        // iterations, or in a branch.
        if let Some(other) = others.of_this_iteration(index, &found.moment, stands) {
            let (wait, queries) = (other.wait, Vec::new());
            return Some(vec![Use { wait, queries }]);
        }
        if let Some(other) = others.that_knows(index, &found.moment, stands) {
            let (wait, queries) = (other.wait, search.queries().to_vec());
            return Some(vec![Use { wait, queries }]);
        }
        match entry {
            Entry::Branch(item) if !found.moment.is_here() => {
                let item = self.tree.site(item);
                self.complete(item.block, item.index, search, except)
            }
            Entry::Body(loop_) => {
                let distance = i64::from(found.moment.iterations_ago()?);
                let reaching = others.of_the_previous_iteration(&found.moment, stays);
                let mut reaching = reaching.into_iter();
                reaching.find_map(|other| self.complete_from(loop_, other, distance, search, except))
            }
            _ => None,
        }
    }

    /// The waits that do in the first iterations of a loop together with one of the previous iteration, which waits
    /// there for commands before the loop, or not at all.
    fn complete_from(
        &mut self,
        loop_: ItemId,
        other: &AvailableWait,
        distance: i64,
        search: &Search<'c>,
        except: WaitId,
    ) -> Option<Vec<Use<'c>>> {
        let item = self.tree.site(loop_);
        let (wait, queries) = (other.wait, Vec::new());
        let mut used = vec![Use { wait, queries }];
        for iteration in 0..distance {
            let question = search.before(self.tree, loop_, Some(iteration));
            if let Some(waits) = self.complete(item.block, item.index, &question, except) {
                used.extend(waits);
                continue;
            }
            if other.is_inside || iteration == 0 {
                return None;
            }
            let before = self.search_of(wait).before(self.tree, loop_, Some(iteration - 1));
            let ends = [&before, &question].map(|search| self.tree.find(item.block, item.index, search));
            match ends {
                [Outcome::Here(by), Outcome::Here(of)]
                    if by.certain && by.moment.is_here() && by.moment.earliest() <= of.moment => {}
                _ => return None,
            }
        }
        Some(used)
    }

    /// Moves a wait before a loop to the items in the loop's body that need it, so that each iteration waits for what
    /// it needs itself. What stands in a branch, or in a loop in the loop, could not tell the first time from the
    /// others, and would wait each time: for that, it stays before the loop.
    fn put_inside(&mut self, id: WaitId) {
        let wait = &self.waits[id];
        let loop_ = wait.item;
        let is_free = !wait.removed && !wait.pinned && !wait.is_relied_on;
        if !is_free || !matches!(self.tree.site(loop_).role, Role::Loop(..)) {
            return;
        }
        let body = self.tree.loop_of(loop_).body;
        let askers = wait.askers.iter().filter(|asker| asker.item == loop_);
        let mut inside = askers.filter_map(|asker| asker.inside.as_ref());
        if inside.any(|(item, _)| self.tree.site(*item).block != body) {
            return;
        }
        let (engine, found, block) = (wait.engine, wait.found.clone(), self.tree.site(loop_).block);
        let mut behind: BTreeMap<ItemId, Vec<Query<'c>>> = BTreeMap::new();
        let mut new = Vec::new();
        for asker in wait.askers.clone() {
            match asker.inside.filter(|_| asker.item == loop_) {
                Some((item, query)) => new.push(Wait {
                    inside: Some(loop_),
                    ..Wait::of(item, engine, query, found.clone())
                }),
                None => behind
                    .entry(self.tree.outer(asker.item, block))
                    .or_default()
                    .push(asker.query),
            }
        }
        if new.is_empty() {
            return;
        }
        // One wait does for all that is after the loop.
        if let Some(first) = behind.keys().next().copied() {
            let queries = behind.into_values().flatten().collect();
            new.push(Wait {
                queries,
                ..Wait::of(first, engine, None, found)
            });
        }
        self.waits[id].removed = true;
        self.waits.extend(new);
    }

    /// Lists the waits that certainly are passed, inner blocks first.
    fn gather(&mut self) {
        for block in self.tree.nodes().ids().rev() {
            let mut all: BTreeMap<AsyncEngineId, Vec<AvailableWait>> = BTreeMap::new();
            for wait in &self.in_block[block] {
                let Wait {
                    item, engine, found, ..
                } = &self.waits[*wait];
                if found.certain {
                    let available = AvailableWait::new(self.tree.site(*item).index, false, found.moment.clone(), *wait);
                    all.entry(*engine).or_default().push(available);
                }
            }
            for id in &self.tree.node(block).items {
                let item = self.tree.site(*id);
                let Role::Loop(body) = &item.role else { continue };
                let trips = self.tree.loop_of(*id).constant_trips.unwrap_or(0);
                for (engine, inner) in &self.available[*body] {
                    let outside = |available: &AvailableWait| {
                        let moment = available.moment.after_loop(item.index, trips)?;
                        Some(AvailableWait::new(item.index, true, moment, available.wait))
                    };
                    all.entry(*engine).or_default().extend(inner.iter().filter_map(outside));
                }
            }
            let all = all
                .into_iter()
                .map(|(engine, list)| (engine, Rc::new(AvailableWaits::new(list))));
            self.available[block] = all.collect();
        }
    }
}
