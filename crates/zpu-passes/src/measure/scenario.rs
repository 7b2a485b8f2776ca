//! Arguments with which a function is run to compare its plans.
//!
//! A function of constant sizes has one scenario. In one whose loops depend on arguments, sizes are such that loops
//! have from no iteration to twice the number of stages, and a long run.

use std::collections::{BTreeSet, HashSet};

use zpu_device::ElementType;
use zpu_ir::ops::{Start, sync_engine};
use zpu_ir::scf::For;
use zpu_ir::ty::MemRef;
use zpu_ir::{Op, Value, attr, ty};
use zpu_sim::PaceArgument;

/// Steps of loops that sizes are multiples of, at the most.
const MOST_STEPS: usize = 2;

/// Stages up to which runs of twice as many iterations are tried.
const MOST_SHORT: u32 = 8;

/// Iterations of runs that are neither short nor long: a plan with many iterations as one begins there.
const MIDDLE: [i64; 2] = [24, 100];

/// Sizes of arguments that no loop is as long as.
const ANY_SIZE: i64 = 64;

/// Iterations of the long run, by the number of loops around each other whose lengths are not known: in a nest their
/// product counts.
const LONG: [i64; 3] = [1000, 16, 6];

/// The same of the innermost loops of a nest whose sizes are other ones than those of the loops around them, in two
/// runs: how deep a plan has to be shows only in longer loops than a run can have in which all have as many iterations.
const LONG_INSIDE: [i64; 2] = [24, 100];

/// Iterations of each loop around them, at the most, and of the innermost one all together, so that both of these runs
/// count about as much.
const FEW_AROUND: i64 = 8;
const MOST_LONG_INSIDE: i64 = 512;

/// Elements of all arguments in the longest of these runs: memory of a simulation is memory of the compiler.
const MOST_ELEMENTS: i64 = 1 << 26;

/// Iterations of the innermost loop all together in short runs of such nests.
const MOST_SHORT_INSIDE: i64 = 64;

/// Iterations of the innermost loop of a nest, all together, that the long run has at most: a deep nest is run with few
/// of each loop, or running it would take longer than compiling it.
const MOST_ITERATIONS: i64 = 4096;

/// The same for short runs, of which there are many.
const MOST_SHORT_ITERATIONS: i64 = 1024;

/// Commands that the short runs have altogether, at the most, by which all programs are compared: there are many of
/// both.
const MOST_SHORT_COMMANDS: u64 = 1 << 14;

/// The same of runs that a few programs are tried by.
const MOST_COMMANDS_OF_FEW: u64 = 1 << 16;

/// A run.
#[derive(Clone, Debug)]
pub(crate) struct Scenario {
    pub(crate) arguments: Vec<PaceArgument>,
    /// True if plans are for runs like this one above all.
    pub(crate) is_long: bool,
    /// True if it is not run, since it would take too long with the ones before it.
    pub(crate) is_left_out: bool,
}

/// All runs, the long ones last.
pub(crate) fn scenarios(function: Op<'_>, stages: u32) -> Vec<Scenario> {
    let sizes = Sizes::of(function);
    let (short, long) = sizes.of_runs(stages);
    let long = long.into_iter().map(|run| Scenario {
        arguments: sizes.arguments(run),
        is_long: true,
        is_left_out: false,
    });
    sizes
        .short_scenarios(function, &short, MOST_SHORT_COMMANDS)
        .into_iter()
        .chain(long)
        .collect()
}

