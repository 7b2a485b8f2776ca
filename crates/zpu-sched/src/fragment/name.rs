//! The built-in schedules by name.

use std::fmt;
use std::str::FromStr;

/// A schedule that is known by name. The first eleven are predicates on pairs of fragments, the others total orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Builtin {
    /// No constraint: the incoming order.
    None,
    /// One forward, one backward.
    OneForwardOneBackward,
    /// All forwards, then all backwards.
    GPipe,
    /// 1F1B on the last mesh, GPipe elsewhere.
    GPipeBut1F1BForLastMesh,
    /// Rounds of as many microbatches as there are meshes, stage by stage.
    Circular,
    /// The same, with backward fragments in descending order.
    CircularWithReversedBackward,
    /// 1F1B with weight gradients in the gaps, without more memory.
    ZeroBubbleH1,
    /// Twice the forwards in flight, so that no gap remains; transfers take no time.
    ZeroBubbleH2ZeroTxLatency,
    /// The same for transfers that take half as long as a fragment.
    ZeroBubbleH2HalfTxLatency,
    /// The same for transfers that take as long as a fragment.
    ZeroBubbleH2FullTxLatency,
    /// Forward only: each mesh begins with its own microbatch.
    ParallelPipelinesWithWrapAround,
    /// Interleaved 1F1B, several stages on each mesh.
    Interleaved1F1B,
    /// All microbatches of a stage, then the mesh's next stage.
    BreadthFirst,
    /// Two stages on each mesh in the form of a V, without a bubble at equal times.
    ZeroBubbleV,
    /// DualPipe on a V.
    DualPipeV,
}

impl Builtin {
    /// All of them.
    pub const ALL: [Builtin; 15] = [
        Builtin::None,
        Builtin::OneForwardOneBackward,
        Builtin::GPipe,
        Builtin::GPipeBut1F1BForLastMesh,
        Builtin::Circular,
        Builtin::CircularWithReversedBackward,
        Builtin::ZeroBubbleH1,
        Builtin::ZeroBubbleH2ZeroTxLatency,
        Builtin::ZeroBubbleH2HalfTxLatency,
        Builtin::ZeroBubbleH2FullTxLatency,
        Builtin::ParallelPipelinesWithWrapAround,
        Builtin::Interleaved1F1B,
        Builtin::BreadthFirst,
        Builtin::ZeroBubbleV,
        Builtin::DualPipeV,
    ];

    /// The name by which users ask for it.
    pub fn name(self) -> &'static str {
        match self {
            Builtin::None => "none",
            Builtin::OneForwardOneBackward => "1F1B",
            Builtin::GPipe => "GPipe",
            Builtin::GPipeBut1F1BForLastMesh => "GPipeBut1F1BForLastMesh",
            Builtin::Circular => "Circular",
            Builtin::CircularWithReversedBackward => "CircularWithReversedBackward",
            Builtin::ZeroBubbleH1 => "ZeroBubbleH1",
            Builtin::ZeroBubbleH2ZeroTxLatency => "ZeroBubbleH2ZeroTxLatency",
            Builtin::ZeroBubbleH2HalfTxLatency => "ZeroBubbleH2HalfTxLatency",
            Builtin::ZeroBubbleH2FullTxLatency => "ZeroBubbleH2FullTxLatency",
            Builtin::ParallelPipelinesWithWrapAround => "ParallelPipelinesWithWrapAround",
            Builtin::Interleaved1F1B => "Interleaved1F1B",
            Builtin::BreadthFirst => "BreadthFirst",
            Builtin::ZeroBubbleV => "ZBV",
            Builtin::DualPipeV => "DualPipeV",
        }
    }

    /// True if it is given by a predicate; otherwise it is a total order.
    pub fn is_predicate(self) -> bool {
        !matches!(
            self,
            Builtin::Interleaved1F1B | Builtin::BreadthFirst | Builtin::ZeroBubbleV | Builtin::DualPipeV
        )
    }

    /// Twice the share of a fragment's time that H2 takes a transfer for; `None` for other schedules.
    pub(crate) fn doubled_latency(self) -> Option<i64> {
        match self {
            Builtin::ZeroBubbleH2ZeroTxLatency => Some(0),
            Builtin::ZeroBubbleH2HalfTxLatency => Some(1),
            Builtin::ZeroBubbleH2FullTxLatency => Some(2),
            _ => None,
        }
    }
}

impl fmt::Display for Builtin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that no schedule has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown schedule `{name}`; known are {}", Builtin::ALL.map(Builtin::name).join(", "))]
pub struct UnknownBuiltin {
    /// The name.
    pub name: String,
}

impl FromStr for Builtin {
    type Err = UnknownBuiltin;

    /// Takes the name in any case, with `builtin:` before it or without. `ZB-V`, `ZB-H1` and the like are known too.
    fn from_str(text: &str) -> Result<Builtin, UnknownBuiltin> {
        let lower = text.trim().to_ascii_lowercase();
        let name = lower.strip_prefix("builtin:").unwrap_or(&lower);
        let name = match name {
            "zb-v" | "zerobubblev" | "zbvzerobubble" => "zbv",
            "zb-h1" => "zerobubbleh1",
            "zb-h2" => "zerobubbleh2zerotxlatency",
            "breadth-first" => "breadthfirst",
            name => name,
        };
        let found = Builtin::ALL
            .into_iter()
            .find(|builtin| builtin.name().to_ascii_lowercase() == name);
        found.ok_or_else(|| UnknownBuiltin { name: text.to_owned() })
    }
}
