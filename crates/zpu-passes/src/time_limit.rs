//! The option `time-limit`, which several passes have.

use std::time::Duration;

/// Reads a time in seconds; an empty text means no limit.
pub(crate) fn seconds(text: &str) -> Result<Option<Duration>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    let parsed = text.parse().ok().filter(|&seconds: &f64| seconds >= 0.0);
    let duration = parsed.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    duration
        .map(Some)
        .ok_or_else(|| format!("time-limit is `{text}`, must be seconds, 0 or more, as in time-limit=1.5"))
}
