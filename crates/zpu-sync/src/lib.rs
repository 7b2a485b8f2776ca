//! Synchronisation of asynchronous commands, without MLIR.

#![forbid(unsafe_code)]

pub mod index;
pub mod predicate;
pub mod problem;
pub mod report;
pub mod seeded;
pub mod verify;