/// By run of a function as it was, the iterations of the longest of some loops of it as it is; none where the length of
/// one is not a plain size.
pub(crate) fn trips((function, original): (Op<'_>, Op<'_>), stages: u32, loops: &[For<'_>]) -> Vec<Option<i64>> {
    let (sizes, originals) = (Sizes::of(function), Sizes::of(original));
    let longest = |run: Run| {
        if sizes.arguments(run) != originals.arguments(run) {
            return None;
        }
        let all = loops.iter().map(|for_| sizes.trips(*for_, run));
        all.collect::<Option<Vec<i64>>>()?.into_iter().max()
    };
    let (short, long) = originals.of_runs(stages);
    short.into_iter().chain(long).map(longest).collect()
}

/// True if innermost loops of unknown length have sizes that those around them have not, so that runs differ in the
/// lengths of these.
pub(crate) fn is_apart(function: Op<'_>) -> bool {
    Sizes::of(function).is_apart()
}

/// The number of loops of unknown length around each other, if their lengths depend on sizes.
pub(crate) fn depth(function: Op<'_>) -> Option<usize> {
    let sizes = Sizes::of(function);
    sizes.are_free().then(|| sizes.deepest())
}

/// Runs in which loops of unknown length have so many iterations, or the innermost ones, if only their sizes differ.
pub(crate) fn of_trips(function: Op<'_>, trips: &[i64]) -> Vec<Scenario> {
    let sizes = Sizes::of(function);
    let runs: Vec<Run> = trips
        .iter()
        .map(|trips| sizes.run_of_trips(*trips, MOST_SHORT_INSIDE))
        .collect();
    sizes.short_scenarios(function, &runs, MOST_COMMANDS_OF_FEW)
}

/// How large the arguments of a run are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Run {
    /// The size that innermost loops depend on, and every other size that no loop around them depends on.
    inside: i64,
    /// The size that only loops around others depend on.
    around: i64,
}

impl Run {
    fn of(size: i64) -> Self {
        Self {
            inside: size,
            around: size,
        }
    }
}

/// Operations, one after the other, that a length is computed by.
const MOST_COMPUTED: u32 = 4;

/// The sizes that a function may be called with.
struct Sizes<'c> {
    parameters: Vec<Value<'c>>,
    /// Loops of unknown length.
    open: Vec<For<'c>>,
    roles: Roles<'c>,
    steps: BTreeSet<i64>,
}

impl<'c> Sizes<'c> {
    fn of(function: Op<'c>) -> Self {
        let loops = function.walk().into_iter().filter_map(For::of);
        let open: Vec<For<'c>> = loops.filter(|for_| for_.constant_trip_count().is_none()).collect();
        let parameters = function.body().map(|body| body.args()).unwrap_or_default();
        Self {
            roles: Roles::of(&open, &parameters),
            parameters,
            steps: open.iter().map(|for_| step(*for_)).collect(),
            open,
        }
    }

    /// The sizes of short runs and of long ones.
    fn of_runs(&self, stages: u32) -> (Vec<Run>, Vec<Run>) {
        if !self.are_free() {
            return (Vec::new(), vec![Run::of(ANY_SIZE)]);
        }
        let short = 0..=2 * i64::from(stages.min(MOST_SHORT));
        let sizes = |steps: &BTreeSet<i64>| {
            let widest = steps.iter().rev().take(MOST_STEPS);
            let sizes = widest.flat_map(|step| short.clone().map(|trips| trips.saturating_mul(*step)));
            sizes.collect::<BTreeSet<i64>>()
        };
        let deepest = self.deepest();
        let long = LONG[deepest.clamp(1, LONG.len()) - 1];
        let long = (1..=long).rev().find(|trips| is_short(*trips, deepest)).unwrap_or(1);
        let long = Run::of(self.of_trips(long));
        if self.is_apart() {
            let steps = self.open.iter().filter(|for_| self.is_deepest(**for_));
            let short = sizes(&steps.map(|for_| step(*for_)).collect()).into_iter();
            let short = short.map(|size| self.inside(size, MOST_SHORT_INSIDE));
            let inside = LONG_INSIDE.map(|trips| self.run_of_trips(trips, MOST_LONG_INSIDE));
            return (short.chain([long]).collect(), inside.to_vec());
        }
        let mut all = sizes(&self.steps);
        all.retain(|size| self.iterations(Run::of(*size)) <= MOST_SHORT_ITERATIONS);
        let middle = MIDDLE.into_iter().filter(|_| deepest == 1);
        let middle = middle.map(|trips| self.of_trips(trips));
        (all.into_iter().chain(middle).map(Run::of).collect(), vec![long])
    }

    /// Short runs. Those with which they would have more commands altogether than `most` are left out, but for commands
    /// that the first run has as well, and so all of them.
    fn short_scenarios(&self, function: Op<'c>, runs: &[Run], most: u64) -> Vec<Scenario> {
        let places = places(function);
        let of_first = runs.first().map_or(0, |first| self.commands(&places, *first));
        let mut commands: u64 = 0;
        let scenario = |run: &Run| {
            let own = self.commands(&places, *run).saturating_sub(of_first);
            commands = commands.saturating_add(own);
            Scenario {
                arguments: self.arguments(*run),
                is_long: false,
                is_left_out: commands > most,
            }
        };
        runs.iter().map(scenario).collect()
    }

