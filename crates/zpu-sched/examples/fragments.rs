//! Figures of fragment schedules: `cargo xtask bench --of=fragments`, or
//! `cargo run --release -p zpu-sched --example fragments [known|sweep|uneven|budgets|scale]`.
//!
//! Every figure but those in seconds is the same on every machine.

use std::time::Instant;

use zpu_sched::fragment::uniform::Pipeline;
use zpu_sched::fragment::{
    Answer, AutoOptions, Builtin, Claims, Program, RematOptions, Request, rematerialise, schedule, verify,
};

fn main() {
    let parts: [(&str, fn()); 5] = [
        ("known", known),
        ("sweep", sweep),
        ("uneven", uneven),
        ("budgets", budgets),
        ("scale", scale),
    ];
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    for (name, part) in parts {
        if wanted.is_empty() || wanted.iter().any(|wanted| wanted == name) {
            part();
        }
    }
}

/// The verified answer to a request.
fn answer(program: &Program, request: &Request, memory_cap: Option<u64>) -> Option<Answer> {
    let answer = schedule(program, request).ok()?;
    let claims = Claims {
        timing: Some(&answer.timing),
        bound: answer.bound,
        memory_cap,
        counts: false,
    };
    verify(program, &answer.schedule, &claims).unwrap_or_else(|violation| panic!("{violation}"));
    Some(answer)
}

fn auto(program: &Program, memory_cap: Option<u64>) -> Option<Answer> {
    let options = AutoOptions {
        memory_cap,
        ..AutoOptions::default()
    };
    answer(program, &Request::Auto(options), memory_cap)
}

/// The least makespan of the built-in schedules that fit, with its name.
fn best_builtin(program: &Program, memory_cap: Option<u64>) -> Option<(u64, &'static str)> {
    let each = Builtin::ALL.into_iter().filter_map(|builtin| {
        let answer = answer(program, &Request::Builtin(builtin), None)?;
        let fits = memory_cap.is_none_or(|cap| peak(&answer) <= cap);
        fits.then_some((answer.timing.makespan, builtin.name()))
    });
    each.min()
}

fn peak(answer: &Answer) -> u64 {
    answer.timing.meshes.iter().map(|mesh| mesh.peak).max().unwrap_or(0)
}

/// Six meshes and 24 microbatches, as in the literature of zero-bubble schedules.
fn known() {
    println!("6 meshes, 24 microbatches, F = B = W; times of the second block are doubled, so its latency is a half");
    println!(
        "{:>5} {:>7} {:>5} {:>8} {:>6} {:>5} {:>7} {:>8}  best built-in",
        "cycle", "latency", "cap", "makespan", "bound", "peak", "proven", "seconds"
    );
    for (cycles, latency) in [(1, 0), (1, 1), (2, 1)] {
        for cap in [None, Some(11), Some(6)] {
            let program = Pipeline::new(6, 24)
                .timed(cycles, cycles, cycles)
                .split()
                .latency(latency)
                .program();
            let begin = Instant::now();
            let Some(answer) = auto(&program, cap) else { continue };
            let seconds = begin.elapsed().as_secs_f64();
            let builtin = best_builtin(&program, cap);
            println!(
                "{cycles:>5} {latency:>7} {:>5} {:>8} {:>6} {:>5} {:>7} {seconds:>8.2}  {}",
                cap.map_or("none".to_owned(), |cap| cap.to_string()),
                answer.timing.makespan,
                answer.bound,
                peak(&answer),
                answer.proven,
                builtin.map_or("none fits".to_owned(), |(makespan, name)| format!("{makespan} {name}")),
            );
        }
    }
}

/// All sizes, latencies and caps.
fn sweep() {
    println!("\n`auto` against all built-in schedules: p = 2..8, m = 1..32, latency 0, 1/2, 1 of a fragment");
    println!(
        "{:>8} {:>10} {:>6} {:>7} {:>7} {:>9} {:>9}",
        "latency", "cap", "cases", "proven", "better", "mean gap", "worst gap"
    );
    for (latency, cycles) in [(0, 1), (1, 2), (1, 1)] {
        for (name, cap) in [("none", None), ("2p - 1", Some(2)), ("p", Some(1))] {
            let (mut cases, mut proven, mut better, mut gap, mut worst) = (0u32, 0u32, 0u32, 0.0, 0.0f64);
            for p in 2..=8u32 {
                for m in 1..=32u32 {
                    let program = Pipeline::new(p, m)
                        .timed(cycles, cycles, cycles)
                        .split()
                        .latency(latency)
                        .program();
                    let cap = cap.map(|of: u32| u64::from(of * p - (of - 1)));
                    let found = auto(&program, cap).expect("one microbatch at a time fits");
                    let builtin = best_builtin(&program, cap);
                    let makespan = found.timing.makespan;
                    assert!(
                        builtin.is_none_or(|(builtin, _)| makespan <= builtin),
                        "{p} {m} {cap:?}"
                    );
                    cases += 1;
                    proven += u32::from(found.proven);
                    better += u32::from(builtin.is_none_or(|(builtin, _)| makespan < builtin));
                    let of = makespan as f64 / found.bound as f64 - 1.0;
                    gap += of;
                    worst = worst.max(of);
                }
            }
            println!(
                "{:>8} {name:>10} {cases:>6} {proven:>7} {better:>7} {:>7.2} % {:>7.2} %",
                latency as f64 / cycles as f64,
                gap * 100.0 / f64::from(cases),
                worst * 100.0
            );
        }
    }
}

