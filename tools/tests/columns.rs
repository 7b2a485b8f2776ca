//! Lines of the sources stay within 120 columns.
//!
//! Texts that a line break would change may be longer: raw strings, and in comments and descriptions examples between
//! fences and rows of tables.

#![forbid(unsafe_code)]

use std::fs;
use std::path::{Path, PathBuf};

const MOST_COLUMNS: usize = 120;
const FOLDERS: [&str; 4] = ["crates", "dialect", "tools", "xtask"];
const KINDS: [&str; 4] = ["rs", "td", "cpp", "h"];

/// The state between lines of a file: inside a raw string, or inside a fence.
#[derive(Default)]
struct Inside {
    /// The end of a raw string that has begun.
    raw: Option<String>,
    /// An example between fences.
    fence: bool,
}

impl Inside {
    /// Goes through a line; says whether it may be long.
    fn pass(&mut self, line: &str) -> bool {
        let text = line.trim_start().trim_start_matches(['/', '!']).trim_start();
        let began_raw = self.raw.is_some();
        if text.starts_with("```") {
            self.fence = !self.fence;
        }
        let mut rest = line;
        loop {
            if let Some(end) = &self.raw {
                let Some(at) = rest.find(end.as_str()) else { break };
                rest = &rest[at + end.len()..];
                self.raw = None;
            }
            let Some((at, hashes)) = raw_start(rest) else { break };
            rest = &rest[at..];
            self.raw = Some(format!("\"{hashes}"));
        }
        began_raw || self.raw.is_some() || self.fence || text.starts_with('|')
    }
}

/// The beginning of the next raw string's text, and its hashes.
fn raw_start(line: &str) -> Option<(usize, String)> {
    let starts = line.match_indices('r').filter_map(|(at, _)| {
        let is_word = line[..at]
            .chars()
            .next_back()
            .is_some_and(|before| before.is_alphanumeric() || before == '_');
        let rest = &line[at + 1..];
        let hashes: String = rest.chars().take_while(|c| *c == '#').collect();
        let begins = !hashes.is_empty() && rest[hashes.len()..].starts_with('"');
        (!is_word && begins).then(|| (at + hashes.len() + 2, hashes))
    });
    starts.into_iter().next()
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for entry in entries {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path
            .extension()
            .is_some_and(|kind| KINDS.iter().any(|known| kind == *known))
        {
            found.push(path);
        }
    }
}

#[test]
fn lines_stay_within_the_columns() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    FOLDERS
        .iter()
        .for_each(|folder| sources(&root.join(folder), &mut files));
    files.sort();
    assert!(files.len() > 300, "only {} files are found", files.len());
    let mut long = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let mut inside = Inside::default();
        for (number, line) in text.lines().enumerate() {
            let may_be_long = inside.pass(line);
            let columns = line.chars().count();
            if columns > MOST_COLUMNS && !may_be_long {
                long.push(format!("{}:{}: {columns} columns", file.display(), number + 1));
            }
        }
    }
    assert!(
        long.is_empty(),
        "lines of more than {MOST_COLUMNS} columns:\n{}",
        long.join("\n")
    );
}

#[test]
fn what_may_be_long_is_told() {
    let mut inside = Inside::default();
    let lines = [
        ("let a = 1;", false),
        ("/// ```text", true),
        ("/// an example", true),
        ("/// ```", false),
        ("    | a | row |", true),
        ("let for_ = \"it is for\";", false),
        ("expect![[r#\"", true),
        ("a text", true),
        ("\"#]];", true),
        ("let b = 2;", false),
    ];
    for (line, may_be_long) in lines {
        assert_eq!(inside.pass(line), may_be_long, "{line}");
    }
}
