//! The statements that concern engines: commands, waits, barrier ids, fences.

use std::rc::Rc;

use zpu_device::NeverIssued;

use crate::effect::{Copy, Effect, EffectKind};
use crate::execute::{Bound, Invocation};
use crate::fault::Fault;
use crate::hazard::Party;
use crate::machine::{Machine, Stop, Ticket};
use crate::program::{Action, ActionKind, Command, Completion, EngineId, LocationId, Reg};
use crate::report::{FindingKind, FindingNote};
use crate::routes::engine_index;
use crate::trace::TraceKind;
use crate::value::{Frame, Value};

impl Machine<'_> {
    pub(crate) fn command(&mut self, command: &Command, frame: &mut Frame, at: LocationId) -> Result<(), Stop> {
        let fault = |fault| Stop::Fault(fault, at);
        let mut effects = Vec::with_capacity(command.actions.len());
        for action in &command.actions {
            effects.push(
                self.effect(action, frame)
                    .map_err(|fault| Stop::Fault(fault, action.location))?,
            );
        }
        let Some(engine) = command.engine else {
            for effect in effects {
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
        let engine = engine_index(self.device, engine).ok_or_else(|| fault(Fault::Missing("an engine")))?;
        let (token, id) = match command.completion {
            Completion::Synchronous => (None, None),
            Completion::Asynchronous { token, id } => (token, id),
        };
        let id = id.map(|id| frame.size(id)).transpose().map_err(fault)?;
        if let Some(id) = id {
            self.check_id(id, engine, at)?;
        }
        let synchronous = command.completion == Completion::Synchronous;
        let ticket = self.issue_on(engine, &command.name, at, effects, command.cycles, synchronous)?;
        if let Some(id) = id {
            self.ids.insert(id, ticket.clone());
        }
        match token {
            Some(token) => frame.set(token, Value::Token(Some(Rc::new(ticket)))).map_err(fault),
            None => Ok(()),
        }
    }

    fn effect(&self, action: &Action, frame: &Frame) -> Result<Effect, Fault> {
        let kind = match &action.kind {
            ActionKind::Copy { source, target } => EffectKind::Copy(Copy::new(
                Rc::clone(frame.view(*source)?),
                Rc::clone(frame.view(*target)?),
            )?),
            ActionKind::Run {
                kernel,
                operands,
                captures,
            } => {
                let prepared = self.kernels.get(kernel.index()).ok_or(Fault::Missing("a kernel"))?;
                let bind = |reg: &Reg| match frame.get(*reg)? {
                    Value::Scalar(bits) => Ok(Bound::Scalar(*bits)),
                    Value::View(view) => Ok(Bound::View(Rc::clone(view))),
                    _ => Err(Fault::Value("a number or a memref")),
                };
                let operands = operands.iter().map(bind).collect::<Result<_, _>>()?;
                let captures = captures
                    .iter()
                    .map(|reg| frame.scalar(*reg))
                    .collect::<Result<_, _>>()?;
                EffectKind::Run(Invocation::new(prepared, operands, captures)?)
            }
        };
        Ok(Effect {
            location: action.location,
            cycles: action.cycles,
            kind,
        })
    }

    /// Checks that a barrier id exists and that its last command is complete, or precedes the next one in the same queue: then
    /// waiting for the next one is waiting for both.
    fn check_id(&mut self, id: i64, engine: usize, at: LocationId) -> Result<(), Stop> {
        let limit = self.device.sync.ids;
        if u64::try_from(id).ok().is_none_or(|id| id >= limit) {
            return Err(Stop::Fault(Fault::IdRange { id, limit }, at));
        }
        if let Some(ticket) = self.ids.get(&id)
            && ticket.engine != engine
            && !self.hazards.knows(ticket.engine, ticket.sequence)
        {
            let message =
                format!("barrier id {id} is used again on another engine while it is live; wait for it before");
            let note = format!("`{}` was issued with it here", ticket.party.name);
            let location = self.program.location(ticket.party.location).to_string();
            let notes = vec![FindingNote {
                location,
                message: note,
            }];
            self.findings
                .other(self.program, FindingKind::Invalid, at, message, notes);
        }
        Ok(())
    }

    pub(crate) fn wait(&mut self, ticket: Option<&Ticket>, at: LocationId) -> Result<(), Stop> {
        self.pay_for_wait(self.device.control.wait_cycles)?;
        let Some(ticket) = ticket else { return Ok(()) };
        if ticket.sequence == 0 {
            return Err(self.hangs_on_dropped(ticket, at));
        }
        let begin = self.now;
        self.until_complete(ticket.engine, ticket.sequence)?;
        self.control.stalled_wait += self.now - begin;
        self.trace_control(TraceKind::Wait, "wait", at, begin, Some(ticket.issue));
        Ok(())
    }

    fn pay_for_wait(&mut self, cycles: u64) -> Result<(), Stop> {
        self.control.waiting_cost += cycles;
        self.spend(cycles)
    }

    fn hangs_on_dropped(&mut self, ticket: &Ticket, at: LocationId) -> Stop {
        let engine = self.device.engines[ticket.engine].name.as_str();
        let message = format!(
            "deadlock: waits for `{}`, which was dropped by the full queue of @{engine}",
            ticket.party.name
        );
        let dropped = |entry: &(Rc<Party>, Vec<Rc<Party>>)| Rc::ptr_eq(&entry.0, &ticket.party);
        let queue = match self.dropped.iter().position(dropped) {
            Some(place) => self.dropped.remove(place).1,
            None => Vec::new(),
        };
        let notes = self.cycle_of_dropped(ticket, &queue);
        self.findings
            .other(self.program, FindingKind::Deadlock, at, message, notes);
        Stop::Deadlock
    }

    pub(crate) fn wait_id(&mut self, id: i64, at: LocationId) -> Result<(), Stop> {
        let limit = self.device.sync.ids;
        if u64::try_from(id).ok().is_none_or(|id| id >= limit) {
            return Err(Stop::Fault(Fault::IdRange { id, limit }, at));
        }
        if let Some(ticket) = self.ids.get(&id).cloned() {
            return self.wait(Some(&ticket), at);
        }
        match self.device.sync.wait_on_never_issued {
            NeverIssued::Return => self.wait(None, at),
            NeverIssued::Error => Err(Stop::Fault(Fault::NeverIssued(id), at)),
            NeverIssued::Hang => {
                let message = format!("deadlock: waits for barrier id {id}, and no command was issued with it");
                let notes = self.cycle_of_never_issued(at);
                self.findings
                    .other(self.program, FindingKind::Deadlock, at, message, notes);
                Err(Stop::Deadlock)
            }
        }
    }

    pub(crate) fn barrier(&mut self, engines: Option<&[EngineId]>, at: LocationId) -> Result<(), Stop> {
        self.pay_for_wait(self.device.control.barrier_cycles)?;
        let all: Vec<usize> = match engines {
            None => (0..self.device.engines.len()).collect(),
            Some(engines) => engines
                .iter()
                .filter_map(|engine| engine_index(self.device, *engine))
                .collect(),
        };
        let begin = self.now;
        for engine in all {
            self.until_complete(engine, self.sequence[engine])?;
        }
        self.control.stalled_wait += self.now - begin;
        self.trace_control(TraceKind::Wait, "barrier", at, begin, None);
        Ok(())
    }
}
