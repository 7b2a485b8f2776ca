//! Compiled programs beside the best schedule of their own commands: two bounds, two schedulers and the simulator agree
//! on who is below whom.

use std::path::Path;

use zpu_device::Device;
use zpu_driver::whole_run::{JudgementError, judge, run_problem};
use zpu_driver::{Executable, Fill, Session, device_of, entry_of, translate};
use zpu_sched::run::{read_run, run_bound, write_run};
use zpu_sim::{Options, Report, WholeRun};

const DEVICES: [&str; 3] = ["toy", "sunmmio-a4e", "trainium2-core"];

/// The kernel of an example, compiled for a device.
fn compiled(session: &Session, kernel: &str, device: &str) -> Executable {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(kernel);
    let mut module = session.parse_file(&file).expect("a module");
    let pipeline = format!("builtin.module(zpu-pipeline{{device={device}}})");
    session.compile(&mut module, &pipeline).expect("it is compiled");
    let device = device_of(&module).expect("the pipeline attaches one");
    let entry = entry_of(&module, None).expect("one function");
    translate(&module, device, &entry).expect("a program")
}

fn recorded(executable: &Executable) -> (Report, WholeRun) {
    let arguments = executable.filled(Fill::Random(1)).expect("buffers of static size");
    let options = Options {
        whole_run: true,
        ..Options::default()
    };
    let outcome = executable.simulate(arguments, &options).expect("a run");
    (outcome.report, outcome.whole_run.expect("a run that was recorded"))
}

#[test]
fn a_program_is_above_the_best_schedule_and_that_above_both_bounds() {
    let session = Session::new();
    for device in DEVICES {
        let executable = compiled(&session, "examples/attention.mlir", device);
        let (report, run) = recorded(&executable);
        assert_eq!(run.commands.len() as u64, report.commands);
        let problem = run_problem(&run, executable.device(), "attention", report.cycles);
        assert_eq!(read_run(&write_run(&problem)).expect("what was written"), problem);
        let arguments = executable.filled(Fill::Random(1)).expect("buffers of static size");
        let judgement = judge(&executable, arguments, false).expect("a clean run");
        let best = judgement.solution.check.cycles;
        assert_eq!(judgement.cycles, report.cycles);
        // The bound of the simulator holds for every program of these commands, so for the schedule, too.
        let (tight, again) = (report.tight_bound.cycles, run_bound(&problem).cycles);
        assert!(tight <= best && again <= best, "{device}: {tight} {again} {best}");
        assert!(best <= 2 * tight, "{device}: {tight} {best}");
        // A list schedule waits just before it needs to, so it is at most some waits worse than the program.
        assert!(judgement.ratio() > 0.99, "{device}: {}", judgement.ratio());
    }
}

/// Two loads into one buffer, each read by a computation; the second one adds to what the first one wrote.
const REUSED: &str = "
!d = memref<64xf32, #zpu.space<dram>>
!r = memref<64xf32, #zpu.space<rsram>>
func.func @reused(%a: !d, %b: !d, %out: !d) {
  %x = memref.alloc() : !r
  %sum = memref.alloc() : !r
  zpu.dma %a to %x on @odma0 : !d to !r
  zpu.compute on @vector { linalg.exp ins(%x : !r) outs(%sum : !r) }
  zpu.dma %b to %x on @odma1 : !d to !r
  zpu.compute on @vector { linalg.add ins(%x, %sum : !r, !r) outs(%sum : !r) }
  zpu.dma %sum to %out on @odma0 : !r to !d
  memref.dealloc %x : !r
  memref.dealloc %sum : !r
  return
}";

/// A module of the text on the device `toy`.
fn on_toy(session: &Session, text: &str) -> Executable {
    let module = session.parse(text, "text").expect("a module");
    let device = Device::load("toy", &[]).expect("a built-in device");
    session.replace_device(&module, &device).expect("a device");
    translate(&module, device, "reused").expect("a program")
}

#[test]
fn what_is_overwritten_is_renamed_and_what_is_updated_is_not() {
    let session = Session::new();
    let executable = on_toy(&session, REUSED);
    let (report, run) = recorded(&executable);
    assert!(report.is_clean(), "{:?}", report.findings);
    let after: Vec<&[u32]> = run.commands.iter().map(|command| command.after.as_slice()).collect();
    // The second load does not come after the first computation, which reads what the first load wrote.
    assert_eq!(after, [&[][..], &[0], &[], &[1, 2], &[3]]);
    let storages: Vec<(u64, &[u32])> = run.storages.iter().map(|s| (s.bytes, s.commands.as_slice())).collect();
    assert_eq!(storages, [(256, &[0, 1][..]), (256, &[1, 3, 4]), (256, &[2, 3])]);
    // Either engine may load.
    let engines: Vec<usize> = run.works[run.commands[0].work].iter().map(|way| way.engine).collect();
    assert_eq!(engines, [0, 1]);
}

#[test]
fn a_program_with_findings_is_not_judged() {
    let session = Session::new();
    let racy = REUSED.replace("zpu.dma %a to %x", "%t = zpu.dma_start %a to %x");
    let executable = on_toy(&session, &racy);
    let arguments = executable.filled(Fill::Zero).expect("buffers of static size");
    let error = judge(&executable, arguments, false).expect_err("a race");
    assert!(matches!(error, JudgementError::NotClean), "{error}");
}
