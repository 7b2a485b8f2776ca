//! One program through the passes, checked after each of them.
//!
//! The expectations: every pass succeeds and leaves a module that verifies; on the simulator it leaves the bytes that
//! the program left before any pass, without a finding, in the cycles that the stepper counts too; the planner's own
//! plans are obeyed; and at the end the program takes no more cycles than its synchronous form, but for the cost of the
//! added waits, and no fewer than the model's bound.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use zpu_device::Device;
use zpu_driver::{Session, Step, nest, pipeline_of};
use zpu_ir::arith::has_no_unsigned_wrap;
use zpu_ir::{Module, Op, Value, annotation};
use zpu_model::lower_bound;

use crate::by_hand::intervene;
use crate::certified::certified;
use crate::observation::{difference, observe, translated};
use crate::program::Program;
use crate::setting::Setting;
use crate::timing::same_without_values;

/// The kind of a failure. Failures of one kind after one pass count as the same.
///
/// Its name is the variant's in lower case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, strum::Display, strum::EnumString)]
#[strum(serialize_all = "lowercase")]
pub enum Kind {
    /// The program makes no sense before any pass: a mistake of the generator, or of what shrinks programs.
    Program,
    /// A pass reported an error, or panicked.
    Error,
    /// A pass left a module that does not verify.
    Verify,
    /// Arithmetic that says that it does not wrap does.
    Wraps,
    /// The planner's own plan was refused.
    Plan,
    /// The simulator does not understand the result of a pass.
    Translate,
    /// Other bytes in the arguments.
    Bytes,
    /// A race.
    Race,
    /// A deadlock, or no end.
    Deadlock,
    /// A memory overflows.
    Capacity,
    /// Any other finding: reads of unwritten memory, accesses out of bounds.
    Finding,
    /// Other cycles than the stepper counts.
    Clock,
    /// More cycles than before.
    Slower,
    /// Fewer cycles than the model's bound.
    Bound,
    /// `zpu-verify-sync` calls proven what goes wrong.
    Unsound,
    /// The check of proofs does not accept one.
    Uncertified,
    /// `zpu-verify-sync` calls refuted what never goes wrong.
    Unfounded,
    /// The bytes depend on the order of completion, and the simulator reports no race.
    Unseen,
    /// `zpu-verify-sync` or the simulator warns of code that the passes wrote.
    Warned,
    /// The process died, or did not come to an end. Only seen from another process.
    Crash,
}

/// A failure, and after which step it was first seen.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind} after {pass}: {message}")]
pub struct Failure {
    /// The kind.
    pub kind: Kind,
    /// Name of the pass.
    pub pass: String,
    /// The failure in words.
    pub message: String,
}

/// The result of a run without failure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// The machine cannot run the program as it is: no route, no engine, too small a memory. Nothing was checked after
    /// that.
    pub refused: bool,
    /// Something was changed by hand between two passes.
    pub by_hand: bool,
    /// Loops that were rewritten with at least two stages.
    pub pipelined: usize,
    /// A run without values says the same of the last form; it is not refused.
    pub timed: bool,
    /// The model has a bound, and it holds.
    pub bounded: bool,
    /// Cycles of the synchronous form and of the last one.
    pub cycles: Option<(u64, u64)>,
}

/// Runs programs in one session, and keeps the devices that many of them need.
pub struct Runner<'s> {
    pub(crate) session: &'s Session,
    devices: BTreeMap<(String, Vec<String>), Arc<Device>>,
    times: BTreeMap<String, Duration>,
}

impl<'s> Runner<'s> {
    /// A runner that works in that session.
    pub fn new(session: &'s Session) -> Self {
        Self {
            session,
            devices: BTreeMap::new(),
            times: BTreeMap::new(),
        }
    }

    /// The time spent so far: passes by their names, and other work.
    pub fn times(&self) -> &BTreeMap<String, Duration> {
        &self.times
    }

    /// The machine of a setting, if it has all memories that the text names.
    pub(crate) fn device(&mut self, setting: &Setting, text: &str) -> Result<Option<Arc<Device>>, Failure> {
        let key = (setting.device.clone(), setting.sets.clone());
        if !self.devices.contains_key(&key) {
            let device = Device::load(&setting.device, &setting.sets)
                .map_err(|error| fail(Kind::Program, "reading the device", error.to_string()))?;
            self.devices.insert(key.clone(), Arc::new(device));
        }
        let device = Arc::clone(&self.devices[&key]);
        Ok(has_memories(&device, text).then_some(device))
    }

