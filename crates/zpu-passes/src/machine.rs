//! Demands of units on the machine.
//!
//! - A command takes its engine, and the control stream for its issue; on a blocking engine, for all of its time. Work
//!   of the control stream itself takes it for as long as it lasts.
//! - A transfer may be served by any engine with its route, if engines may be chosen: those are its alternatives.
//! - Links that the loop's engines could overload are resources of larger capacity, in sixteenths of a byte per cycle.
//! - A queue of depth D with n commands an iteration lets a command in only when its own instance of ceil(D / n)
//!   iterations before is complete: a dependence. The estimate of a plan counts exactly.

use zpu_device::{Cost, Device, Engine, EngineKind};
use zpu_ir::ops::Dma;
use zpu_ir::ty::MemRef;
use zpu_ir::{Op, Value, work};
use zpu_sched::{Alternative, CONTROL, Dependence, MAX_DISTANCE, OpId, Problem, ResourceId, Use};

use crate::annotations;
use zpu_analysis::body::{Body, Decline, Place, Unit, command_of};
use zpu_analysis::cost::{self, Costs};

/// The demand of a unit: one of several alternatives.
#[derive(Clone, Debug)]
pub(crate) struct Demand {
    /// The alternatives, in the device's order of engines; at least one.
    ways: Vec<Way>,
}

/// An alternative: one way to carry a unit out.
#[derive(Clone, Debug, Default)]
struct Way {
    /// The engine's name; none for the control stream.
    engine: Option<String>,
    /// Cycles from the beginning of the issue until the unit is complete.
    latency: u64,
    /// The engine, cycles from the beginning of the issue until it is occupied, and cycles that it is occupied.
    taken: Option<(ResourceId, u64, u64)>,
    uses: Vec<Use>,
}

impl Demand {
    /// The demand of a unit that takes no time and no resource.
    pub(crate) fn free() -> Self {
        let ways = vec![Way::default()];
        Self { ways }
    }

    /// The alternatives in the form of a scheduling problem.
    pub(crate) fn alternatives(&self) -> Vec<Alternative> {
        let alternative = |way: &Way| Alternative {
            latency: way.latency,
            uses: way.uses.clone(),
        };
        self.ways.iter().map(alternative).collect()
    }

    /// The engine of each alternative; none for the control stream.
    pub(crate) fn engines(&self) -> Vec<Option<String>> {
        self.ways.iter().map(|way| way.engine.clone()).collect()
    }

    /// Cycles until the unit is complete, in its slowest alternative.
    pub(crate) fn cycles(&self) -> u64 {
        self.ways.iter().map(|way| way.latency).max().unwrap_or(0)
    }

    /// The engine of a unit with one alternative: when it is occupied, and for how long.
    fn only_engine(&self) -> Option<(ResourceId, u64, u64)> {
        match self.ways.as_slice() {
            [only] => only.taken,
            _ => None,
        }
    }
}

/// The latency of a dependence between two commands that are certainly on one engine: the cycles that the first one
/// occupies it, since its queue keeps their order.
pub(crate) fn queued(from: &Demand, to: &Demand) -> Option<u64> {
    let ((from, before, taken), (to, after, _)) = (from.only_engine()?, to.only_engine()?);
    (from == to).then(|| (before + taken).saturating_sub(after))
}

/// Adds the engines, the control stream and crowded links to the problem. Returns the demand of each unit on them. With
/// `choose`, transfers without `zpu.engine` may change their engine.
pub(crate) fn demands<'c>(
    problem: &mut Problem,
    body: &Body<'c>,
    device: &Device,
    choose: bool,
) -> Result<Vec<Demand>, Decline<'c>> {
    let mut servers = Vec::new();
    for unit in &body.units {
        servers.push(match &unit.place {
            Place::Engine(name) => servers_of(unit, name, device, choose)?,
            Place::Control => Vec::new(),
        });
    }
    let mut machine = Machine::of(problem, device, servers.iter().flatten().copied());
    let commands: Vec<Op<'c>> = body.units.iter().map(command).collect();
    machine.add_crowded_links(problem, commands.iter().copied().zip(&servers));
    let units = body.units.iter().zip(commands).zip(&servers);
    units
        .map(|((unit, command), servers)| machine.demand(unit.op, command, servers))
        .collect()
}

