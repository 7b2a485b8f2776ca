//! Recorded commands as moves of engines, with the pieces of memory that each one touches.
//!
//! Invariant: a move is private only if no other engine, nor the control stream, ever touches its bytes in conflict
//! with it, whatever the stream waits for: nothing here rests on the rule by which races are found.

use zpu_device::{Device, WhenFull};

use crate::effect::Effect;
use crate::footprint::Footprint;
use crate::interval_set::IntervalSet;
use crate::memory::{BufferId, Memory};
use crate::recording::Event;

/// A move of an engine: one of its effects reads, or writes.
#[derive(Debug)]
pub(crate) struct Move {
    /// Its event, and its place among the effects of it; none for a command without any.
    pub(crate) effect: Option<(usize, usize)>,
    pub(crate) writes: bool,
    pub(crate) pieces: Vec<usize>,
    /// No other accessor can tell when it happens.
    pub(crate) private: bool,
}

/// The moves of an engine.
#[derive(Debug, Default)]
pub(crate) struct Engine {
    pub(crate) moves: Vec<Move>,
    /// Moves after which each of its commands is complete.
    pub(crate) ends: Vec<usize>,
    /// A full queue loses commands.
    pub(crate) depth: Option<usize>,
}

/// The moves of all engines and the events of the stream.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) engines: Vec<Engine>,
    /// By event: the pieces that the stream touches itself.
    pub(crate) touched: Vec<Vec<usize>>,
    /// Pieces of memory.
    pub(crate) pieces: usize,
}

impl Plan {
    pub(crate) fn new(events: &[Event], device: &Device, memory: &Memory) -> Self {
        let whole = memory.buffers.iter();
        let whole = whole.map(|buffer| Footprint::run(0, buffer.bytes.len() as u64));
        let whole: Vec<Footprint> = whole.collect();
        let pieces = IntervalSet::new(whole.len(), accesses(events, &whole).into_iter());
        let touched = events.iter().map(|event| {
            let mut touched = Vec::new();
            own_accesses(event, &whole, |buffer, bytes| touched.extend(pieces.of(buffer, bytes)));
            touched
        });
        let touched = touched.collect();
        let mut engines: Vec<Engine> = device
            .engines
            .iter()
            .map(|engine| Engine {
                depth: (engine.when_full != WhenFull::Stall).then_some(engine.queue_depth.max(1) as usize),
                ..Engine::default()
            })
            // Moves of commands that name no engine.
            .chain([Engine::default()])
            .collect();
        for (event, what) in events.iter().enumerate() {
            if let Event::Issue { engine, effects, .. } = what {
                let moves = &mut engines[*engine].moves;
                moves.extend(moves_of(event, effects, &pieces));
                let end = moves.len();
                engines[*engine].ends.push(end);
            }
        }
        let mut plan = Self {
            engines,
            touched,
            pieces: pieces.count(),
        };
        plan.find_private_moves(events);
        plan
    }

    /// Finds the private moves: no other move conflicts with them. The caller's accesses after the return conflict with
    /// a command unless the stream has waited for it.
    fn find_private_moves(&mut self, events: &[Event]) {
        /// Engines that have a bit of their own; nothing of any further one is private.
        const ENGINES: usize = 63;
        const STREAM: u64 = 1 << ENGINES;
        let bit = |engine: usize| 1u64 << engine.min(ENGINES - 1);
        let (mut readers, mut writers) = (vec![0u64; self.pieces], vec![0u64; self.pieces]);
        for (index, engine) in self.engines.iter().enumerate() {
            for each in &engine.moves {
                let of = if each.writes { &mut writers } else { &mut readers };
                each.pieces.iter().for_each(|piece| of[*piece] |= bit(index));
            }
        }
        let mut waited = vec![0; self.engines.len()];
        let mut callers = vec![false; self.pieces];
        for (event, touched) in events.iter().zip(&self.touched) {
            match event {
                Event::Wait { engine, sequence } => waited[*engine] = waited[*engine].max(*sequence),
                Event::Load { .. } => touched.iter().for_each(|piece| readers[*piece] |= STREAM),
                Event::Return { .. } => touched.iter().for_each(|piece| callers[*piece] = true),
                Event::Store { .. } | Event::Free { .. } => touched.iter().for_each(|piece| writers[*piece] |= STREAM),
                Event::Issue { .. } => {}
            }
        }
        for (index, engine) in self.engines.iter_mut().enumerate() {
            let last = waited[index].checked_sub(1);
            let over = last
                .and_then(|last| engine.ends.get(last as usize))
                .copied()
                .unwrap_or(0);
            // If a full queue loses commands, the stream can tell the completion of each one.
            let may_be = engine.depth.is_none() && index < ENGINES - 1;
            for (place, each) in engine.moves.iter_mut().enumerate() {
                let is_private = |piece: &usize| {
                    let reading = if each.writes { readers[*piece] } else { 0 };
                    (reading | writers[*piece]) & !bit(index) == 0 && (place < over || !callers[*piece])
                };
                each.private = may_be && each.pieces.iter().all(is_private);
            }
        }
    }
}

/// The moves of a command: each of its effects reads, then writes.
fn moves_of(event: usize, effects: &[Effect], pieces: &IntervalSet) -> Vec<Move> {
    let mut moves = Vec::new();
    for (place, effect) in effects.iter().enumerate() {
        for writes in [false, true] {
            let mut touched = Vec::new();
            effect.for_each_operand(|view, footprint, read, write| {
                if if writes { write } else { read } {
                    touched.extend(pieces.of(view.buffer, footprint));
                }
            });
            moves.push(Move {
                effect: Some((event, place)),
                writes,
                pieces: touched,
                private: false,
            });
        }
    }
    if moves.is_empty() {
        moves.push(Move {
            effect: None,
            writes: true,
            pieces: Vec::new(),
            private: false,
        });
    }
    moves
}

/// All accesses of a run.
fn accesses<'e>(events: &'e [Event], whole: &'e [Footprint]) -> Vec<(BufferId, Footprint)> {
    let mut all = Vec::new();
    for event in events {
        own_accesses(event, whole, |buffer, footprint| all.push((buffer, footprint.clone())));
        if let Event::Issue { effects, .. } = event {
            for effect in effects {
                effect.for_each_operand(|view, footprint, _, _| all.push((view.buffer, footprint.clone())));
            }
        }
    }
    all
}

/// Visits the accesses of the stream itself.
fn own_accesses<'f>(event: &'f Event, whole: &'f [Footprint], mut visit: impl FnMut(BufferId, &'f Footprint)) {
    let mut all = |buffer: &BufferId| {
        if let Some(whole) = whole.get(buffer.place()).filter(|whole| whole.start < whole.end) {
            visit(*buffer, whole);
        }
    };
    match event {
        Event::Issue { .. } | Event::Wait { .. } => {}
        Event::Load { buffer, footprint, .. } | Event::Store { buffer, footprint, .. } => visit(*buffer, footprint),
        Event::Free { buffer } => all(buffer),
        Event::Return { buffers } => buffers.iter().for_each(all),
    }
}
