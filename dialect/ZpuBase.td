// The dialect itself, its types and its attributes.

#ifndef ZPU_BASE_TD
#define ZPU_BASE_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def Zpu_Dialect : Dialect {
  let name = "zpu";
  let cppNamespace = "::zpu";
  let summary = "programs for a core with explicit DMA engines and one control stream";
  let description = [{
    A ZPU-class core has DMA, tensor and vector engines, each an in-order queue of commands, and one control stream
    that executes structured control flow and issues the commands. There are no threads. Two commands overlap only when
    the program starts the second before it waits for the first.

    The dialect holds three things:

    - the machine: `zpu.device` with its memories, links, engines, routes and synchronisation resources, so that a
      module is self-contained;
    - commands, each in a synchronous form (`zpu.dma`, `zpu.compute`: complete before the next operation is issued, so
      program order is the meaning) and an asynchronous one (`zpu.dma_start`, `zpu.compute_start` yield a token,
      `zpu.dma_wait`, `zpu.compute_wait` hold the control stream until the command is complete);
    - annotations, which are discardable attributes and may be written by hand: `zpu.schedule` (`#zpu.schedule`) on an
      operation of a loop body, `zpu.pipeline` (`#zpu.pipeline`) and `zpu.num_stages` (an `i64`, at least 0: the largest
      stage, 0 for no pipelining) and `zpu.scheduler` (a string) on an `scf.for`, `zpu.versions` (a positive `i64`) on
      an allocation or a view of one, `zpu.address` (an `i64`, at least 0) on a `memref.alloc` or a `memref.alloca`: the
      first byte of the buffer in its memory,
      `zpu.joint_ring` (a dictionary of `ring`, `slots` and `first`, an `i64` each) on a `memref.alloc` or a
      `memref.alloca`: buffers of one loop with the same `ring` take turns on so many slots, in iteration k on slot
      k + `first`, and `zpu-join-rings` makes one allocation of them, with `zpu.joined`, which gets no versions,
      `zpu.cycles` (an `i64`, at least 0) on a command or on an operation that will become one, on a fragment or on a
      transfer between meshes: its measured cost, which then wins over the device's cost model, `zpu.held_bytes` (an
      `i64`, at least 0) on a fragment: bytes that are held from its beginning until the last backward fragment of its
      microbatch has ended, `zpu.call_counter` (an `i64`, at least 0) on a `func.call` of a function with fragments: the
      number of their microbatch, `zpu.no_free` on a `func.call` that frees nothing that it is given and
      `zpu.owned_results` (an array of numbers of results) on one whose caller alone has their memory from then on (both
      by `zpu-annotate-calls`), `zpu.engine` (a string) on an operation that will become a command: the
      name or the kind of the engine that it goes to, `zpu.synchronous` on a `zpu.dma` or a `zpu.compute` that is to
      stay in the synchronous form, `zpu.streams` (a list of `#zpu.stream`) on the operation that makes a tensor: what
      is known of its edges, and `zpu.buffer` (`#zpu.buffer`) on a `memref.alloc`: the tensor that it stands for. On a
      `func.func`, `zpu.scheduler`, `zpu.num_stages` and `zpu.synchronous` hold for all that is in it;
      `zpu.unroll` (a positive `i64`), there or on an `scf.for`, is the number of iterations that `zpu-unroll-loops`
      makes one of, `zpu.unroll_and_jam` (likewise) the number of iterations that `zpu-unroll-and-jam` lets run side by
      side, and `zpu.pieces` (a positive `i64`), there or on a command, the number of pieces up to which
      `zpu-split-transfers` splits a transfer. `zpu.write_out` on a `func.func` lets `zpu-unroll-loops` leave no loop;
      `zpu.retarget_copies` and `zpu.balance_engines` switch the passes of these names on, and so does
      `zpu.gather_transfers` (a positive `i64`), there or on an `scf.for`, with that option `times` (what that pass
      leaves on a transfer is `zpu.gathered`: its engine is not to change), `zpu.whole_tensors` keeps
      `zpu-insert-buffers` away, `zpu.ring_slack` (an `i64`, at least 0) is the number of slots that rings have
      there beyond those that are needed if one operation runs after the other, and `zpu.ring_bytes` (a dictionary, an
      `i64` of at least 0 for each memory) is the size that `zpu-pipeline-planning` takes a memory to have, where
      buffers will share bytes. `zpu.by_trip_count` on an `scf.if` that tests the trip count of a loop says that both of
      its regions do the same, the first one with a plan for long runs; `zpu-pipeline-planning` raises the bound of the
      test to the last stage of that plan, and removes the annotation. `zpu.predicated` on an `scf.for` lets
      `zpu-inject-software-pipeline` write it in the predicated form, whatever its option says.

    A memref names its memory with `#zpu.space<name>`, where the name is that of a `zpu.memory` of the device.

    An allocation with `zpu.address` is a window on its memory: all allocations whose windows overlap share the bytes
    they have in common, each execution of one has the same bytes, and it is for the commands and waits to keep their
    uses apart. An allocation without an address is memory of its own, which never overlaps a window: whoever gives
    addresses in a memory sees to it that what has none is somewhere else.

    ```mlir
    %x = memref.alloc() {zpu.address = 0 : i64} : memref<64xf32, #zpu.space<asram>>
    %y = memref.alloc() {zpu.address = 128 : i64} : memref<64xf32, #zpu.space<asram>>
    ```

    A copy, and a transfer, leaves what it would if it read all of its source first, also where source and target are
    parts of one buffer that overlap. A computation on such parts goes element by element.

    A copy that overlaps a computation, and the wait that the next computation needs:

    ```mlir
    %t = zpu.dma_start %src to %dst on @odma0
        : memref<64x32xf32, #zpu.space<dram>> to memref<64x32xf32, #zpu.space<asram>>
    zpu.compute on @tensor {
      linalg.matmul ins(%a, %b : memref<16x16xf32, #zpu.space<asram>>, memref<16x16xf32, #zpu.space<wsram>>)
                    outs(%c : memref<16x16xf32, #zpu.space<rsram>>)
    }
    zpu.dma_wait %t : !zpu.token<@odma0>
    ```

    What verifiers check: engines, spaces, routes and links exist in the device of the nearest enclosing module; an
    engine's kind fits the command and the wait; a transfer's route is served, its shapes and element types agree;
    operands of a computation are where the engine takes them from; barrier ids are within the device's limit. Of
    annotations they check the names, the types and bounds above, and that none is on an argument or a result of a
    function; `zpu.pipeline`, `zpu.num_stages`, `zpu.versions`, `zpu.synchronous`, `zpu.scheduler`, `zpu.unroll`,
    `zpu.unroll_and_jam`, `zpu.pieces`, `zpu.ring_bytes` and `zpu.address` have to be on one of the operations above as
    well, and an address has to be a multiple of the alignment of the memory and of the allocation, of a dense buffer of
    a static size that ends inside the memory. `zpu.schedule`, `zpu.cycles` and `zpu.engine`
    are accepted on any operation: front ends write them before there are commands, and other passes may move what
    carries them. What needs the whole program (races, deadlock, capacity) is for the passes and the simulator.

    What stock passes may do: merge, hoist and drop null tokens and views. Commands read and write their operands, waits
    and fences read and write everything, so neither is merged, dropped, or moved across the other; a buffer is in use
    until the token of its command has been waited for, so buffer deallocation frees it after the wait.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  // The annotations, and what zpu-record-remarks writes.
  let discardableAttrs = (ins "::zpu::ScheduleAttr":$schedule, "::zpu::PipelineAttr":$pipeline,
                              "::mlir::IntegerAttr":$num_stages, "::mlir::IntegerAttr":$versions,
                              "::mlir::IntegerAttr":$cycles, "::mlir::StringAttr":$engine,
                              "::mlir::UnitAttr":$synchronous, "::mlir::StringAttr":$scheduler,
                              "::mlir::ArrayAttr":$remarks, "::mlir::ArrayAttr":$streams,
                              "::zpu::BufferAttr":$buffer, "::mlir::UnitAttr":$whole_tensors,
                              "::mlir::IntegerAttr":$ring_slack, "::mlir::IntegerAttr":$held_bytes,
                              "::mlir::IntegerAttr":$unroll, "::mlir::IntegerAttr":$unroll_and_jam,
                              "::mlir::IntegerAttr":$pieces, "::mlir::UnitAttr":$write_out,
                              "::mlir::UnitAttr":$retarget_copies, "::mlir::UnitAttr":$balance_engines,
                              "::mlir::IntegerAttr":$gather_transfers, "::mlir::UnitAttr":$gathered,
                              "::mlir::UnitAttr":$by_trip_count, "::mlir::UnitAttr":$predicated,
                              "::mlir::IntegerAttr":$call_counter, "::mlir::IntegerAttr":$address,
                              "::mlir::DictionaryAttr":$ring_bytes, "::mlir::DictionaryAttr":$joint_ring,
                              "::mlir::UnitAttr":$joined, "::mlir::UnitAttr":$no_free,
                              "::mlir::DenseI64ArrayAttr":$owned_results);
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

class Zpu_Type<string cppName, string typeMnemonic> : TypeDef<Zpu_Dialect, cppName> {
  let mnemonic = typeMnemonic;
}

class Zpu_Attr<string cppName, string attrMnemonic> : AttrDef<Zpu_Dialect, cppName> {
  let mnemonic = attrMnemonic;
}

def Zpu_TokenType : Zpu_Type<"Token", "token"> {
  let summary = "the completion of one command on one engine";
  let description = [{
    Yielded by a start, consumed by any number of waits of the same engine, and carried through `scf` iter_args. Since
    an engine completes its commands in order, waiting for a token also means that every command issued to that engine
    earlier is complete. The engine is part of the type, so it is known wherever the token is.

    ```mlir
    !zpu.token<@odma0>
    ```
  }];
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$engine);
  let assemblyFormat = "`<` $engine `>`";
}

