//! Placement on random programs of synchronous commands, against executions of what it writes.
//!
//! Each program is executed for many arguments by an interpreter of its own, which knows of each engine how many
//! commands were issued and how many the control stream has waited for. With the waits that were placed, nothing goes
//! wrong; with one of them deleted, something does for some arguments, but for few waits.

#[allow(dead_code, reason = "waits that are written are another test's")]
mod common;

use std::cell::Cell;
use std::collections::{HashMap, HashSet};

use common::random::for_seeds;
use common::records::problem_of;
use common::{Kind, Memory, Name, Program, Stmt, generate};
use zpu_sync::index::{Index, Linear, Root, Symbol};
use zpu_sync::place::{Engines, Form, Memo, Proof, Tree, place, place_with, write};
use zpu_sync::predicate::CmpIPredicate;
use zpu_sync::problem::{Block, BlockId, Def, Effects, Ids, NUMBER, OpId, Problem, Type, ValueId};
use zpu_sync::verdict::verify;

/// The names of tokens.
fn tokens(block: &[Stmt], found: &mut HashSet<Name>) {
    for stmt in block {
        match &stmt.kind {
            Kind::Start { token, .. } => {
                found.insert(*token);
            }
            Kind::Null(token, _) => {
                found.insert(*token);
            }
            Kind::Select { result, yes, .. } if found.contains(yes) => {
                found.insert(*result);
            }
            Kind::For(loop_) => {
                let carried = loop_.carried.iter().filter(|each| found.contains(&each.first));
                let names: Vec<Name> = carried.flat_map(|each| [each.inside, each.result]).collect();
                found.extend(names);
                tokens(&loop_.body, found);
            }
            Kind::If(branch) => {
                tokens(&branch.then, found);
                tokens(&branch.otherwise, found);
                let results = branch.results.iter().filter(|(_, yes, _)| found.contains(yes));
                let names: Vec<Name> = results.map(|(result, ..)| *result).collect();
                found.extend(names);
            }
            _ => {}
        }
    }
}

/// The statements without waits and tokens; commands are synchronous.
fn synchronous(block: &[Stmt], tokens: &HashSet<Name>) -> Vec<Stmt> {
    let kept = block.iter().filter_map(|stmt| {
        let kind = match &stmt.kind {
            Kind::Start { engine, accesses, .. } => Kind::Sync {
                engine: *engine,
                accesses: accesses.clone(),
            },
            Kind::For(loop_) => {
                let mut loop_ = loop_.clone();
                loop_.carried.retain(|each| !tokens.contains(&each.first));
                loop_.body = synchronous(&loop_.body, tokens);
                Kind::For(loop_)
            }
            Kind::If(branch) => {
                let mut branch = branch.clone();
                branch.results.retain(|(_, yes, _)| !tokens.contains(yes));
                branch.then = synchronous(&branch.then, tokens);
                branch.otherwise = synchronous(&branch.otherwise, tokens);
                Kind::If(branch)
            }
            Kind::Select { yes, .. } if tokens.contains(yes) => return None,
            Kind::Wait(_) | Kind::WaitId(_) | Kind::Fence(_) | Kind::Null(..) => return None,
            other => other.clone(),
        };
        Some(Stmt { at: stmt.at, kind })
    });
    kept.collect()
}

/// Elements of a memory that an access touches.
#[derive(Clone, Copy, Debug)]
struct Place {
    root: Option<ValueId>,
    from: i64,
    to: i64,
    write: bool,
}

fn meet(left: &[Place], right: &[Place]) -> bool {
    let meets = |a: &Place, b: &Place| (a.write || b.write) && a.root == b.root && a.from < b.to && b.from < a.to;
    left.iter().any(|a| right.iter().any(|b| meets(a, b)))
}

/// A number, or how many commands of which engine are complete after a wait.
#[derive(Clone, Copy, Debug)]
enum Known {
    Number(i64),
    Token(Option<(usize, usize)>),
}

/// One execution of a problem.
struct Execution<'p> {
    problem: &'p Problem,
    known: HashMap<ValueId, Known>,
    iterations: HashMap<OpId, i64>,
    /// By engine: what each command touches, and how many are complete.
    issued: Vec<Vec<Vec<Place>>>,
    complete: Vec<usize>,
    is_wrong: bool,
}

