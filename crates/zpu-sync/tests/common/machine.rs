//! Executions of a program for given arguments, and whether some order of completion goes wrong.
//!
//! [`trace`] is the straight line of events of one execution. [`explore`] tries all orders in which engines may begin
//! and complete their commands beside the control stream; [`faults`] says in closed form what that finds, so that long
//! executions can be asked about as well. A test holds the two against each other.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::{Access, Affine, At, Compare, Cond, ENGINES, Expr, Kind, Memory, Name, Program, Stmt, Var};

/// The memory of all buffers at addresses.
const ARENA: usize = usize::MAX;

/// Barrier ids of the device.
pub(crate) const IDS: i64 = 4;

/// The arguments of an execution.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) numbers: Vec<i64>,
    pub(crate) flags: Vec<bool>,
    /// All arguments that may overlap are one memory.
    pub(crate) aliased: bool,
}

/// Something that goes wrong, and at which statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fault {
    /// A command or the control stream meets what a command in flight accesses.
    Race(At),
    /// Memory of the caller is in use when the function returns, or a private function leaves a command in flight.
    Return,
    /// A command is given to a full queue.
    Full(At),
    /// A barrier id is wrong: taken while another engine's command has it, never given, or none that there is.
    Id(At),
}

impl Fault {
    pub(crate) fn at(self) -> At {
        match self {
            Self::Race(at) | Self::Full(at) | Self::Id(at) => at,
            Self::Return => 0,
        }
    }
}

/// One execution: its commands by engine, and what the control stream does.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    commands: [Vec<Command>; ENGINES.len()],
    pub(crate) events: Vec<Event>,
    is_private: bool,
    depth: Option<usize>,
}

#[derive(Debug)]
struct Command {
    at: At,
    /// The number of the event that issues it.
    issued: usize,
    places: Vec<Place>,
    is_synchronous: bool,
}

/// Elements of a memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    memory: usize,
    from: i64,
    to: i64,
    write: bool,
    is_callers: bool,
}

/// A step of the control stream.
#[derive(Clone, Debug)]
pub(crate) enum Event {
    /// Issues the engine's next command. Of an id that it takes, the command that had it: engine and number.
    Issue(usize, Option<(usize, usize)>),
    /// Goes on when so many commands of the engine are complete.
    Hold(usize, usize),
    /// Accesses memory.
    Touch(At, Place),
    /// Ends with a mistake.
    Stop(Fault),
}

fn meet(left: &[Place], right: &[Place]) -> bool {
    let meets = |a: &Place, b: &Place| (a.write || b.write) && a.memory == b.memory && a.from < b.to && b.from < a.to;
    left.iter().any(|a| right.iter().any(|b| meets(a, b)))
}

/// A trace that is longer is of no use.
const MOST_EVENTS: usize = 4_000;

/// The execution of a program; `None` where it takes too long.
pub(crate) fn trace(program: &Program, call: &Call) -> Option<Trace> {
    let mut runner = Runner {
        program,
        call,
        trace: Trace {
            is_private: program.is_private,
            depth: program.machine.depth,
            ..Trace::default()
        },
        values: BTreeMap::new(),
        inductions: BTreeMap::new(),
        owners: BTreeMap::new(),
    };
    match runner.block(&program.body) {
        Err(End::TooLong) => None,
        _ => Some(runner.trace),
    }
}

#[derive(Clone, Copy, Debug)]
enum Value {
    /// How many commands of which engine are complete after a wait for it.
    Token(Option<(usize, usize)>),
    Flag(bool),
    Number(i64),
}

enum End {
    TooLong,
    Mistake,
}

struct Runner<'p> {
    program: &'p Program,
    call: &'p Call,
    trace: Trace,
    values: BTreeMap<Name, Value>,
    inductions: BTreeMap<Name, i64>,
    /// By barrier id: the command that it means.
    owners: BTreeMap<i64, (usize, usize)>,
}

