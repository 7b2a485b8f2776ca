//! Runs a program over several devices: values and cycles fragment by fragment, then the times of the whole.

use zpu_sched::fragment::{FragmentError, NodeKind, Program, Schedule, Timing, bound, replay};
use zpu_sim::{Argument, Finding, Options, Output, SimError, element_bytes};

use super::FragmentProblem;
use super::build::{FragmentProgram, Node, ValueId, Work};
use super::report::{FragmentReport, LinkReport, MeshReport, NodeReport};
use crate::Error;

/// The outcome of a run.
#[derive(Clone, Debug)]
pub struct FragmentOutcome {
    /// Times, bytes and findings.
    pub report: FragmentReport,
    /// The program with the cycles that its fragments took.
    pub program: Program,
    /// The order in which it ran.
    pub schedule: Schedule,
    /// Its times.
    pub timing: Timing,
    /// The arguments, which no fragment changes.
    pub arguments: Vec<Output>,
    /// The results; nothing where a value is not known.
    pub results: Vec<Option<Output>>,
}

impl FragmentProgram {
    /// Runs the program. What is wrong with a fragment is part of the outcome; an error means that there is none.
    ///
    /// # Errors
    ///
    /// [`Error::Simulate`], [`Error::Fragments`].
    pub fn simulate(&self, arguments: Vec<Argument>, options: &Options) -> Result<FragmentOutcome, Error> {
        let empty = self.signature.simulate(arguments, options)?;
        let mut values: Vec<Option<Output>> = vec![None; self.num_values];
        for (id, argument) in self.arguments.iter().zip(&empty.arguments) {
            if let Some(id) = id {
                values[*id] = Some(argument.clone());
            }
        }
        for (id, value) in &self.constants {
            values[*id] = Some(value.clone());
        }
        let mut program = self.program.clone();
        let (mut findings, mut completed) = (Vec::new(), true);
        let mut bounds = vec![None; self.nodes.len()];
        let mut moved = vec![0; self.nodes.len()];
        let mut budget = Budget::new(options.max_cycles, program.meshes.len());
        let (mut frees, mut freed) = (self.frees.as_slice(), vec![false; self.num_values]);
        for (at, node) in self.nodes.iter().enumerate() {
            self.free(at, &mut frees, &mut freed)?;
            if node.inputs.iter().any(|id| freed[*id]) {
                let kind = if program.nodes[at].fragment().is_some() {
                    "fragment"
                } else {
                    "transfer"
                };
                return Err(used_after_free(format!("{kind} `{}`", program.nodes[at].name)));
            }
            let mesh = program.nodes[at].fragment().map(|fragment| fragment.mesh.index());
            let own = Options {
                max_cycles: budget.left(mesh),
                ..options.clone()
            };
            let done = self.step(at, node, &values, &own).map_err(|error| match error {
                Error::Simulate(SimError::CycleLimit(..)) => budget.exceeded(&program.nodes[at].name),
                error => error,
            })?;
            budget.spend(mesh, done.cycles.or(node.given).unwrap_or(0));
            if let Some(cycles) = done.cycles {
                program.nodes[at].cycles = cycles;
            }
            bounds[at] = done.bound;
            moved[at] = done.bytes;
            findings.extend(done.findings);
            for (id, value) in node.outputs.iter().zip(done.outputs) {
                values[*id] = value;
            }
            if !done.completed {
                completed = false;
                break;
            }
        }
        if completed {
            self.free(self.nodes.len(), &mut frees, &mut freed)?;
            if let Some(place) = self.returned.iter().position(|id| freed[*id]) {
                return Err(used_after_free(format!("the result {place}")));
            }
        }
        // Costs that were measured can be too large to add up.
        program.check().map_err(unreadable)?;
        let schedule = Schedule::of_block(&program);
        let timing = replay(&program, &schedule).ok_or_else(|| {
            Error::Fragments(FragmentProblem::Unreadable(
                "the order of the block waits for itself".to_owned(),
            ))
        })?;
        let end = |at: usize| timing.start[at] + program.nodes[at].cycles;
        if let Some(late) = (0..self.nodes.len()).find(|at| end(*at) > options.max_cycles) {
            return Err(budget.exceeded(&program.nodes[late].name));
        }
        let nodes: Vec<NodeReport> = (0..self.nodes.len())
            .map(|at| NodeReport {
                name: program.nodes[at].name.to_string(),
                is_transfer: program.nodes[at].fragment().is_none(),
                begin: timing.start[at],
                end: end(at),
                cycles: program.nodes[at].cycles,
                bound: bounds[at],
                bytes: moved[at],
            })
            .collect();
        let meshes = program.meshes.iter().enumerate().map(|(at, mesh)| {
            let figures = &timing.meshes[at];
            MeshReport {
                name: mesh.clone(),
                device: self.devices.get(at).cloned().flatten(),
                fragments: schedule.order[at].len(),
                busy: figures.busy,
                bubble: figures.bubble(),
                idle: timing.makespan - figures.busy,
                held_bytes: figures.peak,
            }
        });
        let report = FragmentReport {
            schema: 1,
            entry: self.entry.clone(),
            completed,
            cycles: timing.makespan,
            lower_bound: bound(&program),
            meshes: meshes.collect(),
            links: links(&program, &moved),
            nodes,
            findings,
        };
        Ok(FragmentOutcome {
            report,
            program,
            schedule,
            timing,
            arguments: empty.arguments,
            results: self.returned.iter().map(|id| values[*id].clone()).collect(),
        })
    }

