//! Collects findings: one for each cause, with a count, in the order in which they were first seen.

use std::collections::HashMap;
use std::rc::Rc;

use zpu_device::Device;

use crate::hazard::{Accessor, Conflict};
use crate::layout::two_at_one_element;
use crate::memory::{BufferId, Memory, Origin};
use crate::program::{LocationId, Program, SpaceId};
use crate::report::{Finding, FindingKind, FindingNote, RaceParty, RaceReport};
use crate::view::View;

/// The cause of a finding; findings of one cause are one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Cause {
    /// A wait is missing: for which engine, and where.
    Race {
        engine: Option<usize>,
        later: LocationId,
    },
    /// A race with a command that nothing waits for: one wait may be missing before several accesses.
    RaceWith {
        engine: Option<usize>,
        earlier: LocationId,
    },
    Uninitialised {
        location: LocationId,
        buffer: Origin,
    },
    Capacity {
        location: Option<LocationId>,
        space: SpaceId,
    },
    Layout {
        location: LocationId,
    },
    Other {
        kind: FindingKind,
        location: LocationId,
        message: String,
    },
}

/// All findings of a run.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    list: Vec<Finding>,
    index: HashMap<Cause, usize>,
}

impl Findings {
    /// Errors and warnings, as two lists.
    pub(crate) fn into_lists(self) -> (Vec<Finding>, Vec<Finding>) {
        self.list.into_iter().partition(|finding| !finding.kind.is_warning())
    }

    /// True if nothing is wrong.
    pub(crate) fn is_empty(&self) -> bool {
        self.list.iter().all(|finding| finding.kind.is_warning())
    }

    fn add(&mut self, cause: Cause, finding: impl FnOnce() -> Finding) {
        match self.index.get(&cause) {
            Some(index) => self.list[*index].count += 1,
            None => {
                self.index.insert(cause, self.list.len());
                self.list.push(finding());
            }
        }
    }

    /// Anything that has no structure of its own.
    pub(crate) fn other(
        &mut self,
        program: &Program,
        kind: FindingKind,
        location: LocationId,
        message: String,
        notes: Vec<FindingNote>,
    ) {
        let cause = Cause::Other {
            kind,
            location,
            message: message.clone(),
        };
        let location = program.location(location).to_string();
        self.add(cause, || Finding {
            kind,
            location,
            message,
            notes,
            count: 1,
            race: None,
        });
    }

    pub(crate) fn uninitialised(
        &mut self,
        program: &Program,
        memory: &Memory,
        location: LocationId,
        buffer: BufferId,
        byte: u64,
    ) {
        let Some(origin) = memory.origin(buffer).cloned() else {
            return;
        };
        let owner = memory.owner(buffer, byte).map(|window| &window.origin);
        let byte = byte - memory.window(buffer).map_or(0, |window| window.first);
        let cause = Cause::Uninitialised {
            location,
            buffer: origin.clone(),
        };
        self.add(cause, || Finding {
            kind: FindingKind::Init,
            location: program.location(location).to_string(),
            message: match owner {
                Some(owner) => format!(
                    "reads byte {byte} of {}, which was last written as one of {} at the same address",
                    describe(program, &origin),
                    describe(program, owner)
                ),
                None => format!(
                    "reads byte {byte} of {}, which nothing has written",
                    describe(program, &origin)
                ),
            },
            notes: owner.map(|owner| shared(program, owner)).into_iter().collect(),
            count: 1,
            race: None,
        });
    }

    /// Reports a byte that an operation reads through one buffer and writes through another one.
    pub(crate) fn overwritten(
        &mut self,
        program: &Program,
        memory: &Memory,
        location: LocationId,
        (read, write): (BufferId, BufferId),
        byte: u64,
    ) {
        let (Some(origin), Some(owner)) = (memory.origin(read).cloned(), memory.origin(write)) else {
            return;
        };
        let byte = byte - memory.window(read).map_or(0, |window| window.first);
        let cause = Cause::Uninitialised {
            location,
            buffer: origin.clone(),
        };
        self.add(cause, || Finding {
            kind: FindingKind::Init,
            location: program.location(location).to_string(),
            message: format!(
                "reads byte {byte} of {} while it is written as one of {} at the same address",
                describe(program, &origin),
                describe(program, owner)
            ),
            notes: vec![shared(program, owner)],
            count: 1,
            race: None,
        });
    }

