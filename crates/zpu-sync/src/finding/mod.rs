//! Objections to a proof: one finding for each pair of operations and buffer, and its message.

pub(crate) mod cause;

use crate::finding::cause::Race;
use crate::problem::EngineId;
use crate::program::epoch::{Epoch, Instance, Iteration};
use crate::program::same_id::{Sameness, compare};
use crate::program::scope::scope_of;
use crate::program::{ItemId, Kind, Program, RootId};
use std::collections::BTreeSet;

use crate::problem::view::{Def, Op, Value};
use crate::report::{Message, Note, note};

use crate::problem::algebra::Root;

/// A command that may be outstanding when something accesses the same memory.
#[derive(Clone, Debug)]
pub(crate) struct Hazard<'c> {
    pub(crate) instance: Instance,
    pub(crate) later: ItemId,
    pub(crate) earlier_writes: bool,
    pub(crate) later_writes: bool,
    /// The memory as the later one names it.
    pub(crate) root: Root<'c>,
    /// Iterations of the running loops, outermost first.
    pub(crate) context: Vec<(ItemId, Iteration)>,
    /// They certainly touch the same memory; otherwise it cannot be excluded.
    pub(crate) overlaps: bool,
    /// It depends on conditions that may belong together.
    pub(crate) conditional: bool,
}

/// A property that is not proven.
#[derive(Clone, Debug)]
enum Cause<'c> {
    Race(Hazard<'c>),
    UnknownEffects(Instance, ItemId),
    /// Memory that was freed before: who names it, its root by number, and as what it was freed.
    Gone(ItemId, RootId, RootId),
    /// An outstanding command when a private function returns, on memory that only the function knows; the return.
    InFlight(Instance, ItemId),
    /// The command, its engine, and those that are in the queue.
    QueueFull(ItemId, EngineId, Vec<ItemId>),
    /// A wait for a command that a full queue drops, the command, and those that are in the queue.
    Dropped(ItemId, ItemId, Vec<ItemId>),
    IdInUse(Instance, ItemId),
    /// The number, if it is one and the same, and how many there are.
    IdRange(ItemId, Option<i64>, u64),
    NeverIssued(ItemId),
}

/// A property that is not proven, and how certain it is that it does not hold.
#[derive(Clone, Debug)]
pub(crate) struct Finding<'c> {
    cause: Cause<'c>,
    /// There is an execution in which it happens; otherwise there may be one.
    pub(crate) certain: bool,
    /// The arguments of such an execution, in words.
    call: Option<String>,
}

/// All findings, in the order in which they were first seen.
#[derive(Clone, Debug, Default)]
pub(crate) struct Findings<'c> {
    pub(crate) list: Vec<Finding<'c>>,
    /// Waits for a barrier id whose command could not be told: whatever is open may be what one of them waits for.
    pub(crate) unnamed: BTreeSet<ItemId>,
}

impl<'c> Findings<'c> {
    fn add(&mut self, program: &Program<'c>, cause: Cause<'c>, certain: bool) {
        let same = |finding: &&mut Finding<'c>| cause.is_same(&finding.cause, program);
        match self.list.iter_mut().find(same) {
            Some(known) if certain && !known.certain => {
                *known = Finding {
                    cause,
                    certain,
                    call: None,
                }
            }
            Some(_) => {}
            None => self.list.push(Finding {
                cause,
                certain,
                call: None,
            }),
        }
    }

    pub(crate) fn race(&mut self, program: &Program<'c>, hazard: Hazard<'c>) {
        let certain = hazard.overlaps && !hazard.conditional;
        self.add(program, Cause::Race(hazard), certain);
    }

    /// The effects of one of the two are not known.
    pub(crate) fn unknown_effects(&mut self, program: &Program<'c>, instance: &Instance, later: ItemId) {
        self.add(program, Cause::UnknownEffects(instance.clone(), later), false);
    }

