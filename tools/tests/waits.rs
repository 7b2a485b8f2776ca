//! Waits are enough, and none is too many.
//!
//! Random programs of synchronous commands under loops and branches, with bounds and conditions that are known or not,
//! are made asynchronous by `zpu-inject-dma-barrier`. Each must leave the bytes of the synchronous program and be free
//! of races, whatever the bounds and conditions. Then its waits are deleted one at a time: a wait is needed when there
//! is a call in which the program without it has a race. `ZPU_WAITS=N` tries N programs, and `ZPU_WAITS_SEED` begins
//! with another one.

#![forbid(unsafe_code)]

#[allow(dead_code)]
mod support;

use std::fmt::Write as _;

use support::graph::{self, GRAPHS, Graph};
use support::kernel::{self, Kernel};
use support::lower::{self, Setting};
use support::minimum::{self, Left, Told};
use support::random::Random;
use support::run::{self, device, program, simulated};
use support::text;
use zpu_driver::{Executable, Session, Step};
use zpu_ir::Op;
use zpu_sim::{Argument, Options};

/// The device `toy` as part of a module.
const TOY: &str = include_str!("../../test/passes/Inputs/toy.mlir");

const ON_CHIP: &str = "memref<8xf32, strided<[1], offset: ?>, #zpu.space<rsram>>";
const OFF_CHIP: &str = "memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>";

/// A program in the making.
struct Text {
    random: Random,
    text: String,
    names: usize,
    /// Induction variables in scope.
    ivs: Vec<String>,
    commands: usize,
}

impl Text {
    /// A function with commands on three engines.
    fn program(seed: u64) -> String {
        let mut text = Self {
            random: Random(seed),
            text: String::new(),
            names: 0,
            ivs: Vec::new(),
            commands: 0,
        };
        let count = 2 + text.random.below(3);
        for _ in 0..count {
            text.statement(0);
        }
        if text.commands == 0 {
            text.load();
        }
        format!(
            "func.func @f(%n: index, %m: index, %p: i1, %q: i1, %x: memref<64x8xf32, #zpu.space<dram>> \
             {{llvm.noalias}}, \
             %y: memref<64x8xf32, #zpu.space<dram>> {{llvm.noalias}}, %a: memref<3x8xf32, #zpu.space<rsram>> \
             {{llvm.noalias}}, \
             %b: memref<2x8xf32, #zpu.space<rsram>> {{llvm.noalias}}) {{\n\
             %c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n%c2 = arith.constant 2 : index\n\
             %c3 = arith.constant 3 : index\n%c4 = arith.constant 4 : index\n{}return\n}}\n",
            text.text
        )
    }

    fn name(&mut self) -> String {
        self.names += 1;
        format!("%v{}", self.names)
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{line}");
    }

    fn statement(&mut self, depth: usize) {
        match self.random.below(if depth < 3 { 15 } else { 9 }) {
            0..=2 => self.load(),
            3 | 4 => self.store(),
            5..=7 => self.compute(),
            8 => self.scalar(),
            9..=12 => self.counted(depth),
            _ => self.branch(depth),
        }
    }

    fn statements(&mut self, depth: usize) {
        for _ in 0..1 + self.random.below(3) {
            self.statement(depth + 1);
        }
    }

    /// A small number: a constant, or an induction variable plus one.
    fn index(&mut self) -> String {
        let constant = self.random.one_of(&["%c0", "%c1", "%c2"]).to_owned();
        if self.ivs.is_empty() || self.random.below(4) == 0 {
            return constant;
        }
        let ivs = self.ivs.clone();
        let (iv, name) = (self.random.one_of(&ivs), self.name());
        self.line(&format!(
            "{name} = arith.addi {iv}, {constant} overflow<nsw, nuw> : index"
        ));
        name
    }

    /// A row of a buffer on the chip, by a slot that may go round.
    fn on_chip(&mut self) -> String {
        let (buffer, rows) = self.random.one_of(&[("%a", 3), ("%b", 2)]);
        let slot = if self.ivs.is_empty() || self.random.below(3) == 0 {
            self.random.one_of(&["%c0", "%c1"]).to_owned()
        } else {
            let (index, slot) = (self.index(), self.name());
            self.line(&format!("{slot} = arith.remui {index}, %c{rows} : index"));
            slot
        };
        let view = self.name();
        self.line(&format!(
            "{view} = memref.subview {buffer}[{slot}, 0] [1, 8] [1, 1] : memref<{rows}x8xf32, #zpu.space<rsram>> to \
             {ON_CHIP}"
        ));
        view
    }

