//! `zpu-sched fragments`: a program over several meshes, a schedule, and what comes of it.

use zpu_sched::fragment::text::{Shown, json, read_program, summary};
use zpu_sched::fragment::{
    Answer, AutoOptions, Builtin, Claims, FragmentError, Program, RematOptions, Rematerialised, Request, Table,
    parse_rules, rematerialise, schedule, verify,
};

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
    let computed_again = match arguments.remat {
        true => Some(remat(&program, &answer, arguments).map_err(|error| bad(&error))?),
        false => None,
    };
    let shown = match &computed_again {
        Some(again) => Shown {
            program: &again.program,
            answer: &again.answer,
            cost: Some(again.cost),
        },
        None => Shown {
            program: &program,
            answer: &answer,
            cost: None,
        },
    };
    let claims = Claims {
        timing: Some(&shown.answer.timing),
        bound: shown.answer.bound,
        memory_cap: arguments
            .memory_cap
            .filter(|_| !arguments.remat)
            .or(arguments.memory_budget),
        counts: false,
    };
    verify(shown.program, &shown.answer.schedule, &claims)
        .map_err(|violation| bad(&FragmentError::Unverified(violation.to_string())))?;
    if arguments.json {
        report::json(&json(&shown)).map_err(|error| (Code::USAGE, error))
    } else {
        Ok(summary(&shown))
    }
}

fn remat(program: &Program, answer: &Answer, arguments: &Fragments) -> Result<Rematerialised, FragmentError> {
    let options = RematOptions {
        merge: arguments.merge,
        budget: arguments.memory_budget,
        ..RematOptions::default()
    };
    rematerialise(program, answer, &options)
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
