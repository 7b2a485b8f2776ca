//! scratch
mod common;
use common::machine::{self, Call};
use common::{generate, records, Program, edit};
use zpu_sync::problem::text::{read_problem, write_problem};
use zpu_sync::verdict;
fn ok(program: &Program) -> bool {
    let problem = read_problem(&write_problem(&records::problem_of(program))).unwrap();
    let v = verdict::verify(&problem).unwrap();
    v.findings.is_empty() && !v.has_given_up
}
fn bad(program: &Program) -> Option<(Call, Vec<machine::Fault>)> {
    for n in -1..=6 { for m in if program.numbers > 1 { -1..=6 } else { 0..=0 } { for f in 0..1 << program.flags { for aliased in [false, true] {
        let call = Call { numbers: vec![n, m], flags: vec![f == 1], aliased };
        let f = machine::faults(&machine::trace(program, &call)?);
        if !f.is_empty() { return Some((call, f.into_iter().collect())); }
    }}}}
    None
}
#[test]
fn smoke() {
    let seed: u64 = std::env::var("SEED").unwrap().parse().unwrap();
    let p = generate::program(seed);
    println!("{p}");
    let r = edit::reduced(&p, &|p| bad(p).is_some() && ok(p));
    println!("{r}\n{:?}", bad(&r));
}
