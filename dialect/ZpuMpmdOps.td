// Programs over several devices: a topology of meshes, fragments on them, transfers between them.

#ifndef ZPU_MPMD_OPS_TD
#define ZPU_MPMD_OPS_TD

include "ZpuBase.td"
include "ZpuDeviceOps.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Zpu_MpmdOp<string mnemonic, list<Trait> traits = []> : Op<Zpu_Dialect, mnemonic, traits>;

class Zpu_TopologyMember<string mnemonic, list<Trait> traits = []>
    : Op<Zpu_Dialect, mnemonic, !listconcat(traits, [HasParent<"TopologyOp">])>;

def Zpu_TopologyOp : Zpu_MpmdOp<"topology",
    [Zpu_KeptSymbol, SymbolTable, IsolatedFromAbove, SingleBlock, NoTerminator, NoRegionArguments,
     HasParent<"::mlir::ModuleOp">]> {
  let summary = "the meshes that a module's fragments run on, and the links between them";
  let description = [{
    A mesh is one place where fragments run, one after the other; the order of the meshes is that of the pipeline. A
    mesh runs the commands of the device that it names, which is defined beside it; meshes that name the same device are
    copies of it, each with engines and memories of its own. A mesh without a device runs only fragments whose cost is
    given. A mesh whose name ends in `/cpu` is a host, which schedules leave alone.

    A module has at most one topology, and then functions of it may hold fragments. The device of a command in a
    fragment is that of the fragment's mesh.

    ```mlir
    zpu.topology @pipeline {
      zpu.mesh @m0
      zpu.mesh @m1
      zpu.mesh_link from @m0 to @m1 latency 20 bytes_per_cycle 64.0
      zpu.mesh_link from @m1 to @m0 latency 20 bytes_per_cycle 64.0
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name attr-dict-with-keyword $body";
  let hasRegionVerifier = 1;
}

def Zpu_MeshOp : Zpu_TopologyMember<"mesh", [Zpu_KeptSymbol]> {
  let summary = "one place in a topology where fragments run, one after the other";
  let description = [{
    `device` names a `zpu.device` of the topology.

    ```mlir
    zpu.topology @pipeline {
      zpu.device @core clock 1.0 off_chip @dram default_space @dram {
        zpu.control start 1 wait 1 loop 1 barrier 10 scalar 1
        zpu.memory @dram bytes 1073741824 align 64
        zpu.sync ids 0 barriers 0 never_issued error
      }
      zpu.mesh @m0 device @core
      zpu.mesh @m1 device @core
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<FlatSymbolRefAttr>:$device);
  let assemblyFormat = "$sym_name (`device` $device^)? attr-dict";
}

def Zpu_MeshLinkOp : Zpu_TopologyMember<"mesh_link"> {
  let summary = "the way from one mesh to another";
  let description = [{
    One direction; the way back is a link of its own, and each pair of meshes has one at the most. Transfers over it
    begin in the order of the program. Each takes its bytes divided by `bytes_per_cycle`, rounded up, during which the
    next one waits, and arrives `latency` cycles later. Without a link between two meshes, transfers between them take
    no time.

    ```mlir
    zpu.topology @pipeline {
      zpu.mesh @m0
      zpu.mesh @m1
      zpu.mesh_link from @m0 to @m1 latency 20 bytes_per_cycle 64.0
    }
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$from, FlatSymbolRefAttr:$to,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$latency, F64Attr:$bytes_per_cycle);
  let assemblyFormat = "`from` $from `to` $to `latency` $latency `bytes_per_cycle` $bytes_per_cycle attr-dict";
  let hasVerifier = 1;
}

def Zpu_OriginAttr : Zpu_Attr<"Origin", "origin"> {
  let summary = "the computation that a fragment comes from";
  let description = [{
    The name of a computation in the program of the user, and how often it was transposed on the way: 0 is the forward
    computation, 1 its backward, more are higher derivatives.

    ```mlir
    func.func private @f() attributes {origins = [#zpu.origin<"encoder">, #zpu.origin<"encoder"(1)>]}
    ```
  }];
  let parameters = (ins StringRefParameter<"name of the computation">:$name,
                        DefaultValuedParameter<"int64_t", "0">:$transpose_count);
  let assemblyFormat = "`<` $name (`(` $transpose_count^ `)`)? `>`";
  let genVerifyDecl = 1;
}

def Zpu_DoneType : Zpu_Type<"Done", "done"> {
  let summary = "the completion of a fragment";
  let description = [{
    Yielded by each `zpu.fragment`, and consumed by those that have to run later: a dependence of control, beside those
    of data.

    ```mlir
    !zpu.done
    ```
  }];
}

def Zpu_SplitType : I32EnumAttr<"SplitType", "which part of a split backward computation a fragment is", [
    I32EnumAttrCase<"KeepTransferred", 0, "keep_transferred">,
    I32EnumAttrCase<"DropTransferred", 1, "drop_transferred">]> {
  let cppNamespace = "::zpu";
}

// Schedules order fragments; stock passes must neither drop nor merge nor move one.
def Zpu_FragmentOp : Zpu_MpmdOp<"fragment",
    [IsolatedFromAbove, AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "a part of the program that runs on one mesh, from its beginning to its end";
  let description = [{
    The body computes results from operands, which it only reads; a memref among the results is allocated in the body.
    So a fragment is a function of its operands, and the order of fragments changes when they run, never their results.
    Operands are results of fragments of the same mesh, of transfers to it, or come from outside of all fragments: those
    are on every mesh. `after` lists fragments that have to be complete before, besides those that made the operands.
    A fragment without a body is opaque: only its cost is known (`zpu.cycles`).

    `origins` names the computations of the user that the fragment is made of; without any it is *inferred*. `stage` is
    the logical stage, `call_counter` the number of the microbatch. `split` tells the two parts of a backward
    computation apart: `keep_transferred` has the results that leave the mesh, `drop_transferred` the rest, usually the
    gradients of weights. `remat` marks a fragment that computes again what another one has computed. A fragment with
    origins, a call counter, and one transpose count of 0 or 1 is a *scheduling unit*.

    ```mlir
    %done, %y = zpu.fragment @m0 origins [#zpu.origin<"layer">] stage 0 call_counter 2 (%from = %x)
        : (memref<16x16xf32, #zpu.space<dram>>) -> memref<16x16xf32, #zpu.space<dram>> {
      %r = memref.alloc() : memref<16x16xf32, #zpu.space<dram>>
      linalg.exp ins(%from : memref<16x16xf32, #zpu.space<dram>>) outs(%r : memref<16x16xf32, #zpu.space<dram>>)
      zpu.return %r : memref<16x16xf32, #zpu.space<dram>>
    }
    %later = zpu.fragment @m0 origins [#zpu.origin<"layer"(1)>] stage 0 call_counter 2 after(%done)
        split drop_transferred attributes {zpu.cycles = 120 : i64} (%y)
        : (memref<16x16xf32, #zpu.space<dram>>) -> ()
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$mesh,
                       TypedArrayAttrBase<Zpu_OriginAttr, "array of #zpu.origin">:$origins,
                       OptionalAttr<ConfinedAttr<I64Attr, [IntNonNegative]>>:$stage,
                       OptionalAttr<ConfinedAttr<I64Attr, [IntNonNegative]>>:$call_counter,
                       OptionalAttr<Zpu_SplitType>:$split, UnitAttr:$remat,
                       Variadic<AnyType>:$inputs, Variadic<Zpu_DoneType>:$after);
  let results = (outs Zpu_DoneType:$done, Variadic<AnyType>:$outputs);
  let regions = (region MaxSizedRegion<1>:$body);
  let assemblyFormat = [{
    $mesh `origins` $origins (`stage` $stage^)? (`call_counter` $call_counter^)? (`after` `(` $after^ `)`)?
    (`split` $split^)? (`remat` $remat^)? attr-dict-with-keyword
    custom<FragmentBody>($inputs, type($inputs), type($outputs), $body)
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Zpu_ReturnOp : Zpu_MpmdOp<"return", [HasParent<"FragmentOp">, Pure, Terminator]> {
  let summary = "the results of a fragment";
  let description = [{
    ```mlir
    %done, %y = zpu.fragment @m0 origins [] () : () -> memref<16x16xf32> {
      %r = memref.alloc() : memref<16x16xf32>
      zpu.return %r : memref<16x16xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
}

def Zpu_TransferOp : Zpu_MpmdOp<"transfer", [SameOperandsAndResultType]> {
  let summary = "a copy of a value from one mesh on another";
  let description = [{
    The result has a memory of its own. Transfers between the same two meshes, in the same direction, are a queue in the
    order of the program: one that waits for its operand holds those after it.

    ```mlir
    %there = zpu.transfer %x from @m0 to @m1 : memref<16x16xf32, #zpu.space<dram>>
    ```
  }];
  let arguments = (ins Arg<AnyType, "read", [MemRead]>:$source, FlatSymbolRefAttr:$from, FlatSymbolRefAttr:$to);
  let results = (outs Res<AnyType, "allocated", [MemAlloc]>:$result);
  let assemblyFormat = "$source `from` $from `to` $to attr-dict `:` type($source)";
  let hasVerifier = 1;
}

#endif // ZPU_MPMD_OPS_TD