impl Runner<'_> {
    fn block(&mut self, block: &[Stmt]) -> Result<(), End> {
        block.iter().try_for_each(|stmt| self.stmt(stmt))
    }

    fn push(&mut self, event: Event) -> Result<(), End> {
        self.trace.events.push(event);
        if self.trace.events.len() > MOST_EVENTS {
            Err(End::TooLong)
        } else {
            Ok(())
        }
    }

    fn stmt(&mut self, stmt: &Stmt) -> Result<(), End> {
        match &stmt.kind {
            Kind::Start {
                engine,
                token,
                id,
                accesses,
            } => {
                let before = match id {
                    Some(id) => self.take_id(stmt.at, *id, *engine)?,
                    None => None,
                };
                let is_blocking = self.program.machine.blocking == Some(*engine);
                let number = self.issue(stmt.at, *engine, accesses, is_blocking, before)?;
                self.values.insert(*token, Value::Token(Some((*engine, number))));
            }
            Kind::Sync { engine, accesses } => {
                self.issue(stmt.at, *engine, accesses, true, None)?;
            }
            Kind::Touch(access) => {
                let place = self.place(access);
                self.push(Event::Touch(stmt.at, place))?;
            }
            Kind::Wait(token) => {
                if let Value::Token(Some((engine, number))) = self.values[token] {
                    self.push(Event::Hold(engine, number))?;
                }
            }
            Kind::WaitId(id) => self.wait_id(stmt.at, *id)?,
            Kind::Fence(engines) => {
                for engine in engines {
                    let number = self.trace.commands[*engine].len();
                    self.push(Event::Hold(*engine, number))?;
                }
            }
            Kind::Null(name, _) => {
                self.values.insert(*name, Value::Token(None));
            }
            Kind::Select { result, cond, yes, no } => {
                let chosen = if self.holds(cond) { yes } else { no };
                self.values.insert(*result, self.values[chosen]);
            }
            Kind::Flag(name, cond) => {
                let holds = self.holds(cond);
                self.values.insert(*name, Value::Flag(holds));
            }
            Kind::Number(name, expr) => {
                let number = self.number(expr);
                self.values.insert(*name, Value::Number(number));
            }
            Kind::For(loop_) => {
                let mut at = loop_.lower;
                let upper = self.affine(&loop_.upper);
                let mut carried: Vec<Value> = loop_.carried.iter().map(|each| self.values[&each.first]).collect();
                while at < upper {
                    self.inductions.insert(loop_.name, at);
                    let values = loop_.carried.iter().map(|each| each.inside).zip(carried);
                    self.values.extend(values);
                    self.block(&loop_.body)?;
                    carried = loop_.carried.iter().map(|each| self.values[&each.next]).collect();
                    at += loop_.step;
                    if self.trace.events.len() + usize::try_from(at).unwrap_or(0) > MOST_EVENTS {
                        return Err(End::TooLong);
                    }
                }
                self.values
                    .extend(loop_.carried.iter().map(|each| each.result).zip(carried));
            }
            Kind::If(branch) => {
                let taken = self.holds(&branch.cond);
                self.block(if taken { &branch.then } else { &branch.otherwise })?;
                let results = branch.results.iter().map(|(result, yes, no)| {
                    let value = self.values[if taken { yes } else { no }];
                    (*result, value)
                });
                let results: Vec<(Name, Value)> = results.collect();
                self.values.extend(results);
            }
        }
        Ok(())
    }

    /// Issues a command and holds the stream if it has to; its number on its engine, from 1.
    fn issue(
        &mut self,
        at: At,
        engine: usize,
        accesses: &[Access],
        holds: bool,
        before: Option<(usize, usize)>,
    ) -> Result<usize, End> {
        let places = accesses.iter().map(|access| self.place(access)).collect();
        let issued = self.trace.events.len();
        self.trace.commands[engine].push(Command {
            at,
            issued,
            places,
            is_synchronous: holds,
        });
        let number = self.trace.commands[engine].len();
        self.push(Event::Issue(engine, before))?;
        if holds {
            self.push(Event::Hold(engine, number))?;
        }
        Ok(number)
    }

    /// The command that had an id before; the engine's next command has it from now on.
    fn take_id(&mut self, at: At, id: Name, engine: usize) -> Result<Option<(usize, usize)>, End> {
        let id = self.existing_id(at, id)?;
        let number = self.trace.commands[engine].len() + 1;
        Ok(self.owners.insert(id, (engine, number)))
    }

    fn wait_id(&mut self, at: At, id: Name) -> Result<(), End> {
        let id = self.existing_id(at, id)?;
        match self.owners.get(&id) {
            Some((engine, number)) => self.push(Event::Hold(*engine, *number)),
            None if self.program.machine.never_issued_returns => Ok(()),
            None => self.stop(at),
        }
    }

    fn existing_id(&mut self, at: At, id: Name) -> Result<i64, End> {
        match self.values[&id] {
            Value::Number(id) if (0..IDS).contains(&id) => Ok(id),
            _ => self.stop(at).map(|()| 0),
        }
    }

    fn stop(&mut self, at: At) -> Result<(), End> {
        self.trace.events.push(Event::Stop(Fault::Id(at)));
        Err(End::Mistake)
    }

    fn place(&self, access: &Access) -> Place {
        let kind = self.program.buffers[access.buffer];
        let overlapping = |memory: &Memory| *memory == Memory::Argument;
        let memory = match self.program.buffers.iter().position(overlapping) {
            Some(first) if self.call.aliased && kind == Memory::Argument => first,
            _ if matches!(kind, Memory::Window(_)) => ARENA,
            _ => access.buffer,
        };
        let from = self.number(&access.offset);
        assert!(
            from >= 0 && from + access.span <= super::ELEMENTS,
            "an access leaves its memory"
        );
        let address = match kind {
            Memory::Window(first) => first,
            _ => 0,
        };
        Place {
            memory,
            from: address + from,
            to: address + from + access.span,
            write: access.write,
            is_callers: matches!(kind, Memory::NoAlias | Memory::Argument),
        }
    }

    fn number(&self, expr: &Expr) -> i64 {
        let ring = expr.ring.as_ref().map_or(0, |ring| {
            let dividend = self.affine(&ring.dividend).cast_unsigned();
            ring.factor * (dividend % ring.modulus.unsigned_abs()).cast_signed()
        });
        self.affine(&expr.rest) + ring
    }

    fn affine(&self, affine: &Affine) -> i64 {
        let value = |var: &Var| match var {
            Var::Argument(at) => self.call.numbers[*at],
            Var::Induction(name) => self.inductions[name],
        };
        let terms = affine.terms.iter().map(|(var, coefficient)| coefficient * value(var));
        affine.constant + terms.sum::<i64>()
    }

    fn holds(&self, cond: &Cond) -> bool {
        match cond {
            Cond::Flag(name) => matches!(self.values[name], Value::Flag(true)),
            Cond::Argument(at) => self.call.flags[*at],
            Cond::Compare(compare, left, right) => {
                let (left, right) = (self.affine(left), self.affine(right));
                match compare {
                    Compare::Equal => left == right,
                    Compare::Unequal => left != right,
                    Compare::Less => left < right,
                    Compare::LessOrEqual => left <= right,
                    Compare::Greater => left > right,
                    Compare::GreaterOrEqual => left >= right,
                }
            }
            Cond::IsThere(name) => matches!(self.values[name], Value::Number(number) if number >= 0),
            Cond::And(left, right) => self.holds(left) && self.holds(right),
            Cond::Or(left, right) => self.holds(left) || self.holds(right),
            Cond::Not(cond) => !self.holds(cond),
        }
    }
}