/// Random costs of stages.
fn uneven() {
    const SETS: u32 = 1_000;
    // SplitMix64 (Steele, Lea and Flood, 2014).
    let mut state = 7u64;
    let mut between = |least: u64, most: u64| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        least + (z ^ (z >> 31)) % (most - least + 1)
    };
    let (mut gap, mut worst, mut gain, mut proven) = (0.0, 0.0f64, 0.0, 0u32);
    let begin = Instant::now();
    for _ in 0..SETS {
        let p = between(2, 8) as u32;
        let pipeline = Pipeline {
            cycles: (0..p).map(|_| [(); 3].map(|()| between(1, 20))).collect(),
            latency: between(0, 10),
            ..Pipeline::new(p, between(1, 24) as u32).split()
        };
        let program = pipeline.program();
        let found = auto(&program, None).expect("there is no cap");
        let (builtin, _) = best_builtin(&program, None).expect("GPipe always applies");
        assert!(found.timing.makespan <= builtin, "{pipeline:?}");
        let of = found.timing.makespan as f64 / found.bound as f64 - 1.0;
        gap += of;
        worst = worst.max(of);
        gain += builtin as f64 / found.timing.makespan as f64 - 1.0;
        proven += u32::from(found.proven);
    }
    let percent = |sum: f64| sum * 100.0 / f64::from(SETS);
    println!(
        "\n{SETS} sets of uneven stages: none worse than a built-in schedule, {proven} proven, mean gap to the bound \
         {:.2} %, worst {:.2} %; the best built-in is {:.2} % slower on average; {:.1} s",
        percent(gap),
        worst * 100.0,
        percent(gain),
        begin.elapsed().as_secs_f64()
    );
}

/// Cycles that a budget costs.
fn budgets() {
    println!("\nbudgets for p = 4, m = 8, F = 1, B = 2: cycles computed more, then the makespan");
    println!("{:>6} {:>10} {:>10} {:>10}", "budget", "1F1B", "GPipe", "H1");
    for budget in (1..=8).rev() {
        print!("{budget:>6}");
        for builtin in [Builtin::OneForwardOneBackward, Builtin::GPipe, Builtin::ZeroBubbleH1] {
            let pipeline = Pipeline::new(4, 8);
            let is_split = builtin == Builtin::ZeroBubbleH1;
            let program = if is_split { pipeline.split() } else { pipeline }.program();
            let options = RematOptions {
                budget: Some(budget),
                ..RematOptions::default()
            };
            let order = answer(&program, &Request::Builtin(builtin), None).expect("it applies");
            match rematerialise(&program, &order, &options) {
                Ok(found) => {
                    let proven = if found.cost.proven { "" } else { "?" };
                    let makespan = found.answer.timing.makespan;
                    print!(" {:>10}", format!("{}{proven}, {makespan}", found.cost.cycles));
                }
                Err(_) => print!(" {:>10}", "no"),
            }
        }
        println!();
    }
}

/// Growth with size.
fn scale() {
    println!("\nscheduling, in seconds; with transfers, there is one for each result that goes to another mesh");
    println!(
        "{:>6} {:>6} {:>10} {:>9} {:>9} {:>9} {:>10}",
        "meshes", "micro", "transfers", "nodes", "schedule", "verify", "us a node"
    );
    for has_transfers in [false, true] {
        for (p, m) in [(64, 256), (128, 512), (256, 1024), (512, 2048)] {
            let pipeline = Pipeline {
                transfers: has_transfers.then_some(0),
                ..Pipeline::new(p, m)
            };
            let program = pipeline.program();
            let begin = Instant::now();
            let request = Request::Builtin(Builtin::OneForwardOneBackward);
            let found = schedule(&program, &request).expect("it applies");
            let seconds = begin.elapsed().as_secs_f64();
            assert_eq!(found.timing.makespan, u64::from(p + m - 1) * 3);
            let begin = Instant::now();
            let claims = Claims {
                timing: Some(&found.timing),
                bound: found.bound,
                memory_cap: Some(p.into()),
                counts: true,
            };
            verify(&program, &found.schedule, &claims).unwrap_or_else(|violation| panic!("{violation}"));
            let count = program.nodes.len();
            println!(
                "{p:>6} {m:>6} {has_transfers:>10} {count:>9} {seconds:>9.2} {:>9.2} {:>10.2}",
                begin.elapsed().as_secs_f64(),
                seconds * 1e6 / count as f64
            );
        }
    }
}
