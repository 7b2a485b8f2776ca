//! zpu-ir
