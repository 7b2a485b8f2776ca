//! The plan is true, and good: on the reference loops the initiation interval of the plan is the steady period that the
//! simulator sees, and the cycles of whole runs are at or below what other planners reach.
//!
//! Figures of others: `test/kernels/graphs/reference.txt`. Cycles are deterministic, so these tests are too.

#![forbid(unsafe_code)]

// This test compares plans with runs, and does not use the other half of the code that it shares with the oracle.
#[allow(dead_code)]
mod support;

use std::sync::Arc;

use support::case::Buffer;
use support::graph::{GRAPHS, Graph, step_of, with_open_end};
use support::run::program;
use support::{lower, text};
use zpu_device::Device;
use zpu_driver::{Executable, Session};
use zpu_ir::{Module, Op, attr};
use zpu_sched::{Scheduler, read_instance, timed_solution};
use zpu_sim::{Argument, Options};

const MACHINES: [&str; 2] = ["planning-1dma", "planning-2dma"];

/// A built-in device with other numbers in some places.
#[derive(Clone, Copy)]
struct Machine {
    device: &'static str,
    set: &'static [&'static str],
}

impl From<&'static str> for Machine {
    fn from(device: &'static str) -> Self {
        Self { device, set: &[] }
    }
}

impl std::fmt::Display for Machine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.device)?;
        self.set.iter().try_for_each(|set| write!(f, " set={set}"))
    }
}

/// A control stream that takes longer for everything.
const STREAM: Machine = Machine {
    device: "toy",
    set: &[
        "control.start_cycles=7",
        "control.wait_cycles=5",
        "control.loop_cycles=9",
    ],
};

/// A machine that takes longer for issuing.
const START: Machine = Machine {
    device: "toy",
    set: &["control.start_cycles=7"],
};

/// A machine with long waits, for commands that take longer than those.
const WAITS: Machine = Machine {
    device: "toy",
    set: &[
        "control.wait_cycles=30",
        "engine.odma.gap_cycles=60",
        "engine.tensor.fill_cycles=60",
        "engine.vector.min_cycles=60",
    ],
};

/// The pass that says whether a kernel has a place on a device: some operands have no route to where they have to be.
const PLACEMENT: &str = "zpu-infer-memory-spaces";

/// A loop through the pipeline.
struct Compiled {
    program: Executable,
    /// Initiation interval of the plan; none if the loop was not planned.
    interval: Option<u64>,
}

fn compiled(graph: &Graph, text: &str, machine: Machine, scheduler: &'static str) -> Result<Compiled, String> {
    compiled_but(graph, text, machine, scheduler, None)
}

/// Compiles with one pass left out.
fn compiled_but(
    graph: &Graph,
    source: &str,
    machine: Machine,
    scheduler: &'static str,
    left_out: Option<&str>,
) -> Result<Compiled, String> {
    let session = Session::new();
    let mut module = session.parse(source, graph.name).map_err(text)?;
    let sets: Vec<String> = machine.set.iter().map(ToString::to_string).collect();
    let device = Device::load(machine.device, &sets).map(Arc::new).map_err(text)?;
    let set = if sets.is_empty() {
        String::new()
    } else {
        format!(" set={}", sets.join(","))
    };
    let options = format!("device={}{set} scheduler={scheduler} num-stages=2", machine.device);
    let mut interval = None;
    for step in lower::steps_with(&session, &format!("{options} compare-plans=false"))? {
        if left_out == Some(step.pass()) {
            continue;
        }
        lower::step(&session, &mut module, &step)?;
        interval = interval.or_else(|| planned_interval(&module));
    }
    Ok(Compiled {
        program: program(&module, &device, graph.name)?,
        interval,
    })
}

fn planned_interval(module: &Module<'_>) -> Option<u64> {
    let loops = Op::of_module(module).find_all("scf.for");
    let plan = loops.into_iter().find_map(|op| op.attr("zpu.pipeline"));
    plan.and_then(attr::as_pipeline)
        .and_then(|(ii, _)| u64::try_from(ii).ok())
}

