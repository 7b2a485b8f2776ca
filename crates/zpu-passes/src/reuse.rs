//! The option `reuse` of passes: what buffers may cost that share bytes.

/// The message about a value that there is not; none if there is.
pub(crate) fn wrong_reuse(reuse: i64) -> Option<String> {
    (!(0..=1).contains(&reuse)).then(|| format!("reuse is {reuse}, must be 0 or 1"))
}
