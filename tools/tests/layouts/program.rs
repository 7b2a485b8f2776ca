//! Random functions of structured operations on tensors, as MLIR and as tensors with the ways to read and write them.
//!
//! The second form is written down from the description of the pass alone, for `least`.

use std::fmt::Write as _;

use crate::random::Random;

/// A function `f`, and what there is to choose in it.
pub(crate) struct Program {
    pub(crate) text: String,
    /// Tensors by their bytes; a transpose makes none.
    pub(crate) tensors: Vec<Tensor>,
    /// Uses in the order of the type: a tensor, and its dimensions in that order.
    pub(crate) fixed: Vec<(usize, Vec<usize>)>,
    /// Bytes that the transposes of the text move.
    pub(crate) as_written: u64,
}

/// A tensor with the operation that makes it.
pub(crate) struct Tensor {
    pub(crate) shape: Vec<usize>,
    pub(crate) rule: Rule,
    pub(crate) reads: Vec<Read>,
    /// The loop along each of its dimensions.
    pub(crate) loops: Vec<usize>,
}

/// The freedom of an operation.
pub(crate) enum Rule {
    /// None.
    Fixed,
    /// All tensors as written, or in any one order of the loops in which those that are marked keep their order.
    Loops(Vec<bool>),
    /// Both factors as written or transposed.
    Product,
}

/// A tensor under other names, and the loop along each of its dimensions.
#[derive(Clone)]
pub(crate) struct Read {
    pub(crate) tensor: usize,
    pub(crate) dims: Vec<usize>,
    pub(crate) loops: Vec<usize>,
}

#[derive(Clone)]
struct Value {
    name: String,
    tensor: usize,
    dims: Vec<usize>,
    shape: Vec<usize>,
}

struct Maker<'r> {
    random: &'r mut Random,
    program: Program,
    values: Vec<Value>,
    names: usize,
}

/// A function of up to so many operations.
pub(crate) fn program(random: &mut Random, most: usize) -> Program {
    let mut maker = Maker {
        random,
        program: Program {
            text: String::new(),
            tensors: Vec::new(),
            fixed: Vec::new(),
            as_written: 0,
        },
        values: Vec::new(),
        names: 0,
    };
    let mut arguments = Vec::new();
    for at in 0..2 + maker.random.below(2) {
        let shape = maker.shape(if at == 0 { 2 } else { 1 });
        // Otherwise a buffer of an argument may hold any intermediate result in the end.
        arguments.push(format!("%a{at}: {} {{bufferization.writable = false}}", ty(&shape)));
        maker.tensor(format!("%a{at}"), shape, Rule::Fixed, Vec::new(), Vec::new());
    }
    for _ in 0..1 + maker.random.below(most) {
        maker.operation();
    }
    let text = maker.program.text.clone();
    let is_used = |value: &&Value| mentions(&text, &value.name) > usize::from(value.name.starts_with("%v"));
    let unused: Vec<Value> = maker.values.iter().filter(|value| !is_used(value)).cloned().collect();
    let types: Vec<String> = unused.iter().map(|value| ty(&value.shape)).collect();
    let names: Vec<&str> = unused.iter().map(|value| value.name.as_str()).collect();
    for value in &unused {
        maker.program.fixed.push((value.tensor, value.dims.clone()));
    }
    let mut program = maker.program;
    let (arguments, types, names) = (arguments.join(", "), types.join(", "), names.join(", "));
    program.text = format!(
        "func.func @f({arguments}) -> ({types}) {{\n  %half = arith.constant 0.5 : f32\n{}  \
         return {names} : {types}\n}}\n",
        program.text
    );
    program
}

/// Places where a name stands, not a longer one that begins with it.
fn mentions(text: &str, name: &str) -> usize {
    let ends = text.match_indices(name).map(|(at, _)| at + name.len());
    ends.filter(|end| !text[*end..].starts_with(|next: char| next.is_ascii_digit()))
        .count()
}