    /// The module as it is when it was changed by hand, and the rest of the pipeline; `None` if that does not happen.
    pub(crate) fn changed_by_hand(&mut self, program: &Program, setting: &Setting) -> Option<(String, String)> {
        let session = self.session;
        let mut module = session.parse(&program.text, "program").ok()?;
        let mut steps = setting.steps(session).ok()?.into_iter();
        while let Some(step) = steps.next() {
            session.compile_unverified(&mut module, step.as_str()).ok()?;
            if setting.hand != 0 && intervene(Op::of_module(&module), step.pass(), setting.hand) {
                let rest: Vec<_> = steps.collect();
                return Some((Op::of_module(&module).to_string(), pipeline_of(&rest)));
            }
        }
        None
    }

    /// Runs a program under a setting.
    ///
    /// # Errors
    ///
    /// The first failure.
    pub fn check(&mut self, program: &Program, setting: &Setting) -> Result<Verdict, Failure> {
        let Some(device) = self.device(setting, &program.text)? else {
            return Ok(Verdict {
                refused: true,
                ..Verdict::default()
            });
        };
        let mut clock = Clock::new(&mut self.times);
        let session = self.session;
        let mut module = parsed(session, program)?;
        clock.lap("(parsing)");
        let before = match observe(&module, &device, program) {
            Ok(observation) => observation,
            Err((Kind::Capacity, _)) => {
                return Ok(Verdict {
                    refused: true,
                    ..Verdict::default()
                });
            }
            Err((Kind::Clock, message)) => return Err(fail(Kind::Clock, "parsing", message)),
            Err((_, message)) => return Err(fail(Kind::Program, "parsing", message)),
        };
        clock.lap("(simulating)");
        let steps = steps(session, setting)?;
        clock.lap("(pipelines)");
        let mut verdict = Verdict::default();
        let (mut synchronous, mut last, mut bound) = (None, None, None);
        let planning = before_planning(session, &steps)?;
        for (at, step) in steps.iter().enumerate() {
            let pass = step.pass();
            if at == planning && !verdict.by_hand {
                // The model does not know all programs.
                let nest = nest(&module, &device, &program.entry).ok();
                bound = nest.map(|nest| lower_bound(&nest, &device).cycles);
                clock.lap("(predicting)");
            }
            let planned = planned_loops(&module);
            let compiled = session.compile_unverified(&mut module, step.as_str());
            let messages = match compiled.map_err(|error| error.to_string()) {
                Ok(messages) => messages,
                Err(error) if is_refusal(&error) => {
                    verdict.refused = true;
                    return Ok(verdict);
                }
                // Code written by hand may be refused, with a reason.
                Err(error) if verdict.by_hand && !error.is_empty() && !error.contains("panic") => {
                    verdict.refused = true;
                    return Ok(verdict);
                }
                Err(error) => return Err(fail(Kind::Error, pass, error)),
            };
            clock.lap(pass);
            verdict.by_hand |= setting.hand != 0 && intervene(Op::of_module(&module), pass, setting.hand);
            if !Op::of_module(&module).verify() {
                return Err(fail(Kind::Verify, pass, "the module does not verify".to_owned()));
            }
            if let Some(op) = wrapping(Op::of_module(&module)) {
                let message = format!("{op} wraps, and says that it does not");
                return Err(fail(Kind::Wraps, pass, message));
            }
            clock.lap("(verifying)");
            if pass == "zpu-inject-software-pipeline" {
                verdict.pipelined = planned.saturating_sub(planned_loops(&module));
                let refusal = messages.lines().find(|line| line.contains("loop is not pipelined"));
                if let Some(line) = refusal.filter(|_| !verdict.by_hand) {
                    return Err(fail(Kind::Plan, pass, line.to_owned()));
                }
            }
            let observation =
                observe(&module, &device, program).map_err(|(kind, message)| fail(kind, pass, message))?;
            if let Some(message) = difference(&before.memory, &observation.memory) {
                return Err(fail(Kind::Bytes, pass, message));
            }
            last = Some((observation.cycles, observation.control));
            clock.lap("(simulating)");
            if pass == "zpu-convert-to-dma" {
                synchronous = last;
            }
        }
        certified(&module, &device).map_err(|message| fail(Kind::Uncertified, "all passes", message))?;
        clock.lap("(checking the proof)");
        let executable = translated(&module, &device, program);
        let timed = executable.and_then(|executable| same_without_values(&executable, program));
        verdict.timed = timed.map_err(|(kind, message)| fail(kind, "all passes", message))?;
        clock.lap("(simulating without values)");
        if let (Some((before, before_control)), Some((after, control))) = (synchronous, last) {
            verdict.cycles = Some((before, after));
            let allowed = before + control.saturating_sub(before_control);
            if after > allowed && !verdict.by_hand && !setting.forces_changes() {
                let message =
                    format!("{after} cycles instead of {before}, {allowed} with the control stream's own work");
                return Err(fail(Kind::Slower, "all passes", message));
            }
            if let Some(bound) = bound.filter(|_| !verdict.by_hand) {
                if after < bound {
                    let message = format!("{after} cycles, and no schedule was to take fewer than {bound}");
                    return Err(fail(Kind::Bound, "all passes", message));
                }
                verdict.bounded = true;
            }
        }
        Ok(verdict)
    }
}

