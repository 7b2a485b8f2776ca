//! Parameters of a function whose buffers nothing in it reads.
//!
//! No command depends on what wrote such a buffer, so a run need not remember it: in a kernel that leaves its result
//! in pieces, that is a record for each piece. Whatever is not known only to write counts as a reader.

use std::collections::{BTreeMap, BTreeSet};

use crate::flow;
use crate::kernel::Kernel;
use crate::program::{ActionKind, Block, Function, Op, Program, Reg};

/// By parameter: nothing in the function reads its buffer.
pub(crate) fn unread(program: &Program, function: &Function) -> Vec<bool> {
    let mut uses = Uses {
        program,
        is_read: BTreeSet::new(),
        sources: BTreeMap::new(),
    };
    uses.block(&function.body);
    let mut open: Vec<Reg> = uses.is_read.iter().copied().collect();
    while let Some(register) = open.pop() {
        let sources = uses.sources.remove(&register).unwrap_or_default();
        open.extend(sources.into_iter().filter(|source| uses.is_read.insert(*source)));
    }
    let parameters = function.parameters.iter();
    parameters
        .map(|parameter| !uses.is_read.contains(&parameter.register))
        .collect()
}

/// What becomes of the registers of a function.
struct Uses<'p> {
    program: &'p Program,
    /// Registers whose buffer a statement reads.
    is_read: BTreeSet<Reg>,
    /// By register: those whose buffer it may be another view of.
    sources: BTreeMap<Reg, Vec<Reg>>,
}

impl Uses<'_> {
    fn block(&mut self, block: &Block) {
        for statement in &block.statements {
            self.op(&statement.op);
        }
    }

    fn op(&mut self, op: &Op) {
        match op {
            Op::View { result, source, .. } => self.flow(&[*source], &[*result]),
            Op::Metadata { memref, base, .. } => self.flow(&[*memref], &[*base]),
            Op::Load { memref, .. } => self.read(*memref),
            // The other function is not looked into.
            Op::Call { arguments, .. } => arguments.iter().for_each(|register| self.read(*register)),
            Op::Command(command) => command.actions.iter().for_each(|action| self.action(&action.kind)),
            Op::Select { .. }
            | Op::For(_)
            | Op::While(_)
            | Op::Scope { .. }
            | Op::If { .. }
            | Op::Switch { .. }
            | Op::Constant { .. }
            | Op::Compute { .. }
            | Op::Alloc { .. }
            | Op::Dealloc { .. }
            | Op::Global { .. }
            | Op::CheckLayout { .. }
            | Op::Dim { .. }
            | Op::Store { .. }
            | Op::Assert { .. }
            | Op::Wait { .. }
            | Op::WaitId { .. }
            | Op::Barrier { .. }
            | Op::NullToken { .. } => {}
        }
        for (from, to) in flow::handed(op) {
            self.flow(from, to);
        }
        flow::blocks(op).into_iter().for_each(|block| self.block(block));
    }

    fn action(&mut self, action: &ActionKind) {
        match action {
            ActionKind::Copy { source, .. } | ActionKind::Softmax { source, .. } => self.read(*source),
            ActionKind::Run { kernel, operands, .. } => {
                let reads = self.program.kernels.get(kernel.index()).map(Kernel::reads);
                let is_read = |number: usize| reads.as_ref().and_then(|reads| reads.get(number)) != Some(&false);
                for (number, register) in operands.iter().enumerate() {
                    if is_read(number) {
                        self.read(*register);
                    }
                }
            }
        }
    }

    fn flow(&mut self, from: &[Reg], to: &[Reg]) {
        for (from, to) in from.iter().zip(to) {
            self.sources.entry(*to).or_default().push(*from);
        }
    }

    fn read(&mut self, register: Reg) {
        self.is_read.insert(register);
    }
}

#[cfg(test)]
mod tests {
    use zpu_device::ElementType;

    use super::*;
    use crate::program::{
        Action, Command, Completion, For, LocationId, MemRefType, Parameter, Size, Statement, ValueType, ViewOp,
    };

    fn statement(op: Op) -> Statement {
        Statement {
            location: LocationId(0),
            op,
        }
    }

    fn copy(source: u32, target: u32) -> Statement {
        let action = Action {
            location: LocationId(0),
            cycles: None,
            kind: ActionKind::Copy {
                source: Reg(source),
                target: Reg(target),
            },
        };
        statement(Op::Command(Box::new(Command {
            name: "dma".into(),
            engine: None,
            completion: Completion::Synchronous,
            actions: vec![action],
            cycles: None,
        })))
    }

    fn view(source: u32, result: u32) -> Statement {
        statement(Op::View {
            result: Reg(result),
            source: Reg(source),
            view: ViewOp::Cast { shape: vec![Some(4)] },
        })
    }

    /// What is said of so many parameters, the first registers of ten, of a function with these statements.
    fn of(parameters: u32, statements: Vec<Statement>) -> Vec<bool> {
        let ty = MemRefType {
            element: ElementType::F32,
            shape: vec![Some(4)],
            layout: None,
            space: None,
        };
        let parameters = (0..parameters).map(|register| Parameter {
            register: Reg(register),
            ty: ValueType::MemRef(ty.clone()),
        });
        let function = Function {
            name: "f".into(),
            is_private: false,
            parameters: parameters.collect(),
            results: Vec::new(),
            registers: 10,
            body: Block {
                statements,
                yields: Vec::new(),
            },
            location: LocationId(0),
            return_location: LocationId(0),
        };
        unread(&Program::default(), &function)
    }

    #[test]
    fn a_target_is_not_read() {
        assert_eq!(of(2, vec![view(0, 2), view(1, 3), copy(2, 3)]), [false, true]);
    }

    #[test]
    fn a_view_that_is_read_later_is_a_read_of_its_buffer() {
        assert_eq!(
            of(2, vec![copy(0, 1), view(1, 2), view(2, 3), copy(3, 0)]),
            [false, false]
        );
    }

    #[test]
    fn a_call_reads() {
        let call = Op::Call {
            function: crate::program::FunctionId(0),
            arguments: vec![Reg(1)],
            results: Vec::new(),
        };
        assert_eq!(of(2, vec![copy(0, 1), statement(call)]), [false, false]);
    }

    #[test]
    fn buffers_that_swap_places_in_a_loop_are_both_read() {
        // Registers 3 and 4 are the buffers of an iteration, which hands them on the other way round.
        let for_ = Op::For(Box::new(For {
            induction: Reg(7),
            ty: ElementType::Index,
            unsigned: false,
            lower: Size::Constant(0),
            upper: Size::Constant(4),
            step: Size::Constant(1),
            inits: vec![Reg(0), Reg(1)],
            arguments: vec![Reg(3), Reg(4)],
            body: Block {
                statements: vec![copy(3, 4)],
                yields: vec![Reg(4), Reg(3)],
            },
            results: vec![Reg(5), Reg(6)],
        }));
        assert_eq!(of(3, vec![statement(for_), copy(5, 8)]), [false, false, true]);
    }
}
