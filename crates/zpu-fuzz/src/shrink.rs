//! Makes a failing program small: fewer operations, smaller numbers, simpler options, as long as it fails alike.
//!
//! Works on any module, not only on generated ones: each step parses the text, edits the module, and prints it. What
//! makes the program senseless is no candidate, since a senseless program fails before any pass.

use std::time::{Duration, Instant};

use zpu_driver::Session;
use zpu_ir::ops::Device;
use zpu_ir::scf::For;
use zpu_ir::{Builder, Op, Value, edit};

use crate::program::Program;
use crate::run::{Failure, Kind};
use crate::setting::{SCHEDULERS, Setting};

/// Judges a candidate: its failure, if it has one.
pub type Judge<'a> = &'a mut dyn FnMut(&Session, &Program, &Setting) -> Option<Failure>;

/// The smallest program that was found to fail like `failure` within the time.
pub fn shrink(
    program: &Program,
    setting: &Setting,
    failure: &Failure,
    time: Duration,
    judge: Judge<'_>,
) -> (Program, Setting) {
    let mut search = Search {
        best: (program.clone(), setting.clone()),
        wanted: (failure.kind, failure.pass.clone()),
        end: Instant::now() + time,
        session: Session::new(),
        tries: 0,
        judge,
    };
    loop {
        let progress = [
            search.simpler_setting(),
            search.smaller_scalars(),
            search.fewer_operations(),
            search.each_edit(Edit::Inline),
            search.each_edit(Edit::Bypass),
            search.smaller_constants(),
        ];
        if !progress.contains(&true) || search.is_over() {
            return search.best;
        }
    }
}

/// A change at an operation, by its position in the module.
#[derive(Clone, Copy, Debug)]
enum Edit {
    /// Erases all from the first up to the second position that can be erased.
    Erase(usize, usize),
    /// Puts the body of a loop, for its first iteration, or the first branch of an `scf.if` in its place.
    Inline(usize),
    /// Lets users of a result take an operand of the same type.
    Bypass(usize),
    /// Another value for an integer constant.
    Constant(usize, i64),
}

struct Search<'a> {
    best: (Program, Setting),
    wanted: (Kind, String),
    end: Instant,
    session: Session,
    tries: usize,
    judge: Judge<'a>,
}

impl Search<'_> {
    fn is_over(&self) -> bool {
        Instant::now() >= self.end
    }

    /// Takes a candidate if it fails as wanted.
    fn take(&mut self, program: Program, setting: Setting) -> bool {
        if self.is_over() {
            return false;
        }
        self.tries += 1;
        if self.tries.is_multiple_of(200) {
            self.session = Session::new();
        }
        let failure = (self.judge)(&self.session, &program, &setting);
        let same = failure.is_some_and(|failure| failure.kind == self.wanted.0 && failure.pass == self.wanted.1);
        if same {
            self.best = (program, setting);
        }
        same
    }

    fn take_text(&mut self, text: Option<String>) -> bool {
        let Some(text) = text.filter(|text| *text != self.best.0.text) else {
            return false;
        };
        let program = Program {
            text,
            ..self.best.0.clone()
        };
        let setting = self.best.1.clone();
        self.take(program, setting)
    }

    fn simpler_setting(&mut self) -> bool {
        let mut any = false;
        for i in (0..self.best.1.sets.len()).rev() {
            let mut setting = self.best.1.clone();
            setting.sets.remove(i);
            any |= self.take(self.best.0.clone(), setting);
        }
        for i in (0..self.best.1.others.len()).rev() {
            let mut setting = self.best.1.clone();
            setting.others.remove(i);
            any |= self.take(self.best.0.clone(), setting);
        }
        for change in [Setting::on_toy, Setting::with_fewer_stages] {
            while let Some(setting) = change(&self.best.1) {
                if !self.take(self.best.0.clone(), setting) {
                    break;
                }
                any = true;
            }
        }
        for scheduler in SCHEDULERS.iter().rev() {
            if *scheduler == self.best.1.scheduler {
                break;
            }
            let mut setting = self.best.1.clone();
            setting.scheduler = (*scheduler).to_owned();
            if self.take(self.best.0.clone(), setting) {
                any = true;
                break;
            }
        }
        any
    }

    fn smaller_scalars(&mut self) -> bool {
        let mut any = false;
        for (position, value) in self.best.0.scalars.clone() {
            for smaller in smaller(value) {
                let mut program = self.best.0.clone();
                program.scalars.insert(position, smaller);
                let setting = self.best.1.clone();
                if self.take(program, setting) {
                    any = true;
                    break;
                }
            }
        }
        any
    }

    /// Number of operations of the best program.
    fn count(&self) -> usize {
        self.session
            .parse(&self.best.0.text, "program")
            .map_or(0, |module| Op::of_module(&module).walk().len())
    }

    fn fewer_operations(&mut self) -> bool {
        let mut any = false;
        let mut size = self.count() / 2;
        while size > 0 && !self.is_over() {
            let mut end = self.count();
            while end > 0 {
                let begin = end.saturating_sub(size);
                let text = edited(&self.session, &self.best.0.text, Edit::Erase(begin, end));
                any |= self.take_text(text);
                end = begin.min(self.count());
            }
            size /= 2;
        }
        any
    }

    fn each_edit(&mut self, make: fn(usize) -> Edit) -> bool {
        let mut any = false;
        let mut at = self.count();
        while at > 0 && !self.is_over() {
            at -= 1;
            let text = edited(&self.session, &self.best.0.text, make(at));
            any |= self.take_text(text);
            at = at.min(self.count());
        }
        any
    }

    fn smaller_constants(&mut self) -> bool {
        let constants = |search: &Self| -> Vec<(usize, i64)> {
            let module = search.session.parse(&search.best.0.text, "program");
            let ops = |op: Op<'_>| -> Vec<(usize, i64)> {
                let constants = op.walk().into_iter().enumerate();
                constants
                    .filter(|(_, op)| op.is("arith.constant"))
                    .filter_map(|(i, op)| Some((i, op.result(0).as_constant_int()?)))
                    .collect()
            };
            module.map_or(Vec::new(), |module| ops(Op::of_module(&module)))
        };
        let mut any = false;
        let count = constants(self).len();
        for index in 0..count {
            let Some((at, value)) = constants(self).get(index).copied() else {
                break;
            };
            for smaller in smaller(value) {
                let text = edited(&self.session, &self.best.0.text, Edit::Constant(at, smaller));
                if self.take_text(text) {
                    any = true;
                    break;
                }
            }
        }
        any
    }
}