    /// Frees what stands before a node. `frees` is what has not been freed yet.
    fn free(&self, at: usize, frees: &mut &[(usize, ValueId)], freed: &mut [bool]) -> Result<(), Error> {
        while let Some(((_, id), rest)) = frees.split_first().filter(|((before, _), _)| *before == at) {
            *frees = rest;
            if std::mem::replace(&mut freed[*id], true) {
                return Err(used_after_free("a `memref.dealloc`".to_owned()));
            }
        }
        Ok(())
    }

    /// Runs one fragment or transfer.
    fn step(&self, at: usize, node: &Node, values: &[Option<Output>], options: &Options) -> Result<Done, Error> {
        let name = || self.program.nodes[at].name.to_string();
        let inputs: Option<Vec<&Output>> = node.inputs.iter().map(|id| values[*id].as_ref()).collect();
        let opaque = |cycles: Option<u64>| Done {
            cycles,
            bound: None,
            bytes: 0,
            completed: true,
            findings: Vec::new(),
            outputs: vec![None; node.outputs.len()],
        };
        match (&node.work, inputs) {
            (Work::Transfer, inputs) => {
                let value = inputs.and_then(|inputs| inputs.first().copied().cloned());
                // A value knows its size, also where its type does not.
                let bytes = value.as_ref().map(bytes_of);
                let own = bytes
                    .zip(node.rate)
                    .map(|(bytes, rate)| (bytes as f64 / rate).ceil() as u64);
                Ok(Done {
                    cycles: node.given.or(own),
                    bytes: bytes.unwrap_or(node.bytes),
                    outputs: vec![value],
                    ..opaque(None)
                })
            }
            (Work::Body(_), Some(inputs)) if inputs.iter().any(|value| **value == Output::Nothing) => {
                Err(Error::Fragments(FragmentProblem::Freed { fragment: name() }))
            }
            (Work::Body(executable), Some(inputs)) => {
                let arguments: Vec<Argument> = inputs.iter().map(|value| argument(value)).collect();
                let outcome = executable.simulate(arguments, options)?;
                for (operand, (before, after)) in inputs.iter().zip(&outcome.arguments).enumerate() {
                    if !same(before, after) {
                        return Err(Error::Fragments(FragmentProblem::Writes {
                            fragment: name(),
                            operand,
                        }));
                    }
                }
                let findings = outcome.report.findings.into_iter().map(|finding| (name(), finding));
                Ok(Done {
                    cycles: Some(outcome.report.cycles),
                    bound: Some(outcome.report.bound.cycles),
                    bytes: 0,
                    completed: outcome.report.completed,
                    findings: findings.collect(),
                    outputs: outcome.results.into_iter().map(Some).collect(),
                })
            }
            (Work::Body(_) | Work::Opaque, _) => match node.given {
                Some(cycles) => Ok(opaque(Some(cycles))),
                None => Err(Error::Fragments(FragmentProblem::NoCost { fragment: name() })),
            },
        }
    }
}

