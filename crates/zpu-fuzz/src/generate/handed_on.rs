//! Buffers that a loop makes anew and hands to its next iteration, so that several of them are alive at once.

use super::Generator;
use crate::program::Shape;

impl Generator {
    /// A buffer with contents that the first iteration gets: its name and its type. Only the loop reaches it.
    pub(super) fn first_handed_on(&mut self) -> (String, String) {
        self.has(Shape::HandedOn);
        let at = self.make();
        let buffer = self.buffers.remove(at);
        (buffer.name.clone(), buffer.ty())
    }

    /// Now and then makes the next iteration's buffer before all work of the body, which may use it, too.
    pub(super) fn maybe_make_early(&mut self) {
        if self.random.chance(50) {
            self.make();
        }
    }

    /// What the next iteration gets of a body: mostly a buffer that was made in this one, else the one that was
    /// received, which is mostly freed otherwise. Buffers from `inner` on are those of the body; none that is handed on
    /// can be named afterwards.
    pub(super) fn hand_on(&mut self, received: &str, ty: &str, inner: usize) -> String {
        if self.random.chance(60) {
            let view = self.argument_view(self.tile[0], false);
            self.copy(received, ty, &view.name, &view.ty);
        }
        if self.random.chance(20) {
            return self.hand_on_under_condition(received, ty);
        }
        let is_made = |name: &str, own: &str| own == ty && name != received;
        let made = (inner..self.buffers.len()).rfind(|at| {
            let buffer = &self.buffers[*at];
            is_made(&buffer.name, &buffer.ty()) && buffer.written && buffer.shape == self.tile
        });
        let at = made.unwrap_or_else(|| self.make());
        let next = self.buffers.remove(at).name;
        if self.random.chance(40) {
            self.line(format!(
                "linalg.add ins({received}, {next} : {ty}, {ty}) outs({next} : {ty})"
            ));
        }
        let is_chosen = self.random.chance(15);
        let chosen = is_chosen.then(|| {
            let condition = self.condition();
            self.define("w", format!("arith.select {condition}, {next}, {received} : {ty}"))
        });
        self.buffers.retain(|buffer| buffer.name != received);
        if chosen.is_none() && self.random.chance(60) {
            self.line(format!("memref.dealloc {received} : {ty}"));
        }
        chosen.unwrap_or(next)
    }

    /// A new buffer in some iterations, the old one in the others.
    fn hand_on_under_condition(&mut self, received: &str, ty: &str) -> String {
        let condition = self.condition();
        let result = self.name("w");
        self.line(format!("{result} = scf.if {condition} -> {ty} {{"));
        self.depth += 1;
        let at = self.make();
        let made = self.buffers.remove(at).name;
        self.line(format!("scf.yield {made} : {ty}"));
        self.depth -= 1;
        self.line("} else {");
        self.line(format!("  scf.yield {received} : {ty}"));
        self.line("}");
        self.buffers.retain(|buffer| buffer.name != received);
        result
    }

    /// A buffer with contents; its memory is in its type, which is that of all that is handed on.
    fn make(&mut self) -> usize {
        let at = self.allocate_as(self.tile.to_vec(), true);
        self.initialise(at);
        at
    }
}