    pub(crate) fn race(
        &mut self,
        program: &Program,
        device: &Device,
        memory: &Memory,
        conflict: &Conflict,
        later: &Rc<Accessor>,
    ) {
        let earlier = &conflict.earlier;
        let (hazard, words) = match (conflict.earlier_writes, conflict.later_writes) {
            (true, false) => ("RAW", "read-after-write"),
            (false, _) => ("WAR", "write-after-read"),
            (true, true) => ("WAW", "write-after-write"),
        };
        let Some(origin) = memory.origin(conflict.buffer).cloned() else {
            return;
        };
        let first = memory.window(conflict.buffer).map_or(0, |window| window.first);
        let bytes = (conflict.bytes.0 - first, conflict.bytes.1 - first);
        let is_other = conflict.earlier_buffer != conflict.buffer;
        let other = is_other.then(|| memory.origin(conflict.earlier_buffer)).flatten();
        let engine = earlier.engine;
        let causes = [
            Cause::Race {
                engine,
                later: later.location,
            },
            Cause::RaceWith {
                engine,
                earlier: earlier.location,
            },
        ];
        let known = causes.iter().position(|cause| self.index.contains_key(cause));
        if let Some(place) = known.and_then(|by| self.index.get(&causes[by]).copied()) {
            let finding = &mut self.list[place];
            let further = if known == Some(0) {
                (
                    earlier.as_ref(),
                    format!("at other times it is {}", who(device, earlier)),
                )
            } else {
                (
                    later.as_ref(),
                    format!("at other times it is {} that does not wait for it", who(device, later)),
                )
            };
            note_further(finding, program, further.0, further.1);
            for cause in causes.clone() {
                self.index.entry(cause).or_insert(place);
            }
        }
        let [cause, further] = causes;
        self.index.entry(further).or_insert(self.list.len());
        self.add(cause, || {
            let (start, end) = bytes;
            let buffer = describe(program, &origin);
            let verb = |writes: bool| if writes { "writes" } else { "reads" };
            let message = format!(
                "{words} race: {}{} {} bytes {start}..{end} of {buffer} while {}{} may still be in flight",
                who(device, later),
                iteration(&later.iteration),
                verb(conflict.later_writes),
                who(device, earlier),
                iteration(&earlier.iteration),
            );
            let engine = earlier.engine.and_then(|engine| device.engines.get(engine));
            let note = format!(
                "{} {} them{} here, and nothing waits for it or for a later command on @{} in between; wait before {}",
                who(device, earlier),
                verb(conflict.earlier_writes),
                other.map_or_else(String::new, |other| format!(
                    ", as bytes of {},",
                    describe(program, other)
                )),
                engine.map_or("?", |engine| engine.name.as_str()),
                program.location(later.location),
            );
            Finding {
                kind: FindingKind::Race,
                location: program.location(later.location).to_string(),
                message,
                notes: vec![FindingNote {
                    location: program.location(earlier.location).to_string(),
                    message: note,
                }],
                count: 1,
                race: Some(RaceReport {
                    hazard: hazard.to_owned(),
                    buffer,
                    bytes,
                    earlier: side(program, device, earlier),
                    later: side(program, device, later),
                }),
            }
        });
    }

    /// A memref whose layout has two indices at one element, made by `what`.
    pub(crate) fn layout(&mut self, program: &Program, location: LocationId, what: &str, view: &View) {
        let Some((one, other)) = two_at_one_element(&view.sizes, &view.strides) else {
            return;
        };
        let (sizes, strides) = (&view.sizes, &view.strides);
        self.add(Cause::Layout { location }, || Finding {
            kind: FindingKind::Invalid,
            location: program.location(location).to_string(),
            message: format!(
                "{what} has sizes {sizes:?} and strides {strides:?}, by which {one:?} and {other:?} are one element; \
                 no \
                 layout of a memref maps two indices to one element, and what compiles a program relies on that: give \
                 each dimension a stride beyond what the smaller ones reach"
            ),
            notes: Vec::new(),
            count: 1,
            race: None,
        });
    }

