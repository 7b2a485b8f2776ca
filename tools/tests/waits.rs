//! Waits are enough, and none is too many.
//!
//! Random programs of synchronous commands under loops and branches, with bounds and conditions that are known or not, are made
//! asynchronous by `zpu-inject-dma-barrier`. Each must leave the bytes of the synchronous program and be free of races, whatever
//! the bounds and conditions. Then its waits are deleted one at a time: a wait is needed when there is a call in which the
//! program without it has a race. `ZPU_WAITS=N` tries N programs, and `ZPU_WAITS_SEED` begins with another one.

#![forbid(unsafe_code)]

#[allow(dead_code)]
mod support;

use std::fmt::Write as _;
use std::sync::Once;

use support::kernel::{self, Kernel};
use support::lower::{self, Setting};
use support::random::Random;
use support::run::{program, simulated};
use zpu_device::Device;
use zpu_ir::pipeline::run;
use zpu_ir::{Op, edit, new_context, parse_text};
use zpu_sim::{Argument, Options, Output, Program, simulate};

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
            "func.func @f(%n: index, %m: index, %p: i1, %q: i1, %x: memref<64x8xf32, #zpu.space<dram>> {{llvm.noalias}}, \
             %y: memref<64x8xf32, #zpu.space<dram>> {{llvm.noalias}}, %a: memref<3x8xf32, #zpu.space<rsram>> {{llvm.noalias}}, \
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
            "{view} = memref.subview {buffer}[{slot}, 0] [1, 8] [1, 1] : memref<{rows}x8xf32, #zpu.space<rsram>> to {ON_CHIP}"
        ));
        view
    }

    fn off_chip(&mut self, buffer: &str) -> String {
        let (row, view) = (self.index(), self.name());
        self.line(&format!(
            "{view} = memref.subview {buffer}[{row}, 0] [1, 8] [1, 1] : memref<64x8xf32, #zpu.space<dram>> to {OFF_CHIP}"
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

/// What a call leaves, and its first race.
fn call(program: &Program, device: &Device, scalars: &[u64; 4]) -> Result<(Vec<Vec<u8>>, Option<String>), String> {
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
    let outcome = simulate(program, device, "f", arguments, &options).map_err(|error| error.to_string())?;
    let memory = outcome.arguments.into_iter().filter_map(|output| match output {
        Output::Buffer { bytes, .. } => Some(bytes),
        Output::Scalar(..) | Output::Nothing => None,
    });
    Ok((
        memory.collect(),
        outcome.report.findings.first().map(ToString::to_string),
    ))
}

fn is_wait(op: &Op<'_>) -> bool {
    op.is("zpu.dma_wait") || op.is("zpu.compute_wait")
}

/// What became of one program.
#[derive(Default)]
struct Verdict {
    waits: usize,
    /// Waits without which no call has a race.
    unneeded: Vec<String>,
}

fn check(seed: u64, mode: &str, deletes: bool) -> Result<Verdict, String> {
    static ONCE: Once = Once::new();
    ONCE.call_once(zpu_passes::install);
    let context = new_context();
    context.enable_multi_threading(false);
    let device = Device::load("toy", &[]).map_err(|error| error.to_string())?;
    let text = format!("{TOY}\n{}", Text::program(seed));
    let mut module = parse_text(&context, &text, "program")?;
    let translate = |module: &zpu_ir::Module<'_>| {
        zpu_translate::translate(Op::of_module(module), &device, "f").map_err(|error| error.to_string())
    };
    let before = translate(&module)?;
    run(
        &context,
        &mut module,
        &format!("builtin.module(func.func(zpu-inject-dma-barrier{{{mode}}}))"),
    )?;
    let result = Op::of_module(&module).to_string();
    let after = translate(&module)?;
    for scalars in &CALLS {
        let (expected, _) = call(&before, &device, scalars)?;
        let (found, race) = call(&after, &device, scalars)?;
        if let Some(race) = race {
            return Err(format!("{scalars:?}: {race}\n{result}"));
        }
        if expected != found {
            return Err(format!("{scalars:?}: other bytes\n{result}"));
        }
    }
    let mut verdict = Verdict {
        waits: Op::of_module(&module).walk().iter().filter(|op| is_wait(op)).count(),
        unneeded: Vec::new(),
    };
    for index in 0..if deletes { verdict.waits } else { 0 } {
        let module = parse_text(&context, &result, "result")?;
        let wait = Op::of_module(&module).walk().into_iter().filter(is_wait).nth(index);
        let wait = wait.ok_or("a wait is gone")?;
        let line = wait.to_string();
        edit::erase(wait);
        let mutant = translate(&module)?;
        let mut needed = false;
        for scalars in &CALLS {
            needed |= call(&mutant, &device, scalars)?.1.is_some();
        }
        if !needed {
            verdict.unneeded.push(format!("wait {index}, {line}"));
        }
    }
    Ok(verdict)
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
            if let Err(error) = check(seed, mode, false) {
                panic!("seed {seed}, {mode}: {error}\n{}", Text::program(seed));
            }
        }
    }
}

