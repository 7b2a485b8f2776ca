//! The transform script of a kernel, with the values of one configuration.
//!
//! The parameters are upstream's: `transform.tune.knob` is a number or a text, `transform.tune.alternatives` a choice
//! between parts of the script. So the script stays one that the stock `mlir-opt` runs.

use zpu_driver::{Error, Session};
use zpu_ir::{Attribute, Module, Op, attr, edit};

use crate::space::{ALL, Axis, Part, Setting, Space, SpaceError};

const KNOB: &str = "transform.tune.knob";
const ALTERNATIVES: &str = "transform.tune.alternatives";
const WITH_SEQUENCES: &str = "transform.with_named_sequence";

/// A text with the name of its file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// The name, for diagnostics.
    pub name: String,
    /// The text.
    pub text: String,
}

/// A reason why a space does not fit its script.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ScriptError {
    /// A parameter that the script does not have.
    #[error("the script has no parameter `{name}`; it has {known}")]
    Unknown {
        /// The parameter.
        name: String,
        /// The parameters that there are.
        known: String,
    },
    /// A value that a parameter does not take.
    #[error("`{name}` does not take {value}; it takes {known}")]
    Value {
        /// The parameter.
        name: String,
        /// The value.
        value: String,
        /// The values that it takes.
        known: String,
    },
    /// A parameter without a value.
    #[error("the parameter `{0}` of the script has no value of its own; give it values in the space")]
    NoValue(String),
    /// Parameters, but no script.
    #[error("the space names parameters of a script, and there is none; give it with `script = \"FILE\"`")]
    NoScript,
    /// With all values of the script, the space is too large.
    #[error(transparent)]
    Space(#[from] SpaceError),
    /// The script is no module, or does not apply.
    #[error(transparent)]
    Driver(#[from] Error),
}

/// A parameter of a script.
struct Parameter<'c> {
    op: Op<'c>,
    name: &'c str,
}

impl<'c> Parameter<'c> {
    fn all(root: Op<'c>) -> Vec<Self> {
        let ops = root.walk().into_iter().filter(|op| op.is(KNOB) || op.is(ALTERNATIVES));
        let named = ops.filter_map(|op| {
            let name = attr::as_str(op.attr("name")?)?;
            Some(Self { op, name })
        });
        named.collect()
    }

    fn is_alternatives(&self) -> bool {
        self.op.is(ALTERNATIVES)
    }

    /// The attribute that holds the choice.
    fn key(&self) -> &'static str {
        if self.is_alternatives() {
            "selected_region_attr"
        } else {
            "selected"
        }
    }

    fn has_value(&self) -> bool {
        self.op.has_attr(self.key()) || self.is_alternatives() && self.op.num_operands() > 0
    }

    /// The values that the script lists; `None` if it takes any.
    fn options(&self) -> Option<Vec<Attribute<'c>>> {
        let context = self.op.context();
        if self.is_alternatives() {
            let count = self.op.regions().len() as i64;
            return Some((0..count).map(|at| attr::int(context, at)).collect());
        }
        attr::as_array(self.op.attr("options")?)
    }

    fn known(&self) -> String {
        let options = self.options().unwrap_or_default();
        let each: Vec<String> = options.into_iter().map(text_of).collect();
        each.join(", ")
    }

    /// The attribute of a setting; `None` if the parameter does not take it.
    fn attribute(&self, setting: &Setting) -> Option<Attribute<'c>> {
        match self.options() {
            Some(options) => options.into_iter().find(|option| is(*option, setting)),
            None => {
                let context = self.op.context();
                Some(match setting {
                    Setting::Bool(value) => attr::int(context, i64::from(*value)),
                    Setting::Int(value) => attr::int(context, *value),
                    Setting::Text(value) => attr::string(context, value),
                })
            }
        }
    }
}

fn is(option: Attribute<'_>, setting: &Setting) -> bool {
    match setting {
        Setting::Int(number) => attr::as_int(option) == Some(*number),
        Setting::Bool(truth) => option.to_string() == truth.to_string(),
        Setting::Text(text) => attr::as_str(option) == Some(text),
    }
}

fn text_of(option: Attribute<'_>) -> String {
    let text = option.to_string();
    match (attr::as_int(option), attr::as_str(option)) {
        _ if text == "true" || text == "false" => text,
        (Some(number), _) => number.to_string(),
        (None, Some(text)) => format!("\"{text}\""),
        (None, None) => text,
    }
}