    /// A space holds more than it can, as of an allocation or, with `None`, of the arguments.
    pub(crate) fn capacity(
        &mut self,
        program: &Program,
        memory: &Memory,
        location: Option<LocationId>,
        space: SpaceId,
        name: &str,
    ) {
        /// Live buffers that a message lists.
        const LISTED: usize = 8;
        let cause = Cause::Capacity { location, space };
        self.add(cause, || {
            let usage = &memory.spaces[space.index()];
            let mut live: Vec<(&Origin, u64)> = Vec::new();
            let buffers = memory.buffers.iter().filter(|buffer| buffer.space == space);
            for (of, more) in buffers.flat_map(|buffer| buffer.live_parts()) {
                match live.iter_mut().find(|(origin, _)| *origin == of) {
                    Some((_, bytes)) => *bytes += more,
                    None => live.push((of, more)),
                }
            }
            live.sort_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
            let place = location.map_or_else(|| "<arguments>".to_owned(), |id| program.location(id).to_string());
            let note = |(origin, bytes): &(&Origin, u64)| FindingNote {
                location: match origin {
                    Origin::Allocation(id) => program.location(*id).to_string(),
                    _ => place.clone(),
                },
                message: format!("{bytes} bytes of it are {}", describe(program, origin)),
            };
            Finding {
                kind: FindingKind::Capacity,
                message: format!(
                    "needs {} bytes of {name} at once, the device has {}; use smaller tiles or fewer versions",
                    usage.live, usage.capacity
                ),
                notes: live.iter().take(LISTED).map(note).collect(),
                location: place.clone(),
                count: 1,
                race: None,
            }
        });
    }
}

/// Adds to a finding that one more command or access is concerned; of many, a few.
fn note_further(finding: &mut Finding, program: &Program, accessor: &Accessor, message: String) {
    /// Places that a finding names.
    const PLACES: usize = 4;
    let location = program.location(accessor.location).to_string();
    let is_new = finding.location != location && finding.notes.iter().all(|note| note.location != location);
    if finding.notes.len() < PLACES && is_new {
        finding.notes.push(FindingNote { location, message });
    }
}

/// A buffer in words.
pub(crate) fn describe(program: &Program, origin: &Origin) -> String {
    match origin {
        Origin::Argument(position) => format!("argument {position}"),
        Origin::Allocation(location) => format!("the buffer allocated at {}", program.location(*location)),
        Origin::Global(name) => format!("the global `{name}`"),
        Origin::Space => "the memory".to_owned(),
    }
}

/// A note at an allocation that shares bytes with another one.
fn shared(program: &Program, owner: &Origin) -> FindingNote {
    let location = match owner {
        Origin::Allocation(location) => program.location(*location).to_string(),
        _ => String::new(),
    };
    let message = "allocated here, on bytes that both have; let its last use end before the first write of the other, \
                   or give the two other addresses";
    FindingNote {
        location,
        message: message.to_owned(),
    }
}

/// An access's author in words.
pub(crate) fn who(device: &Device, accessor: &Accessor) -> String {
    match accessor.engine.and_then(|engine| device.engines.get(engine)) {
        Some(engine) => format!("`{}` on @{}", accessor.name, engine.name),
        None => format!("`{}`", accessor.name),
    }
}

/// Iterations in words, with a space before; nothing outside of loops.
pub(crate) fn iteration(values: &[i64]) -> String {
    if values.is_empty() {
        return String::new();
    }
    let values: Vec<String> = values.iter().map(i64::to_string).collect();
    format!(" (iteration {})", values.join(", "))
}

fn side(program: &Program, device: &Device, accessor: &Accessor) -> RaceParty {
    let engine = accessor.engine.and_then(|engine| device.engines.get(engine));
    RaceParty {
        op: accessor.name.to_string(),
        engine: engine.map(|engine| engine.name.clone()),
        location: program.location(accessor.location).to_string(),
        iteration: accessor.iteration.to_vec(),
    }
}
