//! Costs of commands: the device's cost model is asked once for every different piece of work.

use std::cell::Cell;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use zpu_device::{Cost, EngineKind, Work};
use zpu_timing::{Command, FlowId};

use crate::bound::Demand;
use crate::choices::{Choices, SpaceMask, both, choices, copy_work};
use crate::effect::{Copy, Effect, EffectKind};
use crate::fault::Fault;
use crate::machine::Machine;
use crate::program::SpaceId;

/// The cost of a piece of work on an engine, and on any other.
#[derive(Clone, Debug)]
pub(crate) struct CommandCost {
    pub(crate) cost: Cost,
    pub(crate) flow: Option<FlowId>,
    /// The least cost on an engine that can stand in for this one.
    pub(crate) demand: Demand,
    /// The cost on every engine that a compiler could have chosen.
    pub(crate) choices: Choices,
    /// The memories that a transfer is between.
    pub(crate) route: Option<(SpaceId, SpaceId)>,
    /// The number of these choices among those of the run, once it was asked for.
    pub(crate) number: Cell<Option<u32>>,
    /// The class of the engines of its demand among those of the run, once it was asked for.
    pub(crate) class: Cell<Option<usize>>,
    /// Bytes that it moves.
    pub(crate) bytes: u64,
}

/// Engine, source, target, rows, bytes of a row.
type TransferKey = (usize, SpaceId, SpaceId, u64, u64);
/// Loop extents of a kernel, the memories of its operands, and its price.
type ByExtents = Vec<(Vec<i64>, SpaceMask, Rc<CommandCost>)>;

/// Prices that were asked for before. Only looked up, never iterated, so that hashing decides nothing.
#[derive(Debug, Default)]
pub(crate) struct CostTable {
    transfers: FxHashMap<TransferKey, Rc<CommandCost>>,
    /// By engine and kernel.
    kernels: FxHashMap<(usize, usize), ByExtents>,
}

/// Different extents of one kernel that are remembered; a program with more of them asks again.
const EXTENTS: usize = 16;
/// Different transfers that are remembered.
const TRANSFERS: usize = 4096;

