//! One program through the passes, checked after each of them.
//!
//! What is expected: every pass succeeds and leaves a module that verifies; on the simulator it leaves the bytes that the
//! program left before any pass, without a finding, in the cycles that the stepper counts too; the planner's own plans are obeyed; and at the end the program takes no
//! more cycles than its synchronous form, but for what the added waits cost.

use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;
use std::sync::Once;
use std::time::{Duration, Instant};

use zpu_device::Device;
use zpu_ir::pipeline::Prepared;
use zpu_ir::{Context, Module, Op, new_context, parse_text};

use crate::by_hand::intervene;
use crate::program::Program;
use crate::setting::Setting;
use crate::sight::{difference, look};

/// What went wrong. Failures of one kind after one pass count as the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// The program makes no sense before any pass: a mistake of the generator, or of what shrinks programs.
    Program,
    /// A pass reported an error, or panicked.
    Error,
    /// A pass left a module that does not verify.
    Verify,
    /// The planner's own plan was refused.
    Plan,
    /// The simulator does not understand what a pass left.
    Translate,
    /// Other bytes in the arguments.
    Bytes,
    /// A race.
    Race,
    /// A deadlock, or no end.
    Deadlock,
    /// A memory overflows.
    Capacity,
    /// Any other finding: reads of what nobody wrote, accesses out of bounds.
    Finding,
    /// Other cycles than the stepper counts.
    Clock,
    /// More cycles than before.
    Slower,
    /// `zpu-verify-sync` calls proven what goes wrong.
    Unsound,
    /// `zpu-verify-sync` calls refuted what never goes wrong.
    Unfounded,
    /// The bytes depend on the order of completion, and the simulator reports no race.
    Unseen,
    /// `zpu-verify-sync` or the simulator warns of what the passes wrote themselves.
    Warned,
    /// The process died, or did not come to an end. Only seen from another process.
    Crash,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&format!("{self:?}").to_lowercase())
    }
}

/// A failure, and after which step it was first seen.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind} after {pass}: {message}")]
pub struct Failure {
    /// What.
    pub kind: Kind,
    /// Name of the pass.
    pub pass: String,
    /// In words.
    pub message: String,
}

/// What a run without failure shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// The machine cannot run the program as it is: no route, no engine, too small a memory. Nothing was checked after that.
    pub refused: bool,
    /// Something was changed by hand between two passes.
    pub by_hand: bool,
    /// Loops that were rewritten with at least two stages.
    pub pipelined: usize,
    /// Cycles of the synchronous form and of the last one.
    pub cycles: Option<(u64, u64)>,
}

/// A context in which all passes can be run. Contexts keep every type and attribute ever made in them: use one for some
/// hundreds of programs, not for all.
pub fn context() -> Context {
    static ONCE: Once = Once::new();
    ONCE.call_once(zpu_passes::install);
    let context = new_context();
    context.enable_multi_threading(false);
    context
}

/// Runs programs in one context, and keeps what many of them need: pipelines, devices.
pub struct Runner<'c> {
    pub(crate) pipelines: Prepared<'c>,
    devices: BTreeMap<(String, Vec<String>), Rc<Device>>,
    times: BTreeMap<String, Duration>,
}

impl<'c> Runner<'c> {
    /// For that context.
    pub fn new(context: &'c Context) -> Self {
        Self {
            pipelines: Prepared::new(context),
            devices: BTreeMap::new(),
            times: BTreeMap::new(),
        }
    }

    /// What the time went into so far: passes by their names, and what was done beside them.
    pub fn times(&self) -> &BTreeMap<String, Duration> {
        &self.times
    }

    /// The machine of a setting, if it has all memories that the text names.
    pub(crate) fn device(&mut self, setting: &Setting, text: &str) -> Result<Option<Rc<Device>>, Failure> {
        let key = (setting.device.clone(), setting.sets.clone());
        if !self.devices.contains_key(&key) {
            let device = Device::load(&setting.device, &setting.sets)
                .map_err(|error| fail(Kind::Program, "reading the device", error.to_string()))?;
            self.devices.insert(key.clone(), Rc::new(device));
        }
        let device = Rc::clone(&self.devices[&key]);
        Ok(has_memories(&device, text).then_some(device))
    }