/// Numbers nearer to 0, simplest first.
fn smaller(value: i64) -> Vec<i64> {
    let mut list: Vec<i64> = [0, 1, 2, 3, value / 2, value - value.signum()]
        .into_iter()
        .filter(|other| other.abs() < value.abs())
        .collect();
    list.dedup();
    list
}

/// The text with one change, if it applies and leaves a valid module.
fn edited(session: &Session, text: &str, change: Edit) -> Option<String> {
    let module = session.parse(text, "program").ok()?;
    let root = Op::of_module(&module);
    let ops = root.walk();
    match change {
        Edit::Erase(begin, end) => {
            for op in ops.get(begin..end)?.iter().rev() {
                if is_erasable(*op) {
                    edit::erase(*op);
                }
            }
        }
        Edit::Inline(at) => inline(*ops.get(at)?)?,
        Edit::Bypass(at) => bypass(*ops.get(at)?)?,
        Edit::Constant(at, value) => {
            let op = *ops.get(at)?;
            let new = Builder::before(op).constant(op.result(0).ty(), value);
            edit::replace_all_uses(op.result(0), new);
            edit::erase(op);
        }
    }
    erase_unused(root);
    let root = Op::of_module(&module);
    root.verify().then(|| root.to_string())
}

fn is_terminator(op: Op<'_>) -> bool {
    op.block().is_some_and(|block| block.terminator() == Some(op))
}

fn is_erasable(op: Op<'_>) -> bool {
    let is_device = |op: Op<'_>| op.is(Device::NAME);
    !matches!(op.name(), "builtin.module" | "func.func")
        && !is_device(op)
        && !op.parents().any(is_device)
        && !is_terminator(op)
        && op.results().into_iter().all(Value::is_unused)
}

/// Erases operations that compute unused values.
fn erase_unused(root: Op<'_>) {
    loop {
        let unused = |op: &Op<'_>| {
            let idle = op.is_memory_effect_free() || op.is("memref.alloc");
            is_erasable(*op) && idle && op.num_results() > 0
        };
        // One walk erases from the back, so that users go before their operands; nothing inside another structured
        // operation is visited twice, since an operation with a body is only erased when its turn comes after its
        // body's.
        let mut any = false;
        for op in root.walk().into_iter().rev() {
            if unused(&op) && !op.parents().any(|parent| parent.name().starts_with("linalg.")) {
                edit::erase(op);
                any = true;
            }
        }
        if !any {
            return;
        }
    }
}

fn inline(op: Op<'_>) -> Option<()> {
    let block = op.regions().first()?.first_block()?;
    let terminator = block.terminator()?;
    let yields = terminator.operands();
    if let Some(for_) = For::of(op) {
        edit::replace_all_uses(for_.iv(), for_.lower());
        for (arg, init) in for_.iter_args().into_iter().zip(for_.inits()) {
            edit::replace_all_uses(arg, init);
        }
    } else if !op.is("scf.if") {
        return None;
    }
    // After the arguments were replaced, a yielded value may be a replaced one.
    let yields = if yields == terminator.operands() {
        yields
    } else {
        terminator.operands()
    };
    for inner in block.ops().collect::<Vec<_>>() {
        if inner != terminator {
            edit::move_before(inner, op);
        }
    }
    for (result, value) in op.results().into_iter().zip(yields) {
        edit::replace_all_uses(result, value);
    }
    edit::erase(op);
    Some(())
}

fn bypass(op: Op<'_>) -> Option<()> {
    if op.num_results() != 1 || op.result(0).is_unused() || is_terminator(op) || !op.regions().is_empty() {
        return None;
    }
    let result = op.result(0);
    let operand = op.operands().into_iter().find(|operand| operand.ty() == result.ty())?;
    edit::replace_all_uses(result, operand);
    edit::erase(op);
    Some(())
}
