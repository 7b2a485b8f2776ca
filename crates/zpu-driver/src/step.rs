//! One pass of a pipeline as text, with access to its options.
//!
//! Invariant: a step is a pipeline of one pass, `builtin.module(func.func(zpu-convert-to-dma{a=1 b=2}))`, with as many
//! parentheses at its end as there are before the pass.

use std::fmt;

/// A pipeline of one pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    text: String,
}

impl Step {
    pub(crate) fn new(text: String) -> Self {
        Self { text }
    }

    /// The pipeline.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The name of the pass.
    pub fn pass(&self) -> &str {
        self.parts().1
    }

    /// The options of the pass, separated by spaces.
    pub fn options(&self) -> &str {
        self.parts().2
    }

    /// The pass with these options alone.
    #[must_use]
    pub fn with_options(&self, options: &str) -> Self {
        let (before, pass, _, after) = self.parts();
        let text = if options.is_empty() {
            format!("{before}{pass}{after}")
        } else {
            format!("{before}{pass}{{{options}}}{after}")
        };
        Self { text }
    }

    /// The pass with one option set, whether it was given before or not.
    #[must_use]
    pub fn with_option(&self, name: &str, value: &str) -> Self {
        let is_other = |option: &&str| option.split('=').next() != Some(name);
        let mut options: Vec<&str> = split(self.options()).into_iter().filter(is_other).collect();
        let assignment = format!("{name}={value}");
        options.push(&assignment);
        self.with_options(&options.join(" "))
    }

    /// The text before the pass, its name, its options without their braces, and the text after it.
    fn parts(&self) -> (&str, &str, &str, &str) {
        let end = self.text.find('{').unwrap_or(self.text.len());
        let begin = self.text[..end].rfind('(').map_or(0, |at| at + 1);
        let (before, rest) = self.text.split_at(begin);
        let depth = before.matches('(').count();
        let (rest, after) = rest.split_at(rest.len().saturating_sub(depth));
        match rest.split_once('{') {
            Some((pass, options)) => (before, pass, options.strip_suffix('}').unwrap_or(options), after),
            None => (before, rest, "", after),
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The pipeline that consists of these steps.
pub fn pipeline_of(steps: &[Step]) -> String {
    let inner = |step: &Step| Some(step.text.strip_prefix("builtin.module(")?.strip_suffix(')')?.to_owned());
    let inner: Vec<String> = steps.iter().filter_map(inner).collect();
    format!("builtin.module({})", inner.join(","))
}

/// Options at the spaces that are in no list.
fn split(options: &str) -> Vec<&str> {
    let mut depth = 0usize;
    let at_space = |letter: char| {
        match letter {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        letter.is_whitespace() && depth == 0
    };
    options.split(at_space).filter(|option| !option.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::{Step, pipeline_of};

    fn step(text: &str) -> Step {
        Step::new(text.to_owned())
    }

    #[test]
    fn a_step_is_named_after_its_pass() {
        assert_eq!(step("builtin.module(func.func(zpu-x{a={b(c)} d=1}))").pass(), "zpu-x");
        assert_eq!(step("builtin.module(zpu-y)").pass(), "zpu-y");
        assert_eq!(step("builtin.module(func.func(cse))").pass(), "cse");
        assert_eq!(
            step("builtin.module(func.func(zpu-x{a={b(c)} d=1}))").options(),
            "a={b(c)} d=1"
        );
    }

    #[test]
    fn an_option_is_added_or_replaced() {
        let set = |text: &str| step(text).with_option("form", "x").text;
        assert_eq!(
            set("builtin.module(func.func(zpu-a))"),
            "builtin.module(func.func(zpu-a{form=x}))"
        );
        assert_eq!(set("func.func(zpu-a{form=y b=2})"), "func.func(zpu-a{b=2 form=x})");
        assert_eq!(set("f(a{b={1 2} form={c d}})"), "f(a{b={1 2} form=x})");
        assert_eq!(step("f(a{b=2})").with_options("").as_str(), "f(a)");
        assert_eq!(step("f(a)").with_options("c d=1").as_str(), "f(a{c d=1})");
    }

    #[test]
    fn steps_make_a_pipeline() {
        let steps = [step("builtin.module(a{x=1})"), step("builtin.module(func.func(b))")];
        assert_eq!(pipeline_of(&steps), "builtin.module(a{x=1},func.func(b))");
    }
}
