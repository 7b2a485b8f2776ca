//! Values of registers. Invariant: a value loaded from memory is [`Value::Unknown`], and so is every value computed
//! from it; no decision depends on one.

use zpu_device::ElementType;
use zpu_sim::{Reg, Size};

use crate::view::View;

#[derive(Clone, Debug, Default)]
pub(crate) enum Value {
    /// Not known without values of memory.
    #[default]
    Unknown,
    /// A bit pattern, zero-extended.
    Bits(u64),
    /// A memref.
    View(View),
    /// A token of the command of that number; `None` is the null token.
    Token(Option<usize>),
}

/// The reason why a register does not hold the value that it has to.
pub(crate) enum Trouble {
    Unknown(&'static str),
    Invalid(String),
}

/// The registers of a function.
#[derive(Clone, Debug)]
pub(crate) struct Frame(pub(crate) Vec<Value>);

impl Frame {
    pub(crate) fn get(&self, register: Reg) -> Value {
        self.0.get(register.index()).cloned().unwrap_or_default()
    }

    pub(crate) fn set(&mut self, register: Reg, value: Value) {
        if let Some(slot) = self.0.get_mut(register.index()) {
            *slot = value;
        }
    }

    pub(crate) fn set_all(&mut self, registers: &[Reg], values: Vec<Value>) {
        for (register, value) in registers.iter().zip(values) {
            self.set(*register, value);
        }
    }

    pub(crate) fn get_all(&self, registers: &[Reg]) -> Vec<Value> {
        registers.iter().map(|register| self.get(*register)).collect()
    }

    pub(crate) fn view(&self, register: Reg) -> Result<View, Trouble> {
        match self.get(register) {
            Value::View(view) => Ok(view),
            Value::Unknown => Err(Trouble::Unknown("a buffer")),
            _ => Err(Trouble::Invalid("a register holds no buffer".into())),
        }
    }

    pub(crate) fn bits(&self, register: Reg, what: &'static str) -> Result<u64, Trouble> {
        match self.get(register) {
            Value::Bits(bits) => Ok(bits),
            Value::Unknown => Err(Trouble::Unknown(what)),
            _ => Err(Trouble::Invalid(format!("a register holds no number for {what}"))),
        }
    }

    /// A number of type `ty`, read as a signed one or not.
    pub(crate) fn number(
        &self,
        size: Size,
        ty: ElementType,
        unsigned: bool,
        what: &'static str,
    ) -> Result<i128, Trouble> {
        let bits = match size {
            Size::Constant(value) => value as u64,
            Size::Register(register) => self.bits(register, what)?,
        };
        let bits = cut(bits, ty);
        Ok(if unsigned { i128::from(bits) } else { signed(bits, ty) })
    }

    pub(crate) fn size(&self, size: Size) -> Result<i64, Trouble> {
        match size {
            Size::Constant(value) => Ok(value),
            Size::Register(register) => Ok(self.bits(register, "an extent or a stride")? as i64),
        }
    }

    pub(crate) fn sizes(&self, sizes: &[Size]) -> Result<Vec<i64>, Trouble> {
        sizes.iter().map(|size| self.size(*size)).collect()
    }
}

/// The bits of a number of type `ty`.
pub(crate) fn cut(bits: u64, ty: ElementType) -> u64 {
    bits & (u64::MAX >> (64 - width(ty)))
}

fn signed(bits: u64, ty: ElementType) -> i128 {
    let shift = 64 - width(ty);
    i128::from(((bits << shift) as i64) >> shift)
}

fn width(ty: ElementType) -> u32 {
    match ty {
        ElementType::Int(bits) => u32::from(bits.clamp(1, 64)),
        other => other.bits() as u32,
    }
}
