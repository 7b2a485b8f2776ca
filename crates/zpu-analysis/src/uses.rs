//! Values that operations of a loop body need of each other.

use std::collections::{BTreeSet, HashMap};

use zpu_ir::scf::For;
use zpu_ir::{Op, Value};

use crate::body::used_values;

/// A value that a unit needs, directly or through operations that are no units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Need {
    /// A result of a unit of the same iteration, by its position in the list.
    Unit(usize),
    /// Something that the loop carries, by its position.
    Carried(usize),
}

/// Needs of a body's units, and of the values that it hands to the next iteration.
#[derive(Clone, Debug)]
pub struct Needs {
    /// Needs of each unit.
    pub units: Vec<BTreeSet<Need>>,
    /// For each value that the loop carries, the needs of its next value.
    pub yields: Vec<BTreeSet<Need>>,
}

/// Follows values through the body. `units` are operations of it, in program order.
pub fn needs<'c>(for_: For<'c>, units: &[Op<'c>]) -> Needs {
    let position: HashMap<Op<'c>, usize> = units.iter().copied().zip(0..).collect();
    let args = for_.iter_args().into_iter().enumerate();
    let mut known: HashMap<Value<'c>, BTreeSet<Need>> =
        args.map(|(i, arg)| (arg, BTreeSet::from([Need::Carried(i)]))).collect();
    let mut all = vec![BTreeSet::new(); units.len()];
    for op in for_.ops() {
        let used = used_values(op);
        let needed: BTreeSet<Need> = used
            .iter()
            .filter_map(|value| known.get(value))
            .flatten()
            .copied()
            .collect();
        let made = match position.get(&op) {
            Some(unit) => {
                all[*unit] = needed;
                BTreeSet::from([Need::Unit(*unit)])
            }
            None => needed,
        };
        if !made.is_empty() {
            known.extend(op.results().into_iter().map(|result| (result, made.clone())));
        }
    }
    let yields = for_.yields().into_iter();
    Needs {
        units: all,
        yields: yields
            .map(|value| known.get(&value).cloned().unwrap_or_default())
            .collect(),
    }
}

impl Needs {
    /// The units whose values a unit needs, each with the number of iterations between them.
    pub fn makers(&self, unit: usize) -> BTreeSet<(usize, u32)> {
        let mut found = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut open: Vec<(Need, u32)> = self.units[unit].iter().map(|need| (*need, 0)).collect();
        while let Some((need, distance)) = open.pop() {
            match need {
                Need::Unit(maker) => {
                    found.insert((maker, distance));
                }
                // A greater distance of the same maker is implied by the smaller one.
                Need::Carried(index) if seen.insert(index) => {
                    open.extend(self.yields[index].iter().map(|need| (*need, distance + 1)));
                }
                Need::Carried(_) => {}
            }
        }
        found
    }
}
