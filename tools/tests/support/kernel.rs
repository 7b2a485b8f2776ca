//! The kernels of `test/kernels` with the arguments that its README lists.

use std::fs;
use std::path::{Path, PathBuf};

use zpu_device::ElementType::{self, Bf16, F32};

use super::case::Case;

/// Trip counts: none, one, fewer than, as many as and many more than the stages.
pub(crate) const TRIPS: [i64; 5] = [0, 1, 2, 3, 17];

/// Scripts that tile and promote a matrix product.
pub(crate) const SCRIPTS: [&str; 4] = ["two-level", "two-level-full-tiles", "innermost", "innermost-full-tiles"];

/// A front end's program and its calls.
#[derive(Clone, Debug)]
pub(crate) struct Kernel {
    /// File without its ending.
    pub(crate) name: &'static str,
    /// The function.
    pub(crate) entry: &'static str,
    /// Script for the transform dialect, without prefix and ending.
    pub(crate) script: Option<&'static str>,
    /// Clean it up before anything else.
    pub(crate) canonical: bool,
    /// Its calls.
    pub(crate) cases: Vec<Case>,
}

impl Kernel {
    /// Its name in messages.
    pub(crate) fn label(&self) -> String {
        let script = self.script.map(|script| format!(" by {script}")).unwrap_or_default();
        let canonical = if self.canonical { ", canonical" } else { "" };
        format!("{}{script}{canonical}", self.name)
    }

    /// Its text.
    pub(crate) fn text(&self) -> String {
        let path = folder().join(format!("{}.mlir", self.name));
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// Its text with that number for the dynamic sizes; offsets stay dynamic.
    pub(crate) fn constant_text(&self, size: i64) -> String {
        ["<", "x", "["].iter().fold(self.text(), |text, before| {
            text.replace(&format!("{before}?"), &format!("{before}{size}"))
        })
    }

    /// The path of its script.
    pub(crate) fn script_path(&self) -> Option<PathBuf> {
        self.script
            .map(|script| folder().join(format!("matmul-{script}.transform.mlir")))
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../test/kernels")
}

fn plain(name: &'static str, entry: &'static str, cases: Vec<Case>) -> Kernel {
    Kernel {
        name,
        entry,
        script: None,
        canonical: false,
        cases,
    }
}

fn case(trips: i64, constant: Option<i64>, element: ElementType, shapes: &[&[i64]]) -> Case {
    Case {
        trips,
        arguments: shapes.iter().map(|shape| (element, shape.to_vec())).collect(),
        constant,
    }
}

/// The last argument in f32, as results of narrow operands are.
fn wide_result(mut case: Case) -> Case {
    if let Some(last) = case.arguments.last_mut() {
        last.0 = F32;
    }
    case
}

/// Vector addition.
pub(crate) fn vector_add() -> Vec<Kernel> {
    let cases = |element, tile: i64| {
        TRIPS
            .map(|trips| {
                let n = trips * tile;
                case(trips, Some(n), element, &[&[n], &[n], &[n]])
            })
            .to_vec()
    };
    vec![
        plain("vector-add-f32", "vector_add", cases(F32, 256)),
        plain("vector-add-bf16", "vector_add", cases(Bf16, 128)),
    ]
}

/// RMS norm.
pub(crate) fn rms_norm() -> Vec<Kernel> {
    let cases = |element, tile: i64, columns: i64| {
        TRIPS
            .map(|trips| {
                let rows = trips * tile;
                case(
                    trips,
                    Some(rows),
                    element,
                    &[&[rows, columns], &[columns], &[rows, columns]],
                )
            })
            .to_vec()
    };
    vec![
        plain("rms-norm-f32", "rms_norm", cases(F32, 8, 256)),
        plain("rms-norm-bf16", "rms_norm", cases(Bf16, 16, 128)),
    ]
}

/// Attention for one block of queries.
pub(crate) fn attention() -> Vec<Kernel> {
    let single = TRIPS.map(|trips| {
        let n = trips * 32;
        case(trips, Some(n), F32, &[&[64, 64], &[n, 64], &[n, 64], &[64, 64]])
    });
    let narrow = TRIPS.map(|trips| {
        let n = trips * 64;
        // Upstream's subview verifier does not take a static size of 0 in the inner dimension.
        let constant = (n > 0).then_some(n);
        wide_result(case(
            trips,
            constant,
            Bf16,
            &[&[32, 128], &[128, n], &[n, 128], &[32, 128]],
        ))
    });
    vec![
        plain("attention-f32", "attention", single.to_vec()),
        plain("attention-bf16", "attention", narrow.to_vec()),
    ]
}

/// Attention with a loop over blocks of queries around the loop over keys.
pub(crate) fn attention_blocks() -> Vec<Kernel> {
    let cases = TRIPS.iter().flat_map(|&trips| {
        [0, 1, 3].map(|blocks| {
            let (m, n) = (blocks * 16, trips * 16);
            let constant = (m == n).then_some(m);
            case(trips, constant, F32, &[&[m, 32], &[n, 32], &[n, 32], &[m, 32]])
        })
    });
    vec![plain("attention-blocks-f32", "attention", cases.collect())]
}

/// Matrix products, each tiled by a script; every other one is cleaned up first.
pub(crate) fn matmul(script: &'static str) -> Vec<Kernel> {
    // The last tile is whole, or a part.
    let depths = || {
        TRIPS
            .iter()
            .flat_map(|&trips| [trips * 16, trips * 16 - 5].map(|k| (trips, k)))
            .filter(|(_, k)| *k >= 0)
    };
    let product = |trips, constant, element, [m, n, k]: [i64; 3]| {
        wide_result(case(trips, constant, element, &[&[m, k], &[k, n], &[m, n]]))
    };
    let constant = |k: i64| (k > 0).then_some(k);
    let wide = depths()
        .map(|(trips, k)| product(trips, constant(k), F32, [64, 96, k]))
        .collect();
    let narrow = depths()
        .map(|(trips, k)| product(trips, constant(k), Bf16, [64, 64, k]))
        .collect();
    let shapes: &[[i64; 2]] = if script == "two-level-full-tiles" {
        &[[32, 32], [64, 32], [0, 96]]
    } else {
        &[[32, 32], [40, 70], [7, 3], [0, 33]]
    };
    let dynamic = depths()
        .zip(shapes.iter().cycle())
        .map(|((trips, k), [m, n])| product(trips, None, F32, [*m, *n, k]))
        .collect();
    let fixed = vec![product(3, None, F32, [64, 32, 48])];
    [
        ("matmul-f32", wide),
        ("matmul-bf16", narrow),
        ("matmul-dynamic-f32", dynamic),
        ("matmul-static-f32", fixed),
    ]
    .into_iter()
    .flat_map(|(name, cases): (_, Vec<Case>)| {
        // Constant sizes are for clean programs: there they become constants everywhere.
        let dynamic = cases
            .iter()
            .cloned()
            .map(|case| Case { constant: None, ..case })
            .collect();
        [(false, dynamic), (true, cases)].map(|(canonical, cases)| Kernel {
            name,
            entry: "matmul",
            script: Some(script),
            canonical,
            cases,
        })
    })
    .collect()
}
