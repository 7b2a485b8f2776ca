//! Gives barrier ids to commands.
//!
//! Each command that somebody waits for gets a range of ids of its own, reused where lifetimes do not touch (first fit
//! by the beginning of the lifetime). Where that takes more ids than there are, engines do with less, those with the
//! most ids first, in this order: the commands of the engine share one ring of ids; the ring gets shorter down to one
//! id, so that a wait may get a later command of the same engine than it needs, which is right since an engine
//! completes in order; and last, the engine gets no id, and a wait becomes a fence over it. So any number of ids is
//! enough.

use std::collections::BTreeMap;

use crate::id::IdVec;
use crate::place::lifetime::Lifetime;
use crate::place::tree::{AsyncEngineId, CommandId, Engines};

/// The ids of a command: in iteration `n` it has id `base + (n + offset) mod size`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ring {
    pub(crate) base: i64,
    pub(crate) size: i64,
    pub(crate) offset: i64,
}

/// The means by which an engine's commands are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Means {
    /// Each by ids of its own.
    Own,
    /// By one ring of so many ids for all of them.
    Shared(i64),
    /// Not at all.
    Fence,
}

/// Ids for a function.
#[derive(Clone, Debug)]
pub(crate) struct Allocation {
    /// Ids of each command that has some.
    pub(crate) rings: BTreeMap<CommandId, Ring>,
    /// For each engine.
    pub(crate) means: IdVec<AsyncEngineId, Means>,
    /// Ids in use: those from 0 up to this one.
    pub(crate) used: i64,
}

/// Ids for commands, at most `limit`.
pub(crate) fn allocate(lifetimes: &[Lifetime], engines: &Engines, limit: i64) -> Allocation {
    let mut means: IdVec<AsyncEngineId, Means> = engines.ids().map(|_| Means::Own).collect();
    loop {
        let allocation = with_means(lifetimes, &means);
        if allocation.used <= limit {
            return allocation;
        }
        let usage = |engine: &AsyncEngineId| match means[*engine] {
            Means::Own => of_engine(lifetimes, *engine).map(|lifetime| lifetime.ring).sum(),
            Means::Shared(size) => size,
            Means::Fence => 0,
        };
        // Where all have one id, the engine with the fewest commands is the one that suffers least from fences.
        let count = |engine: &AsyncEngineId| of_engine(lifetimes, *engine).count();
        let most = means
            .ids()
            .max_by_key(|engine| (usage(engine), std::cmp::Reverse(count(engine))));
        let Some(engine) = most.filter(|engine| usage(engine) > 0) else {
            return allocation;
        };
        let longest = of_engine(lifetimes, engine).map(|lifetime| lifetime.ring).max();
        let longest = longest.unwrap_or(1);
        means[engine] = match means[engine] {
            Means::Own if count(&engine) > 1 => Means::Shared(longest),
            Means::Own if longest > 1 => Means::Shared(longest - 1),
            Means::Shared(size) if size > 1 => Means::Shared(size - 1),
            _ => Means::Fence,
        };
    }
}

fn of_engine(lifetimes: &[Lifetime], engine: AsyncEngineId) -> impl Iterator<Item = &Lifetime> {
    lifetimes.iter().filter(move |lifetime| lifetime.engine == engine)
}

fn with_means(lifetimes: &[Lifetime], means: &IdVec<AsyncEngineId, Means>) -> Allocation {
    let mut rings = BTreeMap::new();
    let mut used = 0;
    for (engine, means) in means.enumerate() {
        if let Means::Shared(size) = means {
            for (rank, lifetime) in (0..).zip(of_engine(lifetimes, engine)) {
                let (base, size, offset) = (used, *size, rank % size);
                rings.insert(lifetime.command, Ring { base, size, offset });
            }
            used += size;
        }
    }
    let mut own: Vec<&Lifetime> = lifetimes
        .iter()
        .filter(|lifetime| means[lifetime.engine] == Means::Own)
        .collect();
    own.sort_by_key(|lifetime| (lifetime.root, lifetime.first, lifetime.command));
    let first = used;
    let mut placed: Vec<(&Lifetime, i64)> = Vec::new();
    for lifetime in own {
        let mut taken: Vec<(i64, i64)> = placed
            .iter()
            .filter(|(other, _)| lifetime.excludes(other))
            .map(|(other, base)| (*base, base + other.ring))
            .collect();
        taken.sort_unstable();
        let mut base = first;
        for (start, end) in taken {
            if base + lifetime.ring > start {
                base = base.max(end);
            }
        }
        let (size, offset) = (lifetime.ring, 0);
        rings.insert(lifetime.command, Ring { base, size, offset });
        placed.push((lifetime, base));
        used = used.max(base + size);
    }
    Allocation {
        rings,
        means: means.clone(),
        used,
    }
}
