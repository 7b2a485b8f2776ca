//! Questions that passes ask of a device. Answers depend on the order of the device's lists and on nothing else.

use std::fmt;

use crate::{Device, DmaCost, Engine, EngineCost, EngineKind, Link, Memory, Operands, Route, Work};

impl Device {
    /// The engine of that name.
    pub fn engine(&self, name: &str) -> Option<&Engine> {
        self.engines.iter().find(|engine| engine.name == name)
    }

    /// The memory of that name.
    pub fn memory(&self, name: &str) -> Option<&Memory> {
        self.memories.iter().find(|memory| memory.name == name)
    }

    /// The link of that name.
    pub fn link(&self, name: &str) -> Option<&Link> {
        self.links.iter().find(|link| link.name == name)
    }

    /// True if the space of that name is the off-chip memory.
    pub fn is_off_chip(&self, space: &str) -> bool {
        self.off_chip == space
    }

    /// The engines of one kind, in the device's order.
    pub fn engines_of_kind(&self, kind: EngineKind) -> impl Iterator<Item = &Engine> {
        self.engines.iter().filter(move |engine| engine.kind == kind)
    }

    /// The DMA engines that serve the route, in the device's order; empty when there is none.
    pub fn engines_for_route(&self, from: &str, to: &str) -> Vec<&Engine> {
        self.engines.iter().filter(|engine| engine.serves(from, to)).collect()
    }

    /// The DMA engines that serve the route and go through `dims` strided dimensions in one transfer, in the device's
    /// order.
    pub fn engines_for_transfer(&self, from: &str, to: &str, dims: u64) -> Vec<&Engine> {
        let mut engines = self.engines_for_route(from, to);
        engines.retain(|engine| engine.goes_through(dims));
        engines
    }

    /// Cycles of moving `rows` pieces of `row_bytes` bytes along [`Device::route_path`], one transfer after the other,
    /// each on its fastest engine, alone on its links. `None` when there is no path.
    pub fn transfer_cost(&self, from: &str, to: &str, rows: u64, row_bytes: u64) -> Option<u64> {
        let path = self.route_path(from, to)?;
        path.windows(2)
            .map(|hop| {
                let work = Work::Transfer {
                    from: hop[0].clone(),
                    to: hop[1].clone(),
                    rows,
                    row_bytes,
                };
                let engines = self.engines_for_route(&hop[0], &hop[1]);
                engines
                    .into_iter()
                    .filter_map(|engine| self.cost(engine, &work).ok())
                    .map(|cost| cost.total())
                    .min()
            })
            .try_fold(0_u64, |sum, hop| Some(sum.saturating_add(hop?)))
    }

    /// The names of all memories, for messages: `asram, wsram, rsram, dram`.
    pub fn memory_names(&self) -> String {
        list(self.memories.iter().map(|memory| memory.name.as_str()))
    }

    /// The names of all engines, for messages.
    pub fn engine_names(&self) -> String {
        list(self.engines.iter().map(|engine| engine.name.as_str()))
    }

    /// The names of the engines of one kind, for messages.
    pub fn engine_names_of_kind(&self, kind: EngineKind) -> String {
        list(self.engines_of_kind(kind).map(|engine| engine.name.as_str()))
    }

    /// The names of all links, for messages.
    pub fn link_names(&self) -> String {
        list(self.links.iter().map(|link| link.name.as_str()))
    }

    /// Every route of the device once, for messages: `dram->asram, rsram->dram`.
    pub fn route_names(&self) -> String {
        let mut seen: Vec<String> = Vec::new();
        for route in self
            .engines
            .iter()
            .filter_map(|engine| engine.dma())
            .flat_map(|dma| &dma.routes)
        {
            let name = route.to_string();
            if !seen.contains(&name) {
                seen.push(name);
            }
        }
        list(seen.iter().map(String::as_str))
    }
}

impl Engine {
    /// The cost of a DMA engine, `None` for another kind.
    pub fn dma(&self) -> Option<&DmaCost> {
        match &self.cost {
            EngineCost::Dma(dma) => Some(dma),
            _ => None,
        }
    }

    /// Cycles in which a tensor engine sets an accumulator to zero; `None` for one that cannot, and for another kind.
    pub fn zero_init(&self) -> Option<u64> {
        match &self.cost {
            EngineCost::Tensor(tensor) => tensor.zero_init,
            _ => None,
        }
    }

    /// True if it is a DMA engine whose transfers go through so many strided dimensions.
    pub fn goes_through(&self, dims: u64) -> bool {
        self.dma().is_some_and(|dma| dma.dims == 0 || dims <= dma.dims)
    }

    /// True if it is a DMA engine with that route.
    pub fn serves(&self, from: &str, to: &str) -> bool {
        self.dma().is_some_and(|dma| dma.route(from, to).is_some())
    }
}

impl DmaCost {
    /// The route between two spaces, if the engine serves it.
    pub fn route(&self, from: &str, to: &str) -> Option<&Route> {
        self.routes.iter().find(|route| route.from == from && route.to == to)
    }

    /// The routes it serves, for messages.
    pub fn route_names(&self) -> String {
        let names: Vec<String> = self.routes.iter().map(Route::to_string).collect();
        list(names.iter().map(String::as_str))
    }
}

impl EngineCost {
    /// The kind of engine that this is the cost of.
    pub fn kind(&self) -> EngineKind {
        match self {
            EngineCost::Dma(_) => EngineKind::Dma,
            EngineCost::Tensor(_) => EngineKind::Tensor,
            EngineCost::Vector(_) => EngineKind::Vector,
        }
    }
}

/// The role of an operand for an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// Matrix operand A.
    A,
    /// Matrix operand B.
    B,
    /// Matrix accumulator and result.
    C,
    /// Any operand of a vector engine.
    All,
}

impl Operands {
    /// The spaces that an operand of that role may be in, best first; empty means any.
    pub fn spaces(&self, role: Role) -> &[String] {
        match role {
            Role::A => &self.a,
            Role::B => &self.b,
            Role::C => &self.c,
            Role::All => &self.all,
        }
    }

    /// True if an operand of that role may be in `space`.
    pub fn allows(&self, role: Role, space: &str) -> bool {
        let spaces = self.spaces(role);
        spaces.is_empty() || spaces.iter().any(|allowed| allowed == space)
    }

    /// The space that an operand of that role has to be put in when it is in none of the allowed ones; `None` means
    /// any.
    pub fn preferred(&self, role: Role) -> Option<&str> {
        self.spaces(role).first().map(String::as_str)
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Role::A => "a",
            Role::B => "b",
            Role::C => "c",
            Role::All => "all",
        })
    }
}

impl fmt::Display for EngineKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            EngineKind::Dma => "dma",
            EngineKind::Tensor => "tensor",
            EngineKind::Vector => "vector",
        })
    }
}

impl fmt::Display for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}->{}", self.from, self.to)
    }
}

/// Names for a message: separated by commas, or `none`.
pub(crate) fn list<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    if names.is_empty() {
        "none".to_owned()
    } else {
        names.join(", ")
    }
}