    /// An item names memory, a root by number, that was freed before as that root or another one.
    pub(crate) fn gone(&mut self, program: &Program<'c>, item: ItemId, named: RootId, freed: RootId, certain: bool) {
        self.add(program, Cause::Gone(item, named, freed), certain);
    }

    /// A command is outstanding when a private function returns: its caller knows nothing of queues and barrier ids
    /// that it takes up.
    pub(crate) fn in_flight(&mut self, program: &Program<'c>, instance: &Instance, end: ItemId, certain: bool) {
        self.add(program, Cause::InFlight(instance.clone(), end), certain);
    }

    /// A command may be given to a full queue.
    pub(crate) fn queue_full(
        &mut self,
        program: &Program<'c>,
        item: ItemId,
        engine: EngineId,
        queue: Vec<ItemId>,
        certain: bool,
    ) {
        self.add(program, Cause::QueueFull(item, engine, queue), certain);
    }

    /// A command is waited for that a full queue has dropped.
    pub(crate) fn dropped(&mut self, program: &Program<'c>, wait: ItemId, item: ItemId, queue: Vec<ItemId>) {
        self.add(program, Cause::Dropped(wait, item, queue), true);
    }

    /// An id is taken while another engine's command holds it.
    pub(crate) fn id_in_use(&mut self, owner: Instance, new_owner: ItemId, program: &Program<'c>, certain: bool) {
        self.add(program, Cause::IdInUse(owner, new_owner), certain);
    }

    /// The device has no such id, or may not have it.
    pub(crate) fn id_range(&mut self, program: &Program<'c>, item: ItemId, id: Option<i64>) {
        self.add(program, Cause::IdRange(item, id, program.device.sync.ids), id.is_some());
    }

    /// An id is waited for that no command was started with, where the device does not take that.
    pub(crate) fn never_issued(&mut self, item: ItemId, certain: bool, program: &Program<'c>) {
        self.add(program, Cause::NeverIssued(item), certain);
    }

    /// Takes over what an execution with these arguments has shown.
    pub(crate) fn confirm(&mut self, program: &Program<'c>, shown: &Self, call: &str) {
        for shown in &shown.list {
            let call = Some(call.to_owned());
            let same = |finding: &&mut Finding<'c>| shown.cause.is_same(&finding.cause, program);
            match self.list.iter_mut().find(same) {
                Some(known) if known.call.is_some() => {}
                // Where it was seen for certain before, the first iteration in which it happens was seen.
                Some(known) if known.certain => known.call = call,
                Some(known) => *known = Finding { call, ..shown.clone() },
                None => self.list.push(Finding { call, ..shown.clone() }),
            }
        }
    }

    /// True if an execution shows each of them.
    pub(crate) fn are_confirmed(&self) -> bool {
        self.list.iter().all(|finding| finding.call.is_some())
    }

    /// Makes findings uncertain that no execution has shown, unless they do not hang on one.
    pub(crate) fn take_back(&mut self) {
        for finding in &mut self.list {
            finding.certain &= finding.call.is_some() || matches!(finding.cause, Cause::IdRange(_, Some(_), _));
        }
    }

    /// Commands that may be given to a full queue.
    pub(crate) fn of_full_queues(&self) -> impl Iterator<Item = ItemId> + '_ {
        self.list.iter().filter_map(|finding| match finding.cause {
            Cause::QueueFull(item, ..) => Some(item),
            _ => None,
        })
    }

    /// True if there are more than before.
    pub(crate) fn are_more_than(&self, before: &Self) -> bool {
        self.list.len() > before.list.len()
    }
}

