//! The optimizer driver: `mlir-opt` with the zpu dialect and passes.

#![forbid(unsafe_code)]

fn main() {
    zpu_passes::install();
    std::process::exit(zpu_ir::opt_main(std::env::args()));
}
