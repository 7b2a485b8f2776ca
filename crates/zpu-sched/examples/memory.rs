//! Figures of memory planning: `cargo run --release -p zpu-sched --example memory [quality|hidden|scale]
//! [FILE.csv...]`.
//!
//! A file has the lines `id,lower,upper,size` and is planned into 1 MiB, the capacity of the MiniMalloc challenge.
//! Every figure but those in seconds is the same on every machine.

use std::time::Instant;

use zpu_sched::memory::{Buffer, Effort, Life, Plan, Problem, Space, SpaceId, plan, verify_addresses};

/// The capacity of the MiniMalloc challenge.
const CHALLENGE: u64 = 1 << 20;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let files: Vec<&String> = arguments.iter().filter(|argument| argument.ends_with(".csv")).collect();
    let parts: [(&str, fn()); 3] = [("quality", quality), ("hidden", hidden), ("scale", scale)];
    for (name, part) in parts {
        if arguments.is_empty() || arguments.iter().any(|wanted| wanted == name) {
            part();
        }
    }
    if !files.is_empty() {
        println!(
            "{:<24} {:>8} {:>9} {:>9} {:>9} {:>7} {:>8}",
            "file", "buffers", "load", "greedy", "planned", "fits", "seconds"
        );
    }
    for file in files {
        challenge(file);
    }
}

/// SplitMix64 (Steele, Lea and Flood, 2014).
struct Random(u64);

impl Random {
    fn between(&mut self, least: u64, most: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        least + (z ^ (z >> 31)) % (most - least + 1)
    }
}

/// A verified plan, and how long it took.
fn solved(problem: &Problem, effort: &Effort) -> (Plan, f64) {
    let begin = Instant::now();
    let plan = plan(problem, effort).unwrap_or_else(|error| panic!("{}: {error}", problem.name));
    let seconds = begin.elapsed().as_secs_f64();
    verify_addresses(problem, &plan.offsets).unwrap_or_else(|violation| panic!("{}: {violation}", problem.name));
    (plan, seconds)
}

/// 10 to 30 buffers with lives of up to half the time, on a line or a circle.
fn random(random: &mut Random, is_circle: bool, powers: bool) -> Problem {
    let horizon = 100;
    let mut problem = if is_circle {
        Problem::circular("random", horizon)
    } else {
        Problem::linear("random")
    };
    let space = problem.add_space(Space::new("sram"));
    for place in 0..random.between(10, 30) {
        let bytes = if powers {
            1 << random.between(0, 5)
        } else {
            random.between(1, 40)
        };
        let length = random.between(1, if is_circle { 65 } else { 50 });
        let from = random.between(0, if is_circle { horizon - 1 } else { horizon - length });
        problem.add_buffer(Buffer::new(place.to_string(), space, bytes, from, length));
    }
    problem
}

/// Ratios to the proven optimum.
fn quality() {
    const COUNT: u32 = 250;
    println!("{COUNT} random problems a line, 10 to 30 buffers; ratios to the proven optimum, mean (worst)");
    println!(
        "{:<22} {:>7} {:>15} {:>15} {:>15} {:>10} {:>8} {:>9}",
        "problems", "proven", "greedy", "order search", "default", "over load", "seconds", "slowest"
    );
    for (name, is_circle, powers) in [
        ("linear, 1 to 40", false, false),
        ("linear, powers of 2", false, true),
        ("circular, 1 to 40", true, false),
        ("circular, powers of 2", true, true),
    ] {
        let mut numbers = Random(1);
        let (mut proven, mut over_load, mut seconds, mut slowest) = (0, 0, 0.0, 0f64);
        let mut ratios = [(0.0, 0f64); 3];
        for _ in 0..COUNT {
            let problem = random(&mut numbers, is_circle, powers);
            let (best, took) = solved(&problem, &Effort::thorough());
            let optimum = best.spaces[0].planned;
            seconds += took;
            slowest = slowest.max(took);
            proven += u32::from(best.spaces[0].proven);
            over_load += u32::from(optimum > best.spaces[0].load);
            let efforts = [Effort::greedy(), Effort::heuristic(), Effort::default()];
            for (ratio, effort) in ratios.iter_mut().zip(efforts) {
                let planned = solved(&problem, &effort).0.spaces[0].planned;
                let of = planned as f64 / optimum as f64;
                *ratio = (ratio.0 + of / f64::from(COUNT), ratio.1.max(of));
            }
        }
        let [greedy, search, default] = ratios.map(|(mean, worst)| format!("{mean:.4} ({worst:.3})"));
        println!(
            "{name:<22} {proven:>7} {greedy:>15} {search:>15} {default:>15} {over_load:>10} {seconds:>8.2} \
             {slowest:>9.3}"
        );
    }
}

