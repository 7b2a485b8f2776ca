//! Access orders: which edges between a producer and its consumers stream, how small a buffer may be, and which layout
//! each tensor should have. Numbers only, no IR, no device, no input or output.
//!
//! A tensor with an [`order::Order`] for who writes it and one for each who reads it is a [`fork::Fork`];
//! [`analyze`](analyze()) says of each edge which [`verdict::Verdict`] it has and how much must be stored. The verdicts
//! and sizes are those of `docs/access-orders.md`.
//!
//! `closed` decides by formulas on the digits of loops; `sweep` by walking over all accesses, once each. [`brute`]
//! computes the same from the definitions alone and shares nothing with either but the events of an order; [`execute`]
//! runs a buffer of a given size token by token. [`plan`] names the buffers that an edge can have, [`projection`] has
//! two coarser views, [`replay`] tells whether a buffer that stands for a tensor holds what is read, [`layout`] assigns
//! layouts to the tensors of a graph, and [`text`] reads and answers files.
//!
//! Everything is a pure function of its arguments. Sizes are in elements; element counts have 128 bits, so that
//! formulas answer for tensors of any size.
//!
//! ```
//! use zpu_stream::fork::Fork;
//! use zpu_stream::order::Order;
//! use zpu_stream::verdict::Verdict;
//! use zpu_stream::{Limits, analyze};
//!
//! let columns = Order::new(vec![7, 5], "(d0, d1) -> (d1, d0)".parse().unwrap(), vec![1, 1]);
//! let answer = analyze(&Fork::pair(vec![5, 7], Order::rows(&[5, 7]), columns), Limits::default()).unwrap();
//! assert_eq!(answer.edges[0].verdict, Verdict::ReorderFull);
//! assert_eq!(answer.edges[0].sizes.as_ref().unwrap().min_capacity, 25);
//! ```

#![forbid(unsafe_code)]

mod analyze;
pub mod brute;
mod closed;
pub mod execute;
pub mod fork;
mod groups;
pub mod layout;
pub mod order;
pub mod plan;
pub mod projection;
pub mod replay;
mod sweep;
pub mod text;
pub mod verdict;

pub use analyze::{Answer, Limits, Shared, analyze};
pub use groups::have_same_events;
