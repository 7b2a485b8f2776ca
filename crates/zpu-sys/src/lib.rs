//! zpu-sys
