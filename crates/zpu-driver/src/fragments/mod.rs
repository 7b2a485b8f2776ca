//! Programs over several devices: each fragment runs on the simulator of its mesh's device, with the values that it
//! gets, and the cycles of all of them give the times of the whole.
//!
//! ```text
//! function ─▶ FragmentProgram ─▶ run: values and cycles, fragment by fragment ─▶ replay: meshes and links
//! ```
//!
//! Invariants: a fragment is a function of its operands, so values do not depend on when it runs, and a fragment begins
//! when all engines of its mesh are idle, so its cycles do not either; a program is run in the order of its block,
//! which is the order of each mesh and of each link.

mod build;
mod report;
mod run;

pub use build::FragmentProgram;
pub use report::{FragmentReport, LinkReport, MeshReport, NodeReport};
pub use run::FragmentOutcome;

/// The reason why a program over several devices cannot be run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FragmentProblem {
    /// It cannot be read: the diagnostics, one a line.
    #[error("{0}")]
    Unreadable(String),
    /// A fragment with a body on a mesh without a device.
    #[error(
        "fragment `{fragment}` has a body, and mesh `{mesh}` has no device to run it on; name one, as in \
         `zpu.mesh @{mesh} device @core`, or give the fragment `zpu.cycles`"
    )]
    NoDevice {
        /// The fragment.
        fragment: String,
        /// Its mesh.
        mesh: String,
    },
    /// A fragment of which nothing is known.
    #[error("fragment `{fragment}` has no body, or takes a value that is not known; give it `zpu.cycles`")]
    NoCost {
        /// The fragment.
        fragment: String,
    },
    /// An operation between fragments.
    #[error("`{op}` stands between fragments; only fragments, transfers and whole numbers may")]
    Between {
        /// Its name.
        op: String,
    },
    /// A buffer that is gone.
    #[error("fragment `{fragment}` takes a buffer that the fragment which returned it has freed")]
    Freed {
        /// The fragment.
        fragment: String,
    },
    /// A fragment that changes what it takes.
    #[error(
        "fragment `{fragment}` changes its operand {operand}; operands are only read: copy it, and return the copy"
    )]
    Writes {
        /// The fragment.
        fragment: String,
        /// The position of the operand.
        operand: usize,
    },
}