    /// The module as it is when it was changed by hand, and the rest of the pipeline; `None` if that does not happen.
    pub(crate) fn changed_by_hand(&mut self, program: &Program, setting: &Setting) -> Option<(String, String)> {
        let context = self.pipelines.context();
        let mut module = parse_text(context, &program.text, "program").ok()?;
        let mut steps = setting.steps(context).ok()?.into_iter();
        while let Some(step) = steps.next() {
            self.pipelines.run(&mut module, &step).ok()?;
            if setting.hand != 0 && intervene(Op::of_module(&module), pass_name(&step), setting.hand) {
                let inner =
                    steps.filter_map(|step| Some(step.strip_prefix("builtin.module(")?.strip_suffix(')')?.to_owned()));
                let rest = inner.collect::<Vec<_>>().join(",");
                return Some((Op::of_module(&module).to_string(), format!("builtin.module({rest})")));
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
        let context = self.pipelines.context();
        let parsed = parse_text(context, &program.text, "program");
        let mut module = parsed.map_err(|error| fail(Kind::Program, "parsing", error))?;
        clock.lap("(parsing)");
        let before = match look(&module, &device, program) {
            Ok(sight) => sight,
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
        let steps = setting
            .steps(context)
            .map_err(|error| fail(Kind::Program, "the pipeline", error))?;
        clock.lap("(pipelines)");
        let mut verdict = Verdict::default();
        let (mut synchronous, mut last) = (None, None);
        for step in &steps {
            let pass = pass_name(step);
            let planned = planned_loops(&module);
            let messages = match self.pipelines.run(&mut module, step) {
                Ok(messages) => messages,
                Err(error) if is_refusal(&error) => {
                    verdict.refused = true;
                    return Ok(verdict);
                }
                // What somebody wrote may be refused, with a reason.
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
            clock.lap("(verifying)");
            if pass == "zpu-inject-software-pipeline" {
                verdict.pipelined = planned.saturating_sub(planned_loops(&module));
                let refusal = messages.lines().find(|line| line.contains("loop is not pipelined"));
                if let Some(line) = refusal.filter(|_| !verdict.by_hand) {
                    return Err(fail(Kind::Plan, pass, line.to_owned()));
                }
            }
            let sight = look(&module, &device, program).map_err(|(kind, message)| fail(kind, pass, message))?;
            if let Some(message) = difference(&before.memory, &sight.memory) {
                return Err(fail(Kind::Bytes, pass, message));
            }
            last = Some((sight.cycles, sight.control));
            clock.lap("(simulating)");
            if pass == "zpu-convert-to-dma" {
                synchronous = last;
            }
        }
        if let (Some((before, before_control)), Some((after, control))) = (synchronous, last) {
            verdict.cycles = Some((before, after));
            let allowed = before + control.saturating_sub(before_control);
            if after > allowed && !verdict.by_hand {
                let message =
                    format!("{after} cycles instead of {before}, {allowed} with the control stream's own work");
                return Err(fail(Kind::Slower, "all passes", message));
            }
        }
        Ok(verdict)
    }
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
pub fn check(context: &Context, program: &Program, setting: &Setting) -> Result<Verdict, Failure> {
    Runner::new(context).check(program, setting)
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

    /// What went by since the last lap went into that.
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

/// `zpu-convert-to-dma` of `builtin.module(func.func(zpu-convert-to-dma{...}))`.
pub(crate) fn pass_name(step: &str) -> &str {
    let without_options = step.split('{').next().unwrap_or(step);
    let innermost = without_options.rsplit('(').next().unwrap_or(without_options);
    innermost.trim_end_matches(')')
}

/// Whether the machine has all memories that the text names.
fn has_memories(device: &Device, text: &str) -> bool {
    let mut named = text
        .split("#zpu.space<")
        .skip(1)
        .filter_map(|rest| rest.split('>').next());
    named.all(|name| device.memory(name).is_some())
}

/// A machine may have no way to do what the program wants; it says so, and nothing is wrong with the passes.
pub(crate) fn is_refusal(error: &str) -> bool {
    error.contains("no path of routes")
}

/// Loops with a plan of two stages or more.
fn planned_loops(module: &Module<'_>) -> usize {
    let loops = Op::of_module(module).find_all("scf.for").into_iter();
    let stages = |op: Op<'_>| op.attr("zpu.pipeline").map(|plan| plan.to_string());
    loops
        .filter(|op| stages(*op).is_some_and(|plan| !plan.contains("stages = 1>")))
        .count()
}

#[cfg(test)]
mod tests {
    use super::pass_name;

    #[test]
    fn a_step_is_named_after_its_pass() {
        assert_eq!(pass_name("builtin.module(func.func(zpu-x{a={b(c)} d=1}))"), "zpu-x");
        assert_eq!(pass_name("builtin.module(zpu-y)"), "zpu-y");
        assert_eq!(pass_name("builtin.module(func.func(cse))"), "cse");
    }
}