impl<'p> Execution<'p> {
    fn new(problem: &'p Problem, numbers: &[i64], flags: &[bool]) -> Self {
        let engines = problem.device.engines.len();
        let mut execution = Self {
            problem,
            known: HashMap::new(),
            iterations: HashMap::new(),
            issued: vec![Vec::new(); engines],
            complete: vec![0; engines],
            is_wrong: false,
        };
        let (mut numbers, mut flags) = (numbers.iter(), flags.iter());
        for arg in &problem.blocks[0].args {
            let number = match problem.values[arg.at()].ty {
                Type::Index => numbers.next().copied(),
                Type::Integer(1) => flags.next().map(|flag| i64::from(*flag)),
                _ => None,
            };
            execution
                .known
                .extend(number.map(|number| (*arg, Known::Number(number))));
        }
        execution
    }

    /// Whether something goes wrong.
    fn goes_wrong(mut self) -> bool {
        let entry = self.problem.operations[0].blocks[0];
        self.block(entry);
        for (engine, commands) in self.issued.iter().enumerate() {
            let is_argument = |root: ValueId| matches!(self.problem.values[root.at()].def, Def::Argument(..));
            let is_callers = |place: &Place| place.root.is_some_and(is_argument);
            let left = &commands[self.complete[engine]..];
            self.is_wrong |= left.iter().flatten().any(is_callers) || self.problem.is_private && !left.is_empty();
        }
        self.is_wrong
    }

    fn block(&mut self, block: BlockId) {
        let block: &'p Block = &self.problem.blocks[block.at()];
        for op in &block.ops {
            self.op(*op);
        }
    }

    fn yields(&self, block: BlockId) -> Vec<Option<Known>> {
        let end = self.problem.blocks[block.at()].terminator;
        let operands = end.map(|end| self.problem.operations[end.at()].operands.clone());
        operands
            .unwrap_or_default()
            .into_iter()
            .map(|value| self.value(value))
            .collect()
    }

    fn hand(&mut self, to: &[ValueId], from: Vec<Option<Known>>) {
        for (to, from) in to.iter().zip(from) {
            self.known.extend(from.map(|from| (*to, from)));
        }
    }

    fn op(&mut self, id: OpId) {
        let op = &self.problem.operations[id.at()];
        match op.name.as_str() {
            "zpu.dma_start" | "zpu.compute_start" => {
                let engine = op.engines[0].at();
                self.access(id, Some(engine));
                let number = self.issued[engine].len();
                if self.problem.device.engines[engine].blocking {
                    self.complete[engine] = number;
                }
                self.known.insert(op.results[0], Known::Token(Some((engine, number))));
            }
            "zpu.dma" | "zpu.compute" => {
                let engine = op.engines[0].at();
                self.access(id, Some(engine));
                self.complete[engine] = self.issued[engine].len();
            }
            "zpu.dma_wait" | "zpu.compute_wait" => {
                if let Some(Known::Token(Some((engine, number)))) = self.value(op.operands[0]) {
                    self.complete[engine] = self.complete[engine].max(number);
                }
            }
            "zpu.barrier" => {
                for engine in op.engines.iter().map(|engine| engine.at()) {
                    self.complete[engine] = self.issued[engine].len();
                }
            }
            "zpu.null_token" => {
                self.known.insert(op.results[0], Known::Token(None));
            }
            "arith.select" => {}
            "scf.for" => self.counted(id),
            "scf.if" => {
                let side = usize::from(self.number(op.operands[0]) == 0);
                if let Some(block) = op.blocks.get(side).copied() {
                    self.block(block);
                    let yields = self.yields(block);
                    self.hand(&op.results, yields);
                }
            }
            "func.return" => {}
            _ => self.access(id, None),
        }
    }

    fn counted(&mut self, id: OpId) {
        let op = &self.problem.operations[id.at()];
        let (body, bounds) = (op.blocks[0], [0, 1, 2].map(|at| self.number(op.operands[at])));
        let args = &self.problem.blocks[body.at()].args;
        let mut carried: Vec<Option<Known>> = op.operands[3..].iter().map(|value| self.value(*value)).collect();
        let (mut at, mut iteration) = (bounds[0], 0);
        while at < bounds[1] {
            self.known.insert(args[0], Known::Number(at));
            self.iterations.insert(id, iteration);
            self.hand(&args[1..], carried);
            self.block(body);
            carried = self.yields(body);
            (at, iteration) = (at + bounds[2], iteration + 1);
        }
        self.hand(&op.results, carried);
    }

