//! Programs with one thing more or less: a wait that is gone, a fence before a statement, and the smallest program that
//! still shows something.

use super::{At, Kind, Program, Stmt};

/// Calls a function for each statement, those that hold others before what they hold.
pub(crate) fn each(block: &mut [Stmt], visit: &mut dyn FnMut(&mut Stmt)) {
    for stmt in block {
        visit(stmt);
        match &mut stmt.kind {
            Kind::For(loop_) => each(&mut loop_.body, visit),
            Kind::If(branch) => {
                each(&mut branch.then, visit);
                each(&mut branch.otherwise, visit);
            }
            _ => {}
        }
    }
}

/// Calls a function for each block, the innermost ones first.
fn each_block(block: &mut Vec<Stmt>, visit: &mut dyn FnMut(&mut Vec<Stmt>)) {
    for stmt in block.iter_mut() {
        match &mut stmt.kind {
            Kind::For(loop_) => each_block(&mut loop_.body, visit),
            Kind::If(branch) => {
                each_block(&mut branch.then, visit);
                each_block(&mut branch.otherwise, visit);
            }
            _ => {}
        }
    }
    visit(block);
}

/// The numbers of all waits and fences.
pub(crate) fn waits(program: &Program) -> Vec<At> {
    let mut waits = Vec::new();
    each(&mut program.body.clone(), &mut |stmt| {
        if matches!(stmt.kind, Kind::Wait(_) | Kind::WaitId(_) | Kind::Fence(_)) {
            waits.push(stmt.at);
        }
    });
    waits
}

/// The program without some statements that define nothing. The others keep their numbers.
pub(crate) fn without(program: &Program, gone: &[At]) -> Program {
    let mut program = program.clone();
    each_block(&mut program.body, &mut |block| {
        block.retain(|stmt| !gone.contains(&stmt.at));
    });
    program
}

/// The program with a fence before a statement, or before the return, which is 0.
pub(crate) fn fenced(program: &Program, at: At, engines: &[usize]) -> Program {
    let mut program = program.clone();
    let fence = Stmt {
        at: 0,
        kind: Kind::Fence(engines.to_vec()),
    };
    if at == 0 {
        program.body.push(fence);
    } else {
        each_block(&mut program.body, &mut |block| {
            if let Some(place) = block.iter().position(|stmt| stmt.at == at) {
                block.insert(place, fence.clone());
            }
        });
    }
    program.renumber();
    program
}

/// Takes away what can go as long as the program still is one that somebody wants to see.
pub(crate) fn reduced(program: &Program, is_wanted: &dyn Fn(&Program) -> bool) -> Program {
    let mut best = program.clone();
    loop {
        let smaller = smaller(&best).into_iter().find(|smaller| is_wanted(smaller));
        match smaller {
            Some(smaller) => best = smaller,
            None => return best,
        }
    }
}

/// Programs that are smaller by one step.
fn smaller(program: &Program) -> Vec<Program> {
    let mut all = Vec::new();
    let mut count = 0;
    each(&mut program.body.clone(), &mut |_| count += 1);
    for at in 1..=count {
        all.extend([Change::Remove, Change::First, Change::Second].map(|change| {
            let mut smaller = program.clone();
            each_block(&mut smaller.body, &mut |block| change.make(block, at));
            smaller
        }));
        for position in 0..4 {
            let mut smaller = program.clone();
            each(&mut smaller.body, &mut |stmt| {
                if stmt.at == at {
                    less(stmt, position);
                }
            });
            all.push(smaller);
        }
    }
    let text = program.to_string();
    all.retain(|smaller| smaller.to_string() != text && super::print::is_in_scope(smaller));
    all.iter_mut().for_each(Program::renumber);
    if program.machine != super::Machine::default() || program.is_private {
        let mut plain = program.clone();
        plain.machine = super::Machine::default();
        plain.is_private = false;
        all.push(plain);
    }
    all
}

#[derive(Clone, Copy)]
enum Change {
    /// The statement goes.
    Remove,
    /// Only the first block of a branch stays.
    First,
    /// Only the second one.
    Second,
}

impl Change {
    fn make(self, block: &mut Vec<Stmt>, at: At) {
        let Some(place) = block.iter().position(|stmt| stmt.at == at) else {
            return;
        };
        let rest = match (self, block[place].kind.clone()) {
            (Self::Remove, Kind::Start { engine, token, .. }) => vec![Kind::Null(token, engine)],
            (Self::Remove, _) => Vec::new(),
            (Self::First, Kind::If(branch)) => branch.then.into_iter().map(|stmt| stmt.kind).collect(),
            (Self::Second, Kind::If(branch)) => branch.otherwise.into_iter().map(|stmt| stmt.kind).collect(),
            _ => return,
        };
        let rest = rest.into_iter().map(|kind| Stmt { at: 0, kind });
        block.splice(place..=place, rest);
    }
}

/// Takes one of the parts of a statement.
fn less(stmt: &mut Stmt, position: usize) {
    match &mut stmt.kind {
        Kind::Start { accesses, .. } | Kind::Sync { accesses, .. } if position < accesses.len() => {
            accesses.remove(position);
        }
        Kind::For(loop_) if position < loop_.carried.len() => {
            loop_.carried.remove(position);
        }
        Kind::If(branch) if position < branch.results.len() => {
            branch.results.remove(position);
        }
        Kind::Fence(engines) if position < engines.len() && engines.len() > 1 => {
            engines.remove(position);
        }
        _ => {}
    }
}
