//! Fragment programs and answers as text: JSON, schema 1, and figures.

mod answer;
mod document;
mod draw;

pub use self::answer::{Shown, json, summary};
pub use self::document::{FileError, SCHEMA, read_program};
pub use self::draw::draw;
