//! `zpu-assign-layouts`: chooses the order of the dimensions of each tensor so that the fewest bytes are transposed.
//!
//! Assumes structured operations on tensors, before tiling and bufferisation; everything else keeps the order of its
//! types.
//!
//! ```mlir
//! %t = linalg.transpose ins(%x : tensor<16x64xf32>) outs(%e : tensor<64x16xf32>) permutation = [1, 0]
//! %p = linalg.matmul ins(%t, %y : tensor<64x16xf32>, tensor<16x32xf32>) outs(%z : tensor<64x32xf32>)
//!     -> tensor<64x32xf32>
//! // becomes
//! %p = linalg.matmul indexing_maps = [(m, n, k) -> (k, m), (m, n, k) -> (k, n), (m, n, k) -> (m, n)]
//!     ins(%x, %y : tensor<16x64xf32>, tensor<16x32xf32>) outs(%z : tensor<64x32xf32>) -> tensor<64x32xf32>
//! ```
//!
//! `graph` collects the tensors of a block and their uses: a transpose is no operation there, but other names for a
//! tensor. `choices` lists the ways to carry out each operation by the table of `zpu_analysis::tensor_layout`, and
//! makes a problem of `zpu_stream::layout` of them. `plan` says what the solution means, and counts its bytes on its
//! own; `rewrite` writes it, and `tell` has the remarks. Every element is computed as before, so that bytes are equal.

mod choices;
mod graph;
mod plan;
mod rewrite;
mod tell;

use zpu_ir::options::AssignLayoutsOptions;
use zpu_ir::{Block, Failed, Op, PassResult, error};
use zpu_stream::layout;

use graph::Graph;
use plan::Plan;

const PASS: &str = "zpu-assign-layouts";

/// Steps of the search for one block that is no tree. A step takes about a microsecond; past the limit the best
/// assignment so far is taken.
const SEARCH_LIMIT: u64 = 1 << 20;

/// The way to choose.
#[derive(Clone, Copy)]
enum Algorithm {
    Exact,
    Vote,
}

/// Runs the pass.
pub(crate) fn run(function: Op<'_>, options: &AssignLayoutsOptions) -> PassResult {
    let algorithm = match options.algorithm.as_str() {
        "exact" => Algorithm::Exact,
        "vote" => Algorithm::Vote,
        other => {
            error(
                function,
                &format!("algorithm is \"{other}\", must be exact or vote"),
                &[],
            );
            return Err(Failed);
        }
    };
    // Blocks of structured operations hold scalars.
    let holders = function.walk().into_iter().filter(|op| op.indexing_maps().is_none());
    let regions = holders.flat_map(Op::regions);
    let blocks: Vec<Block<'_>> = regions.flat_map(|region| region.blocks()).collect();
    for block in blocks {
        handle(function, block, algorithm)?;
    }
    Ok(())
}

/// Assigns the layouts of the tensors of a block.
fn handle(function: Op<'_>, block: Block<'_>, algorithm: Algorithm) -> PassResult {
    let graph = Graph::of(block);
    tell::fixed(&graph);
    if graph.forms.is_empty() && graph.transposes.is_empty() {
        return Ok(());
    }
    let choices = choices::of(&graph);
    let failed = |found: layout::LayoutError| {
        error(function, &format!("layouts cannot be assigned: {found}"), &[]);
        Failed
    };
    let vote = layout::vote(&choices.problem).map_err(failed)?;
    let found = match algorithm {
        Algorithm::Exact => layout::assign(&choices.problem, SEARCH_LIMIT).map_err(failed)?,
        Algorithm::Vote => vote.clone(),
    };
    let plan = Plan::of(&graph, &choices, &found.choice);
    let (counted, _) = layout::cost(&choices.problem, &found.choice);
    if counted != found.cost || plan.bytes != found.cost {
        let message = format!(
            "layouts cannot be assigned: the conversions move {} bytes, the solver counts {}",
            plan.bytes, found.cost
        );
        error(function, &message, &[]);
        return Err(Failed);
    }
    let is_better = plan.bytes < u128::from(graph.as_written);
    tell::summary(function, &graph, &plan, &vote, &found, is_better);
    if is_better {
        tell::tensors(function, &graph, &choices, &plan);
        rewrite::write(block, &graph, &plan);
    }
    Ok(())
}
