//! Both checks against all orders of completion.
//!
//! Small random programs as a user would write them, with waits here and there: starts on four engines, waits for
//! tokens and barrier ids, fences, loops that carry tokens, the control stream's own loads and stores, queues that lose
//! commands. For each, every order in which its commands can take effect is tried. The simulator's check of a single
//! run flags exactly those programs that some order can tell apart, or that lose a command or hang. `zpu-verify-sync`
//! never proves one of them and never refutes another one; unknown programs are counted. `ZPU_INTERLEAVINGS=N` tries N
//! programs, and `ZPU_INTERLEAVINGS_SEED` begins with another one.

#![forbid(unsafe_code)]

#[allow(dead_code)]
mod support;

use std::fmt::Write as _;

use support::random::Random;
use support::text;
use zpu_driver::{Executable, Session, device_of, translate};
use zpu_sim::{Argument, Checks, Interleavings, Limits, Options};

const ON_CHIP: &str = "memref<4xf32, strided<[1], offset: ?>, #zpu.space<rsram>>";
const OFF_CHIP: &str = "memref<4xf32, strided<[1], offset: ?>, #zpu.space<dram>>";
const DMA: [&str; 2] = ["@dma0", "@dma1"];
const VECTOR: [&str; 2] = ["@vector0", "@vector1"];

/// Commands that a program issues at most.
const COMMANDS: usize = 12;

/// True if to do something that is done so many times in ten.
fn in_ten(random: &mut Random, times: usize) -> bool {
    random.below(10) < times
}