impl Machine<'_> {
    /// The cost of an effect on an engine; `cycles` wins over the cost model.
    pub(crate) fn price(
        &mut self,
        engine: usize,
        effect: &Effect,
        cycles: Option<u64>,
    ) -> Result<Rc<CommandCost>, Fault> {
        let kind = self.device.engines[engine].kind;
        match (&effect.kind, cycles) {
            (EffectKind::Copy(copy), Some(cycles)) => {
                let bytes = if kind == EngineKind::Dma { copy.bytes() } else { 0 };
                Ok(Rc::new(self.given_price(engine, cycles, bytes, &effect.kind)))
            }
            (EffectKind::Run(_) | EffectKind::Softmax(_), Some(cycles)) => {
                Ok(Rc::new(self.given_price(engine, cycles, 0, &effect.kind)))
            }
            (EffectKind::Copy(copy), None) if kind == EngineKind::Dma => {
                let (rows, row_bytes) = copy.rows();
                let dims = copy.dims();
                let able = &self.device.engines[engine];
                if let Some(dma) = able.dma().filter(|_| !able.goes_through(dims)) {
                    let (engine, most) = (able.name.clone(), dma.dims);
                    return Err(Fault::Dimensions { dims, engine, most });
                }
                let (from, to) = (self.space(&copy.source), self.space(&copy.target));
                let price = self.transfer_price(engine, from, to, rows, row_bytes)?;
                Ok(self.with_movers(price, copy, from, to))
            }
            (EffectKind::Copy(copy), None) => {
                let others = self.copiers(copy);
                self.work_price(engine, &copy_work(copy), others).map(Rc::new)
            }
            (EffectKind::Softmax(softmax), None) => {
                let others = self.workers(engine, &effect.kind, self.spaces_of(&effect.kind));
                self.work_price(engine, &softmax.work(), others).map(Rc::new)
            }
            (EffectKind::Run(invocation), None) => {
                let (prepared, extents) = (&invocation.prepared, &invocation.extents);
                let key = (engine, prepared.id);
                let spaces = self.spaces_of(&effect.kind);
                if let Some(known) = self.prices.kernels.get(&key)
                    && let Some((.., price)) = known.iter().find(|(of, at, _)| of == extents && *at == spaces)
                {
                    return Ok(Rc::clone(price));
                }
                let work = prepared.kernel.work(extents, kind == EngineKind::Tensor);
                let others = self.workers(engine, &effect.kind, spaces);
                let price = Rc::new(self.work_price(engine, &work, others)?);
                let known = self.prices.kernels.entry(key).or_default();
                if known.len() == EXTENTS {
                    known.clear();
                }
                known.push((extents.clone(), spaces, Rc::clone(&price)));
                Ok(price)
            }
        }
    }

    /// A price that the program gives, on whichever of these engines.
    pub(crate) fn fixed_price(
        &self,
        engine: usize,
        cycles: u64,
        bytes: u64,
        others: impl IntoIterator<Item = usize>,
    ) -> CommandCost {
        let cost = Cost {
            latency: 0,
            occupancy: cycles,
            shareable: 0,
        };
        let others = others.into_iter().map(|engine| (engine, cost)).collect();
        self.price_among_peers(engine, cost, bytes, others)
    }

    /// A price that the program gives an effect.
    fn given_price(&self, engine: usize, cycles: u64, bytes: u64, kind: &EffectKind) -> CommandCost {
        let others = match self.options.bound {
            true => self.workers(engine, kind, self.spaces_of(kind)),
            false => Vec::new(),
        };
        self.fixed_price(engine, cycles, bytes, others.into_iter().map(|(engine, _)| engine))
    }

    fn work_price(&self, engine: usize, work: &Work, others: Vec<(usize, Cost)>) -> Result<CommandCost, Fault> {
        let cost = self.device.cost(&self.device.engines[engine], work);
        cost.map(|cost| self.price_among_peers(engine, cost, 0, others))
            .map_err(|error| Fault::Cost(error.to_string()))
    }

    /// The price of a transfer, with the vector engines that could copy instead.
    pub(crate) fn with_movers(
        &self,
        price: Rc<CommandCost>,
        copy: &Copy,
        from: SpaceId,
        to: SpaceId,
    ) -> Rc<CommandCost> {
        if !self.options.bound || self.routes.movers(from, to).is_empty() {
            return price;
        }
        let known = price.choices.iter().map(|choice| {
            let cost = Cost {
                latency: choice.latency,
                occupancy: choice.occupancy,
                shareable: choice.shareable,
            };
            (choice.engine, cost)
        });
        let others = known.chain(self.movers(copy, from, to));
        // None of them is left out, so it does not matter which one is the first.
        let first = price.choices.first().map_or(0, |choice| choice.engine);
        let own = price.choices.first().map_or(price.cost, |choice| Cost {
            latency: choice.latency,
            occupancy: choice.occupancy,
            shareable: choice.shareable,
        });
        Rc::new(CommandCost {
            choices: choices(first, own, others),
            number: Cell::default(),
            class: Cell::default(),
            ..(*price).clone()
        })
    }

    fn price_among_peers(&self, engine: usize, cost: Cost, bytes: u64, others: Vec<(usize, Cost)>) -> CommandCost {
        let demand = Demand {
            engines: self.routes.peers(engine).to_vec(),
            latency: cost.latency,
            occupancy: cost.occupancy,
            blocking: self.device.engines[engine].blocking,
            links: Vec::new(),
        };
        CommandCost {
            cost,
            flow: None,
            demand,
            choices: choices(engine, cost, others),
            route: None,
            number: Cell::default(),
            class: Cell::default(),
            bytes,
        }
    }

    /// The cost of a transfer on an engine, and its least cost on any engine of the route.
    pub(crate) fn transfer_price(
        &mut self,
        engine: usize,
        from: SpaceId,
        to: SpaceId,
        rows: u64,
        row_bytes: u64,
    ) -> Result<Rc<CommandCost>, Fault> {
        let key = (engine, from, to, rows, row_bytes);
        if let Some(price) = self.prices.transfers.get(&key) {
            return Ok(Rc::clone(price));
        }
        let name = |space| self.routes.space_name(space).to_owned();
        let work = Work::Transfer {
            from: name(from),
            to: name(to),
            rows,
            row_bytes,
        };
        let cost_on = |engine: usize| self.device.cost(&self.device.engines[engine], &work);
        let cost = cost_on(engine).map_err(|error| Fault::Cost(error.to_string()))?;
        let flow = self.routes.flow(engine, from, to);
        let engines = self.routes.servers(from, to).to_vec();
        let mut demand = Demand {
            latency: cost.latency,
            occupancy: cost.occupancy,
            blocking: engines.iter().all(|engine| self.device.engines[*engine].blocking),
            links: self.link_time(flow, cost),
            engines: Vec::new(),
        };
        let mut others = Vec::new();
        for &other in engines.iter().filter(|other| **other != engine) {
            let Ok(cost) = cost_on(other) else { continue };
            others.push((other, cost));
            demand.latency = demand.latency.min(cost.latency);
            demand.occupancy = demand.occupancy.min(cost.occupancy);
            let there = self.link_time(self.routes.flow(other, from, to), cost);
            demand.links.retain_mut(|(link, cycles)| {
                let same = there.iter().find(|(found, _)| found == link);
                *cycles = same.map_or(0.0, |(_, found)| cycles.min(*found));
                same.is_some()
            });
        }
        demand.engines = engines;
        let bytes = rows.saturating_mul(row_bytes);
        let price = Rc::new(CommandCost {
            cost,
            flow,
            demand,
            choices: choices(engine, cost, others),
            route: Some((from, to)),
            number: Cell::default(),
            class: Cell::default(),
            bytes,
        });
        if self.prices.transfers.len() == TRANSFERS {
            self.prices.transfers.clear();
        }
        self.prices.transfers.insert(key, Rc::clone(&price));
        Ok(price)
    }

    /// Cycles that a transfer takes each link at the link's full bandwidth.
    fn link_time(&self, flow: Option<FlowId>, cost: Cost) -> Vec<(usize, f64)> {
        let Some(flow) = flow else { return Vec::new() };
        let flow = self.routes.links().flow(flow);
        let time = |link: &usize| cost.shareable as f64 * flow.demand / self.device.links[*link].bytes_per_cycle;
        flow.links.iter().map(|link| (*link, time(link))).collect()
    }
}

