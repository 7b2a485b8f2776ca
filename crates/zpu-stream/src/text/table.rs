//! Answers as a table.

use std::fmt::Write as _;

use super::answer::{Answered, CaseAnswer, GraphAnswer};
use crate::plan::blocks;
use crate::verdict::Sizes;

/// Answers for people: a line an edge, and one for the buffer that all consumers share.
pub fn table(answers: &[Answered]) -> String {
    let mut text = String::new();
    for answer in answers {
        match answer {
            Answered::Case(answer) => case(&mut text, answer),
            Answered::Graph(answer) => graph(&mut text, answer),
            Answered::Declined(answer) => {
                let _ = writeln!(text, "{}: declined: {}", answer.id, answer.declined);
            }
        }
    }
    text
}

fn case(text: &mut String, answer: &CaseAnswer) {
    let _ = writeln!(text, "{}", answer.id);
    let _ = writeln!(
        text,
        "  {:<10} {:<13} {:>10} {:>10} {:>10} {:>10} {:>7} {:<10} {:<10} bound",
        "consumer", "verdict", "capacity", "retained", "ring", "ping-pong", "blocks", "block", "in place"
    );
    for (number, consumer) in answer.consumers.iter().enumerate() {
        let name = if consumer.name.is_empty() {
            number.to_string()
        } else {
            consumer.name.clone()
        };
        let _ = write!(text, "  {name:<10} {:<13} ", consumer.verdict);
        match (&consumer.sizes, &consumer.reason) {
            (Some(sizes), _) => line(text, &sizes.0),
            (None, reason) => {
                let _ = writeln!(text, "{}", reason.as_deref().unwrap_or_default());
            }
        }
    }
    if let Some(shared) = answer.shared.as_ref().filter(|_| answer.consumers.len() > 1) {
        let _ = write!(text, "  {:<10} {:<13} ", "shared", shared.verdict);
        line(text, &shared.sizes.0);
        let groups: Vec<String> = answer
            .groups
            .iter()
            .map(|group| group.iter().map(|id| id.0.to_string()).collect::<Vec<_>>().join(" "))
            .collect();
        let taken = if shared.taken == "shared" {
            "one buffer for all"
        } else {
            "one buffer for each group"
        };
        let separate = shared.separate;
        let _ = writeln!(
            text,
            "  groups {{{}}} hold {separate} in one buffer each: {taken}",
            groups.join("} {")
        );
    }
}

fn line(text: &mut String, sizes: &Sizes) {
    let _ = writeln!(
        text,
        "{:>10} {:>10} {:>10} {:>10} {:>7} {:<10} {:<10} {}",
        sizes.min_capacity,
        sizes.retained,
        sizes.circular_span,
        blocks(sizes, 2),
        sizes.epochs,
        shape(&sizes.block_shape),
        shape(&sizes.modulo_shape),
        match (sizes.is_exact, sizes.is_modulo_exact) {
            (true, true) => "exact",
            (true, false) => "exact, in place: upper bound",
            (false, _) => "upper bound",
        }
    );
}

fn shape(shape: &[i64]) -> String {
    match shape {
        [] => "scalar".to_owned(),
        _ => shape.iter().map(ToString::to_string).collect::<Vec<_>>().join("x"),
    }
}

fn graph(text: &mut String, answer: &GraphAnswer) {
    let proven = if answer.proven { "proven minimal" } else { "upper bound" };
    let _ = writeln!(
        text,
        "{}\n  cost {} ({proven}), {} conversions; majority vote {}",
        answer.id, answer.min_cost, answer.conversions, answer.majority_vote
    );
    for (name, choice) in &answer.choice.0 {
        let _ = writeln!(text, "  {name:<10} alternative {choice}");
    }
}
