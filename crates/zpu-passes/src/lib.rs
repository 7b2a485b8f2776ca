//! zpu-passes