#[test]
fn waits_are_needed() {
    let (count, first) = (number("ZPU_WAITS_DELETE", 30), number("ZPU_WAITS_SEED", 0));
    let (mut waits, mut unneeded) = (0, 0);
    for seed in first..first + count {
        match check(seed, "mode=minimal", true) {
            Ok(verdict) => {
                waits += verdict.waits;
                unneeded += verdict.unneeded.len();
                if std::env::var_os("ZPU_WAITS_SHOW").is_some() && !verdict.unneeded.is_empty() {
                    println!("seed {seed}: {:#?}", verdict.unneeded);
                }
            }
            Err(error) => panic!("seed {seed}: {error}\n{}", Text::program(seed)),
        }
    }
    println!("{count} programs, {waits} waits, {unneeded} that no call needs");
}

/// Deletes each wait of a kernel. Those that no call needs, with whether they stand in a loop.
fn unneeded_in_kernel(kernel: &Kernel, setting: Setting) -> Result<(usize, Vec<(String, bool)>), String> {
    let context = lower::context();
    let device = Device::load(setting.device, &[]).map_err(|error| error.to_string())?;
    let text = lower::front_end_text(kernel, &kernel.text())?;
    let mut module = parse_text(&context, &text, kernel.name)?;
    for step in lower::steps(&context, setting)? {
        lower::step(&context, &mut module, &step)?;
    }
    let result = Op::of_module(&module).to_string();
    let count = Op::of_module(&module).walk().iter().filter(|op| is_wait(op)).count();
    let mut unneeded = Vec::new();
    for index in 0..count {
        let module = parse_text(&context, &result, kernel.name)?;
        let wait = Op::of_module(&module).walk().into_iter().filter(is_wait).nth(index);
        let wait = wait.ok_or("a wait is gone")?;
        let in_loop = wait.parents().any(zpu_ir::scf::is_loop);
        let line = wait.to_string();
        edit::erase(wait);
        let mutant = program(&module, &device, kernel.entry)?;
        let mut needed = false;
        for (seed, case) in kernel.cases.iter().enumerate() {
            if !needed && case.trips <= 17 {
                let run = simulated(&mutant, &device, kernel.entry, &case.buffers(seed as u64))?;
                needed |= !run.findings.is_empty();
            }
        }
        if !needed {
            unneeded.push((format!("wait {index} of {count}, {line}"), in_loop));
        }
    }
    Ok((count, unneeded))
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

/// Contents of the arguments, and cycles.
type Call = (Vec<Vec<u8>>, u64);

/// What the calls of a kernel leave and how long they take, when its waits are made with the given options.
fn kernel_with(kernel: &Kernel, setting: Setting, options: &str) -> Result<Vec<Call>, String> {
    let context = lower::context();
    let text = lower::front_end_text(kernel, &kernel.text())?;
    let mut module = parse_text(&context, &text, kernel.name)?;
    let steps = lower::steps(&context, setting)?;
    for step in steps {
        let step = match step.split_once("zpu-inject-dma-barrier{") {
            Some((before, after)) => {
                let rest = after.split_once('}').ok_or("options do not end")?.1;
                format!("{before}zpu-inject-dma-barrier{{{options}}}{rest}")
            }
            None => step,
        };
        lower::step(&context, &mut module, &step)?;
    }
    let device = Device::load(setting.device, &[]).map_err(|error| error.to_string())?;
    let program = program(&module, &device, kernel.entry)?;
    let cases = kernel.cases.iter().enumerate().filter(|(_, case)| case.trips <= 17);
    cases
        .map(|(seed, case)| {
            let run = simulated(&program, &device, kernel.entry, &case.buffers(seed as u64))?;
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
                    // Where numbers of ids cost nothing on the control stream, waits are as short as with tokens.
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
