use std::time::Instant;
use zpu_sync::place::{Limit, place};
fn main() {
    let ids: i64 = std::env::args().nth(1).unwrap().parse().unwrap();
    for file in std::env::args().skip(2) {
        let text = std::fs::read_to_string(&file).unwrap();
        let mut problem = zpu_sync::problem::text::read_problem(&text).unwrap();
        let t = Instant::now();
        let form = place(&mut problem, (ids > 0).then_some(Limit { ids, returns: false }));
        let e = t.elapsed();
        let waits: usize = form.tokens.waits.values().map(Vec::len).sum();
        let short: Vec<&str> = file.rsplit('/').take(2).collect();
        println!(
            "{:40} ids={ids} {:.3}s waits={waits} untried={} proven={} plainer={}",
            short[1],
            e.as_secs_f64(),
            form.untried,
            form.is_proven,
            form.is_plainer
        );
    }
}
