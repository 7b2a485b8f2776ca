//! The machine's clock: when commands begin and end on in-order engines, and how fast transfers are that share links.
//!
//! The estimate of a plan in `zpu-sched` and the simulator `zpu-sim` both count cycles, and both count them by this
//! crate. What they do with the cycles is their own: a plan's repeating state and rate there, values, checks and
//! reports here. `zpu-stepper` counts the same cycles without this crate, to check it.
//!
//! The rules have two forms:
//!
//! - [`Engines`] goes from event to event. It serves engines whose transfers share links, where a later command can
//!   delay an earlier one, and callers that act at the moment at which a command is complete.
//! - [`Unit`], [`Places`] and [`stream`] give the same cycles as formulas, for engines that share nothing: there the
//!   end of a command is known when it is issued. An estimate evaluates them for each command of each plan that a
//!   search looks at, so they are inlined.
//!
//! A test holds the two to each other, another one holds the first to exact fractions and single cycles.
//!
//! [`one_machine`] is the bound of what one unit does, whatever the order, for those who ask how far a program is from
//! the best.
//!
//! Time is in whole cycles. Engines and links are dense indices. The crate knows no device, no problem and no program.
//!
//! ```
//! use std::rc::Rc;
//! use zpu_timing::{Command, Engines, Flow, Links};
//!
//! // Two engines that want all of one link.
//! let mut links = Links::new(vec![8.0]);
//! let flow = links.add(Flow { demand: 8.0, links: vec![0] });
//! let mut engines = Engines::new(2, Rc::new(links));
//! for engine in 0..2 {
//!     let transfer = Command { tag: (), arrival: 0, latency: 5, alone: 0, shared: 10, flow: Some(flow) };
//!     engines.push(engine, transfer);
//! }
//! let mut done = vec![];
//! while engines.step(&mut done) {}
//! let spans: Vec<(u64, u64)> = done.iter().map(|done| (done.begin, done.end)).collect();
//! assert_eq!(spans, [(5, 25), (5, 25)]);
//! ```

#![forbid(unsafe_code)]

mod command;
mod engine;
mod engines;
mod fairness;
mod links;
mod one_machine;
mod places;
pub mod stream;
mod transfer;
mod unit;

pub use command::{Command, Completion};
pub use engine::Remaining;
pub use engines::Engines;
pub use fairness::max_min_fair;
pub use links::{Flow, FlowId, Links};
pub use one_machine::{Job, one_machine};
pub use places::Places;
pub use unit::Unit;
