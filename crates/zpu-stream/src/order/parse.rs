//! Affine maps as text, in the syntax of MLIR: `(d0, d1) -> (d1 floordiv 2, d0 * 4 + d1 mod 2)`.

use thiserror::Error;

use super::affine::{Expr, Map};

/// Limit of the depth of expressions.
const MAX_DEPTH: usize = 64;

/// The longest text.
const MAX_LENGTH: usize = 1 << 16;

/// Reasons why a text is no map.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MapError {
    /// Something else is expected at a place.
    #[error("column {column}: expected {expected}, found {found}")]
    Syntax {
        /// Counted from 1, in characters.
        column: usize,
        /// Something that could stand there.
        expected: &'static str,
        /// Text that stands there.
        found: String,
    },
    /// A name that is no input.
    #[error("column {column}: `{name}` is no input of the map")]
    UnknownName {
        /// Counted from 1, in characters.
        column: usize,
        /// The name.
        name: String,
    },
    /// Two inputs of one name.
    #[error("input `{0}` is named twice")]
    DuplicateName(String),
    /// Symbols: what they are is known at run time only.
    #[error("symbols in brackets make the order depend on data; only loop indices are followed")]
    Symbols,
    /// A product of two indices, or a division by one.
    #[error("column {column}: `{operator}` needs a constant, the order is not affine otherwise")]
    NotAffine {
        /// Counted from 1, in characters.
        column: usize,
        /// The operator.
        operator: &'static str,
    },
    /// A divisor that is not positive.
    #[error("column {column}: divides by {value}, a divisor must be at least 1")]
    Divisor {
        /// Counted from 1, in characters.
        column: usize,
        /// The divisor.
        value: i64,
    },
    /// A number that does not fit.
    #[error("column {column}: the number does not fit in 64 bits")]
    Overflow {
        /// Counted from 1, in characters.
        column: usize,
    },
    /// Too many parentheses or operators in each other.
    #[error("expressions are nested more than {MAX_DEPTH} deep")]
    Depth,
    /// A text that is too long.
    #[error("the text has {0} bytes, the limit is {MAX_LENGTH}")]
    Length(usize),
}

impl std::str::FromStr for Map {
    type Err = MapError;

    fn from_str(text: &str) -> Result<Map, MapError> {
        if text.len() > MAX_LENGTH {
            return Err(MapError::Length(text.len()));
        }
        let mut parser = Parser {
            tokens: tokens(text)?,
            next: 0,
            names: Vec::new(),
        };
        let wrapped = parser.takes("affine_map");
        if wrapped {
            parser.expect("<", "`<`")?;
        }
        parser.inputs()?;
        let results = parser.results()?;
        if wrapped {
            parser.expect(">", "`>`")?;
        }
        parser.end()?;
        Ok(Map {
            inputs: parser.names.len(),
            results,
        })
    }
}

/// A word, number or sign, and its column.
struct Token {
    text: String,
    column: usize,
}

fn tokens(text: &str) -> Result<Vec<Token>, MapError> {
    let mut tokens: Vec<Token> = Vec::new();
    let characters: Vec<char> = text.chars().collect();
    let mut at = 0;
    while let Some(&first) = characters.get(at) {
        let begin = at;
        at += 1;
        if first.is_whitespace() {
            continue;
        }
        let is_word = |c: &char| c.is_ascii_alphanumeric() || *c == '_';
        if is_word(&first) {
            while characters.get(at).is_some_and(is_word) {
                at += 1;
            }
        } else if first == '-' && characters.get(at) == Some(&'>') {
            at += 1;
        } else if !"()[],+-*<>".contains(first) {
            return Err(MapError::Syntax {
                column: begin + 1,
                expected: "a name, a number or an operator",
                found: format!("`{first}`"),
            });
        }
        tokens.push(Token {
            text: characters[begin..at].iter().collect(),
            column: begin + 1,
        });
    }
    Ok(tokens)
}

struct Parser {
    tokens: Vec<Token>,
    next: usize,
    names: Vec<String>,
}

/// An expression and how deep it is.
struct Parsed {
    expr: Expr,
    depth: usize,
}

impl Parser {
    fn peek(&self) -> &str {
        self.tokens.get(self.next).map_or("", |token| &token.text)
    }

    fn column(&self) -> usize {
        let end = self
            .tokens
            .last()
            .map_or(1, |last| last.column + last.text.chars().count());
        self.tokens.get(self.next).map_or(end, |token| token.column)
    }

    fn takes(&mut self, text: &str) -> bool {
        let takes = self.peek() == text;
        self.next += usize::from(takes);
        takes
    }

    fn expect(&mut self, text: &str, expected: &'static str) -> Result<(), MapError> {
        if self.takes(text) {
            Ok(())
        } else {
            Err(self.syntax(expected))
        }
    }

    fn syntax(&self, expected: &'static str) -> MapError {
        let found = match self.peek() {
            "" => "the end".to_owned(),
            text => format!("`{text}`"),
        };
        MapError::Syntax {
            column: self.column(),
            expected,
            found,
        }
    }

    fn end(&self) -> Result<(), MapError> {
        if self.next == self.tokens.len() {
            Ok(())
        } else {
            Err(self.syntax("the end"))
        }
    }