    fn off_chip(&mut self, buffer: &str) -> String {
        let (row, view) = (self.index(), self.name());
        self.line(&format!(
            "{view} = memref.subview {buffer}[{row}, 0] [1, 8] [1, 1] : memref<64x8xf32, #zpu.space<dram>> to \
             {OFF_CHIP}"
        ));
        view
    }

    fn transfer(&mut self, from: &str, to: &str, types: [&str; 2]) {
        let engine = self.random.one_of(&["@odma0", "@odma1"]);
        self.line(&format!(
            "zpu.dma {from} to {to} on {engine} : {} to {}",
            types[0], types[1]
        ));
        self.commands += 1;
    }

    fn load(&mut self) {
        let source = self.random.one_of(&["%x", "%x", "%y"]);
        let (from, to) = (self.off_chip(source), self.on_chip());
        self.transfer(&from, &to, [OFF_CHIP, ON_CHIP]);
    }

    fn store(&mut self) {
        let (from, to) = (self.on_chip(), self.off_chip("%y"));
        self.transfer(&from, &to, [ON_CHIP, OFF_CHIP]);
    }

    fn compute(&mut self) {
        let (left, right, to) = (self.on_chip(), self.on_chip(), self.on_chip());
        self.line(&format!(
            "zpu.compute on @vector {{ linalg.add ins({left}, {right} : {ON_CHIP}, {ON_CHIP}) outs({to} : {ON_CHIP}) }}"
        ));
        self.commands += 1;
    }

    fn scalar(&mut self) {
        let (from, to, value) = (self.on_chip(), self.on_chip(), self.name());
        self.line(&format!("{value} = memref.load {from}[%c1] : {ON_CHIP}"));
        self.line(&format!("memref.store {value}, {to}[%c2] : {ON_CHIP}"));
    }

    fn counted(&mut self, depth: usize) {
        let upper = self
            .random
            .one_of(&["%c0", "%c1", "%c2", "%c3", "%c4", "%c4", "%n", "%m"]);
        let iv = self.name();
        self.line(&format!("scf.for {iv} = %c0 to {upper} step %c1 {{"));
        self.ivs.push(iv);
        self.statements(depth);
        self.ivs.pop();
        self.line("}");
    }

    fn branch(&mut self, depth: usize) {
        let condition = match self.ivs.clone() {
            ivs if !ivs.is_empty() && self.random.below(2) == 0 => {
                let (iv, name) = (self.random.one_of(&ivs), self.name());
                let predicate = self.random.one_of(&["slt", "eq", "sge"]);
                let bound = self.random.one_of(&["%c1", "%c2"]);
                self.line(&format!("{name} = arith.cmpi {predicate}, {iv}, {bound} : index"));
                name
            }
            _ => self.random.one_of(&["%p", "%q"]).to_owned(),
        };
        self.line(&format!("scf.if {condition} {{"));
        self.statements(depth);
        if self.random.below(3) == 0 {
            self.line("} else {");
            self.statements(depth);
        }
        self.line("}");
    }
}

/// Bounds and conditions of a call.
const CALLS: [[u64; 4]; 8] = [
    [0, 1, 0, 1],
    [1, 0, 1, 0],
    [2, 3, 1, 1],
    [3, 4, 0, 0],
    [4, 2, 1, 0],
    [4, 4, 0, 1],
    [1, 4, 1, 1],
    [3, 1, 0, 1],
];

/// The bytes that a call leaves, and its first race.
fn call(program: &Executable, scalars: &[u64; 4]) -> Result<(Vec<Vec<u8>>, Option<String>), String> {
    let buffer = |rows: i64| Argument::Buffer {
        shape: vec![rows, 8],
        bytes: (0..rows * 8)
            .flat_map(|i| ((i * 7 % 31 + rows) as f32).to_le_bytes())
            .collect(),
    };
    let mut arguments: Vec<Argument> = scalars.iter().map(|bits| Argument::Scalar(*bits)).collect();
    arguments.extend([buffer(64), buffer(64), buffer(3), buffer(2)]);
    let options = Options {
        bound: false,
        ..Options::default()
    };
    let outcome = program.simulate(arguments, &options).map_err(text)?;
    let finding = outcome.report.findings.first().map(ToString::to_string);
    Ok((outcome.into_memory(), finding))
}