impl<'c> Cause<'c> {
    fn is_same(&self, other: &Self, program: &Program<'c>) -> bool {
        match (self, other) {
            (Self::Race(a), Self::Race(b)) => {
                let op = |item: ItemId| program.items[item].op;
                op(a.instance.item) == op(b.instance.item) && a.later == b.later && a.root == b.root
            }
            (Self::UnknownEffects(_, a), Self::UnknownEffects(_, b)) => a == b,
            (Self::Gone(a, root, _), Self::Gone(b, other, _)) => a == b && root == other,
            (Self::InFlight(a, _), Self::InFlight(b, _)) => a.item == b.item,
            (Self::QueueFull(a, ..), Self::QueueFull(b, ..)) | (Self::Dropped(a, ..), Self::Dropped(b, ..)) => a == b,
            (Self::IdInUse(_, a), Self::IdInUse(_, b)) => a == b,
            (Self::IdRange(a, ..), Self::IdRange(b, ..)) => a == b,
            (Self::NeverIssued(a), Self::NeverIssued(b)) => a == b,
            _ => false,
        }
    }
}

/// A finding in words: where, what, and the other parties.
pub(crate) struct Text<'c> {
    pub(crate) op: Op<'c>,
    pub(crate) message: String,
    pub(crate) notes: Vec<Note>,
}

impl<'c> Finding<'c> {
    /// In words, with the arguments of an execution in which it happens.
    pub(crate) fn message(&self, program: &Program<'c>) -> Message {
        let mut text = self.cause_text(program);
        let call = self.call.as_ref().filter(|call| self.certain && !call.is_empty());
        if let (Some(call), Some(function)) = (call, Some(program.problem.function())) {
            text.notes
                .push(note(function, format!("it happens for example when {call}")));
        }
        Message {
            at: text.op.id,
            text: text.message,
            notes: text.notes,
        }
    }

    /// The commands that would have to be complete for it not to be.
    pub(crate) fn outstanding(&self) -> Vec<ItemId> {
        match &self.cause {
            Cause::Race(hazard) => vec![hazard.instance.item],
            Cause::UnknownEffects(instance, _) | Cause::InFlight(instance, _) | Cause::IdInUse(instance, _) => {
                vec![instance.item]
            }
            Cause::QueueFull(.., queue) | Cause::Dropped(.., queue) => queue.clone(),
            Cause::Gone(..) | Cause::IdRange(..) | Cause::NeverIssued(_) => Vec::new(),
        }
    }

    /// The parties of a race.
    pub(crate) fn race(&self, program: &Program<'c>) -> Option<Race> {
        let Cause::Race(hazard) = &self.cause else { return None };
        let engine = program.items[hazard.instance.item].kind.engine();
        Some((engine, (hazard.instance.item, hazard.later)))
    }

    /// True if it is a race with a command that writes.
    pub(crate) fn is_of_writer(&self) -> bool {
        matches!(&self.cause, Cause::Race(hazard) if hazard.earlier_writes)
    }

