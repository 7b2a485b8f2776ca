//! Facts that follow from the device alone, found once for each run: the engines and links of each route, and the
//! engines that can replace each other.

use std::collections::BTreeMap;
use std::rc::Rc;

use zpu_device::{Device, EngineKind, Role};
use zpu_timing::{Flow, FlowId, Links};

use crate::program::{EngineId, SpaceId};

/// An engine on a route.
#[derive(Clone, Debug)]
pub(crate) struct Hop {
    pub(crate) engine: usize,
    pub(crate) from: SpaceId,
    pub(crate) to: SpaceId,
}

/// The device's routes and groups of engines.
#[derive(Clone, Debug)]
pub(crate) struct Routes {
    /// The flow of a transfer, by engine and route; `None` if it takes nothing of a shared link.
    flows: BTreeMap<(usize, SpaceId, SpaceId), Option<FlowId>>,
    links: Rc<Links>,
    /// Engines that serve a route.
    servers: BTreeMap<(SpaceId, SpaceId), Vec<usize>>,
    /// By engine: the engines of the same kind, cost and operand rules, itself included.
    peers: Vec<Vec<usize>>,
    /// Vector engines whose operand rule names both spaces.
    movers: BTreeMap<(SpaceId, SpaceId), Vec<usize>>,
    /// By engine: the spaces that its rule for all operands allows.
    vector_spaces: Vec<u64>,
    off_chip: SpaceId,
    default_space: SpaceId,
    tensor: Option<usize>,
    vector: Option<usize>,
    names: Vec<String>,
}

impl Routes {
    pub(crate) fn new(device: &Device) -> Self {
        let space = |name: &str| device.memories.iter().position(|memory| memory.name == name);
        let id = |index: usize| SpaceId(index as u32);
        let mut flows = BTreeMap::new();
        let mut all_links = Links::new(device.links.iter().map(|link| link.bytes_per_cycle).collect());
        let mut servers: BTreeMap<_, Vec<usize>> = BTreeMap::new();
        for (engine, dma) in device
            .engines
            .iter()
            .enumerate()
            .filter_map(|(i, engine)| Some((i, engine.dma()?)))
        {
            for route in &dma.routes {
                let (Some(from), Some(to)) = (space(&route.from), space(&route.to)) else {
                    continue;
                };
                let crossed = |link: &zpu_device::Link| route.links.contains(&link.name);
                let links: Vec<usize> = (0..device.links.len()).filter(|i| crossed(&device.links[*i])).collect();
                let demand = device.route_rate(dma, route);
                let flow = (demand > 0.0 && !links.is_empty()).then(|| all_links.add(Flow { demand, links }));
                flows.entry((engine, id(from), id(to))).or_insert(flow);
                let list = servers.entry((id(from), id(to))).or_default();
                if !list.contains(&engine) {
                    list.push(engine);
                }
            }
        }
        let alike = |a: &zpu_device::Engine, b: &zpu_device::Engine| {
            a.kind == b.kind && a.cost == b.cost && a.operands == b.operands && a.blocking == b.blocking
        };
        let peers = device.engines.iter().map(|engine| {
            (0..device.engines.len())
                .filter(|other| alike(engine, &device.engines[*other]))
                .collect()
        });
        let named = |engine: &zpu_device::Engine| -> Vec<usize> {
            let spaces = engine.operands.spaces(Role::All).iter();
            spaces.filter_map(|name| space(name)).collect()
        };
        let mut movers: BTreeMap<_, Vec<usize>> = BTreeMap::new();
        for (index, engine) in device.engines.iter().enumerate() {
            if engine.kind != EngineKind::Vector {
                continue;
            }
            let spaces = named(engine);
            for (from, to) in spaces.iter().flat_map(|from| spaces.iter().map(move |to| (*from, *to))) {
                let list = movers.entry((id(from), id(to))).or_default();
                if !list.contains(&index) {
                    list.push(index);
                }
            }
        }
        let allowed = |engine: &zpu_device::Engine| match named(engine).as_slice() {
            [] => u64::MAX,
            spaces => spaces.iter().fold(0, |mask, space| mask | 1 << (space % 64)),
        };
        let first = |kind| device.engines.iter().position(|engine| engine.kind == kind);
        Self {
            flows,
            links: Rc::new(all_links),
            servers,
            peers: peers.collect(),
            movers,
            vector_spaces: device.engines.iter().map(allowed).collect(),
            off_chip: id(space(&device.off_chip).unwrap_or(0)),
            default_space: id(space(&device.default_space).unwrap_or(0)),
            tensor: first(EngineKind::Tensor),
            vector: first(EngineKind::Vector),
            names: device.memories.iter().map(|memory| memory.name.clone()).collect(),
        }
    }

