// The machine as operations.

#ifndef ZPU_DEVICE_OPS_TD
#define ZPU_DEVICE_OPS_TD

include "ZpuBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

// Commands name engines and spaces by attributes that symbol passes do not follow, so the machine is never dead.
defvar Zpu_KeptSymbol = DeclareOpInterfaceMethods<Symbol, ["canDiscardOnUseEmpty"]>;

class Zpu_DeviceMember<string mnemonic, list<Trait> traits = []>
    : Op<Zpu_Dialect, mnemonic, !listconcat(traits, [HasParent<"DeviceOp">])>;

def Zpu_DeviceOp : Op<Zpu_Dialect, "device",
    [Zpu_KeptSymbol, SymbolTable, IsolatedFromAbove, SingleBlock, NoTerminator, NoRegionArguments,
     ParentOneOf<["::mlir::ModuleOp", "TopologyOp"]>]> {
  let summary = "the machine that a module is compiled for";
  let description = [{
    Holds the memories, links, engines, routes, the control stream's costs and the synchronisation resources of one
    core. A module has at most one device; `zpu-attach-device` makes it from a built-in name or a device file, and every
    pass reads it from here. `off_chip` is the memory that callers pass buffers in, `default_space` the one that a local
    buffer gets when no engine demands another.

    Its verifier checks that the description is consistent: exactly one `zpu.control` and one `zpu.sync`, every route
    and operand rule names a memory of this device, every link that is named exists, every DMA engine has a route and no
    other engine has one, clock and bandwidths are above 0. Its place is directly in a module, or in a `zpu.topology`,
    where it may stand beside others. No symbol of it is ever dead.

    ```mlir
    zpu.device @toy clock 1.0 off_chip @dram default_space @sram {
      zpu.control start 1 wait 1 loop 1 barrier 10 scalar 1
      zpu.memory @dram bytes 1073741824 align 64
      zpu.memory @sram bytes 1048576 align 64
      zpu.link @dram_port bytes_per_cycle 64.0
      zpu.engine @odma dma depth 4 when_full stall cost {bytes_per_cycle = 64.0, gap = 1 : i64}
      zpu.route @odma from @dram to @sram links [@dram_port]
      zpu.route @odma from @sram to @dram
      zpu.engine @vector vector depth 4 when_full stall operands {all = [@sram]}
      zpu.sync ids 64 barriers 16 never_issued return
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, F64Attr:$clock_ghz, FlatSymbolRefAttr:$off_chip,
                       FlatSymbolRefAttr:$default_space);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `clock` $clock_ghz `off_chip` $off_chip `default_space` $default_space attr-dict-with-keyword $body
  }];
  let hasRegionVerifier = 1;
}

def Zpu_ControlOp : Zpu_DeviceMember<"control"> {
  let summary = "costs of the control stream, in cycles";
  let description = [{
    `start`: issuing one command; `wait`: a wait whose command is complete; `loop`: one back edge; `barrier`: a barrier
    with nothing to wait for; `scalar`: one load or store by the control stream itself.

    ```mlir
    zpu.control start 8 wait 4 loop 2 barrier 40 scalar 1
    ```
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$start_cycles,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$wait_cycles,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$loop_cycles,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$barrier_cycles,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$scalar_cycles);
  let assemblyFormat = [{
    `start` $start_cycles `wait` $wait_cycles `loop` $loop_cycles `barrier` $barrier_cycles `scalar` $scalar_cycles
    attr-dict
  }];
}

def Zpu_MemoryOp : Zpu_DeviceMember<"memory", [Zpu_KeptSymbol]> {
  let summary = "a memory space: capacity and alignment, in bytes";
  let description = [{
    The capacity is what all buffers that are live at once may take; the address of each is a multiple of `align`, a
    power of two. `banks` is the number of ranges of equal size that its addresses are divided into, one if it is not
    written; engines with `separate_banks` need their operands in different ones.

    ```mlir
    zpu.memory @l1 bytes 1048576 align 64
    zpu.memory @ub bytes 262144 align 32 banks 2
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, ConfinedAttr<I64Attr, [IntPositive]>:$bytes,
                       ConfinedAttr<I64Attr, [IntPositive]>:$align,
                       OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$banks);
  let assemblyFormat = "$sym_name `bytes` $bytes `align` $align (`banks` $banks^)? attr-dict";
  let hasVerifier = 1;
}

def Zpu_LinkOp : Zpu_DeviceMember<"link", [Zpu_KeptSymbol]> {
  let summary = "bandwidth that several engines share, max-min fair";
  let description = [{
    Transfers that cross a link at the same time divide its bytes per cycle among them; none gets more than its engine
    can take.

    ```mlir
    zpu.link @port bytes_per_cycle 384.0
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, F64Attr:$bytes_per_cycle);
  let assemblyFormat = "$sym_name `bytes_per_cycle` $bytes_per_cycle attr-dict";
  let hasVerifier = 1;
}

def Zpu_EngineOp : Zpu_DeviceMember<"engine", [Zpu_KeptSymbol]> {
  let summary = "one in-order queue of commands with its unit";
  let description = [{
    A command starts when it is at the head of the queue and the unit is free; it does not wait for its operands.
    `depth` is the number of commands that may be issued and not yet complete; `when_full` says what happens beyond it.
    Issuing to a `blocking` engine holds the control stream until the command is done; a blocking DMA engine is one
    without asynchronous transfers. `when_full` is `stall` (the control stream waits), `error`, or `drop` (the command
    is lost). `operands` names the memories that operands have to be in: `a`, `b`, `c` of a tensor engine's products,
    `all` of a vector engine; an empty list, or none, means any. On an engine with `separate_banks`, the buffers that a
    command accesses in one memory lie in different banks of it. `cost` holds the parameters of the kind's cost model
    (see the page on devices); one that is not written has its neutral value, so that an engine without costs takes no
    time: rates and fixed terms 0 (no limit, no cycles), `burst_bytes` 1, `tile` [1, 1, 1], no weights. Entries by kind:

    - `dma`: `bytes_per_cycle`, `start_latency`, `gap`, `per_row`, `burst_bytes`, `dims` (0, which is neutral:
      no limit);
    - `tensor`: `tile`, `cycles_per_tile`, `min_k_tiles`, `fill`, `acc16`, `acc32`, `min`, `rate` (a dictionary by
      element type), and `zero_init`: the cycles in which the engine sets an accumulator to zero, which it cannot do
      without this entry;
    - `vector`: `start`, `min`, `per_cycle`, `width_bits`, `weights` (a dictionary by kind of operation).

    A DMA channel is an engine of its own; engines that come from one entry of a device file share a `group`.

    ```mlir
    zpu.engine @tensor tensor depth 4 when_full stall operands {a = [@asram], b = [@wsram], c = [@rsram]} cost {fill = 10 : i64}
    zpu.engine @vector vector blocking depth 4 when_full stall operands {all = [@rsram]}
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Zpu_EngineKind:$kind, UnitAttr:$blocking,
                       ConfinedAttr<I64Attr, [IntPositive]>:$queue_depth, Zpu_WhenFull:$when_full,
                       OptionalAttr<StrAttr>:$group, UnitAttr:$separate_banks,
                       OptionalAttr<DictionaryAttr>:$operands, OptionalAttr<DictionaryAttr>:$cost);
  let assemblyFormat = [{
    $sym_name $kind (`blocking` $blocking^)? `depth` $queue_depth `when_full` $when_full (`group` $group^)?
    (`separate_banks` $separate_banks^)? (`operands` $operands^)? (`cost` $cost^)? attr-dict
  }];
  let hasVerifier = 1;
}

def Zpu_RouteOp : Zpu_DeviceMember<"route"> {
  let summary = "a pair of memories that a DMA engine moves data between";
  let description = [{
    One direction; the way back is a route of its own. A DMA engine has at least one route, and each pair once. `links`
    names what a transfer crosses.

    ```mlir
    zpu.link @port bytes_per_cycle 384.0
    zpu.engine @odma0 dma depth 8 when_full stall
    zpu.route @odma0 from @dram to @asram links [@port]
    zpu.route @odma0 from @rsram to @dram
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$engine, FlatSymbolRefAttr:$from, FlatSymbolRefAttr:$to,
                       OptionalAttr<TypedArrayAttrBase<FlatSymbolRefAttr, "array of link symbols">>:$links);
  let assemblyFormat = "$engine `from` $from `to` $to (`links` $links^)? attr-dict";
}

def Zpu_SyncOp : Zpu_DeviceMember<"sync"> {
  let summary = "finite synchronisation resources";
  let description = [{
    `ids`: barrier ids that may be live at once; `barriers`: hardware barriers; `never_issued`: what a wait for an id
    does that no command was issued with: `return` at once, `hang` for ever, or be an `error`.

    ```mlir
    zpu.sync ids 64 barriers 16 never_issued error
    ```
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$ids, ConfinedAttr<I64Attr, [IntNonNegative]>:$barriers,
                       Zpu_NeverIssued:$never_issued);
  let assemblyFormat = "`ids` $ids `barriers` $barriers `never_issued` $never_issued attr-dict";
}

#endif // ZPU_DEVICE_OPS_TD