/// Compares a space with its script, and puts all listed values in place of an axis with the one value `all`.
///
/// # Errors
///
/// [`ScriptError`].
pub(crate) fn fit(
    session: &Session,
    kernel: &Source,
    script: Option<&Source>,
    space: Space,
) -> Result<Space, ScriptError> {
    let module = merged(session, kernel, script)?;
    let parameters = Parameter::all(Op::of_module(&module));
    let mut space = space;
    for axis in space.axes.iter_mut().filter(|axis| axis.part == Part::Knob) {
        if parameters.is_empty() {
            return Err(ScriptError::NoScript);
        }
        check(axis, &parameters)?;
    }
    let is_named = |name: &str| {
        space
            .axes
            .iter()
            .any(|axis| axis.part == Part::Knob && axis.name == name)
    };
    match parameters.iter().find(|each| !each.has_value() && !is_named(each.name)) {
        Some(open) => Err(ScriptError::NoValue(open.name.to_owned())),
        None => Ok(space.check()?),
    }
}

fn check(axis: &mut Axis, parameters: &[Parameter<'_>]) -> Result<(), ScriptError> {
    let mut own = parameters.iter().filter(|each| each.name == axis.name).peekable();
    let Some(first) = own.peek() else {
        let known: Vec<&str> = parameters.iter().map(|each| each.name).collect();
        return Err(ScriptError::Unknown {
            name: axis.name.clone(),
            known: known.join(", "),
        });
    };
    if axis.values == [Setting::Text(ALL.to_owned())]
        && let Some(options) = first.options()
    {
        let setting = |option: Attribute<'_>| match attr::as_int(option) {
            Some(number) => Setting::Int(number),
            None => Setting::Text(attr::as_str(option).unwrap_or_default().to_owned()),
        };
        axis.values = options.into_iter().map(setting).collect();
    }
    for parameter in own {
        if let Some(value) = axis.values.iter().find(|value| parameter.attribute(value).is_none()) {
            return Err(ScriptError::Value {
                name: axis.name.clone(),
                value: value.in_words(),
                known: parameter.known(),
            });
        }
    }
    Ok(())
}

/// The kernel with the script beside it.
fn merged<'s>(session: &'s Session, kernel: &Source, script: Option<&Source>) -> Result<Module<'s>, Error> {
    let module = session.parse(&kernel.text, &kernel.name)?;
    let Some(script) = script else { return Ok(module) };
    let other = session.parse(&script.text, &script.name)?;
    let (root, from) = (Op::of_module(&module), Op::of_module(&other));
    if let (Some(body), Some(source)) = (root.body(), from.body()) {
        for op in source.ops().collect::<Vec<_>>() {
            edit::move_to_end(op, body);
        }
        root.set_attr(WITH_SEQUENCES, attr::unit(root.context()));
    }
    Ok(module)
}

/// The script with the values of a configuration, to be kept.
///
/// # Errors
///
/// [`ScriptError::Driver`].
pub fn chosen(session: &Session, script: &Source, knobs: &[(&str, &Setting)]) -> Result<String, ScriptError> {
    let module = session.parse(&script.text, &script.name)?;
    choose(Op::of_module(&module), knobs)?;
    Ok(Op::of_module(&module).verified_text())
}

fn choose(root: Op<'_>, knobs: &[(&str, &Setting)]) -> Result<(), ScriptError> {
    for parameter in Parameter::all(root) {
        if let Some((_, setting)) = knobs.iter().find(|(name, _)| *name == parameter.name) {
            let value = parameter.attribute(setting).ok_or_else(|| ScriptError::Value {
                name: parameter.name.to_owned(),
                value: setting.in_words(),
                known: parameter.known(),
            })?;
            parameter.op.set_attr(parameter.key(), value);
        }
    }
    Ok(())
}

/// The kernel as the script makes it with the values of a configuration.
///
/// # Errors
///
/// [`ScriptError::Driver`], where the script does not apply.
pub(crate) fn transformed<'s>(
    session: &'s Session,
    kernel: &Source,
    script: Option<&Source>,
    knobs: &[(&str, &Setting)],
) -> Result<Module<'s>, ScriptError> {
    let mut module = merged(session, kernel, script)?;
    if !Op::of_module(&module).has_attr(WITH_SEQUENCES) {
        return Ok(module);
    }
    choose(Op::of_module(&module), knobs)?;
    session.compile(&mut module, "builtin.module(transform-interpreter)")?;
    let root = Op::of_module(&module);
    root.remove_attr(WITH_SEQUENCES);
    let ops = root
        .body()
        .map(|body| body.ops().collect::<Vec<_>>())
        .unwrap_or_default();
    for op in ops.into_iter().filter(|op| op.name().starts_with("transform.")) {
        edit::erase(op);
    }
    session.compile(&mut module, "builtin.module(canonicalize,cse)")?;
    Ok(module)
}
