//! The fragments that an error is about, so that a caller can point at them, and their names.

use super::error::{FragmentError, Party, joined};
use super::problem::{NodeId, Program};
use super::verify::Violation;

impl Violation {
    /// The fragments and transfers that it names.
    pub fn nodes(&self) -> Vec<NodeId> {
        match self {
            Violation::Count { node, .. }
            | Violation::Misplaced { node }
            | Violation::Queue { node, .. }
            | Violation::Early { node, .. } => vec![*node],
            Violation::Deadlock(nodes) => nodes.clone(),
            Violation::Shape { .. }
            | Violation::Microbatch { .. }
            | Violation::Figure { .. }
            | Violation::BelowBound { .. }
            | Violation::OverCap { .. } => Vec::new(),
        }
    }

    /// The message, with names in place of numbers.
    pub fn describe(&self, program: &Program) -> String {
        match self {
            Violation::Deadlock(nodes) => {
                format!(
                    "these wait for each other: {}",
                    joined(&program.parties(nodes.iter().copied()), " -> ")
                )
            }
            Violation::Microbatch {
                mesh,
                stage,
                counter,
                forward,
                backward,
            } => format!(
                "mesh `{}`{} has {forward} forward and {backward} backward fragments of microbatch {counter}, must \
                 have one of each",
                program.mesh(*mesh),
                stage.map_or(String::new(), |stage| format!(", stage {stage},")),
            ),
            Violation::OverCap { mesh, found, cap } => {
                format!("mesh `{}` holds {found} bytes, the cap is {cap}", program.mesh(*mesh))
            }
            _ => self.to_string(),
        }
    }
}

impl FragmentError {
    /// The fragments and transfers that it names, in the order of its message.
    pub fn parties(&self) -> Vec<&Party> {
        match self {
            FragmentError::Table {
                missing: Some(party), ..
            }
            | FragmentError::UnknownMesh { party, .. }
            | FragmentError::UnknownNode { party, .. }
            | FragmentError::TransferToItself { party, .. }
            | FragmentError::LargeIndex { party, .. }
            | FragmentError::InferredWithOrigin { party }
            | FragmentError::TransposeCount { party, .. }
            | FragmentError::UnequalCounts { party, .. }
            | FragmentError::EmptyMesh { party, .. }
            | FragmentError::Budget { party, .. } => vec![party],
            FragmentError::TooManyCycles { party, .. } => party.iter().collect(),
            FragmentError::WrongMesh { party, operand, .. } => vec![party, operand],
            FragmentError::NoCounter { party, other } => vec![party, other],
            FragmentError::EqualKeys { first, second, .. } | FragmentError::Ambiguous { first, second, .. } => {
                vec![first, second]
            }
            FragmentError::CyclicData { cycle }
            | FragmentError::CyclicRules { cycle, .. }
            | FragmentError::Contradiction { cycle, .. } => cycle.iter().collect(),
            FragmentError::NoUnits { parties, .. } | FragmentError::DoesNotApply { parties, .. } => {
                parties.iter().collect()
            }
            FragmentError::NoMesh
            | FragmentError::DuplicateMesh { .. }
            | FragmentError::DuplicateName { .. }
            | FragmentError::TooManyNodes { .. }
            | FragmentError::TooManyBytes { .. }
            | FragmentError::Table { missing: None, .. }
            | FragmentError::RuleSyntax { .. }
            | FragmentError::OverCap { .. }
            | FragmentError::Unverified(_) => Vec::new(),
        }
    }
}
