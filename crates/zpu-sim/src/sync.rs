//! The statements that concern engines: commands, waits, barrier ids, fences.

use std::collections::BTreeMap;
use std::rc::Rc;

use zpu_device::NeverIssued;

use crate::distance::Activity;
use crate::effect::{Copy, Effect, EffectKind};
use crate::execute::{Bound, Invocation};
use crate::fault::Fault;
use crate::finding::who;
use crate::hazard::Accessor;
use crate::issue::{self, Order};
use crate::machine::{CommandRef, GivenAgain, Machine, Stop, Waited};
use crate::must_waits::{Name, address};
use crate::program::{
    Action, ActionKind, Block, Command, Completion, EngineId, LocationId, Op, Program, Reg, Size, Statement,
};
use crate::report::{FindingKind, FindingNote};
use crate::routes::engine_index;
use crate::simulate::Values;
use crate::softmax::Softmax;
use crate::touch::{Touch, touches_of};
use crate::trace::TraceKind;
use crate::value::{Frame, Value};

impl Machine<'_> {
    pub(crate) fn command(&mut self, command: &Command, frame: &mut Frame, at: LocationId) -> Result<(), Stop> {
        let fault = |fault| Stop::Fault(fault, at);
        let Some(engine) = command.engine else {
            for effect in self.effects(command, frame)? {
                let cycles = command.cycles.or(effect.cycles);
                self.issue_sequential(&command.name, at, Effect { cycles, ..effect })?;
            }
            return match command.completion {
                Completion::Asynchronous { token: Some(token), .. } => {
                    frame.set(token, Value::Token(None)).map_err(fault)
                }
                _ => Ok(()),
            };
        };
        let mut touches = std::mem::take(&mut self.touches);
        touches.clear();
        let issued = self.issue(command, engine, frame, at, &mut touches)?;
        self.touches = touches;
        let issued = Rc::new(issued);
        if let Some(id) = issued.id {
            let id = frame.size(id).map_err(fault)?;
            self.ids.insert(id, Rc::clone(&issued));
        }
        match issued.token {
            Some(token) => frame.set(token, Value::Token(Some(issued))).map_err(fault),
            None => Ok(()),
        }
    }

    /// Issues a command of an engine.
    fn issue(
        &mut self,
        command: &Command,
        engine: EngineId,
        frame: &Frame,
        at: LocationId,
        touches: &mut Vec<Touch>,
    ) -> Result<CommandRef, Stop> {
        let fault = |fault| Stop::Fault(fault, at);
        let known = self.known_work(command, frame, touches);
        let effects = match known {
            Some(_) if self.options.values != Values::On => Vec::new(),
            _ => self.effects(command, frame)?,
        };
        let engine = engine_index(self.device, engine).ok_or_else(|| fault(Fault::Missing("an engine")))?;
        let (token, id) = match command.completion {
            Completion::Synchronous => (None, None),
            Completion::Asynchronous { token, id } => (token, id),
        };
        if let Some(id) = id {
            let id = frame.size(id).map_err(fault)?;
            self.check_id(id, engine, std::ptr::from_ref(command).addr(), at)?;
        }
        let price = match known {
            Some(price) => {
                self.check_touches(command, touches)?;
                debug_assert!(self.is_as_known(engine, command, &effects, touches, &price));
                price
            }
            None => {
                let price = self.priced(engine, &effects, command.cycles)?;
                *touches = touches_of(&effects);
                self.learn_work(command, frame, &effects, touches, &price);
                price
            }
        };
        let order = Order {
            name: &command.name,
            location: at,
            engine,
            price,
            touches,
            effects: self.with_values(effects),
            synchronous: command.completion == Completion::Synchronous,
            bare: false,
        };
        let issued = self.submit(order, None)?.0;
        Ok(CommandRef { token, id, ..issued })
    }

    /// The effects of a command on its operands.
    fn effects(&self, command: &Command, frame: &Frame) -> Result<Vec<Effect>, Stop> {
        let effect = |action: &Action| {
            let effect = self.effect(action, frame);
            effect.map_err(|fault| Stop::Fault(fault, action.location))
        };
        command.actions.iter().map(effect).collect()
    }

    fn effect(&self, action: &Action, frame: &Frame) -> Result<Effect, Fault> {
        let kind = match &action.kind {
            ActionKind::Copy { source, target } => EffectKind::Copy(Copy::new(
                Rc::clone(frame.view(*source)?),
                Rc::clone(frame.view(*target)?),
            )?),
            ActionKind::Softmax {
                source,
                target,
                dimension,
            } => EffectKind::Softmax(Softmax::new(
                Rc::clone(frame.view(*source)?),
                Rc::clone(frame.view(*target)?),
                *dimension,
            )?),
            ActionKind::Run {
                kernel,
                operands,
                captures,
            } => {
                let prepared = self.kernels.get(kernel.index()).ok_or(Fault::Missing("a kernel"))?;
                let bind = |reg: &Reg| match frame.get(*reg)? {
                    Value::Scalar(bits) => Ok(Bound::Scalar(*bits)),
                    // Numbers that are computed with cost what any cost.
                    Value::Unknown(_) => Ok(Bound::Scalar(0)),
                    Value::View(view) => Ok(Bound::View(Rc::clone(view))),
                    _ => Err(Fault::Value("a number or a memref")),
                };
                let operands = operands.iter().map(bind).collect::<Result<_, _>>()?;
                let captures = captures
                    .iter()
                    .map(|reg| match frame.scalar(*reg) {
                        Err(Fault::Unknown(_)) => Ok(0),
                        known => known,
                    })
                    .collect::<Result<_, _>>()?;
                EffectKind::Run(Box::new(Invocation::new(prepared, operands, captures)?))
            }
        };
        Ok(Effect {
            location: action.location,
            cycles: action.cycles,
            kind,
        })
    }

    /// Checks that a barrier id exists and that its last command is complete, or precedes the next one in the same
    /// queue: then waiting for the next one is waiting for both.
    fn check_id(&mut self, id: i64, engine: usize, giver: usize, at: LocationId) -> Result<(), Stop> {
        let limit = self.device.sync.ids;
        if u64::try_from(id).ok().is_none_or(|id| id >= limit) {
            return Err(Stop::Fault(Fault::IdRange { id, limit }, at));
        }
        let live = self
            .ids
            .get(&id)
            .filter(|command| !self.hazards.knows(command.engine, command.sequence));
        let live = live.cloned();
        let is_shared = live.as_ref().filter(|command| command.engine == engine);
        let used = self.id_uses.entry(id).or_default();
        used.first = None;
        let is_other = used.giver.replace(giver).is_some_and(|last| last != giver);
        if let Some(command) = is_shared {
            used.open += 1;
            if is_other {
                let sequence = self.sequence[engine] + 1;
                let is_known = |again: &&mut GivenAgain| {
                    again.new_owner == at && again.owner.location == command.accessor.location
                };
                match used.again.iter_mut().find(is_known) {
                    Some(again) => again.sequence = sequence,
                    None => used.again.push(GivenAgain {
                        new_owner: at,
                        engine,
                        sequence,
                        owner: Rc::clone(&command.accessor),
                    }),
                }
            }
        } else {
            used.open = 1;
        }
        if let Some(command) = live.filter(|command| command.engine != engine) {
            let message =
                format!("barrier id {id} is used again on another engine while it is live; wait for it before");
            let note = format!("`{}` was issued with it here", command.accessor.name);
            let location = self.program.location(command.accessor.location).to_string();
            let notes = vec![FindingNote {
                location,
                message: note,
            }];
            self.findings
                .other(self.program, FindingKind::Invalid, at, message, notes);
        }
        Ok(())
    }

    /// Warns of something; `other` is where the other accessor is.
    fn warn(&mut self, kind: FindingKind, at: LocationId, message: String, other: LocationId, note: String) {
        if !self.options.checks.deadlock {
            return;
        }
        let location = self.program.location(other).to_string();
        let notes = vec![FindingNote {
            location,
            message: note,
        }];
        self.findings.other(self.program, kind, at, message, notes);
    }

    /// A wait that happens now.
    fn waited<T>(&self, named: &T, location: LocationId) -> Waited {
        Waited {
            location,
            statement: std::ptr::from_ref(named).addr(),
            execution: self.running.last().copied().unwrap_or(0),
        }
    }

    /// True if all ways to the present wait pass an earlier one: as long as the block of that is running, or as it is
    /// the same.
    fn is_passed(&self, first: Waited, now: Waited) -> bool {
        first.statement == now.statement || self.running.contains(&first.execution)
    }

    /// After a branch or a loop, the waits that every path through it passes count for the block around it.
    pub(crate) fn pass(&mut self, statement: &Statement, frame: &mut Frame) {
        let Some(passed) = self.passed.get(&address(statement)) else {
            return;
        };
        let (running, now) = (&self.running, self.running.last().copied().unwrap_or(0));
        let moved = |first: Waited| Waited {
            execution: if running.contains(&first.execution) {
                first.execution
            } else {
                now
            },
            ..first
        };
        for name in passed {
            match name {
                Name::Token(token) => {
                    if let Ok(Some(command)) = frame.token(*token) {
                        command.waited.set(command.waited.get().map(moved));
                    }
                    if let Some(Some(first)) = frame.waited.get_mut(token.index()) {
                        *first = moved(*first);
                    }
                }
                Name::Id(id) => {
                    let used = frame.size(*id).ok().and_then(|id| self.id_uses.get_mut(&id));
                    if let Some(first) = used.and_then(|used| used.first.as_mut()) {
                        *first = moved(*first);
                    }
                }
            }
        }
    }

    /// Warns of a wait for a token that no command was started with, whichever way it came.
    pub(crate) fn waits_for_nothing(&mut self, token: &Reg, at: LocationId) {
        if self.for_nothing.contains(&std::ptr::from_ref(token).addr()) {
            let message = "waits for a token that no command was started with; this orders nothing";
            self.findings
                .other(self.program, FindingKind::Wait, at, message.to_owned(), Vec::new());
        }
    }

    /// Warns where a wait for a token waits again for its command, by the name that the command was given or by the
    /// same one. What a loop carries is another name, and may be another command next time.
    pub(crate) fn waits_again(&mut self, command: &CommandRef, token: &Reg, frame: &mut Frame, at: LocationId) {
        let now = self.waited(token, at);
        let of_command = command.waited.get();
        command.waited.set(of_command.or(Some(now)));
        let of_name = frame.waited.get_mut(token.index()).and_then(|first| {
            let before = *first;
            first.get_or_insert(now);
            before
        });
        let of_command = of_command.filter(|_| command.token == Some(*token));
        let firsts = [of_name, of_command];
        if let Some(first) = firsts.into_iter().flatten().find(|first| self.is_passed(*first, now)) {
            let message = "waits for a token that was waited for; this orders nothing more";
            self.warn_of_second_wait(message, first, at);
        }
    }

    /// Warns of a second wait for a barrier id that one operation gives. If several give it, another wait may be for
    /// another one of them, but not the same wait again.
    pub(crate) fn waits_for_id_again(&mut self, id: &Size, number: i64, at: LocationId) {
        let now = self.waited(id, at);
        let Some(used) = self.id_uses.get_mut(&number) else {
            return;
        };
        used.again.clear();
        let is_again = used.open == 0;
        used.open = used.open.saturating_sub(1);
        let first = *used.first.get_or_insert(now);
        let by_name = |command: &Rc<CommandRef>| matches!(id, Size::Constant(_)) || command.id == Some(*id);
        if is_again
            && self.ids.get(&number).is_some_and(by_name)
            && self.is_passed(first, now)
            && (first.statement == now.statement
                || self
                    .id_commands
                    .get_or_init(|| IdCommands::of(self.program))
                    .of_id(number)
                    == 1)
        {
            let message = "waits for a barrier id that was waited for, and on this way no command was given it since: \
                the id is not balanced";
            self.warn_of_second_wait(message, first, at);
        }
    }

    fn warn_of_second_wait(&mut self, message: &str, first: Waited, at: LocationId) {
        let note = "the first wait for it".to_owned();
        self.warn(FindingKind::Wait, at, message.to_owned(), first.location, note);
    }

    /// Warns of barrier ids that were given again, or that are live when the program ends, and that nothing has waited
    /// for.
    pub(crate) fn check_balance(&mut self) {
        let uses = std::mem::take(&mut self.id_uses);
        for (id, used) in uses {
            // A number that no command is given stands for no command, as a null token does.
            let is_given = |_: &LocationId| {
                let id_commands = || self.id_commands.get_or_init(|| IdCommands::of(self.program));
                self.ids.contains_key(&id) || id_commands().constants.contains_key(&id)
            };
            let not_given: Vec<LocationId> = used.not_given.into_iter().filter(is_given).collect();
            for at in not_given {
                let message = format!(
                    "waits for barrier id {id}, which no command was given: the id is not balanced, and this orders \
                     nothing"
                );
                self.findings
                    .other(self.program, FindingKind::Balance, at, message, Vec::new());
            }
            // A wait for a later command of the engine is one for these.
            let is_open = |again: &GivenAgain| !self.hazards.knows(again.engine, again.sequence + 1);
            let again: Vec<GivenAgain> = used.again.into_iter().filter(is_open).collect();
            for GivenAgain { new_owner, owner, .. } in again {
                let who = who(self.device, &owner);
                let message = format!(
                    "barrier id {id} is given again before anything has waited for {who}, which has it: the id is not \
                     balanced; wait \
                     for it before"
                );
                let note = format!("{who} was given it here");
                self.warn(FindingKind::Balance, new_owner, message, owner.location, note);
            }
        }
        let is_live =
            |command: &CommandRef| command.sequence > 0 && !self.hazards.knows(command.engine, command.sequence);
        let live = self.ids.iter().filter(|(_, command)| is_live(command));
        let live: Vec<(i64, Rc<Accessor>)> = live.map(|(id, command)| (*id, Rc::clone(&command.accessor))).collect();
        for (id, accessor) in live {
            let who = who(self.device, &accessor);
            let message = format!(
                "barrier id {id} of {who} is live when the program ends: the id is not balanced; wait for it before"
            );
            self.findings.other(
                self.program,
                FindingKind::Balance,
                accessor.location,
                message,
                Vec::new(),
            );
        }
    }

    pub(crate) fn wait(&mut self, command: Option<&CommandRef>, at: LocationId) -> Result<(), Stop> {
        let issued = self.now;
        self.pay_for_wait(self.device.control.wait_cycles)?;
        let Some(command) = command else {
            self.trace_control(TraceKind::Wait, "wait", at, issued, None);
            return Ok(());
        };
        if command.sequence == 0 {
            return Err(self.hangs_on_dropped(command, at));
        }
        let begin = self.now;
        let known = self.hazards.frontier(command.engine);
        self.losses.begin(Activity::Stalled, begin);
        self.until_complete(command.engine, command.sequence)?;
        self.losses.held(command.engine, known, self.now - begin);
        self.control.stalled_wait += self.now - begin;
        self.trace_control(TraceKind::Wait, "wait", at, issued, Some(command.issue));
        Ok(())
    }

    fn pay_for_wait(&mut self, cycles: u64) -> Result<(), Stop> {
        self.control.waiting_cost += cycles;
        self.spend(Activity::Wait, cycles)
    }

    fn hangs_on_dropped(&mut self, command: &CommandRef, at: LocationId) -> Stop {
        let engine = self.device.engines[command.engine].name.as_str();
        let message = format!(
            "deadlock: waits for `{}`, which was dropped by the full queue of @{engine}",
            command.accessor.name
        );
        let is_it = |(first, _): &&mut (Rc<Accessor>, u64)| issue::is_alike(first, &command.accessor);
        if let Some((_, count)) = self.dropped.iter_mut().find(is_it) {
            *count -= 1;
        }
        let notes = self.cycle_of_dropped(command);
        self.findings
            .other(self.program, FindingKind::Deadlock, at, message, notes);
        Stop::Deadlock
    }

    pub(crate) fn wait_id(&mut self, id: i64, at: LocationId) -> Result<(), Stop> {
        let limit = self.device.sync.ids;
        if u64::try_from(id).ok().is_none_or(|id| id >= limit) {
            return Err(Stop::Fault(Fault::IdRange { id, limit }, at));
        }
        if let Some(command) = self.ids.get(&id).cloned() {
            return self.wait(Some(&command), at);
        }
        match self.device.sync.wait_on_never_issued {
            NeverIssued::Return => {
                let used = self.id_uses.entry(id).or_default();
                if !used.not_given.contains(&at) {
                    used.not_given.push(at);
                }
                self.wait(None, at)
            }
            NeverIssued::Error => Err(Stop::Fault(Fault::NeverIssued(id), at)),
            NeverIssued::Hang => {
                let message = format!(
                    "deadlock: waits for barrier id {id}, and no command was issued with it; issue one with it before"
                );
                let notes = self.cycle_of_never_issued(at);
                self.findings
                    .other(self.program, FindingKind::Deadlock, at, message, notes);
                Err(Stop::Deadlock)
            }
        }
    }

    pub(crate) fn barrier(&mut self, engines: Option<&[EngineId]>, at: LocationId) -> Result<(), Stop> {
        let issued = self.now;
        self.pay_for_wait(self.device.control.barrier_cycles)?;
        let all: Vec<usize> = match engines {
            None => (0..self.device.engines.len()).collect(),
            Some(engines) => engines
                .iter()
                .filter_map(|engine| engine_index(self.device, *engine))
                .collect(),
        };
        let begin = self.now;
        self.losses.begin(Activity::Stalled, begin);
        for engine in &all {
            let (begin, known) = (self.now, self.hazards.frontier(*engine));
            self.until_complete(*engine, self.sequence[*engine])?;
            self.losses.held(*engine, known, self.now - begin);
        }
        for (id, command) in &self.ids {
            if all.contains(&command.engine) {
                self.id_uses.entry(*id).or_default().again.clear();
            }
        }
        self.control.stalled_wait += self.now - begin;
        self.trace_control(TraceKind::Wait, "barrier", at, issued, None);
        Ok(())
    }
}