impl Compiled {
    /// Cycles of a run, which has to be free of findings.
    fn cycles(&self, buffers: &[Buffer], end: Option<i64>) -> Result<u64, String> {
        let mut arguments: Vec<Argument> = buffers.iter().map(Buffer::to_simulator).collect();
        arguments.extend(end.map(|end| Argument::Scalar(end as u64)));
        let options = Options {
            bound: false,
            ..Options::default()
        };
        let outcome = self.program.simulate(arguments, &options);
        let report = outcome.map_err(text)?.report;
        match report.findings.first() {
            Some(finding) => Err(finding.to_string()),
            None => Ok(report.cycles),
        }
    }
}

/// Cycles from the end of one iteration to that of the next, as the simulator sees it: the mean over the last ones that
/// the kernels' arguments have room for. Before, an engine with little to spare may still be catching up with the
/// control stream.
fn steady_period(compiled: &Compiled, graph: &Graph, text: &str) -> Result<f64, String> {
    const TRIPS: [i64; 2] = [26, 32];
    let buffers = graph.buffers(&graph.kernel()?.cases[0]);
    let cycles = |trips| compiled.cycles(&buffers, Some(trips * step_of(text)));
    let [few, many] = [cycles(TRIPS[0])?, cycles(TRIPS[1])?];
    Ok((many as f64 - few as f64) / (TRIPS[1] - TRIPS[0]) as f64)
}

/// The one plan that counts a wait which is left out: the proof sees that where the mask in memory, which the loop
/// carries, has nothing done, nothing is there to wait for. The control stream is the bound, so an iteration takes
/// exactly that wait less than planned.
const COUNTS_A_WAIT_MORE: &str = "blocksparse_gemm, toy set=control.start_cycles=7, greedy";

