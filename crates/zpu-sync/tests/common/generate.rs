//! Random programs: loops that are pipelined by hand ([`pipeline`](super::pipeline)), some of them wrongly, and others
//! that mean nothing.

use super::random::Random;
use super::{
    Access, Affine, Carried, Compare, Cond, ENGINES, Expr, For, If, Kind, Machine, Memory, Name, Program, Ring, Stmt,
    Var,
};

/// The program of a seed.
pub(crate) fn program(seed: u64) -> Program {
    let mut random = Random::new(seed);
    let machine = match random.below(20) {
        0 => Machine {
            blocking: Some(random.below(ENGINES.len())),
            ..Machine::default()
        },
        1 => Machine {
            depth: Some(1 + random.below(3)),
            ..Machine::default()
        },
        2 => Machine {
            never_issued_returns: true,
            ..Machine::default()
        },
        _ => Machine::default(),
    };
    let kinds = [Memory::NoAlias, Memory::Argument, Memory::Allocation];
    let mut buffers = vec![Memory::Allocation];
    for _ in 0..2 + random.below(2) {
        buffers.extend(random.pick(&kinds));
    }
    if seed.is_multiple_of(3) {
        // All that the function allocates is in windows of one memory that overlap.
        let allocations = buffers.iter_mut().filter(|memory| **memory == Memory::Allocation);
        (0..)
            .zip(allocations)
            .for_each(|(at, memory)| *memory = Memory::Window(3 * (at % 2)));
    }
    let mut generator = Generator {
        is_private: random.chance(8),
        numbers: 1 + usize::from(random.chance(30)),
        flags: random.below(2),
        buffers,
        names: 0,
        is_small: false,
        loops: 2,
        branches: 3,
        random,
    };
    let mut scope = Scope::default();
    let mut body = match generator.random.below(8) {
        0..4 => {
            let mut body = generator.sometimes_stmts(&mut scope, 2);
            body.append(&mut generator.pipeline(&mut scope));
            body.append(&mut generator.sometimes_stmts(&mut scope, 2));
            body
        }
        4 => generator.nested_pipeline(&mut scope),
        _ => generator.stmts(&mut scope, 3, 6),
    };
    if generator.random.chance(60) {
        body.push(stmt(Kind::Fence((0..ENGINES.len()).collect())));
    }
    let mut program = Program {
        machine,
        is_private: generator.is_private,
        buffers: generator.buffers.clone(),
        numbers: generator.numbers,
        flags: generator.flags,
        body,
    };
    program.renumber();
    let waits = super::edit::waits(&program);
    if generator.random.chance(15)
        && let Some(gone) = generator.random.pick(&waits)
    {
        program = super::edit::without(&program, &[gone]);
        program.renumber();
    }
    program
}

/// A small program in which all turns on tokens: two engines, and two elements that they fight for.
pub(crate) fn small(seed: u64) -> Program {
    let mut generator = Generator {
        random: Random::new(seed),
        is_small: true,
        loops: 2,
        branches: 2,
        is_private: false,
        numbers: 1,
        flags: 1,
        buffers: vec![Memory::Allocation],
        names: 0,
    };
    let body = generator.stmts(&mut Scope::default(), 3, 6);
    let mut program = Program {
        buffers: generator.buffers,
        numbers: generator.numbers,
        flags: generator.flags,
        body,
        ..Program::default()
    };
    program.renumber();
    program
}

pub(super) struct Generator {
    pub(super) random: Random,
    is_small: bool,
    /// Loops and branches that there may still be: the proof takes long for many of them in each other.
    loops: usize,
    branches: usize,
    is_private: bool,
    numbers: usize,
    flags: usize,
    pub(super) buffers: Vec<Memory>,
    names: Name,
}

/// The names at some point.
#[derive(Clone, Default)]
pub(super) struct Scope {
    pub(super) tokens: Vec<(Name, usize)>,
    flags: Vec<Name>,
    pub(super) loops: Vec<Running>,
}

/// A loop that runs.
#[derive(Clone)]
pub(super) struct Running {
    name: Name,
    /// The greatest number that the induction variable has, if it is known.
    last: Option<i64>,
    upper: Affine,
    step: i64,
}

pub(crate) fn stmt(kind: Kind) -> Stmt {
    Stmt { at: 0, kind }
}

