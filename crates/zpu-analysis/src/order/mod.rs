//! Access orders of a function: for each tensor that it makes and reads, who writes it and who reads it in which order.
//!
//! A tensor is a `memref.alloc` or a value between structured operations. [`streams`] follows its uses through views
//! (`touch`, `through`, `token`), finds what each operation does with it (`work`, `index`), checks that the program's
//! order of accesses is one producer followed by its consumers, which hold no element before its last write
//! (`causal`), and finds which consumers wait for which others by way of other tensors (`gates`). The result is a
//! [`Fork`] of `zpu-stream` with the operations and loops behind it, or the reason why there is none.
//!
//! Invariant: a [`Stream`] describes all accesses to its tensor. Where the program does something that orders cannot
//! say, the answer is a [`Decline`].

mod affine;
mod causal;
mod gates;
mod index;
mod nest;
mod stream;
mod through;
mod token;
mod touch;
mod work;

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use zpu_ir::scf::For;
use zpu_ir::{Op, Value};
use zpu_stream::fork::Fork;

pub use crate::body::Decline;
use gates::Waits;
use nest::Numbers;
use stream::stream_of;
use touch::{Touches, is_tensor};

/// One side of an edge: an operation and the loops whose iterations are the events of its order.
#[derive(Clone, Debug)]
pub struct Party<'c> {
    /// The operation; of the loads of one body that are one window, the first.
    pub op: Op<'c>,
    /// The tensor, or the view of it, that the operation works on.
    pub view: Value<'c>,
    /// The loops around the operation that are loops of its order, outermost first. Further loops of the order are the
    /// operation's own.
    pub loops: Vec<For<'c>>,
}

/// A tensor with the orders of all its parties.
#[derive(Clone, Debug)]
pub struct Stream<'c> {
    /// The tensor: a memref, or a value.
    pub tensor: Value<'c>,
    /// Loops around all parties of which each iteration writes and reads the tensor anew, outermost first; the orders
    /// are those within one iteration.
    pub outside: Vec<For<'c>>,
    /// Orders and gates.
    pub fork: Fork,
    /// The producer: of several operations in one nest the last one.
    pub producer: Party<'c>,
    /// Operations that write before the producer does what remains: they begin a sum, or what they write is lost.
    pub others: Vec<Op<'c>>,
    /// Consumers, in the order of those of the fork.
    pub consumers: Vec<Party<'c>>,
}

/// A tensor that is made and read in the function, and what is known of it.
#[derive(Clone, Debug)]
pub struct Found<'c> {
    /// The tensor.
    pub tensor: Value<'c>,
    /// Its parties, or why they are not known.
    pub stream: Result<Stream<'c>, Decline<'c>>,
}

/// All tensors that a function both makes and reads, in program order.
pub fn streams<'c>(function: Op<'c>) -> Vec<Found<'c>> {
    let accesses = Accesses::of(function);
    let made = accesses.all.iter().filter(|(tensor, _)| is_made(*tensor));
    let found = made.filter_map(|(tensor, touches)| {
        let stream = stream_of(*tensor, touches, &accesses).transpose()?;
        Some(Found {
            tensor: *tensor,
            stream,
        })
    });
    found.collect()
}

/// True for a tensor that the function fills itself.
fn is_made(tensor: Value<'_>) -> bool {
    let maker = tensor.defining_op();
    maker.is_some_and(|op| !matches!(op.name(), "arith.constant" | "memref.get_global"))
}

/// All tensors of a function, its arguments included, with what touches them.
struct Accesses<'c> {
    all: Vec<(Value<'c>, Touches<'c>)>,
    numbers: Numbers<'c>,
    /// Waits by the number of loops that are outside, as far as they were asked for.
    waits: RefCell<FxHashMap<usize, Rc<Waits<'c>>>>,
}

impl<'c> Accesses<'c> {
    fn of(function: Op<'c>) -> Accesses<'c> {
        let ops = function.walk();
        let numbers = Numbers::of(&ops);
        let arguments = function.body().map_or_else(Vec::new, |block| block.args());
        let results = ops
            .iter()
            .filter(|op| !through::is_view(**op))
            .flat_map(|op| op.results());
        let tensors = arguments.into_iter().chain(results).filter(|value| is_tensor(*value));
        Accesses {
            all: tensors.map(|tensor| (tensor, Touches::of(tensor, &numbers))).collect(),
            waits: RefCell::default(),
            numbers,
        }
    }

    /// The waits between units, where so many loops are outside.
    fn waits(&self, drop: usize) -> Rc<Waits<'c>> {
        let mut known = self.waits.borrow_mut();
        let made = || Rc::new(Waits::of(&self.all, drop, &self.numbers));
        Rc::clone(known.entry(drop).or_insert_with(made))
    }
}
