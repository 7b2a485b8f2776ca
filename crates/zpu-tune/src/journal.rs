//! The trials on disk, one JSON document a line.
//!
//! A line is written at once and whole, so that a killed run loses the trials under way and no other one. What cannot
//! be read is left in the file and told; a line that a kill cut off is ended, so that the next one begins a line.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::trial::Trial;

/// A file of trials, open for more.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: Mutex<File>,
    known: HashMap<String, Trial>,
    problems: Vec<String>,
}

impl Journal {
    /// Opens a file, or makes it, and reads what it has.
    ///
    /// # Errors
    ///
    /// If it cannot be read or written, with its name.
    pub fn open(path: &Path) -> Result<Self, String> {
        let in_words = |error: std::io::Error| format!("{}: {error}", path.display());
        let mut file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(path)
            .map_err(in_words)?;
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(0)).map_err(in_words)?;
        file.read_to_end(&mut bytes).map_err(in_words)?;
        if bytes.last().is_some_and(|last| *last != b'\n') {
            file.write_all(b"\n").map_err(in_words)?;
        }
        let (mut known, mut problems) = (HashMap::new(), Vec::new());
        for (at, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
            if line.trim_ascii().is_empty() {
                continue;
            }
            let trial = serde_json::from_slice::<Trial>(line).map_err(|error| error.to_string());
            let trial = trial.and_then(|trial| {
                let has_outcome = trial.cycles.is_some() != trial.failure.is_some();
                let wrong = || "one of `cycles` and `failure` is needed".to_owned();
                if has_outcome { Ok(trial) } else { Err(wrong()) }
            });
            match trial {
                Ok(trial) => {
                    known.insert(trial.key.clone(), trial);
                }
                Err(error) => problems.push(format!(
                    "{}:{}: this is no trial, and is passed over: {error}",
                    path.display(),
                    at + 1
                )),
            }
        }
        Ok(Self {
            path: path.to_owned(),
            file: Mutex::new(file),
            known,
            problems,
        })
    }

    /// The trial of a key, if it was made.
    pub fn get(&self, key: &str) -> Option<&Trial> {
        self.known.get(key)
    }

    /// Lines that were passed over, as warnings.
    pub fn problems(&self) -> &[String] {
        &self.problems
    }

    /// Adds a trial.
    ///
    /// # Errors
    ///
    /// If it cannot be written, with the file's name.
    pub fn add(&self, trial: &Trial) -> Result<(), String> {
        let in_words = |error: &dyn std::fmt::Display| format!("{}: {error}", self.path.display());
        let mut line = serde_json::to_vec(trial).map_err(|error| in_words(&error))?;
        line.push(b'\n');
        let mut file = self.file.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        file.write_all(&line).map_err(|error| in_words(&error))
    }
}