impl Generator {
    pub(super) fn name(&mut self) -> Name {
        self.names += 1;
        self.names
    }

    pub(super) fn engine(&mut self) -> usize {
        self.random.below(if self.is_small { 2 } else { ENGINES.len() })
    }

    pub(super) fn sometimes_stmts(&mut self, scope: &mut Scope, most: usize) -> Vec<Stmt> {
        if self.random.chance(40) {
            self.stmts(scope, 1, most)
        } else {
            Vec::new()
        }
    }

    fn stmts(&mut self, scope: &mut Scope, least: usize, most: usize) -> Vec<Stmt> {
        let mut block = Vec::new();
        for _ in 0..least + self.random.below(most - least + 1) {
            self.push(&mut block, scope);
        }
        block
    }

    fn push(&mut self, block: &mut Vec<Stmt>, scope: &mut Scope) {
        let kind = match self.random.below(100) {
            0..34 => self.start(scope),
            34..54 => match self.token(scope) {
                Some((token, _)) => Kind::Wait(token),
                None => self.start(scope),
            },
            54..60 => Kind::Fence(vec![self.engine()]),
            60..66 => {
                let write = self.random.chance(50);
                Kind::Touch(self.access(scope, write))
            }
            66..70 => Kind::Sync {
                engine: self.engine(),
                accesses: self.accesses(scope),
            },
            70..82 if self.branches > 0 => {
                self.branches -= 1;
                self.branch(block, scope);
                return;
            }
            82..92 if self.loops > 0 && scope.loops.len() < if self.is_small { 1 } else { 2 } => {
                self.loops -= 1;
                self.counted(block, scope);
                return;
            }
            92..95 => {
                let name = self.name();
                let cond = self.cond(scope);
                scope.flags.push(name);
                Kind::Flag(name, cond)
            }
            _ => {
                let Some((yes, engine)) = self.token(scope) else {
                    let kind = self.start(scope);
                    block.push(stmt(kind));
                    return;
                };
                let no = self.token_of(block, scope, engine);
                let (result, cond) = (self.name(), self.cond(scope));
                scope.tokens.push((result, engine));
                Kind::Select { result, cond, yes, no }
            }
        };
        block.push(stmt(kind));
    }

    fn start(&mut self, scope: &mut Scope) -> Kind {
        let (token, engine) = (self.name(), self.engine());
        let accesses = self.accesses(scope);
        scope.tokens.push((token, engine));
        Kind::Start {
            engine,
            token,
            id: None,
            accesses,
        }
    }

    /// One of the tokens, the latest ones more often.
    pub(super) fn token(&mut self, scope: &Scope) -> Option<(Name, usize)> {
        let from = if self.random.chance(60) {
            scope.tokens.len().saturating_sub(3)
        } else {
            0
        };
        self.random.pick(&scope.tokens[from..])
    }

    /// A token of an engine, which may be null.
    fn token_of(&mut self, block: &mut Vec<Stmt>, scope: &Scope, engine: usize) -> Name {
        let own: Vec<Name> = scope
            .tokens
            .iter()
            .filter(|(_, other)| *other == engine)
            .map(|(token, _)| *token)
            .collect();
        let own = if self.random.chance(70) {
            self.random.pick(&own)
        } else {
            None
        };
        own.unwrap_or_else(|| self.null(block, engine))
    }

    pub(super) fn null(&mut self, block: &mut Vec<Stmt>, engine: usize) -> Name {
        let name = self.name();
        block.push(stmt(Kind::Null(name, engine)));
        name
    }

    fn branch(&mut self, block: &mut Vec<Stmt>, scope: &mut Scope) {
        let cond = self.cond(scope);
        let mut inside = [scope.clone(), scope.clone()];
        let mut then = self.stmts(&mut inside[0], 1, 3);
        let mut otherwise = if self.random.chance(40) {
            self.stmts(&mut inside[1], 1, 2)
        } else {
            Vec::new()
        };
        let mut results = Vec::new();
        if self.random.chance(70)
            && let Some((_, engine)) = self.token(&inside[0])
        {
            let yes = self.token_of(&mut then, &inside[0], engine);
            let no = self.token_of(&mut otherwise, &inside[1], engine);
            let result = self.name();
            results.push((result, yes, no));
            scope.tokens.push((result, engine));
        }
        let yielded = results.first().map(|(result, ..)| *result);
        block.push(stmt(Kind::If(If {
            cond,
            then,
            otherwise,
            results,
        })));
        self.wait_soon(block, yielded);
    }

