//! Cases as text, JSON schema 1, and answers as JSON or as a table: what the program `zpu-streams` reads and prints.
//!
//! Invariant: no text makes it panic. A badly written one is refused as a whole, with the path of the first fault.

mod answer;
mod fields;
mod graph;
mod read;
mod table;
mod unique;

use serde::Serialize;
use thiserror::Error;

pub use answer::{Answered, answer};
pub use read::read;
pub use table::table;

use crate::analyze::Limits;
use crate::fork::Fork;
use crate::layout::Problem;

/// The version of the form.
pub const SCHEMA: i64 = 1;

/// Reasons why a text is no document.
#[derive(Debug, Error)]
pub enum ReadError {
    /// Nothing but blanks.
    #[error(
        "the text is empty; a case is a JSON object, as in {{\"tensor\": [4, 6], \"producer\": ..., \"consumers\": \
         ...}}"
    )]
    Empty,
    /// No JSON.
    #[error("{0}")]
    Json(#[from] serde_json::Error),
    /// Something that does not belong there, or cannot be.
    #[error("{path}: {message}")]
    At {
        /// Keys and places from the outside in.
        path: String,
        /// Fault that was found.
        message: String,
    },
}

/// One question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// Edges of a tensor.
    Case(Fork),
    /// A graph of layouts.
    Graph(Graph),
}

/// A graph with its name and those of its layouts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    /// Its name.
    pub id: String,
    /// Problem to solve.
    pub problem: Problem,
}

/// Questions of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// The questions, in order.
    pub questions: Vec<Question>,
    /// Tells whether the file is a single question and no list; so is then the answer.
    pub is_single: bool,
}

/// Answers to all questions, in order.
pub fn answers(document: &Document, limits: Limits) -> Vec<Answered> {
    document
        .questions
        .iter()
        .map(|question| answer(question, limits))
        .collect()
}

/// Answers as JSON: one object for a single question, otherwise a list with one line for each.
pub fn json(document: &Document, answers: &[Answered]) -> String {
    let line = |answer: &Answered| to_json(answer);
    match answers {
        [one] if document.is_single => line(one) + "\n",
        _ => {
            let lines: Vec<String> = answers.iter().map(line).collect();
            format!(
                "[{}{}]\n",
                if lines.is_empty() { "" } else { "\n" },
                lines.join(",\n") + if lines.is_empty() { "" } else { "\n" }
            )
        }
    }
}

/// Writing numbers and strings to memory does not fail.
fn to_json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
