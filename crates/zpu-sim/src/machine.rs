//! The machine during a run: memory, engines, the control stream's clock, and everything that watches them.
//!
//! Invariant: in the order `timed`, memory is as it is at `now`: the effects of all commands that completed by then
//! were carried out, in the order of completion, and of no others. In another order, [`Commit`] says which were.

use std::cell::{Cell, OnceCell};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

use rustc_hash::FxHashMap;
use zpu_device::Device;
use zpu_timing::{Completion, Engines};

use crate::bound::Dataflow;
use crate::command_cost::CostTable;
use crate::commit::Commit;
use crate::distance::{Activity, Losses};
use crate::effect::Effect;
use crate::execute::{Prepared, Scratch};
use crate::fault::Fault;
use crate::finding::Findings;
use crate::hazard::{Access, Accessor, Hazards};
use crate::known::Known;
use crate::liberties::Liberties;
use crate::live_bytes::Lives;
use crate::memory::{BufferId, Memory};
use crate::must_waits::{MustWaits, passed};
use crate::program::{GlobalId, LocationId, Program, Reg, Size};
use crate::recording::{Event, Recording};
use crate::repetition::Repetition;
use crate::report::ControlReport;
use crate::routes::Routes;
use crate::simulate::{Options, Values};
use crate::sync::IdCommands;
use crate::template::Templates;
use crate::tokens::waits_for_nothing;
use crate::touch::Touch;
use crate::trace::{TraceEvent, TraceKind};
use crate::usage::Usage;
use crate::view::Extents;
use crate::whole_run::RunRecorder;

/// The reason why a run ends before its program.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Stop {
    /// A statement without a meaning.
    Fault(Fault, LocationId),
    /// The stream waits forever; the finding was made.
    Deadlock,
    /// More cycles than allowed.
    CycleLimit,
    /// More commands than a recording may have.
    TooManyCommands(u64),
    /// More of anything than a recording may have.
    TooManyEvents(usize),
}

/// A command that was issued.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CommandRef {
    pub(crate) engine: usize,
    /// Place among the commands of its engine, from 1; 0 for a command that was dropped.
    pub(crate) sequence: u64,
    /// Number among all commands.
    pub(crate) issue: u64,
    pub(crate) accessor: Rc<Accessor>,
    /// The registers of its token and of its barrier id.
    pub(crate) token: Option<Reg>,
    pub(crate) id: Option<Size>,
    /// The first wait for it.
    pub(crate) waited: Cell<Option<Waited>>,
    /// The commands in the queue when it was dropped.
    pub(crate) queue: Vec<Rc<Accessor>>,
}

impl CommandRef {
    /// A command without token and barrier id.
    pub(crate) fn new(engine: usize, sequence: u64, issue: u64, accessor: Rc<Accessor>) -> Self {
        Self {
            engine,
            sequence,
            issue,
            accessor,
            token: None,
            id: None,
            waited: Cell::default(),
            queue: Vec::new(),
        }
    }
}

/// A wait.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Waited {
    pub(crate) location: LocationId,
    /// The address of its statement, which identifies it.
    pub(crate) statement: usize,
    /// The execution of a block that it was in.
    pub(crate) execution: u64,
}

/// The history of a barrier id.
#[derive(Clone, Debug, Default)]
pub(crate) struct IdUse {
    /// Commands that were given it and not waited for by it.
    pub(crate) open: u64,
    /// The first wait for it since it was given.
    pub(crate) first: Option<Waited>,
    /// The command that has it.
    pub(crate) giver: Option<usize>,
    /// The places where it was waited for before any command had been given it.
    pub(crate) not_given: Vec<LocationId>,
    /// Commands that were given it while others of their engine had it, and the others, since it was waited for.
    pub(crate) again: Vec<GivenAgain>,
}

/// A command that was given a barrier id while another one of its engine had it.
#[derive(Clone, Debug)]
pub(crate) struct GivenAgain {
    /// The place of the new command.
    pub(crate) new_owner: LocationId,
    /// Its engine, and its number there.
    pub(crate) engine: usize,
    pub(crate) sequence: u64,
    /// The command that has it already.
    pub(crate) owner: Rc<Accessor>,
}

