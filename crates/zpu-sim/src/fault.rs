//! Faults: errors of a program at run time. A fault ends the run and becomes a finding at the statement.

use crate::compute::ComputeError;
use crate::program::LocationId;
use crate::scalar::element_name;
use zpu_device::ElementType;

/// A statement that has no meaning, or none without values.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Fault {
    /// An index outside its dimension.
    #[error("index {index} is out of bounds: dimension {dim} has extent {size}")]
    Index {
        /// The index.
        index: i64,
        /// The dimension.
        dim: usize,
        /// Its extent.
        size: i64,
    },
    /// A number that decides what is done next, and that a run without values does not know.
    #[error("depends on a number that is read from memory")]
    Unknown(LocationId),
    /// A view that lies before its buffer.
    #[error("a view of extents {sizes:?} at byte {start} lies outside its buffer")]
    Outside {
        /// Byte of its first element.
        start: i64,
        /// Its extents.
        sizes: Vec<i64>,
    },
    /// Bytes outside the buffer.
    #[error("bytes {start}..{end} are outside the buffer of {size} bytes")]
    Bytes {
        /// First byte.
        start: u64,
        /// One past the last.
        end: u64,
        /// Bytes of the buffer.
        size: u64,
    },
    /// Bytes outside the window of a buffer at an address.
    #[error("bytes {start}..{end} of the memory are outside the buffer, which has bytes {first}..{last} of it")]
    Window {
        /// First byte.
        start: u64,
        /// One past the last.
        end: u64,
        /// First byte of the buffer.
        first: u64,
        /// One past its last.
        last: u64,
    },
    /// A buffer at an address that its memory does not have.
    #[error("the buffer takes {bytes} bytes from address {address} on, the memory has {capacity}; use a lower address")]
    Address {
        /// First byte.
        address: u64,
        /// Bytes of the buffer.
        bytes: u64,
        /// Bytes of the memory.
        capacity: u64,
    },
    /// A buffer that was freed.
    #[error("the buffer was deallocated before")]
    Deallocated,
    /// Freeing what cannot be freed.
    #[error("{0} cannot be deallocated")]
    Dealloc(String),
    /// A negative extent.
    #[error("an extent is {0}, it cannot be negative")]
    NegativeSize(i64),
    /// A size that no machine has.
    #[error("a size overflows 64 bits")]
    TooLarge,
    /// More memory than the simulator was given.
    #[error("an allocation of {bytes} bytes exceeds the simulator's limit of {limit} bytes in all")]
    HostMemory {
        /// Bytes asked for.
        bytes: u64,
        /// Bytes allowed.
        limit: u64,
    },
    /// Extents that have to be equal and are not.
    #[error("dimension {dim} is {left} on one side and {right} on the other")]
    Extent {
        /// The dimension.
        dim: usize,
        /// One extent.
        left: i64,
        /// The other.
        right: i64,
    },
    /// A number of dimensions that does not fit.
    #[error("expected {expected} dimensions, found {found}")]
    Rank {
        /// Expected.
        expected: usize,
        /// Found.
        found: usize,
    },
    /// Element types that have to be equal and are not.
    #[error("element types {} and {} differ", element_name(*.left), element_name(*.right))]
    Element {
        /// One.
        left: ElementType,
        /// The other.
        right: ElementType,
    },
    /// Dimensions that are not contiguous and cannot be collapsed.
    #[error("dimension {dim} is not contiguous with the next, so they cannot be collapsed")]
    NotContiguous {
        /// The outer dimension.
        dim: usize,
    },
    /// An operation without a result.
    #[error(transparent)]
    Compute(#[from] ComputeError),
    /// An index map without a value.
    #[error("an index map has no value at a point of its iteration space")]
    Map,
    /// An extent of an iteration space that no operand gives.
    #[error("no operand determines the extent of loop {0}")]
    Unbounded(usize),
    /// A loop that would not end.
    #[error("the loop's step is {0}, it has to be positive")]
    Step(i64),
    /// Deep recursion.
    #[error("function calls are nested more than {0} deep")]
    CallDepth(usize),
    /// An assertion of the program.
    #[error("assertion failed: {0}")]
    Assert(String),
    /// A register that holds something else, or nothing yet: the program is malformed.
    #[error("a value is not {0}")]
    Value(&'static str),
    /// An id of a program or device that does not exist.
    #[error("the program names {0} that does not exist")]
    Missing(&'static str),
    /// Work that an engine cannot do.
    #[error("{0}")]
    Cost(String),
    /// A transfer that no descriptor of the engine describes.
    #[error("the transfer goes through {dims} strided dimensions, engine `{engine}` through at most {most}")]
    Dimensions {
        /// The transfer's.
        dims: u64,
        /// The engine.
        engine: String,
        /// The engine's.
        most: u64,
    },
    /// A command to a queue that is full, where that is an error.
    #[error("the queue of engine `{engine}` is full: it holds {depth} commands; wait for one of them before")]
    QueueFull {
        /// The engine.
        engine: String,
        /// Its depth.
        depth: u64,
    },
    /// A barrier id that the device does not have.
    #[error("barrier id {id} does not exist, the device has {limit}: 0 to {}", .limit.saturating_sub(1))]
    IdRange {
        /// The id.
        id: i64,
        /// The number of them.
        limit: u64,
    },
    /// A wait for an id that nothing was issued with.
    #[error("waits for barrier id {0}, and no command was issued with it; issue one with it before")]
    NeverIssued(i64),
}