/// The faults in some order of completion.
///
/// A command that the control stream has not waited for, nor for a later one of its engine, may go on for as long as
/// one likes, and any command may begin as soon as it is issued, since engines do not wait for each other. So an access
/// is ordered after a command iff the stream has held for it in between.
pub(crate) fn faults(trace: &Trace) -> BTreeSet<Fault> {
    let mut found = BTreeSet::new();
    let (mut issued, mut complete) = ([0; ENGINES.len()], [0; ENGINES.len()]);
    for event in &trace.events {
        let in_flight = |except: Option<usize>| {
            let engines = (0..ENGINES.len()).filter(move |engine| Some(*engine) != except);
            engines.flat_map(move |engine| &trace.commands[engine][complete[engine]..issued[engine]])
        };
        match event {
            Event::Issue(engine, before) => {
                let command = &trace.commands[*engine][issued[*engine]];
                if in_flight(Some(*engine)).any(|earlier| meet(&earlier.places, &command.places)) {
                    found.insert(Fault::Race(command.at));
                }
                if before.is_some_and(|(owner, number)| owner != *engine && number > complete[owner]) {
                    found.insert(Fault::Id(command.at));
                }
                let places = trace.depth.filter(|_| !command.is_synchronous);
                if places.is_some_and(|depth| issued[*engine] - complete[*engine] >= depth) {
                    found.insert(Fault::Full(command.at));
                    // Orders that go on have found a place.
                    complete[*engine] = issued[*engine] + 1 - places.unwrap_or(1);
                }
                issued[*engine] += 1;
            }
            Event::Hold(engine, number) => complete[*engine] = complete[*engine].max(*number),
            Event::Touch(at, place) => {
                if in_flight(None).any(|earlier| meet(&earlier.places, &[*place])) {
                    found.insert(Fault::Race(*at));
                }
            }
            Event::Stop(fault) => {
                found.insert(*fault);
                return found;
            }
        }
    }
    for engine in 0..ENGINES.len() {
        let left = &trace.commands[engine][complete[engine]..issued[engine]];
        let is_used = |command: &Command| trace.is_private || command.places.iter().any(|place| place.is_callers);
        if left.iter().any(is_used) {
            found.insert(Fault::Return);
        }
    }
    found
}

