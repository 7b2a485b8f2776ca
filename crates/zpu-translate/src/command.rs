//! Commands of engines, waits and fences; and a front end's own copies and computations.

use zpu_ir::ops::{Dma, Start, ZpuOp, engine_of};
use zpu_ir::{Op, Value, annotation, attr, ty, work};
use zpu_sim::{self as sim, Action, ActionKind, Command, Completion, EngineId};

use crate::emitter::Emitter;
use crate::{Result, attribute, error, structured, unknown, unsupported};

impl<'c> Emitter<'_, 'c, '_> {
    /// An operation of our dialect; false if it is not known.
    pub(crate) fn command(&mut self, op: Op<'c>) -> Result<bool> {
        let Some(ours) = ZpuOp::of(op) else { return Ok(false) };
        match ours {
            ZpuOp::Dma(dma) => self.transfer(op, dma.source(), dma.dest())?,
            ZpuOp::DmaStart(start) => self.transfer(op, start.source(), start.dest())?,
            ZpuOp::Compute(_) | ZpuOp::ComputeStart(_) => {
                let (name, actions) = self.payload(op)?;
                self.issue(op, name, actions)?;
            }
            ZpuOp::DmaWait(wait) => self.wait(wait.token()),
            ZpuOp::ComputeWait(wait) => self.wait(wait.token()),
            ZpuOp::IdWait(wait) => {
                let id = self.size(wait.id());
                self.push(sim::Op::WaitId { id });
            }
            ZpuOp::NullToken(null) => {
                let result = self.reg(null.token());
                self.push(sim::Op::NullToken { result });
            }
            ZpuOp::Barrier(barrier) => {
                let engine =
                    |name| attr::as_symbol(name).map_or_else(|| Err(unknown(op)), |name| self.engine(op, name));
                let names = barrier.engines();
                let engines = names.map(|names| names.into_iter().map(engine).collect()).transpose()?;
                self.push(sim::Op::Barrier { engines });
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn transfer(&mut self, op: Op<'c>, source: Value<'c>, target: Value<'c>) -> Result<()> {
        let (source, target) = (self.reg(source), self.reg(target));
        let actions = vec![self.action(op, ActionKind::Copy { source, target })];
        self.issue(op, Dma::NAME.to_owned(), actions)
    }

    fn wait(&mut self, token: Value<'c>) {
        let token = self.reg(token);
        self.push(sim::Op::Wait { token });
    }

    /// A structured operation of a front end, outside any command; false if it is none.
    pub(crate) fn linalg(&mut self, op: Op<'c>) -> Result<bool> {
        if op.indexing_maps().is_none() && !op.is("linalg.softmax") {
            return Ok(false);
        }
        let kind = if op.is("linalg.softmax") {
            self.softmax(op)?
        } else if work::is_copy(op) {
            ActionKind::Copy {
                source: self.reg(op.operand(0)),
                target: self.reg(op.operand(1)),
            }
        } else {
            self.run(op)?
        };
        self.front_end(op, kind);
        Ok(true)
    }

    /// Something that no engine is named for: it is done on its own while the control stream waits.
    pub(crate) fn front_end(&mut self, op: Op<'c>, kind: ActionKind) {
        let actions = vec![self.action(op, kind)];
        self.push(sim::Op::Command(Box::new(Command {
            name: op.name().to_owned(),
            engine: None,
            completion: Completion::Synchronous,
            actions,
            cycles: None,
        })));
    }

    fn action(&mut self, op: Op<'c>, kind: ActionKind) -> Action {
        Action {
            location: self.shared.location(op),
            cycles: cycles(op),
            kind,
        }
    }

    /// Appends a command.
    fn issue(&mut self, op: Op<'c>, name: String, actions: Vec<Action>) -> Result<()> {
        let engine = self.engine(op, engine_of(op).ok_or_else(|| unknown(op))?)?;
        let completion = match Start::of(op) {
            None => Completion::Synchronous,
            Some(start) => {
                let id = start.id.map(|id| self.size(id));
                let token = Some(self.reg(start.token));
                Completion::Asynchronous { token, id }
            }
        };
        self.push(sim::Op::Command(Box::new(Command {
            name,
            engine: Some(engine),
            completion,
            actions,
            cycles: cycles(op),
        })));
        Ok(())
    }

    /// The computations of a command's region. What they take from other operations of it is computed when it is
    /// issued.
    fn payload(&mut self, op: Op<'c>) -> Result<(String, Vec<Action>)> {
        let mut actions = Vec::new();
        let mut names: Vec<&str> = Vec::new();
        for inner in Self::only_block(op, 0)?.ops() {
            let kind = match inner.name() {
                "memref.copy" => ActionKind::Copy {
                    source: self.reg(inner.operand(0)),
                    target: self.reg(inner.operand(1)),
                },
                "linalg.softmax" => self.softmax(inner)?,
                _ if inner.indexing_maps().is_some() => self.run(inner)?,
                _ => {
                    self.op(inner)?;
                    continue;
                }
            };
            names.push(inner.name());
            actions.push(self.action(inner, kind));
        }
        self.stand_at(op);
        let name = if names.is_empty() {
            op.name().to_owned()
        } else {
            names.join(" + ")
        };
        Ok((name, actions))
    }

    fn softmax(&mut self, op: Op<'c>) -> Result<ActionKind> {
        let dimension = attribute(op, "dimension", attr::as_int)?;
        if op.operands().iter().any(|operand| !ty::is_memref(operand.ty())) {
            return Err(unsupported(
                op,
                "on tensors; bufferize the program first (--one-shot-bufferize)",
            ));
        }
        Ok(ActionKind::Softmax {
            source: self.reg(op.operand(0)),
            target: self.reg(op.operand(1)),
            dimension: usize::try_from(dimension)
                .map_err(|_| unsupported(op, format!("along dimension {dimension}")))?,
        })
    }

    fn run(&mut self, op: Op<'c>) -> Result<ActionKind> {
        let bound = structured::kernel(op)?;
        Ok(ActionKind::Run {
            kernel: self.shared.kernel(bound.kernel),
            operands: self.regs(&bound.operands),
            captures: self.regs(&bound.captures),
        })
    }

    fn engine(&self, op: Op<'c>, name: &str) -> Result<EngineId> {
        let device = self.shared.device;
        let index = device.engines.iter().position(|engine| engine.name == name);
        let index = index.ok_or_else(|| {
            let known = device.engine_names();
            error(
                op,
                format!("unknown engine @{name}; device `{}` has {known}", device.name),
            )
        })?;
        Ok(EngineId(index as u32))
    }
}

/// `zpu.cycles` of an operation.
fn cycles(op: Op<'_>) -> Option<u64> {
    u64::try_from(attr::as_int(op.attr(annotation::CYCLES)?)?).ok()
}