    fn cause_text(&self, program: &Program<'c>) -> Text<'c> {
        match &self.cause {
            Cause::Race(hazard) => hazard.text(program, self.certain),
            Cause::UnknownEffects(instance, later) => {
                let (earlier, later) = (program.items[instance.item].op, program.items[*later].op);
                let message = format!(
                    "what `{}` touches is not known, and {}{} may still be in flight; wait for it before",
                    later.name(),
                    who(program, instance.item),
                    when(instance),
                );
                let notes = vec![note(earlier, "issued here")];
                Text {
                    op: later,
                    message,
                    notes,
                }
            }
            Cause::Gone(item, named, freed) => gone(program, *item, *named, *freed, self.certain),
            Cause::InFlight(instance, end) => {
                let may = if self.certain { "is" } else { "may be" };
                let message = format!(
                    "{}{} {may} in flight when a private function returns, whose caller knows nothing of the place \
                     that it takes in a \
                     queue, and of its barrier id; wait for it before",
                    who(program, instance.item),
                    when(instance),
                );
                Text {
                    op: program.items[*end].op,
                    message,
                    notes: vec![note(program.items[instance.item].op, "issued here")],
                }
            }
            Cause::QueueFull(item, engine, queue) => {
                let engine = program.engine(*engine);
                let may = if self.certain { "" } else { "may be " };
                let message = format!(
                    "{} {may}issued when the queue of @{} is full: {} commands that nothing has waited for; the \
                     machine {}",
                    who(program, *item),
                    engine.name,
                    engine.queue_depth,
                    match engine.when_full {
                        zpu_device::WhenFull::Drop => "drops it, and a wait for it hangs; wait for one of them before",
                        _ => "stops; wait for one of them before",
                    }
                );
                Text {
                    op: program.items[*item].op,
                    message,
                    notes: in_queue(program, queue),
                }
            }
            Cause::Dropped(wait, item, queue) => {
                let dropped = "it is dropped here, since nothing has waited for what is in the queue; wait for one of \
                    those before";
                let mut notes = vec![note(program.items[*item].op, dropped)];
                notes.append(&mut in_queue(program, queue));
                Text {
                    op: program.items[*wait].op,
                    message: format!(
                        "deadlock: the control stream waits for {}, which the full queue drops, and nothing else \
                         completes it",
                        who(program, *item)
                    ),
                    notes,
                }
            }
            Cause::IdInUse(owner, new_owner) => {
                let may = if self.certain { "is" } else { "may be" };
                let message = format!(
                    "the barrier id of {} {may} used again on another engine while it is live; wait for it before",
                    who(program, *new_owner),
                );
                let first = format!("{}{} was issued with it here", who(program, owner.item), when(owner));
                Text {
                    op: program.items[*new_owner].op,
                    message,
                    notes: vec![note(program.items[owner.item].op, first)],
                }
            }
            Cause::IdRange(item, id, limit) => Text {
                op: program.items[*item].op,
                message: match id {
                    Some(id) => format!("barrier id {id} does not exist, {}", Self::ids(*limit)),
                    None => format!(
                        "the barrier id may be one that does not exist, {}; take the remainder by that number",
                        Self::ids(*limit)
                    ),
                },
                notes: Vec::new(),
            },
            Cause::NeverIssued(item) => {
                let may = if self.certain { "is" } else { "may be" };
                let number = program.items[*item].kind.id().and_then(Value::as_constant_int);
                let id = number.map_or_else(|| "a barrier id".to_owned(), |number| format!("barrier id {number}"));
                Text {
                    op: program.items[*item].op,
                    message: format!(
                        "{id} {may} waited for that no command was issued with, on which the device {}; issue a \
                         command with it \
                         before",
                        match program.device.sync.wait_on_never_issued {
                            zpu_device::NeverIssued::Hang => "hangs: deadlock",
                            _ => "stops",
                        }
                    ),
                    notes: new_owners(program, *item),
                }
            }
        }
    }

    /// The barrier ids that there are.
    fn ids(limit: u64) -> String {
        format!("the device has {limit}: 0 to {}", limit.saturating_sub(1))
    }

    /// Why it is not certain, in a word that a program can match.
    pub(crate) fn reason(&self) -> &'static str {
        match &self.cause {
            Cause::Race(hazard) if !hazard.overlaps => "unknown-overlap",
            Cause::Race(_) => "depends-on-condition",
            Cause::UnknownEffects(..) => "unknown-effects",
            Cause::Gone(..) => "freed-memory",
            Cause::InFlight(..) => "in-flight-at-return",
            Cause::QueueFull(..) | Cause::Dropped(..) => "queue-may-be-full",
            Cause::IdInUse(..) => "id-in-use",
            Cause::IdRange(..) => "id-out-of-range",
            Cause::NeverIssued(_) => "id-never-issued",
        }
    }
}