    /// Maybe waits for a token that control flow yields; otherwise that is done somewhere later.
    fn wait_soon(&mut self, block: &mut Vec<Stmt>, token: Option<Name>) {
        if let Some(token) = token.filter(|_| self.random.chance(40)) {
            block.push(stmt(Kind::Wait(token)));
        }
    }

    fn counted(&mut self, block: &mut Vec<Stmt>, scope: &mut Scope) {
        let (name, lower, step) = (self.name(), self.lower(), self.step());
        let upper = self.upper(scope);
        let mut inside = scope.clone();
        inside.loops.push(running(name, lower, &upper, step));
        let mut carried = Vec::new();
        if self.random.chance(70) {
            let engine = self.engine();
            for _ in 0..1 + self.random.below(if self.is_small { 2 } else { 3 }) {
                let first = self.token_of(block, scope, engine);
                let (argument, result) = (self.name(), self.name());
                carried.push((
                    engine,
                    Carried {
                        inside: argument,
                        first,
                        next: argument,
                        result,
                    },
                ));
                inside.tokens.push((argument, engine));
            }
        }
        scope
            .tokens
            .extend(carried.iter().map(|(engine, each)| (each.result, *engine)));
        let mut flag = None;
        if self.random.chance(30) {
            let first = self.name();
            let cond = self.cond(scope);
            block.push(stmt(Kind::Flag(first, cond)));
            let (argument, result) = (self.name(), self.name());
            flag = Some(Carried {
                inside: argument,
                first,
                next: argument,
                result,
            });
            inside.flags.push(argument);
            scope.flags.push(result);
        }
        let mut body = self.stmts(&mut inside, 2, 5);
        let arguments: Vec<Name> = carried.iter().map(|(_, each)| each.inside).collect();
        for (at, (engine, each)) in carried.iter_mut().enumerate() {
            each.next = match at.checked_sub(1) {
                Some(before) if self.random.chance(85) => arguments[before],
                _ => self.token_of(&mut body, &inside, *engine),
            };
        }
        if let Some(flag) = &mut flag {
            flag.next = self.random.pick(&inside.flags).unwrap_or(flag.inside);
        }
        let yielded = carried.last().map(|(_, each)| each.result);
        block.push(stmt(Kind::For(For {
            name,
            lower,
            upper,
            step,
            carried: carried.into_iter().map(|(_, each)| each).chain(flag).collect(),
            body,
        })));
        self.wait_soon(block, yielded);
    }

    fn lower(&mut self) -> i64 {
        if self.random.chance(80) {
            0
        } else {
            self.random.number(1, 2)
        }
    }

    fn step(&mut self) -> i64 {
        if self.random.chance(85) {
            1
        } else {
            self.random.number(2, 3)
        }
    }

    pub(super) fn upper(&mut self, scope: &Scope) -> Affine {
        match self.random.below(10) {
            0..3 => Affine::constant(self.random.number(0, 5)),
            3 => match scope.loops.last() {
                Some(outer) => Affine::var(Var::Induction(outer.name)).add(self.random.number(0, 2)),
                None => self.argument().add(-1),
            },
            4 => {
                let more = self.random.number(-2, 2);
                self.argument().add(more)
            }
            _ => self.argument(),
        }
    }

    fn argument(&mut self) -> Affine {
        Affine::var(Var::Argument(self.random.below(self.numbers)))
    }

    fn cond(&mut self, scope: &Scope) -> Cond {
        match self.random.below(20) {
            0 => Cond::And(Box::new(self.simple(scope)), Box::new(self.simple(scope))),
            1 => Cond::Or(Box::new(self.simple(scope)), Box::new(self.simple(scope))),
            2 => Cond::Not(Box::new(self.simple(scope))),
            _ => self.simple(scope),
        }
    }

