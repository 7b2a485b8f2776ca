//! The reference loops of `test/kernels/graphs`: their texts for any number of trips, and their arguments.

use zpu_driver::Session;
use zpu_ir::ty::{self, MemRef};
use zpu_ir::{Op, attr};

use super::case::{Buffer, Case};
use super::kernel::Kernel;

/// A loop and what others reached with it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Graph {
    /// Function, and file without its ending.
    pub(crate) name: &'static str,
    /// File from `test/kernels`, without its ending.
    pub(crate) file: &'static str,
    /// The argument that says which trips are done, if there is one.
    pub(crate) guard: Option<usize>,
    /// True if it chains operations on bf16. Upstream's emulation of bf16 leaves out the rounding between such
    /// operations (it marks it as contractible), so its result is not the program's to the last bit.
    pub(crate) chains_bf16: bool,
}

const fn graph(name: &'static str, file: &'static str) -> Graph {
    Graph {
        name,
        file,
        guard: None,
        chains_bf16: false,
    }
}

const fn attention(name: &'static str, file: &'static str) -> Graph {
    Graph {
        chains_bf16: true,
        ..graph(name, file)
    }
}

/// All of them, in the order of the reference tables.
pub(crate) const GRAPHS: [Graph; 10] = [
    graph("gemm_1024_b128x128x32", "graphs/gemm_1024_b128x128x32"),
    attention("flash_attn_gqa_prefill", "graphs/flash_attn_gqa_prefill"),
    attention("flash_decoding_gqa", "graphs/flash_decoding_gqa"),
    graph("gemm_persistent_mesh", "graphs/gemm_persistent_mesh"),
    graph("gemm_splitk4_1024", "graphs/gemm_splitk4_1024"),
    graph("dequant_gemm_fp4", "graphs/dequant_gemm_fp4"),
    graph("mamba2_chunk_scan", "graphs/mamba2_chunk_scan"),
    graph("linear_attn_fwd", "graphs/linear_attn_fwd"),
    Graph {
        guard: Some(2),
        ..graph("blocksparse_gemm", "graphs/blocksparse_gemm")
    },
    graph("vector_add_epilogue", "graphs/vector_add_epilogue"),
];

impl Graph {
    /// The graph as one of the front end's kernels, with one call.
    pub(crate) fn kernel(&self) -> Result<Kernel, String> {
        let mut kernel = Kernel {
            name: self.file,
            entry: self.name,
            script: None,
            canonical: false,
            cases: Vec::new(),
        };
        kernel.cases.push(case_of(&kernel.text(), self.name)?);
        Ok(kernel)
    }

    /// Contents of the arguments with which every trip is done.
    pub(crate) fn buffers(&self, case: &Case) -> Vec<Buffer> {
        let mut buffers = case.buffers(1);
        if let Some(guard) = self.guard {
            buffers[guard].bytes.fill(1);
        }
        buffers
    }

    /// Contents of the arguments with all choices of the trips that are done, of the first ones; the first call does
    /// all of them.
    pub(crate) fn calls(&self, case: &Case, trips: u32) -> Vec<Vec<Buffer>> {
        let all = self.buffers(case);
        let Some(guard) = self.guard else { return vec![all] };
        let choices = (0..1u64 << trips).rev();
        let call = |choice: u64| {
            let mut buffers = all.clone();
            for (trip, byte) in (0..trips).zip(&mut buffers[guard].bytes) {
                *byte = u8::from(choice >> trip & 1 == 1);
            }
            buffers
        };
        choices.map(call).collect()
    }
}

/// The text with another trip count; the arguments are large enough for 32 trips.
pub(crate) fn with_trips(text: &str, trips: i64) -> String {
    let step = number_after(text, "%step = arith.constant ").expect("the loop has a step");
    let end = number_after(text, END).expect("the loop has an end");
    text.replace(&format!("{END}{end} "), &format!("{END}{} ", step * trips))
}

/// The text with the end of the loop as last argument, a number.
pub(crate) fn with_open_end(text: &str) -> String {
    let without: Vec<&str> = text
        .lines()
        .filter(|line| !line.trim_start().starts_with(END))
        .collect();
    without.join("\n").replacen(") {\n", ", %end: index) {\n", 1)
}

/// Elements by which the loop steps.
pub(crate) fn step_of(text: &str) -> i64 {
    number_after(text, "%step = arith.constant ").expect("the loop has a step")
}

/// Trips of the loop as it is written.
pub(crate) fn trips_of(text: &str) -> i64 {
    number_after(text, END).expect("the loop has an end") / step_of(text)
}

const END: &str = "%end = arith.constant ";

fn number_after(text: &str, key: &str) -> Option<i64> {
    let (_, rest) = text.split_once(key)?;
    rest.split_whitespace().next()?.parse().ok()
}

fn case_of(text: &str, entry: &str) -> Result<Case, String> {
    let session = Session::new();
    let module = session.parse(text, entry).map_err(super::text)?;
    let functions = Op::of_module(&module).find_all("func.func");
    let function = functions.first().ok_or("no function")?;
    let ty = function
        .attr("function_type")
        .and_then(attr::as_type)
        .ok_or("no type")?;
    let (inputs, _) = ty::function(ty).ok_or("no function type")?;
    let argument = |ty| {
        let memref = MemRef::of(ty)?;
        let shape = memref.shape.iter().copied().collect::<Option<Vec<i64>>>()?;
        Some((ty::scalar(memref.element)?, shape))
    };
    let arguments = inputs.into_iter().map(argument).collect::<Option<_>>();
    Ok(Case {
        trips: trips_of(text),
        arguments: arguments.ok_or("an argument is no buffer of constant size")?,
        constant: None,
    })
}
