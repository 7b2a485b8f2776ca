//! The plan is true, and good: on the reference loops the initiation interval of the plan is the steady period that the simulator
//! sees, and the cycles of whole runs are at or below what other planners reach.
//!
//! Figures of others: `test/kernels/graphs/reference.txt`. Cycles are deterministic, so these tests are too.

#![forbid(unsafe_code)]

// This test compares plans with runs, and has no use for the other half of what it shares with the oracle.
#[allow(dead_code)]
mod support;

use support::case::Buffer;
use support::graph::{GRAPHS, Graph, step_of, with_open_end};
use support::lower::{self, Setting};
use support::run::program;
use zpu_device::Device;
use zpu_ir::{Module, Op, attr, parse_text};
use zpu_sim::{Argument, Options, Program, simulate};

const MACHINES: [&str; 2] = ["planning-1dma", "planning-2dma"];

/// A loop through the pipeline.
struct Compiled {
    program: Program,
    device: Device,
    /// Initiation interval of the plan; none if the loop was not planned.
    interval: Option<u64>,
}

fn compiled(graph: &Graph, text: &str, device: &'static str, scheduler: &'static str) -> Result<Compiled, String> {
    let context = lower::context();
    let mut module = parse_text(&context, text, graph.name)?;
    let setting = Setting {
        device,
        scheduler,
        stages: 2,
    };
    let device = Device::load(device, &[]).map_err(|error| error.to_string())?;
    let mut interval = None;
    for step in lower::steps(&context, setting)? {
        lower::step(&context, &mut module, &step)?;
        interval = interval.or_else(|| planned_interval(&module));
    }
    Ok(Compiled {
        program: program(&module, &device, graph.name)?,
        device,
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
    fn cycles(&self, graph: &Graph, buffers: &[Buffer], end: Option<i64>) -> Result<u64, String> {
        let mut arguments: Vec<Argument> = buffers.iter().map(Buffer::to_simulator).collect();
        arguments.extend(end.map(|end| Argument::Scalar(end as u64)));
        let options = Options {
            bound: false,
            ..Options::default()
        };
        let outcome = simulate(&self.program, &self.device, graph.name, arguments, &options);
        let report = outcome.map_err(|error| error.to_string())?.report;
        match report.findings.first() {
            Some(finding) => Err(finding.to_string()),
            None => Ok(report.cycles),
        }
    }
}

/// Cycles from the end of one iteration to that of the next, as the simulator sees it: the mean over some dozen of them.
fn steady_period(compiled: &Compiled, graph: &Graph, text: &str) -> Result<f64, String> {
    const TRIPS: [i64; 2] = [16, 28];
    let buffers = graph.buffers(&graph.kernel()?.cases[0]);
    let cycles = |trips| compiled.cycles(graph, &buffers, Some(trips * step_of(text)));
    let [few, many] = [cycles(TRIPS[0])?, cycles(TRIPS[1])?];
    Ok((many as f64 - few as f64) / (TRIPS[1] - TRIPS[0]) as f64)
}

/// Checks plans for a dynamic number of trips; the period may be off by that share of the interval.
fn check_periods(devices: &[&'static str], schedulers: &[&'static str], tolerance: f64) {
    let mut problems = Vec::new();
    let mut planned = 0;
    for graph in GRAPHS {
        let text = with_open_end(&graph.kernel().expect("a kernel").text());
        for device in devices {
            for scheduler in schedulers {
                let at = format!("{}, {device}, {scheduler}", graph.name);
                let seen = compiled(&graph, &text, device, scheduler).and_then(|compiled| {
                    let period = steady_period(&compiled, &graph, &text)?;
                    Ok((compiled.interval, period))
                });
                match seen {
                    Ok((Some(interval), period)) => {
                        planned += 1;
                        // The plan's interval is a whole number, rounded up where iterations take turns.
                        let difference = (period.ceil() - interval as f64).abs();
                        if difference > tolerance * interval as f64 {
                            problems.push(format!("{at}: planned {interval}, seen {period}"));
                        }
                    }
                    Ok((None, _)) => {}
                    Err(error) => problems.push(format!("{at}: {error}")),
                }
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    let all = GRAPHS.len() * devices.len() * schedulers.len();
    // A plan that gains nothing is none; fixed stages often do not.
    assert!(planned * 10 >= all * 7, "only {planned} of {all} loops were planned");
}

#[test]
fn steady_periods_are_the_plans_intervals() {
    check_periods(&MACHINES, &["list", "greedy", "modulo", "auto", "exact"], 0.0);
}

#[test]
fn steady_periods_with_shared_links_are_close_to_the_plans_intervals() {
    check_periods(&["sunmmio-a4e"], &["greedy", "modulo", "auto"], 0.05);
}

/// What other planners reach with a loop on a machine, in cycles.
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
    let run = compiled(graph, &kernel.text(), device, scheduler)
        .and_then(|compiled| Ok((compiled.cycles(graph, &buffers, None)?, compiled.interval)));
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

/// At most 1 % above the best that others found, never above the planners, and with the smallest interval that is possible.
#[test]
fn cycles_are_at_or_below_the_reference() {
    let all = GRAPHS.iter().flat_map(|graph| MACHINES.map(|device| (graph, device)));
    let problems: Vec<String> = all
        .flat_map(|(graph, device)| ["auto", "exact"].map(|scheduler| above(graph, device, scheduler)))
        .flatten()
        .collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
