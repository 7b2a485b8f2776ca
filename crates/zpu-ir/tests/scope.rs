//! Operations that free the automatic allocations inside them.

use zpu_ir::{Op, new_context, parse_text, scope};

type Result<T = (), E = Box<dyn std::error::Error>> = std::result::Result<T, E>;

#[test]
fn an_alloca_belongs_to_the_closest_scope_around_it() -> Result {
    let context = new_context();
    let text = "
      func.func @f(%n: index, %c: i1) {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %m0 = memref.alloca() : memref<1xf32>
        scf.if %c { %m1 = memref.alloca() : memref<1xf32> }
        scf.for %i = %c0 to %n step %c1 {
          scf.if %c { %m2 = memref.alloca() : memref<1xf32> }
          memref.alloca_scope { %m3 = memref.alloca() : memref<1xf32> }
          scf.while : () -> () { scf.condition(%c) } do { %m4 = memref.alloca() : memref<1xf32> scf.yield }
          scf.execute_region { %m5 = memref.alloca() : memref<1xf32> scf.yield }
        }
        scf.parallel (%i) = (%c0) to (%n) step (%c1) { %m6 = memref.alloca() : memref<1xf32> }
        scf.forall (%i) in (%n) { %m7 = memref.alloca() : memref<1xf32> }
        affine.for %i = 0 to %n { %m8 = memref.alloca() : memref<1xf32> }
        affine.parallel (%i) = (0) to (8) { %m9 = memref.alloca() : memref<1xf32> }
        return
      }";
    let module = parse_text(&context, text, "input")?;
    let scopes: Vec<&str> = Op::of_module(&module)
        .find_all("memref.alloca")
        .into_iter()
        .map(|alloca| scope::of_alloca(alloca).map_or("none", Op::name))
        .collect();
    let expected = [
        "func.func",
        "func.func",
        "scf.for",
        "memref.alloca_scope",
        "scf.for",
        "scf.for",
        "scf.parallel",
        "scf.forall",
        "affine.for",
        "affine.parallel",
    ];
    assert_eq!(scopes, expected);
    Ok(())
}
