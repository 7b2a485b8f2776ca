//! Steps of the control stream, in order: the structured program followed to its end.
//!
//! Invariant: a [`Step`] is there for everything that the control stream pays for or waits for, and for nothing else.
//! Steps have no times.

use std::collections::BTreeMap;

use zpu_device::{Device, ElementType, NeverIssued};
use zpu_sim::{
    Block, Command, Completion, For, Function, FunctionId, LocationId, Op, Program, Size, SpaceId, Statement,
    ValueType, While,
};

use crate::Argument;
use crate::command::{Job, jobs};
use crate::error::StepError;
use crate::value::{Frame, Trouble, Value, cut};
use crate::view::View;

/// A step of the control stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Works for itself for so many cycles.
    Spend(u64),
    /// Issues the command of that number; a synchronous one is complete before the next step, and waits for its place.
    Issue { command: usize, synchronous: bool },
    /// Waits for the command of that number; `None` is complete from the beginning.
    Wait(Option<usize>),
    /// Waits for all that these engines have.
    Barrier(Vec<usize>),
    /// Waits for what never comes.
    Hang,
}

/// All that a run of the control stream does.
#[derive(Debug, Default)]
pub(crate) struct Stream {
    pub(crate) steps: Vec<Step>,
    /// Commands by number, in the order of issue.
    pub(crate) jobs: Vec<Job>,
    /// The mistake that ends it.
    pub(crate) mistake: Option<StepError>,
}

/// Calls that are open at once, at most.
const DEEPEST: usize = 64;

/// Follows a function to its end.
pub(crate) fn follow(
    program: &Program,
    device: &Device,
    entry: &str,
    arguments: &[Argument],
    max_statements: u64,
) -> Result<Stream, StepError> {
    let mut walk = Walk {
        program,
        device,
        out: Stream::default(),
        ids: BTreeMap::new(),
        left: max_statements,
        max_statements,
        depth: 0,
        here: LocationId::default(),
    };
    let invalid = |text: &str| StepError::Invalid(entry.to_owned(), text.to_owned());
    let id = program.function(entry).ok_or_else(|| invalid("no such function"))?;
    let parameters = &program.functions[id.index()].parameters;
    if parameters.len() != arguments.len() {
        return Err(invalid("another number of arguments"));
    }
    let values = parameters.iter().zip(arguments).map(|(parameter, argument)| {
        let value = match (&parameter.ty, argument) {
            (ValueType::Scalar(ty), Argument::Scalar(bits)) => Value::Bits(cut(*bits, *ty)),
            (ValueType::MemRef(ty), Argument::Shape(sizes)) => {
                let space = walk.space(ty.space, &device.off_chip);
                let mut view = View::row_major(ty.element, space, sizes.clone());
                for (stride, given) in view
                    .strides
                    .iter_mut()
                    .zip(ty.layout.iter().flat_map(|layout| &layout.strides))
                {
                    *stride = given.unwrap_or(*stride);
                }
                Value::View(view)
            }
            _ => return Err(invalid("an argument of another kind")),
        };
        Ok(value)
    });
    let values = values.collect::<Result<Vec<_>, _>>()?;
    match walk.call(id, values) {
        Ok(_) => Ok(walk.out),
        Err(stop) => match walk.explain(stop) {
            // An earlier step may end the run before the mistake.
            mistake @ StepError::Invalid(..) => Ok(Stream {
                mistake: Some(mistake),
                ..walk.out
            }),
            other => Err(other),
        },
    }
}

/// The reason why the walk ends early.
enum Stop {
    Trouble(Trouble),
    Statements,
}

impl From<Trouble> for Stop {
    fn from(trouble: Trouble) -> Self {
        Self::Trouble(trouble)
    }
}

struct Walk<'a> {
    program: &'a Program,
    device: &'a Device,
    out: Stream,
    /// The last command that was started with each barrier id.
    ids: BTreeMap<i64, usize>,
    left: u64,
    max_statements: u64,
    depth: usize,
    here: LocationId,
}

