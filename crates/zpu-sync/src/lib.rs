//! Synchronisation of asynchronous commands, without MLIR: is each access ordered after the commands it depends on?
//!
//! A [`problem`] is a function as far as that depends on it: plain data, that can be written to a file and read again.
//! [`verdict`] says what is proven of it, refuted, or unknown; [`redundant`] which waits it does without, and
//! [`witness`] which it needs; [`place`] makes commands asynchronous and finds their waits.
//!
//! [`index`] is the algebra of indices and regions. The module `program` makes a problem ready to be walked: its items,
//! what waits name, what conditions are about. Two things then look at the program and share nothing else: `verify`
//! proves, by abstract interpretation, and [`witness`] executes for chosen arguments. What they find are `finding`s.
//! A proof can be written down as a [`certificate`], which a check of its own accepts or rejects. The check that
//! shares nothing with any of them is the simulator.

#![forbid(unsafe_code)]

pub mod certificate;
mod finding;
pub mod id;
pub mod index;
pub mod place;
pub mod predicate;
pub mod problem;
mod program;
pub mod redundant;
pub mod report;
pub mod seeded;
pub mod verdict;
mod verify;
pub mod witness;
