//! Textual pass pipelines on a module in this process, upstream's passes and ours alike.
//!
//! For tests and for tools that run a pipeline step by step. The optimizer driver ([`crate::opt_main`]) registers
//! upstream's passes by itself, so a process uses the one or the other.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Once;

use melior::pass::PassManager;
use melior::utility::parse_pass_pipeline;

use crate::context::with_messages;
use crate::{Context, Module, Op};

/// Runs a pipeline such as `builtin.module(func.func(canonicalize))`. Our own passes have to be registered before.
///
/// # Errors
///
/// What is wrong with the text, or the diagnostics of the pass that failed, one per line. The module may then be half
/// transformed.
pub fn run(context: &Context, module: &mut Module<'_>, pipeline: &str) -> Result<(), String> {
    run_with_messages(context, module, pipeline).map(|_| ())
}

/// As [`run`]; returns what the passes warned of and remarked, one diagnostic or note per line.
///
/// # Errors
///
/// As of [`run`].
pub fn run_with_messages(context: &Context, module: &mut Module<'_>, pipeline: &str) -> Result<String, String> {
    register_upstream();
    let (result, messages) = with_messages(context, || {
        let manager = parsed(context, pipeline)?;
        manager.run(module).map_err(|error| error.to_string())
    });
    match result {
        Ok(()) => Ok(messages),
        Err(error) if messages.is_empty() => Err(error),
        Err(_) => Err(messages),
    }
}

/// Pipelines of one context, each parsed when it is first run and kept with what its passes prepared.
///
/// Gathering the patterns of canonicalisation takes longer than applying them to a small module: who runs many of those keeps
/// this, and verifies the modules himself.
pub struct Prepared<'c> {
    context: &'c Context,
    managers: BTreeMap<String, PassManager<'c>>,
}

impl<'c> Prepared<'c> {
    /// None yet.
    pub fn new(context: &'c Context) -> Self {
        register_upstream();
        Self {
            context,
            managers: BTreeMap::new(),
        }
    }

    /// The context.
    pub fn context(&self) -> &'c Context {
        self.context
    }

    /// As [`run_with_messages`], but nothing is verified between passes and after them.
    ///
    /// # Errors
    ///
    /// As of [`run`].
    pub fn run(&mut self, module: &mut Module<'_>, pipeline: &str) -> Result<String, String> {
        run_kept(self.context, &mut self.managers, module, pipeline)
    }
}

/// As [`Prepared`], for a pass that runs others on copies of what it was given. The passes of its pipelines have to be
/// registered, as those of the pipeline that it stands in are.
pub struct Nested<'c> {
    context: melior::ContextRef<'c>,
    managers: BTreeMap<String, PassManager<'c>>,
}

impl<'c> Nested<'c> {
    /// None yet, for the context of an operation.
    pub fn within(op: Op<'c>) -> Self {
        Self {
            // SAFETY: the operation lives in the context for 'c, so the context lives as long.
            context: unsafe { melior::ContextRef::from_raw(op.context().to_raw()) },
            managers: BTreeMap::new(),
        }
    }

    /// As [`Prepared::run`].
    ///
    /// # Errors
    ///
    /// As of [`run`].
    pub fn run(&mut self, module: &mut Module<'_>, pipeline: &str) -> Result<String, String> {
        // SAFETY: the context lives for 'c; the reference is to the field, which lives during the call and is not
        // changed in it.
        let context: &'c Context = unsafe { self.context.to_ref() };
        run_kept(context, &mut self.managers, module, pipeline)
    }
}

impl fmt::Debug for Nested<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.managers.keys()).finish()
    }
}

/// Runs a pipeline whose manager is kept, without verifying anything; what was diagnosed.
fn run_kept<'c>(
    context: &'c Context,
    managers: &mut BTreeMap<String, PassManager<'c>>,
    module: &mut Module<'_>,
    pipeline: &str,
) -> Result<String, String> {
    let (result, messages) = with_messages(context, || {
        if !managers.contains_key(pipeline) {
            let manager = parsed(context, pipeline)?;
            manager.enable_verifier(false);
            managers.insert(pipeline.to_owned(), manager);
        }
        managers[pipeline].run(module).map_err(|error| error.to_string())
    });
    match result {
        Ok(()) => Ok(messages),
        Err(error) if messages.is_empty() => Err(error),
        Err(_) => Err(messages),
    }
}

impl fmt::Debug for Prepared<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.managers.keys()).finish()
    }
}

/// The steps that a pipeline on `builtin.module` consists of, in order: each a pipeline of one pass that [`run`] takes, with
/// named pipelines expanded and all options spelled out.
///
/// # Errors
///
/// What is wrong with the text.
pub fn steps(context: &Context, pipeline: &str) -> Result<Vec<String>, String> {
    register_upstream();
    let (result, messages) = with_messages(context, || {
        parsed(context, pipeline).map(|manager| manager.as_operation_pass_manager().to_string())
    });
    let text = result.map_err(|error| if messages.is_empty() { error } else { messages })?;
    Ok(split(&text))
}

fn register_upstream() {
    static ONCE: Once = Once::new();
    // SAFETY: called once for the process.
    ONCE.call_once(|| unsafe { zpu_sys::zpuRegisterAllUpstreamPasses() });
}

fn parsed<'c>(context: &'c Context, pipeline: &str) -> Result<PassManager<'c>, String> {
    let manager = PassManager::new(context);
    parse_pass_pipeline(manager.as_operation_pass_manager(), pipeline).map_err(|error| error.to_string())?;
    Ok(manager)
}

/// `a(b,c(d,e{x}))` to `a(b)`, `a(c(d))`, `a(c(e{x}))`.
fn split(pipeline: &str) -> Vec<String> {
    let pipeline = pipeline.trim();
    let nested = pipeline
        .find(['(', '{'])
        .filter(|&at| pipeline[at..].starts_with('(') && pipeline.ends_with(')'));
    let Some(open) = nested else {
        return vec![pipeline.to_owned()];
    };
    let (anchor, list) = (&pipeline[..open], &pipeline[open + 1..pipeline.len() - 1]);
    let (mut depth, mut begin, mut members) = (0i32, 0, Vec::new());
    for (at, letter) in list.char_indices() {
        match letter {
            '(' | '{' => depth += 1,
            ')' | '}' => depth -= 1,
            ',' if depth == 0 => {
                members.push(&list[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    members.push(&list[begin..]);
    members
        .into_iter()
        .flat_map(split)
        .filter(|member| !member.is_empty())
        .map(|member| format!("{anchor}({member})"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn a_pipeline_is_split_at_its_passes_only() {
        assert_eq!(
            split("m(a{x=1 y={p,q}},f(b,g(c{z=(})},d)))")[..2],
            ["m(a{x=1 y={p,q}})", "m(f(b))"]
        );
        assert_eq!(
            split("m(f(b,g(c,d)),e)"),
            ["m(f(b))", "m(f(g(c)))", "m(f(g(d)))", "m(e)"]
        );
        assert_eq!(split("m()"), Vec::<String>::new());
    }
}