/// Commands that are in flight at the end of an execution, whatever they access.
pub(crate) fn leaves_in_flight(trace: &Trace) -> bool {
    let mut complete = [0; ENGINES.len()];
    for event in &trace.events {
        if let Event::Hold(engine, number) = event {
            complete[*engine] = complete[*engine].max(*number);
        }
    }
    (0..ENGINES.len()).any(|engine| complete[engine] < trace.commands[engine].len())
}

/// States that are looked at before [`explore`] gives up.
const MOST_STATES: usize = 20_000;

/// A state of the machine: how far the control stream is, and of each engine how many commands are complete and whether
/// it has begun the next one.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct State {
    at: usize,
    complete: [usize; ENGINES.len()],
    is_running: [bool; ENGINES.len()],
}

/// The faults in any order of completion, found by trying all; `None` where there are too many.
pub(crate) fn explore(trace: &Trace) -> Option<BTreeSet<Fault>> {
    let mut found = BTreeSet::new();
    let first = State {
        at: 0,
        complete: [0; ENGINES.len()],
        is_running: [false; ENGINES.len()],
    };
    let (mut seen, mut open) = (HashSet::from([first]), vec![first]);
    while let Some(state) = open.pop() {
        let mut reach = |next: State| {
            if seen.insert(next) {
                open.push(next);
            }
        };
        let in_flight = |engine: usize| {
            let commands = trace.commands[engine][state.complete[engine]..].iter();
            commands.take_while(|command| command.issued < state.at)
        };
        for engine in 0..ENGINES.len() {
            let Some(command) = in_flight(engine).next() else {
                continue;
            };
            let mut next = state;
            if state.is_running[engine] {
                next.complete[engine] += 1;
                next.is_running[engine] = false;
            } else {
                next.is_running[engine] = true;
                let others = (0..ENGINES.len()).filter(|other| *other != engine);
                let mut earlier = others.flat_map(in_flight).filter(|other| other.issued < command.issued);
                if earlier.any(|other| meet(&other.places, &command.places)) {
                    found.insert(Fault::Race(command.at));
                }
            }
            reach(next);
        }
        let mut next = state;
        next.at += 1;
        match trace.events.get(state.at) {
            Some(Event::Issue(engine, before)) => {
                let command = trace.commands[*engine]
                    .iter()
                    .find(|command| command.issued == state.at);
                let (at, is_synchronous) = command.map_or((0, true), |command| (command.at, command.is_synchronous));
                let is_live = |(owner, number): (usize, usize)| owner != *engine && number > state.complete[owner];
                if before.is_some_and(is_live) {
                    found.insert(Fault::Id(at));
                }
                let places = trace.depth.filter(|_| !is_synchronous);
                if places.is_some_and(|depth| in_flight(*engine).count() >= depth) {
                    found.insert(Fault::Full(at));
                } else {
                    reach(next);
                }
            }
            Some(Event::Hold(engine, number)) if state.complete[*engine] < *number => {}
            Some(Event::Hold(..)) => reach(next),
            Some(Event::Touch(at, place)) => {
                if (0..ENGINES.len())
                    .flat_map(in_flight)
                    .any(|earlier| meet(&earlier.places, &[*place]))
                {
                    found.insert(Fault::Race(*at));
                }
                reach(next);
            }
            Some(Event::Stop(fault)) => {
                found.insert(*fault);
            }
            None => {
                let is_used =
                    |command: &Command| trace.is_private || command.places.iter().any(|place| place.is_callers);
                if (0..ENGINES.len()).flat_map(in_flight).any(is_used) {
                    found.insert(Fault::Return);
                }
            }
        }
        if seen.len() > MOST_STATES {
            return None;
        }
    }
    Some(found)
}
