//! A progress bar on standard error, with the time that is left.

use indicatif::{ProgressBar, ProgressStyle};

/// A bar; nothing is shown where standard error is no terminal.
pub(crate) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    pub(crate) fn new(what: &'static str, total: usize) -> Self {
        let bar = ProgressBar::new(total as u64);
        if let Ok(style) = ProgressStyle::with_template("{msg:>8} {wide_bar} {pos}/{len}, {eta} left") {
            bar.set_style(style);
        }
        bar.set_message(what);
        Self { bar }
    }

    pub(crate) fn advance(&self, count: usize) {
        self.bar.inc(count as u64);
    }

    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