/// Cuts a rectangle of time and bytes, or a cylinder, into buffers and forgets where they were.
fn cut(random: &mut Random, count: usize, height: u64, is_circle: bool) -> Problem {
    let horizon = 1_000;
    let mut pieces = vec![(0, horizon, 0, height)];
    while pieces.len() < count {
        let place = random.between(0, pieces.len() as u64 - 1) as usize;
        let (from, to, low, high) = pieces[place];
        let in_time = random.between(0, 1) == 0;
        if in_time && to - from > 1 {
            let at = random.between(from + 1, to - 1);
            pieces[place] = (from, at, low, high);
            pieces.push((at, to, low, high));
        } else if !in_time && high - low > 1 {
            let at = random.between(low + 1, high - 1);
            pieces[place] = (from, to, low, at);
            pieces.push((from, to, at, high));
        }
    }
    let mut problem = if is_circle {
        Problem::circular("cut", horizon)
    } else {
        Problem::linear("cut")
    };
    let space = problem.add_space(Space::new("sram"));
    let turn = if is_circle { random.between(0, horizon - 1) } else { 0 };
    for (place, (from, to, low, high)) in pieces.into_iter().enumerate() {
        let begin = if is_circle { (from + turn) % horizon } else { from };
        let buffer = Buffer::new(place.to_string(), space, high - low, begin, to - from);
        problem.add_buffer(buffer);
    }
    problem
}

/// Problems of which the optimum is known.
fn hidden() {
    println!("\nconstructed, then hidden: of 20 problems, those solved to the height that they were cut from");
    println!(
        "{:<10} {:>8} {:>8} {:>15} {:>9} {:>9}",
        "shape", "buffers", "solved", "default", "seconds", "slowest"
    );
    for (name, is_circle) in [("rectangle", false), ("cylinder", true)] {
        for count in [10, 20, 30, 50, 100] {
            let mut numbers = Random(count as u64);
            let (mut exact, mut mean, mut worst, mut seconds, mut slowest) = (0, 0.0, 0f64, 0.0, 0f64);
            for _ in 0..20 {
                let height = 1_000;
                let problem = cut(&mut numbers, count, height, is_circle);
                let (best, took) = solved(&problem, &Effort::thorough());
                exact += u32::from(best.spaces[0].planned == height);
                seconds += took;
                slowest = slowest.max(took);
                let of = solved(&problem, &Effort::default()).0.spaces[0].planned as f64 / height as f64;
                mean += of / 20.0;
                worst = worst.max(of);
            }
            let default = format!("{mean:.4} ({worst:.3})");
            println!("{name:<10} {count:>8} {exact:>8} {default:>15} {seconds:>9.2} {slowest:>9.3}");
        }
    }
}

/// Growth with size.
fn scale() {
    println!("\nrandom linear problems of many buffers, default effort");
    println!(
        "{:>8} {:>12} {:>12} {:>7} {:>9}",
        "buffers", "load", "planned", "ratio", "seconds"
    );
    for count in [100, 300, 1_000, 3_000, 10_000] {
        let mut numbers = Random(3);
        let mut problem = Problem::linear("scale");
        let space = problem.add_space(Space {
            align: 64,
            ..Space::new("sram")
        });
        for place in 0..count {
            let (from, length) = (numbers.between(0, 100_000), numbers.between(1, 10_000));
            let bytes = 64 * numbers.between(1, 1_000);
            problem.add_buffer(Buffer::new(place.to_string(), space, bytes, from, length));
        }
        let (plan, seconds) = solved(&problem, &Effort::default());
        let of = &plan.spaces[0];
        let ratio = of.planned as f64 / of.load as f64;
        println!(
            "{count:>8} {:>12} {:>12} {ratio:>7.4} {seconds:>9.2}",
            of.load, of.planned
        );
    }
}

fn challenge(file: &str) {
    let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{file}: {error}"));
    let mut problem = Problem::linear(file);
    problem.add_space(Space {
        bytes: Some(CHALLENGE),
        ..Space::new("sram")
    });
    for line in text.lines().skip(1).filter(|line| !line.is_empty()) {
        let numbers: Vec<u64> = line
            .split(',')
            .map(|number| number.parse().expect("a number"))
            .collect();
        let life = Life {
            from: numbers[1],
            length: numbers[2] - numbers[1],
        };
        let buffer = Buffer::new(numbers[0].to_string(), SpaceId(0), numbers[3], life.from, life.length);
        problem.add_buffer(buffer);
    }
    let greedy = solved(&problem, &Effort::greedy()).0.spaces[0].planned;
    let (plan, seconds) = solved(&problem, &Effort::thorough());
    let of = &plan.spaces[0];
    println!(
        "{:<24} {:>8} {:>9} {greedy:>9} {:>9} {:>7} {seconds:>8.2}",
        file.rsplit('/').next().unwrap_or(file),
        problem.buffers.len(),
        of.load,
        of.planned,
        of.planned <= CHALLENGE,
    );
}
