//! Textual pass pipelines on a module in this process, upstream's passes and ours alike.
//!
//! For tests and for tools that run a pipeline step by step. The optimizer driver ([`crate::opt_main`]) registers
//! upstream's passes by itself, so a process uses the one or the other.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;
use std::sync::Once;

use melior::pass::PassManager;
use melior::utility::parse_pass_pipeline;

use crate::context::with_messages;
use crate::{Context, Module, Op};

/// The reason why a pipeline did not run, or did not run to its end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The error in the text.
    #[error("{0}")]
    Text(String),
    /// The diagnostics of the pass that failed, one or one of its notes a line. The module may be half transformed.
    #[error("{0}")]
    Pass(String),
    /// The module was made in another context.
    #[error("the module was made in another context")]
    OtherContext,
}

impl Error {
    /// The error with the diagnostics emitted meanwhile, which say more.
    fn with(self, messages: String) -> Self {
        match self {
            _ if messages.is_empty() => self,
            Self::Text(_) => Self::Text(messages),
            Self::Pass(_) => Self::Pass(messages),
            Self::OtherContext => self,
        }
    }
}

/// The pipeline that stands for `--zpu-pipeline` with these options.
///
/// # Errors
///
/// A text that would close the braces around the options, or leave one open.
pub fn of_options(options: &str) -> Result<String, String> {
    let mut open = 0u32;
    for letter in options.chars() {
        match letter {
            '{' => open += 1,
            '}' if open == 0 => return Err(format!("`{options}` has a '}}' that closes nothing")),
            '}' => open -= 1,
            _ => {}
        }
    }
    if open > 0 {
        return Err(format!("`{options}` has a '{{' that is not closed"));
    }
    Ok(format!("builtin.module(zpu-pipeline{{{options}}})"))
}

/// Runs a pipeline such as `builtin.module(func.func(canonicalize))`. Our own passes have to be registered before.
///
/// # Errors
///
/// The error in the text, or the diagnostics of the pass that failed, one per line. The module may then be half
/// transformed.
pub fn run(context: &Context, module: &mut Module<'_>, pipeline: &str) -> Result<(), String> {
    register_upstream();
    let done = carry_out(context, module, || parsed(context, pipeline).map(Rc::new));
    done.map(drop).map_err(|error| error.to_string())
}

/// A context and pipelines of it, each parsed when it is first run and kept with what its passes prepared.
///
/// Gathering the patterns of canonicalisation takes longer than applying them to a small module: a caller that runs
/// many of those keeps this.
pub struct Prepared {
    /// Pass managers by text, and by whether modules are verified after each pass. They hold the context's handle, so
    /// they are dropped first: a struct's fields are dropped in their order.
    managers: RefCell<BTreeMap<(String, bool), Rc<PassManager<'static>>>>,
    context: Context,
}

impl Prepared {
    /// None yet. Our own passes have to be registered before they are named.
    pub fn new(context: Context) -> Self {
        Self {
            managers: RefCell::default(),
            context,
        }
    }

    /// The context.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// Runs a pipeline; returns the warnings and remarks of the passes, one diagnostic or note a line. The module is
    /// verified after each pass.
    ///
    /// # Errors
    ///
    /// The error in the text, or the diagnostics of the pass that failed.
    pub fn run(&self, module: &mut Module<'_>, pipeline: &str) -> Result<String, Error> {
        self.run_kept(module, pipeline, true)
    }

    /// Runs a pipeline like [`Self::run`], but verifies nothing between passes and after them.
    ///
    /// # Errors
    ///
    /// The errors of [`Self::run`].
    pub fn run_unverified(&self, module: &mut Module<'_>, pipeline: &str) -> Result<String, Error> {
        self.run_kept(module, pipeline, false)
    }

