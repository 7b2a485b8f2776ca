//! Begin and end of a tool: its command line, its exit code, its standard output.
//!
//! A module of each tool and not of the library, which holds the passes: `zpu-sched` shall not load MLIR. 0 and 1 mean
//! the same everywhere; the meaning of larger numbers is documented where a tool adds them to [`Code`].

use std::io::Write as _;
use std::process::ExitCode;

use clap::Parser;

/// The exit code of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Code(u8);

impl Code {
    /// Success.
    pub(crate) const FINE: Code = Code(0);
    /// The request makes no sense, or a file cannot be read or written.
    pub(crate) const USAGE: Code = Code(1);

    /// A code of one tool.
    pub(crate) const fn of_tool(number: u8) -> Code {
        Code(number)
    }
}

impl From<Code> for ExitCode {
    fn from(code: Code) -> Self {
        ExitCode::from(code.0)
    }
}

/// The command line; or the code to end with, what there is to say (help, the version, an error) being printed.
pub(crate) fn command_line<T: Parser>() -> Result<T, Code> {
    T::try_parse().map_err(|error| {
        let printed = error.print().and_then(|()| std::io::stdout().flush());
        if error.use_stderr() {
            return Code::USAGE;
        }
        match unread(printed) {
            Ok(()) => Code::FINE,
            Err(message) => {
                eprintln!("{}: error: {message}", env!("CARGO_BIN_NAME"));
                Code::USAGE
            }
        }
    })
}

/// Writes to standard output. A closed pipe is no error.
pub(crate) fn print(text: &str) -> Result<(), String> {
    let mut stdout = std::io::stdout().lock();
    unread(stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()))
}

/// The error of a write to standard output, if it is one.
fn unread(written: std::io::Result<()>) -> Result<(), String> {
    match written {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(format!("standard output cannot be written: {error}"))
        }
        _ => Ok(()),
    }
}
