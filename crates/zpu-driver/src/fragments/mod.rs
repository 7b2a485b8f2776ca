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
         `zpu.mesh {} device @core`, or give the fragment `zpu.cycles`",
        symbol(mesh)
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
    /// Options of the pipeline that are none.
    #[error("--compile: {0}")]
    Options(String),
    /// A buffer that is freed and used again.
    #[error("{user} takes a buffer that a `memref.dealloc` before it has freed")]
    UsedAfterFree {
        /// The fragment or other operation, as a noun.
        user: String,
    },
    /// A run that takes too long in all.
    #[error("gave up after {limit} cycles, in fragment `{fragment}`; a larger limit is set by --max-cycles")]
    CycleLimit {
        /// The limit.
        limit: u64,
        /// The fragment or transfer that ends after it.
        fragment: String,
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

/// A reference to a name as MLIR writes it: `@m0`, `@"m0/cpu"`.
fn symbol(name: &str) -> String {
    let is_letter = |c: char| c.is_ascii_alphabetic() || c == '_';
    let is_plain = name.starts_with(is_letter)
        && name
            .chars()
            .all(|c| is_letter(c) || c.is_ascii_digit() || "$.".contains(c));
    if is_plain {
        return format!("@{name}");
    }
    let mut text = String::from("@\"");
    for byte in name.bytes() {
        match byte {
            b' '..=b'~' if byte != b'"' && byte != b'\\' => text.push(byte.into()),
            _ => text += &format!("\\{byte:02X}"),
        }
    }
    text + "\""
}

#[cfg(test)]
mod tests {
    use super::symbol;

    #[test]
    fn names_are_quoted_where_they_have_to_be() {
        assert_eq!(symbol("m0"), "@m0");
        assert_eq!(symbol("m0.a$1"), "@m0.a$1");
        assert_eq!(symbol("m0/cpu"), "@\"m0/cpu\"");
        assert_eq!(symbol("0"), "@\"0\"");
        assert_eq!(symbol("a\"b\\\n"), "@\"a\\22b\\5C\\0A\"");
    }
}