/// Calls for which a wait that none of [`CALLS`] needs may be needed.
fn more_calls() -> impl Iterator<Item = [u64; 4]> {
    let bounds = [0, 1, 2, 3, 4, 5, 8];
    let pairs = bounds.into_iter().flat_map(move |n| bounds.map(|m| [n, m]));
    pairs.flat_map(|[n, m]| [[n, m, 0, 0], [n, m, 0, 1], [n, m, 1, 0], [n, m, 1, 1]])
}

/// A program before and after the pass, with the calls compared.
fn check(seed: u64, mode: &str) -> Result<(String, String), String> {
    let session = Session::new();
    let device = device("toy")?;
    let source = format!("{TOY}\n{}", Text::program(seed));
    let mut module = session.parse(&source, "program").map_err(text)?;
    let before = program(&module, &device, "f")?;
    session.compile(&mut module, &pass(mode)).map_err(text)?;
    let result = Op::of_module(&module).to_string();
    let after = program(&module, &device, "f")?;
    session.compile(&mut module, &pass(mode)).map_err(text)?;
    if Op::of_module(&module).to_string() != result {
        return Err(format!("another run changes it\n{result}"));
    }
    for scalars in &CALLS {
        let (expected, _) = call(&before, scalars)?;
        let (found, race) = call(&after, scalars)?;
        if let Some(race) = race {
            return Err(format!("{scalars:?}: {race}\n{result}"));
        }
        if expected != found {
            return Err(format!("{scalars:?}: other bytes\n{result}"));
        }
    }
    Ok((source, result))
}

fn pass(options: &str) -> String {
    format!("builtin.module(func.func(zpu-inject-dma-barrier{{{options}}}))")
}

/// The result of removing waits from a program, and the minimum that the pass reports.
fn removals(seed: u64) -> Result<(Left, usize), String> {
    let (text, result) = check(seed, "mode=minimal")?;
    let device = device("toy")?;
    let left = minimum::remove_all_ways(&Session::new(), &result, &mut |mutant| {
        let mutant = program(mutant, &device, "f")?;
        for scalars in CALLS.into_iter().chain(more_calls()) {
            if call(&mutant, &scalars)?.1.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    })?;
    let told = minimum::told(&text, &pass("mode=minimal"))?;
    let (functions, loops): (Vec<_>, Vec<_>) = told.iter().partition(|told| told.is_function);
    let [function] = functions.as_slice() else {
        return Err(format!("{told:?}: not one remark about the function\n{result}"));
    };
    let fewest = left.fewest.unwrap_or(left.waits - left.unneeded.len());
    let in_loops = |number: fn(&Told) -> usize| loops.iter().copied().map(number).sum::<usize>();
    let is_right = function.waits == left.waits
        && function.minimum <= fewest
        && in_loops(|told| told.waits) <= function.waits
        && in_loops(|told| told.minimum) <= function.minimum;
    if is_right {
        Ok((left, function.minimum))
    } else {
        Err(format!("told {told:?}, found {left:?}\n{result}"))
    }
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name)
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(default)
}

#[test]
fn waits_are_enough() {
    let (count, first) = (number("ZPU_WAITS", 100), number("ZPU_WAITS_SEED", 0));
    for seed in first..first + count {
        for mode in ["mode=minimal", "mode=full", "ids=-1", "ids=3", "ids=1"] {
            if let Err(error) = check(seed, mode) {
                panic!("seed {seed}, {mode}: {error}\n{}", Text::program(seed));
            }
        }
    }
}

