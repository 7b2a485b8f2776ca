//! Errors: reasons why a program was not run to its end. Invariant: no reason is a panic.

/// The reason why there is no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StepError {
    /// A condition, a bound or an extent is not known without the contents of memory.
    #[error("{0}: {1} depends on the contents of memory, which this run does not have")]
    Unknown(String, &'static str),
    /// The program makes no sense.
    #[error("{0}: {1}")]
    Invalid(String, String),
    /// The control stream waits for what never happens.
    #[error("the control stream waits for ever from cycle {0}")]
    Stuck(u64),
    /// A command was issued to a full queue that is an error.
    #[error("command {command} is issued to the full queue of engine {engine} at cycle {cycle}")]
    QueueFull {
        /// Its number, from 0.
        command: usize,
        /// Index of its engine.
        engine: usize,
        /// The cycle.
        cycle: u64,
    },
    /// Too many cycles.
    #[error("the run takes more than {0} cycles")]
    Cycles(u64),
    /// Too many statements.
    #[error("the control stream executes more than {0} statements")]
    Statements(u64),
    /// A share of a link needs more digits than there are.
    #[error("a share of a link is no fraction of two numbers of 128 bits")]
    Fraction,
}