    /// About how many commands a run has: a loop that depends on the iteration of another one is taken to be as long as
    /// in the middle one of these, and one whose length is not known to have one iteration.
    fn commands(&self, places: &[Place<'c>], run: Run) -> u64 {
        let trips = |for_: &For<'c>| {
            let trips = for_.trip_count_with(|value| self.computed(value, run, MOST_COMPUTED, true));
            trips.map_or(1, |trips| trips.max(0).cast_unsigned())
        };
        let all = places
            .iter()
            .map(|(loops, commands)| loops.iter().map(trips).fold(*commands, u64::saturating_mul));
        all.fold(0, u64::saturating_add)
    }

    /// True for nests whose innermost loops have sizes that those around them have not.
    fn is_apart(&self) -> bool {
        // A bound that depends on a loop around is no size: a triangular nest is as short inside as it is around.
        let has_sizes = |for_: &For<'c>| {
            let sources = sources_of(for_.upper());
            !sources.is_empty() && sources.iter().all(|(value, _)| self.parameters.contains(value))
        };
        let inner = |for_: &&For<'c>| {
            self.open
                .iter()
                .any(|other| other.op != for_.op && other.op.contains(for_.op))
        };
        let mut innermost = self.open.iter().filter(|for_| self.is_deepest(**for_)).filter(inner);
        let longest = LONG_INSIDE.into_iter().max().unwrap_or(0);
        let longest = || self.run_inside(longest, MOST_LONG_INSIDE);
        !self.roles.around.is_empty() && innermost.all(has_sizes) && self.elements(longest()) <= MOST_ELEMENTS
    }

    /// Elements of all arguments in a run.
    fn elements(&self, run: Run) -> i64 {
        let each = self.arguments(run).into_iter().map(|argument| match argument {
            PaceArgument::Shape(extents) => extents.into_iter().fold(1, i64::saturating_mul),
            PaceArgument::Scalar(_) => 1,
        });
        each.fold(0, i64::saturating_add)
    }

    /// The run in which innermost loops have a size and loops around them few iterations, and the innermost loops no
    /// more than so many altogether, if possible.
    fn inside(&self, size: i64, most: i64) -> Run {
        let around = self.open.iter().filter(|for_| !self.is_deepest(**for_));
        let widest = around.map(|for_| step(*for_)).max().unwrap_or(1);
        let run = |few: i64| Run {
            inside: size,
            around: widest.saturating_mul(few),
        };
        let runs = (1..=FEW_AROUND).rev().map(run);
        runs.into_iter()
            .find(|run| self.iterations(*run) <= most)
            .unwrap_or_else(|| run(1))
    }

    /// The run in which loops have so many iterations, the innermost ones if these have sizes of their own.
    fn run_of_trips(&self, trips: i64, most: i64) -> Run {
        if self.is_apart() {
            self.run_inside(trips, most)
        } else {
            Run::of(self.of_trips(trips))
        }
    }

    /// The run in which innermost loops have so many iterations.
    fn run_inside(&self, trips: i64, most: i64) -> Run {
        let innermost = self.open.iter().filter(|for_| self.is_deepest(**for_));
        self.inside(size_of_trips(innermost, trips), most)
    }

    /// True for a loop of unknown length with no other one inside.
    fn is_deepest(&self, for_: For<'c>) -> bool {
        is_deepest(&self.open, for_)
    }

    /// Iterations of an innermost loop of unknown length, all together, the most of all these loops.
    fn iterations(&self, run: Run) -> i64 {
        let trips = |for_: &For<'c>| (self.roles.largest(*for_, run) / step(*for_)).max(1);
        let of_nest = |for_: &For<'c>| {
            let around = self.open.iter().filter(|other| other.op.contains(for_.op));
            around.map(trips).fold(1, i64::saturating_mul)
        };
        self.open.iter().map(of_nest).max().unwrap_or(0)
    }

    /// The iterations of a loop in a run; none if its length is not a plain size.
    fn trips(&self, for_: For<'c>, run: Run) -> Option<i64> {
        for_.trip_count_with(|value| self.number(value, run))
    }

    /// A constant, an argument, a size of one, or what a few operations compute of these.
    fn number(&self, value: Value<'c>, run: Run) -> Option<i64> {
        self.computed(value, run, MOST_COMPUTED, false)
    }

    /// The same of so many operations, one after the other, at the most: sums that share their operands would take
    /// twice as long with each more.
    fn computed(&self, value: Value<'c>, run: Run, most: u32, middle: bool) -> Option<i64> {
        if let Some(constant) = value.as_constant_int() {
            return Some(constant);
        }
        let Some(op) = value.defining_op() else {
            if self.parameters.contains(&value) {
                return Some(self.roles.number(value, run));
            }
            let of = value.parent_block().and_then(|block| block.parent_op());
            let for_ = of.and_then(For::of).filter(|for_| middle && for_.iv() == value)?;
            let most = most.checked_sub(1)?;
            let bound = |bound| self.computed(bound, run, most, middle);
            return Some(i64::midpoint(bound(for_.lower())?, bound(for_.upper())?));
        };
        match op.name() {
            "arith.index_cast" | "arith.extsi" => self.computed(op.operand(0), run, most, middle),
            "memref.dim" => {
                let of = MemRef::of(op.operand(0).ty()).filter(|_| self.parameters.contains(&op.operand(0)))?;
                let dim = usize::try_from(op.operand(1).as_constant_int()?).ok()?;
                Some(
                    of.shape
                        .get(dim)?
                        .unwrap_or(self.roles.size((op.operand(0), Some(dim)), run)),
                )
            }
            name => {
                let of: fn(i64, i64) -> Option<i64> = match name {
                    "arith.addi" => i64::checked_add,
                    "arith.subi" => i64::checked_sub,
                    "arith.muli" => i64::checked_mul,
                    // Sizes are not negative.
                    "arith.divsi" | "arith.divui" | "arith.floordivsi" => i64::checked_div_euclid,
                    "arith.ceildivsi" | "arith.ceildivui" => {
                        |a, b| a.checked_add(b.checked_sub(1)?)?.checked_div_euclid(b)
                    }
                    "arith.minsi" | "arith.minui" => |a, b| Some(a.min(b)),
                    "arith.maxsi" | "arith.maxui" => |a, b| Some(a.max(b)),
                    _ => return None,
                };
                let most = most.checked_sub(1)?;
                let operand = |at| self.computed(op.operand(at), run, most, middle);
                of(operand(0)?, operand(1)?)
            }
        }
    }

    /// True if the lengths of loops depend on sizes.
    fn are_free(&self) -> bool {
        let is_sized = self.open.iter().any(|for_| for_.upper().as_constant_int().is_none());
        is_sized && self.arguments(Run::of(1)) != self.arguments(Run::of(2))
    }

    /// Loops of unknown length around each other.
    fn deepest(&self) -> usize {
        let around = |for_: &For<'c>| self.open.iter().filter(|other| other.op.contains(for_.op)).count();
        self.open.iter().map(around).max().unwrap_or(1)
    }

    /// The size with which the loop of the largest step has so many iterations, an innermost one if there are several.
    fn of_trips(&self, trips: i64) -> i64 {
        size_of_trips(self.open.iter(), trips)
    }

    fn arguments(&self, run: Run) -> Vec<PaceArgument> {
        let each = self.parameters.iter();
        each.map(|parameter| argument(*parameter, &self.roles, run)).collect()
    }
}

