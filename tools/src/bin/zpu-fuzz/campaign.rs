//! A run of many programs in several processes.
//!
//! Invariant: the death of a process costs nothing but its current program, which is reported.

use std::io::BufReader;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use zpu_fuzz::{Failure, Kind};

use crate::Campaign;
use crate::report::Tally;
use crate::shrinking;
use crate::worker::{Message, kind_named};

/// Programs that a process runs before another one takes its place.
const BATCH: u64 = 1000;

/// A program that says nothing for so long has no end.
const PATIENCE: Duration = Duration::from_secs(120);

/// A failure with where it came from.
pub(crate) struct Found {
    pub(crate) seed: u64,
    pub(crate) setting: usize,
    pub(crate) failure: Failure,
    /// The module that fails, if it is not the seed's program.
    pub(crate) text: Option<String>,
}

/// A process with the seeds that it works on.
struct Worker {
    child: Child,
    /// Lines, and at the end `None`.
    heard: Receiver<Option<Message>>,
    last_heard: Instant,
    current: Option<(u64, usize)>,
    /// The first seed that it has not finished, and the one after its last.
    next: u64,
    end: u64,
}

impl Worker {
    fn start(first: u64, count: u64, options: &Campaign) -> Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["worker", &first.to_string(), &count.to_string()]);
        command.args(options.mode().option());
        if let Some(bug) = &options.bug {
            command.args(["--bug", bug]);
        }
        // The output of a dying MLIR belongs to the one program; its seed shows it again.
        command.stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().context("starting a process")?;
        let stdout = child.stdout.take().context("no standard output")?;
        let (sender, heard) = channel();
        std::thread::spawn(move || read(BufReader::new(stdout), &sender));
        Ok(Self {
            child,
            heard,
            last_heard: Instant::now(),
            current: None,
            next: first,
            end: first + count,
        })
    }

    fn stop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read(lines: impl std::io::BufRead, sender: &Sender<Option<Message>>) {
    for line in lines.lines().map_while(Result::ok) {
        if let Ok(message) = serde_json::from_str(&line)
            && sender.send(Some(message)).is_err()
        {
            return;
        }
    }
    let _ = sender.send(None);
}

/// The findings of a campaign so far.
struct State<'a> {
    options: &'a Campaign,
    begin: Instant,
    tally: Tally,
    found: Vec<Found>,
    next_seed: u64,
}

impl State<'_> {
    fn seeds_left(&self) -> u64 {
        let done = self.next_seed - self.options.seed;
        self.options
            .programs
            .map_or(u64::MAX, |programs| programs.saturating_sub(done))
    }

    fn is_over(&self) -> bool {
        let seconds = match (self.options.seconds, self.options.programs) {
            (Some(seconds), _) => seconds,
            (None, Some(_)) => u64::MAX,
            (None, None) => 10,
        };
        self.begin.elapsed().as_secs() >= seconds || self.found.len() >= self.options.most_failures
    }

    fn new_worker(&mut self) -> Result<Option<Worker>> {
        let count = self.seeds_left().min(BATCH);
        if count == 0 || self.is_over() {
            return Ok(None);
        }
        let worker = Worker::start(self.next_seed, count, self.options)?;
        self.next_seed += count;
        Ok(Some(worker))
    }

    fn hear(&mut self, worker: &mut Worker, message: Message) {
        worker.last_heard = Instant::now();
        match message {
            Message::Begin(seed, setting) => worker.current = Some((seed, setting)),
            Message::Done(done) => {
                worker.next = done.seed + 1;
                worker.current = None;
                self.tally.add(&done);
                for failed in done.failures {
                    let failure = Failure {
                        kind: kind_named(&failed.kind),
                        pass: failed.pass,
                        message: failed.message,
                    };
                    self.report(done.seed, failed.setting, failure, failed.text);
                }
            }
        }
    }

    fn report(&mut self, seed: u64, setting: usize, failure: Failure, text: Option<String>) {
        if self.options.bug.is_some() {
            // A failure without the deliberate bug as well tells nothing about it.
            let class = |failure: &Failure| (failure.kind, failure.pass.clone());
            if shrinking::judge_seed(seed, setting).is_some_and(|other| class(&other) == class(&failure)) {
                return;
            }
        } else {
            let first = failure.to_string();
            println!("seed {seed}, setting {setting}: {}", first.lines().next().unwrap_or(""));
        }
        self.found.push(Found {
            seed,
            setting,
            failure,
            text,
        });
    }

    /// The process is gone or has no end: reports the program that it was at. Returns a process for the rest of its
    /// work.
    fn lost(&mut self, mut worker: Worker, why: &str) -> Result<Option<Worker>> {
        worker.stop();
        if let Some((seed, setting)) = worker.current {
            self.tally.programs += 1;
            self.tally.failed("crash", "the process");
            let failure = Failure {
                kind: Kind::Crash,
                pass: "the process".to_owned(),
                message: why.to_owned(),
            };
            self.report(seed, setting, failure, None);
            worker.next = seed + 1;
        }
        if worker.next >= worker.end || worker.current.is_none() || self.is_over() {
            return Ok(None);
        }
        Worker::start(worker.next, worker.end - worker.next, self.options).map(Some)
    }

    /// Reads a process's messages; returns the process to attend next.
    fn attend(&mut self, mut worker: Worker) -> Result<Option<Worker>> {
        loop {
            match worker.heard.recv_timeout(Duration::from_millis(5)) {
                Ok(Some(message)) => self.hear(&mut worker, message),
                Ok(None) | Err(RecvTimeoutError::Disconnected) => {
                    let _ = worker.child.wait();
                    return self.lost(worker, "the process died");
                }
                Err(RecvTimeoutError::Timeout) if worker.last_heard.elapsed() > PATIENCE => {
                    return self.lost(worker, "no end");
                }
                Err(RecvTimeoutError::Timeout) => return Ok(Some(worker)),
            }
            if self.is_over() {
                return Ok(Some(worker));
            }
        }
    }
}