/// The cycles that a run may still take. A mesh takes at least as many as its fragments together.
struct Budget {
    limit: u64,
    spent: Vec<u64>,
}

impl Budget {
    fn new(limit: u64, meshes: usize) -> Self {
        Self {
            limit,
            spent: vec![0; meshes],
        }
    }

    fn left(&self, mesh: Option<usize>) -> u64 {
        self.limit.saturating_sub(mesh.map_or(0, |mesh| self.spent[mesh]))
    }

    fn spend(&mut self, mesh: Option<usize>, cycles: u64) {
        if let Some(mesh) = mesh {
            self.spent[mesh] = self.spent[mesh].saturating_add(cycles);
        }
    }

    fn exceeded(&self, fragment: &str) -> Error {
        Error::Fragments(FragmentProblem::CycleLimit {
            limit: self.limit,
            fragment: fragment.to_owned(),
        })
    }
}

fn used_after_free(user: String) -> Error {
    Error::Fragments(FragmentProblem::UsedAfterFree { user })
}

/// The outcome of one fragment or transfer.
struct Done {
    cycles: Option<u64>,
    bound: Option<u64>,
    /// Bytes that a transfer moved.
    bytes: u64,
    completed: bool,
    /// Each with the name of the fragment.
    findings: Vec<(String, Finding)>,
    outputs: Vec<Option<Output>>,
}

fn unreadable(problem: FragmentError) -> Error {
    Error::Fragments(FragmentProblem::Unreadable(problem.to_string()))
}

fn argument(value: &Output) -> Argument {
    match value {
        Output::Scalar(_, bits) => Argument::Scalar(*bits),
        Output::Buffer { shape, bytes, .. } => Argument::Buffer {
            shape: shape.clone(),
            bytes: bytes.clone(),
        },
        Output::Nothing => Argument::Buffer {
            shape: Vec::new(),
            bytes: Vec::new(),
        },
    }
}

fn bytes_of(value: &Output) -> u64 {
    match value {
        Output::Scalar(ty, _) => element_bytes(*ty) as u64,
        Output::Buffer { bytes, .. } => bytes.len() as u64,
        Output::Nothing => 0,
    }
}

/// True if a value is what it was. A buffer that was freed counts as changed.
fn same(before: &Output, after: &Output) -> bool {
    before == after
}

/// The links that are used, with the bytes that each node moved.
fn links(program: &Program, moved: &[u64]) -> Vec<LinkReport> {
    let mut links: Vec<LinkReport> = Vec::new();
    for (node, bytes) in program.nodes.iter().zip(moved) {
        let NodeKind::Transfer { from, to } = node.kind else {
            continue;
        };
        let (from, to) = (program.mesh(from), program.mesh(to));
        let place = links.iter().position(|link| link.from == from && link.to == to);
        let place = place.unwrap_or_else(|| {
            links.push(LinkReport {
                from: from.to_owned(),
                to: to.to_owned(),
                transfers: 0,
                bytes: 0,
                busy: 0,
            });
            links.len() - 1
        });
        links[place].transfers += 1;
        links[place].bytes += bytes;
        links[place].busy += node.cycles;
    }
    links
}