#[test]
fn waits_are_needed() {
    let (count, first) = (number("ZPU_WAITS_DELETE", 30), number("ZPU_WAITS_SEED", 0));
    let (mut waits, mut unneeded, mut fewest, mut told, mut exact) = (0, 0, 0, 0, 0);
    for seed in first..first + count {
        match removals(seed) {
            Ok((left, minimum)) => {
                waits += left.waits;
                unneeded += left.unneeded.len();
                fewest += left.fewest.unwrap_or(left.waits - left.unneeded.len());
                told += minimum;
                exact += usize::from(Some(minimum) == left.fewest);
                if std::env::var_os("ZPU_WAITS_SHOW").is_some() && left.fewest != Some(minimum) {
                    println!("seed {seed}: told {minimum}, {left:?}");
                }
            }
            Err(error) => panic!("seed {seed}: {error}\n{}", Text::program(seed)),
        }
    }
    println!(
        "{count} programs, {waits} waits, {unneeded} that no call needs; {fewest} are left after all removals, the \
         minima that are \
         told sum up to {told} and are exact in {exact} programs"
    );
}

/// Deletes each wait of a kernel. Those that no call needs, with whether they stand in a loop.
fn unneeded_in_kernel(kernel: &Kernel, setting: Setting) -> Result<(usize, Vec<(String, bool)>), String> {
    let session = Session::new();
    let device = device(setting.device)?;
    let (_, _, result) = with_waits(kernel, &kernel.text(), setting, None)?;
    let left = minimum::remove_all_ways(&session, &result, &mut |mutant| {
        let mutant = program(mutant, &device, kernel.entry)?;
        let cases = kernel.cases.iter().enumerate().filter(|(_, case)| case.trips <= 17);
        for (seed, case) in cases {
            let run = simulated(&mutant, &case.buffers(seed as u64))?;
            if !run.findings.is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    })?;
    let module = session.parse(&result, kernel.name).map_err(text)?;
    let waits: Vec<Op<'_>> = Op::of_module(&module)
        .walk()
        .into_iter()
        .filter(minimum::is_wait)
        .collect();
    let unneeded = left.unneeded.iter().map(|index| {
        let in_loop = waits[*index].parents().any(zpu_ir::scf::is_loop);
        (format!("wait {index} of {}, {}", left.waits, waits[*index]), in_loop)
    });
    Ok((left.waits, unneeded.collect()))
}

/// A kernel's text before `zpu-inject-dma-barrier`, that step, and the text at the end of the pipeline. Options replace
/// those of the step.
fn with_waits(
    kernel: &Kernel,
    source: &str,
    setting: Setting,
    options: Option<&str>,
) -> Result<(String, Step, String), String> {
    let session = Session::new();
    let mut before = lower::front_end_text(kernel, source)?;
    let mut module = session.parse(&before, kernel.name).map_err(text)?;
    let mut injection = None;
    for step in lower::steps(&session, setting)? {
        if step.pass() != "zpu-inject-dma-barrier" {
            lower::step(&session, &mut module, &step)?;
            continue;
        }
        before = Op::of_module(&module).to_string();
        let step = step.with_options(options.unwrap_or(step.options()));
        lower::step(&session, &mut module, &step)?;
        injection = Some(step);
    }
    let injection = injection.ok_or("no waits are injected")?;
    Ok((before, injection, Op::of_module(&module).to_string()))
}

#[test]
fn kernels_need_their_waits() {
    let kernels = [
        kernel::vector_add(),
        kernel::rms_norm(),
        kernel::attention(),
        kernel::attention_blocks(),
        kernel::matmul("two-level"),
        kernel::matmul("innermost"),
    ];
    let mut in_loops = Vec::new();
    let (mut waits, mut behind) = (0, 0);
    // All of them with ZPU_WAITS_KERNELS=1; else one of each family.
    let all = number("ZPU_WAITS_KERNELS", 0) != 0;
    for kernel in kernels
        .iter()
        .flat_map(|family| family.iter().take(if all { usize::MAX } else { 1 }))
    {
        for (device, stages) in [("toy", 3), ("sunmmio-a4e", 3)].into_iter().take(1 + usize::from(all)) {
            let setting = Setting {
                device,
                scheduler: "greedy",
                stages,
            };
            let label = format!("{}, {device}", kernel.label());
            let (count, unneeded) =
                unneeded_in_kernel(kernel, setting).unwrap_or_else(|error| panic!("{label}: {error}"));
            waits += count;
            behind += unneeded.iter().filter(|(_, in_loop)| !in_loop).count();
            in_loops.extend(
                unneeded
                    .into_iter()
                    .filter(|(_, in_loop)| *in_loop)
                    .map(|(wait, _)| format!("{label}: {wait}")),
            );
        }
    }
    println!(
        "{waits} waits in kernels, {} in loops and {behind} elsewhere that no call needs",
        in_loops.len()
    );
    if std::env::var_os("ZPU_WAITS_SHOW").is_some() {
        println!("{in_loops:#?}");
    }
}

#[test]
fn kernels_are_at_the_minimum() {
    let kernels = [
        kernel::vector_add(),
        kernel::rms_norm(),
        kernel::attention(),
        kernel::attention_blocks(),
    ];
    let mut problems = Vec::new();
    // Cube and vector unit of this one have no memory in common that attention could use.
    let is_possible = |kernel: &Kernel, device: &str| device != "ascend-910b" || !kernel.name.starts_with("attention");
    for kernel in kernels.iter().filter_map(|family| family.first()) {
        let devices = [
            "toy",
            "planning-1dma",
            "planning-2dma",
            "sunmmio-a4e",
            "trainium2-core",
            "ascend-910b",
        ];
        for device in devices.into_iter().filter(|device| is_possible(kernel, device)) {
            let setting = Setting {
                device,
                scheduler: "modulo",
                stages: 3,
            };
            let label = format!("{}, {device}", kernel.label());
            let (before, injection, _) =
                with_waits(kernel, &kernel.text(), setting, None).unwrap_or_else(|error| panic!("{label}: {error}"));
            let told = minimum::told(&before, injection.as_str()).unwrap_or_else(|error| panic!("{label}: {error}"));
            if told.is_empty() || !told.iter().all(|told| told.minimum == told.waits) {
                problems.push(format!("{label}: {told:?}"));
            }
        }
    }
    assert!(problems.is_empty(), "{problems:#?}");
}

/// Contents of the arguments, and cycles.
type Call = (Vec<Vec<u8>>, u64);

/// The results and cycles of a kernel's calls, with its waits made by the given options.
fn kernel_with(kernel: &Kernel, setting: Setting, options: &str) -> Result<Vec<Call>, String> {
    let (_, _, result) = with_waits(kernel, &kernel.text(), setting, Some(options))?;
    let session = Session::new();
    let module = session.parse(&result, kernel.name).map_err(text)?;
    let device = device(setting.device)?;
    let program = program(&module, &device, kernel.entry)?;
    let cases = kernel.cases.iter().enumerate().filter(|(_, case)| case.trips <= 17);
    cases
        .map(|(seed, case)| {
            let run = simulated(&program, &case.buffers(seed as u64))?;
            match run.findings.first() {
                Some(finding) => Err(format!("{options}, case {seed}: {finding}")),
                None => Ok((run.memory, run.cycles)),
            }
        })
        .collect()
}

#[test]
fn kernels_run_with_ids() {
    let kernels = [
        kernel::vector_add(),
        kernel::attention(),
        kernel::matmul("two-level"),
        kernel::matmul("innermost"),
    ];
    for kernel in kernels.iter().filter_map(|family| family.first()) {
        for device in ["planning-2dma", "sunmmio-a4e"] {
            let setting = Setting {
                device,
                scheduler: "greedy",
                stages: 3,
            };
            let with = |options| {
                kernel_with(kernel, setting, options).unwrap_or_else(|error| panic!("{}: {error}", kernel.label()))
            };
            let tokens = with("ids=0");
            for options in ["ids=-1", "ids=5", "ids=2", "ids=1", "mode=full", "mode=full ids=1"] {
                for (call, ((memory, cycles), (by_tokens, shortest))) in with(options).iter().zip(&tokens).enumerate() {
                    assert!(
                        memory == by_tokens,
                        "{}, {device}, {options}, call {call}: other bytes",
                        kernel.label()
                    );
                    // If numbers of ids cost nothing on the control stream, waits are as short as with tokens.
                    assert!(
                        options != "ids=-1" || device != "planning-2dma" || *cycles <= shortest + shortest / 10,
                        "{}, {device}, call {call}: {cycles} cycles, {shortest} with tokens",
                        kernel.label()
                    );
                }
            }
        }
    }
}

#[test]
fn graphs_are_left_alone_by_another_run() {
    let devices = ["planning-1dma", "planning-2dma", "sunmmio-a4e"];
    // All of them on three devices with ZPU_WAITS_KERNELS=1; else on one.
    let count = if number("ZPU_WAITS_KERNELS", 0) == 0 {
        1
    } else {
        devices.len()
    };
    for (turn, graph) in GRAPHS.iter().enumerate() {
        let kernel = graph.kernel().unwrap_or_else(|error| panic!("{}: {error}", graph.name));
        for device in devices.into_iter().cycle().skip(turn).take(count) {
            let setting = Setting {
                device,
                scheduler: "modulo",
                stages: 3,
            };
            for options in ["mode=minimal", "mode=full", "ids=-1", "ids=4", "ids=2", "ids=1"] {
                let label = format!("{}, {device}, {options}", graph.name);
                let twice = || -> Result<(String, String), String> {
                    let (_, injection, once) = with_waits(&kernel, &kernel.text(), setting, Some(options))?;
                    let session = Session::new();
                    let mut module = session.parse(&once, kernel.name).map_err(text)?;
                    lower::step(&session, &mut module, &injection)?;
                    Ok((once, Op::of_module(&module).to_string()))
                };
                let (once, twice) = twice().unwrap_or_else(|error| panic!("{label}: {error}"));
                assert!(once == twice, "{label}: another run changes it\n{once}\n{twice}");
            }
        }
    }
}

/// Trips of a reference loop whose waits are removed.
const FEW_TRIPS: u32 = 6;

/// Removes waits of a reference loop with few trips in all ways.
fn left_of_graph(graph: &Graph, kernel: &Kernel, result: &str, device: &str) -> Result<Left, String> {
    let device = run::device(device)?;
    let calls = kernel.cases.iter().flat_map(|case| graph.calls(case, FEW_TRIPS));
    let buffers: Vec<_> = calls.collect();
    minimum::remove_all_ways(&Session::new(), result, &mut |mutant| {
        let mutant = program(mutant, &device, kernel.entry)?;
        for buffers in &buffers {
            if !simulated(&mutant, buffers)?.findings.is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    })
}

#[test]
fn graphs_are_at_the_minimum() {
    // Waits are removed of the last one only, on one device; of all of them on all with ZPU_WAITS_KERNELS=1.
    let all = number("ZPU_WAITS_KERNELS", 0) != 0;
    let devices = ["toy", "planning-1dma", "planning-2dma", "sunmmio-a4e"];
    let mut problems = Vec::new();
    for (turn, graph) in GRAPHS.iter().enumerate() {
        let kernel = graph.kernel().unwrap_or_else(|error| panic!("{}: {error}", graph.name));
        for device in devices {
            let setting = Setting {
                device,
                scheduler: "modulo",
                stages: 3,
            };
            for trips in [None, Some(i64::from(FEW_TRIPS))] {
                let label = format!("{}, {device}, trips {trips:?}", graph.name);
                let text = kernel.text();
                let text = trips.map_or(text.clone(), |trips| graph::with_trips(&text, trips));
                let (before, injection, result) =
                    with_waits(&kernel, &text, setting, None).unwrap_or_else(|error| panic!("{label}: {error}"));
                let told =
                    minimum::told(&before, injection.as_str()).unwrap_or_else(|error| panic!("{label}: {error}"));
                if !told.iter().all(|told| told.minimum == told.waits) {
                    problems.push(format!("{label}: {told:?}"));
                }
                if trips.is_some() && (all || turn + 1 == GRAPHS.len() && device == devices[3]) {
                    let left = left_of_graph(graph, &kernel, &result, device);
                    let left = left.unwrap_or_else(|error| panic!("{label}: {error}"));
                    let least = told
                        .iter()
                        .filter(|told| told.is_function)
                        .map(|told| told.minimum)
                        .max();
                    let is_bound = left.fewest.is_none_or(|fewest| least <= Some(fewest));
                    if !is_bound || !left.unneeded.is_empty() {
                        problems.push(format!("{label}: {told:?}, {left:?}"));
                    }
                }
            }
        }
    }
    assert!(problems.is_empty(), "{problems:#?}");
}
