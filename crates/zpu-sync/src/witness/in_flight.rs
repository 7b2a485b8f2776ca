//! Outstanding commands of one execution: from their issue to a wait, the waits that they rest on, and barrier ids.

use crate::finding::Hazard;
use crate::problem::EngineId;
use crate::problem::view::Value;
use crate::program::epoch::{Epoch, Instance, Iteration};
use crate::program::scope::outlives;
use crate::program::{ItemId, Kind};
use crate::witness::concrete_region::{ConcreteRegion, is_outside};
use crate::witness::uses::{BlockRun, Lint, Use};
use crate::witness::{End, Execution, Name};
use zpu_device::{NeverIssued, WhenFull};

/// An outstanding command.
#[derive(Debug)]
pub(crate) struct Command<'c> {
    /// Its number on its engine, from 1.
    number: u64,
    item: ItemId,
    /// Iterations of the loops around it, outermost first.
    iterations: Vec<i64>,
    regions: Vec<ConcreteRegion<'c>>,
}

impl<'c> Execution<'_, 'c> {
    pub(crate) fn start(
        &mut self,
        id: ItemId,
        engine: EngineId,
        token: Value<'c>,
        barrier: Option<Value<'c>>,
    ) -> Result<(), End> {
        let regions = self.access(id, Some(engine))?;
        let description = self.program.engine(engine);
        self.issued[engine] += 1;
        let number = self.issued[engine];
        if description.blocking {
            self.complete(engine, number, None);
        } else {
            let is_full = self.in_flight(engine).count() as u64 >= description.queue_depth.max(1);
            if is_full && description.when_full != WhenFull::Stall {
                let queue: Vec<ItemId> = self.in_flight(engine).map(|command| command.item).collect();
                self.findings.queue_full(self.program, id, engine, queue.clone(), true);
                if description.when_full != WhenFull::Drop {
                    return Err(End);
                }
                self.dropped.insert((engine, number), (id, queue));
                self.waited_as.remove(&token);
                self.tokens.insert(token, Some((engine, number)));
                return match barrier {
                    Some(barrier) => self.take_id(id, (engine, number), barrier),
                    None => Ok(()),
                };
            }
            let iterations = self.iterations();
            self.outstanding[engine].push(Command {
                number,
                item: id,
                iterations,
                regions,
            });
        }
        if let Some(barrier) = barrier {
            self.take_id(id, (engine, number), barrier)?;
        }
        self.waited_as.remove(&token);
        self.tokens.insert(token, Some((engine, number)));
        Ok(())
    }

    fn take_id(&mut self, id: ItemId, name: Name, barrier: Value<'c>) -> Result<(), End> {
        let number = self.number(barrier)?;
        let limit = self.program.device.sync.ids;
        if u64::try_from(number).ok().is_none_or(|number| number >= limit) {
            self.findings.id_range(self.program, id, Some(number));
            return Err(End);
        }
        let owner = self.ids.insert(number, name);
        let is_live = owner.is_some_and(|(engine, last)| engine == name.0 && last > self.frontier[engine].reached());
        let program = self.program;
        let used = self.uses.entry(number).or_insert_with(|| Use::by(program, id, number));
        used.take(id, name.1, is_live);
        if let Some((engine, number)) = owner.filter(|(engine, _)| *engine != name.0)
            && let Some(command) = self.outstanding[engine].iter().find(|command| command.number == number)
        {
            match self.frontier[engine].only(number) {
                Some(wait) => {
                    self.needed.insert(wait);
                }
                None => {
                    let instance = self.instance(command, id);
                    self.findings.id_in_use(instance, id, self.program, true);
                }
            }
        }
        Ok(())
    }

    /// A command is complete, and all that are before it on its engine.
    pub(crate) fn wait(&mut self, id: ItemId, name: Option<Name>) -> Result<(), End> {
        let Some(name) = name else { return Ok(()) };
        if let Some((item, queue)) = self.dropped.get(&name) {
            self.findings.dropped(self.program, id, *item, queue.clone());
            return Err(End);
        }
        if let Some(first) = self.waited_before(id, name) {
            self.lints.insert(Lint::WaitedTwice { first, again: id });
        }
        let run = self.block_run();
        self.waited.entry(name).or_insert((id, run));
        if let Kind::Wait(token) = self.program.items[id].kind {
            self.waited_as.entry(token).or_insert((id, run));
        }
        self.complete(name.0, name.1, Some(id));
        Ok(())
    }

    fn block_run(&self) -> BlockRun {
        self.running.last().copied().unwrap_or_default()
    }

    /// After a branch or a loop, all that every way through it waits for counts as waited for in the block around it.
    pub(crate) fn pass(&mut self, id: ItemId) {
        let Some(passed) = self.waits_only.and_then(|passed| passed.get(&id)) else {
            return;
        };
        let now = self.block_run();
        for value in passed {
            let name = self.tokens.get(value).copied().flatten();
            let number = if name.is_none() { self.numbers.of(*value) } else { None };
            let used = number.and_then(|number| self.uses.get_mut(&number));
            let firsts = [
                name.and_then(|name| self.waited.get_mut(&name)),
                self.waited_as.get_mut(value),
                used.and_then(|used| used.first.as_mut()),
            ];
            for (_, run) in firsts.into_iter().flatten() {
                if !self.running.contains(run) {
                    *run = now;
                }
            }
        }
    }

    /// The wait that has waited for a command on all ways here, if this one names the command by the value that it was
    /// given, or gave, or by a constant, or by the same value: what loops carry and branches yield may be another
    /// command next time. So may an id that several operations give.
    fn waited_before(&self, wait: ItemId, name: Name) -> Option<ItemId> {
        let program = self.program;
        let is_passed = |(first, run): &(ItemId, BlockRun)| *first == wait || self.running.contains(run);
        let first = match program.items[wait].kind {
            Kind::Wait(token) => {
                let start = token.defining_op();
                let is_start = start.is_some_and(|op| op.is("zpu.dma_start") || op.is("zpu.compute_start"));
                let same_value = self.waited_as.get(&token).copied().filter(is_passed);
                same_value.or_else(|| self.waited.get(&name).copied().filter(|_| is_start))
            }
            Kind::WaitId(value) => {
                let (number, _) = self.ids.iter().find(|(_, owner)| **owner == name)?;
                let used = self.uses.get(number)?;
                let is_by_name =
                    value.as_constant_int().is_some() || program.items[used.new_owner].kind.id() == Some(value);
                // Where several operations give it, another wait may be for another one of them, but not the same wait
                // again.
                let is_again = |first: &(ItemId, BlockRun)| !used.is_shared || first.0 == wait;
                used.first
                    .filter(|first| is_by_name && used.open == 0 && is_again(first))
            }
            _ => None,
        };
        first.filter(is_passed).map(|(first, _)| first)
    }

    /// The commands of an engine up to one are complete, as a wait has it, or for other reasons.
    pub(crate) fn complete(&mut self, engine: EngineId, number: u64, wait: Option<ItemId>) {
        self.frontier[engine].extend(number, wait);
        self.forget_settled(engine);
    }

    /// Lets go of the commands of an engine that say nothing more: those that are complete whichever wait is deleted,
    /// and those that rest on one that is known to be needed. Without this, each command of a long loop would be
    /// compared with all before it.
    fn forget_settled(&mut self, engine: EngineId) {
        let frontier = &self.frontier[engine];
        let is_needed = |wait: ItemId| self.needed.contains(&wait);
        let settled = if frontier.only(frontier.reached()).is_some_and(is_needed) {
            frontier.reached()
        } else {
            frontier.without_one()
        };
        let commands = &mut self.outstanding[engine];
        let first = commands.partition_point(|command| command.number <= settled);
        commands.drain(..first);
    }

    /// The commands of an engine that no wait has reached.
    fn in_flight(&self, engine: EngineId) -> impl Iterator<Item = &Command<'c>> {
        let reached = self.frontier[engine].reached();
        self.outstanding[engine]
            .iter()
            .filter(move |command| command.number > reached)
    }

    pub(crate) fn wait_id(&mut self, id: ItemId, value: Value<'c>) -> Result<(), End> {
        let number = self.number(value)?;
        let limit = self.program.device.sync.ids;
        if u64::try_from(number).ok().is_none_or(|number| number >= limit) {
            self.findings.id_range(self.program, id, Some(number));
            return Err(End);
        }
        match self.ids.get(&number).copied() {
            Some(name) => {
                self.wait(id, Some(name))?;
                let run = self.block_run();
                if let Some(used) = self.uses.get_mut(&number) {
                    used.wait(id, run);
                }
            }
            None if self.program.device.sync.wait_on_never_issued == NeverIssued::Return => {
                self.not_given.insert((number, id));
            }
            None => {
                self.findings.never_issued(id, true, self.program);
                return Err(End);
            }
        }
        Ok(())
    }

    /// The name of a command from here.
    fn instance(&self, command: &Command<'c>, later: ItemId) -> Instance {
        let program = self.program;
        let around = program.items[command.item].around.iter().copied();
        // Inside an earlier iteration of an outer loop, an inner loop is over, though it may be running again.
        let mut is_past = false;
        let named = around.zip(&command.iterations).map(|(loop_, then)| {
            let is_shared = program.items[later].around.contains(&loop_) && !is_past;
            let at = self.loops.iter().position(|running| *running == loop_);
            let when = match at.filter(|_| is_shared).and_then(|at| self.numbers.iterations.get(at)) {
                Some((_, now)) => Epoch::Ago(u32::try_from(now - then).unwrap_or(u32::MAX)),
                None => self.trips.get(&loop_).map_or(Epoch::Over, |trips| {
                    u32::try_from(trips - then).map_or(Epoch::Over, Epoch::Last)
                }),
            };
            is_past |= when != Epoch::Ago(0);
            (loop_, when)
        });
        Instance {
            item: command.item,
            when: named.collect(),
        }
    }

    /// Compares what an item touches now with what is outstanding on other engines.
    pub(crate) fn access(&mut self, id: ItemId, engine: Option<EngineId>) -> Result<Vec<ConcreteRegion<'c>>, End> {
        let program = self.program;
        let Some(accesses) = &program.items[id].accesses else {
            // It may wait, or issue.
            return if self.waits_only.is_some() {
                Ok(Vec::new())
            } else {
                Err(End)
            };
        };
        // Outside of its memory, an access means nothing.
        if self.waits_only.is_some() {
            let mut leaves = accesses.iter().map(|access| is_outside(access, &mut self.numbers));
            return if leaves.any(|leaves| leaves) {
                Err(End)
            } else {
                Ok(Vec::new())
            };
        }
        let mut regions = Vec::with_capacity(accesses.len());
        for access in accesses {
            regions.push(ConcreteRegion::of(access, &mut self.numbers));
            if regions.last().is_some_and(|region| region.is_outside) {
                return Err(End);
            }
        }
        self.lifetimes(id, &regions);
        for engine in program.problem.engine_ids() {
            self.forget_settled(engine);
        }
        let others = self.outstanding.ids().filter(|other| Some(*other) != engine);
        let (mut found, mut needed) = (Vec::new(), Vec::new());
        for (other, command) in
            others.flat_map(|other| self.outstanding[other].iter().map(move |command| (other, command)))
        {
            let only = self.frontier[other].only(command.number);
            if only.is_some_and(|wait| self.needed.contains(&wait)) {
                continue;
            }
            for earlier in &command.regions {
                for later in &regions {
                    self.steps += 1;
                    if earlier.meets(later) && only.is_some() {
                        needed.extend(only);
                    } else if earlier.meets(later) {
                        found.push(Hazard {
                            instance: self.instance(command, id),
                            later: id,
                            earlier_writes: earlier.write,
                            later_writes: later.write,
                            root: later.root,
                            context: self.context(),
                            overlaps: true,
                            conditional: false,
                        });
                    }
                }
            }
        }
        self.needed.extend(needed);
        for hazard in found {
            self.findings.race(program, hazard);
        }
        Ok(regions)
    }

    /// Looks for memory that was freed before, and lets go of what the item frees.
    fn lifetimes(&mut self, id: ItemId, regions: &[ConcreteRegion<'c>]) {
        let program = self.program;
        let number = |region: &ConcreteRegion<'c>| program.number_of_root(region.root);
        for region in regions.iter().filter(|region| region.is_in_use()) {
            if self.freed.contains(&region.instance())
                && let Some(root) = number(region)
            {
                self.findings.gone(program, id, root, root, true);
            }
        }
        let frees = &program.items[id].frees;
        // Of several, it is one of them that goes.
        let one = program.items[id].kind.is_scope_end() || frees.len() == 1;
        let gone = regions
            .iter()
            .filter(|region| one && number(region).is_some_and(|root| frees.contains(&root)));
        self.freed.extend(gone.map(ConcreteRegion::instance));
    }

    fn context(&self) -> Vec<(ItemId, Iteration)> {
        let iterations = self.iterations().into_iter().map(Iteration::At);
        self.loops.iter().copied().zip(iterations).collect()
    }

    pub(crate) fn end(&mut self, id: ItemId) {
        let program = self.program;
        // A number that nobody is ever given stands for no command, as `zpu.null_token` does.
        let is_given = |number: i64| self.ids.contains_key(&number) || program.tracked.is_taken(number);
        let not_given = self.not_given.iter().filter(|(number, _)| is_given(*number));
        self.lints
            .extend(not_given.map(|(_, wait)| Lint::NeverGiven { wait: *wait }));
        for (number, used) in &self.uses {
            let is_live = |(engine, last): &Name| *last > self.frontier[*engine].reached();
            let owner = used.new_owner;
            if self.ids.get(number).is_some_and(is_live) {
                self.lints.insert(Lint::LeftLive { owner });
            }
            // A wait for a later command of the engine is one for these.
            let is_open = |new_owner: ItemId, number: u64| {
                let engine = program.items[new_owner].kind.engine();
                engine.is_none_or(|engine| self.frontier[engine].reached() <= number)
            };
            let again = used
                .again
                .iter()
                .filter(|((_, new_owner), number)| is_open(*new_owner, **number));
            self.lints.extend(again.map(|((owner, new_owner), _)| Lint::Retaken {
                owner: *owner,
                new_owner: *new_owner,
            }));
        }
        let (mut found, mut left) = (Vec::new(), Vec::new());
        let all = self.outstanding.iter().zip(&self.frontier);
        for (command, frontier) in
            all.flat_map(|(commands, frontier)| commands.iter().map(move |command| (command, frontier)))
        {
            // A function returns with nothing outstanding, also where nobody else can see the memory.
            if let Some(wait) = frontier.only(command.number) {
                self.needed.insert(wait);
                continue;
            }
            if program.is_private
                && command
                    .regions
                    .iter()
                    .all(|region| outlives(program, id, region.root).is_none())
            {
                left.push(self.instance(command, id));
            }
            for region in command.regions.iter().filter(|region| region.is_touched()) {
                if outlives(program, id, region.root) == Some(true) {
                    found.push(Hazard {
                        instance: self.instance(command, id),
                        later: id,
                        earlier_writes: region.write,
                        later_writes: !region.write,
                        root: region.root,
                        context: Vec::new(),
                        overlaps: true,
                        conditional: false,
                    });
                }
            }
        }
        for hazard in found {
            self.findings.race(program, hazard);
        }
        for instance in left {
            self.findings.in_flight(program, &instance, id, true);
        }
    }
}
