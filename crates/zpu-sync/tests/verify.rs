//! scratch
mod common;
use common::machine::{self, Call};
use common::{Program, edit, generate, records};
use zpu_sync::problem::text::{read_problem, write_problem};
use zpu_sync::verdict;
fn ok(program: &Program) -> bool {
    let problem = read_problem(&write_problem(&records::problem_of(program))).unwrap();
    let v = verdict::verify(&problem).unwrap();
    v.findings.is_empty() && !v.has_given_up
}
fn bad(program: &Program) -> Option<(Call, Vec<machine::Fault>)> {
    for n in -1..=6 {
        for m in if program.numbers > 1 { -1..=6 } else { 0..=0 } {
            for f in 0..1 << program.flags {
                for aliased in [false, true] {
                    let call = Call {
                        numbers: vec![n, m],
                        flags: vec![f == 1],
                        aliased,
                    };
                    let f = machine::faults(&machine::trace(program, &call)?);
                    if !f.is_empty() {
                        return Some((call, f.into_iter().collect()));
                    }
                }
            }
        }
    }
    None
}
fn repaired(program: &Program) -> Option<Program> {
    let mut p = program.clone();
    for _ in 0..12 {
        let Some((call, f)) = bad(&p) else { return Some(p) };
        let at = f[0].at();
        let mut best = None;
        for e in [vec![0], vec![1], vec![2], vec![0, 1, 2]] {
            let q = edit::fenced(&p, at, &e);
            let faults = machine::faults(&machine::trace(&q, &call)?);
            if best.is_none() && faults.iter().all(|f| f.at() != at + 1 && (at != 0 || f.at() != 0)) {
                best = Some(q);
            }
        }
        p = best?;
    }
    None
}
#[test]
fn smoke() {
    let from: u64 = std::env::var("FROM").unwrap().parse().unwrap();
    let n: u64 = std::env::var("N").unwrap().parse().unwrap();
    let (mut clean, mut both, mut rep, mut repok) = (0, 0, 0, 0);
    for seed in from..from + n {
        let p = generate::program(seed);
        let b = bad(&p);
        let o = ok(&p);
        clean += usize::from(b.is_none());
        both += usize::from(b.is_none() && o);
        if o && b.is_some() {
            let r = edit::reduced(&p, &|p| bad(p).is_some() && ok(p));
            println!("WRONG {seed}\n{r}\n{:?}", bad(&r));
        }
        if b.is_some()
            && let Some(q) = repaired(&p)
        {
            rep += 1;
            if ok(&q) {
                repok += 1
            }
        }
    }
    println!("{clean} clean {both} proven; {rep} repaired {repok} proven");
}
