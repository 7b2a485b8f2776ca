//! Scheduling problems: operations that take resources for a while, dependences between them, and the buffers through
//! which they pass data.
//!
//! Invariant: ids are dense indices into the vectors of one [`Problem`]; [`crate::check`] says whether they are in
//! range.

use serde::{Deserialize, Serialize};

/// Name of the resource that stands for the control stream, see [`Problem::control`].
pub const CONTROL: &str = "control";

macro_rules! dense_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub u32);

        impl $name {
            /// The id as an index.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

dense_id!(
    /// An operation, by its place in [`Problem::operations`]; this is also its place in the source program.
    OpId
);
dense_id!(
    /// A resource, by its place in [`Problem::resources`].
    ResourceId
);
dense_id!(
    /// A buffer, by its place in [`Problem::buffers`].
    BufferId
);
dense_id!(
    /// A memory space, by its place in [`Problem::spaces`].
    SpaceId
);

/// The kind of a problem: one iteration of a loop, or straight-line code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A loop body: minimise the initiation interval, then bytes, length and versions.
    Cyclic,
    /// Straight-line code: minimise the makespan. Distances count as 0, buffers are ignored.
    Acyclic,
}

/// Something of which only so much can be taken at a time: an engine, a channel, the control stream, a link.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Resource {
    /// Unique name.
    pub name: String,
    /// Units there are at every cycle.
    pub capacity: u32,
    /// Commands that an engine holds, the one that it works on included, before the control stream has to wait for
    /// room; `None` for any number. [`crate::estimate`] counts with it; schedules and bounds do not, so express it as
    /// dependences for them.
    pub queue: Option<u32>,
    /// True for bandwidth: commands that together want more than the capacity all get slower, and none of them waits.
    /// [`crate::estimate`] counts with that; a schedule keeps the capacity, so the bounds by work alone hold for both.
    pub shared: bool,
}

/// A demand of an operation on a resource, relative to the operation's start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Use {
    /// The resource that is taken.
    pub resource: ResourceId,
    /// Units taken.
    pub amount: u32,
    /// The number of cycles; 0 takes nothing.
    pub cycles: u64,
    /// Cycles after the operation's start at which the use begins.
    pub offset: u64,
}

impl Use {
    /// One unit of `resource` for `cycles` cycles from the start.
    pub fn whole(resource: ResourceId, cycles: u64) -> Use {
        Use {
            resource,
            amount: 1,
            cycles,
            offset: 0,
        }
    }

    /// Cycles from the operation's start to the end of the use.
    pub(crate) fn end(&self) -> u64 {
        self.offset + self.cycles
    }
}

/// One way to carry out an operation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Alternative {
    /// Cycles from the start until the result is there.
    pub latency: u64,
    /// The uses of resources meanwhile.
    pub uses: Vec<Use>,
}

impl Alternative {
    /// Cycles from the start until the result is there and nothing is taken any more.
    pub(crate) fn span(&self) -> u64 {
        let ends = self.uses.iter().filter(|u| u.cycles > 0).map(Use::end);
        ends.fold(self.latency, u64::max)
    }
}

/// An operation; with more than one alternative, the scheduler chooses which engine serves it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Operation {
    /// Unique name.
    pub name: String,
    /// The ways to carry it out; at least one.
    pub alternatives: Vec<Alternative>,
    /// The condition under which it is carried out, if it is not in every iteration: one number for each condition.
    /// Schedules and bounds count as if it were true; but in a program, a wait that may not take place, or be for
    /// nothing, tells the control stream nothing about other commands, but for those of the same kernel iteration and
    /// stage under the same condition. [`crate::estimate`] counts with that.
    pub condition: Option<u32>,
}

/// `to` of iteration k + `distance` starts at least `latency` cycles after `from` of iteration k.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dependence {
    /// The operation that comes first.
    pub from: OpId,
    /// The operation that waits.
    pub to: OpId,
    /// Cycles; `None` is the latency of `from` (of the chosen alternative). A negative one is a deadline: it constrains
    /// times, but not the order of a [`crate::Plan`].
    pub latency: Option<i64>,
    /// Iterations.
    pub distance: u32,
}

/// A buffer that is written afresh in each iteration and may be renamed into a ring of versions. A ring of v versions
/// is one more dependence from each reader to each writer, with distance v. What a writer must keep of an earlier
/// iteration (an accumulator) is not a buffer here but a dependence.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Buffer {
    /// Unique name.
    pub name: String,
    /// Operations that write it. A write without readers counts as its own reader.
    pub writers: Vec<OpId>,
    /// Operations that read it.
    pub readers: Vec<OpId>,
    /// Size of one version.
    pub bytes: u64,
    /// The space that it lives in, if that space's capacity matters.
    pub space: Option<SpaceId>,
    /// Most versions allowed; `None` leaves it to the scheduler's options.
    pub max_versions: Option<u32>,
}

impl Buffer {
    /// A buffer without size, space and limit.
    pub fn new(name: impl Into<String>, writers: Vec<OpId>, readers: Vec<OpId>) -> Buffer {
        Buffer {
            name: name.into(),
            writers,
            readers,
            bytes: 0,
            space: None,
            max_versions: None,
        }
    }

