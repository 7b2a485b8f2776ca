//! Issuing commands: what they cost where, whether they may run now, and when the control stream goes on.

use std::rc::Rc;

use zpu_device::WhenFull;

use crate::bound::NodeId;
use crate::choices::Choice;
use crate::command_cost::CommandCost;
use crate::distance::Activity;
use crate::effect::{Effect, EffectKind};
use crate::fault::Fault;
use crate::hazard::Accessor;
use crate::machine::{CommandRef, Machine, Stop};
use crate::program::{LocationId, SpaceId};
use crate::recording::Event;
use crate::report::FindingKind;
use crate::simulate::Values;
use crate::touch::{Touch, accesses_of, touches_of};
use crate::trace::TraceKind;
use crate::whole_run::{Touched, Way};

/// Work that is about to be issued to an engine.
pub(crate) struct Order<'a> {
    pub(crate) name: &'a str,
    pub(crate) location: LocationId,
    pub(crate) engine: usize,
    pub(crate) price: Rc<CommandCost>,
    pub(crate) touches: &'a [Touch],
    /// Its effects on memory; empty in a run without values.
    pub(crate) effects: Vec<Effect>,
    pub(crate) synchronous: bool,
    /// True if the program names no engine for it. Then it is synchronous, and in no order with outstanding commands of
    /// any engine.
    pub(crate) bare: bool,
}

