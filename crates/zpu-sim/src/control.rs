//! The control stream: executes structured statements in order and issues commands.

use std::rc::Rc;

use crate::distance::Activity;
use crate::fault::Fault;
use crate::footprint::Footprint;
use crate::hazard::Access;
use crate::machine::{Machine, Stop};
use crate::memory::{BufferId, Origin};
use crate::program::{Block, For, FunctionId, LocationId, Op, Reg, Statement, While};
use crate::recording::Event;
use crate::repetition::Pattern;
use crate::scalar::{element_bytes, mask, read_element, signed, write_element};
use crate::simulate::Values;
use crate::storage::Initial;
use crate::trace::TraceKind;
use crate::value::{Frame, Value};
use crate::view::{Extents, View, element_count};

/// Function calls that may be open at once.
const CALL_DEPTH: usize = 64;

impl Machine<'_> {
    /// Runs a function; the values that it returns.
    pub(crate) fn call(
        &mut self,
        function: FunctionId,
        arguments: Vec<Value>,
        depth: usize,
    ) -> Result<Vec<Value>, Stop> {
        let program = self.program;
        let Some(callee) = program.functions.get(function.index()) else {
            return Err(Stop::Fault(Fault::Missing("a function"), LocationId::default()));
        };
        let at = callee.location;
        let fault = |fault| Stop::Fault(fault, at);
        if depth > CALL_DEPTH {
            return Err(fault(Fault::CallDepth(CALL_DEPTH)));
        }
        self.count_step()?;
        if arguments.len() != callee.parameters.len() {
            return Err(fault(Fault::Missing("an argument")));
        }
        let mut frame = Frame::new(callee.registers, depth);
        for (parameter, argument) in callee.parameters.iter().zip(arguments) {
            frame.set(parameter.register, argument).map_err(fault)?;
        }
        let issued = self.sequence.clone();
        self.block(&callee.body, &mut frame)?;
        if callee.is_private && self.options.checks.deadlock {
            self.report_left_in_flight(&issued, callee.return_location);
        }
        let results = callee
            .body
            .yields
            .iter()
            .map(|reg| frame.get(*reg).cloned())
            .collect::<Result<_, _>>()
            .map_err(fault)?;
        self.end_scope(0, "the end of the function", &mut frame, at)?;
        Ok(results)
    }

    /// Frees the automatic allocations of a scope: those that came after so many others.
    fn end_scope(&mut self, before: usize, name: &str, frame: &mut Frame, at: LocationId) -> Result<(), Stop> {
        if frame.stack.len() == before {
            return Ok(());
        }
        let ended = frame.stack.split_off(before);
        ended.into_iter().try_for_each(|buffer| self.free(buffer, name, at))
    }

    fn block(&mut self, block: &Block, frame: &mut Frame) -> Result<(), Stop> {
        self.executions += 1;
        self.running.push(self.executions);
        block
            .statements
            .iter()
            .try_for_each(|statement| self.statement(statement, frame))?;
        self.running.pop();
        Ok(())
    }

    fn statement(&mut self, statement: &Statement, frame: &mut Frame) -> Result<(), Stop> {
        let at = statement.location;
        self.at = at;
        let simple = self
            .simple(&statement.op, frame, at)
            .map_err(|fault| Stop::Fault(fault, at))?;
        if simple {
            return Ok(());
        }
        self.structured(statement, frame, at)?;
        if !self.passed.is_empty() {
            self.pass(statement, frame);
        }
        Ok(())
    }

    /// A statement that takes time, or has others inside.
    fn structured(&mut self, statement: &Statement, frame: &mut Frame, at: LocationId) -> Result<(), Stop> {
        let fault = |fault| Stop::Fault(fault, at);
        match &statement.op {
            Op::For(op) => self.for_loop(op, frame, at),
            Op::While(op) => self.while_loop(op, frame, at),
            Op::Scope { name, body, results } => {
                let before = frame.stack.len();
                body.statements
                    .iter()
                    .try_for_each(|statement| self.statement(statement, frame))?;
                frame.copy(&body.yields, results).map_err(fault)?;
                self.end_scope(before, name, frame, at)
            }
            Op::If {
                condition,
                then,
                otherwise,
                results,
            } => {
                let block = if frame.scalar(*condition).map_err(fault)? & 1 != 0 {
                    then
                } else {
                    otherwise
                };
                self.block(block, frame)?;
                frame.copy(&block.yields, results).map_err(fault)
            }
            Op::Switch {
                value,
                cases,
                default,
                results,
            } => {
                let value = frame.scalar(*value).map_err(fault)? as i64;
                let block = cases
                    .iter()
                    .find(|(case, _)| *case == value)
                    .map_or(default, |(_, block)| block);
                self.block(block, frame)?;
                frame.copy(&block.yields, results).map_err(fault)
            }
            Op::Call {
                function,
                arguments,
                results,
            } => {
                let arguments = arguments
                    .iter()
                    .map(|reg| frame.get(*reg).cloned())
                    .collect::<Result<_, _>>()
                    .map_err(fault)?;
                let values = self.call(*function, arguments, frame.depth + 1)?;
                results
                    .iter()
                    .zip(values)
                    .try_for_each(|(reg, value)| frame.set(*reg, value))
                    .map_err(fault)
            }
            Op::Load {
                result,
                memref,
                indices,
            } => {
                let value = self.load(*memref, indices, frame, at)?;
                frame.set(*result, value).map_err(fault)
            }
            Op::Store { value, memref, indices } => self.store(*value, *memref, indices, frame, at),
            Op::Dealloc { memref } => {
                let view = frame.view(*memref).map_err(fault)?;
                self.free(view.buffer, "memref.dealloc", at)
            }
            Op::Command(command) => self.command(command, frame, at),
            Op::Wait { token } => {
                let command = frame.token(*token).map_err(fault)?.cloned();
                match &command {
                    Some(command) => self.waits_again(command, token, frame, at),
                    None => self.waits_for_nothing(token, at),
                }
                self.wait(command.as_deref(), at)
            }
            Op::WaitId { id } => {
                let number = frame.size(*id).map_err(fault)?;
                self.waits_for_id_again(id, number, at);
                self.wait_id(number, at)
            }
            Op::Barrier { engines } => self.barrier(engines.as_deref(), at),
            _ => Ok(()),
        }
    }

    /// Statements that take no time and touch no contents of memory; false for all others.
    fn simple(&mut self, op: &Op, frame: &mut Frame, at: LocationId) -> Result<bool, Fault> {
        match op {
            Op::Constant { result, bits } => frame.set(*result, Value::Scalar(*bits))?,
            Op::Compute {
                compute,
                result,
                operands,
            } => {
                if operands.len() != compute.arity() {
                    return Err(Fault::Missing("an operand"));
                }
                let (mut values, mut unknown) = ([0; 3], None);
                for (value, reg) in values.iter_mut().zip(operands) {
                    match frame.scalar(*reg) {
                        Err(Fault::Unknown(load)) => unknown = Some(load),
                        known => *value = known?,
                    }
                }
                let value = match unknown {
                    Some(load) => Value::Unknown(load),
                    None => Value::Scalar(compute.eval_one(values)?),
                };
                frame.set(*result, value)?;
            }
            Op::Select {
                result,
                condition,
                if_true,
                if_false,
            } => {
                let either = [frame.get(*if_true)?, frame.get(*if_false)?];
                let are_numbers = either
                    .iter()
                    .all(|value| matches!(value, Value::Scalar(_) | Value::Unknown(_)));
                let value = match frame.scalar(*condition) {
                    Err(Fault::Unknown(load)) if are_numbers => Value::Unknown(load),
                    condition => either[usize::from(condition? & 1 == 0)].clone(),
                };
                frame.set(*result, value)?;
            }
            Op::Alloc {
                result,
                element,
                shape,
                space,
                address,
                stack,
            } => {
                let sizes = frame.sizes(shape)?;
                let bytes = element_count(&sizes)?
                    .checked_mul(element_bytes(*element) as i64)
                    .ok_or(Fault::TooLarge)?;
                let space = space.unwrap_or_else(|| self.routes.default_space());
                let (bytes, origin) = (bytes.unsigned_abs(), Origin::Allocation(at));
                // Without values, contents are never read and not filled in.
                let is_unfilled = self.options.values != Values::On;
                let buffer = match address {
                    Some(address) => self.memory.allocate_at((*address, bytes), is_unfilled, origin, space)?,
                    None => {
                        let contents = if is_unfilled { Initial::Zeros } else { Initial::Garbage };
                        self.memory.allocate(bytes, contents, origin, space)?
                    }
                };
                self.check_capacity(space, Some(at));
                if *stack {
                    frame.stack.push(buffer);
                }
                let base = address.map_or(Ok(0), i64::try_from).map_err(|_| Fault::TooLarge)?;
                let view = View {
                    base,
                    ..View::dense(buffer, sizes, *element)
                };
                frame.set(*result, Value::View(Rc::new(view)))?;
            }
            Op::Global { result, global } => {
                let view = self.global(*global)?;
                frame.set(*result, Value::View(view))?;
            }
            Op::View { result, source, view } => {
                let source = frame.view(*source)?;
                let derived = frame.derive(source, view, self.options.values != Values::Assumed)?;
                frame.set_view(*result, derived)?;
            }
            Op::CheckLayout { memref, name } if self.options.values != Values::Assumed => {
                self.findings.layout(self.program, at, name, frame.view(*memref)?);
            }
            Op::CheckLayout { .. } => {}
            Op::Dim { result, memref, index } => {
                let index = frame.size(*index)?;
                let sizes = &frame.view(*memref)?.sizes;
                let extent = usize::try_from(index).ok().and_then(|dim| sizes.get(dim));
                let fault = Fault::Rank {
                    expected: sizes.len(),
                    found: index.max(0) as usize,
                };
                let extent = *extent.ok_or(fault)?;
                frame.set(*result, Value::Scalar(extent as u64))?;
            }
            Op::Metadata {
                memref,
                base,
                offset,
                sizes,
                strides,
            } => {
                let view = Rc::clone(frame.view(*memref)?);
                let whole = View {
                    offset: 0,
                    sizes: Extents::new(),
                    strides: Extents::new(),
                    ..(*view).clone()
                };
                frame.set(*base, Value::View(Rc::new(whole)))?;
                frame.set(*offset, Value::Scalar(view.offset as u64))?;
                for (reg, value) in sizes.iter().zip(&view.sizes).chain(strides.iter().zip(&view.strides)) {
                    frame.set(*reg, Value::Scalar(*value as u64))?;
                }
            }
            Op::Assert { condition, message } => {
                if frame.scalar(*condition)? & 1 == 0 {
                    return Err(Fault::Assert(message.clone()));
                }
            }
            Op::NullToken { result } => frame.set(*result, Value::Token(None))?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn for_loop(&mut self, op: &For, frame: &mut Frame, at: LocationId) -> Result<(), Stop> {
        let fault = |fault| Stop::Fault(fault, at);
        let number = |frame: &Frame, size| frame.size(size).map(|value| signed(value as u64 & mask(op.ty), op.ty));
        let lower = number(frame, op.lower).map_err(fault)?;
        let upper = number(frame, op.upper).map_err(fault)?;
        let step = number(frame, op.step).map_err(fault)?;
        let wide = |value: i64| {
            if op.unsigned {
                i128::from(value as u64 & mask(op.ty))
            } else {
                i128::from(value)
            }
        };
        let (mut index, upper, step) = (wide(lower), wide(upper), wide(step));
        if step <= 0 {
            return Err(fault(Fault::Step(step as i64)));
        }
        frame.copy(&op.inits, &op.arguments).map_err(fault)?;
        self.iteration.push(0);
        let depth = self.iteration.len();
        let mut pattern = Pattern::default();
        let before = frame.stack.len();
        while index < upper {
            frame
                .set(op.induction, Value::Scalar(index as u64 & mask(op.ty)))
                .map_err(fault)?;
            self.iteration[depth - 1] = index as i64;
            self.block(&op.body, frame)?;
            frame.copy(&op.body.yields, &op.arguments).map_err(fault)?;
            self.end_scope(before, "the end of the iteration", frame, at)?;
            self.back_edge(at)?;
            index += step;
            let left = (upper - index + step - 1) / step;
            index += i128::from(self.skipped_iterations(&mut pattern, left)) * step;
        }
        self.iteration.truncate(depth - 1);
        frame.copy(&op.arguments, &op.results).map_err(fault)
    }

    fn while_loop(&mut self, op: &While, frame: &mut Frame, at: LocationId) -> Result<(), Stop> {
        let fault = |fault| Stop::Fault(fault, at);
        frame.copy(&op.inits, &op.before_arguments).map_err(fault)?;
        self.iteration.push(0);
        let depth = self.iteration.len();
        loop {
            self.block(&op.before, frame)?;
            if frame.scalar(op.condition).map_err(fault)? & 1 == 0 {
                break;
            }
            frame.copy(&op.before.yields, &op.after_arguments).map_err(fault)?;
            self.block(&op.after, frame)?;
            frame.copy(&op.after.yields, &op.before_arguments).map_err(fault)?;
            self.iteration[depth - 1] += 1;
            self.back_edge(at)?;
        }
        self.iteration.truncate(depth - 1);
        frame.copy(&op.before.yields, &op.results).map_err(fault)
    }

    /// Counts loop iterations and calls. Their number is limited like cycles, for a device on which they cost nothing.
    fn count_step(&mut self) -> Result<(), Stop> {
        self.steps += 1;
        if self.steps > self.most_steps {
            return Err(Stop::CycleLimit);
        }
        Ok(())
    }

    /// Pays for a back edge.
    fn back_edge(&mut self, at: LocationId) -> Result<(), Stop> {
        self.count_step()?;
        let cycles = self.device.control.loop_cycles;
        self.control.loops += cycles;
        let begin = self.now;
        self.spend(Activity::Control, cycles)?;
        self.trace_control(TraceKind::Stream, "end of iteration", at, begin, None);
        Ok(())
    }

    /// Finds an element of the stream's own access, checks the access, and pays for it.
    fn touch(
        &mut self,
        view: &View,
        indices: &[Reg],
        write: bool,
        frame: &Frame,
        at: LocationId,
    ) -> Result<(usize, Footprint), Stop> {
        let fault = |fault| Stop::Fault(fault, at);
        let indices: Vec<i64> = indices
            .iter()
            .map(|reg| frame.scalar(*reg).map(|bits| bits as i64))
            .collect::<Result<_, _>>()
            .map_err(fault)?;
        if indices.len() != view.sizes.len() {
            return Err(fault(Fault::Rank {
                expected: view.sizes.len(),
                found: indices.len(),
            }));
        }
        let address = match view.address(&indices) {
            // An access costs what it costs wherever it is.
            Err(Fault::Index { .. }) if self.options.values == Values::Assumed => view.origin(),
            address => address,
        };
        let address = address.map_err(fault)?;
        let start = u64::try_from(address).map_err(|_| {
            fault(Fault::Outside {
                start: address,
                sizes: view.sizes.to_vec(),
            })
        })?;
        let footprint = Footprint::run(start, view.element_bytes() as u64);
        if self.options.values != Values::Assumed {
            self.memory.check(view.buffer, &footprint).map_err(fault)?;
        }
        if let Some(recorder) = &mut self.recorder {
            recorder.own_access();
        }
        let cycles = self.device.control.scalar_cycles;
        self.control.scalars += cycles;
        let begin = self.now;
        self.spend(Activity::Control, cycles)?;
        let name = if write { "memref.store" } else { "memref.load" };
        self.trace_control(TraceKind::Stream, name, at, begin, None);
        if self.options.checks.race || self.lives.is_some() {
            let accessor = self.accessor(name, at, None);
            let access = Access {
                buffer: view.buffer,
                footprint: footprint.clone(),
                write,
                ends: false,
            };
            self.check_races(&accessor, std::slice::from_ref(&access));
            self.note_lives(&[access], None);
        }
        Ok((start as usize, footprint))
    }

    fn load(&mut self, memref: Reg, indices: &[Reg], frame: &Frame, at: LocationId) -> Result<Value, Stop> {
        let fault = |fault| Stop::Fault(fault, at);
        let view = Rc::clone(frame.view(memref).map_err(fault)?);
        let (start, footprint) = self.touch(&view, indices, false, frame, at)?;
        if self.options.checks.init
            && let Some(byte) = self.memory.first_unwritten(view.buffer, &footprint)
        {
            self.findings
                .uninitialised(self.program, &self.memory, at, view.buffer, byte);
        }
        if let Some(known) = &self.known
            && !known.has(view.buffer, &footprint)
        {
            return Ok(Value::Unknown(at));
        }
        let bytes = self.memory.live_bytes(view.buffer).map_err(fault)?;
        let Some(bytes) = bytes.get(start..start + element_bytes(view.element)) else {
            // Only where nothing is checked.
            return Ok(Value::Scalar(0));
        };
        let value = read_element(bytes);
        if let Some(recording) = &mut self.recording {
            recording.push(Event::Load {
                buffer: view.buffer,
                footprint,
                bytes: bytes.to_vec(),
                location: at,
            })?;
        }
        Ok(Value::Scalar(value & mask(view.element)))
    }

    fn store(&mut self, value: Reg, memref: Reg, indices: &[Reg], frame: &Frame, at: LocationId) -> Result<(), Stop> {
        let fault = |fault| Stop::Fault(fault, at);
        let view = Rc::clone(frame.view(memref).map_err(fault)?);
        let bits = match frame.scalar(value) {
            Err(Fault::Unknown(_)) => None,
            bits => Some(bits.map_err(fault)?),
        };
        let (start, footprint) = self.touch(&view, indices, true, frame, at)?;
        if let Some(known) = &mut self.known {
            match bits {
                Some(_) => known.learn(view.buffer, &footprint),
                None => known.forget(view.buffer, &footprint),
            }
        }
        let bits = bits.unwrap_or(0);
        let bytes = self.memory.live_bytes_mut(view.buffer).map_err(fault)?;
        let Some(bytes) = bytes.get_mut(start..start + element_bytes(view.element)) else {
            // Only where nothing is checked.
            return Ok(());
        };
        write_element(bytes, bits);
        if let Some(recording) = &mut self.recording {
            recording.push(Event::Store {
                buffer: view.buffer,
                footprint: footprint.clone(),
                bytes: bytes.to_vec(),
            })?;
        }
        self.memory.mark_written(view.buffer, &footprint);
        self.dataflow.write(view.buffer, &footprint, None);
        if let Some(recorder) = &mut self.recorder {
            recorder.own_write(view.buffer, &footprint);
        }
        Ok(())
    }

    fn free(&mut self, buffer: BufferId, name: &str, at: LocationId) -> Result<(), Stop> {
        let (start, end) = self.memory.extent(buffer).unwrap_or_default();
        if self.options.checks.race && end > start {
            let accessor = self.accessor(name, at, None);
            let footprint = Footprint::run(start, end - start);
            self.check_races(
                &accessor,
                &[Access {
                    buffer,
                    footprint,
                    write: true,
                    ends: true,
                }],
            );
        }
        if let Some(known) = &mut self.known {
            known.forget(buffer, &Footprint::run(start, end - start));
        }
        let is_window = self.memory.window(buffer).is_some();
        self.memory.free(buffer).map_err(|fault| Stop::Fault(fault, at))?;
        if is_window {
            // The bytes stay, with all that was done to them.
            return Ok(());
        }
        self.record(|| Event::Free { buffer })?;
        self.hazards.forget(buffer);
        self.dataflow.forget(buffer);
        if let Some(recorder) = &mut self.recorder {
            recorder.forget(buffer);
        }
        Ok(())
    }

    /// Reports a space that holds more than it can.
    pub(crate) fn check_capacity(&mut self, space: crate::program::SpaceId, at: Option<LocationId>) {
        let usage = &self.memory.spaces[space.index()];
        if self.options.checks.capacity && usage.live > usage.capacity {
            let name = self.routes.space_name(space).to_owned();
            self.findings.capacity(self.program, &self.memory, at, space, &name);
        }
    }

    /// The view of a constant buffer, which is made when it is first named.
    fn global(&mut self, id: crate::program::GlobalId) -> Result<Rc<View>, Fault> {
        let global = self.program.globals.get(id.index()).ok_or(Fault::Missing("a global"))?;
        let buffer = match self.globals.get(&id) {
            Some(buffer) => *buffer,
            None => {
                let elements = element_count(&global.shape)?;
                let bytes = elements
                    .checked_mul(element_bytes(global.element) as i64)
                    .ok_or(Fault::TooLarge)?;
                if global
                    .bytes
                    .as_ref()
                    .is_some_and(|contents| contents.len() as i64 != bytes)
                {
                    return Err(Fault::Missing("contents of a global"));
                }
                let space = global.space.unwrap_or_else(|| self.routes.off_chip());
                let origin = Origin::Global(global.name.clone());
                let given = global.bytes.clone();
                let contents = given.map_or(Initial::Garbage, |bytes| Initial::Bytes(bytes.into()));
                let buffer = self.memory.allocate(bytes.unsigned_abs(), contents, origin, space)?;
                if let (Some(known), true) = (&mut self.known, global.bytes.is_some()) {
                    known.learn(buffer, &Footprint::run(0, bytes.unsigned_abs()));
                }
                self.globals.insert(id, buffer);
                buffer
            }
        };
        Ok(Rc::new(View::dense(
            buffer,
            Extents::from_slice(&global.shape),
            global.element,
        )))
    }
}