def Zpu_SpaceAttr : Zpu_Attr<"Space", "space"> {
  let summary = "memory space of a memref, by the name of a `zpu.memory`";
  let description = [{
    ```mlir
    memref<128x64xbf16, #zpu.space<asram>>
    ```
  }];
  let parameters = (ins StringRefParameter<"name of the memory">:$name);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Zpu_ScheduleAttr : Zpu_Attr<"Schedule", "schedule"> {
  let summary = "where a loop's plan puts an operation";
  let description = [{
    The operation of iteration `k` is issued in kernel iteration `k + stage` of the pipelined loop, at position `order`
    among that kernel iteration's operations. `cycle` is the planned start within one iteration, in cycles, for the
    reader.

    ```mlir
    zpu.dma %src to %dst on @odma0 {zpu.schedule = #zpu.schedule<stage = 0, order = 2, cycle = 108>}
        : memref<64x32xf32, #zpu.space<dram>> to memref<64x32xf32, #zpu.space<asram>>
    ```
  }];
  let parameters = (ins "int64_t":$stage, "int64_t":$order, DefaultValuedParameter<"int64_t", "-1">:$cycle);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Zpu_PipelineAttr : Zpu_Attr<"Pipeline", "pipeline"> {
  let summary = "the plan of a loop as a whole";
  let description = [{
    `ii` is the planned initiation interval in cycles, `stages` the number of stages (1: not overlapped).

    ```mlir
    scf.for %i = %lower to %upper step %step {
      zpu.dma %src to %dst on @odma0 : memref<64x32xf32, #zpu.space<dram>> to memref<64x32xf32, #zpu.space<asram>>
    } {zpu.pipeline = #zpu.pipeline<ii = 226, stages = 3>}
    ```
  }];
  let parameters = (ins "int64_t":$ii, "int64_t":$stages);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Zpu_EngineKind : I32EnumAttr<"EngineKind", "what an engine is for", [
    I32EnumAttrCase<"Dma", 0, "dma">,
    I32EnumAttrCase<"Tensor", 1, "tensor">,
    I32EnumAttrCase<"Vector", 2, "vector">]> {
  let cppNamespace = "::zpu";
}

def Zpu_WhenFull : I32EnumAttr<"WhenFull", "what issuing to a full queue does", [
    I32EnumAttrCase<"Stall", 0, "stall">,
    I32EnumAttrCase<"Error", 1, "error">,
    I32EnumAttrCase<"Drop", 2, "drop">]> {
  let cppNamespace = "::zpu";
}

def Zpu_NeverIssued : I32EnumAttr<"NeverIssued", "what waiting for a command that was never issued does", [
    I32EnumAttrCase<"Return", 0, "return">,
    I32EnumAttrCase<"Hang", 1, "hang">,
    I32EnumAttrCase<"Error", 2, "error">]> {
  let cppNamespace = "::zpu";
}

#endif // ZPU_BASE_TD