/// Checks plans for a dynamic number of trips; the period may be off by that share of the interval. At least so many
/// loops have to be planned: a plan that gains nothing is none, and some kernels do not fit some machines.
fn check_periods(machines: &[Machine], schedulers: &[&'static str], tolerance: f64, least: usize) {
    let mut problems = Vec::new();
    let mut planned = 0;
    for graph in GRAPHS {
        let text = with_open_end(&graph.kernel().expect("a kernel").text());
        for machine in machines.iter().copied() {
            for scheduler in schedulers {
                let at = format!("{}, {machine}, {scheduler}", graph.name);
                let seen = compiled(&graph, &text, machine, scheduler).and_then(|compiled| {
                    let period = steady_period(&compiled, &graph, &text)?;
                    Ok((compiled.interval, period, compiled.program.device().control.wait_cycles))
                });
                match seen {
                    Ok((Some(interval), period, wait)) => {
                        planned += 1;
                        // The plan's interval is a whole number, rounded up where iterations alternate.
                        let more = if at == COUNTS_A_WAIT_MORE { wait } else { 0 };
                        let difference = (period.ceil() - (interval - more) as f64).abs();
                        if difference > tolerance * interval as f64 {
                            problems.push(format!("{at}: planned {interval}, seen {period}"));
                        }
                    }
                    Ok((None, ..)) => {}
                    Err(error) if error.contains(PLACEMENT) => {}
                    Err(error) => problems.push(format!("{at}: {error}")),
                }
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    let all = GRAPHS.len() * machines.len() * schedulers.len();
    assert!(planned >= least, "only {planned} of {all} loops were planned");
}

#[test]
fn steady_periods_are_the_plans_intervals() {
    check_periods(
        &MACHINES.map(Machine::from),
        &["list", "greedy", "modulo", "auto", "exact"],
        0.0,
        70,
    );
}

#[test]
fn steady_periods_are_the_plans_intervals_where_the_stream_is_the_bound() {
    check_periods(&[Machine::from("toy"), START], &["greedy"], 0.0, 12);
    check_periods(&[STREAM, WAITS], &["list", "greedy", "auto"], 0.0, 35);
}

/// Loops that are left in program order take the cycles that the planner estimates: a plan has to beat them.
#[test]
fn steady_periods_of_loops_without_a_plan_are_as_estimated() {
    let folder = std::env::temp_dir().join(format!("zpu-unplanned-{}", std::process::id()));
    let mut problems = Vec::new();
    for (graph, machine) in GRAPHS.iter().flat_map(|graph| [(graph, STREAM), (graph, WAITS)]) {
        let text = with_open_end(&graph.kernel().expect("a kernel").text());
        let estimated = planned_and_replayed(graph, &text, machine, Scheduler::Serial, &folder);
        // A failure to remove it does not matter: it is in the temporary folder.
        let _ = std::fs::remove_dir_all(&folder);
        let compiled = compiled(graph, &text, machine, "serial");
        let seen = compiled.and_then(|compiled| steady_period(&compiled, graph, &text));
        match (estimated, seen) {
            (Ok(Some((_, estimated))), Ok(period)) if estimated as f64 == period.ceil() => {}
            (estimated, seen) => problems.push(format!("{}, {machine}: {estimated:?}, seen {seen:?}", graph.name)),
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn steady_periods_with_shared_links_are_close_to_the_plans_intervals() {
    let machines = ["sunmmio-a4e", "ascend-910b", "trainium2-core"].map(Machine::from);
    check_periods(&machines, &["modulo"], 0.05, 15);
}

/// The results of other planners for a loop on a machine, in cycles.
struct Reference {
    default: u64,
    greedy: u64,
    found: u64,
    interval: u64,
}

fn reference(graph: &Graph, device: &str) -> Reference {
    let table = include_str!("../../test/kernels/graphs/reference.txt");
    let rows = table.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let row = rows.into_iter().find(|row| row.starts_with(&[graph.name, device]));
    let numbers: Vec<u64> = row.expect("a row")[2..]
        .iter()
        .map(|number| number.parse().expect("a number"))
        .collect();
    let [_, default, greedy, found, _, interval] = numbers[..] else {
        panic!("a row of the reference has six numbers");
    };
    Reference {
        default,
        greedy,
        found,
        interval,
    }
}

/// A kernel, planned by a scheduler, that is worse than it has to be, or nothing.
fn above(graph: &Graph, device: &'static str, scheduler: &'static str) -> Option<String> {
    let kernel = graph.kernel().expect("a kernel");
    let buffers = graph.buffers(&kernel.cases[0]);
    let reference = reference(graph, device);
    let limit = (reference.found * 101 / 100)
        .min(reference.default)
        .min(reference.greedy);
    // The least interval that is possible is what `exact` has to find; `auto` may miss it by 1 %.
    let interval_limit = match scheduler {
        "exact" => reference.interval,
        _ => reference.interval * 101 / 100,
    };
    let run = compiled(graph, &kernel.text(), device.into(), scheduler)
        .and_then(|compiled| Ok((compiled.cycles(&buffers, None)?, compiled.interval)));
    let problem = match run {
        Ok((cycles, _)) if scheduler != "exact" && cycles > limit => {
            format!("{cycles} cycles, the limit is {limit}")
        }
        Ok((_, None)) => "no plan".to_owned(),
        Ok((_, Some(interval))) if interval > interval_limit => {
            format!("interval {interval}, {} is possible", reference.interval)
        }
        Ok(_) => return None,
        Err(error) => error,
    };
    Some(format!("{}, {device}, {scheduler}: {problem}", graph.name))
}

/// Cycles are at most 1 % above the best that others found, never above the planners, and the interval is the smallest
/// possible.
#[test]
fn cycles_are_at_or_below_the_reference() {
    let all = GRAPHS.iter().flat_map(|graph| MACHINES.map(|device| (graph, device)));
    let problems: Vec<String> = all
        .flat_map(|(graph, device)| ["auto", "exact"].map(|scheduler| above(graph, device, scheduler)))
        .flatten()
        .collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// Straight-line code around the loops is ordered only where that is no loss for the whole run.
#[test]
fn ordering_prologues_and_epilogues_costs_nothing() {
    let mut problems = Vec::new();
    for graph in GRAPHS {
        let kernel = graph.kernel().expect("a kernel");
        let buffers = graph.buffers(&kernel.cases[0]);
        for device in MACHINES {
            for scheduler in ["list", "greedy", "auto"] {
                let cycles = |left_out| {
                    let compiled = compiled_but(&graph, &kernel.text(), device.into(), scheduler, left_out)?;
                    compiled.cycles(&buffers, None)
                };
                let pass = "zpu-schedule-dma-compute-overlap";
                match (cycles(None), cycles(Some(pass))) {
                    (Ok(with), Ok(without)) if with <= without => {}
                    (with, without) => problems.push(format!(
                        "{}, {device}, {scheduler}: with {with:?}, without {without:?}",
                        graph.name
                    )),
                }
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// The problem that the planner writes down has the same plan: every kernel on a machine with costs of the stream, and
/// one with a shared link.
#[test]
fn problems_from_files_have_the_plans_intervals() {
    let mut problems = Vec::new();
    let mut replayed = 0;
    for (graph, device) in GRAPHS.iter().flat_map(|graph| [(graph, "toy"), (graph, "ascend-910b")]) {
        let folder = std::env::temp_dir().join(format!("zpu-replay-{}-{device}-{}", graph.name, std::process::id()));
        let text = graph.kernel().expect("a kernel").text();
        let seen = planned_and_replayed(graph, &text, device.into(), Scheduler::Greedy, &folder);
        // A failure to remove it does not matter: it is in the temporary folder.
        let _ = std::fs::remove_dir_all(&folder);
        match seen {
            Ok(Some((Some(planned), again))) if planned != again => {
                problems.push(format!(
                    "{}, {device}: planned {planned}, from the file {again}",
                    graph.name
                ));
            }
            Ok(planned) => replayed += usize::from(planned.is_some_and(|(planned, _)| planned.is_some())),
            Err(error) if error.contains(PLACEMENT) => {}
            Err(error) => problems.push(format!("{}, {device}: {error}", graph.name)),
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(replayed >= 8, "only {replayed} loops were planned");
}

/// The interval of the plan, if there is one, and that which the problem has which the planner wrote into a folder;
/// none if it wrote none.
fn planned_and_replayed(
    graph: &Graph,
    source: &str,
    machine: Machine,
    scheduler: Scheduler,
    folder: &std::path::Path,
) -> Result<Option<(Option<u64>, u64)>, String> {
    let session = Session::new();
    let mut module = session.parse(source, graph.name).map_err(text)?;
    let set = match machine.set {
        [] => String::new(),
        set => format!(" set={}", set.join(",")),
    };
    let options = format!(
        "device={}{set} scheduler={} num-stages=2",
        machine.device,
        scheduler.name()
    );
    for step in lower::steps_with(&session, &format!("{options} compare-plans=false"))? {
        let step = match step.options().contains("dump-problem=") {
            true => step.with_option("dump-problem", &folder.display().to_string()),
            false => step,
        };
        lower::step(&session, &mut module, &step)?;
        let file = folder.join(format!("{}-loop0.json", graph.name));
        if file.exists() {
            let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
            let instance = read_instance(&text).map_err(|error| error.to_string())?;
            let solved = timed_solution(&instance, scheduler, &zpu_sched::Options::default());
            let solved = solved.map_err(|error| error.to_string())?;
            return Ok(Some((planned_interval(&module), solved.measure.interval)));
        }
    }
    Ok(None)
}
