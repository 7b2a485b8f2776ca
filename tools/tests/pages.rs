//! The commands on pages of the book, run as they are printed.
//!
//! A page that has the line [`MARK`] takes part. A block marked as `console` holds commands after `$ ` and what they
//! print on standard output and standard error. A block with `<!-- file: NAME -->` above it is a file, for the
//! commands that follow on that page. Each page gets a folder of its own, in which `examples`, `test`, `devices` and
//! `target/release` are those of the repository, and `zpu-opt`, `zpu-sim` and `mlir-opt` are on the path. The lines
//! in which MLIR echoes the source below a diagnostic are left out, here and on the pages.
//!
//! `UPDATE_DOCS=1 cargo test -p zpu-tools --test pages` writes the output anew.

#![forbid(unsafe_code)]

use std::env;
use std::error::Error;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

type Result<T = ()> = std::result::Result<T, Box<dyn Error>>;

/// The LLVM that the binaries were built against; `.cargo/config.toml` has its default.
const LLVM: &str = env!("MLIR_SYS_220_PREFIX");
/// The mark of a page whose commands are run.
const MARK: &str = "<!-- The commands on this page are run by tools/tests/pages.rs, and print what is shown. -->";
/// The exit code of the shell for a command that does not exist.
const NOT_FOUND: i32 = 127;

#[test]
fn commands_print_what_the_pages_say() -> Result {
    let mut stale = Vec::new();
    let mut commands = 0;
    for name in pages()? {
        let path = root().join("docs").join(&name);
        let page = fs::read_to_string(&path)?;
        let fresh = Page::run(&name, &page)?;
        commands += fresh.commands;
        if fresh.text == page {
            continue;
        }
        if env::var_os("UPDATE_DOCS").is_some() {
            fs::write(&path, fresh.text)?;
        } else {
            stale.push(difference(&name, &page, &fresh.text));
        }
    }
    assert!(
        stale.is_empty(),
        "what commands print is not what pages say; run UPDATE_DOCS=1 cargo test -p zpu-tools --test pages\n{}",
        stale.join("\n")
    );
    assert!(commands > 5, "found {commands} commands only");
    Ok(())
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Pages that take part, by name.
fn pages() -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(root().join("docs"))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.ends_with(".md") && fs::read_to_string(entry.path())?.contains(MARK) {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

/// The first line that differs.
fn difference(name: &str, page: &str, fresh: &str) -> String {
    let (page, fresh): (Vec<&str>, Vec<&str>) = (page.lines().collect(), fresh.lines().collect());
    let same = page.iter().zip(&fresh).take_while(|(a, b)| a == b).count();
    let line = |lines: &[&str]| lines.get(same).map_or("nothing".to_owned(), |line| format!("`{line}`"));
    format!("docs/{name}:{}: {} should be {}", same + 1, line(&page), line(&fresh))
}

/// A page with what its commands print now.
struct Page {
    text: String,
    commands: usize,
}

impl Page {
    fn run(name: &str, page: &str) -> Result<Self> {
        let folder = Folder::new(name)?;
        let (mut text, mut commands) = (String::new(), 0);
        let mut lines = page.lines().peekable();
        let mut file = None;
        while let Some(line) = lines.next() {
            text += &format!("{line}\n");
            if let Some(name) = line
                .strip_prefix("<!-- file: ")
                .and_then(|rest| rest.strip_suffix(" -->"))
            {
                file = Some(name.to_owned());
            }
            if !line.starts_with("```") || line == "```" {
                continue;
            }
            let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            if line == "```console" {
                for command in commands_of(&block) {
                    commands += 1;
                    text += &format!("{}\n{}", command.join("\n"), folder.output(&command)?);
                }
            } else {
                let content: String = block.iter().map(|line| format!("{line}\n")).collect();
                if let Some(name) = file.take() {
                    fs::write(folder.path.join(name), &content)?;
                }
                text += &content;
            }
            text += "```\n";
        }
        Ok(Self { text, commands })
    }
}

/// The commands of a block, each with its continuation lines.
fn commands_of<'p>(block: &[&'p str]) -> Vec<Vec<&'p str>> {
    let mut commands: Vec<Vec<&'p str>> = Vec::new();
    let mut goes_on = false;
    for line in block {
        match commands.last_mut() {
            Some(command) if goes_on => command.push(line),
            _ if line.starts_with("$ ") => commands.push(vec![line]),
            _ => continue,
        }
        goes_on = line.ends_with('\\');
    }
    commands
}

/// The folder in which the commands of a page run.
struct Folder {
    path: PathBuf,
    search: String,
}

impl Folder {
    fn new(page: &str) -> Result<Self> {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pages").join(page);
        if path.exists() {
            fs::remove_dir_all(&path)?;
        }
        let release = path.join("target/release");
        fs::create_dir_all(&release)?;
        for name in ["examples", "test", "devices"] {
            symlink(root().join(name).canonicalize()?, path.join(name))?;
        }
        let tools = Path::new(env!("CARGO_BIN_EXE_zpu-opt")).parent().ok_or("no folder")?;
        symlink(newest_plugin(tools), release.join("libzpu.so"))?;
        let search = [tools, &Path::new(LLVM).join("bin")].map(|path| path.display().to_string());
        let search = format!("{}:{}", search.join(":"), env::var("PATH").unwrap_or_default());
        Ok(Self { path, search })
    }

    /// The output of a command.
    fn output(&self, command: &[&str]) -> Result<String> {
        let text = command.join("\n");
        let script = text.trim_start_matches("$ ");
        let output = Command::new("bash")
            .args(["-c", &format!("exec 2>&1\n{script}")])
            .current_dir(&self.path)
            .env("PATH", &self.search)
            .env("NO_COLOR", "1")
            .output()?;
        let printed = String::from_utf8(output.stdout)?;
        if output.status.code() == Some(NOT_FOUND) {
            return Err(format!("{text}\n{printed}").into());
        }
        Ok(without_echo(&printed))
    }
}

/// The plug-in that belongs to this build: cargo copies `deps/libzpu.so` beside the binaries only when the library
/// itself was asked for.
fn newest_plugin(tools: &Path) -> PathBuf {
    let modified = |path: &PathBuf| path.metadata().and_then(|file| file.modified()).ok();
    let built = [tools.join("libzpu.so"), tools.join("deps/libzpu.so")];
    built.into_iter().max_by_key(modified).expect("the list is not empty")
}

/// A diagnostic's line is followed by one from the source and one with a caret.
fn without_echo(printed: &str) -> String {
    let lines: Vec<&str> = printed.lines().collect();
    let is_caret = |line: &&str| !line.is_empty() && line.trim_start_matches([' ', '\t']).trim_end_matches('~') == "^";
    let mut kept = String::new();
    for (i, line) in lines.iter().enumerate() {
        if !is_caret(line) && !lines.get(i + 1).is_some_and(is_caret) {
            kept += &format!("{}\n", line.trim_end());
        }
    }
    kept
}
