//! The program form of the simulator: functions of structured statements over virtual registers.
//!
//! A [`Program`] is complete in itself: it names no MLIR object, every engine and space is an index into the device
//! that it was made for, and every statement knows its source location. Registers are per function and
//! single-assignment in source, but a loop body assigns its registers again in every iteration.

use std::fmt;

use zpu_device::ElementType;

use crate::compute::Compute;
use crate::kernel::Kernel;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl $name {
            /// The id as an index.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id!(
    /// A register of a function's frame.
    Reg
);
id!(
    /// A function of the program.
    FunctionId
);
id!(
    /// A kernel of the program.
    KernelId
);
id!(
    /// A constant buffer of the program.
    GlobalId
);
id!(
    /// A source location of the program.
    LocationId
);
id!(
    /// An engine: index into `Device::engines`.
    EngineId
);
id!(
    /// A memory space: index into `Device::memories`.
    SpaceId
);

/// Everything that can be run.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Functions, by [`FunctionId`].
    pub functions: Vec<Function>,
    /// Computations on buffers, by [`KernelId`].
    pub kernels: Vec<Kernel>,
    /// Constant buffers, by [`GlobalId`].
    pub globals: Vec<Global>,
    /// Source locations, by [`LocationId`].
    pub locations: Vec<Location>,
}

impl Program {
    /// The function of that name.
    pub fn function(&self, name: &str) -> Option<FunctionId> {
        let index = self.functions.iter().position(|function| function.name == name)?;
        Some(FunctionId(u32::try_from(index).ok()?))
    }

    /// The location, or the unknown one for an id out of range.
    pub fn location(&self, id: LocationId) -> Location {
        self.locations.get(id.index()).cloned().unwrap_or_default()
    }
}

/// A place in a source file. Line 0 means unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Location {
    /// File name as the parser saw it.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line == 0 {
            return f.write_str("<unknown>");
        }
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// A constant buffer.
#[derive(Clone, Debug)]
pub struct Global {
    /// Symbol name.
    pub name: String,
    /// Element type.
    pub element: ElementType,
    /// Extents.
    pub shape: Vec<i64>,
    /// Row-major contents; `None` is uninitialised memory.
    pub bytes: Option<Vec<u8>>,
    /// The memory that it lives in; `None` is the off-chip memory.
    pub space: Option<SpaceId>,
    /// The place in the source.
    pub location: LocationId,
}

/// A function. A declaration without a body is no function of a program.
#[derive(Clone, Debug)]
pub struct Function {
    /// Symbol name.
    pub name: String,
    /// True if it is only there to be called; it returns without outstanding commands.
    pub is_private: bool,
    /// Parameters in order.
    pub parameters: Vec<Parameter>,
    /// Types of its results; the body's yields are the values.
    pub results: Vec<ValueType>,
    /// Registers of its frame.
    pub registers: u32,
    /// Its statements.
    pub body: Block,
    /// The place in the source.
    pub location: LocationId,
    /// The place of its return.
    pub return_location: LocationId,
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// The register that holds it.
    pub register: Reg,
    /// Its type.
    pub ty: ValueType,
}

/// The type of a value that crosses a function boundary.
#[derive(Clone, Debug, PartialEq)]
pub enum ValueType {
    /// A number.
    Scalar(ElementType),
    /// A buffer.
    MemRef(MemRefType),
    /// A token.
    Token,
}

/// A buffer's type; `None` is a dynamic extent, stride or offset.
#[derive(Clone, Debug, PartialEq)]
pub struct MemRefType {
    /// Element type.
    pub element: ElementType,
    /// Extents in elements.
    pub shape: Vec<Option<i64>>,
    /// Strides and offset in elements; `None` is row-major from 0.
    pub layout: Option<Layout>,
    /// Memory space; `None` when the type names none.
    pub space: Option<SpaceId>,
}

/// A strided layout.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    /// Elements from one index to the next, by dimension.
    pub strides: Vec<Option<i64>>,
    /// Elements before index 0.
    pub offset: Option<i64>,
}

/// Statements, and the values that leave them.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// In order.
    pub statements: Vec<Statement>,
    /// Values that the block hands to the statement around it.
    pub yields: Vec<Reg>,
}

/// One statement.
#[derive(Clone, Debug)]
pub struct Statement {
    /// The place in the source.
    pub location: LocationId,
    /// The operation.
    pub op: Op,
}

/// A number known when the program is made, or a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// A constant.
    Constant(i64),
    /// A register that holds an `index`.
    Register(Reg),
}

