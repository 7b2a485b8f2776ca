//! Values of the control stream and the registers that hold them.

use std::rc::Rc;

use smallvec::SmallVec;

use crate::fault::Fault;
use crate::machine::{CommandRef, Waited};
use crate::memory::BufferId;
use crate::program::{LocationId, Reg, Size, ViewOp};
use crate::view::{Extents, Part, RANK, View};

/// The value of a register.
#[derive(Clone, Debug, Default)]
pub(crate) enum Value {
    #[default]
    Unset,
    /// Bit pattern of a number.
    Scalar(u64),
    /// A number that a run without values does not know, and the load that it comes from.
    Unknown(LocationId),
    /// A memref.
    View(Rc<View>),
    /// A token; `None` is already complete.
    Token(Option<Rc<CommandRef>>),
}

/// Registers of one call.
#[derive(Debug)]
pub(crate) struct Frame {
    registers: Vec<Value>,
    /// Automatic allocations of the scopes that are open, in order.
    pub(crate) stack: Vec<BufferId>,
    /// By register: the first wait for its token since it has that token.
    pub(crate) waited: Vec<Option<Waited>>,
    /// Calls around it.
    pub(crate) depth: usize,
    /// Values on their way from register to register, empty between statements; kept for its room.
    moving: Vec<Value>,
}

impl Frame {
    pub(crate) fn new(registers: u32, depth: usize) -> Self {
        Self {
            registers: vec![Value::Unset; registers as usize],
            stack: Vec::new(),
            waited: vec![None; registers as usize],
            depth,
            moving: Vec::new(),
        }
    }

    pub(crate) fn get(&self, reg: Reg) -> Result<&Value, Fault> {
        match self.registers.get(reg.index()) {
            Some(Value::Unset) | None => Err(Fault::Value("set")),
            Some(value) => Ok(value),
        }
    }

    pub(crate) fn set(&mut self, reg: Reg, value: Value) -> Result<(), Fault> {
        let register = self.registers.get_mut(reg.index());
        let register = register.ok_or(Fault::Missing("a register"))?;
        if matches!(value, Value::Token(_)) {
            self.waited[reg.index()] = None;
        }
        *register = value;
        Ok(())
    }

    /// Gives a register a view, in the place of the one that it has if nothing else has that.
    pub(crate) fn set_view(&mut self, reg: Reg, view: View) -> Result<(), Fault> {
        if let Some(Value::View(before)) = self.registers.get_mut(reg.index())
            && let Some(before) = Rc::get_mut(before)
        {
            *before = view;
            return Ok(());
        }
        self.set(reg, Value::View(Rc::new(view)))
    }

    /// Parallel assignment: all sources are read before any target is written.
    pub(crate) fn copy(&mut self, from: &[Reg], to: &[Reg]) -> Result<(), Fault> {
        if from.len() != to.len() {
            return Err(Fault::Missing("a yielded value"));
        }
        if let ([from], [to]) = (from, to) {
            let value = self.get(*from)?.clone();
            return self.set(*to, value);
        }
        let mut moving = std::mem::take(&mut self.moving);
        for reg in from {
            moving.push(self.get(*reg)?.clone());
        }
        for (reg, value) in to.iter().zip(moving.drain(..)) {
            self.set(*reg, value)?;
        }
        self.moving = moving;
        Ok(())
    }

    pub(crate) fn scalar(&self, reg: Reg) -> Result<u64, Fault> {
        match self.registers.get(reg.index()) {
            Some(Value::Scalar(bits)) => Ok(*bits),
            Some(Value::Unknown(load)) => Err(Fault::Unknown(*load)),
            _ => Err(Fault::Value("a number")),
        }
    }

    pub(crate) fn view(&self, reg: Reg) -> Result<&Rc<View>, Fault> {
        match self.get(reg)? {
            Value::View(view) => Ok(view),
            _ => Err(Fault::Value("a memref")),
        }
    }

    pub(crate) fn token(&self, reg: Reg) -> Result<Option<&Rc<CommandRef>>, Fault> {
        match self.get(reg)? {
            Value::Token(command) => Ok(command.as_ref()),
            _ => Err(Fault::Value("a token")),
        }
    }

    pub(crate) fn size(&self, size: Size) -> Result<i64, Fault> {
        match size {
            Size::Constant(value) => Ok(value),
            Size::Register(reg) => self.scalar(reg).map(|bits| bits as i64),
        }
    }

    pub(crate) fn sizes(&self, sizes: &[Size]) -> Result<Extents, Fault> {
        let mut numbers = Extents::with_capacity(sizes.len());
        for size in sizes {
            numbers.push(self.size(*size)?);
        }
        Ok(numbers)
    }

    /// Another view of a view's buffer.
    pub(crate) fn derive(&self, source: &View, view: &ViewOp, checked: bool) -> Result<View, Fault> {
        match view {
            ViewOp::Subview {
                offsets,
                sizes,
                strides,
                keep,
            } => {
                let (rank, lengths) = (
                    source.sizes.len(),
                    [offsets.len(), sizes.len(), strides.len(), keep.len()],
                );
                if lengths != [rank; 4] {
                    return Err(Fault::Rank {
                        expected: rank,
                        found: offsets.len(),
                    });
                }
                let mut parts: SmallVec<[Part; RANK]> = SmallVec::new();
                for dim in 0..rank {
                    parts.push(Part {
                        offset: self.size(offsets[dim])?,
                        size: self.size(sizes[dim])?,
                        stride: self.size(strides[dim])?,
                        keep: keep[dim],
                    });
                }
                source.subview(&parts, checked)
            }
            ViewOp::Reinterpret { offset, sizes, strides } => {
                source.reinterpret(self.size(*offset)?, self.sizes(sizes)?, self.sizes(strides)?)
            }
            ViewOp::Bytes { shift, element, sizes } => source.bytes(self.size(*shift)?, *element, self.sizes(sizes)?),
            ViewOp::Collapse { groups } => source.collapse(groups),
            ViewOp::Expand { groups, sizes } => source.expand(groups, &self.sizes(sizes)?),
            ViewOp::Transpose { permutation } => source.transpose(permutation),
            ViewOp::Cast { shape } => source.cast(shape),
        }
    }
}
