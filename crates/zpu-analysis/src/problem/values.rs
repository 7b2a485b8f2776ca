//! Values of a problem: their definitions, linear forms and bounds.

use zpu_device::ElementType;
use zpu_ir::ty::{self, MemRef, element_bytes};
use zpu_ir::{Def, Op, Value, attr};
use zpu_sync::index::Facts;
use zpu_sync::problem::{self, Bounds, Memref, OpId, Type, ValueId};

use super::{Builder, is_number, number};
use crate::linear::{Index, Linear, Symbol, index_of};
use crate::names::Mlir;
use crate::range;

impl<'c> Builder<'c, '_> {
    /// The number of a value. Its definition is added at the end ([`Self::describe_values`]), since it may refer to
    /// operations that come later.
    pub(super) fn value(&mut self, value: Value<'c>) -> ValueId {
        if let Some(id) = self.value_ids.get(&value) {
            return *id;
        }
        let global = value.defining_op().filter(|op| op.is("memref.get_global"));
        let name = global.and_then(|op| op.attr("name"));
        if let Some(id) = name.and_then(|name| self.globals.get(&name).copied()) {
            self.value_ids.insert(value, id);
            return id;
        }
        let id = ValueId(number(self.values.len()));
        self.values.push(problem::Value {
            def: problem::Def::Result(OpId::FUNCTION, 0),
            ty: Type::Other(String::new()),
            index: None,
            bounds: Bounds::default(),
            window: None,
        });
        self.value_ids.insert(value, id);
        name.map(|name| self.globals.insert(name, id));
        self.open.push(value);
        id
    }

    pub(super) fn all(&mut self, values: Vec<Value<'c>>) -> Vec<ValueId> {
        values.into_iter().map(|value| self.value(value)).collect()
    }

    /// Numbers all symbols of an index.
    pub(super) fn symbols(&mut self, index: &Index<'c>) {
        match index {
            Index::Linear(linear) => self.symbols_of(linear),
            Index::Modulo(modulo) => {
                self.symbols_of(&modulo.rest);
                self.symbols_of(&modulo.dividend);
            }
        }
    }

    pub(super) fn symbols_of(&mut self, linear: &Linear<'c>) {
        for (symbol, _) in linear.terms() {
            match symbol {
                Symbol::Value(value, _) => {
                    self.value(*value);
                }
                Symbol::Iteration(op) | Symbol::Travel(op) => {
                    let known = self.op_ids.contains_key(op);
                    let id = self.op(*op);
                    if !known {
                        self.bounds_of_loop(*op, id);
                    }
                }
            }
        }
    }

    pub(super) fn bounds_of_loop(&mut self, op: Op<'c>, id: OpId) {
        let iterations = range::of_symbol(Symbol::Iteration(op)).into();
        let travel = range::of_symbol(Symbol::Travel(op)).into();
        let operation = self.operation(id);
        (operation.iterations, operation.travel) = (iterations, travel);
    }

    /// Adds the definitions of all values, and of those that they are made of.
    pub(super) fn describe_values(&mut self) {
        while let Some(value) = self.open.pop() {
            let id = self.value_ids[&value];
            self.values[id.at()].ty = self.type_of(value);
            self.values[id.at()].window = Mlir::window(value);
            let def = self.def(value);
            self.values[id.at()].def = def;
            if !is_number(value) || ty::scalar(value.ty()) == Some(ElementType::Int(1)) {
                continue;
            }
            let index = index_of(value);
            let itself = Symbol::Value(value, 0);
            if index != Index::Linear(Linear::symbol(itself)) {
                self.symbols(&index);
                let renamed = index.renamed(&(&|value| self.value_ids[&value], &|op| self.op_ids[&op]));
                self.values[id.at()].index = Some(renamed);
            }
            self.values[id.at()].bounds = range::of_symbol(itself).into();
        }
    }

    fn def(&mut self, value: Value<'c>) -> problem::Def {
        match value.def() {
            Def::Argument(block, position) => match self.block_ids.get(&block) {
                Some(id) => problem::Def::Argument(*id, position),
                // An argument of a block that is left out counts as a result of the operation around the block.
                None => {
                    let op = block.parent_op().map_or(OpId::FUNCTION, |op| self.op(op));
                    problem::Def::Result(op, position)
                }
            },
            Def::Result(op, position) => {
                if let Some(root) = self.affine(op) {
                    return problem::Def::Result(root, 0);
                }
                let is_known = self.op_ids.contains_key(&op);
                let id = self.op(op);
                if !is_known {
                    self.arithmetic(op, id);
                    let results = self.all(op.results());
                    self.operation(id).results = results;
                }
                problem::Def::Result(id, position)
            }
        }
    }

    /// Sets the arithmetic of an operation without effects.
    pub(super) fn arithmetic(&mut self, op: Op<'c>, id: OpId) {
        let name = op.name();
        if name == "arith.constant" {
            self.operation(id).constant = op.attr("value").and_then(attr::as_int);
        }
        let is_arithmetic = name.starts_with("arith.");
        let is_view = op.results().first().is_some_and(|result| ty::is_memref(result.ty()));
        if is_arithmetic || is_view || matches!(name, "memref.dim" | "memref.load") {
            let operands = self.all(op.operands());
            self.operation(id).operands = operands;
        }
        if is_arithmetic {
            let predicate = op.attr("predicate").and_then(attr::as_int);
            let attributes: Vec<String> = op
                .attrs()
                .iter()
                .map(|(name, value)| format!("{name} = {value}"))
                .collect();
            let operation = self.operation(id);
            operation.predicate = predicate.and_then(|number| u8::try_from(number).ok());
            operation.attributes = attributes.join(", ");
        }
    }

    fn type_of(&self, value: Value<'c>) -> Type {
        let ty = value.ty();
        if let Some(engine) = ty::token_engine(ty) {
            return Type::Token(self.engines.get(engine).copied());
        }
        if let Some(memref) = MemRef::of(ty) {
            return Type::Memref(Memref {
                element_bytes: element_bytes(memref.element),
                space: memref.space_attr.map(|space| space.to_string()),
                shape: memref.shape,
                strides: memref.strides,
            });
        }
        match ty::scalar(ty) {
            Some(ElementType::Index) => Type::Index,
            Some(ElementType::Int(bits)) => Type::Integer(bits),
            _ => Type::Other(ty.to_string()),
        }
    }
}
