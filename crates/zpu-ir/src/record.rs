//! Remarks that a function carries, for a pass at the end that makes a report of them.
//!
//! A function with the attribute `zpu.remarks` gets each remark that is emitted inside it appended there, whether or
//! not MLIR prints remarks. Since the record is part of the IR, a copy of a function has its own, and remarks on a copy
//! that is thrown away are not in the record of the function that stays.

use melior::ir::attribute::AttributeLike as _;
use mlir_sys as sys;

use crate::diagnostic::{Remark, RemarkKind};
use crate::scf::is_loop;
use crate::{Attribute, Location, Op, Place, annotation, attr};

/// Name of the remark that says that there is a loop.
pub const LOOP: &str = "loop";
/// Key of a loop's number in the metadata of its location.
const LOOP_KEY: &str = "zpu.loop";

/// In the order of the numbers that are recorded.
const KINDS: [RemarkKind; 4] = [
    RemarkKind::Passed,
    RemarkKind::Missed,
    RemarkKind::Failed,
    RemarkKind::Analysis,
];

/// A remark, as it was emitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// The flag of the pass that emitted it.
    pub pass: String,
    /// Reason or result in one word.
    pub name: String,
    /// Its kind.
    pub kind: RemarkKind,
    /// Its text.
    pub message: String,
    /// Keys and values.
    pub metrics: Vec<(String, String)>,
    /// Name of the operation that it is at.
    pub op: String,
    /// The place of that operation in the source: file and line, if it has them.
    pub place: Option<(String, u32)>,
    /// The innermost loop around the operation, itself included.
    pub in_loop: Option<LoopId>,
}

/// A loop of the function as it was when the record began: its number in program order.
///
/// It travels as metadata of the loop's location, since whatever a pass makes of a loop takes that over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LoopId(pub u32);

impl LoopId {
    /// The loop that an operation is made of; none for an operation that is no loop, or was made later.
    pub fn of(op: Op<'_>) -> Option<Self> {
        let (_, metadata) = taken_apart(op.loc()).filter(|_| is_loop(op))?;
        metadata.and_then(loop_number).map(Self)
    }

    /// The innermost loop around an operation, itself included.
    pub fn around(op: Op<'_>) -> Option<Self> {
        std::iter::once(op).chain(op.parents()).find_map(Self::of)
    }
}

impl Recorded {
    /// The value of a metric.
    pub fn metric(&self, key: &str) -> Option<&str> {
        let mut metrics = self.metrics.iter();
        metrics.find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }
}

/// The key by which a loop is recognised while passes rewrite it: its place in the source, and the number of loops of
/// that same place around it, since all loops of a tiled operation have the operation's place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LoopKey {
    /// File, empty if there is none.
    pub file: String,
    /// Line, 0 if there is none.
    pub line: u32,
    /// Column, 0 if there is none.
    pub column: u32,
    /// Number of loops of this place around this one.
    pub depth: u32,
}

impl LoopKey {
    /// The key of the innermost loop around an operation, itself included.
    pub fn around(op: Op<'_>) -> Option<Self> {
        let mut loops = std::iter::once(op).chain(op.parents()).filter(|op| is_loop(*op));
        let innermost = Place::of(loops.next()?.loc());
        let depth = loops.filter(|outer| Place::of(outer.loc()) == innermost).count();
        Some(Self {
            file: innermost.map_or("", |place| place.file).to_owned(),
            line: innermost.map_or(0, |place| place.line),
            column: innermost.map_or(0, |place| place.column),
            depth: u32::try_from(depth).unwrap_or(u32::MAX),
        })
    }
}

/// Lets a function carry the remarks that are emitted from now on, and numbers its loops. Does nothing for one that
/// does so already.
pub fn start(function: Op<'_>) {
    if function.has_attr(annotation::REMARKS) {
        return;
    }
    let context = function.context();
    function.set_attr(annotation::REMARKS, attr::array(context, &[]));
    let loops = function.walk().into_iter().filter(|op| is_loop(*op));
    for (number, op) in (0..).zip(loops) {
        let metadata = attr::dictionary(context, &[(LOOP_KEY, attr::int(context, number))]);
        let raw = op.loc().to_raw();
        // SAFETY: location, metadata and operation live in this context; the array has the length given.
        unsafe {
            let fused = sys::mlirLocationFusedGet(context.to_raw(), 1, &raw const raw, metadata.to_raw());
            sys::mlirOperationSetLocation(op.to_raw(), fused);
        }
    }
}

/// The remarks that a function carries, in the order in which they were emitted; `None` if it was not started.
pub fn read(function: Op<'_>) -> Option<Vec<Recorded>> {
    let remarks = attr::as_array(function.attr(annotation::REMARKS)?).unwrap_or_default();
    Some(remarks.into_iter().filter_map(recorded).collect())
}

/// Takes the remarks off a function, and the numbers off its loops and off what was made of them.
pub fn stop(function: Op<'_>) {
    function.remove_attr(annotation::REMARKS);
    for op in function.walk() {
        if let Some(loc) = without_numbers(op.loc()) {
            // SAFETY: both are alive.
            unsafe { sys::mlirOperationSetLocation(op.to_raw(), loc.to_raw()) }
        }
        let blocks = op.regions().into_iter().flat_map(|region| region.blocks());
        for argument in blocks.flat_map(|block| block.args()) {
            if let Some(loc) = without_numbers(argument.loc()) {
                // SAFETY: both are alive, and the value is the argument of a block.
                unsafe { sys::mlirBlockArgumentSetLocation(argument.to_raw(), loc.to_raw()) }
            }
        }
    }
}