/// The engines that may serve a command: the one that it names, or every one with its route that blocks as that one
/// does.
fn servers_of<'d, 'c>(
    unit: &Unit<'c>,
    name: &str,
    device: &'d Device,
    choose: bool,
) -> Result<Vec<&'d Engine>, Decline<'c>> {
    let Some(named) = device.engine(name) else {
        let message = format!("engine @{name} is not one of the device's: {}", device.engine_names());
        return Err(Decline::new("unknown-engine", unit.op, message));
    };
    if !choose || named.kind != EngineKind::Dma || annotations::keeps_engine(command(unit)) {
        return Ok(vec![named]);
    }
    let Some((from, to)) = route(command(unit)) else {
        return Ok(vec![named]);
    };
    let mut servers = device.engines_for_transfer(&from, &to, work::dims_of(command(unit)));
    servers.retain(|engine| engine.blocking == named.blocking);
    if servers.iter().any(|engine| engine.name == name) {
        Ok(servers)
    } else {
        Ok(vec![named])
    }
}

/// The command of a unit, without its guards.
fn command<'c>(unit: &Unit<'c>) -> Op<'c> {
    command_of(unit.op).map_or(unit.op, |command| command.op)
}

/// The names of the memories of a transfer, source first.
fn route(op: Op<'_>) -> Option<(String, String)> {
    let space = |value: Value<'_>| MemRef::of(value.ty())?.space().map(str::to_owned);
    let dma = Dma::of(op)?;
    Some((space(dma.source())?, space(dma.dest())?))
}

/// The machine's parts as resources.
pub(crate) struct Machine<'d> {
    device: &'d Device,
    engines: Vec<(String, ResourceId)>,
    links: Vec<(String, ResourceId)>,
    control: ResourceId,
}

impl<'d> Machine<'d> {
    /// Adds engines and the control stream to the problem.
    pub(crate) fn of<'e>(problem: &mut Problem, device: &'d Device, engines: impl Iterator<Item = &'e Engine>) -> Self {
        let mut machine = Self {
            device,
            engines: Vec::new(),
            links: Vec::new(),
            control: ResourceId(0),
        };
        for engine in engines {
            if machine.engine(engine).is_none() {
                // The `@` keeps the names of engines apart from that of the control stream.
                let resource = problem.add_resource(format!("@{}", engine.name), 1);
                problem.resources[resource.index()].queue = u32::try_from(engine.queue_depth).ok();
                machine.engines.push((engine.name.clone(), resource));
            }
        }
        machine.control = problem.add_resource(CONTROL, 1);
        machine
    }

    fn engine(&self, engine: &Engine) -> Option<ResourceId> {
        let found = self.engines.iter().find(|(name, _)| *name == engine.name);
        found.map(|(_, resource)| *resource)
    }

    /// The control stream.
    pub(crate) fn control(&self) -> ResourceId {
        self.control
    }

    /// Adds each link whose bandwidth is below the sum of what the engines that may serve the commands want of it, with
    /// one transfer each.
    pub(crate) fn add_crowded_links<'c, 's>(
        &mut self,
        problem: &mut Problem,
        commands: impl Iterator<Item = (Op<'c>, &'s Vec<&'s Engine>)> + Clone,
    ) {
        for link in &self.device.links {
            let mut wanted: Vec<u64> = vec![0; self.engines.len()];
            for (command, engine) in commands.clone().flat_map(|(c, s)| s.iter().map(move |e| (c, e))) {
                let Some((rate, links)) = flow(command, engine, self.device) else {
                    continue;
                };
                let place = self.engines.iter().position(|(name, _)| *name == engine.name);
                if let Some(place) = place.filter(|_| links.contains(&link.name)) {
                    wanted[place] = wanted[place].max(rate);
                }
            }
            let capacity = units(link.bytes_per_cycle);
            if wanted.iter().sum::<u64>() > capacity && capacity > 1 {
                let resource = problem.add_resource(format!("link {}", link.name), capacity as u32);
                problem.resources[resource.index()].shared = true;
                self.links.push((link.name.clone(), resource));
            }
        }
    }

    /// The demand of a unit: on one of the engines that may serve its command, or on the control stream if there are
    /// none.
    pub(crate) fn demand<'c>(&self, unit: Op<'c>, command: Op<'c>, servers: &[&Engine]) -> Result<Demand, Decline<'c>> {
        if servers.is_empty() {
            let cycles = cost::control_cycles(unit, self.device)?;
            let way = Way {
                latency: cycles,
                uses: vec![Use::whole(self.control, cycles)],
                ..Way::default()
            };
            return Ok(Demand { ways: vec![way] });
        }
        let costs = Costs::of(command);
        let ways = servers.iter().map(|engine| {
            let cost = match servers {
                [_] => cost::cost(command, self.device)?,
                _ => costs.on(self.device, engine)?,
            };
            self.way((unit, command), engine, cost)
        });
        let ways = ways.collect::<Result<_, _>>()?;
        Ok(Demand { ways })
    }

    fn way<'c>(&self, (unit, command): (Op<'c>, Op<'c>), engine: &Engine, cost: Cost) -> Result<Way, Decline<'c>> {
        let resource = self.engine(engine).unwrap_or(self.control);
        let mut issue = self.device.control.start_cycles;
        if unit.is("scf.if") {
            issue = issue.saturating_add(cost::guard_cycles(unit, self.device)?);
        }
        let offset = issue.saturating_add(cost.latency);
        let latency = offset.saturating_add(cost.occupancy);
        let held = if engine.blocking { latency } else { issue };
        let on_engine = Use {
            resource,
            amount: 1,
            cycles: cost.occupancy,
            offset,
        };
        let mut uses = vec![on_engine, Use::whole(self.control, held)];
        if let Some((rate, links)) = flow(command, engine, self.device) {
            let crossed = self.links.iter().filter(|(name, _)| links.contains(name));
            uses.extend(crossed.map(|&(_, resource)| Use {
                resource,
                amount: rate as u32,
                cycles: cost.shareable,
                offset: offset.saturating_add(cost.occupancy.saturating_sub(cost.shareable)),
            }));
        }
        Ok(Way {
            engine: Some(engine.name.clone()),
            latency,
            taken: Some((resource, offset, cost.occupancy)),
            uses,
        })
    }
}

