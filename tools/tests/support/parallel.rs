//! Work on all processors, with answers in the order of the questions.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Calls `work` with 0 to `count`.
pub(crate) fn each<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let threads = thread::available_parallelism().map_or(1, usize::from).min(count);
    let worker = || {
        let numbers = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
        let numbers = numbers.take_while(|number| *number < count);
        numbers.map(|number| (number, work(number))).collect::<Vec<_>>()
    };
    let mut answers: Vec<(usize, T)> = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(worker)).collect();
        let answers = workers
            .into_iter()
            .flat_map(|each| each.join().expect("no worker panics"));
        answers.collect()
    });
    answers.sort_by_key(|(number, _)| *number);
    answers.into_iter().map(|(_, answer)| answer).collect()
}