/// The location as it would be if no loop had been numbered; `None` if it is that already. Stock passes join the
/// locations of operations that become one, so the numbered ones may be parts of others.
fn without_numbers(loc: Location<'_>) -> Option<Location<'_>> {
    let (parts, metadata) = taken_apart(loc)?;
    let kept = metadata.filter(|metadata| loop_number(*metadata).is_none());
    let plain: Vec<_> = parts
        .iter()
        .map(|part| without_numbers(*part).unwrap_or(*part))
        .collect();
    if kept == metadata && plain == parts {
        return None;
    }
    let plain: Vec<_> = plain.into_iter().map(Location::to_raw).collect();
    let metadata = kept.map_or(sys::MlirAttribute { ptr: std::ptr::null() }, |kept| kept.to_raw());
    // SAFETY: all parts live in the location's context, the array has the length given, and the metadata may be null.
    unsafe {
        let context = sys::mlirLocationGetContext(loc.to_raw());
        let count = plain.len() as isize;
        Some(Location::from_raw(sys::mlirLocationFusedGet(
            context,
            count,
            plain.as_ptr(),
            metadata,
        )))
    }
}

/// The parts of a fused location, and its metadata.
fn taken_apart(loc: Location<'_>) -> Option<(Vec<Location<'_>>, Option<Attribute<'_>>)> {
    let raw = loc.to_raw();
    // SAFETY: the location is alive; it is asked what it is before its parts are taken, which live in its context;
    // the array has as many elements as are written, and null is told apart.
    unsafe {
        if !sys::mlirLocationIsAFused(raw) {
            return None;
        }
        let count = sys::mlirLocationFusedGetNumLocations(raw);
        let mut parts = vec![sys::MlirLocation { ptr: std::ptr::null() }; count as usize];
        sys::mlirLocationFusedGetLocations(raw, parts.as_mut_ptr());
        let metadata = Attribute::from_option_raw(sys::mlirLocationFusedGetMetadata(raw));
        Some((
            parts.into_iter().map(|part| Location::from_raw(part)).collect(),
            metadata,
        ))
    }
}

/// The number of a loop in the metadata of its location.
fn loop_number(metadata: Attribute<'_>) -> Option<u32> {
    let entries = attr::as_dictionary(metadata)?;
    let number = entries.iter().find(|(key, _)| *key == LOOP_KEY)?;
    number_of(number.1)
}

/// The function that carries the remarks of an operation.
pub(crate) fn carrier(op: Op<'_>) -> Option<Op<'_>> {
    op.function().filter(|function| function.has_attr(annotation::REMARKS))
}

/// Appends a remark.
pub(crate) fn append(function: Op<'_>, remark: &Remark<'_>) {
    let context = function.context();
    let text = |text: &str| attr::string(context, text);
    let number = |number: u32| attr::int(context, number.into());
    let kind = KINDS.iter().position(|kind| *kind == remark.kind).unwrap_or(0);
    let metrics = remark.metrics.iter().flat_map(|(key, value)| [text(key), text(value)]);
    let metrics: Vec<Attribute<'_>> = metrics.collect();
    let mut entries = vec![
        ("pass", text(remark.pass)),
        ("name", text(remark.name)),
        ("kind", attr::int(context, kind as i64)),
        ("message", text(&remark.message)),
        ("metrics", attr::array(context, &metrics)),
        ("op", text(remark.op.name())),
    ];
    if let Some(place) = Place::of(remark.op.loc()) {
        entries.extend([("file", text(place.file)), ("line", number(place.line))]);
    }
    if let Some(LoopId(id)) = LoopId::around(remark.op) {
        entries.push(("loop", number(id)));
    }
    let mut remarks = function
        .attr(annotation::REMARKS)
        .and_then(attr::as_array)
        .unwrap_or_default();
    remarks.push(attr::dictionary(context, &entries));
    function.set_attr(annotation::REMARKS, attr::array(context, &remarks));
}

/// A remark of a record; `None` for an entry that is none.
fn recorded(remark: Attribute<'_>) -> Option<Recorded> {
    let entries = attr::as_dictionary(remark)?;
    let entry = |name: &str| entries.iter().find(|(key, _)| *key == name).map(|(_, value)| *value);
    let text = |name: &str| entry(name).and_then(attr::as_str).map(str::to_owned);
    let metrics = attr::as_array(entry("metrics")?)?;
    let metrics: Vec<&str> = metrics.into_iter().map(attr::as_str).collect::<Option<_>>()?;
    Some(Recorded {
        pass: text("pass")?,
        name: text("name")?,
        kind: *KINDS.get(usize::try_from(attr::as_int(entry("kind")?)?).ok()?)?,
        message: text("message")?,
        metrics: metrics
            .chunks_exact(2)
            .map(|pair| (pair[0].to_owned(), pair[1].to_owned()))
            .collect(),
        op: text("op")?,
        place: text("file").zip(entry("line").and_then(number_of)),
        in_loop: entry("loop").and_then(number_of).map(LoopId),
    })
}

fn number_of(attribute: Attribute<'_>) -> Option<u32> {
    u32::try_from(attr::as_int(attribute)?).ok()
}
