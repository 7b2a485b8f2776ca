//! `zpu-sched fragments`: a program over several meshes, a schedule, and what comes of it.

use zpu_sched::fragment::text::{Shown, json, read_program, summary};
use zpu_sched::fragment::{AutoOptions, Builtin, FragmentError, Request, Table, parse_rules, schedule};

use crate::command_line::{Fragments, Wanted};
use crate::process::{Code, print};
use crate::{read, report};

/// A message with the exit code that goes with it.
type Refused = (Code, String);

impl Code {
    /// The program, the rules or the table make no sense, or not together.
    const BAD_INPUT: Code = Code::of_tool(2);
}

pub(crate) fn act(arguments: &Fragments) -> Result<Code, String> {
    match answer(arguments) {
        Ok(text) => print(&text).map(|()| Code::FINE),
        Err((code, message)) => {
            eprintln!("zpu-sched: error: {message}");
            Ok(code)
        }
    }
}

fn answer(arguments: &Fragments) -> Result<String, Refused> {
    let unread = |message| (Code::USAGE, message);
    let (name, text) = read(&arguments.program).map_err(unread)?;
    let bad = |error: &dyn ToString| (Code::BAD_INPUT, format!("{name}: {}", error.to_string()));
    let mut program = read_program(&text).map_err(|error| bad(&error))?;
    program.transfer_latency = arguments.transfer_latency;
    let answer = schedule(&program, &request(arguments)?).map_err(|error| bad(&error))?;
    let shown = Shown {
        program: &program,
        answer: &answer,
    };
    if arguments.json {
        report::json(&json(&shown)).map_err(|error| (Code::USAGE, error))
    } else {
        Ok(summary(&shown))
    }
}

/// The request that the options make.
fn request(arguments: &Fragments) -> Result<Request, Refused> {
    let bad = |error: FragmentError| (Code::BAD_INPUT, error.to_string());
    let auto = AutoOptions {
        memory_cap: arguments.memory_cap,
        effort: arguments.effort.unwrap_or(AutoOptions::default().effort),
    };
    let is_auto = arguments.auto || matches!(arguments.schedule, Some(Wanted::Auto));
    if !is_auto && (arguments.memory_cap.is_some() || arguments.effort.is_some()) {
        let message = "--memory-cap and --effort are for --auto; add it, or leave them out";
        return Err((Code::USAGE, message.to_owned()));
    }
    if is_auto {
        return Ok(Request::Auto(auto));
    }
    if let Some(rules) = &arguments.rules {
        return parse_rules(rules).map(Request::Rules).map_err(bad);
    }
    if let Some(file) = &arguments.schedule_file {
        let (name, text) = read(file).map_err(|message| (Code::USAGE, message))?;
        let table = Table::parse(&text).map_err(|error| (Code::BAD_INPUT, format!("{name}: {error}")))?;
        return Ok(Request::Table(table));
    }
    Ok(Request::Builtin(match arguments.schedule {
        Some(Wanted::Builtin(builtin)) => builtin,
        _ if arguments.remat => Builtin::None,
        _ => Builtin::OneForwardOneBackward,
    }))
}
