//! Code that the tests of whole kernels share: the kernels with their arguments, and running them by the JIT, through
//! the passes, and on the simulator.

pub(crate) mod case;
// The oracle needs other parts of it than the test of predictions.
#[allow(dead_code)]
pub(crate) mod graph;
pub(crate) mod kernel;
pub(crate) mod lower;
// Only the test of waits asks for it.
#[allow(dead_code)]
pub(crate) mod minimum;
// Only tests that try very many programs share their work out.
#[allow(dead_code)]
pub(crate) mod parallel;
// Only tests that make programs draw from lists.
#[allow(dead_code)]
pub(crate) mod random;
pub(crate) mod run;
#[allow(dead_code)]
pub(crate) mod subject;

/// An error as the tests pass it on.
pub(crate) fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}