    /// Issues a command, or lets the control stream access memory.
    fn access(&mut self, id: OpId, engine: Option<usize>) {
        let Effects::Known(list) = &self.problem.operations[id.at()].effects else {
            if let Some(engine) = engine {
                self.issued[engine].push(Vec::new());
            }
            return;
        };
        let place = |access: &zpu_sync::index::Access<Ids>| {
            let extent = &access.region.extents.as_ref().expect("a box is known")[0];
            let from = self.index(&extent.offset);
            let span = extent
                .span
                .as_ref()
                .and_then(Linear::as_constant)
                .expect("a length is known");
            let (root, first) = match access.region.root {
                Root::Allocation(root) | Root::NoAliasArgument(root) | Root::Argument(root) => (Some(root), 0),
                // All buffers at addresses share one memory, of elements of 4 bytes.
                Root::Window(root) => {
                    let window = self.problem.values[root.at()].window;
                    (None, window.expect("a window is known").first / 4)
                }
                _ => panic!("memory is known"),
            };
            Place {
                root,
                from: first + from,
                to: first + from + span,
                write: access.write,
            }
        };
        let places: Vec<Place> = list.iter().map(place).collect();
        for (other, commands) in self
            .issued
            .iter()
            .enumerate()
            .filter(|(other, _)| Some(*other) != engine)
        {
            self.is_wrong |= commands[self.complete[other]..]
                .iter()
                .any(|earlier| meet(earlier, &places));
        }
        if let Some(engine) = engine {
            self.issued[engine].push(places);
        }
    }

    fn value(&self, value: ValueId) -> Option<Known> {
        let known = self.known.get(&value).copied();
        known.or_else(|| match self.problem.values[value.at()].ty {
            Type::Index | Type::Integer(_) => Some(Known::Number(self.number(value))),
            _ => None,
        })
    }

    fn number(&self, value: ValueId) -> i64 {
        if let Some(Known::Number(number)) = self.known.get(&value) {
            return *number;
        }
        let Def::Result(id, _) = self.problem.values[value.at()].def else {
            panic!("value {} is no number", value.0)
        };
        let op = &self.problem.operations[id.at()];
        if let Some(constant) = op.constant {
            return constant;
        }
        if op.name == NUMBER {
            return self.index(self.problem.values[value.at()].index.as_ref().expect("it has a form"));
        }
        let side = |at: usize| self.number(op.operands[at]);
        match op.name.as_str() {
            "arith.addi" => side(0) + side(1),
            "arith.subi" => side(0) - side(1),
            "arith.muli" => side(0) * side(1),
            "arith.remui" => (side(0).cast_unsigned() % side(1).cast_unsigned()).cast_signed(),
            "arith.andi" => side(0) & side(1),
            "arith.ori" => side(0) | side(1),
            "arith.xori" => side(0) ^ (side(1) & 1),
            "arith.select" => side(if side(0) == 0 { 2 } else { 1 }),
            "arith.cmpi" => {
                let predicate = CmpIPredicate::ALL[usize::from(op.predicate.expect("it compares"))];
                predicate.evaluate(side(0), side(1)).into()
            }
            other => panic!("`{other}` is not computed"),
        }
    }

    fn linear(&self, linear: &Linear<Ids>) -> i64 {
        let symbol = |symbol: &Symbol<Ids>| match symbol {
            Symbol::Value(value, _) => self.number(*value),
            Symbol::Iteration(op) => self.iterations[op],
            Symbol::Travel(op) => self.iterations[op] * self.number(self.problem.operations[op.at()].operands[2]),
        };
        let terms = linear.terms().iter().map(|(of, coefficient)| symbol(of) * coefficient);
        linear.offset() + terms.sum::<i64>()
    }

    fn index(&self, index: &Index<Ids>) -> i64 {
        match index {
            Index::Linear(linear) => self.linear(linear),
            Index::Modulo(modulo) => {
                let remainder = self.linear(&modulo.dividend).rem_euclid(modulo.modulus);
                self.linear(&modulo.rest) + modulo.factor * remainder
            }
        }
    }
}