/// The operation of a statement.
#[derive(Clone, Debug)]
pub enum Op {
    /// `result` = these bits.
    Constant {
        /// Result.
        result: Reg,
        /// Bit pattern, zero-extended.
        bits: u64,
    },
    /// `result` = `compute(operands)`.
    Compute {
        /// The operation.
        compute: Compute,
        /// Result.
        result: Reg,
        /// As many as the operation takes.
        operands: Vec<Reg>,
    },
    /// `result` = one of two values of any type.
    Select {
        /// Result.
        result: Reg,
        /// An i1.
        condition: Reg,
        /// If it is 1.
        if_true: Reg,
        /// If it is 0.
        if_false: Reg,
    },
    /// A new row-major buffer.
    Alloc {
        /// Result.
        result: Reg,
        /// Element type.
        element: ElementType,
        /// Extents.
        shape: Vec<Size>,
        /// Space; `None` is the device's default space.
        space: Option<SpaceId>,
        /// First byte in the space, which it shares with all other buffers there; `None` is bytes of its own.
        address: Option<u64>,
        /// Freed at the end of the closest scope around it: an iteration of a loop, [`Op::Scope`], the function
        /// (`memref.alloca`).
        stack: bool,
    },
    /// Frees a buffer.
    Dealloc {
        /// Its memref.
        memref: Reg,
    },
    /// `result` = a constant buffer.
    Global {
        /// Result.
        result: Reg,
        /// The buffer.
        global: GlobalId,
    },
    /// `result` = another view of `source`'s buffer.
    View {
        /// Result.
        result: Reg,
        /// The memref it is made of.
        source: Reg,
        /// The way it is made.
        view: ViewOp,
    },
    /// The program is wrong if two indices of the memref are one element.
    CheckLayout {
        /// The memref.
        memref: Reg,
        /// Its name in reports.
        name: String,
    },
    /// `result` = the extent of a dimension.
    Dim {
        /// Result.
        result: Reg,
        /// The memref.
        memref: Reg,
        /// The dimension.
        index: Size,
    },
    /// Takes a memref apart.
    Metadata {
        /// The memref.
        memref: Reg,
        /// The 0-d memref of its base.
        base: Reg,
        /// Offset in elements.
        offset: Reg,
        /// Extents.
        sizes: Vec<Reg>,
        /// Strides in elements.
        strides: Vec<Reg>,
    },
    /// The control stream reads one element.
    Load {
        /// Result.
        result: Reg,
        /// The memref.
        memref: Reg,
        /// One a dimension.
        indices: Vec<Reg>,
    },
    /// The control stream writes one element.
    Store {
        /// The value.
        value: Reg,
        /// The memref.
        memref: Reg,
        /// One a dimension.
        indices: Vec<Reg>,
    },
    /// A counted loop.
    For(Box<For>),
    /// A loop with a condition. It is no scope of allocations.
    While(Box<While>),
    /// A block at whose end its automatic allocations are freed.
    Scope {
        /// Its name in reports on its end.
        name: String,
        /// In place of the statement.
        body: Block,
        /// One a yield.
        results: Vec<Reg>,
    },
    /// One block or another.
    If {
        /// An i1.
        condition: Reg,
        /// If it is 1.
        then: Block,
        /// If it is 0.
        otherwise: Block,
        /// One a yield.
        results: Vec<Reg>,
    },
    /// The block of the matching case, else the default one.
    Switch {
        /// An `index`.
        value: Reg,
        /// Cases.
        cases: Vec<(i64, Block)>,
        /// Default.
        default: Block,
        /// One a yield.
        results: Vec<Reg>,
    },
    /// A function call.
    Call {
        /// Callee.
        function: FunctionId,
        /// Arguments.
        arguments: Vec<Reg>,
        /// Results.
        results: Vec<Reg>,
    },
    /// The program is wrong if the condition is 0.
    Assert {
        /// An i1.
        condition: Reg,
        /// The text.
        message: String,
    },
    /// Work for an engine.
    Command(Box<Command>),
    /// Holds the control stream until the token's command is complete.
    Wait {
        /// The token.
        token: Reg,
    },
    /// Holds the control stream until the latest command issued with the barrier id is complete.
    WaitId {
        /// The id.
        id: Size,
    },
    /// Holds the control stream until the engines have nothing left to do.
    Barrier {
        /// The engines; `None` is all.
        engines: Option<Vec<EngineId>>,
    },
    /// `result` = a token that is already complete.
    NullToken {
        /// Result.
        result: Reg,
    },
}