/// The loops around some commands, and how many commands these are.
type Place<'c> = (Vec<For<'c>>, u64);

/// All commands of a function by the loops around them.
fn places(function: Op<'_>) -> Vec<Place<'_>> {
    let mut places: Vec<Place<'_>> = Vec::new();
    for op in function.walk() {
        if sync_engine(op).is_some() || Start::of(op).is_some() {
            let loops: Vec<For<'_>> = op.parents().filter_map(For::of).collect();
            match places.last_mut().filter(|(others, _)| *others == loops) {
                Some((_, commands)) => *commands += 1,
                None => places.push((loops, 1)),
            }
        }
    }
    places
}

/// Whether the innermost of so many loops around each other has few iterations altogether, if each has so many.
fn is_short(trips: i64, depth: usize) -> bool {
    let all = u32::try_from(depth).ok().and_then(|depth| trips.checked_pow(depth));
    all.is_some_and(|all| all <= MOST_ITERATIONS)
}

/// The size with which the one of some loops that has the largest step has so many iterations. Of several it is an
/// innermost one.
fn size_of_trips<'i, 'c: 'i>(loops: impl Iterator<Item = &'i For<'c>>, trips: i64) -> i64 {
    let widest = loops.max_by_key(|for_| (step(**for_), for_.is_innermost()));
    let lower = widest.and_then(|for_| for_.lower().as_constant_int());
    let range = trips.saturating_mul(widest.map_or(1, |for_| step(*for_)));
    range.saturating_add(lower.filter(|lower| *lower > 0).unwrap_or(0))
}

