//! Loops that are no `scf.for`: nothing pipelines them, and everything has to keep them.

use super::scope::Induction;
use super::{Generator, ROWS};
use crate::program::Shape;

impl Generator {
    /// An `scf.while` that counts, or an `scf.parallel` whose iterations write elements of their own.
    pub(super) fn other_loop(&mut self) {
        self.has(Shape::OtherLoop);
        let trips = self.random.range(0, 3);
        if self.random.chance(40) {
            self.parallel_loop(trips);
        } else {
            self.while_loop(trips);
        }
    }

    fn parallel_loop(&mut self, trips: i64) {
        let [low, high, step] = [0, trips, 1].map(|value| self.index_constant(value));
        let value = self.constant();
        let column = self.random.range(0, self.columns - 1);
        let column = self.index_constant(column);
        let argument = self.arguments.len() - 1;
        let (name, dynamic) = (self.arguments[argument].name.clone(), self.arguments[argument].dynamic);
        let ty = self.argument_type(dynamic);
        let index = self.name("p");
        self.line(format!("scf.parallel ({index}) = ({low}) to ({high}) step ({step}) {{"));
        self.line(format!("  memref.store {value}, {name}[{index}, {column}] : {ty}"));
        self.line("  scf.reduce");
        self.line("}");
    }

    fn while_loop(&mut self, trips: i64) {
        let [low, high, step] = [0, trips, 1].map(|value| self.index_constant(value));
        let (before, condition, index) = (self.name("m"), self.name("q"), self.name("m"));
        let result = self.name("m");
        self.line(format!("{result} = scf.while ({before} = {low}) : (index) -> index {{"));
        self.line(format!("  {condition} = arith.cmpi slt, {before}, {high} : index"));
        self.line(format!("  scf.condition({condition}) {before} : index"));
        self.line("} do {");
        self.line(format!("^bb0({index}: index):"));
        let saved = self.buffers.clone();
        let visible = self.inductions.len();
        self.inductions.push(Induction {
            name: index.clone(),
            values: (0..trips.min(ROWS)).collect(),
        });
        self.depth += 1;
        for _ in 0..self.random.range(1, 2) {
            self.load();
            self.store();
        }
        let next = self.define("y", format!("arith.addi {index}, {step} : index"));
        self.line(format!("scf.yield {next} : index"));
        self.depth -= 1;
        self.inductions.truncate(visible);
        // Without an iteration nothing of this was written.
        self.buffers = saved;
        self.line("}");
    }
}
