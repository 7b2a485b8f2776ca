//! Finds programs that the passes break: generates loop programs, runs each through the passes and on the simulator,
//! shrinks what fails.
//!
//! Invariant: everything follows from a seed. A failing seed fails again, alone, on another machine.

#![forbid(unsafe_code)]

mod agreement;
mod by_hand;
mod certified;
mod generate;
mod memory;
mod memory_mutation;
mod mutation;
mod observation;
mod order;
mod program;
mod random;
mod ring;
mod run;
mod save;
mod setting;
mod shrink;
mod timing;

pub use agreement::{Opinion, Proof};
pub use generate::generate;
pub use memory::MemoryVerdict;
pub use memory_mutation::MemoryMutation;
pub use mutation::{id_operand, is_wait};
pub use program::{Program, Shape};
pub use ring::{rings, shrink_ring};
pub use run::{Failure, Kind, Runner, Verdict, check};
pub use save::{disagreement, reproducer};
pub use setting::{Other, SCHEDULERS, Setting};
pub use shrink::{Judge, shrink};
pub use zpu_driver::Session;

/// Names of the deliberate bugs that this build of the passes has; none without the feature `seeded-bugs`.
pub fn bugs() -> Vec<&'static str> {
    #[cfg(feature = "seeded-bugs")]
    return zpu_passes::bugs();
    #[cfg(not(feature = "seeded-bugs"))]
    Vec::new()
}

/// Switches a deliberate bug on for the rest of the process; `false` if there is none of that name.
pub fn plant(bug: &str) -> bool {
    #[cfg(feature = "seeded-bugs")]
    return zpu_passes::plant(bug);
    #[cfg(not(feature = "seeded-bugs"))]
    {
        let _ = bug;
        false
    }
}
