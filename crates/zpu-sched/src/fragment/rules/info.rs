//! Fragments as rules name them.

use super::super::problem::{Fragment, Origin, Program, Split};

/// The information by which a rule names a fragment. It matches exactly: a field that is left out matches only
/// fragments without it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FragmentInfo {
    /// Computations, in order.
    pub origins: Vec<Origin>,
    /// Logical stage.
    pub stage: Option<u32>,
    /// Microbatch.
    pub call_counter: Option<u32>,
    /// Half of a backward fragment.
    pub split: Option<Split>,
    /// Name of the mesh.
    pub mesh: Option<String>,
}

impl FragmentInfo {
    /// The information of a fragment.
    pub fn of(program: &Program, fragment: &Fragment) -> FragmentInfo {
        FragmentInfo {
            origins: fragment.origins.clone(),
            stage: fragment.stage,
            call_counter: fragment.call_counter,
            split: fragment.split,
            mesh: Some(program.mesh(fragment.mesh).to_owned()),
        }
    }
}

/// Fragments that shall run in this order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rule {
    /// The fragments.
    pub ordered_fragments: Vec<FragmentInfo>,
}

/// Fragments that shall become one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MergeRule {
    /// The fragments.
    pub sources: Vec<FragmentInfo>,
    /// The fragment that they become.
    pub target: FragmentInfo,
}