impl Walk<'_> {
    fn explain(&self, stop: Stop) -> StepError {
        let here = self.program.location(self.here).to_string();
        match stop {
            Stop::Statements => StepError::Statements(self.max_statements),
            Stop::Trouble(Trouble::Unknown(what)) => StepError::Unknown(here, what),
            Stop::Trouble(Trouble::Invalid(text)) => StepError::Invalid(here, text),
        }
    }

    fn space(&self, space: Option<SpaceId>, otherwise: &str) -> usize {
        let named = || self.device.memories.iter().position(|memory| memory.name == otherwise);
        space.map_or_else(|| named().unwrap_or(0), SpaceId::index)
    }

    fn count(&mut self) -> Result<(), Stop> {
        self.left = self.left.checked_sub(1).ok_or(Stop::Statements)?;
        Ok(())
    }

    fn spend(&mut self, cycles: u64) {
        self.out.steps.push(Step::Spend(cycles));
    }

    fn call(&mut self, id: FunctionId, arguments: Vec<Value>) -> Result<Vec<Value>, Stop> {
        let function: &Function = self
            .program
            .functions
            .get(id.index())
            .ok_or_else(|| invalid("no such function"))?;
        if self.depth == DEEPEST {
            return Err(invalid("calls are nested too deep"));
        }
        let mut frame = Frame(vec![Value::Unknown; function.registers as usize]);
        for (parameter, value) in function.parameters.iter().zip(arguments) {
            frame.set(parameter.register, value);
        }
        self.depth += 1;
        let results = self.block(&function.body, &mut frame)?;
        self.depth -= 1;
        Ok(results)
    }

    fn block(&mut self, block: &Block, frame: &mut Frame) -> Result<Vec<Value>, Stop> {
        for statement in &block.statements {
            self.count()?;
            self.statement(statement, frame)?;
        }
        Ok(frame.get_all(&block.yields))
    }

    fn statement(&mut self, statement: &Statement, frame: &mut Frame) -> Result<(), Stop> {
        self.here = statement.location;
        match &statement.op {
            Op::Constant { result, bits } => frame.set(*result, Value::Bits(*bits)),
            Op::Compute {
                compute,
                result,
                operands,
            } => {
                // The result of an operation is defined by the program's form and has no part in the clock.
                let mut bits = [Some(0); 3];
                for (bits, register) in bits.iter_mut().zip(operands) {
                    *bits = match frame.get(*register) {
                        Value::Bits(bits) => Some(bits),
                        _ => None,
                    };
                }
                let value = match bits {
                    [Some(a), Some(b), Some(c)] => {
                        let result = compute.eval_one([a, b, c]);
                        Value::Bits(result.map_err(|error| invalid(&error.to_string()))?)
                    }
                    _ => Value::Unknown,
                };
                frame.set(*result, value);
            }
            Op::Select {
                result,
                condition,
                if_true,
                if_false,
            } => {
                let value = match frame.get(*condition) {
                    Value::Bits(bits) => frame.get(if bits & 1 == 1 { *if_true } else { *if_false }),
                    _ => Value::Unknown,
                };
                frame.set(*result, value);
            }
            Op::Alloc {
                result,
                element,
                shape,
                space,
                ..
            } => {
                let space = self.space(*space, &self.device.default_space);
                let view = View::row_major(*element, space, frame.sizes(shape)?);
                frame.set(*result, Value::View(view));
            }
            Op::Global { result, global } => {
                let global = self.program.globals.get(global.index());
                let global = global.ok_or_else(|| invalid("no such constant buffer"))?;
                let space = self.space(global.space, &self.device.off_chip);
                let view = View::row_major(global.element, space, global.shape.clone());
                frame.set(*result, Value::View(view));
            }
            Op::View { result, source, view } => {
                let view = frame.view(*source)?.apply(view, frame)?;
                frame.set(*result, Value::View(view));
            }
            Op::Dim { result, memref, index } => {
                let sizes = frame.view(*memref)?.sizes;
                let size = usize::try_from(frame.size(*index)?)
                    .ok()
                    .and_then(|index| sizes.get(index).copied());
                let size = size.ok_or_else(|| invalid("no such dimension"))?;
                frame.set(*result, Value::Bits(size as u64));
            }
            Op::Metadata {
                memref,
                base,
                offset,
                sizes,
                strides,
            } => {
                let view = frame.view(*memref)?;
                let bits = |values: &[i64]| values.iter().map(|value| Value::Bits(*value as u64)).collect();
                frame.set_all(sizes, bits(&view.sizes));
                frame.set_all(strides, bits(&view.strides));
                frame.set(*offset, Value::Unknown);
                frame.set(*base, Value::View(View::row_major(view.element, view.space, vec![])));
            }
            // No cycles, or a matter of values alone.
            Op::Dealloc { .. } | Op::CheckLayout { .. } => {}
            Op::Assert { condition, message } => {
                if matches!(frame.get(*condition), Value::Bits(bits) if bits & 1 == 0) {
                    return Err(invalid(message));
                }
            }
            Op::Load { result, .. } => {
                self.spend(self.device.control.scalar_cycles);
                frame.set(*result, Value::Unknown);
            }
            Op::Store { .. } => self.spend(self.device.control.scalar_cycles),
            Op::For(op) => self.counted(op, frame)?,
            Op::While(op) => self.conditional(op, frame)?,
            Op::Scope { body, results, .. } => self.chosen(body, results, frame)?,
            Op::If {
                condition,
                then,
                otherwise,
                results,
            } => {
                let taken = frame.bits(*condition, "a condition")? & 1 == 1;
                self.chosen(if taken { then } else { otherwise }, results, frame)?;
            }
            Op::Switch {
                value,
                cases,
                default,
                results,
            } => {
                let value = frame.bits(*value, "a case")? as i64;
                let case = cases.iter().find(|(case, _)| *case == value);
                self.chosen(case.map_or(default, |(_, block)| block), results, frame)?;
            }
            Op::Call {
                function,
                arguments,
                results,
            } => {
                let values = self.call(*function, frame.get_all(arguments))?;
                frame.set_all(results, values);
            }
            Op::Command(command) => self.command(command, frame)?,
            Op::Wait { token } => match frame.get(*token) {
                Value::Token(command) => self.out.steps.push(Step::Wait(command)),
                Value::Unknown => return Err(Trouble::Unknown("a token").into()),
                _ => return Err(invalid("a register holds no token")),
            },
            Op::WaitId { id } => {
                let id = self.id(*id, frame)?;
                let step = match (self.ids.get(&id), self.device.sync.wait_on_never_issued) {
                    (Some(command), _) => Step::Wait(Some(*command)),
                    (None, NeverIssued::Return) => Step::Wait(None),
                    (None, NeverIssued::Hang) => Step::Hang,
                    (None, NeverIssued::Error) => return Err(invalid("a wait on an id that nothing was issued with")),
                };
                self.out.steps.push(step);
            }
            Op::Barrier { engines } => {
                let all = || (0..self.device.engines.len()).collect();
                let engines = engines
                    .as_ref()
                    .map(|engines| engines.iter().map(|engine| engine.index()).collect());
                self.out.steps.push(Step::Barrier(engines.unwrap_or_else(all)));
            }
            Op::NullToken { result } => frame.set(*result, Value::Token(None)),
        }
        Ok(())
    }

    fn chosen(&mut self, block: &Block, results: &[zpu_sim::Reg], frame: &mut Frame) -> Result<(), Stop> {
        let values = self.block(block, frame)?;
        frame.set_all(results, values);
        Ok(())
    }

    /// Each iteration ends with the cycles of a loop, the last one too.
    fn counted(&mut self, op: &For, frame: &mut Frame) -> Result<(), Stop> {
        let number = |size| frame.number(size, op.ty, op.unsigned, "the bound of a loop");
        let (mut value, upper, step) = (number(op.lower)?, number(op.upper)?, number(op.step)?);
        if step <= 0 {
            return Err(invalid("the step of a loop is not positive"));
        }
        let mut carried = frame.get_all(&op.inits);
        while value < upper {
            self.count()?;
            frame.set(op.induction, Value::Bits(cut(value as u64, op.ty)));
            frame.set_all(&op.arguments, carried);
            carried = self.block(&op.body, frame)?;
            self.spend(self.device.control.loop_cycles);
            value += step;
        }
        frame.set_all(&op.results, carried);
        Ok(())
    }

    /// An iteration is a run of the region that does.
    fn conditional(&mut self, op: &While, frame: &mut Frame) -> Result<(), Stop> {
        let mut carried = frame.get_all(&op.inits);
        loop {
            self.count()?;
            frame.set_all(&op.before_arguments, carried);
            let values = self.block(&op.before, frame)?;
            if frame.bits(op.condition, "the condition of a loop")? & 1 == 0 {
                frame.set_all(&op.results, values);
                return Ok(());
            }
            frame.set_all(&op.after_arguments, values);
            carried = self.block(&op.after, frame)?;
            self.spend(self.device.control.loop_cycles);
        }
    }

    fn command(&mut self, command: &Command, frame: &mut Frame) -> Result<(), Stop> {
        let synchronous = command.engine.is_none() || command.completion == Completion::Synchronous;
        for job in jobs(self.program, self.device, command, frame)? {
            let number = self.out.jobs.len();
            self.out.jobs.push(job);
            self.out.steps.push(Step::Issue {
                command: number,
                synchronous,
            });
            if let Completion::Asynchronous { token, id } = &command.completion {
                if let Some(token) = token {
                    frame.set(*token, Value::Token(Some(number)));
                }
                if let Some(id) = id {
                    let id = self.id(*id, frame)?;
                    self.ids.insert(id, number);
                }
            }
        }
        Ok(())
    }

    fn id(&self, id: Size, frame: &Frame) -> Result<i64, Stop> {
        let id = frame.number(id, ElementType::Index, false, "a barrier id")? as i64;
        match u64::try_from(id).is_ok_and(|id| id < self.device.sync.ids) {
            true => Ok(id),
            false => Err(invalid("the device has no such barrier id")),
        }
    }
}

fn invalid(text: &str) -> Stop {
    Stop::Trouble(Trouble::Invalid(text.to_owned()))
}
