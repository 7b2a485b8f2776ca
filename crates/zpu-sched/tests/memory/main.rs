//! Memory planning: properties, known optima, the verifier against mutants, and texts.

mod common;
mod known;
mod mutants;
mod properties;
mod texts;
