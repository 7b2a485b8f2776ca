// Commands, waits and fences; with the machine's operations and those for several devices this is the whole dialect.

#ifndef ZPU_OPS_TD
#define ZPU_OPS_TD

include "ZpuBase.td"
include "ZpuDeviceOps.td"
include "ZpuMpmdOps.td"
include "ZpuStreamAttrs.td"
include "mlir/Dialect/Bufferization/IR/BufferViewFlowOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Zpu_Op<string mnemonic, list<Trait> traits = []> : Op<Zpu_Dialect, mnemonic, traits>;

// Stock passes must not move an access across a wait or a fence: it reads and writes everything, as far as they know.
defvar Zpu_FenceEffects = MemoryEffects<[MemRead, MemWrite]>;

defvar Zpu_TransferRules = [{

    Source and destination have the same shape and element type; layouts may differ (strided views are the n-d strided
    transfer). The engine must be a DMA engine of the module's device with a route between the two spaces. A module
    without a device may name any engine, until it gets one.
  }];

def Zpu_DmaOp : Zpu_Op<"dma"> {
  let summary = "a transfer, complete before the next operation is issued";
  let description = !strconcat([{
    The synchronous form: program order is the meaning, whatever the engine.

    ```mlir
    zpu.dma %src to %dst on @odma0 : memref<64x32xf32, #zpu.space<dram>> to memref<64x32xf32, #zpu.space<asram>>
    ```

    A tile of a larger buffer is a view of it:

    ```mlir
    %tile = memref.subview %src[0, 16] [64, 16] [1, 1]
        : memref<64x32xf32, #zpu.space<dram>> to memref<64x16xf32, strided<[32, 1], offset: 16>, #zpu.space<dram>>
    %half = memref.alloc() : memref<64x16xf32, #zpu.space<asram>>
    zpu.dma %tile to %half on @odma0 : memref<64x16xf32, strided<[32, 1], offset: 16>, #zpu.space<dram>>
                                    to memref<64x16xf32, #zpu.space<asram>>
    ```
  }], Zpu_TransferRules);
  let arguments = (ins Arg<AnyMemRef, "read", [MemRead]>:$source, Arg<AnyMemRef, "written", [MemWrite]>:$dest,
                       FlatSymbolRefAttr:$engine);
  let assemblyFormat = "$source `to` $dest `on` $engine attr-dict `:` type($source) `to` type($dest)";
  let hasVerifier = 1;
}

// Interfaces of a command that yields a token.
defvar Zpu_StartInterfaces = [DeclareOpInterfaceMethods<InferTypeOpInterface>,
                              DeclareOpInterfaceMethods<BufferViewFlowOpInterface>];

def Zpu_DmaStartOp : Zpu_Op<"dma_start", Zpu_StartInterfaces> {
  let summary = "issues a transfer and yields the token of its completion";
  let description = !strconcat([{
    The transfer reads its source and writes its destination at any time until its token has been waited for. With `id`,
    it also raises that barrier id when it is complete (`zpu.id_wait`).

    ```mlir
    %t = zpu.dma_start %src to %dst on @odma0
        : memref<64x32xf32, #zpu.space<dram>> to memref<64x32xf32, #zpu.space<asram>>
    %u = zpu.dma_start %src to %dst on @odma0 id(%slot)
        : memref<64x32xf32, #zpu.space<dram>> to memref<64x32xf32, #zpu.space<asram>>
    ```
  }], Zpu_TransferRules);
  let arguments = (ins Arg<AnyMemRef, "read", [MemRead]>:$source, Arg<AnyMemRef, "written", [MemWrite]>:$dest,
                       FlatSymbolRefAttr:$engine, Optional<Index>:$id);
  let results = (outs Zpu_TokenType:$token);
  let assemblyFormat = [{
    $source `to` $dest `on` $engine (`id` `(` $id^ `)`)? attr-dict `:` type($source) `to` type($dest)
  }];
  let hasVerifier = 1;
}