    fn simple(&mut self, scope: &Scope) -> Cond {
        let compares = [
            Compare::Equal,
            Compare::Unequal,
            Compare::Less,
            Compare::LessOrEqual,
            Compare::Greater,
            Compare::GreaterOrEqual,
        ];
        let compare = self.random.pick(&compares).unwrap_or(Compare::Equal);
        match self.random.below(10) {
            0..2 if self.flags > 0 => return Cond::Argument(self.random.below(self.flags)),
            2..4 => {
                if let Some(flag) = self.random.pick(&scope.flags) {
                    return Cond::Flag(flag);
                }
            }
            4..8 => {
                if let Some(running) = self.random.pick(&scope.loops) {
                    let own = Affine::var(Var::Induction(running.name));
                    return match self.random.below(3) {
                        0 => Cond::Compare(compare, own, Affine::constant(self.random.number(0, 3))),
                        1 => Cond::Compare(Compare::Less, own.add(running.step), running.upper),
                        _ => Cond::Compare(compare, own, self.argument()),
                    };
                }
            }
            _ => {}
        }
        let (left, right) = (self.argument(), Affine::constant(self.random.number(0, 4)));
        if self.numbers > 1 && self.random.chance(30) {
            Cond::Compare(compare, left, self.argument())
        } else {
            Cond::Compare(compare, left, right)
        }
    }

    fn accesses(&mut self, scope: &Scope) -> Vec<Access> {
        if self.is_small {
            return vec![self.access(scope, true)];
        }
        match self.random.below(6) {
            0 => vec![self.access(scope, true)],
            1 => vec![self.access(scope, false)],
            _ => vec![self.access(scope, false), self.access(scope, true)],
        }
    }

    fn access(&mut self, scope: &Scope, write: bool) -> Access {
        if self.is_small {
            let running = self.random.pick(&scope.loops).filter(|_| self.random.chance(30));
            let offset = match running {
                Some(running) => ring(Affine::var(Var::Induction(running.name)), 2, 1),
                None => Affine::constant(self.random.number(0, 1)).into(),
            };
            return access(0, offset, 1, write);
        }
        Access {
            buffer: self.random.below(self.buffers.len()),
            offset: self.offset(scope),
            span: self.random.number(1, 2),
            write,
        }
    }

    fn offset(&mut self, scope: &Scope) -> Expr {
        let own = self.random.number(0, 2);
        let Some(running) = self.random.pick(&scope.loops) else {
            let rest = if self.random.chance(20) {
                self.argument().add(1 + own)
            } else {
                Affine::constant(own)
            };
            return rest.into();
        };
        let induction = Affine::var(Var::Induction(running.name));
        match self.random.below(12) {
            0 => Affine::constant(own).into(),
            1..4 => Affine::constant(own)
                .plus(Var::Induction(running.name), self.random.number(1, 3))
                .into(),
            4 => match (scope.loops.first(), scope.loops.last()) {
                (Some(outer), Some(inner)) if outer.name != inner.name => {
                    let scale = self.random.number(1, 6);
                    induction_sum(own, (outer.name, scale), (inner.name, 1)).into()
                }
                _ => induction.into(),
            },
            5 => match running.last {
                Some(last) => Affine::constant(last + own)
                    .plus(Var::Induction(running.name), -1)
                    .into(),
                None => induction.into(),
            },
            6 => ring(
                self.argument().add(own).plus(Var::Induction(running.name), 1),
                self.random.number(2, 4),
                1,
            ),
            7 => self.argument().add(1).plus(Var::Induction(running.name), 1).into(),
            _ => ring(induction.add(own), self.random.number(2, 4), self.random.number(1, 2)),
        }
    }
}

fn induction_sum(constant: i64, outer: (Name, i64), inner: (Name, i64)) -> Affine {
    let sum = Affine::constant(constant).plus(Var::Induction(outer.0), outer.1);
    sum.plus(Var::Induction(inner.0), inner.1)
}

pub(super) fn running(name: Name, lower: i64, upper: &Affine, step: i64) -> Running {
    Running {
        name,
        last: upper.as_constant().map(|upper| lower.max(upper - 1)),
        upper: upper.clone(),
        step,
    }
}

pub(super) fn ring(dividend: Affine, modulus: i64, factor: i64) -> Expr {
    Expr {
        rest: Affine::default(),
        ring: Some(Ring {
            dividend,
            modulus,
            factor,
        }),
    }
}

pub(super) fn access(buffer: usize, offset: impl Into<Expr>, span: i64, write: bool) -> Access {
    Access {
        buffer,
        offset: offset.into(),
        span,
        write,
    }
}
