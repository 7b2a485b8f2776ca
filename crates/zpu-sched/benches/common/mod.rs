//! Numbers that a bench reads from the system: processor time, so that a busy machine does not change the numbers, and
//! memory.

use std::time::Instant;

/// Measures one thing after the other.
#[derive(Debug)]
pub struct Clock {
    begin: Instant,
    processor: Option<u64>,
}

impl Clock {
    pub fn start() -> Clock {
        Clock {
            begin: Instant::now(),
            processor: processor_nanoseconds(),
        }
    }

    /// Seconds of the processor since the start; of the wall where the system does not say.
    pub fn seconds(&self) -> f64 {
        match (self.processor, processor_nanoseconds()) {
            (Some(begin), Some(now)) => (now - begin) as f64 / 1e9,
            _ => self.begin.elapsed().as_secs_f64(),
        }
    }
}

fn processor_nanoseconds() -> Option<u64> {
    let statistics = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    statistics.split_whitespace().next()?.parse().ok()
}
