//! Modules that several tests and the bench use.

#![allow(dead_code, unreachable_pub, missing_docs)]

pub mod compare;
pub mod layouts;
pub mod random;