/// The part of a size that an iteration goes through: the step, times what the upper bound is divided by, if it is a
/// number of tiles.
fn step(for_: For<'_>) -> i64 {
    let step = for_.step().as_constant_int().filter(|step| *step > 0).unwrap_or(1);
    step.saturating_mul(divisor(for_.upper()))
}

/// The constant that a number is divided by; 1 without one.
fn divisor(value: Value<'_>) -> i64 {
    let Some(op) = value.defining_op() else { return 1 };
    match op.name() {
        "arith.index_cast" | "arith.extsi" => divisor(op.operand(0)),
        "arith.divsi" | "arith.divui" | "arith.floordivsi" | "arith.ceildivsi" | "arith.ceildivui" => {
            let by = op.operand(1).as_constant_int();
            by.filter(|by| *by > 0).unwrap_or(1)
        }
        _ => 1,
    }
}

/// True for one of some loops with no other one of them inside.
fn is_deepest<'c>(loops: &[For<'c>], for_: For<'c>) -> bool {
    !loops.iter().any(|other| *other != for_ && for_.op.contains(other.op))
}

/// An argument, or a dimension of one that is a buffer.
type Source<'c> = (Value<'c>, Option<usize>);

/// Arguments that bounds of loops are made of. One that an upper bound is made of is a size, whatever else it is.
#[derive(Debug, Default)]
struct Roles<'c> {
    upper: HashSet<Value<'c>>,
    lower: HashSet<Value<'c>>,
    step: HashSet<Value<'c>>,
    /// Sources of the upper bounds of loops around others that no innermost loop has, and dimensions that only such
    /// loops index.
    around: HashSet<Source<'c>>,
}

impl<'c> Roles<'c> {
    fn of(loops: &[For<'c>], parameters: &[Value<'c>]) -> Self {
        let mut roles = Self::default();
        let mut inside = HashSet::new();
        for for_ in loops {
            collect(for_.upper(), &mut roles.upper);
            collect(for_.lower(), &mut roles.lower);
            collect(for_.step(), &mut roles.step);
            let sources = if is_deepest(loops, *for_) {
                &mut inside
            } else {
                &mut roles.around
            };
            sources.extend(sources_of(for_.upper()));
        }
        // A loop that depends on the iteration of another one has no size of its own.
        let is_size = |source: &Source<'c>| parameters.contains(&source.0) && !inside.contains(source);
        roles.around.retain(is_size);
        let is_around = |for_: &&For<'c>| {
            let sources = sources_of(for_.upper());
            let is_known = !sources.is_empty() && sources.iter().all(|source| roles.around.contains(source));
            is_known && !is_deepest(loops, **for_)
        };
        let ivs: HashSet<Value<'c>> = loops.iter().filter(is_around).map(|for_| for_.iv()).collect();
        let walked = parameters.iter().flat_map(|parameter| {
            let dims = walked(*parameter, &ivs).into_iter();
            dims.map(|dim| (*parameter, Some(dim)))
        });
        let walked: Vec<Source<'c>> = walked.filter(|source| !inside.contains(source)).collect();
        roles.around.extend(walked);
        roles
    }

    /// A number that makes loops run from 0, in steps of 1, as far as a size.
    fn number(&self, parameter: Value<'c>, run: Run) -> i64 {
        match parameter {
            _ if self.upper.contains(&parameter) => self.size((parameter, None), run),
            _ if self.lower.contains(&parameter) => 0,
            _ if self.step.contains(&parameter) => 1,
            _ => run.inside,
        }
    }

    /// The size that a source is in a run.
    fn size(&self, source: Source<'c>, run: Run) -> i64 {
        if self.around.contains(&source) {
            run.around
        } else {
            run.inside
        }
    }

    /// The largest size that the upper bound of a loop is made of.
    fn largest(&self, for_: For<'c>, run: Run) -> i64 {
        let sizes = sources_of(for_.upper())
            .into_iter()
            .map(|source| self.size(source, run));
        sizes.max().unwrap_or(run.inside.max(run.around))
    }
}