pub(crate) struct Machine<'a> {
    pub(crate) program: &'a Program,
    pub(crate) device: &'a Device,
    pub(crate) options: &'a Options,
    pub(crate) kernels: Vec<Rc<Prepared>>,
    pub(crate) routes: Routes,
    pub(crate) prices: CostTable,
    pub(crate) templates: Templates,
    /// Buffer for the touches of the latest command, reused to save an allocation.
    pub(crate) touches: Vec<Touch>,
    pub(crate) memory: Memory,
    /// The clock of the engines; its commands are named by their numbers among all.
    pub(crate) engines: Engines<u64>,
    /// By engine.
    pub(crate) usage: Vec<Usage>,
    pub(crate) hazards: Hazards,
    pub(crate) dataflow: Dataflow,
    pub(crate) losses: Losses,
    /// The run as a problem, if it was asked for.
    pub(crate) recorder: Option<RunRecorder>,
    /// The contents of memory that are known in a run without values.
    pub(crate) known: Option<Known>,
    /// The bytes that are alive on the chip, if they were asked for.
    pub(crate) lives: Option<Lives>,
    pub(crate) findings: Findings,
    pub(crate) liberties: Liberties,
    pub(crate) trace: Vec<TraceEvent>,
    /// The control stream's clock.
    pub(crate) now: u64,
    pub(crate) control: ControlReport,
    /// Induction variables of the loops around the current statement, over all calls.
    pub(crate) iteration: Vec<i64>,
    /// Loop iterations and calls.
    pub(crate) steps: u64,
    pub(crate) issued: u64,
    /// By engine: the outstanding commands, oldest first.
    pub(crate) outstanding: Vec<VecDeque<Rc<Accessor>>>,
    pub(crate) commits: Commit,
    /// By engine: commands that were issued and that are complete, as far as they name the engine; bytes moved by
    /// transfers.
    pub(crate) sequence: Vec<u64>,
    pub(crate) complete: Vec<u64>,
    pub(crate) bytes: Vec<u64>,
    /// Constant buffers that were named so far.
    pub(crate) globals: BTreeMap<GlobalId, BufferId>,
    /// The latest command of each barrier id.
    pub(crate) ids: BTreeMap<i64, Rc<CommandRef>>,
    /// The history of each barrier id.
    pub(crate) id_uses: BTreeMap<i64, IdUse>,
    /// The commands that are given ids, counted when it first matters.
    pub(crate) id_commands: OnceCell<IdCommands>,
    /// Number of executions of blocks so far, and those that are running.
    pub(crate) executions: u64,
    pub(crate) running: Vec<u64>,
    /// The waits that every path through branches and loops passes; empty unless they are checked.
    pub(crate) passed: MustWaits,
    /// Waits for tokens that are null on every path; empty unless they are checked.
    pub(crate) for_nothing: BTreeSet<usize>,
    /// Commands that were dropped and not waited for yet: the first one of each statement and engine, and their number.
    pub(crate) dropped: Vec<(Rc<Accessor>, u64)>,
    /// The current statement, and the engine and command that it waits for.
    pub(crate) at: LocationId,
    pub(crate) waits_for: Option<(usize, u64)>,
    /// The recording of the control stream, if one is made.
    pub(crate) recording: Option<Recording>,
    /// Loops that repeat themselves are not run to their end, if only cycles are asked for.
    pub(crate) repetition: Repetition,
    /// Loop iterations and calls after which the run ends with an error.
    pub(crate) most_steps: u64,
    completions: Vec<Completion<u64>>,
    /// Names of accessors, by the place of the text.
    names: FxHashMap<(usize, usize), Rc<str>>,
    scratch: Scratch,
}

impl<'a> Machine<'a> {
    pub(crate) fn new(program: &'a Program, device: &'a Device, options: &'a Options) -> Result<Self, Fault> {
        let engines = device.engines.len();
        let prepare = |(id, kernel)| Prepared::new(id, kernel).map(Rc::new);
        let kernels = program.kernels.iter().enumerate().map(prepare);
        let kernels = kernels.collect::<Result<_, _>>()?;
        let routes = Routes::new(device);
        Ok(Self {
            program,
            device,
            options,
            kernels,
            engines: Engines::new(engines, Rc::clone(routes.links())),
            usage: vec![Usage::default(); engines],
            routes,
            prices: CostTable::default(),
            templates: Templates::default(),
            touches: Vec::new(),
            memory: Memory::new(device, options.max_host_bytes),
            hazards: Hazards::new(engines),
            dataflow: Dataflow::new(device),
            losses: Losses::new(engines),
            recorder: options.whole_run.then(RunRecorder::default),
            known: (options.values == Values::Off).then(Known::default),
            lives: options.live_bytes.then(|| Lives::new(device)),
            findings: Findings::default(),
            liberties: Liberties::default(),
            trace: Vec::new(),
            now: 0,
            control: ControlReport::default(),
            iteration: Vec::new(),
            steps: 0,
            issued: 0,
            outstanding: (0..engines).map(|_| VecDeque::new()).collect(),
            commits: Commit::new(engines, options.order),
            sequence: vec![0; engines],
            complete: vec![0; engines],
            bytes: vec![0; engines],
            globals: BTreeMap::new(),
            ids: BTreeMap::new(),
            id_uses: BTreeMap::new(),
            id_commands: OnceCell::new(),
            executions: 0,
            running: Vec::new(),
            passed: if options.checks.deadlock {
                passed(program)
            } else {
                MustWaits::new()
            },
            for_nothing: if options.checks.deadlock {
                waits_for_nothing(program)
            } else {
                BTreeSet::new()
            },
            dropped: Vec::new(),
            at: LocationId::default(),
            waits_for: None,
            recording: None,
            repetition: Repetition::default(),
            most_steps: options.max_cycles,
            completions: Vec::new(),
            names: FxHashMap::default(),
            scratch: Scratch::default(),
        })
    }

