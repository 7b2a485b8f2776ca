//! Tokens that no command was started with, on whichever way they come: a wait for one orders nothing, and shows that
//! another one was meant.

use std::collections::BTreeSet;

use crate::flow;
use crate::program::{Block, Op, Program, Reg};

/// The waits of a program for tokens that are null on every way, by the address of the register that they name.
pub(crate) fn waits_for_nothing(program: &Program) -> BTreeSet<usize> {
    let functions = program.functions.iter();
    functions.flat_map(|function| in_function(&function.body)).collect()
}

fn in_function(body: &Block) -> BTreeSet<usize> {
    let mut flow = Flow::default();
    flow.block(body);
    let mut nulls = flow.nulls;
    // A register that may hold a started token is not null, and neither is any that it is handed on to.
    loop {
        let is_null = |reg: &Reg| nulls.contains(&reg.index());
        let broken = flow.handed.iter().filter(|(from, to)| is_null(to) && !is_null(from));
        let broken: BTreeSet<usize> = broken.map(|(_, to)| to.index()).collect();
        if broken.is_empty() {
            break;
        }
        nulls = nulls.difference(&broken).copied().collect();
    }
    let waits = flow
        .waits
        .into_iter()
        .filter(|(token, _)| nulls.contains(&token.index()));
    waits.map(|(_, address)| address).collect()
}

/// The flow of tokens between registers.
#[derive(Default)]
struct Flow {
    /// Registers that hold null tokens, or only what was handed to them.
    nulls: BTreeSet<usize>,
    /// Pairs of registers, from and to, of tokens that are handed on.
    handed: Vec<(Reg, Reg)>,
    waits: Vec<(Reg, usize)>,
}

impl Flow {
    fn hand(&mut self, from: &[Reg], to: &[Reg]) {
        self.nulls.extend(to.iter().map(|reg| reg.index()));
        self.handed.extend(from.iter().copied().zip(to.iter().copied()));
    }

    fn block(&mut self, block: &Block) {
        for statement in &block.statements {
            self.op(&statement.op);
        }
    }

    fn op(&mut self, op: &Op) {
        match op {
            Op::NullToken { result } => {
                self.nulls.insert(result.index());
            }
            Op::Wait { token } => self.waits.push((*token, std::ptr::from_ref(token).addr())),
            _ => {}
        }
        for (from, to) in flow::handed(op) {
            self.hand(from, to);
        }
        flow::blocks(op).into_iter().for_each(|block| self.block(block));
    }
}