/// `for induction = lower; induction < upper; induction += step`. The automatic allocations of an iteration are freed
/// at its end.
#[derive(Clone, Debug)]
pub struct For {
    /// Induction variable.
    pub induction: Reg,
    /// Its type: an integer or `index`.
    pub ty: ElementType,
    /// Bounds are compared as unsigned numbers.
    pub unsigned: bool,
    /// First value.
    pub lower: Size,
    /// First value that is too large.
    pub upper: Size,
    /// Positive.
    pub step: Size,
    /// Values that go in.
    pub inits: Vec<Reg>,
    /// The body's registers for them.
    pub arguments: Vec<Reg>,
    /// Body; its yields are the next iteration's values.
    pub body: Block,
    /// Registers of the values that come out.
    pub results: Vec<Reg>,
}

/// `while` with a region that decides and one that does.
#[derive(Clone, Debug)]
pub struct While {
    /// Values that go in.
    pub inits: Vec<Reg>,
    /// Registers of the first region's values.
    pub before_arguments: Vec<Reg>,
    /// The deciding region; its yields go to the other region or come out.
    pub before: Block,
    /// An i1 that the deciding region computes.
    pub condition: Reg,
    /// Registers of the second region's values.
    pub after_arguments: Vec<Reg>,
    /// The doing region; its yields go to the deciding one.
    pub after: Block,
    /// Registers of the values that come out.
    pub results: Vec<Reg>,
}

/// An operation that makes a view of another.
#[derive(Clone, Debug)]
pub enum ViewOp {
    /// A box of the source. `keep` has one entry a source dimension; dimensions not kept have extent 1.
    Subview {
        /// First index, by source dimension.
        offsets: Vec<Size>,
        /// Extents.
        sizes: Vec<Size>,
        /// Steps.
        strides: Vec<Size>,
        /// Dimensions of the result.
        keep: Vec<bool>,
    },
    /// Another offset, extents and strides on the same base, in elements.
    Reinterpret {
        /// Offset.
        offset: Size,
        /// Extents.
        sizes: Vec<Size>,
        /// Strides.
        strides: Vec<Size>,
    },
    /// A row-major view of a byte buffer.
    Bytes {
        /// Bytes before the first element.
        shift: Size,
        /// Element type.
        element: ElementType,
        /// Extents.
        sizes: Vec<Size>,
    },
    /// Adjacent dimensions made one.
    Collapse {
        /// Source dimensions of each result dimension.
        groups: Vec<Vec<usize>>,
    },
    /// A dimension made several.
    Expand {
        /// Result dimensions of each source dimension.
        groups: Vec<Vec<usize>>,
        /// Extents of the result.
        sizes: Vec<Size>,
    },
    /// Dimensions in another order: result dimension i is source dimension `permutation[i]`.
    Transpose {
        /// The order.
        permutation: Vec<usize>,
    },
    /// The same view, checked against a type's static extents.
    Cast {
        /// Extents, `None` for dynamic ones.
        shape: Vec<Option<i64>>,
    },
}

/// Work for an engine, issued by the control stream.
#[derive(Clone, Debug)]
pub struct Command {
    /// Its name in reports, e.g. `dma` or `matmul`.
    pub name: String,
    /// The engine; `None` is an op of the front end, which the device's obvious engine does while the stream waits.
    pub engine: Option<EngineId>,
    /// The time at which the control stream goes on.
    pub completion: Completion,
    /// The actions, in order, as one piece of work.
    pub actions: Vec<Action>,
    /// Measured cycles, which win over the cost model.
    pub cycles: Option<u64>,
}

/// The time at which the control stream goes on after it issued a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completion {
    /// When the command is complete.
    Synchronous,
    /// At once.
    Asynchronous {
        /// Register that gets the command's token.
        token: Option<Reg>,
        /// Barrier id that the command signals.
        id: Option<Size>,
    },
}

/// A part of a command.
#[derive(Clone, Debug)]
pub struct Action {
    /// The place in the source.
    pub location: LocationId,
    /// Measured cycles of this part.
    pub cycles: Option<u64>,
    /// The kind of the action.
    pub kind: ActionKind,
}

/// The kind of a part of a command.
#[derive(Clone, Debug)]
pub enum ActionKind {
    /// Copies a memref to another of the same extents and element type.
    Copy {
        /// From.
        source: Reg,
        /// To.
        target: Reg,
    },
    /// Makes of every row along a dimension its softmax.
    Softmax {
        /// From.
        source: Reg,
        /// To, of the same extents and element type.
        target: Reg,
        /// The dimension.
        dimension: usize,
    },
    /// Runs a kernel.
    Run {
        /// The kernel.
        kernel: KernelId,
        /// One a kernel operand.
        operands: Vec<Reg>,
        /// Scalars that the body takes from outside, read when the command is issued.
        captures: Vec<Reg>,
    },
}
