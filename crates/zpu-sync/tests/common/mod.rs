//! Small programs of commands and waits, from which everything else here is made.
//!
//! A program is translated twice: by [`records`] into what `zpu-sync` reads, and by [`machine`] into the events of one
//! execution. The two share this file and nothing else.

pub(crate) mod edit;
pub(crate) mod generate;
pub(crate) mod machine;
mod pipeline;
mod print;
pub(crate) mod random;
pub(crate) mod records;

/// The name of a value or of a loop. Each is given once.
pub(crate) type Name = u32;

/// The number of a statement, in the order in which they are written, from 1; 0 is the return.
pub(crate) type At = u32;

/// Engines of the device that programs use, by position in it: two for transfers and one that computes.
pub(crate) const ENGINES: [usize; 3] = [0, 1, 3];

/// Elements of each buffer: more than any index that is used.
pub(crate) const ELEMENTS: i64 = 1 << 16;

/// A function on a machine.
#[derive(Clone, Debug, Default)]
pub(crate) struct Program {
    pub(crate) machine: Machine,
    /// It is only called from inside its module.
    pub(crate) is_private: bool,
    pub(crate) buffers: Vec<Memory>,
    /// Arguments that are numbers.
    pub(crate) numbers: usize,
    /// Arguments that are true or false.
    pub(crate) flags: usize,
    pub(crate) body: Vec<Stmt>,
}

/// In what the machine differs from one that waits wherever it can.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Machine {
    /// An engine that holds the control stream.
    pub(crate) blocking: Option<usize>,
    /// Places of each queue, where a full one is an error.
    pub(crate) depth: Option<usize>,
    /// A wait for an id that no command has taken returns at once; else it is an error.
    pub(crate) never_issued_returns: bool,
}

/// Where a buffer comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Memory {
    /// The function allocates it at its beginning.
    Allocation,
    /// The same, at an address: elements from this one on of what all of these share.
    Window(i64),
    /// The caller's, and no other argument overlaps it.
    NoAlias,
    /// The caller's.
    Argument,
}

/// A statement.
#[derive(Clone, Debug)]
pub(crate) struct Stmt {
    pub(crate) at: At,
    pub(crate) kind: Kind,
}

/// The effect of a statement.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// Starts a command, maybe with a barrier id.
    Start {
        engine: usize,
        token: Name,
        id: Option<Name>,
        accesses: Vec<Access>,
    },
    /// Executes a command to its end.
    Sync { engine: usize, accesses: Vec<Access> },
    /// Accesses memory by the control stream itself.
    Touch(Access),
    /// Waits for a token.
    Wait(Name),
    /// Waits for a barrier id.
    WaitId(Name),
    /// Waits for all that some engines were given.
    Fence(Vec<usize>),
    /// A token of an engine that stands for no command.
    Null(Name, usize),
    /// One of two values.
    Select {
        result: Name,
        cond: Cond,
        yes: Name,
        no: Name,
    },
    /// A condition with a name.
    Flag(Name, Cond),
    /// A number with a name.
    Number(Name, Expr),
    /// A counted loop.
    For(For),
    /// A branch.
    If(If),
}

/// A loop from `lower` by `step` while below `upper`.
#[derive(Clone, Debug)]
pub(crate) struct For {
    pub(crate) name: Name,
    pub(crate) lower: i64,
    pub(crate) upper: Affine,
    pub(crate) step: i64,
    pub(crate) carried: Vec<Carried>,
    pub(crate) body: Vec<Stmt>,
}

/// A value that a loop carries.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Carried {
    pub(crate) inside: Name,
    pub(crate) first: Name,
    pub(crate) next: Name,
    pub(crate) result: Name,
}

/// A branch.
#[derive(Clone, Debug)]
pub(crate) struct If {
    pub(crate) cond: Cond,
    pub(crate) then: Vec<Stmt>,
    pub(crate) otherwise: Vec<Stmt>,
    /// Results, each with what the two sides yield.
    pub(crate) results: Vec<(Name, Name, Name)>,
}

/// A read or a write of an operation: elements of a buffer that follow each other.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    pub(crate) buffer: usize,
    pub(crate) offset: Expr,
    pub(crate) span: i64,
    pub(crate) write: bool,
}

/// Something that has a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Var {
    /// An argument of the function.
    Argument(usize),
    /// The induction variable of a loop.
    Induction(Name),
}

/// `constant + sum of coefficient * variable`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Affine {
    pub(crate) constant: i64,
    pub(crate) terms: Vec<(Var, i64)>,
}

/// `rest + factor * (dividend mod modulus)`; the dividend is read as an unsigned number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Expr {
    pub(crate) rest: Affine,
    pub(crate) ring: Option<Ring>,
}

/// `factor * (dividend mod modulus)`.
#[derive(Clone, Debug)]
pub(crate) struct Ring {
    pub(crate) dividend: Affine,
    pub(crate) modulus: i64,
    pub(crate) factor: i64,
}

/// A condition.
#[derive(Clone, Debug)]
pub(crate) enum Cond {
    /// A named one.
    Flag(Name),
    /// An argument.
    Argument(usize),
    /// A comparison of signed numbers.
    Compare(Compare, Affine, Affine),
    /// Whether a named number is 0 or more.
    IsThere(Name),
    And(Box<Self>, Box<Self>),
    Or(Box<Self>, Box<Self>),
    Not(Box<Self>),
}

/// How numbers are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compare {
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Affine {
    pub(crate) fn constant(constant: i64) -> Self {
        Self {
            constant,
            terms: Vec::new(),
        }
    }

    pub(crate) fn var(var: Var) -> Self {
        Self::constant(0).plus(var, 1)
    }

    pub(crate) fn plus(mut self, var: Var, coefficient: i64) -> Self {
        self.terms.push((var, coefficient));
        self
    }

    pub(crate) fn add(mut self, constant: i64) -> Self {
        self.constant += constant;
        self
    }

    /// The constant, if there is no variable.
    pub(crate) fn as_constant(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }
}

impl From<Affine> for Expr {
    fn from(rest: Affine) -> Self {
        Self { rest, ring: None }
    }
}

impl Program {
    /// Numbers the statements in the order in which they are written.
    pub(crate) fn renumber(&mut self) {
        let mut at = 0;
        edit::each(&mut self.body, &mut |stmt| {
            at += 1;
            stmt.at = at;
        });
    }
}
