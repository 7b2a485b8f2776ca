//! Pseudo-random numbers, the same ones on every machine, and what several tests need.

use zpu_sched::fragment::uniform::Pipeline;
use zpu_sched::fragment::{Answer, Builtin, Claims, Program, Request, schedule, verify};

/// SplitMix64 (Steele, Lea and Flood, 2014).
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from `least` to `most`.
    pub(crate) fn between(&mut self, least: u64, most: u64) -> u64 {
        least + self.next() % (most - least + 1)
    }

    pub(crate) fn index(&mut self, count: usize) -> usize {
        (self.next() % count as u64) as usize
    }

    pub(crate) fn shuffle<T>(&mut self, list: &mut [T]) {
        for last in (1..list.len()).rev() {
            list.swap(last, self.index(last + 1));
        }
    }
}

/// The answer to a request, verified.
pub(crate) fn answer(program: &Program, request: &Request) -> Answer {
    let answer = schedule(program, request).unwrap_or_else(|error| panic!("{error}"));
    let claims = Claims {
        timing: Some(&answer.timing),
        bound: answer.bound,
        counts: matches!(request, Request::Builtin(_)) && *request != Request::Builtin(Builtin::None),
        ..Claims::default()
    };
    verify(program, &answer.schedule, &claims).unwrap_or_else(|violation| panic!("{violation}"));
    answer
}

/// A built-in schedule of a pipeline, verified.
pub(crate) fn by_name(pipeline: &Pipeline, builtin: Builtin) -> Answer {
    answer(&pipeline.program(), &Request::Builtin(builtin))
}

/// Makespan, largest own bubble, largest peak.
pub(crate) fn figures(answer: &Answer) -> (u64, u64, u64) {
    let meshes = &answer.timing.meshes;
    (
        answer.timing.makespan,
        meshes.iter().map(|mesh| mesh.bubble()).max().unwrap_or(0),
        meshes.iter().map(|mesh| mesh.peak).max().unwrap_or(0),
    )
}