    fn inputs(&mut self) -> Result<(), MapError> {
        self.expect("(", "`(` and the inputs")?;
        while self.peek() != ")" {
            let name = self.peek().to_owned();
            if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
                return Err(self.syntax("the name of an input"));
            }
            self.next += 1;
            if self.names.contains(&name) {
                return Err(MapError::DuplicateName(name));
            }
            self.names.push(name);
            if !self.takes(",") {
                break;
            }
        }
        self.expect(")", "`)`")?;
        if self.peek() == "[" {
            return Err(MapError::Symbols);
        }
        Ok(())
    }

    fn results(&mut self) -> Result<Vec<Expr>, MapError> {
        self.expect("->", "`->`")?;
        self.expect("(", "`(` and the results")?;
        let mut results = Vec::new();
        while self.peek() != ")" {
            results.push(self.sum(0)?.expr);
            if !self.takes(",") {
                break;
            }
        }
        self.expect(")", "`)`")?;
        Ok(results)
    }

    fn sum(&mut self, depth: usize) -> Result<Parsed, MapError> {
        let mut terms = vec![self.product(depth)?];
        loop {
            let column = self.column();
            let negated = match self.peek() {
                "+" => false,
                "-" => true,
                _ => break,
            };
            self.next += 1;
            let term = self.product(depth)?;
            terms.push(if negated { scaled(term, -1, column)? } else { term });
        }
        let deepest = terms.iter().map(|term| term.depth).max().unwrap_or(0);
        if terms.len() == 1 {
            return Ok(terms.swap_remove(0));
        }
        let column = self.column();
        let mut constant = 0i64;
        let mut rest = Vec::new();
        for term in terms {
            match term.expr {
                Expr::Constant(value) => {
                    constant = constant.checked_add(value).ok_or(MapError::Overflow { column })?;
                }
                Expr::Sum(inner) => rest.extend(inner),
                expr => rest.push(expr),
            }
        }
        if constant != 0 || rest.is_empty() {
            rest.push(Expr::Constant(constant));
        }
        limited(Expr::sum(rest), deepest + 1)
    }

    fn product(&mut self, depth: usize) -> Result<Parsed, MapError> {
        let mut left = self.factor(depth)?;
        loop {
            let column = self.column();
            let operator = match self.peek() {
                "*" => "*",
                "floordiv" => "floordiv",
                "ceildiv" => "ceildiv",
                "mod" => "mod",
                _ => return Ok(left),
            };
            self.next += 1;
            let right = self.factor(depth)?;
            left = match (operator, &left.expr, &right.expr) {
                ("*", _, Expr::Constant(factor)) => scaled(left, *factor, column)?,
                ("*", Expr::Constant(factor), _) => scaled(right, *factor, column)?,
                (_, _, &Expr::Constant(value)) if operator != "*" => divided(left, operator, value, column)?,
                _ => return Err(MapError::NotAffine { column, operator }),
            };
        }
    }

    fn factor(&mut self, depth: usize) -> Result<Parsed, MapError> {
        if depth >= MAX_DEPTH {
            return Err(MapError::Depth);
        }
        let column = self.column();
        let text = self.peek().to_owned();
        if self.takes("-") {
            let inner = self.factor(depth + 1)?;
            return scaled(inner, -1, column);
        }
        if self.takes("(") {
            let inner = self.sum(depth + 1)?;
            self.expect(")", "`)` or an operator")?;
            return Ok(inner);
        }
        let expr = match text.chars().next() {
            Some(first) if first.is_ascii_digit() => {
                if !text.chars().all(|c| c.is_ascii_digit()) {
                    return Err(self.syntax("a number or the name of an input"));
                }
                Expr::Constant(text.parse().map_err(|_| MapError::Overflow { column })?)
            }
            Some(first) if first.is_ascii_alphabetic() || first == '_' => {
                let place = self.names.iter().position(|name| *name == text);
                Expr::Index(place.ok_or(MapError::UnknownName { column, name: text })?)
            }
            _ => return Err(self.syntax("a number or the name of an input")),
        };
        self.next += 1;
        Ok(Parsed { expr, depth: 1 })
    }
}

fn limited(expr: Expr, depth: usize) -> Result<Parsed, MapError> {
    if depth > MAX_DEPTH {
        return Err(MapError::Depth);
    }
    Ok(Parsed { expr, depth })
}

fn scaled(parsed: Parsed, factor: i64, column: usize) -> Result<Parsed, MapError> {
    match parsed.expr {
        Expr::Constant(value) => {
            let value = value.checked_mul(factor).ok_or(MapError::Overflow { column })?;
            limited(Expr::Constant(value), parsed.depth)
        }
        expr => limited(expr.scaled(factor), parsed.depth + 1),
    }
}

fn divided(left: Parsed, operator: &'static str, by: i64, column: usize) -> Result<Parsed, MapError> {
    if by < 1 {
        return Err(MapError::Divisor { column, value: by });
    }
    let depth = left.depth + 2;
    let expr = match (operator, left.expr) {
        ("mod", Expr::Constant(value)) => Expr::Constant(value.rem_euclid(by)),
        ("mod", expr) => Expr::Mod(Box::new(expr), by),
        ("floordiv", Expr::Constant(value)) => Expr::Constant(value.div_euclid(by)),
        ("floordiv", expr) => Expr::FloorDiv(Box::new(expr), by),
        // The quotient rounded up is that of what is one divisor less one further up.
        (_, expr) => Expr::FloorDiv(Box::new(Expr::Sum(vec![expr, Expr::Constant(by - 1)])), by),
    };
    limited(expr, depth)
}