    /// The memory of a caller's buffer that names no space.
    pub(crate) fn off_chip(&self) -> SpaceId {
        self.off_chip
    }

    /// The memory of an allocation that names no space.
    pub(crate) fn default_space(&self) -> SpaceId {
        self.default_space
    }

    /// The flow of a transfer on the links.
    pub(crate) fn flow(&self, engine: usize, from: SpaceId, to: SpaceId) -> Option<FlowId> {
        self.flows.get(&(engine, from, to)).copied().flatten()
    }

    /// The device's links, and the flows of all routes.
    pub(crate) fn links(&self) -> &Rc<Links> {
        &self.links
    }

    /// Engines that serve a route, in the device's order.
    pub(crate) fn servers(&self, from: SpaceId, to: SpaceId) -> &[usize] {
        self.servers.get(&(from, to)).map_or(&[], Vec::as_slice)
    }

    /// Engines that can stand in for an engine in any work, itself included.
    pub(crate) fn peers(&self, engine: usize) -> &[usize] {
        &self.peers[engine]
    }

    /// The vector engines whose operand rule names both spaces.
    pub(crate) fn movers(&self, from: SpaceId, to: SpaceId) -> &[usize] {
        self.movers.get(&(from, to)).map_or(&[], Vec::as_slice)
    }

    /// The spaces that the operand rule of a vector engine allows, by the place of the engine: a bit each, by place
    /// modulo 64.
    pub(crate) fn vector_spaces(&self, engine: usize) -> u64 {
        self.vector_spaces[engine]
    }

    /// The engine that does a front end's own contraction: the first tensor engine, else the first vector engine.
    pub(crate) fn for_contraction(&self) -> Option<usize> {
        self.tensor.or(self.vector)
    }

    /// The engine that does any other computation of a front end.
    pub(crate) fn for_vector(&self) -> Option<usize> {
        self.vector
    }

    /// The path of a copy that names no engine: by the fewest transfers, each on the first engine of its route. Without
    /// a route, by the vector engine (`None`) within one space on chip or between two that its operand rule names;
    /// without any path of routes, in steps of both kinds of engines. `Err` has the names of the spaces if there is no
    /// way.
    pub(crate) fn path(
        &self,
        device: &Device,
        from: SpaceId,
        to: SpaceId,
    ) -> Result<Option<Vec<Hop>>, (String, String)> {
        let name = |space: SpaceId| self.names[space.index()].clone();
        let rules = self
            .vector
            .map(|engine| device.engines[engine].operands.spaces(Role::All));
        let named = |space: SpaceId| rules.is_some_and(|spaces| spaces.contains(&name(space)));
        let within = from == to && from != self.off_chip && self.vector.is_some();
        if self.servers(from, to).is_empty() && (within || named(from) && named(to)) {
            return Ok(None);
        }
        let path = device
            .route_path(&name(from), &name(to))
            .or_else(|| device.data_path(&name(from), &name(to)))
            .ok_or_else(|| (name(from), name(to)))?;
        let id = |name: &String| {
            self.names
                .iter()
                .position(|known| known == name)
                .map(|index| SpaceId(index as u32))
        };
        let spaces: Vec<SpaceId> = path.iter().filter_map(id).collect();
        let hop = |pair: &[SpaceId]| {
            let by_vector = || {
                let mover = device.vector_mover(&name(pair[0]), &name(pair[1]))?;
                device.engines.iter().position(|engine| engine.name == mover.name)
            };
            Some(Hop {
                engine: self.servers(pair[0], pair[1]).first().copied().or_else(by_vector)?,
                from: pair[0],
                to: pair[1],
            })
        };
        spaces
            .windows(2)
            .map(hop)
            .collect::<Option<Vec<Hop>>>()
            .map(Some)
            .ok_or_else(|| (name(from), name(to)))
    }

    /// The name of a space.
    pub(crate) fn space_name(&self, space: SpaceId) -> &str {
        self.names.get(space.index()).map_or("?", String::as_str)
    }
}

/// The engine's index, if the device has it.
pub(crate) fn engine_index(device: &Device, engine: EngineId) -> Option<usize> {
    (engine.index() < device.engines.len()).then_some(engine.index())
}