/// The number of operations of a program that are given each barrier id.
#[derive(Debug, Default)]
pub(crate) struct IdCommands {
    constants: BTreeMap<i64, usize>,
    /// The number of those with ids that are computed.
    others: usize,
}

impl IdCommands {
    fn of_id(&self, id: i64) -> usize {
        self.constants.get(&id).copied().unwrap_or(0) + self.others
    }

    fn of(program: &Program) -> Self {
        let mut id_commands = Self::default();
        let mut open: Vec<&Block> = program.functions.iter().map(|function| &function.body).collect();
        while let Some(block) = open.pop() {
            for statement in &block.statements {
                match &statement.op {
                    Op::For(op) => open.push(&op.body),
                    Op::Scope { body, .. } => open.push(body),
                    Op::While(op) => open.extend([&op.before, &op.after]),
                    Op::If { then, otherwise, .. } => open.extend([then, otherwise]),
                    Op::Switch { cases, default, .. } => {
                        open.extend(cases.iter().map(|(_, block)| block));
                        open.push(default);
                    }
                    Op::Command(command) => {
                        if let Completion::Asynchronous { id: Some(id), .. } = command.completion {
                            match id {
                                Size::Constant(id) => *id_commands.constants.entry(id).or_insert(0) += 1,
                                Size::Register(_) => id_commands.others += 1,
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
        id_commands
    }
}
