//! Views of the dialect's operations, on a module that holds each of them.

use std::collections::BTreeSet;

use zpu_ir::fragment::{self, DROP_TRANSFERRED};
use zpu_ir::ops::{
    Barrier, Computation, Compute, ComputeStart, ComputeWait, Control, Device, Dma, DmaStart, DmaTransfer, DmaWait,
    Engine, Fragment, IdWait, Link, Memory, NAMES, NullToken, Route, Start, Sync, Topology, Transfer, ZpuOp,
    barrier_id, engine_of, is_ours, is_token_wait, set_engine, sync_engine,
};
use zpu_ir::{Builder, Op, Value, annotation, attr, edit, new_context, parse_text, ty};

type Result<T = (), E = Box<dyn std::error::Error>> = std::result::Result<T, E>;

const ALL: &str = "
zpu.device @d clock 1.5 off_chip @m default_space @n {
  zpu.control start 1 wait 2 loop 3 barrier 4 scalar 5
  zpu.memory @m bytes 1024 align 64
  zpu.memory @n bytes 512 align 32
  zpu.link @l bytes_per_cycle 8.0
  zpu.engine @q dma depth 7 when_full drop group \"both\"
  zpu.route @q from @m to @n links [@l]
  zpu.engine @v vector blocking depth 1 when_full error operands {all = [@n]} cost {start = 5 : i64}
  zpu.sync ids 6 barriers 9 never_issued hang
}
func.func @f(%src: memref<8xf32, #zpu.space<m>>, %dst: memref<8xf32, #zpu.space<n>>, %id: index) {
  zpu.dma %src to %dst on @q : memref<8xf32, #zpu.space<m>> to memref<8xf32, #zpu.space<n>>
  %t = zpu.dma_start %src to %dst on @q : memref<8xf32, #zpu.space<m>> to memref<8xf32, #zpu.space<n>>
  zpu.dma_wait %t : !zpu.token<@q>
  %u = zpu.dma_start %src to %dst on @q id(%id) : memref<8xf32, #zpu.space<m>> to memref<8xf32, #zpu.space<n>>
  zpu.id_wait %id
  zpu.compute on @v { linalg.exp ins(%dst : memref<8xf32, #zpu.space<n>>) outs(%dst : memref<8xf32, #zpu.space<n>>) }
  %a = zpu.compute_start on @v { }
  %b = zpu.compute_start on @v id(%id) { }
  zpu.compute_wait %a : !zpu.token<@v>
  %none = zpu.null_token : !zpu.token<@q>
  zpu.barrier
  zpu.barrier on [@q, @v]
  return
}
zpu.topology @p {
  zpu.mesh @x
  zpu.mesh @y
  zpu.mesh_link from @x to @y latency 3 bytes_per_cycle 2.0
}
func.func @g(%value: memref<8xf32>) {
  %first, %made = zpu.fragment @x origins [#zpu.origin<\"o\"(1)>] stage 4 call_counter 5 split drop_transferred
      (%inside = %value) : (memref<8xf32>) -> memref<8xf32> {
    %own = memref.alloc() : memref<8xf32>
    zpu.return %own : memref<8xf32>
  }
  %there = zpu.transfer %made from @x to @y : memref<8xf32>
  %second = zpu.fragment @y origins [] after(%first) remat (%there) : (memref<8xf32>) -> ()
  return
}";

/// Calls `then` with the operations of [`ALL`] that are ours, in program order, and the arguments of its function.
fn with_all(then: impl FnOnce(&[Op<'_>], [Value<'_>; 3])) -> Result {
    let context = new_context();
    let module = parse_text(&context, ALL, "all")?;
    let module = Op::of_module(&module);
    let function = module.find_all("func.func")[0];
    let arguments = function.body().ok_or("no body")?.args();
    let ours: Vec<Op<'_>> = module.walk().into_iter().filter(|op| is_ours(*op)).collect();
    then(&ours, arguments.try_into().map_err(|_| "three arguments")?);
    Ok(())
}

/// The views of a kind, in order.
fn all<'c, V>(ops: &[Op<'c>], of: fn(Op<'c>) -> Option<V>) -> Vec<V> {
    ops.iter().copied().filter_map(of).collect()
}

fn symbols(list: Option<Vec<zpu_ir::Attribute<'_>>>) -> Option<Vec<&str>> {
    list.map(|list| list.into_iter().filter_map(attr::as_symbol).collect())
}

#[test]
fn each_operation_has_a_view() -> Result {
    with_all(|ops, _| {
        let found: BTreeSet<&str> = ops.iter().map(|op| op.name()).collect();
        assert_eq!(found, NAMES.iter().copied().collect());
        assert!(ops.iter().all(|op| ZpuOp::of(*op).is_some()));
    })
}

#[test]
fn operands_and_results_of_commands() -> Result {
    with_all(|ops, [src, dst, id]| {
        let [dma] = all(ops, Dma::of)[..] else { panic!() };
        assert_eq!((dma.source(), dma.dest(), dma.engine()), (src, dst, "q"));
        let [start, with_id] = all(ops, DmaStart::of)[..] else {
            panic!()
        };
        assert_eq!((start.source(), start.dest(), start.engine()), (src, dst, "q"));
        assert_eq!((start.id(), with_id.id()), (None, Some(id)));
        let [wait] = all(ops, DmaWait::of)[..] else { panic!() };
        assert_eq!(wait.token(), start.token());
        let [compute] = all(ops, Compute::of)[..] else { panic!() };
        assert_eq!((compute.engine(), compute.body().ops().count()), ("v", 1));
        let [start, with_id] = all(ops, ComputeStart::of)[..] else {
            panic!()
        };
        assert_eq!((start.engine(), start.body().ops().count()), ("v", 0));
        assert_eq!((start.id(), with_id.id()), (None, Some(id)));
        let [wait] = all(ops, ComputeWait::of)[..] else {
            panic!()
        };
        assert_eq!(wait.token(), start.token());
        let [wait] = all(ops, IdWait::of)[..] else { panic!() };
        assert_eq!(wait.id(), id);
        let [null] = all(ops, NullToken::of)[..] else { panic!() };
        assert_eq!(ty::token_engine(null.token().ty()), Some("q"));
        let [over_all, over_two] = &all(ops, Barrier::of)[..] else {
            panic!()
        };
        assert_eq!(symbols(over_all.engines()), None);
        assert_eq!(symbols(over_two.engines()), Some(vec!["q", "v"]));
    })
}

#[test]
fn fragments_and_transfers() -> Result {
    with_all(|ops, _| {
        let [first, second] = all(ops, Fragment::of)[..] else {
            panic!()
        };
        assert_eq!(
            (first.mesh(), first.stage(), first.call_counter()),
            ("x", Some(4), Some(5))
        );
        assert_eq!((first.split(), first.remat()), (Some(DROP_TRANSFERRED), false));
        assert_eq!(first.origin_names(), vec![("o", 1)]);
        assert_eq!(
            (first.inputs().len(), first.after().len(), first.outputs().len()),
            (1, 0, 1)
        );
        assert_eq!(first.body().map(|body| body.ops().count()), Some(2));
        let [transfer] = all(ops, Transfer::of)[..] else {
            panic!()
        };
        assert_eq!(
            (transfer.source(), transfer.from(), transfer.to()),
            (first.outputs()[0], "x", "y")
        );
        assert_eq!(second.inputs(), vec![transfer.arrived()]);
        assert_eq!((second.after(), second.outputs()), (vec![first.done()], vec![]));
        assert_eq!((second.split(), second.remat(), second.body()), (None, true, None));

        let [topology] = all(ops, Topology::of)[..] else {
            panic!()
        };
        let meshes: Vec<&str> = topology.meshes().into_iter().map(|mesh| mesh.sym_name()).collect();
        assert_eq!(meshes, ["x", "y"]);
        let [link] = topology.links()[..] else { panic!() };
        assert_eq!(
            (link.from(), link.to(), link.latency(), link.bytes_per_cycle()),
            ("x", "y", 3, 2.0)
        );
        assert!(first.device().is_none());

        second.set_operands(&[], &[]);
        assert_eq!((second.inputs(), second.after()), (vec![], vec![]));
        assert!(second.op.verify());
        let outlined = fragment::outlined(first, "alone")
            .expect("has no device")
            .expect("has a body");
        assert_eq!(outlined.entry, "alone");
        let module = Op::of_module(&outlined.module);
        assert!(module.verify());
        let functions = module.find_all("func.func");
        assert_eq!((functions.len(), functions[0].function_name()), (1, "alone"));
        assert!(fragment::outlined(second, "none").expect("has no device").is_none());
    })
}

#[test]
fn attributes_of_a_device() -> Result {
    with_all(|ops, _| {
        let [device] = all(ops, Device::of)[..] else { panic!() };
        assert_eq!((device.sym_name(), device.clock_ghz()), ("d", 1.5));
        assert_eq!((device.off_chip(), device.default_space()), ("m", "n"));
        assert_eq!(device.body().ops().count(), 8);
        let [control] = all(ops, Control::of)[..] else { panic!() };
        assert_eq!(
            (control.start_cycles(), control.wait_cycles(), control.loop_cycles()),
            (1, 2, 3)
        );
        assert_eq!((control.barrier_cycles(), control.scalar_cycles()), (4, 5));
        let [memory, _] = all(ops, Memory::of)[..] else {
            panic!()
        };
        assert_eq!((memory.sym_name(), memory.bytes(), memory.align()), ("m", 1024, 64));
        let [link] = all(ops, Link::of)[..] else { panic!() };
        assert_eq!((link.sym_name(), link.bytes_per_cycle()), ("l", 8.0));
        let [dma, vector] = all(ops, Engine::of)[..] else {
            panic!()
        };
        assert_eq!(
            (dma.sym_name(), dma.kind(), dma.queue_depth(), dma.when_full()),
            ("q", 0, 7, 2)
        );
        assert_eq!(
            (dma.blocking(), dma.group(), vector.blocking(), vector.group()),
            (false, Some("both"), true, None)
        );
        assert_eq!((dma.operands(), dma.cost()), (None, None));
        assert_eq!(vector.operands().map(|entries| entries[0].0), Some("all"));
        assert_eq!(vector.cost().map(|entries| entries[0].0), Some("start"));
        let [route] = &all(ops, Route::of)[..] else { panic!() };
        assert_eq!((route.engine(), route.from(), route.to()), ("q", "m", "n"));
        assert_eq!(symbols(route.links()), Some(vec!["l"]));
        let [sync] = all(ops, Sync::of)[..] else { panic!() };
        assert_eq!((sync.ids(), sync.barriers(), sync.never_issued()), (6, 9, 1));
    })
}

#[test]
fn views_of_either_form() -> Result {
    with_all(|ops, [src, dst, id]| {
        let transfers = all(ops, DmaTransfer::of);
        assert_eq!(transfers, vec![DmaTransfer { source: src, dest: dst }; 3]);
        assert_eq!(all(ops, Computation::of).len(), 3);
        let starts = all(ops, Start::of);
        assert_eq!(
            starts.iter().map(|start| start.id).collect::<Vec<_>>(),
            [None, Some(id), None, Some(id)]
        );
        assert_eq!(all(ops, engine_of), ["q", "q", "q", "v", "v", "v"]);
        assert_eq!(all(ops, sync_engine), ["q", "v"]);
        assert_eq!(all(ops, barrier_id), [id, id, id]);
        assert_eq!(ops.iter().filter(|op| is_token_wait(**op)).count(), 2);
    })
}

#[test]
fn what_is_made_is_what_is_read() -> Result {
    with_all(|ops, [src, dst, id]| {
        let [.., last] = all(ops, DmaStart::of)[..] else {
            panic!()
        };
        let context = last.op.context();
        let mut builder = Builder::before(last.op);
        let token = ty::token(context, "q");
        let attrs = [
            (DmaStart::ENGINE, attr::symbol(context, "q")),
            (annotation::CYCLES, attr::int(context, 3)),
        ];
        for id in [None, Some(id)] {
            let made = DmaStart::create(&mut builder, src, dst, id, token, &attrs);
            assert!(made.op.verify());
            assert_eq!(
                (made.source(), made.dest(), made.id(), made.engine()),
                (src, dst, id, "q")
            );
            edit::erase(made.op);
        }
        let compute = Compute::create(&mut builder, &[(Compute::ENGINE, attr::symbol(context, "q"))]);
        set_engine(compute.op, "v");
        assert!(compute.op.verify());
        assert_eq!((compute.engine(), compute.body().ops().count()), ("v", 0));
        let null = NullToken::create(&mut builder, token, &[]);
        assert!(null.op.verify() && DmaWait::create(&mut builder, null.token(), &[]).op.verify());
    })
}

/// An unknown annotation is an error, and so is a value that does not fit: each name is one that the verifier knows.
#[test]
fn annotations_are_those_that_the_dialect_knows() -> Result {
    let text = format!(
        "func.func @f() attributes {{{} = \"list\", {} = 1 : i64, {}, {} = []}} {{ return }}",
        annotation::SCHEDULER,
        annotation::NUM_STAGES,
        annotation::SYNCHRONOUS,
        annotation::REMARKS,
    );
    parse_text(&new_context(), &text, "annotations")?;
    let text = format!(
        "func.func @g(%n: index) {{
           scf.for %i = %n to %n step %n {{
             %m = memref.alloc() {{{} = 2 : i64, {} = #zpu.schedule<stage = 0, order = 0>, {} = 1 : i64, {} = \"e\"}}
               : memref<1xf32>
           }} {{{} = #zpu.pipeline<ii = 1, stages = 1>}}
           return
         }}",
        annotation::VERSIONS,
        annotation::SCHEDULE,
        annotation::CYCLES,
        annotation::ENGINE,
        annotation::PIPELINE,
    );
    parse_text(&new_context(), &text, "annotations")?;
    let text = format!(
        "func.func private @h() func.func @c() {{ func.call @h() {{{} = 3 : i64}} : () -> () return }}",
        annotation::CALL_COUNTER,
    );
    parse_text(&new_context(), &text, "annotations")?;
    Ok(())
}