    /// Limits the buffer to `versions` versions.
    pub fn with_max_versions(mut self, versions: u32) -> Buffer {
        self.max_versions = Some(versions);
        self
    }

    /// Puts the buffer into `space`, with `bytes` bytes for each version.
    pub fn with_bytes(mut self, bytes: u64, space: SpaceId) -> Buffer {
        self.bytes = bytes;
        self.space = Some(space);
        self
    }
}

/// A memory space with a capacity.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Space {
    /// Unique name.
    pub name: String,
    /// Capacity in bytes.
    pub bytes: u64,
}

/// A scheduling problem. Times are cycles.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Problem {
    /// The name in messages.
    pub name: String,
    /// Loop or straight line.
    pub kind: Kind,
    /// The resources that operations take.
    pub resources: Vec<Resource>,
    /// The operations, in source order.
    pub operations: Vec<Operation>,
    /// In which order, at which distance in time.
    pub dependences: Vec<Dependence>,
    /// Buffers that may be renamed.
    pub buffers: Vec<Buffer>,
    /// Memory capacities.
    pub spaces: Vec<Space>,
}

impl Problem {
    /// An empty loop problem.
    pub fn cyclic(name: impl Into<String>) -> Problem {
        Problem {
            name: name.into(),
            kind: Kind::Cyclic,
            resources: vec![],
            operations: vec![],
            dependences: vec![],
            buffers: vec![],
            spaces: vec![],
        }
    }

    /// An empty straight-line problem.
    pub fn acyclic(name: impl Into<String>) -> Problem {
        Problem {
            kind: Kind::Acyclic,
            ..Problem::cyclic(name)
        }
    }

    /// Adds a resource.
    pub fn add_resource(&mut self, name: impl Into<String>, capacity: u32) -> ResourceId {
        self.resources.push(Resource {
            name: name.into(),
            capacity,
            queue: None,
            shared: false,
        });
        ResourceId(self.resources.len() as u32 - 1)
    }

    /// Adds a memory space of `bytes` bytes.
    pub fn add_space(&mut self, name: impl Into<String>, bytes: u64) -> SpaceId {
        self.spaces.push(Space {
            name: name.into(),
            bytes,
        });
        SpaceId(self.spaces.len() as u32 - 1)
    }

    /// Adds an operation that can be carried out in one way.
    pub fn add_operation(&mut self, name: impl Into<String>, latency: u64, uses: Vec<Use>) -> OpId {
        self.add_choice(name, vec![Alternative { latency, uses }])
    }

    /// Adds an operation that can be carried out in several ways.
    pub fn add_choice(&mut self, name: impl Into<String>, alternatives: Vec<Alternative>) -> OpId {
        self.operations.push(Operation {
            name: name.into(),
            alternatives,
            condition: None,
        });
        OpId(self.operations.len() as u32 - 1)
    }

    /// Adds a dependence with the latency of `from`.
    pub fn add_dependence(&mut self, from: OpId, to: OpId, distance: u32) {
        self.dependences.push(Dependence {
            from,
            to,
            latency: None,
            distance,
        });
    }

    /// Adds a buffer.
    pub fn add_buffer(&mut self, buffer: Buffer) -> BufferId {
        self.buffers.push(buffer);
        BufferId(self.buffers.len() as u32 - 1)
    }

    /// The resource named [`CONTROL`], if there is one: the stream that issues everything. An operation's use of it is
    /// the cost of issuing, and an operation whose use of it lasts at least as long as its latency is *blocking*:
    /// nothing is issued before it is complete. One that takes no longer than its issue, on an engine with others that
    /// are not blocking, is not blocking either: it waits in the queue.
    pub fn control(&self) -> Option<ResourceId> {
        self.resources
            .iter()
            .position(|r| r.name == CONTROL)
            .map(|i| ResourceId(i as u32))
    }

    /// By operation and alternative: the cycles that it holds the control stream if it is blocking, else 0.
    pub(crate) fn blocking(&self) -> Vec<Vec<u64>> {
        let control = self.control();
        let held = |alternative: &Alternative| {
            let uses = alternative.uses.iter().filter(|u| Some(u.resource) == control);
            uses.map(Use::end).max().unwrap_or(0)
        };
        let alternatives = || self.operations.iter().flat_map(|operation| &operation.alternatives);
        let mut asynchronous = vec![false; self.resources.len()];
        for alternative in alternatives().filter(|alternative| held(alternative) < alternative.latency) {
            for used in alternative.uses.iter().filter(|u| Some(u.resource) != control) {
                asynchronous[used.resource.index()] = true;
            }
        }
        let blocking = |alternative: &Alternative| {
            let queued = alternative.uses.iter().any(|u| asynchronous[u.resource.index()]);
            let held = held(alternative);
            if held < alternative.latency || queued { 0 } else { held }
        };
        let each = self.operations.iter();
        each.map(|operation| operation.alternatives.iter().map(blocking).collect())
            .collect()
    }

    /// The ids of all operations in source order.
    pub fn op_ids(&self) -> impl Iterator<Item = OpId> + use<> {
        (0..self.operations.len() as u32).map(OpId)
    }
}