/// A type of f32.
fn ty(shape: &[usize]) -> String {
    let sizes: String = shape.iter().map(|size| format!("{size}x")).collect();
    format!("tensor<{sizes}f32>")
}

fn map(loops: usize, results: &[usize]) -> String {
    let list = |names: Vec<String>| names.join(", ");
    let all = list((0..loops).map(|at| format!("d{at}")).collect());
    let results = list(results.iter().map(|at| format!("d{at}")).collect());
    format!("affine_map<({all}) -> ({results})>")
}

impl Maker<'_> {
    fn shape(&mut self, least: usize) -> Vec<usize> {
        let rank = least + self.random.below(4 - least);
        // Equal sizes, so that types do not tell a wrong order from the right one.
        (0..rank).map(|_| 2 + self.random.below(2)).collect()
    }

    fn permutation(&mut self, rank: usize) -> Vec<usize> {
        let mut rest: Vec<usize> = (0..rank).collect();
        (0..rank)
            .map(|_| {
                let at = self.random.below(rest.len());
                rest.remove(at)
            })
            .collect()
    }

    fn name(&mut self) -> String {
        self.names += 1;
        format!("%v{}", self.names)
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.program.text, "  {line}");
    }

    fn tensor(&mut self, name: String, shape: Vec<usize>, rule: Rule, reads: Vec<Read>, loops: Vec<usize>) {
        self.values.push(Value {
            name,
            tensor: self.program.tensors.len(),
            dims: (0..shape.len()).collect(),
            shape: shape.clone(),
        });
        self.program.tensors.push(Tensor {
            shape,
            rule,
            reads,
            loops,
        });
    }

    /// A value for which something holds: often one of the last, so that there are chains.
    fn pick(&mut self, holds: impl Fn(&Value) -> bool) -> Option<Value> {
        let able: Vec<&Value> = self.values.iter().filter(|value| holds(value)).collect();
        let from = match self.random.below(2) {
            0 => 0,
            _ => able.len().saturating_sub(2),
        };
        let at = (!able.is_empty()).then(|| from + self.random.below(able.len() - from))?;
        Some(able[at].clone())
    }

    fn empty(&mut self, shape: &[usize]) -> String {
        let name = self.name();
        self.line(&format!("{name} = tensor.empty() : {}", ty(shape)));
        name
    }

    /// A tensor to write to, of which only the shape matters: an empty one, or any other.
    fn destination(&mut self, shape: &[usize]) -> String {
        if self.random.below(4) == 0
            && let Some(value) = self.pick(|value| value.shape == shape)
        {
            return value.name;
        }
        self.empty(shape)
    }

    /// A tensor to begin a sum with.
    fn start(&mut self, shape: &[usize]) -> Value {
        if self.random.below(3) == 0
            && let Some(value) = self.pick(|value| value.shape == shape)
        {
            return value;
        }
        let empty = self.empty(shape);
        let (name, ty) = (self.name(), ty(shape));
        self.line(&format!(
            "{name} = linalg.fill ins(%half : f32) outs({empty} : {ty}) -> {ty}"
        ));
        let loops: Vec<usize> = (0..shape.len()).collect();
        self.tensor(
            name,
            shape.to_vec(),
            Rule::Loops(vec![false; shape.len()]),
            Vec::new(),
            loops,
        );
        self.values.last().expect("just made").clone()
    }

    fn operation(&mut self) {
        match self.random.below(16) {
            0..=5 => self.transpose(),
            6 => self.unary(),
            7 | 8 => self.binary(),
            9 | 10 => self.generic(),
            11 | 12 => self.reduce(),
            13 => self.broadcast(),
            14 => self.product(),
            _ => self.slice(),
        }
    }

    fn transpose(&mut self) {
        let Some(source) = self.pick(|value| value.shape.len() > 1) else {
            return;
        };
        let permutation = self.permutation(source.shape.len());
        let shape: Vec<usize> = permutation.iter().map(|dim| source.shape[*dim]).collect();
        let (empty, name) = (self.empty(&shape), self.name());
        let (from, to) = (ty(&source.shape), ty(&shape));
        self.line(&format!(
            "{name} = linalg.transpose ins({} : {from}) outs({empty} : {to}) permutation = {permutation:?}",
            source.name
        ));
        self.program.as_written += 4 * shape.iter().product::<usize>() as u64;
        self.values.push(Value {
            name,
            tensor: source.tensor,
            dims: permutation.iter().map(|dim| source.dims[*dim]).collect(),
            shape,
        });
    }

    fn unary(&mut self) {
        let Some(source) = self.pick(|_| true) else { return };
        let (out, name, ty) = (self.destination(&source.shape), self.name(), ty(&source.shape));
        let operation = self.random.one_of(&["linalg.negf", "linalg.abs"]);
        self.line(&format!(
            "{name} = {operation} ins({} : {ty}) outs({out} : {ty}) -> {ty}",
            source.name
        ));
        self.elementwise(name, &[source]);
    }

    fn binary(&mut self) {
        let Some(left) = self.pick(|_| true) else { return };
        let Some(right) = self.pick(|value| value.shape == left.shape) else {
            return;
        };
        let (out, name, ty) = (self.destination(&left.shape), self.name(), ty(&left.shape));
        let (one, two) = (&left.name, &right.name);
        let line = match self.random.below(2) {
            0 => format!("{name} = linalg.sub ins({one}, {two} : {ty}, {ty}) outs({out} : {ty}) -> {ty}"),
            _ => format!("{name} = linalg.map {{ arith.addf }} ins({one}, {two} : {ty}, {ty}) outs({out} : {ty})"),
        };
        self.line(&line);
        self.elementwise(name, &[left, right]);
    }

    fn elementwise(&mut self, name: String, sources: &[Value]) {
        let rank = sources[0].shape.len();
        let reads = sources.iter().map(|source| read(source, (0..rank).collect())).collect();
        let (shape, loops) = (sources[0].shape.clone(), (0..rank).collect());
        self.tensor(name, shape, Rule::Loops(vec![false; rank]), reads, loops);
    }

    /// An elementwise operation with maps of its own.
    fn generic(&mut self) {
        let Some(left) = self.pick(|value| value.shape.len() > 1) else {
            return;
        };
        let rank = left.shape.len();
        let (of_right, of_out) = (self.permutation(rank), self.permutation(rank));
        let shape = |loops: &[usize]| -> Vec<usize> { loops.iter().map(|at| left.shape[*at]).collect() };
        let right_shape = shape(&of_right);
        let Some(right) = self.pick(|value| value.shape == right_shape) else {
            return;
        };
        let out_shape = shape(&of_out);
        let (out, name) = (self.destination(&out_shape), self.name());
        let identity: Vec<usize> = (0..rank).collect();
        let maps = [map(rank, &identity), map(rank, &of_right), map(rank, &of_out)].join(", ");
        let kinds = vec!["\"parallel\""; rank].join(", ");
        let types = [ty(&left.shape), ty(&right_shape), ty(&out_shape)];
        self.line(&format!(
            "{name} = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}} ins({}, {} : {}, {}) \
             outs({out} : {}) {{",
            left.name, right.name, types[0], types[1], types[2]
        ));
        let dim = self.random.below(rank);
        for line in [
            "^bb0(%x: f32, %y: f32, %z: f32):".to_owned(),
            format!("  %i = linalg.index {dim} : index"),
            "  %n = arith.index_cast %i : index to i32".to_owned(),
            "  %c = arith.sitofp %n : i32 to f32".to_owned(),
            "  %d = arith.subf %x, %y : f32".to_owned(),
            "  %s = arith.addf %d, %c : f32".to_owned(),
            "  linalg.yield %s : f32".to_owned(),
        ] {
            self.line(&line);
        }
        self.line(&format!("}} -> {}", types[2]));
        let reads = vec![read(&left, identity), read(&right, of_right)];
        self.tensor(name, out_shape, Rule::Loops(vec![false; rank]), reads, of_out);
    }

    fn reduce(&mut self) {
        let Some(source) = self.pick(|value| value.shape.len() > 1) else {
            return;
        };
        let rank = source.shape.len();
        let mut is_reduced: Vec<bool> = (0..rank).map(|_| self.random.below(2) == 0).collect();
        let one = self.random.below(rank);
        is_reduced[one] = true;
        is_reduced[(one + 1) % rank] = false;
        let kept: Vec<usize> = (0..rank).filter(|dim| !is_reduced[*dim]).collect();
        let reduced: Vec<usize> = (0..rank).filter(|dim| is_reduced[*dim]).collect();
        let shape: Vec<usize> = kept.iter().map(|dim| source.shape[*dim]).collect();
        let start = self.start(&shape);
        let name = self.name();
        self.line(&format!(
            "{name} = linalg.reduce {{ arith.addf }} ins({} : {}) outs({} : {}) dimensions = {reduced:?}",
            source.name,
            ty(&source.shape),
            start.name,
            ty(&shape)
        ));
        let reads = vec![read(&source, (0..rank).collect()), read(&start, kept.clone())];
        self.tensor(name, shape, Rule::Loops(is_reduced), reads, kept);
    }

    fn broadcast(&mut self) {
        let Some(source) = self.pick(|value| value.shape.len() < 3) else {
            return;
        };
        let least = source.shape.len() + 1;
        let rank = least + self.random.below(4 - least);
        let mut kept: Vec<usize> = self.permutation(rank)[..source.shape.len()].to_vec();
        kept.sort_unstable();
        let mut shape: Vec<usize> = (0..rank).map(|_| 2 + self.random.below(2)).collect();
        for (at, size) in kept.iter().zip(&source.shape) {
            shape[*at] = *size;
        }
        let new: Vec<usize> = (0..rank).filter(|at| !kept.contains(at)).collect();
        let (out, name) = (self.destination(&shape), self.name());
        self.line(&format!(
            "{name} = linalg.broadcast ins({} : {}) outs({out} : {}) dimensions = {new:?}",
            source.name,
            ty(&source.shape),
            ty(&shape)
        ));
        let loops: Vec<usize> = (0..rank).collect();
        let reads = vec![read(&source, kept)];
        self.tensor(name, shape, Rule::Loops(vec![false; rank]), reads, loops);
    }

    fn product(&mut self) {
        let Some(a) = self.pick(|value| value.shape.len() == 2) else {
            return;
        };
        let fits = |value: &Value| value.shape.len() == 2 && value.shape[0] == a.shape[1];
        let Some(b) = self.pick(fits) else { return };
        let shape = vec![a.shape[0], b.shape[1]];
        let start = self.start(&shape);
        let name = self.name();
        self.line(&format!(
            "{name} = linalg.matmul ins({}, {} : {}, {}) outs({} : {}) -> {}",
            a.name,
            b.name,
            ty(&a.shape),
            ty(&b.shape),
            start.name,
            ty(&shape),
            ty(&shape)
        ));
        let reads = vec![read(&a, vec![0, 2]), read(&b, vec![2, 1]), read(&start, vec![0, 1])];
        self.tensor(name, shape, Rule::Product, reads, vec![0, 1]);
    }

    /// An operation that the pass does not know.
    fn slice(&mut self) {
        let Some(source) = self.pick(|value| !value.shape.is_empty()) else {
            return;
        };
        let rank = source.shape.len();
        let (zeros, ones) = (vec![0; rank], vec![1; rank]);
        let (name, ty) = (self.name(), ty(&source.shape));
        self.line(&format!(
            "{name} = tensor.extract_slice {}{zeros:?} {:?} {ones:?} : {ty} to {ty}",
            source.name, source.shape
        ));
        self.program.fixed.push((source.tensor, source.dims.clone()));
        self.tensor(name, source.shape, Rule::Fixed, Vec::new(), Vec::new());
    }
}

fn read(value: &Value, loops: Vec<usize>) -> Read {
    Read {
        tensor: value.tensor,
        dims: value.dims.clone(),
        loops,
    }
}
