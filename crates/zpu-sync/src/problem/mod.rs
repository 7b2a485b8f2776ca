//! A function as far as its synchronisation depends on it: plain data, with numbers for names.
//!
//! The form is that of MLIR, cut down: operations with operands, results and blocks, in the order in which they are
//! written. There are the commands, the waits, whatever touches memory, the control flow around them, and the
//! arithmetic that conditions, bounds, barrier ids and indices are computed with. What each operation accesses has been
//! found out before, and so have the bounds and the linear form of each number; nothing here follows views.
//!
//! A problem is built from IR by `zpu-analysis`, or read from a text ([`text`]). [`view`] walks through it.

pub mod algebra;
mod check;
mod life;
pub mod text;
pub mod view;

pub use check::Fault;

use serde::{Deserialize, Serialize};
use zpu_device::Device;

use crate::id::id;
use crate::index::{Access, Index, Names, Range, Root, Window};

/// The name of an operation that has no operands and whose result is what its linear form says.
pub const NUMBER: &str = "zpu-sync.number";

id! {
    /// Number of a value in [`Problem::values`].
    #[derive(Serialize, Deserialize)]
    #[serde(transparent)]
    pub struct ValueId(pub u32);
}

id! {
    /// Number of an operation in [`Problem::operations`]; 0 is the function.
    #[derive(Serialize, Deserialize)]
    #[serde(transparent)]
    pub struct OpId(pub u32);
}

id! {
    /// Number of a block in [`Problem::blocks`].
    #[derive(Serialize, Deserialize)]
    #[serde(transparent)]
    pub struct BlockId(pub u32);
}

id! {
    /// Position of an engine in the device.
    #[derive(Serialize, Deserialize)]
    #[serde(transparent)]
    pub struct EngineId(pub usize);
}

impl OpId {
    /// The function itself.
    pub const FUNCTION: Self = Self(0);
}

/// Numbers as the names of the index algebra.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ids;

impl Names for Ids {
    type Value = ValueId;
    type Scope = OpId;
}

/// A function and the device that it runs on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Problem {
    /// The function's name.
    pub name: String,
    /// It is only called from inside its module.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_private: bool,
    /// The device.
    pub device: Device,
    /// All values that matter.
    pub values: Vec<Value>,
    /// All operations that matter; the first is the function.
    pub operations: Vec<Operation>,
    /// All blocks.
    pub blocks: Vec<Block>,
    /// Allocations that control flow, a call or memory may hand on, so that memory of unknown origin may be one of
    /// them. Filled in where memory is freed and some is of unknown origin.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub handed_on: Vec<ValueId>,
    /// Names of which no two that are still used name the same memory, nor one of them in two iterations. Filled in
    /// where `handed_on` is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub owned: Vec<ValueId>,
    /// Automatic allocations that end with the function.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub on_stack: Vec<ValueId>,
}

/// The origin of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Def {
    /// The result of an operation with that position.
    Result(OpId, usize),
    /// The argument of a block with that position.
    Argument(BlockId, usize),
}

/// The type of a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Type {
    /// A token of a command, and its engine.
    Token(Option<EngineId>),
    /// An index, of 64 bits.
    Index,
    /// An integer of so many bits.
    Integer(u8),
    /// A buffer.
    Memref(Memref),
    /// Anything else, as MLIR writes it.
    Other(String),
}

/// Known parts of a buffer's type.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Memref {
    /// Sizes of the dimensions, where they are known.
    pub shape: Vec<Option<i64>>,
    /// Elements from one index to the next in each dimension, where they are known.
    pub strides: Vec<Option<i64>>,
    /// Bytes of an element, if that is a number of them.
    pub element_bytes: Option<u32>,
    /// The memory space as MLIR writes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub space: Option<String>,
}

/// Bounds of a number, both included; none where there is none that 64 bits hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bounds(pub Option<i64>, pub Option<i64>);

impl From<Range> for Bounds {
    fn from(range: Range) -> Self {
        let narrow = |bound: Option<i128>| bound.and_then(|bound| i64::try_from(bound).ok());
        Self(narrow(range.least), narrow(range.most))
    }
}

impl From<Bounds> for Range {
    fn from(bounds: Bounds) -> Self {
        Self::new(bounds.0.map(i128::from), bounds.1.map(i128::from))
    }
}

/// A value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Value {
    /// Its origin.
    pub def: Def,
    /// Its type.
    #[serde(rename = "type")]
    pub ty: Type,
    /// Its linear form, if that is another one than the value itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<Index<Ids>>,
    /// Its bounds in any one iteration.
    #[serde(default, skip_serializing_if = "is_unbounded")]
    pub bounds: Bounds,
    /// The bytes of its space that it has, if it is an allocation at an address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<Window>,
}

/// A block.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Block {
    /// The operation that it is in.
    pub op: OpId,
    /// Its arguments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<ValueId>,
    /// Its operations that matter, in order, without the terminator unless that is one that matters.
    pub ops: Vec<OpId>,
    /// The operation that ends it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terminator: Option<OpId>,
    /// The automatic allocations that end with it, each as a write of all of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ending: Vec<Access<Ids>>,
}

/// Accesses of an operation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effects {
    /// No memory.
    #[default]
    None,
    /// This.
    Known(Vec<Access<Ids>>),
    /// Anything.
    Unknown,
}

/// An operation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Operation {
    /// Its name in MLIR, e.g. `zpu.dma_start`.
    pub name: String,
    /// Its operands.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub operands: Vec<ValueId>,
    /// Its results.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<ValueId>,
    /// The block in which it stands; none of the function.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block: Option<BlockId>,
    /// Its own blocks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blocks: Vec<BlockId>,
    /// The number that it is, if it is a constant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub constant: Option<i64>,
    /// The predicate of a comparison, by upstream's number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub predicate: Option<u8>,
    /// It compares bounds as unsigned numbers (`scf.for`).
    #[serde(skip_serializing_if = "is_false")]
    pub is_unsigned: bool,
    /// Its attributes in words: arithmetic of equal names, attributes and operands computes the same.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub attributes: String,
    /// The engines that it is for: one of a command, any number of a barrier.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub engines: Vec<EngineId>,
    /// Its accesses.
    #[serde(skip_serializing_if = "Effects::is_none")]
    pub effects: Effects,
    /// Memory that it is given, where what it does with it is not known; of a return, what it gives back.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub passed: Vec<Root<Ids>>,
    /// It is a command that its author wants to stay synchronous.
    #[serde(skip_serializing_if = "is_false")]
    pub stays_synchronous: bool,
    /// Cycles of a command on its engine, where they are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycles: Option<u64>,
    /// It frees the memory that it writes; a call may free what it is given.
    #[serde(skip_serializing_if = "is_false")]
    pub frees: bool,
    /// Bounds of its iteration number, if it is a counted loop.
    #[serde(skip_serializing_if = "is_unbounded")]
    pub iterations: Bounds,
    /// Bounds of the product of step and iteration number.
    #[serde(skip_serializing_if = "is_unbounded")]
    pub travel: Bounds,
    /// As reports name it, if not by its name.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub label: String,
    /// `file:line:column`.
    #[serde(rename = "place", skip_serializing_if = "String::is_empty")]
    pub location: String,
}

impl Effects {
    fn is_none(&self) -> bool {
        matches!(self, Self::None)
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(flag: &bool) -> bool {
    !flag
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_unbounded(bounds: &Bounds) -> bool {
    *bounds == Bounds::default()
}