    fn run_kept(&self, module: &mut Module<'_>, pipeline: &str, verifies: bool) -> Result<String, Error> {
        if module.context() != self.context {
            return Err(Error::OtherContext);
        }
        register_upstream();
        carry_out(&self.context, module, || {
            let key = (pipeline.to_owned(), verifies);
            if let Some(manager) = self.managers.borrow().get(&key) {
                return Ok(Rc::clone(manager));
            }
            let manager = Rc::new(parsed(&self.context, pipeline)?);
            manager.enable_verifier(verifies);
            self.managers.borrow_mut().insert(key, Rc::clone(&manager));
            Ok(manager)
        })
    }
}

impl fmt::Debug for Prepared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.managers.borrow().keys()).finish()
    }
}

/// A [`Prepared`] for a pass that runs others on copies of its operation. The passes of its pipelines have to be
/// registered, as those of the pipeline that it stands in are.
pub struct Nested<'c> {
    context: melior::ContextRef<'c>,
    managers: BTreeMap<String, Rc<PassManager<'c>>>,
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

    /// Reads a pipeline, without running it.
    ///
    /// # Errors
    ///
    /// The reason why it is none.
    pub fn check(&self, pipeline: &str) -> Result<(), String> {
        // SAFETY: the context lives for 'c; the reference is to the field, which lives during the call and is not
        // changed in it.
        let context: &'c Context = unsafe { self.context.to_ref() };
        let (read, messages) = with_messages(context, || parsed(context, pipeline).map(drop));
        read.map_err(|reason| [reason, messages].join("\n").trim().to_owned())
    }

    /// Runs a pipeline like [`Prepared::run_unverified`].
    ///
    /// # Errors
    ///
    /// The errors of [`run`].
    pub fn run(&mut self, module: &mut Module<'_>, pipeline: &str) -> Result<String, String> {
        // SAFETY: the context lives for 'c; the reference is to the field, which lives during the call and is not
        // changed in it.
        let context: &'c Context = unsafe { self.context.to_ref() };
        let managers = &mut self.managers;
        let done = carry_out(context, module, || {
            if let Some(manager) = managers.get(pipeline) {
                return Ok(Rc::clone(manager));
            }
            let manager = Rc::new(parsed(context, pipeline)?);
            manager.enable_verifier(false);
            managers.insert(pipeline.to_owned(), Rc::clone(&manager));
            Ok(manager)
        });
        done.map_err(|error| error.to_string())
    }
}

impl fmt::Debug for Nested<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.managers.keys()).finish()
    }
}

/// Finds a manager and runs it on a module; what was diagnosed.
fn carry_out<'c>(
    context: &Context,
    module: &mut Module<'_>,
    manager: impl FnOnce() -> Result<Rc<PassManager<'c>>, String>,
) -> Result<String, Error> {
    let (result, messages) = with_messages(context, || {
        let manager = manager().map_err(Error::Text)?;
        manager.run(module).map_err(|error| Error::Pass(error.to_string()))
    });
    match result {
        Ok(()) => Ok(messages),
        Err(error) => Err(error.with(messages)),
    }
}

/// The steps that a pipeline on `builtin.module` consists of, in order: each a pipeline of one pass that [`run`] takes,
/// with named pipelines expanded and all options spelled out.
///
/// # Errors
///
/// The error in the text.
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

/// The manager of a pipeline, which must not outlive the context.
fn parsed<'c>(context: &Context, pipeline: &str) -> Result<PassManager<'c>, String> {
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
    use super::{of_options, split};

    #[test]
    fn options_stay_in_their_braces() {
        let fine = of_options("set={a=1} num-stages=2");
        assert_eq!(
            fine.as_deref(),
            Ok("builtin.module(zpu-pipeline{set={a=1} num-stages=2})")
        );
        let closes = of_options("num-stages=2},canonicalize{");
        assert_eq!(
            closes.unwrap_err(),
            "`num-stages=2},canonicalize{` has a '}' that closes nothing"
        );
        assert_eq!(
            of_options("set={a").unwrap_err(),
            "`set={a` has a '{' that is not closed"
        );
    }

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
