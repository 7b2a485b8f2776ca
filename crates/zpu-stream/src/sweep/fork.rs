//! A sweep over a producer and some of its consumers.

use super::NEVER;
use super::epochs::epochs;
use super::gate::GateEvents;
use super::grid::Grid;
use super::modulo::{Moduli, Points, moduli};
use super::production::Production;
use super::reading::Reading;
use super::sizes::{Lives, Measure, measure};
use super::walk::Side;
use crate::fork::{ConsumerId, Fork};
use crate::verdict::{Edge, Method, Reason, Sizes, Verdict};

/// More accesses than may be walked over.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TooMany {
    pub(crate) accesses: u128,
}

/// Result of walking over a fork.
pub(crate) struct Swept {
    grid: Grid,
    production: Production,
    /// By consumer; nothing of those that were left out or that wait for themselves.
    readings: Vec<Option<Reading>>,
}

impl Swept {
    /// Walks over the producer and a list of consumers, of which each stands after the one that its gate is on.
    pub(crate) fn of(fork: &Fork, which: &[ConsumerId], limit: u32) -> Result<Swept, TooMany> {
        let producer = Side::writer(&fork.producer);
        let consumers: Vec<Side<'_>> = which
            .iter()
            .map(|id| Side::reader(&fork.consumers[id.index()].order))
            .collect();
        let sides: Vec<&Side<'_>> = std::iter::once(&producer).chain(&consumers).collect();
        let grid = Grid::of(&fork.tensor, &sides);
        let accesses = sides.iter().map(|side| grid.accesses(side));
        let accesses = accesses.fold(grid.units(), u128::saturating_add);
        if accesses > limit.into() {
            return Err(TooMany { accesses });
        }
        let production = Production::of(&producer, &grid);
        let mut readings: Vec<Option<Reading>> = fork.consumers.iter().map(|_| None).collect();
        for (id, side) in which.iter().zip(&consumers) {
            let consumer = &fork.consumers[id.index()];
            let gate = consumer.gate.and_then(|gate| {
                let events = GateEvents {
                    loops: &consumer.order.loops,
                    other_loops: &fork.consumers[gate.on.index()].order.loops,
                    prefix: gate.prefix,
                };
                Some((events, readings[gate.on.index()].as_ref()?))
            });
            let gate = gate.as_ref().map(|(events, other)| (events, other.needs.as_slice()));
            let is_awaited = fork
                .consumers
                .iter()
                .any(|other| other.gate.is_some_and(|gate| gate.on == *id));
            readings[id.index()] = Some(Reading::of(side, &grid, &production, gate, is_awaited));
        }
        Ok(Swept {
            grid,
            production,
            readings,
        })
    }

    /// The two sides of a pair as they are, over a dense tensor.
    pub(crate) fn of_sides(
        shape: &[i64],
        producer: &Side<'_>,
        consumers: &[Side<'_>],
        limit: u32,
    ) -> Result<Swept, TooMany> {
        let sides: Vec<&Side<'_>> = std::iter::once(producer).chain(consumers).collect();
        let grid = Grid::of(shape, &sides);
        let accesses = sides.iter().map(|side| grid.accesses(side));
        let accesses = accesses.fold(grid.units(), u128::saturating_add);
        if accesses > limit.into() {
            return Err(TooMany { accesses });
        }
        let production = Production::of(producer, &grid);
        let readings = consumers
            .iter()
            .map(|side| Some(Reading::of(side, &grid, &production, None, false)));
        let readings = readings.collect();
        Ok(Swept {
            grid,
            production,
            readings,
        })
    }

    /// Answer for one consumer that was walked over.
    pub(crate) fn edge(&self, fork: &Fork, id: ConsumerId, modulo_steps: u64) -> Option<Edge> {
        let reading = self.readings[id.index()].as_ref()?;
        let verdict = reading.verdict(&self.production);
        if verdict == Some(Verdict::Incompatible) {
            let reason = match (reading.never_written, fork.consumers[id.index()].gate) {
                (Some(unit), _) => Reason::NeverWritten(self.element(unit)),
                (None, _) if reading.completes() => Reason::NeverTouches,
                (None, gate) => gate.map_or(Reason::NeverTouches, |gate| Reason::WaitsFor(gate.on)),
            };
            return Some(Edge::incompatible(reason, Method::Sweep));
        }
        let sizes = self.sizes(&[id], modulo_steps)?;
        let verdict = verdict.unwrap_or(match sizes.epochs {
            1 => Verdict::ReorderFull,
            _ => Verdict::ReorderBlock,
        });
        Some(Edge {
            verdict,
            multiplicity: Some(reading.multiplicity().into()),
            dropped: Some(reading.dropped as u128 * self.grid.unit_volume()),
            sizes: Some(sizes),
            reason: None,
            method: Method::Sweep,
        })
    }

    /// Sizes of one buffer for some consumers; nothing if one of them never reads all it wants.
    pub(crate) fn sizes(&self, which: &[ConsumerId], modulo_steps: u64) -> Option<Sizes> {
        let (measure, lives) = self.measured(which)?;
        let (epochs, block_shape) = epochs(&self.production, &self.grid, &measure);
        let tables = self
            .grid
            .extents
            .iter()
            .zip(&self.grid.unit)
            .map(|(extent, unit)| (0..extent * unit).collect());
        let moduli = self.moduli(&measure, &lives, tables.collect(), modulo_steps);
        Some(Sizes {
            min_capacity: measure.min_capacity,
            retained: measure.retained,
            circular_span: measure.circular_span,
            epochs,
            block_shape,
            modulo_shape: moduli.shape,
            is_exact: true,
            is_modulo_exact: moduli.is_exact,
        })
    }

    /// Capacity, span and lives alone.
    pub(crate) fn measured(&self, which: &[ConsumerId]) -> Option<(Measure, Lives<'_>)> {
        let readings: Vec<&Reading> = which
            .iter()
            .map(|id| self.readings.get(id.index())?.as_ref())
            .collect::<Option<_>>()?;
        if !readings.iter().all(|reading| reading.completes() && reading.touches) {
            return None;
        }
        let lives = Lives::of(&readings);
        Some((measure(&self.production, &self.grid, &lives), lives))
    }

    /// Moduli, where coordinates of the tensor are given by dimension and place.
    pub(crate) fn moduli(&self, measure: &Measure, lives: &Lives<'_>, tables: Vec<Vec<i64>>, steps: u64) -> Moduli {
        let points = Points {
            production: &self.production,
            grid: &self.grid,
            lives,
            measure,
            tables,
        };
        moduli(&points, steps)
    }

    fn element(&self, unit: u32) -> Vec<i64> {
        let mut now = vec![0; self.grid.unit.len()];
        self.grid.coordinates(unit, &mut now);
        debug_assert_ne!(unit, NEVER);
        now.iter().zip(&self.grid.unit).map(|(x, unit)| x * unit).collect()
    }
}
