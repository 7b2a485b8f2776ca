//! Memory-planning instances and answers as text: JSON and CSV, the formats of `docs/memory-instance.md`.
//!
//! Invariant: names stand for ids; reading resolves them and refuses keys that it does not know, but leaves everything
//! else to [`check`](super::check()).

mod answer;
mod csv;
mod document;

pub use answer::{infeasible_json, infeasible_text, json, text};
pub use csv::{CsvError, SPACE, read_csv};
pub use document::{FileError, SCHEMA, read_json};