    /// The stream works for some cycles, and the engines with it.
    pub(crate) fn spend(&mut self, activity: Activity, cycles: u64) -> Result<(), Stop> {
        self.losses.begin(activity, self.now);
        self.go_to(self.now.saturating_add(cycles))
    }

    /// The stream's clock moves.
    fn go_to(&mut self, time: u64) -> Result<(), Stop> {
        if time > self.options.max_cycles {
            return Err(Stop::CycleLimit);
        }
        self.now = time;
        if self.engines.next_event().is_some_and(|event| event <= time) {
            self.advance(time)?;
        }
        Ok(())
    }

    /// Lets the engines work up to a time and carries out what they completed.
    pub(crate) fn advance(&mut self, time: u64) -> Result<(), Stop> {
        let mut completions = std::mem::take(&mut self.completions);
        self.engines.advance(time, &mut completions);
        let result = completions
            .drain(..)
            .try_for_each(|completion| self.completed(&completion));
        self.completions = completions;
        result
    }

    fn completed(&mut self, completion: &Completion<u64>) -> Result<(), Stop> {
        let engine = completion.engine;
        self.usage[engine].add(completion);
        self.losses.completed(completion);
        let Some(accessor) = self.outstanding[engine].pop_front() else {
            return Ok(());
        };
        self.complete[engine] += u64::from(accessor.engine.is_some());
        if self.options.trace {
            self.trace.push(TraceEvent {
                engine: Some(engine),
                kind: TraceKind::Run,
                name: accessor.name.to_string(),
                location: self.program.location(accessor.location).to_string(),
                begin: completion.begin,
                end: completion.end,
                command: Some(completion.command.tag),
            });
        }
        let due = self.commits.completed(engine);
        self.commit(&due)
    }

    /// Carries effects out now.
    pub(crate) fn commit(&mut self, effects: &[Effect]) -> Result<(), Stop> {
        effects.iter().try_for_each(|effect| self.apply(effect))
    }

    /// Carries an effect out now.
    fn apply(&mut self, effect: &Effect) -> Result<(), Stop> {
        if self.options.values != Values::On {
            return Ok(());
        }
        if self.options.checks.init
            && let Some((buffer, byte)) = effect.first_unwritten(&self.memory)
        {
            self.findings
                .uninitialised(self.program, &self.memory, effect.location, buffer, byte);
        }
        if self.options.checks.init
            && let Some((read, write, byte)) = effect.first_overwritten(&self.memory)
        {
            let buffers = (read, write);
            self.findings
                .overwritten(self.program, &self.memory, effect.location, buffers, byte);
        }
        match effect.apply(&mut self.memory, &mut self.scratch) {
            // Freed while the command was outstanding: a race, which was found at the deallocation if races are
            // checked.
            Err(Fault::Deallocated) if self.options.checks.race => Ok(()),
            result => result.map_err(|fault| Stop::Fault(fault, effect.location)),
        }
    }

    /// Lets time pass until an engine has completed so many commands, which the stream knows then.
    pub(crate) fn until_complete(&mut self, engine: usize, sequence: u64) -> Result<(), Stop> {
        self.waits_for = Some((engine, sequence));
        while self.complete[engine] < sequence {
            self.next_event()?;
        }
        self.waits_for = None;
        self.hazards.raise(engine, sequence);
        if let Some(lives) = &mut self.lives {
            lives.complete(engine, sequence, self.now);
        }
        self.record(|| Event::Wait { engine, sequence })?;
        let due = self.commits.known(engine, sequence);
        self.commit(&due)
    }

    /// Lets time pass until an engine has completed its last command, which names no engine. The program does not know
    /// which engine that is, so no other command is known to be complete then.
    pub(crate) fn until_bare_is_complete(&mut self, engine: usize) -> Result<(), Stop> {
        self.waits_for = Some((engine, self.complete[engine] + self.outstanding[engine].len() as u64));
        while self.engines.pending(engine) > 0 {
            self.next_event()?;
        }
        self.waits_for = None;
        if let Some(recording) = &mut self.recording {
            recording.wait_for_bare()?;
        }
        let due = self.commits.known_bare();
        self.commit(&due)
    }