def Zpu_DmaWaitOp : Zpu_Op<"dma_wait", [Zpu_FenceEffects]> {
  let summary = "holds the control stream until a transfer is complete";
  let description = [{
    The token's engine must be a DMA engine. Everything issued to that engine before the command is complete as well.

    ```mlir
    zpu.dma_wait %t : !zpu.token<@odma0>
    ```
  }];
  let arguments = (ins Zpu_TokenType:$token);
  let assemblyFormat = "$token attr-dict `:` qualified(type($token))";
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

defvar Zpu_ComputeRules = [{

    The region holds structured operations on memrefs (`linalg.matmul`, `linalg.generic`, ...), so every computation has
    its upstream meaning; it captures values from outside, and may not hold commands, calls, control flow or
    allocations. A tensor engine takes contractions, convolutions over input channels among them, and with `zero_init`
    in its cost a `linalg.fill` of its operand `c` with the constant 0; a vector engine takes everything but products of
    matrices. Operands have to be in the memories that the engine's operand rules name. Bodies of structured operations
    compute on scalars only. One command may hold several operations, whose work adds up; a region that stock passes
    have emptied is a command without work.
  }];

def Zpu_ComputeOp : Zpu_Op<"compute", [SingleBlock, NoTerminator, NoRegionArguments, RecursiveMemoryEffects]> {
  let summary = "a computation on an engine, complete before the next operation is issued";
  let description = !strconcat([{
    The synchronous form: program order is the meaning, whatever the engine.

    ```mlir
    zpu.compute on @tensor {
      linalg.matmul ins(%a, %b : memref<16x16xf32, #zpu.space<asram>>, memref<16x16xf32, #zpu.space<wsram>>)
                    outs(%c : memref<16x16xf32, #zpu.space<rsram>>)
    }
    ```
  }], Zpu_ComputeRules);
  let arguments = (ins FlatSymbolRefAttr:$engine);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "`on` $engine attr-dict-with-keyword $body";
  let hasVerifier = 1;
}

def Zpu_ComputeStartOp : Zpu_Op<"compute_start", !listconcat(Zpu_StartInterfaces, [SingleBlock, NoTerminator,
    NoRegionArguments, RecursiveMemoryEffects, MemoryEffects<[MemWrite]>])> {
  let summary = "issues a computation and yields the token of its completion";
  let description = !strconcat([{
    The computation reads and writes its operands at any time until its token has been waited for. Captured scalars are
    taken when the command is issued.

    ```mlir
    %t = zpu.compute_start on @tensor {
      linalg.matmul ins(%a, %b : memref<16x16xf32, #zpu.space<asram>>, memref<16x16xf32, #zpu.space<wsram>>)
                    outs(%c : memref<16x16xf32, #zpu.space<rsram>>)
    }
    ```
  }], Zpu_ComputeRules);
  let arguments = (ins FlatSymbolRefAttr:$engine, Optional<Index>:$id);
  let results = (outs Zpu_TokenType:$token);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "`on` $engine (`id` `(` $id^ `)`)? attr-dict-with-keyword $body";
  let hasVerifier = 1;
}

def Zpu_ComputeWaitOp : Zpu_Op<"compute_wait", [Zpu_FenceEffects]> {
  let summary = "holds the control stream until a computation is complete";
  let description = [{
    The token's engine must be a tensor or vector engine. Everything issued to that engine before the command is
    complete as well.

    ```mlir
    zpu.compute_wait %u : !zpu.token<@tensor>
    ```
  }];
  let arguments = (ins Zpu_TokenType:$token);
  let assemblyFormat = "$token attr-dict `:` qualified(type($token))";
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def Zpu_NullTokenOp : Zpu_Op<"null_token", [Pure]> {
  let summary = "a token that is complete from the beginning";
  let description = [{
    A token that is complete from the beginning: a loop-carried token is null before the first command. It has no
    effects: stock passes merge, hoist and drop it, and canonicalisation erases a wait for it, as it does a second wait
    for any token after a first one.

    ```mlir
    %none = zpu.null_token : !zpu.token<@odma0>
    %last = scf.for %i = %lower to %upper step %step iter_args(%before = %none) -> (!zpu.token<@odma0>) {
      zpu.dma_wait %before : !zpu.token<@odma0>
      %t = zpu.dma_start %src to %dst on @odma0
          : memref<64x32xf32, #zpu.space<dram>> to memref<64x32xf32, #zpu.space<asram>>
      scf.yield %t : !zpu.token<@odma0>
    }
    zpu.dma_wait %last : !zpu.token<@odma0>
    ```
  }];
  let results = (outs Zpu_TokenType:$token);
  let assemblyFormat = "attr-dict `:` qualified(type($token))";
  let hasVerifier = 1;
}

def Zpu_IdWaitOp : Zpu_Op<"id_wait", [Zpu_FenceEffects]> {
  let summary = "holds the control stream until the last command started with a barrier id is complete";
  let description = [{
    Barrier ids are the finite form of tokens: `0 <= id < ids` of the device's `zpu.sync`. Starting a command with an id
    makes the id mean that command; a device with `ids 0` has none, and neither this operation nor `id(...)` of a start
    may be used on it. A wait for an id that no command was started with does what `never_issued` of `zpu.sync` says.

    ```mlir
    zpu.id_wait %slot
    ```
  }];
  let arguments = (ins Index:$id);
  let assemblyFormat = "$id attr-dict";
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def Zpu_BarrierOp : Zpu_Op<"barrier", [Zpu_FenceEffects]> {
  let summary = "holds the control stream until engines have completed all that was issued to them";
  let description = [{
    Over the named engines, or over all. The list is not empty.

    ```mlir
    zpu.barrier
    zpu.barrier on [@odma0, @tensor]
    ```
  }];
  let arguments = (ins OptionalAttr<TypedArrayAttrBase<FlatSymbolRefAttr, "array of engine symbols">>:$engines);
  let assemblyFormat = "(`on` $engines^)? attr-dict";
  let hasVerifier = 1;
}

#endif // ZPU_OPS_TD