impl CommandCost {
    /// The command of that number, as the clock sees it when it enters its queue.
    pub(crate) fn command(&self, issue: u64, arrival: u64) -> Command<u64> {
        let shared = self.cost.shareable.min(self.cost.occupancy);
        Command {
            tag: issue,
            arrival,
            latency: self.cost.latency,
            alone: self.cost.occupancy - shared,
            shared,
            flow: self.flow,
        }
    }

    /// Appends a piece of the same command: the engine is occupied from the beginning of the first to the end of the
    /// last.
    pub(crate) fn then(&self, next: &Self) -> Self {
        let cost = Cost {
            latency: self.cost.latency,
            occupancy: self.cost.occupancy.saturating_add(next.cost.total()),
            shareable: self.cost.shareable.saturating_add(next.cost.shareable),
        };
        let mut demand = self.demand.clone();
        demand.engines.retain(|engine| next.demand.engines.contains(engine));
        demand.occupancy = demand
            .occupancy
            .saturating_add(next.demand.latency)
            .saturating_add(next.demand.occupancy);
        demand.links.extend(next.demand.links.iter().copied());
        demand.blocking |= next.demand.blocking;
        Self {
            cost,
            flow: self.flow.or(next.flow),
            demand,
            choices: both(&self.choices, &next.choices),
            route: self.route.or(next.route),
            number: Cell::default(),
            class: Cell::default(),
            bytes: self.bytes.saturating_add(next.bytes),
        }
    }
}
