//! What can be inlined: calls are followed as they will be inlined, with the counter that each fragment will get.

use std::collections::{BTreeSet, HashMap};

use zpu_ir::{Failed, Note, Op, error, note, ops};

use super::{Program, callee, counter, stays};

/// The functions into which calls are inlined: those with such calls that no such function calls.
///
/// # Errors
///
/// All that the documentation of the pass names.
pub(super) fn check<'c>(program: &Program<'c>, max_copies: i64) -> Result<Vec<Op<'c>>, Failed> {
    let holders: Vec<Op<'c>> = program
        .order
        .iter()
        .filter(|name| program.holders.contains(*name))
        .map(|name| program.functions[name])
        .collect();
    let called: BTreeSet<&str> = holders
        .iter()
        .flat_map(|function| program.calls(*function))
        .filter_map(callee)
        .collect();
    circles(program, &holders)?;
    let mut roots = Vec::new();
    for function in holders {
        let is_called = called.contains(function.function_name());
        let is_private = function.is_private();
        if is_called && function.only_block().is_none() {
            error(
                function,
                "holds fragments and has several blocks; fragments stand in one",
                &[],
            );
            return Err(Failed);
        }
        if is_called && !is_private {
            stays(function);
        }
        if !is_called && !program.calls(function).is_empty() {
            roots.push(function);
        }
    }
    for root in &roots {
        let mut walk = Walk {
            program,
            left: max_copies,
            max_copies,
            placed: HashMap::new(),
        };
        for call in program.calls(*root) {
            walk.call(call, None, false)?;
        }
    }
    Ok(roots)
}

/// Refuses functions that call each other in a circle.
fn circles<'c>(program: &Program<'c>, holders: &[Op<'c>]) -> Result<(), Failed> {
    let mut done: BTreeSet<&str> = BTreeSet::new();
    for function in holders {
        // A path with the calls of each function that are still to be followed.
        let mut path = vec![(*function, program.calls(*function))];
        while let Some((from, open)) = path.last_mut() {
            let Some(call) = open.pop() else {
                done.insert(from.function_name());
                path.pop();
                continue;
            };
            let Some(to) = program.function_of(call) else { continue };
            if path.iter().any(|(on, _)| *on == to) {
                let begin = path.iter().position(|(on, _)| *on == to).unwrap_or(0);
                let names = path[begin..].iter().map(|(on, _)| format!("@{}", on.function_name()));
                let names: Vec<String> = names.chain([format!("@{}", to.function_name())]).collect();
                let message = format!("calls a function around it, which has no end: {}", names.join(" -> "));
                error(call, &message, &[]);
                return Err(Failed);
            }
            if !done.contains(to.function_name()) {
                path.push((to, program.calls(to)));
            }
        }
    }
    Ok(())
}

struct Walk<'p, 'c> {
    program: &'p Program<'c>,
    left: i64,
    max_copies: i64,
    /// The call by which a fragment comes into a microbatch.
    placed: HashMap<(Op<'c>, i64), Op<'c>>,
}

impl<'c> Walk<'_, 'c> {
    /// Follows a call; `outer` is the call around it that has the counter.
    fn call(&mut self, call: Op<'c>, outer: Option<Op<'c>>, in_loop: bool) -> Result<(), Failed> {
        let Some(function) = self.program.function_of(call) else {
            return Ok(());
        };
        self.left -= 1;
        if self.left < 0 {
            let limit = self.max_copies;
            return refuse(call, &format!("makes more copies than {limit}, see max-copies"), &[]);
        }
        let in_loop = in_loop || is_in_loop(call, "a call of a function with fragments")?;
        let own = counter(call);
        if let (Some(own), Some(outer)) = (own, outer) {
            let other = counter(outer).unwrap_or_default();
            let message = format!("has the zpu.call_counter {own}, and a call around it has {other}; leave one out");
            return refuse(call, &message, &[note(outer, "the call around it is here")]);
        }
        if let (Some(own), true) = (own, in_loop) {
            let message = format!(
                "has the zpu.call_counter {own} in a loop, whose iterations are microbatches; leave it out, and \
                 zpu-mpmd-unroll-loops will number them"
            );
            return refuse(call, &message, &[]);
        }
        let numbered = if own.is_some() { Some(call) } else { outer };
        for fragment in function.find_all(ops::Fragment::NAME) {
            self.fragment(fragment, call, numbered, in_loop)?;
        }
        for inner in self.program.calls(function) {
            self.call(inner, numbered, in_loop)?;
        }
        Ok(())
    }

    fn fragment(&mut self, op: Op<'c>, call: Op<'c>, numbered: Option<Op<'c>>, in_loop: bool) -> Result<(), Failed> {
        let own = ops::Fragment::of(op).and_then(ops::Fragment::call_counter);
        let in_loop = in_loop || is_in_loop(op, "a fragment")?;
        let given = numbered.and_then(counter);
        let here = [note(op, "the fragment is here")];
        match (own, given) {
            (Some(own), Some(given)) => {
                let message = format!(
                    "has the zpu.call_counter {given}, and a fragment of its function has the call_counter {own}; \
                     leave one out"
                );
                return refuse(numbered.unwrap_or(call), &message, &here);
            }
            (None, Some(given)) if in_loop => {
                let message = format!(
                    "has the zpu.call_counter {given}, and a fragment of its function is in a loop, whose iterations \
                     are microbatches; leave it out"
                );
                return refuse(numbered.unwrap_or(call), &message, &here);
            }
            (None, None) if !in_loop => {
                let message = "calls a function with fragments and has no zpu.call_counter, the number of their \
                               microbatch; write one, as in {zpu.call_counter = 0 : i64}";
                return refuse(call, message, &here);
            }
            _ => {}
        }
        let Some(microbatch) = own.or(given) else { return Ok(()) };
        let by = numbered.unwrap_or(call);
        if let Some(first) = self.placed.insert((op, microbatch), by) {
            let message = format!("brings a fragment into microbatch {microbatch} that another call has brought there");
            let notes = [note(first, "the other call is here"), note(op, "the fragment is here")];
            return refuse(by, &message, &notes);
        }
        Ok(())
    }
}

/// True if an operation is in a loop of its function. Another region around it is an error.
fn is_in_loop(op: Op<'_>, what: &str) -> Result<bool, Failed> {
    let mut in_loop = false;
    for parent in op.parents().take_while(|parent| !parent.is("func.func")) {
        match parent.name() {
            "scf.for" => in_loop = true,
            name => {
                let message = format!("is {what} in a `{name}`; it may stand in a function or an scf.for");
                return refuse(op, &message, &[note(parent, "this is around it")]).map(|()| false);
            }
        }
    }
    Ok(in_loop)
}

fn refuse<'c>(op: Op<'c>, message: &str, notes: &[Note<'c>]) -> Result<(), Failed> {
    error(op, message, notes);
    Err(Failed)
}
