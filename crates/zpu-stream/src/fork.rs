//! One tensor with its producer and its consumers: what is asked about.

use std::fmt;

use serde::Serialize;
use thiserror::Error;

use crate::order::{Order, OrderError, check_shape};

/// A consumer by its place in [`Fork::consumers`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct ConsumerId(pub u32);

impl ConsumerId {
    /// Its place in a list.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Condition of an event beside its elements: the events of another consumer with the same outermost loop indices,
/// and all earlier ones. A path that joins another one again is such a consumer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Gate {
    /// The other consumer.
    pub on: ConsumerId,
    /// Number of loop indices that are equal.
    pub prefix: usize,
}

/// Reader of a tensor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Consumer {
    /// For messages; may be empty.
    pub name: String,
    /// Order of its events.
    pub order: Order,
    /// Condition of its events beside their elements.
    pub gate: Option<Gate>,
}

impl Consumer {
    /// A consumer that waits for nothing but its elements.
    pub fn new(name: impl Into<String>, order: Order) -> Consumer {
        let name = name.into();
        Consumer {
            name,
            order,
            gate: None,
        }
    }

    /// The consumer with a gate.
    #[must_use]
    pub fn gated(self, on: ConsumerId, prefix: usize) -> Consumer {
        let gate = Some(Gate { on, prefix });
        Consumer { gate, ..self }
    }
}

/// A tensor, who writes it, and who reads it. Of a single consumer it is a pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fork {
    /// For messages; may be empty.
    pub name: String,
    /// Extents of the tensor.
    pub tensor: Vec<i64>,
    /// Order in which it is written.
    pub producer: Order,
    /// Readers.
    pub consumers: Vec<Consumer>,
}

/// One of the parties.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Party {
    /// The tensor itself.
    Tensor,
    /// Writer.
    Producer,
    /// Reader, with the name that it has.
    Consumer(ConsumerId, String),
}

impl fmt::Display for Party {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Party::Tensor => f.write_str("tensor"),
            Party::Producer => f.write_str("producer"),
            Party::Consumer(id, name) if name.is_empty() => write!(f, "consumer {}", id.0),
            Party::Consumer(id, name) => write!(f, "consumer {} (`{name}`)", id.0),
        }
    }
}

/// Reasons why nothing can be said.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ForkError {
    /// An order that is none.
    #[error("{party}: {error}")]
    Order {
        /// Owner of the order.
        party: Party,
        /// Reason.
        error: OrderError,
    },
    /// A gate on a consumer that is not there.
    #[error("{party}: the gate is on consumer {on}, there are {count} consumers")]
    NoConsumer {
        /// Owner of the gate.
        party: Party,
        /// On whom.
        on: u32,
        /// Number of them.
        count: usize,
    },
    /// A gate that shares more loops than there are.
    #[error("{party}: the gate shares {prefix} loop indices, but {other} has {loops} loops")]
    Prefix {
        /// Owner of the gate.
        party: Party,
        /// Number of loop indices that it shares.
        prefix: usize,
        /// Party that has too few: the consumer itself or the one that the gate is on.
        other: Party,
        /// Number of its loops.
        loops: usize,
    },
    /// More than is walked over, of a fork of which not even a bound is known.
    #[error("{party}: deciding needs {accesses} accesses, the limit is {limit}")]
    TooLarge {
        /// One of the parties.
        party: Party,
        /// Number of accesses.
        accesses: u128,
        /// Limit of that number.
        limit: u128,
    },
    /// Nobody reads.
    #[error("there is no consumer; give at least one")]
    NoReader,
}

impl Fork {
    /// A producer and one consumer.
    pub fn pair(tensor: Vec<i64>, producer: Order, consumer: Order) -> Fork {
        Fork {
            name: String::new(),
            tensor,
            producer,
            consumers: vec![Consumer::new("", consumer)],
        }
    }

    /// The consumer as it is called in messages.
    pub fn party(&self, id: ConsumerId) -> Party {
        let name = self.consumers.get(id.index()).map_or("", |consumer| &consumer.name);
        Party::Consumer(id, name.to_owned())
    }

    /// All consumers by number.
    pub fn ids(&self) -> impl Iterator<Item = ConsumerId> + use<> {
        (0..u32::try_from(self.consumers.len()).unwrap_or(u32::MAX)).map(ConsumerId)
    }

    /// Tells whether all numbers can be what they stand for.
    ///
    /// # Errors
    ///
    /// The first that cannot.
    pub fn check(&self) -> Result<(), ForkError> {
        let refuse = |party: Party| move |error: OrderError| ForkError::Order { party, error };
        check_shape(&self.tensor).map_err(refuse(Party::Tensor))?;
        self.producer.check(&self.tensor).map_err(refuse(Party::Producer))?;
        if self.consumers.is_empty() {
            return Err(ForkError::NoReader);
        }
        for (id, consumer) in self.ids().zip(&self.consumers) {
            consumer.order.check(&self.tensor).map_err(refuse(self.party(id)))?;
            let Some(gate) = consumer.gate else { continue };
            let Some(on) = self.consumers.get(gate.on.index()) else {
                return Err(ForkError::NoConsumer {
                    party: self.party(id),
                    on: gate.on.0,
                    count: self.consumers.len(),
                });
            };
            for (other, order) in [(id, &consumer.order), (gate.on, &on.order)] {
                if gate.prefix > order.loops.len() {
                    return Err(ForkError::Prefix {
                        party: self.party(id),
                        prefix: gate.prefix,
                        other: self.party(other),
                        loops: order.loops.len(),
                    });
                }
            }
        }
        Ok(())
    }

    /// Consumers such that each stands after the one that it waits for; those that wait for themselves are missing.
    pub fn gate_order(&self) -> Vec<ConsumerId> {
        let mut order: Vec<ConsumerId> = Vec::new();
        let mut is_placed = vec![false; self.consumers.len()];
        loop {
            let before = order.len();
            for (id, consumer) in self.ids().zip(&self.consumers) {
                let waits = consumer
                    .gate
                    .is_some_and(|gate| is_placed.get(gate.on.index()) != Some(&true));
                if !waits && !is_placed[id.index()] {
                    is_placed[id.index()] = true;
                    order.push(id);
                }
            }
            if order.len() == before {
                return order;
            }
        }
    }
}
