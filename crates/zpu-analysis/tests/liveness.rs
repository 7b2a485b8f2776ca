//! Lives of buffers against the writers of bytes: two analyses that share no algorithm, on the programs of the lit
//! tests.
//!
//! Each two buffers of a function get the same address. If their lives allow it, no read may see bytes of the other
//! one; if they are needed at once, the check of addresses has to find a read that does.

use std::fs;
use std::path::Path;

use zpu_analysis::liveness::{BufferId, Liveness, Meeting, clobbered, liveness};
use zpu_device::Device;
use zpu_ir::{Op, annotation, attr, device, new_context, parse_text};

/// The pairs of buffers of a function that may share bytes, and those that may not, as far as both analyses agree.
#[derive(Debug, Default, PartialEq, Eq)]
struct Agreement {
    may: usize,
    may_not: usize,
}

fn compare(function: Op<'_>, device: &Device, agreement: &mut Agreement) {
    let lives = liveness(function, device);
    let has_waits = function.walk().iter().any(|op| op.name().contains("_wait"));
    for one in lives.ids() {
        for other in lives.ids().filter(|other| *other > one) {
            if lives.buffer(one).space != lives.buffer(other).space {
                continue;
            }
            for id in [one, other] {
                place(&lives, id, Some(0));
            }
            let clobber = clobbered(function, device);
            let pair = format!("{:?} and {:?} of @{}", one, other, function.function_name());
            match lives.meeting(one, other) {
                Meeting::Never | Meeting::OtherSlots => {
                    assert!(clobber.is_empty(), "{pair} may share bytes, and {clobber:?} sees them");
                    agreement.may += 1;
                }
                // What is outstanding is no matter of whose bytes they are.
                Meeting::Always if has_waits => {}
                Meeting::Always => {
                    assert!(!clobber.is_empty(), "{pair} may not share bytes, and no read sees them");
                    agreement.may_not += 1;
                }
            }
            for id in [one, other] {
                place(&lives, id, None);
            }
        }
    }
}

fn place(lives: &Liveness<'_>, id: BufferId, address: Option<i64>) {
    let op = lives.buffer(id).op().expect("an allocation");
    match address {
        Some(address) => op.set_attr(annotation::ADDRESS, attr::int(op.context(), address)),
        None => op.remove_attr(annotation::ADDRESS),
    }
}

#[test]
fn lives_and_writers_agree() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../test/passes");
    let toy = fs::read_to_string(root.join("Inputs/toy.mlir")).expect("the toy device");
    let mut agreement = Agreement::default();
    for file in ["straight-line", "loops", "views"] {
        let text = fs::read_to_string(root.join(format!("print-liveness/{file}.mlir"))).expect("a test");
        let context = new_context();
        let module = parse_text(&context, &format!("{toy}{text}"), file).expect("a module");
        let module = Op::of_module(&module);
        let device = device::of(module).expect("a device");
        for function in module.find_all("func.func") {
            compare(function, &device, &mut agreement);
        }
    }
    assert_eq!(agreement, Agreement { may: 8, may_not: 8 });
}
