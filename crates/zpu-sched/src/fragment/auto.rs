//! The best schedule that is found.

use super::name::Builtin;
use super::problem::{FragmentError, Program};
use super::replay::worst;
use super::schedule::{Answer, Prepared};

/// The options of the search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AutoOptions {
    /// The most bytes that a mesh may hold.
    pub memory_cap: Option<u64>,
    /// Steps of the exact search; no clock is read.
    pub effort: u64,
}

impl Default for AutoOptions {
    fn default() -> AutoOptions {
        AutoOptions {
            memory_cap: None,
            effort: 200_000,
        }
    }
}

/// The best of all.
pub(crate) fn auto(program: &Program, options: &AutoOptions) -> Result<Answer, FragmentError> {
    let prepared = Prepared::new(program);
    let mut best: Option<Answer> = None;
    let mut first_error = None;
    for builtin in Builtin::ALL {
        match prepared.by_name(builtin) {
            Ok(answer) => {
                let fits = options.memory_cap.is_none_or(|cap| worst(&answer.timing).1 <= cap);
                let is_better = best.as_ref().is_none_or(|best| answer.timing.makespan < best.timing.makespan);
                if fits && is_better {
                    best = Some(answer);
                }
            }
            Err(error) => {
                first_error.get_or_insert(error);
            }
        }
    }
    best.ok_or_else(|| first_error.unwrap_or(FragmentError::NoMesh))
}