impl Machine<'_> {
    /// Checks the operands of effects that are to be one command of an engine; its price.
    pub(crate) fn priced(
        &mut self,
        engine: usize,
        effects: &[Effect],
        cycles: Option<u64>,
    ) -> Result<Rc<CommandCost>, Stop> {
        let mut whole: Option<Rc<CommandCost>> = None;
        for effect in effects {
            self.check_operands(effect)?;
            let price = self
                .price(engine, effect, cycles.or(effect.cycles))
                .map_err(|fault| Stop::Fault(fault, effect.location))?;
            whole = Some(match whole {
                None => price,
                Some(first) => Rc::new(first.then(&price)),
            });
        }
        Ok(match (whole, cycles) {
            (Some(price), None) => price,
            (price, cycles) => {
                let bytes = price.as_ref().map_or(0, |price| price.bytes);
                // A command that does nothing could be one of any engine.
                let others: Vec<usize> = match &price {
                    Some(price) => price.choices.iter().map(|choice| choice.engine).collect(),
                    None => (0..self.device.engines.len()).collect(),
                };
                Rc::new(self.fixed_price(engine, cycles.unwrap_or(0), bytes, others))
            }
        })
    }

    /// Carries a front end's own op out as strictly sequential commands of the device's obvious engines.
    pub(crate) fn issue_sequential(&mut self, name: &str, location: LocationId, effect: Effect) -> Result<(), Stop> {
        self.check_operands(&effect)?;
        let fault = |fault| Stop::Fault(fault, location);
        let engine = match &effect.kind {
            EffectKind::Run(_) | EffectKind::Softmax(_) => {
                let product = matches!(&effect.kind, EffectKind::Run(invocation) if invocation.prepared.kernel.product);
                let engine = if product {
                    self.routes.for_contraction()
                } else {
                    self.routes.for_vector()
                };
                let engine =
                    engine.ok_or_else(|| fault(Fault::Cost(format!("the device has no engine for `{name}`"))))?;
                self.note_operands(engine, name, location, &effect);
                engine
            }
            EffectKind::Copy(copy) => {
                let (from, to) = (self.space(&copy.source), self.space(&copy.target));
                let (rows, row_bytes) = copy.rows();
                let path = self.routes.path(self.device, from, to).map_err(|(from, to)| {
                    let known = self.device.route_names();
                    fault(Fault::Cost(format!(
                        "there is no way from {from} to {to}; the device has the routes {known}"
                    )))
                })?;
                match &path {
                    Some(hops) => self.note_hops(name, location, copy, hops),
                    None => {
                        let engine = self.routes.for_vector().unwrap_or(0);
                        self.note_operands(engine, name, location, &effect);
                    }
                }
                match (path, effect.cycles) {
                    (Some(hops), None) => return self.issue_hops(name, location, effect, &hops, rows, row_bytes),
                    (Some(hops), Some(_)) => hops.first().map_or(0, |hop| hop.engine),
                    (None, _) => self.routes.for_vector().unwrap_or(0),
                }
            }
        };
        let effects = vec![effect];
        let order = Order {
            name,
            location,
            engine,
            price: self.priced(engine, &effects, None)?,
            touches: &touches_of(&effects),
            effects: self.with_values(effects),
            synchronous: true,
            bare: true,
        };
        self.submit(order, None).map(drop)
    }

    /// A copy over several spaces, each step complete before the next; the data arrives with the last one.
    fn issue_hops(
        &mut self,
        name: &str,
        location: LocationId,
        effect: Effect,
        hops: &[crate::routes::Hop],
        rows: u64,
        row_bytes: u64,
    ) -> Result<(), Stop> {
        let mut effect = Some(effect);
        let mut before = None;
        for (i, hop) in hops.iter().enumerate() {
            let price = match &effect {
                Some(effect) if self.device.engines[hop.engine].dma().is_none() => self.price(hop.engine, effect, None),
                Some(Effect {
                    kind: EffectKind::Copy(copy),
                    ..
                }) => {
                    let price = self.transfer_price(hop.engine, hop.from, hop.to, rows, row_bytes);
                    price.map(|price| self.with_movers(price, copy, hop.from, hop.to))
                }
                _ => self.transfer_price(hop.engine, hop.from, hop.to, rows, row_bytes),
            };
            let price = price.map_err(|fault| Stop::Fault(fault, location))?;
            let effects: Vec<Effect> = if i + 1 == hops.len() {
                effect.take().into_iter().collect()
            } else {
                Vec::new()
            };
            let order = Order {
                name,
                location,
                engine: hop.engine,
                price,
                touches: &touches_of(&effects),
                effects: self.with_values(effects),
                synchronous: true,
                bare: true,
            };
            if i == 0
                && let Some(effect) = &effect
            {
                // The source is read by the first step.
                let accesses = accesses_of(&touches_of(std::slice::from_ref(effect)));
                let accessor = self.accessor(name, location, None);
                self.check_races(&accessor, &accesses);
            }
            before = self.submit(order, before)?.1;
        }
        Ok(())
    }

    /// The effects in a run with values; without, nothing is carried out.
    pub(crate) fn with_values(&self, effects: Vec<Effect>) -> Vec<Effect> {
        match self.options.values {
            Values::On => effects,
            Values::Off | Values::Assumed => Vec::new(),
        }
    }

    fn check_operands(&self, effect: &Effect) -> Result<(), Stop> {
        if self.options.values == Values::Assumed {
            return Ok(());
        }
        effect
            .check(&self.memory)
            .map_err(|fault| Stop::Fault(fault, effect.location))
    }

    /// The space of a view; of an empty view of a buffer that is gone, the default one.
    pub(crate) fn space(&self, view: &crate::view::View) -> SpaceId {
        let buffer = self.memory.live(view.buffer);
        buffer.map_or_else(|_| self.routes.default_space(), |buffer| buffer.space)
    }

    /// Issues an order; the reference to its command, and the command's node in the dataflow.
    pub(crate) fn submit(
        &mut self,
        order: Order<'_>,
        after: Option<NodeId>,
    ) -> Result<(CommandRef, Option<NodeId>), Stop> {
        let Order {
            engine,
            location,
            touches,
            ..
        } = order;
        let description = &self.device.engines[engine];
        let accessor = self.accessor(order.name, location, (!order.bare).then_some(engine));
        let mut accesses = Vec::new();
        if self.options.checks.race || self.lives.is_some() {
            accesses = accesses_of(touches);
            self.check_races(&accessor, &accesses);
        }
        self.check_banks(engine, location, touches);
        if let Some(known) = &mut self.known {
            let written = touches.iter().filter(|touch| touch.write);
            written.for_each(|touch| known.forget(touch.buffer, &touch.footprint));
        }
        let issue = self.issued;
        self.issued += 1;
        let begin = self.now;
        self.spend(Activity::Control, self.device.control.start_cycles)?;
        self.control.issue += self.now - begin;
        self.losses.issued(begin, self.now);
        self.trace_control(TraceKind::Issue, order.name, location, begin, Some(issue));
        if !self.make_room(&order, &accessor)? {
            match self.dropped.iter_mut().find(|(first, _)| is_alike(first, &accessor)) {
                Some((_, count)) => *count += 1,
                None => self.dropped.push((Rc::clone(&accessor), 1)),
            }
            let dropped = CommandRef {
                queue: self.outstanding[engine].iter().cloned().collect(),
                ..CommandRef::new(engine, 0, issue, accessor)
            };
            return Ok((dropped, None));
        }
        self.advance(self.now)?;
        if self.engines.pending(engine) == 0 {
            self.losses.arrives(engine, self.now);
        }
        self.sequence[engine] += u64::from(!order.bare);
        let sequence = self.sequence[engine];
        self.note_lives(&accesses, (!order.bare).then_some((engine, sequence)));
        self.bytes[engine] = self.bytes[engine].saturating_add(order.price.bytes);
        let node = self.options.bound.then(|| self.add_to_dataflow(&order, after));
        self.engines.push(engine, order.price.command(issue, self.now));
        self.outstanding[engine].push_back(Rc::clone(&accessor));
        let due = if self.options.values != Values::On {
            Vec::new()
        } else if order.bare {
            if let Some(recording) = &mut self.recording {
                recording.issue_bare(order.effects.clone(), Rc::clone(&accessor))?;
            }
            self.commits.issued_bare(engine, issue, order.effects)
        } else {
            self.record(|| Event::Issue {
                engine,
                effects: order.effects.clone(),
                accessor: Rc::clone(&accessor),
            })?;
            let place = (sequence, issue);
            let depth = description.queue_depth;
            self.commits.issued(engine, place, order.effects, depth)
        };
        self.commit(&due)?;
        if order.synchronous || description.blocking {
            let begin = self.now;
            self.losses.begin(Activity::Held, begin);
            if order.bare {
                self.until_bare_is_complete(engine)?;
            } else {
                self.until_complete(engine, sequence)?;
            }
            self.control.stalled_blocking += self.now - begin;
            self.trace_control(TraceKind::Wait, order.name, location, begin, Some(issue));
        } else if self.options.checks.race {
            self.hazards.record(engine, sequence, accesses, &accessor);
        }
        Ok((CommandRef::new(engine, sequence, issue, accessor), node))
    }

    /// Handles a full queue by its policy; false if the command is lost. A synchronous command waits for its end, and
    /// so for its place before, whatever the policy is.
    fn make_room(&mut self, order: &Order<'_>, accessor: &Rc<Accessor>) -> Result<bool, Stop> {
        let Order {
            engine,
            synchronous,
            bare,
            ..
        } = *order;
        let description = &self.device.engines[engine];
        let depth = description.queue_depth.max(1);
        let stalls = synchronous || description.when_full == WhenFull::Stall;
        let before = self.sequence[engine];
        if synchronous && !bare && description.when_full != WhenFull::Stall && before > 0 {
            // For other orders: the commands in the queue leave it first.
            self.record(|| Event::Wait {
                engine,
                sequence: before,
            })?;
        }
        if self.has_room(engine, depth) {
            let unknown = before - self.hazards.frontier(engine);
            if !stalls && unknown >= depth && self.options.checks.deadlock {
                self.report_possibly_full(engine, accessor);
            }
            return Ok(true);
        }
        // The reader of the recording decides what a full queue does in other orders of completion.
        let when_full = match self.recording {
            Some(_) => WhenFull::Stall,
            None if stalls => WhenFull::Stall,
            None => description.when_full,
        };
        match when_full {
            WhenFull::Stall => {
                let begin = self.now;
                self.losses.begin(Activity::Held, begin);
                self.until_free(engine, depth)?;
                self.control.stalled_queue += self.now - begin;
                self.trace_control(TraceKind::QueueFull, &description.name, accessor.location, begin, None);
                Ok(true)
            }
            WhenFull::Error => {
                let fault = Fault::QueueFull {
                    engine: description.name.clone(),
                    depth,
                };
                Err(Stop::Fault(fault, accessor.location))
            }
            WhenFull::Drop => Ok(false),
        }
    }

    /// Reports a command that finds room by the times of the cost model, and may find none by others.
    fn report_possibly_full(&mut self, engine: usize, accessor: &Rc<Accessor>) {
        let description = &self.device.engines[engine];
        let (name, depth) = (&description.name, description.queue_depth.max(1));
        let loss = match description.when_full {
            WhenFull::Drop => "it drops what comes on top",
            _ => "more is an error",
        };
        let message = format!(
            "`{}` may find the queue of @{name} full: it holds {depth} commands, and {loss}; wait for an earlier \
             command before",
            accessor.name
        );
        self.findings.other(
            self.program,
            FindingKind::Invalid,
            accessor.location,
            message,
            Vec::new(),
        );
    }

    /// Reports commands that are outstanding at the end of a private function, given how many each engine had before
    /// it: the caller knows nothing of their places in the queues, and of their barrier ids.
    pub(crate) fn report_left_in_flight(&mut self, issued: &[u64], location: LocationId) {
        for (engine, before) in issued.iter().enumerate() {
            if self.sequence[engine] <= self.hazards.frontier(engine).max(*before) {
                continue;
            }
            let message = format!(
                "a command on @{} may be in flight when a private function returns, whose caller knows nothing of the \
                 place that it takes in \
                 a queue, and of its barrier id; wait for it before",
                self.device.engines[engine].name
            );
            self.findings
                .other(self.program, FindingKind::Invalid, location, message, Vec::new());
        }
    }

    fn add_to_dataflow(&mut self, order: &Order<'_>, after: Option<NodeId>) -> NodeId {
        for touch in order.touches.iter().filter(|touch| touch.read) {
            self.dataflow.read(touch.buffer, &touch.footprint);
        }
        let place = (order.engine, self.sequence[order.engine]);
        let losses = &mut self.losses;
        let node = self.dataflow.add(&order.price, place, after, |(engine, sequence)| {
            losses.reads(engine, sequence);
        });
        for touch in order.touches.iter().filter(|touch| touch.write) {
            self.dataflow.write(touch.buffer, &touch.footprint, Some(node));
        }
        if self.recorder.is_some() {
            self.add_to_whole_run(order, after);
        }
        node
    }

    fn add_to_whole_run(&mut self, order: &Order<'_>, after: Option<NodeId>) {
        let Some(mut recorder) = self.recorder.take() else {
            return;
        };
        let mut touched = Vec::new();
        for touch in order.touches {
            if let Ok(buffer) = self.memory.live(touch.buffer) {
                touched.push(Touched {
                    buffer: touch.buffer,
                    footprint: touch.footprint.clone(),
                    read: touch.read,
                    write: touch.write,
                    bytes: buffer.bytes.len() as u64,
                    space: buffer.space.index(),
                    fixed: buffer.is_fixed(),
                });
            }
        }
        let price = &order.price;
        let work = recorder.work((Rc::clone(&price.choices), price.route), || self.ways(price));
        let location = self.program.location(order.location);
        let name = format!("{} at {location}", order.name);
        recorder.add(name, order.engine, work, &touched, after.map(NodeId::number));
        self.recorder = Some(recorder);
    }

    /// The choices for a command with what they take of links.
    fn ways(&self, price: &CommandCost) -> Vec<Way> {
        let way = |choice: &Choice| {
            let flow = price
                .route
                .and_then(|(from, to)| self.routes.flow(choice.engine, from, to));
            let flow = flow.map(|flow| self.routes.links().flow(flow));
            let shared = choice.shareable.min(choice.occupancy);
            Way {
                engine: choice.engine,
                start_latency: choice.latency,
                alone: choice.occupancy - shared,
                shared,
                rate: flow.map_or(0.0, |flow| flow.demand),
                links: flow.map_or_else(Vec::new, |flow| flow.links.clone()),
            }
        };
        price.choices.iter().map(way).collect()
    }

    /// Reports commands that were lost and never waited for.
    pub(crate) fn report_dropped(&mut self) {
        for (accessor, count) in std::mem::take(&mut self.dropped) {
            let engine = accessor
                .engine
                .map_or("?", |engine| self.device.engines[engine].name.as_str());
            let message = format!(
                "`{}` was dropped: the queue of @{engine} was full; wait for an earlier command before",
                accessor.name
            );
            for _ in 0..count {
                let (message, notes) = (message.clone(), Vec::new());
                self.findings
                    .other(self.program, FindingKind::Invalid, accessor.location, message, notes);
            }
        }
    }
}

/// True if two commands are of one statement and one engine.
pub(crate) fn is_alike(one: &Accessor, other: &Accessor) -> bool {
    (one.location, one.engine, &one.name) == (other.location, other.engine, &other.name)
}