impl<'c> Hazard<'c> {
    fn text(&self, program: &Program<'c>, certain: bool) -> Text<'c> {
        let (earlier, later) = (&program.items[self.instance.item], &program.items[self.later]);
        let words = match (self.earlier_writes, self.later_writes) {
            (true, false) => "read-after-write",
            (false, _) => "write-after-read",
            (true, true) => "write-after-write",
        };
        let verb = |writes: bool| if writes { "writes" } else { "reads" };
        let buffer = describe(self.root);
        let action = if matches!(later.kind, Kind::Return) {
            format!("`return` gives back {buffer}")
        } else if let Some(scope) = scope_of(&later.kind, later.op) {
            format!("the end of `{}`{} gives back {buffer}", scope.name(), self.iterations())
        } else {
            format!(
                "{}{} {} {buffer}",
                who(program, self.later),
                self.iterations(),
                verb(self.later_writes)
            )
        };
        let (possible, doubt) = match (certain, self.overlaps) {
            (true, _) => ("", ""),
            (_, true) => ("possible ", "; whether it is depends on conditions"),
            _ => ("possible ", "; whether both touch the same bytes is not known"),
        };
        let message = format!(
            "{possible}{words} race: {action} while {}{} may still be in flight{doubt}",
            who(program, self.instance.item),
            when(&self.instance),
        );
        let engine = match &earlier.kind {
            Kind::Start(engine, ..) => program.engine(*engine).name.as_str(),
            _ => "?",
        };
        let end = scope_of(&later.kind, later.op).map(|scope| format!("the end of `{}`", scope.name()));
        let hint = format!(
            "{} {} {} here, and nothing waits for it or for a later command on @{engine} in between; {} {}",
            who(program, self.instance.item),
            verb(self.earlier_writes),
            self.earlier_name(program),
            self.remedy(),
            end.unwrap_or_else(|| later.op.location().to_owned()),
        );
        Text {
            op: later.op,
            message,
            notes: vec![note(earlier.op, hint)],
        }
    }

    /// The memory as the earlier one names it: another window has other bytes beside those that both have.
    fn earlier_name(&self, program: &Program<'c>) -> String {
        let earlier = program.items[self.instance.item].roots.iter();
        let roots: Vec<Root<'c>> = earlier
            .filter(|(_, write)| *write == self.earlier_writes)
            .map(|(root, _)| program.roots[*root])
            .collect();
        let shares = |root: &&Root<'c>| matches!(root, Root::Window(_)) && root.may_alias(self.root);
        match roots.iter().find(shares) {
            Some(other) if !roots.contains(&self.root) => format!("{}, which shares bytes with it,", describe(*other)),
            _ => "it".to_owned(),
        }
    }

    fn iterations(&self) -> String {
        let text = |iteration: &Iteration| match iteration {
            Iteration::At(number) => number.to_string(),
            Iteration::From(0) => "any".to_owned(),
            Iteration::From(least) => format!("{least} or later"),
        };
        let list: Vec<String> = self.context.iter().map(|(_, iteration)| text(iteration)).collect();
        if list.is_empty() {
            String::new()
        } else {
            format!(" (iteration {})", list.join(", "))
        }
    }

    /// The way by which the token gets to the later operation.
    fn remedy(&self) -> String {
        let ago = self.instance.when.iter().rev().find_map(|(_, when)| match when {
            Epoch::Ago(ago) | Epoch::Before(ago) if *ago > 0 => Some(*ago),
            _ => None,
        });
        let is_over = self
            .instance
            .when
            .iter()
            .any(|(_, when)| matches!(when, Epoch::Last(_) | Epoch::Over));
        match (ago, is_over) {
            (Some(1), _) => "carry its token to the next iteration and wait for it before".to_owned(),
            (Some(ago), _) => format!("carry its token over {ago} iterations and wait for it before"),
            (None, true) => "let the loop yield its token and wait for it before".to_owned(),
            (None, false) => "wait for its token before".to_owned(),
        }
    }
}

/// Notes that show more than this many operations show no more.
const MOST_SHOWN: usize = 3;

/// Memory that is named after it was freed.
fn gone<'c>(program: &Program<'c>, id: ItemId, named: RootId, freed: RootId, certain: bool) -> Text<'c> {
    let item = &program.items[id];
    let verb = match item.roots.iter().any(|(root, write)| *root == named && *write) {
        _ if item.accesses.is_none() => "is given",
        _ if !item.frees.is_empty() => "frees",
        true => "writes",
        false => "reads",
    };
    let doubt = match (certain, named == freed) {
        (true, _) => "was freed before",
        (_, true) => "may have been freed before; whether it is depends on conditions",
        _ => "may have been freed before; whether it is the same memory is not known",
    };
    let ends = program.freed_by(freed).take(MOST_SHOWN);
    let notes = ends.map(|end| match scope_of(&program.items[end].kind, program.items[end].op) {
        Some(scope) => note(scope, format!("`{}` ends its lifetime", scope.name())),
        None => note(program.items[end].op, "freed here"),
    });
    Text {
        op: item.op,
        message: format!(
            "{} {verb} {}, which {doubt}",
            who(program, id),
            describe(program.roots[named])
        ),
        notes: notes.collect(),
    }
}