    /// Lets time pass until something happens. A command in a queue always ends, so something does.
    fn next_event(&mut self) -> Result<(), Stop> {
        let time = self.engines.next_event().ok_or(Stop::Deadlock)?;
        self.go_to(time.max(self.now))
    }

    /// Records an event of the stream, if a recording is made.
    pub(crate) fn record(&mut self, event: impl FnOnce() -> Event) -> Result<(), Stop> {
        match &mut self.recording {
            Some(recording) => recording.push(event()),
            None => Ok(()),
        }
    }

    /// True if an engine's queue of `depth` places has a free one.
    pub(crate) fn has_room(&self, engine: usize, depth: u64) -> bool {
        self.engines
            .has_room(engine, usize::try_from(depth).unwrap_or(usize::MAX))
    }

    /// Lets time pass until an engine's queue has a free place.
    pub(crate) fn until_free(&mut self, engine: usize, depth: u64) -> Result<(), Stop> {
        self.waits_for = Some((engine, self.complete[engine] + 1));
        while !self.has_room(engine, depth) {
            self.next_event()?;
        }
        self.waits_for = None;
        Ok(())
    }

    /// Lets all engines finish. The control stream's clock stands still.
    pub(crate) fn drain(&mut self) -> Result<(), Stop> {
        while let Some(time) = self.engines.next_event() {
            if time > self.options.max_cycles {
                let busy = |engine: &usize| !self.outstanding[*engine].is_empty();
                let engine = (0..self.outstanding.len()).find(busy);
                self.waits_for = engine.map(|engine| (engine, self.complete[engine] + 1));
                return Err(Stop::CycleLimit);
            }
            self.advance(time)?;
        }
        let due = self.commits.end();
        self.commit(&due)
    }

    /// Cycles from the start to the end of everything so far.
    pub(crate) fn makespan(&self) -> u64 {
        let ends = (0..self.device.engines.len()).map(|engine| self.engines.last_end(engine));
        ends.fold(self.now, u64::max)
    }

    /// A name of the program, which many accessors have.
    fn name(&mut self, name: &str) -> Rc<str> {
        let known = self.names.entry((name.as_ptr().addr(), name.len()));
        Rc::clone(known.or_insert_with(|| name.into()))
    }

    /// The current statement as an accessor in races.
    pub(crate) fn accessor(&mut self, name: &str, location: LocationId, engine: Option<usize>) -> Rc<Accessor> {
        Rc::new(Accessor {
            name: self.name(name),
            location,
            engine,
            iteration: Extents::from_slice(&self.iteration),
        })
    }

    /// Reports what an access of `accessor` races with.
    pub(crate) fn check_races(&mut self, accessor: &Rc<Accessor>, accesses: &[Access]) {
        if !self.options.checks.race {
            return;
        }
        for conflict in self.hazards.check(accessor.engine, accesses) {
            self.findings
                .race(self.program, self.device, &self.memory, &conflict, accessor);
        }
    }

    /// Notes what a command, or the control stream itself, accesses in what is alive.
    pub(crate) fn note_lives(&mut self, accesses: &[Access], command: Option<(usize, u64)>) {
        let Some(lives) = &mut self.lives else { return };
        lives.step(self.now);
        for access in accesses {
            if let Ok(buffer) = self.memory.live(access.buffer)
                && !buffer.is_fixed()
            {
                // All buffers at addresses are bytes of one.
                let named = if self.memory.window(access.buffer).is_some() {
                    buffer.id
                } else {
                    access.buffer
                };
                lives.access((named, buffer.space), &access.footprint, access.write, command);
            }
        }
    }

    /// Notes a piece of the control stream's timeline.
    pub(crate) fn trace_control(
        &mut self,
        kind: TraceKind,
        name: &str,
        location: LocationId,
        begin: u64,
        command: Option<u64>,
    ) {
        if !self.options.trace || self.now <= begin {
            return;
        }
        let location = self.program.location(location).to_string();
        // An activity that goes on is one piece.
        if kind == TraceKind::Stream
            && let Some(last) = self.trace.iter_mut().rev().find(|event| event.engine.is_none())
            && (last.kind, last.end) == (kind, begin)
            && (last.name.as_str(), &last.location) == (name, &location)
        {
            last.end = self.now;
            return;
        }
        self.trace.push(TraceEvent {
            engine: None,
            kind,
            name: name.to_owned(),
            location,
            begin,
            end: self.now,
            command,
        });
    }
}