fn jobs(wanted: Option<usize>) -> usize {
    wanted
        .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
        .max(1)
}

fn find(options: &Campaign) -> Result<(Tally, Vec<Found>, Duration)> {
    let mut state = State {
        options,
        begin: Instant::now(),
        tally: Tally::default(),
        found: Vec::new(),
        next_seed: options.seed,
    };
    let mut workers: Vec<Worker> = Vec::new();
    for _ in 0..jobs(options.jobs) {
        workers.extend(state.new_worker()?);
    }
    while !workers.is_empty() && !state.is_over() {
        let mut left = Vec::new();
        for worker in workers {
            match state.attend(worker)? {
                Some(worker) => left.push(worker),
                None => left.extend(state.new_worker()?),
            }
        }
        workers = left;
    }
    workers.iter_mut().for_each(Worker::stop);
    Ok((state.tally, state.found, state.begin.elapsed()))
}

/// Runs a campaign; whether nothing failed.
pub(crate) fn run(options: &Campaign) -> Result<bool> {
    let (tally, found, time) = find(options)?;
    print!("{}", tally.text(time));
    let mut seen: Vec<(Kind, String)> = Vec::new();
    for case in &found {
        let class = (case.failure.kind, case.failure.pass.clone());
        // Two of a kind are enough to look at.
        if options.shrink_seconds == 0 || seen.iter().filter(|other| **other == class).count() >= 2 {
            continue;
        }
        seen.push(class);
        let path = shrinking::save(options, case)?;
        println!("{}", path.display());
    }
    Ok(found.is_empty())
}

/// Looks for each deliberate bug; whether all were found.
pub(crate) fn self_check(seconds: u64, seed: u64, wanted: Option<usize>) -> Result<bool> {
    let bugs = zpu_fuzz::bugs();
    anyhow::ensure!(
        !bugs.is_empty(),
        "this build has no deliberate bugs; build it with the feature `seeded-bugs`"
    );
    let mut all = true;
    println!("{:<34}{:>9}{:>10}  found as", "bug", "seconds", "programs");
    for bug in bugs {
        let options = Campaign {
            seconds: Some(seconds),
            programs: None,
            seed,
            jobs: Some(jobs(wanted)),
            out: "target/fuzz".into(),
            most_failures: 1,
            shrink_seconds: 0,
            agreement: false,
            memory: false,
            bug: Some(bug.to_owned()),
        };
        let (tally, found, time) = find(&options)?;
        let result = found.first().map(|found| {
            format!(
                "{} after {} (seed {})",
                found.failure.kind, found.failure.pass, found.seed
            )
        });
        all &= result.is_some();
        println!(
            "{bug:<34}{:>9.1}{:>10}  {}",
            time.as_secs_f64(),
            tally.programs,
            result.as_deref().unwrap_or("NOT FOUND")
        );
    }
    Ok(all)
}