/// Dimensions of an argument that only some loops index: every use is a view that begins at their iterations.
fn walked<'c>(parameter: Value<'c>, ivs: &HashSet<Value<'c>>) -> Vec<usize> {
    let rank = MemRef::of(parameter.ty()).map_or(0, |memref| memref.rank());
    let users = parameter.uses().into_iter().map(|used| used.op);
    let offsets: Option<Vec<_>> = users.filter(|op| !op.is("memref.dim")).map(offsets).collect();
    let Some(offsets) = offsets.filter(|offsets| !offsets.is_empty()) else {
        return Vec::new();
    };
    let is_led = |value: Value<'c>| {
        let mut all = HashSet::new();
        collect(value, &mut all);
        let is_known = |value: &Value<'c>| {
            let is_pure = value.defining_op().is_some_and(Op::is_memory_effect_free);
            is_pure || ivs.contains(value)
        };
        all.iter().all(is_known) && all.iter().any(|value| ivs.contains(value))
    };
    let dims = (0..rank).filter(|dim| {
        let mut each = offsets.iter().map(|offsets| offsets.get(*dim).copied().flatten());
        each.all(|offset| offset.is_some_and(is_led))
    });
    dims.collect()
}

/// The offsets of a subview that are no constants; `None` for another operation.
fn offsets(op: Op<'_>) -> Option<Vec<Option<Value<'_>>>> {
    if !op.is("memref.subview") {
        return None;
    }
    let mut dynamic = op.operands().into_iter().skip(1);
    let offsets = attr::as_int_array(op.attr("static_offsets")?)?.into_iter();
    let offset = |offset: i64| (offset == ty::dynamic_size()).then(|| dynamic.next()).flatten();
    Some(offsets.map(offset).collect())
}

/// The arguments, and dimensions of arguments, that a value is computed of.
fn sources_of<'c>(value: Value<'c>) -> Vec<Source<'c>> {
    let mut all = HashSet::new();
    collect(value, &mut all);
    let source = |value: Value<'c>| match value.defining_op() {
        Some(op) if op.is("memref.dim") => {
            Some((op.operand(0), usize::try_from(op.operand(1).as_constant_int()?).ok()))
        }
        Some(_) => None,
        None => MemRef::of(value.ty()).is_none().then_some((value, None)),
    };
    all.into_iter().filter_map(source).collect()
}

/// The values that a value is computed of, itself included.
fn collect<'c>(value: Value<'c>, found: &mut HashSet<Value<'c>>) {
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        if found.insert(value) {
            let op = value.defining_op().filter(|op| op.is_memory_effect_free());
            open.extend(op.into_iter().flat_map(Op::operands));
        }
    }
}

/// A value for an argument; those of sizes that are not known are the run's.
fn argument<'c>(parameter: Value<'c>, roles: &Roles<'c>, run: Run) -> PaceArgument {
    if let Some(memref) = MemRef::of(parameter.ty()) {
        let extents = memref.shape.iter().enumerate();
        let extents = extents.map(|(dim, extent)| extent.unwrap_or(roles.size((parameter, Some(dim)), run)));
        return PaceArgument::Shape(extents.collect());
    }
    let number = roles.number(parameter, run);
    PaceArgument::Scalar(match ty::scalar(parameter.ty()) {
        Some(ElementType::Int(1)) => 1,
        // A narrow number stays positive.
        Some(ElementType::Int(bits @ 2..64)) => number.min((1 << (bits - 1)) - 1).unsigned_abs(),
        Some(ElementType::Int(_) | ElementType::Index) => number.unsigned_abs(),
        _ => 0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deep_nests_are_run_with_few_iterations() {
        let most = |depth| (0..=LONG[0]).rev().find(|trips| is_short(*trips, depth));
        assert_eq!([1, 2, 4, 6, 8, 13].map(most), [1000, 64, 8, 4, 2, 1].map(Some));
    }
}
