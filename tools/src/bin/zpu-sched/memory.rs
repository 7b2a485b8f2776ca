//! `zpu-sched memory`: addresses for buffers, or the reason why they do not fit.

use std::time::Instant;

use zpu_sched::memory::text::{infeasible_json, infeasible_text, json, read_csv, read_json, text};
use zpu_sched::memory::{Cause, Effort, Explanation, MemoryError, PlanError, Problem, SpaceId, check, explain, plan};

use crate::command_line::Memory;
use crate::process::{Code, print};
use crate::{read, report};

pub(crate) fn act(arguments: &Memory) -> Result<Code, String> {
    let (name, contents) = read(&arguments.instance)?;
    let in_file = |error: String| format!("{name}: {error}");
    let mut problem = problem(arguments, &name, &contents).map_err(in_file)?;
    if let Some(capacity) = arguments.capacity {
        problem.spaces.iter_mut().for_each(|space| space.bytes = Some(capacity));
    }
    check(&problem).map_err(|errors| in_file(listed(&errors)))?;
    let effort = Effort {
        unroll: arguments.unroll,
        ..Effort::thorough()
    };
    let begin = Instant::now();
    let effort = match arguments.time_limit {
        // A limit of time is then the only one; one beyond all clocks is none.
        Some(limit) => Effort {
            nodes: u64::MAX,
            deadline: begin.checked_add(limit),
            ..effort
        },
        None => effort,
    };
    let plan = plan(&problem, &effort).map_err(|error| match error {
        PlanError::Problem(errors) => in_file(listed(&errors)),
        PlanError::Unverified(_) => error.to_string(),
    })?;
    if plan.fits(&problem) {
        let seconds = begin.elapsed().as_secs_f64();
        print(&if arguments.json {
            report::json(&json(&problem, &plan, seconds))?
        } else {
            text(&problem, &plan, seconds, arguments.addresses)
        })?;
        return Ok(Code::FINE);
    }
    let too_large = problem.spaces.iter().zip(&plan.spaces).enumerate();
    let too_large = too_large.filter_map(|(place, (space, of))| {
        let bytes = space.bytes.filter(|&bytes| of.planned > bytes)?;
        Some((of.planned, explain(&problem, SpaceId(place as u32), bytes)))
    });
    let (planned, explanations): (Vec<u64>, Vec<Explanation>) = too_large.unzip();
    let is_proven = explanations
        .iter()
        .any(|explanation| explanation.cause != Cause::Unknown);
    if arguments.json {
        let seconds = begin.elapsed().as_secs_f64();
        print(&report::json(&infeasible_json(
            &problem,
            &plan,
            &explanations,
            seconds,
        ))?)?;
    }
    let (label, code) = match is_proven {
        true => ("infeasible", Code::INFEASIBLE),
        false => ("not found", Code::NOT_FOUND),
    };
    for (planned, explanation) in planned.into_iter().zip(&explanations) {
        eprintln!(
            "zpu-sched: {label}: {}",
            infeasible_text(&problem, planned, explanation)
        );
    }
    Ok(code)
}

/// The problem of a file: CSV if it begins like that, JSON otherwise.
fn problem(arguments: &Memory, name: &str, contents: &str) -> Result<Problem, String> {
    let begin = contents.trim_start_matches('\u{feff}').trim_start();
    let is_csv =
        !begin.starts_with('{') && (arguments.is_csv() || begin.lines().next().is_some_and(|line| line.contains(',')));
    if is_csv {
        let stem = arguments
            .instance
            .file_stem()
            .map_or(name.into(), |stem| stem.to_string_lossy());
        read_csv(contents, &stem).map_err(|error| error.to_string())
    } else {
        read_json(contents).map_err(|error| error.to_string())
    }
}

fn listed(errors: &[MemoryError]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n  ")
}