/// The bandwidth that a transfer wants while its bytes move, in the units of `units`, and the links that it wants it
/// of. `None` without a limit.
fn flow(op: Op<'_>, engine: &Engine, device: &Device) -> Option<(u64, Vec<String>)> {
    let (from, to) = route(op)?;
    let dma = engine.dma()?;
    let route = dma.route(&from, &to)?;
    let rate = units(device.route_rate(dma, route));
    (rate > 0).then(|| (rate, route.links.clone()))
}

/// Bytes per cycle in sixteenths of a byte, so that slow links count as well; 0 without a limit.
fn units(bytes_per_cycle: f64) -> u64 {
    if !bytes_per_cycle.is_finite() || bytes_per_cycle <= 0.0 {
        return 0;
    }
    ((bytes_per_cycle * 16.0) as u64).clamp(1, 1 << 30)
}

/// Adds dependences for full queues, where these can delay commands.
pub(crate) fn limit_queues(problem: &mut Problem, device: &Device, demands: &[Demand]) {
    let issue = device.control.start_cycles;
    for resource in (0..problem.resources.len() as u32).map(ResourceId) {
        let Some(depth) = problem.resources[resource.index()].queue else {
            continue;
        };
        let on_it = |demand: &Demand| demand.only_engine().filter(|(engine, ..)| *engine == resource);
        let commands: Vec<(usize, u64)> = demands
            .iter()
            .enumerate()
            .filter_map(|(i, demand)| on_it(demand).map(|(_, _, taken)| (i, taken)))
            .collect();
        let work: u64 = commands
            .iter()
            .map(|(_, taken)| taken)
            .fold(0, |sum, taken| sum.saturating_add(*taken));
        for &(i, _) in &commands {
            let distance = u64::from(depth.max(1)).div_ceil(commands.len() as u64);
            let latency = demands[i].ways[0].latency.saturating_sub(issue);
            // If the work alone takes as long, the engine is the limit and not its queue.
            if distance <= MAX_DISTANCE.into() && work.saturating_mul(distance) < latency {
                problem.dependences.push(Dependence {
                    from: OpId(i as u32),
                    to: OpId(i as u32),
                    latency: i64::try_from(latency).ok(),
                    distance: distance as u32,
                });
            }
        }
    }
}

/// The number of the condition around a unit, if there is one: its place among those met so far.
pub(crate) fn condition_of<'c>(unit: Op<'c>, conditions: &mut Vec<Value<'c>>) -> Option<u32> {
    let condition = unit.is("scf.if").then(|| unit.operand(0))?;
    let place = conditions.iter().position(|known| *known == condition);
    let place = place.unwrap_or_else(|| {
        conditions.push(condition);
        conditions.len() - 1
    });
    u32::try_from(place).ok()
}