/// The commands that are in a queue.
fn in_queue<'c>(program: &Program<'c>, queue: &[ItemId]) -> Vec<Note> {
    let mut shown: Vec<ItemId> = Vec::new();
    for item in queue {
        if !shown.contains(item) && shown.len() < MOST_SHOWN {
            shown.push(*item);
        }
    }
    let text = |item: &ItemId| {
        format!(
            "{} is in the queue since here, and nothing has waited for it",
            who(program, *item)
        )
    };
    shown
        .iter()
        .map(|item| note(program.items[*item].op, text(item)))
        .collect()
}

/// The commands that take the number which a wait waits for, and why they are of no help.
fn new_owners<'c>(program: &Program<'c>, wait: ItemId) -> Vec<Note> {
    let number = |item: ItemId| program.items[item].kind.id().map(Value::index);
    let Some(waited) = number(wait) else { return Vec::new() };
    let is_same = |item: &ItemId| {
        let is_start = matches!(program.items[*item].kind, Kind::Start(..));
        is_start && number(*item).is_some_and(|taken| compare(&taken, &waited) != Sameness::Different)
    };
    let new_owners = program.items.ids().filter(is_same).take(MOST_SHOWN);
    let notes = new_owners.map(|item| {
        let text = if item > wait {
            format!(
                "{} takes it here, which the control stream comes to only after this wait: each waits for the other",
                who(program, item)
            )
        } else {
            format!("{} takes it here, which is not always before", who(program, item))
        };
        note(program.items[item].op, text)
    });
    notes.collect()
}

/// A buffer in words, as zpu-sim says it.
fn describe(root: Root<'_>) -> String {
    let value = root.value();
    match (root, value.def()) {
        (Root::Argument(_) | Root::NoAliasArgument(_), Def::Argument(_, position)) => {
            format!("argument {position}")
        }
        (Root::Allocation(_) | Root::Window(_), Def::Result(op, _)) => {
            format!("the buffer allocated at {}", op.location())
        }
        (_, Def::Result(op, _)) => format!("the buffer that `{}` yields at {}", op.name(), op.location()),
        (_, Def::Argument(_, position)) => format!("the buffer in block argument {position}"),
    }
}

/// An operation in words, as zpu-sim says it.
pub(crate) fn who(program: &Program<'_>, item: ItemId) -> String {
    let op = program.items[item].op;
    let name = op.label();
    match &program.items[item].kind {
        Kind::Start(engine, ..) | Kind::Synchronous(engine) => {
            format!("`{name}` on @{}", program.engine(*engine).name)
        }
        _ => format!("`{name}`"),
    }
}

/// The time at which a command was issued, in words.
fn when(instance: &Instance) -> String {
    let parts: Vec<String> = instance
        .when
        .iter()
        .rev()
        .filter_map(|(_, when)| match when {
            Epoch::Ago(0) => None,
            Epoch::Ago(1) => Some("the iteration before".to_owned()),
            Epoch::Ago(ago) => Some(format!("{ago} iterations before")),
            Epoch::Before(least) => Some(format!("{least} or more iterations before")),
            Epoch::Last(1) => Some("the loop's last iteration".to_owned()),
            Epoch::Last(back) => Some(format!("the loop's last iteration but {}", back - 1)),
            Epoch::Over => Some("some iteration of the loop".to_owned()),
        })
        .collect();
    if parts.is_empty() {
        String::new()
    } else {
        format!(" of {}", parts.join(", "))
    }
}