/// Whether something goes wrong for some arguments.
fn goes_wrong(problem: &Problem, program: &Program) -> bool {
    let mut calls: Vec<Vec<i64>> = vec![Vec::new()];
    for _ in 0..program.numbers {
        let longer = calls
            .iter()
            .flat_map(|call| [0, 1, 2, 3, 4, 5, 7, -1].map(|number| [&call[..], &[number]].concat()));
        calls = longer.collect();
    }
    let flags = (0..1usize << program.flags).map(|bits| (0..program.flags).map(|at| bits >> at & 1 == 1).collect());
    let flags: Vec<Vec<bool>> = flags.collect();
    let mut all = calls
        .iter()
        .flat_map(|call| flags.iter().map(move |flags| (call, flags)));
    all.any(|(numbers, flags)| Execution::new(problem, numbers, flags).goes_wrong())
}

#[test]
fn a_kept_form_is_that_of_its_own_problem() {
    let memo = Memo::new(200);
    for_seeds(100, |seed| {
        let mut program = generate::program(seed);
        let mut gone = HashSet::new();
        tokens(&program.body, &mut gone);
        program.body = synchronous(&program.body, &gone);
        let fresh = {
            let mut problem = problem_of(&program);
            (format!("{:?}", place(&mut problem, None)), problem)
        };
        for name in ["once", "again"] {
            let mut problem = problem_of(&program);
            name.clone_into(&mut problem.name);
            let form = format!("{:?}", memo.place(&mut problem, None, Proof::Made));
            assert_eq!(problem.name, name);
            problem.name.clone_from(&fresh.1.name);
            assert_eq!((form, problem), fresh, "{program}");
        }
    });
}

#[test]
fn without_a_proof_the_best_form_has_the_same_waits() {
    let compared = Cell::new(0usize);
    for_seeds(100, |seed| {
        let mut program = generate::program(seed);
        let mut gone = HashSet::new();
        tokens(&program.body, &mut gone);
        program.body = synchronous(&program.body, &gone);
        let [made, left_out] =
            [Proof::Made, Proof::LeftOut].map(|proof| place_with(&mut problem_of(&program), None, proof));
        if made.is_proven && !made.is_plainer {
            let waits = |form: &Form| format!("{:?} {:?}", form.tokens, form.kept_synchronous);
            assert_eq!(waits(&left_out), waits(&made), "{program}");
            compared.set(compared.get() + 1);
        }
    });
    assert!(compared.get() > 50, "{} of 100 forms are the best ones", compared.get());
}

#[test]
fn placed_waits_are_enough_and_few_are_too_many() {
    let (waits, needed) = (Cell::new(0usize), Cell::new(0usize));
    let (programs, proven) = (Cell::new(0usize), Cell::new(0usize));
    for_seeds(300, |seed| {
        let mut program = generate::program(seed);
        let mut gone = HashSet::new();
        tokens(&program.body, &mut gone);
        program.body = synchronous(&program.body, &gone);
        // What may overlap is for the tests of verdicts.
        program.buffers.iter_mut().for_each(|memory| {
            if *memory == Memory::Argument {
                *memory = Memory::NoAlias;
            }
        });
        program.machine.depth = None;
        let mut problem = problem_of(&program);
        assert!(!goes_wrong(&problem, &program), "{program}");
        let form = place(&mut problem, None);
        let engines = Engines::of_problem(&problem);
        let written = write(&problem, &Tree::of(&problem, &engines), &engines, &form.tokens, None);
        assert!(!goes_wrong(&written.problem, &program), "{program}");
        let verdict = verify(&written.problem).expect("a function has one block");
        let is_proven = verdict.findings.is_empty() && !verdict.has_given_up;
        assert_eq!(form.is_proven, is_proven, "{program}");
        programs.set(programs.get() + 1);
        proven.set(proven.get() + usize::from(is_proven));
        for wait in &written.waits {
            let mut without = written.problem.clone();
            let op = &mut without.operations[wait.op.at()];
            (op.name, op.operands) = ("zpu.barrier".to_owned(), Vec::new());
            op.engines.clear();
            waits.set(waits.get() + 1);
            needed.set(needed.get() + usize::from(goes_wrong(&without, &program)));
        }
    });
    let (waits, needed, programs, proven) = (waits.get(), needed.get(), programs.get(), proven.get());
    println!("{programs} programs, {proven} proven; {waits} waits, {needed} of them needed");
    assert!(
        programs > 50 && waits > 100,
        "{programs} programs with {waits} waits say little"
    );
    assert!(proven * 100 >= programs * 95, "{proven} of {programs} are proven");
    assert!(needed * 100 >= waits * 80, "{needed} of {waits} waits are needed");
}
