//! Remarks that functions carry.

use zpu_ir::record::{self, LoopId};
use zpu_ir::{Op, Remark, RemarkKind, new_context, parse_text};

const PROGRAM: &str = "
func.func @f(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %n step %c1 {
    }
  }
  return
}
func.func @g() {
  return
}";

fn remark(op: Op<'_>, name: &'static str) {
    Remark::new(op, RemarkKind::Missed, "zpu-test", name)
        .message("because")
        .metric("Count", 3)
        .emit();
}

#[test]
fn a_function_carries_its_own_remarks_in_their_order() -> Result<(), String> {
    let context = new_context();
    let module = parse_text(&context, PROGRAM, "f.mlir")?;
    let functions = Op::of_module(&module).find_all("func.func");
    let loops = functions[0].find_all("scf.for");
    let before: Vec<String> = loops.iter().map(|op| op.loc().to_string()).collect();

    remark(functions[0], "too-early");
    record::start(functions[0]);
    remark(functions[0], "of-the-function");
    remark(loops[1], "of-the-loop");
    remark(functions[1], "of-another");

    let recorded = record::read(functions[0]).ok_or("nothing was recorded")?;
    let names: Vec<&str> = recorded.iter().map(|remark| remark.name.as_str()).collect();
    assert_eq!(names, ["of-the-function", "of-the-loop"]);
    let last = &recorded[1];
    assert_eq!((last.kind, last.op.as_str()), (RemarkKind::Missed, "scf.for"));
    assert_eq!((last.message.as_str(), last.metric("Count")), ("because", Some("3")));
    assert_eq!(last.place, Some(("f.mlir".to_owned(), 6)));
    assert_eq!((recorded[0].in_loop, last.in_loop), (None, Some(LoopId(1))));
    assert_eq!(record::read(functions[1]), None);

    record::stop(functions[0]);
    assert_eq!(record::read(functions[0]), None);
    let after: Vec<String> = loops.iter().map(|op| op.loc().to_string()).collect();
    assert_eq!(after, before);
    Ok(())
}