/// A program in the making.
struct Text {
    random: Random,
    text: String,
    names: usize,
    commands: usize,
    /// Product of the trip counts around, and the innermost induction variable.
    trips: usize,
    iv: Option<String>,
    /// Tokens in scope, with their engines.
    tokens: Vec<(String, &'static str)>,
    has_ids: bool,
    ids: Vec<usize>,
}

impl Text {
    fn program(seed: u64) -> String {
        let mut random = Random(seed);
        let has_ids = in_ten(&mut random, 3);
        let (depth, policy) = match random.below(4) {
            0 => (1 + random.below(3), random.one_of(&["drop", "error"])),
            _ => (8, "stall"),
        };
        let never = random.one_of(&["error", "hang", "return"]);
        let mut text = Self {
            random,
            text: String::new(),
            names: 0,
            commands: 0,
            trips: 1,
            iv: None,
            tokens: Vec::new(),
            has_ids,
            ids: Vec::new(),
        };
        for _ in 0..3 + text.random.below(10) {
            text.statement();
        }
        if in_ten(&mut text.random, 8) {
            text.line("zpu.barrier");
        }
        let engine = |name: &str, rest: &str| format!("zpu.engine {name} {rest} depth {depth} when_full {policy}");
        let dma = DMA.map(|name| {
            let kind = engine(name, "dma");
            format!("{kind}\nzpu.route {name} from @dram to @rsram\nzpu.route {name} from @rsram to @dram\n")
        });
        let vector = VECTOR.map(|name| engine(name, "vector") + " operands {all = [@rsram]}\n");
        format!(
            "zpu.device @small clock 1.0 off_chip @dram default_space @rsram {{\n\
             zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1\nzpu.memory @rsram bytes 65536 align 64\n\
             zpu.memory @dram bytes 1048576 align 64\n{}{}zpu.sync ids 4 barriers 1 never_issued {never}\n}}\n\
             func.func @f(%x: memref<4x4xf32, #zpu.space<dram>> {{llvm.noalias}}, %y: memref<4x4xf32, \
             #zpu.space<dram>> \
             {{llvm.noalias}}, %a: memref<4x4xf32, #zpu.space<rsram>> {{llvm.noalias}}) {{\n\
             %c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n%c2 = arith.constant 2 : index\n\
             %c3 = arith.constant 3 : index\n{}return\n}}\n",
            dma.concat(),
            vector.concat(),
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

    fn statement(&mut self) {
        match self.random.below(20) {
            0..=6 => {
                let engine = self.random.one_of(&[DMA[0], DMA[1], VECTOR[0], VECTOR[1]]);
                self.start(engine);
            }
            7..=12 => self.wait(),
            13 => {
                let engines = [self.random.one_of(&DMA), self.random.one_of(&VECTOR)].join(", ");
                self.line(&format!("zpu.barrier on [{engines}]"));
            }
            14 | 15 if self.has_ids => {
                let id = self.random.below(4);
                // A wait for an id without a command is a deadlock or has no effect; few of those are enough.
                if self.ids.contains(&id) || in_ten(&mut self.random, 1) {
                    self.line(&format!("zpu.id_wait %c{id}"));
                }
            }
            16 => self.scalar(),
            17 => self.synchronous(),
            18 if self.iv.is_none() => self.counted(),
            _ => self.wait(),
        }
    }

    /// A row's number.
    fn row(&mut self) -> String {
        let constant = self.random.one_of(&["%c0", "%c1", "%c2", "%c3"]).to_owned();
        let Some(iv) = self.iv.clone().filter(|_| self.random.below(3) > 0) else {
            return constant;
        };
        match self.random.below(3) {
            0 => iv,
            1 => {
                let name = self.name();
                self.line(&format!("{name} = arith.addi {iv}, %c1 overflow<nsw, nuw> : index"));
                name
            }
            _ => {
                let name = self.name();
                self.line(&format!("{name} = arith.remui {iv}, %c2 : index"));
                name
            }
        }
    }

    fn view(&mut self, buffer: &str, space: &str, to: &str) -> String {
        let (row, view) = (self.row(), self.name());
        self.line(&format!(
            "{view} = memref.subview {buffer}[{row}, 0] [1, 4] [1, 1] : memref<4x4xf32, #zpu.space<{space}>> to {to}"
        ));
        view
    }

    fn on_chip(&mut self) -> String {
        self.view("%a", "rsram", ON_CHIP)
    }

    fn off_chip(&mut self, buffer: &str) -> String {
        self.view(buffer, "dram", OFF_CHIP)
    }

    /// The work of one command on an engine: the text before and after the place of the barrier id.
    fn work(&mut self, engine: &str) -> (String, String) {
        if VECTOR.contains(&engine) {
            let (left, right, to) = (self.on_chip(), self.on_chip(), self.on_chip());
            let body = format!("linalg.add ins({left}, {right} : {ON_CHIP}, {ON_CHIP}) outs({to} : {ON_CHIP})");
            return (format!("on {engine}"), format!("{{ {body} }}"));
        }
        let (from, to, types) = if self.random.below(3) > 0 {
            let buffer = self.random.one_of(&["%x", "%y"]);
            (self.off_chip(buffer), self.on_chip(), [OFF_CHIP, ON_CHIP])
        } else {
            (self.on_chip(), self.off_chip("%y"), [ON_CHIP, OFF_CHIP])
        };
        (
            format!("{from} to {to} on {engine}"),
            format!(": {} to {}", types[0], types[1]),
        )
    }

    /// An asynchronous command; its token.
    fn start(&mut self, engine: &'static str) -> Option<String> {
        if self.commands + self.trips > COMMANDS {
            return None;
        }
        self.commands += self.trips;
        let (before, after) = self.work(engine);
        let id = if self.has_ids && in_ten(&mut self.random, 5) {
            let id = self.random.below(4);
            self.ids.push(id);
            format!(" id(%c{id})")
        } else {
            String::new()
        };
        let op = if VECTOR.contains(&engine) { "compute" } else { "dma" };
        let token = self.name();
        self.line(&format!("{token} = zpu.{op}_start {before}{id} {after}"));
        self.tokens.push((token.clone(), engine));
        Some(token)
    }

    fn synchronous(&mut self) {
        if self.commands + self.trips <= COMMANDS {
            self.commands += self.trips;
            let engine = self.random.one_of(&[DMA[0], VECTOR[0]]);
            let (before, after) = self.work(engine);
            let op = if VECTOR.contains(&engine) { "compute" } else { "dma" };
            self.line(&format!("zpu.{op} {before} {after}"));
        }
    }

    fn wait_for(&mut self, (token, engine): &(String, &'static str)) {
        let op = if VECTOR.contains(engine) { "compute" } else { "dma" };
        self.line(&format!("zpu.{op}_wait {token} : !zpu.token<{engine}>"));
    }

    fn wait(&mut self) {
        if let Some(last) = self.tokens.len().checked_sub(1) {
            // More often for one of the last.
            let back = self.random.below(last + 1).min(self.random.below(last + 1));
            let token = self.tokens[last - back].clone();
            self.wait_for(&token);
        }
    }

    fn scalar(&mut self) {
        let (from, to, value) = (self.on_chip(), self.on_chip(), self.name());
        self.line(&format!("{value} = memref.load {from}[%c1] : {ON_CHIP}"));
        if in_ten(&mut self.random, 5) {
            self.line(&format!("memref.store {value}, {to}[%c2] : {ON_CHIP}"));
        }
    }

    /// A loop that carries the token of a command of its last iteration.
    fn counted(&mut self) {
        let trips = 2 + self.random.below(2);
        if self.commands + trips > COMMANDS {
            return;
        }
        let engine = self.random.one_of(&[DMA[0], DMA[1], VECTOR[0], VECTOR[1]]);
        let (none, iv, carried, last) = (self.name(), self.name(), self.name(), self.name());
        self.line(&format!("{none} = zpu.null_token : !zpu.token<{engine}>"));
        self.line(&format!(
            "{last} = scf.for {iv} = %c0 to %c{trips} step %c1 iter_args({carried} = {none}) -> (!zpu.token<{engine}>) \
             {{"
        ));
        let outside = self.tokens.clone();
        self.tokens.push((carried.clone(), engine));
        (self.trips, self.iv) = (trips, Some(iv));
        let place = self.random.below(4);
        let mut token = None;
        for turn in 0..4 {
            if turn == place {
                token = self.start(engine);
            } else {
                self.statement();
            }
        }
        let token = token.unwrap_or(carried);
        self.line(&format!("scf.yield {token} : !zpu.token<{engine}>\n}}"));
        (self.trips, self.iv) = (1, None);
        self.tokens = outside;
        self.tokens.push((last, engine));
    }
}

/// The verdicts of all checks on one program.
struct Verdicts {
    all: Interleavings,
    /// The simulator's first finding.
    dynamic: Option<String>,
    proven: bool,
    refuted: bool,
    /// The verdict of the proof.
    said: String,
}

impl Verdicts {
    fn is_wrong(&self) -> bool {
        self.all.order_matters || !self.all.findings.is_empty()
    }

    fn disagreement(&self) -> Option<&'static str> {
        let wrong = self.is_wrong();
        if !self.all.complete && !wrong {
            Some("too many states")
        } else if self.dynamic.is_some() != wrong {
            Some("the simulator is wrong")
        } else if self.proven && wrong {
            Some("proven, and wrong")
        } else if self.refuted && !wrong {
            Some("refuted, and right")
        } else {
            None
        }
    }
}

fn judge(session: &Session, source: &str) -> Result<Verdicts, String> {
    let mut module = session.parse(source, "program").map_err(text)?;
    let device = device_of(&module).map_err(text)?;
    let program = translate(&module, device, "f").map_err(text)?;
    let all = program.interleavings(arguments(), &Limits::default());
    let all = all.map_err(text)?;
    let dynamic = first_finding(&program)?;
    let mut verify = |options: &str| {
        let pipeline = format!("builtin.module(func.func(zpu-verify-sync{options}))");
        session.compile(&mut module, &pipeline)
    };
    let strict = verify("");
    let lenient = verify("{allow-unknown}");
    Ok(Verdicts {
        all,
        dynamic,
        proven: strict.is_ok(),
        refuted: lenient.is_err(),
        said: strict.err().map_or_else(String::new, text),
    })
}

fn arguments() -> Vec<Argument> {
    // No sum of a few of these is another one of them.
    let number = |i: i32| 1.0371f32.powi(i * 3 + 1).to_le_bytes();
    let buffer = |first: i32| Argument::Buffer {
        shape: vec![4, 4],
        bytes: (first..first + 16).flat_map(number).collect(),
    };
    vec![buffer(0), buffer(16), buffer(32)]
}

fn first_finding(program: &Executable) -> Result<Option<String>, String> {
    let options = Options {
        checks: Checks {
            capacity: false,
            ..Checks::ALL
        },
        bound: false,
        ..Options::default()
    };
    let outcome = program.simulate(arguments(), &options).map_err(text)?;
    Ok(outcome.report.findings.first().map(ToString::to_string))
}

fn number(name: &str, default: u64) -> u64 {
    let text = std::env::var(name).ok();
    text.and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn checks_flag_exactly_what_depends_on_the_order() {
    let (count, first) = (number("ZPU_INTERLEAVINGS", 300), number("ZPU_INTERLEAVINGS_SEED", 0));
    let session = Session::new();
    let (mut wrong, mut bytes, mut refuted, mut proven) = (0, 0, 0, 0);
    let (mut unknown_wrong, mut unknown_right, mut states) = (0, 0, 0);
    let mut problems = Vec::new();
    for seed in first..first + count {
        let text = Text::program(seed);
        let verdicts = judge(&session, &text).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        if let Some(problem) = verdicts.disagreement() {
            let dynamic = verdicts.dynamic.as_deref().unwrap_or("nothing");
            problems.push(format!(
                "seed {seed}: {problem}\n{text}\nall orders: {:?}\nsimulator: {dynamic}\nproof: {}\n",
                verdicts.all, verdicts.said
            ));
        }
        states += verdicts.all.states;
        wrong += u64::from(verdicts.is_wrong());
        bytes += u64::from(verdicts.all.difference.is_some());
        proven += u64::from(verdicts.proven);
        refuted += u64::from(verdicts.refuted);
        let unknown = !verdicts.proven && !verdicts.refuted;
        unknown_wrong += u64::from(unknown && verdicts.is_wrong());
        unknown_right += u64::from(unknown && !verdicts.is_wrong());
    }
    println!(
        "{count} programs, {states} states: {wrong} depend on the order ({bytes} in their bytes), {} do not; proven \
         {proven}, \
         refuted {refuted}, unknown {unknown_wrong} of the former and {unknown_right} of the latter",
        count - wrong
    );
    assert!(
        problems.is_empty(),
        "{} of {count}:\n{}",
        problems.len(),
        problems.concat()
    );
    assert!(
        bytes > count / 10 && proven > count / 10,
        "the programs are too much alike"
    );
}