/// Arithmetic on a negative constant that says that it does not wrap as an unsigned number: as such the constant is
/// almost all that there is, and whoever lowers the program may take the result to be anything.
fn wrapping(module: Op<'_>) -> Option<Op<'_>> {
    let sums = module
        .walk()
        .into_iter()
        .filter(|op| matches!(op.name(), "arith.addi" | "arith.subi"));
    let is_negative = |value: Value<'_>| value.as_constant_int().is_some_and(|constant| constant < 0);
    sums.filter(|op| has_no_unsigned_wrap(*op))
        .find(|op| op.operands().into_iter().any(is_negative))
}

impl fmt::Debug for Runner<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Runner")
            .field("times", &self.times)
            .finish_non_exhaustive()
    }
}

/// Runs a program under a setting, alone.
///
/// # Errors
///
/// The first failure.
pub fn check(session: &Session, program: &Program, setting: &Setting) -> Result<Verdict, Failure> {
    Runner::new(session).check(program, setting)
}

pub(crate) fn fail(kind: Kind, pass: &str, message: String) -> Failure {
    Failure {
        kind,
        pass: pass.to_owned(),
        message,
    }
}

/// Adds up what time goes into.
struct Clock<'a> {
    times: &'a mut BTreeMap<String, Duration>,
    last: Instant,
}

impl<'a> Clock<'a> {
    fn new(times: &'a mut BTreeMap<String, Duration>) -> Self {
        Self {
            times,
            last: Instant::now(),
        }
    }

    /// Counts the time since the last lap for `what`.
    fn lap(&mut self, what: &str) {
        let now = Instant::now();
        if let Some(sum) = self.times.get_mut(what) {
            *sum += now - self.last;
        } else {
            self.times.insert(what.to_owned(), now - self.last);
        }
        self.last = now;
    }
}

/// The module of a program.
pub(crate) fn parsed<'s>(session: &'s Session, program: &Program) -> Result<Module<'s>, Failure> {
    let module = session.parse(&program.text, "program");
    module.map_err(|error| fail(Kind::Program, "parsing", error.to_string()))
}

/// The passes of a setting.
pub(crate) fn steps(session: &Session, setting: &Setting) -> Result<Vec<Step>, Failure> {
    let steps = setting.steps(session);
    steps.map_err(|error| fail(Kind::Program, "the pipeline", error.to_string()))
}

/// The number of passes before the first plan.
fn before_planning(session: &Session, steps: &[Step]) -> Result<usize, Failure> {
    let before = session.steps_before_planning(&pipeline_of(steps));
    let before = before.map_err(|error| fail(Kind::Program, "the pipeline", error.to_string()))?;
    Ok(before.0.len())
}

/// True if the machine has all memories that the text names.
fn has_memories(device: &Device, text: &str) -> bool {
    let mut named = text
        .split("#zpu.space<")
        .skip(1)
        .filter_map(|rest| rest.split('>').next());
    named.all(|name| device.memory(name).is_some())
}

/// True for the refusal of a program that the machine has no path for; it is no error of the passes.
pub(crate) fn is_refusal(error: &str) -> bool {
    error.contains("no path of routes")
}

/// Loops with a plan of two stages or more.
fn planned_loops(module: &Module<'_>) -> usize {
    let loops = Op::of_module(module).find_all("scf.for").into_iter();
    let stages = |op: Op<'_>| op.attr(annotation::PIPELINE).map(|plan| plan.to_string());
    loops
        .filter(|op| stages(*op).is_some_and(|plan| !plan.contains("stages = 1>")))
        .count()
}
