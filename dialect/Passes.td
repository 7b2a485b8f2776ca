// The passes: names, summaries, descriptions, options and defaults. This file is the only place where they are written;
// the C++ shells, the Rust option structs and the reference page are made from it.

#ifndef ZPU_PASSES_TD
#define ZPU_PASSES_TD

include "mlir/Pass/PassBase.td"

defvar ZpuDialects = ["::zpu::ZpuDialect", "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                      "::mlir::scf::SCFDialect", "::mlir::linalg::LinalgDialect", "::mlir::func::FuncDialect",
                       "::mlir::ub::UBDialect"];

class ZpuPass<string argument, string anchor> : Pass<argument, anchor> {
  let dependentDialects = ZpuDialects;
}

// A chain of passes under one name. It is declared as a pass is, so that its options and its section of the reference
// page are made in the same way. The Rust side decides which passes it stands for.
class ZpuPipeline<string argument> : PassBase<argument, "">;

// Options that mean the same wherever they are.
defvar DeviceOptions = [
  Option<"device", "device", "std::string", "", "built-in device, or path of a device file">,
  ListOption<"set", "set", "std::string", "override of a value in the device file, key=value">
];
defvar SchedulerOption =
  Option<"scheduler", "scheduler", "std::string", "\"auto\"", "serial, list, greedy, modulo, auto or exact">;
// As in TileLang, and as the annotation zpu.num_stages: a number of iterations, not one of stages.
defvar NumStagesOption =
  Option<"numStages", "num-stages", "std::string", "\"auto\"",
         "the largest stage, that is how many iterations consumers may run after the loads, and most versions of a "
         "buffer; at most 256, 0 switches pipelining off; auto for the least depth with the best plan">;
defvar TimeLimitOption =
  Option<"timeLimit", "time-limit", "std::string", "\"\"",
         "seconds after which the search for one loop, or one run of commands, ends with the best so far; nothing for "
         "no limit but that of its effort">;
defvar FormOption =
  Option<"form", "form", "std::string", "\"peeled\"",
         "of pipelined loops: peeled, predicated or auto (peeled, unless a dynamic trip count would make that more "
         "than 64 copies)">;
defvar WaitOptions = [
  Option<"mode", "mode", "std::string", "\"minimal\"",
         "of waits: minimal (those that are needed) or full (one after every start)">,
  Option<"ids", "ids", "int64_t", "0",
         "barrier ids to use in place of tokens: a number, -1 for all of the device's, 0 for none">
];
defvar ReuseOption =
  Option<"reuse", "reuse", "int64_t", "0",
         "0: buffers share bytes where that adds no wait and no cycle, 1: where it adds no cycle">;
// From a plan to waits.
defvar LoweringOptions =
  !listconcat([SchedulerOption, NumStagesOption, TimeLimitOption, FormOption], WaitOptions);

def Pipeline : ZpuPipeline<"zpu-pipeline"> {
  let summary = "from ordinary tile loops to an overlapped zpu program: all passes in order";
  let description = [{
    Stands for the passes of this page that transform a program, in their order, with upstream's canonicalisation before
    and after them; `--dump-pass-pipeline` prints them with their options. An option goes to the passes that have one of
    that name, `scheduler` only to those that plan loops. `compare-plans` puts `zpu-select-plan` before the planning,
    `insert-buffers` puts `zpu-analyze-streams`, `zpu-select-buffers` if plans are compared, and `zpu-insert-buffers`
    after the first canonicalisation and `zpu-verify-streams` before the planning, `assign-layouts` puts
    `zpu-assign-layouts` and upstream's bufferisation before the first canonicalisation, `plan-memory` puts
    `zpu-plan-memory` before the waits and `zpu-verify-addresses` at the end, and `report` puts
    `zpu-record-remarks` at the beginning and `zpu-print-report` at the end.
  }];
  let options = !listconcat(DeviceOptions, LoweringOptions, [
    Option<"insertBuffers", "insert-buffers", "bool", "false",
           "make one loop of loops that pass a tensor on, with a small buffer in place of the tensor">,
    Option<"assignLayouts", "assign-layouts", "bool", "false",
           "take a module on tensors: change layouts where fewer bytes are converted then, and make memrefs of tensors "
           "by upstream's one-shot-bufferize">,
    Option<"comparePlans", "compare-plans", "bool", "true",
           "try simpler plans as well, simulate what comes of each, and keep the fastest">,
    Option<"planMemory", "plan-memory", "bool", "false",
           "give every on-chip buffer an address, so that buffers share bytes, where that costs no time or nothing "
           "else fits">,
    ReuseOption,
    Option<"report", "report", "std::string", "",
           "file for a table of what became of each loop, - for standard output">
  ]);
}

def AttachDevice : ZpuPass<"zpu-attach-device", "::mlir::ModuleOp"> {
  let summary = "put the machine into the module";
  let description = [{
    Makes a `zpu.device` operation from a built-in device or a device file. After this pass nothing reads a file: every
    other pass takes the machine from the module. A module that already holds a device keeps it when no device is
    given, or when the same one is; another one is an error, and nothing is changed.

    A program may name engines, memories and barrier ids before it has a machine. They are checked here: each command
    that does not fit is an error at its place, and the module stays without a device.

    A loop that canonicalisation, which comes next in `--zpu-pipeline`, would take for empty and erase although it is
    not, is an error, and nothing is changed: `scf.for` from -128 to 127 in `i8`, whose length does not fit the type, or
    an unsigned loop with a step that is negative when read as signed. The remedy is a wider type.

    The machine stands at the beginning of the module. A small one looks like this:

    ```mlir
    zpu.device @small clock 1.0 off_chip @dram default_space @sram {
      zpu.control start 8 wait 4 loop 2 barrier 40 scalar 1
      zpu.memory @sram bytes 1048576 align 64
      zpu.memory @dram bytes 4294967296 align 1
      zpu.engine @copy dma depth 8 when_full stall cost {gap = 16 : i64, bytes_per_cycle = 128.0 : f64}
      zpu.route @copy from @dram to @sram
      zpu.route @copy from @sram to @dram
      zpu.engine @simd vector depth 4 when_full stall operands {all = [@sram]}
      zpu.sync ids 64 barriers 1 never_issued error
    }
    ```

    `set` overrides single values of the device file, as `zpu-sim --set` does:
    `set=control.start_cycles=4,sync.tokens=8`. Values with commas or spaces are quoted or put in braces:
    `set={{engine.tensor.block=[16, 16, 16]},sync.tokens=8}`.
  }];
  let options = DeviceOptions;
}

def AssignLayouts : ZpuPass<"zpu-assign-layouts", "::mlir::func::FuncOp"> {
  let summary = "choose the order of the dimensions of each tensor so that the fewest bytes are transposed";
  let description = [{
    Takes structured operations on tensors, before tiling and bufferisation. The *layout* of a tensor is the order of
    its dimensions in memory, outermost first. For each operation a table says in which orders it can read its operands
    and write its result:

    | operation | orders |
    |---|---|
    | elementwise, `linalg.map`, `linalg.fill` | any, the same for all operands and the result |
    | matrix products with maps | A and B as they are or transposed, C as it is |
    | `linalg.reduce`, `linalg.broadcast`, other `linalg.generic` | any order of the loops, the same for all tensors |
    | `linalg.transpose`, a `linalg.generic` that only moves elements | the result is the operand under other names |
    | everything else, arguments and results of functions, dynamic sizes | the order of the type |

    Maps have to choose dimensions, no more. Loops that are reduced keep their order among each other.

    Where an operation reads a tensor in another order than it is written in, the tensor is transposed, once for all
    that want that order. The pass chooses the orders such that these transposes move the fewest bytes in each block,
    and writes that down if it is less than what the transposes of the program move: types and indexing maps are
    permuted, the transposes of the program are gone, and those that are left stand after the producers of their
    tensors. A program that is not made better is left as it is. Each element of a result is computed by the same
    operations in the same order, so its bytes are equal.

    ```mlir
    func.func @product(%x: tensor<16x64xf32>, %y: tensor<16x32xf32>, %z: tensor<64x32xf32>) -> tensor<64x32xf32> {
      %e = tensor.empty() : tensor<64x16xf32>
      %t = linalg.transpose ins(%x : tensor<16x64xf32>) outs(%e : tensor<64x16xf32>) permutation = [1, 0]
      %p = linalg.matmul ins(%t, %y : tensor<64x16xf32>, tensor<16x32xf32>) outs(%z : tensor<64x32xf32>)
          -> tensor<64x32xf32>
      return %p : tensor<64x32xf32>
    }
    ```

    becomes

    ```mlir
    func.func @product(%x: tensor<16x64xf32>, %y: tensor<16x32xf32>, %z: tensor<64x32xf32>) -> tensor<64x32xf32> {
      %p = linalg.matmul
          indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>,
                           affine_map<(m, n, k) -> (m, n)>]
          ins(%x, %y : tensor<16x64xf32>, tensor<16x32xf32>) outs(%z : tensor<64x32xf32>) -> tensor<64x32xf32>
      return %p : tensor<64x32xf32>
    }
    ```

    Remarks name the layouts of each tensor, *expected producer layout*, *expected consumer layouts* and *current
    layout*, each conversion with its bytes, and the bytes of the whole block as it is written, as it is now, and as a
    majority vote of the consumers would have it. Operations on buffers stay, with a remark. Each block is a graph of
    its own, to which tensors from outside come in the order of their types.
  }];
  let options = [
    Option<"algorithm", "algorithm", "std::string", "\"exact\"",
           "exact (the fewest bytes) or vote (the majority of the consumers, to compare with)">
  ];
}

def InsertBuffers : ZpuPass<"zpu-insert-buffers", "::mlir::func::FuncOp"> {
  let summary = "make one loop of loops that pass a tensor on, with a small buffer in place of the tensor";
  let description = [{
    Takes loops of one block of which one writes a tensor that another one reads, as buffers that are allocated in the
    block, off chip or without a memory space. If both go through the tensor along one dimension, they become one loop,
    whose iterations do some of the first loop's and some of the second's, as many as belong together. If the second
    one looks further ahead than the first one has come by then, iterations of the first one go before the loop. Then a
    small buffer stands in place of the tensor: a block that each iteration has of its own, where an iteration reads
    what it writes itself, or a ring, where it reads what iterations before it wrote. So the tensor does not go through
    off-chip memory, and the planning sees one loop, of which it overlaps what were two.

    ```mlir
    func.func @twice(%x: memref<512x64xf32> {llvm.noalias}, %y: memref<512x64xf32> {llvm.noalias}) {
      %c0 = arith.constant 0 : index
      %c32 = arith.constant 32 : index
      %c512 = arith.constant 512 : index
      %t = memref.alloc() : memref<512x64xf32, #zpu.space<dram>>
      scf.for %i = %c0 to %c512 step %c32 {
        %from = memref.subview %x[%i, 0] [32, 64] [1, 1]
            : memref<512x64xf32> to memref<32x64xf32, strided<[64, 1], offset: ?>>
        %to = memref.subview %t[%i, 0] [32, 64] [1, 1]
            : memref<512x64xf32, #zpu.space<dram>> to memref<32x64xf32, strided<[64, 1], offset: ?>, #zpu.space<dram>>
        linalg.exp ins(%from : memref<32x64xf32, strided<[64, 1], offset: ?>>)
                   outs(%to : memref<32x64xf32, strided<[64, 1], offset: ?>, #zpu.space<dram>>)
      }
      scf.for %i = %c0 to %c512 step %c32 {
        %from = memref.subview %t[%i, 0] [32, 64] [1, 1]
            : memref<512x64xf32, #zpu.space<dram>> to memref<32x64xf32, strided<[64, 1], offset: ?>, #zpu.space<dram>>
        %to = memref.subview %y[%i, 0] [32, 64] [1, 1]
            : memref<512x64xf32> to memref<32x64xf32, strided<[64, 1], offset: ?>>
        linalg.exp ins(%from : memref<32x64xf32, strided<[64, 1], offset: ?>, #zpu.space<dram>>)
                   outs(%to : memref<32x64xf32, strided<[64, 1], offset: ?>>)
      }
      memref.dealloc %t : memref<512x64xf32, #zpu.space<dram>>
      return
    }
    ```

    becomes one loop around both computations, with a `memref<32x64xf32>` between them.

    Loops stay apart, with a remark, where one of the second loop's iterations conflicts in any memory with an iteration
    of the first one that it would overtake, where the tensor is read in another order than it is written, where it is
    accessed other than by subviews of constant sizes, or where the numbers of iterations differ and are not known. A
    function with `zpu.whole_tensors` is left as it is.

    A tensor that is still off chip then, is passed from loop to loop and has a constant size that fits goes to the
    default memory as a whole. So loops that go through it in different orders keep those: in place, where they only
    read their parts or write them once, or by copies. If parts are copied, its dimensions lie in the order in which
    these copies move the fewest runs of memory, of the orders whose copies a DMA engine describes (`dims` in the device
    file): the reader gathers rows, or the writer scatters them. A remark says which.

    Each buffer gets the annotation `zpu.buffer` ([`#zpu.buffer`](dialect.md#bufferattr)): the tensor that it stands
    for, and the elements that each access means. `zpu-verify-streams` tells whether later passes keep to it.
  }];
  let options = [
    Option<"ringSlack", "ring-slack", "int64_t", "-1",
           "iterations whose part of the tensor a ring holds beyond those that are needed if one iteration runs after "
           "the other; -1 for as many slots as zpu.ring_slack on the function says, or 8 iterations">,
    Option<"maxUnrolled", "max-unrolled", "int64_t", "256",
           "operations up to which loops within a loop that was made of two are written out">
  ];
}

def InferMemorySpaces : ZpuPass<"zpu-infer-memory-spaces", "::mlir::ModuleOp"> {
  let summary = "give every buffer a memory space";
  let description = [{
    A buffer without a memory space gets one: an argument of a function that callers outside the module may call is
    off-chip, and so are its results; a local buffer goes to the memory that the engines demand for their operands (for
    instance matrix operand A in `asram`, B in `wsram`), and to the device's default space if there is no demand. Two
    different demands on one buffer are met by a copy to a buffer of the second space before the operation that demands
    it, or before the loops around it that do not change the buffer; if no path of routes leads there, the pass reports
    both operations. Spaces that were written by hand stay.

    Buffers that may be one another's have one space: those that a loop carries (`scf.for`, `scf.while`, `affine.for`),
    that branches yield or `arith.select` chooses between, and those that functions of the module pass to each other, as
    arguments or results. A buffer that escapes keeps its type, with a remark: by a call of a function without a body,
    by branches between blocks, or because something other than a call refers to the function that it belongs to.

    ```mlir
    func.func @product(%x: memref<16x16xf32>, %b: memref<16x16xf32, #zpu.space<wsram>>,
                       %c: memref<16x16xf32, #zpu.space<rsram>>) {
      %a = memref.alloc() : memref<16x16xf32>
      memref.copy %x, %a : memref<16x16xf32> to memref<16x16xf32>
      linalg.matmul ins(%a, %b : memref<16x16xf32>, memref<16x16xf32, #zpu.space<wsram>>)
                    outs(%c : memref<16x16xf32, #zpu.space<rsram>>)
      return
    }
    ```

    becomes, since `%x` is an argument and `%a` is operand A of a product,

    ```mlir
    func.func @product(%x: memref<16x16xf32, #zpu.space<dram>>, %b: memref<16x16xf32, #zpu.space<wsram>>,
                       %c: memref<16x16xf32, #zpu.space<rsram>>) {
      %a = memref.alloc() : memref<16x16xf32, #zpu.space<asram>>
      memref.copy %x, %a : memref<16x16xf32, #zpu.space<dram>> to memref<16x16xf32, #zpu.space<asram>>
      linalg.matmul ins(%a, %b : memref<16x16xf32, #zpu.space<asram>>, memref<16x16xf32, #zpu.space<wsram>>)
                    outs(%c : memref<16x16xf32, #zpu.space<rsram>>)
      return
    }
    ```

    It runs on the module and not on functions, because it changes the types of functions and has to know their callers.

    A `linalg.fill` whose buffer is overwritten as a whole before it is read is removed: it would only demand a space.
    An allocation of bytes that is used through a single `memref.view` becomes an allocation of the view's type.

    An operation that reads a part of a buffer and writes another part that overlaps with it sees its own results. Where
    both parts would become copies of their own it would not, so that is an error if an element is certainly read after
    it was written, and a warning if it may be, also where control flow chooses one of the buffers. Two arguments are
    taken for different memory, unless a call of the module passes one buffer as both: that is a warning, too.

    A buffer that is larger than the memory that it gets is an error, also one for a copy, and so are buffers that
    certainly do not fit together: of constant size, allocated whenever the function runs, and not freed in between. A
    buffer that may never be allocated, under a condition or in a loop that may have no iteration, is a warning if it
    does not fit alone. With `plan-memory`, buffers that fit alone are no error: `zpu-plan-memory` will let them share
    bytes, or say that they do not fit.
  }];
  let options = [
    Option<"planMemory", "plan-memory", "bool", "false",
           "buffers need not fit side by side, since they will share bytes">
  ];
}

def AnnotateCalls : ZpuPass<"zpu-annotate-calls", "::mlir::ModuleOp"> {
  let summary = "write on calls what their functions free and give away";
  let description = [{
    Passes on functions run side by side, and none of them looks into another function. So a call may free all the
    buffers that it is given, and what it returns may be memory that others name, unless an annotation says otherwise.
    This pass writes these annotations, for all calls of the module: `zpu.no_free` where neither the function nor any
    that it calls frees what it is given, and `zpu.owned_results` with the numbers of the results that the function
    allocates and gives away. Both are only as true as the functions stay: whoever changes one runs the pass again. A
    function without a body is taken to free nothing.

    ```mlir
    func.func private @make() -> memref<8xf32> {
      %x = memref.alloc() : memref<8xf32>
      return %x : memref<8xf32>
    }
    func.func @f() {
      %x = func.call @make() {zpu.no_free, zpu.owned_results = array<i64: 0>} : () -> memref<8xf32>
      memref.dealloc %x : memref<8xf32>
      return
    }
    ```
  }];
}

def RotateBuffers : ZpuPass<"zpu-rotate-buffers", "::mlir::func::FuncOp"> {
  let summary = "let buffers that iterations allocate, hand on and free go around instead";
  let description = [{
    A buffer that each iteration allocates and hands to a later one, which frees it, is another one each time, so that
    no version of it can be loaded ahead. In this pass the loop carries a few buffers of the same type instead: an
    iteration takes the first of them in place of an allocation, and hands on at their end what it would have freed.

    ```mlir
    %first = memref.alloc() : memref<16x16xf32, #zpu.space<rsram>>
    %last = scf.for %i = %c0 to %c8 step %c1 iter_args(%old = %first) -> (memref<16x16xf32, #zpu.space<rsram>>) {
      %new = memref.alloc() : memref<16x16xf32, #zpu.space<rsram>>
      memref.copy %x, %new : memref<16x16xf32, #zpu.space<dram>> to memref<16x16xf32, #zpu.space<rsram>>
      memref.dealloc %old : memref<16x16xf32, #zpu.space<rsram>>
      scf.yield %new : memref<16x16xf32, #zpu.space<rsram>>
    }
    memref.dealloc %last : memref<16x16xf32, #zpu.space<rsram>>
    ```

    becomes, with two buffers,

    ```mlir
    %first = memref.alloc() : memref<16x16xf32, #zpu.space<rsram>>
    %spare = memref.alloc() : memref<16x16xf32, #zpu.space<rsram>>
    %last:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%old = %first, %new = %spare)
        -> (memref<16x16xf32, #zpu.space<rsram>>, memref<16x16xf32, #zpu.space<rsram>>) {
      memref.copy %x, %new : memref<16x16xf32, #zpu.space<dram>> to memref<16x16xf32, #zpu.space<rsram>>
      scf.yield %new, %old : memref<16x16xf32, #zpu.space<rsram>>, memref<16x16xf32, #zpu.space<rsram>>
    }
    memref.dealloc %last#0 : memref<16x16xf32, #zpu.space<rsram>>
    memref.dealloc %last#1 : memref<16x16xf32, #zpu.space<rsram>>
    ```

    It is done where the allocation and the deallocation stand in the body itself, both are of one static type, and no
    other name of the memory is used once it is handed on. All buffers of the function have to fit their memory together
    with these (if not, remark `no-room`). As many as `most` are taken as long as they leave half of the memory free,
    and the loop carries no more than eight; else two. `zpu.versions` on the allocation says how many there are to be;
    with 1 it stays as it is.
  }];
  let options = [
    Option<"most", "most", "int64_t", "8", "buffers that go around at most, where no annotation says how many">
  ];
}

def HoistCopies : ZpuPass<"zpu-hoist-copies", "::mlir::func::FuncOp"> {
  let summary = "move copies that are the same in each iteration out of the loop";
  let description = [{
    A tile that a loop reads again and again, or adds to, needs to be copied to the chip once, and back once. Upstream's
    promotion copies all operands where it promotes them: in the innermost loop, the tile of C goes to off-chip memory
    and back in each step over k, and each step waits for the one before it through that memory.

    A `memref.copy` or `linalg.copy` in the body of an `scf.for` whose operands are the same in each iteration moves
    before the loop if the loop writes neither of the two elsewhere, and does not use the destination before the copy.
    It moves behind the loop if nothing else in the loop touches its destination, and nothing writes its source after
    it. Two copies there and back, of the same views, both move, with all that is computed in between in place.

    ```mlir
    scf.for %i = %c0 to %c8 step %c1 {
      %tile = memref.alloc() : memref<16x16xf32, #zpu.space<rsram>>
      memref.copy %x, %tile : memref<16x16xf32, #zpu.space<dram>> to memref<16x16xf32, #zpu.space<rsram>>
      linalg.exp ins(%tile : memref<16x16xf32, #zpu.space<rsram>>) outs(%tile : memref<16x16xf32, #zpu.space<rsram>>)
      memref.copy %tile, %x : memref<16x16xf32, #zpu.space<rsram>> to memref<16x16xf32, #zpu.space<dram>>
      memref.dealloc %tile : memref<16x16xf32, #zpu.space<rsram>>
    }
    ```

    becomes

    ```mlir
    %tile = memref.alloc() : memref<16x16xf32, #zpu.space<rsram>>
    memref.copy %x, %tile : memref<16x16xf32, #zpu.space<dram>> to memref<16x16xf32, #zpu.space<rsram>>
    scf.for %i = %c0 to %c8 step %c1 {
      linalg.exp ins(%tile : memref<16x16xf32, #zpu.space<rsram>>) outs(%tile : memref<16x16xf32, #zpu.space<rsram>>)
    }
    memref.copy %tile, %x : memref<16x16xf32, #zpu.space<rsram>> to memref<16x16xf32, #zpu.space<dram>>
    memref.dealloc %tile : memref<16x16xf32, #zpu.space<rsram>>
    ```

    The buffer's allocation moves, too, as far as its memory has room for that. A loop that may have no iteration gets
    an `scf.if` around it, which asks whether it has one; that stands around the outermost loop that holds nothing
    else. What moved may move out of the next loop as well.

    A copy stays if it has `zpu.schedule`, or an allocation `zpu.versions` or `zpu.buffer`: these say where it belongs.
    So it does in a loop that may have no iteration and has results, in a loop with commands that are started and
    waited for, and beside an operation whose accesses are not known; and if `zpu.streams` or `zpu.buffer` gives an
    order of accesses that would change.
  }];
}

def LegalizeDataPath : ZpuPass<"zpu-legalize-data-path", "::mlir::func::FuncOp"> {
  let summary = "stage copies that no DMA engine has a route for";
  let description = [{
    A copy between two memories without a direct route becomes a chain of copies over the shortest path of routes,
    through buffers of the memories between, on chip if there is a choice. A vector engine carries data between the
    memories that its operand rule names: such a copy stays as it is, and is part of a path when DMA engines alone make
    none. A copy without any path is an error that names the routes there are.

    A copy that goes through more strided dimensions than any DMA engine of its route does in one transfer (`dims` in
    the device file) becomes loops over its outermost dimensions around a copy of the others. Neighbouring dimensions
    that both sides go through in one step count as one, and sizes and strides that types do not tell as one each.

    A copy whose source and target may overlap gets a buffer of the same memory between where a vector engine or such a
    loop does it: these would read what they wrote.

    ```mlir
    memref.copy %c, %b : memref<16x16xf32, #zpu.space<rsram>> to memref<16x16xf32, #zpu.space<wsram>>
    ```

    becomes, on a machine with routes from `rsram` to `dram` and from there to `wsram`,

    ```mlir
    %stage = memref.alloc() : memref<16x16xf32, #zpu.space<dram>>
    memref.copy %c, %stage : memref<16x16xf32, #zpu.space<rsram>> to memref<16x16xf32, #zpu.space<dram>>
    memref.copy %stage, %b : memref<16x16xf32, #zpu.space<dram>> to memref<16x16xf32, #zpu.space<wsram>>
    memref.dealloc %stage : memref<16x16xf32, #zpu.space<dram>>
    ```
  }];
}

def ConvertToDma : ZpuPass<"zpu-convert-to-dma", "::mlir::func::FuncOp"> {
  let summary = "turn copies and computations into commands on engines, in their synchronous form";
  let description = [{
    `memref.copy` and `linalg.copy` between memories with a route become `zpu.dma`; structured operations become
    `zpu.compute` on a tensor engine (contractions, and convolutions over input channels) or a vector engine (all
    others, and convolutions whose operands are in memories that no tensor engine takes them from). A `linalg.fill` with
    0 of an accumulator that no vector engine reaches goes to a tensor engine with `zero_init` in its cost. Program
    order remains the meaning.

    ```mlir
    memref.copy %x, %a : memref<16x16xf32, #zpu.space<dram>> to memref<16x16xf32, #zpu.space<asram>>
    linalg.matmul ins(%a, %b : memref<16x16xf32, #zpu.space<asram>>, memref<16x16xf32, #zpu.space<wsram>>)
                  outs(%c : memref<16x16xf32, #zpu.space<rsram>>)
    ```

    becomes

    ```mlir
    zpu.dma %x to %a on @odma0 : memref<16x16xf32, #zpu.space<dram>> to memref<16x16xf32, #zpu.space<asram>>
    zpu.compute on @tensor {
      linalg.matmul ins(%a, %b : memref<16x16xf32, #zpu.space<asram>>, memref<16x16xf32, #zpu.space<wsram>>)
                    outs(%c : memref<16x16xf32, #zpu.space<rsram>>)
    }
    ```

    A copy that no DMA engine has a route for is work for a vector engine, if that works on both memories. Of several
    engines that could take an operation, it goes to the one that would be done first with all commands that its block
    has given it so far. `zpu.engine = "vector"` on an operation, an engine's name or kind, wins; so a copy within a
    memory that a DMA engine serves can be a vector engine's. `zpu.cycles` and other attributes that a user wrote on an
    operation go to its command.

    Capability check: when every DMA engine that serves a copy's route is blocking, the target cannot transfer
    asynchronously there; the copy stays as it is, with the remark `no-async-dma`. An operation that no engine can take
    stays, too: a copy without a route (`no-route`), a buffer without a memory of the device (`no-space`), operands in
    other memories than the engine demands (`no-engine`), tensors (`not-on-buffers`), an operation whose `zpu.engine`
    names an engine that cannot take it (`wanted-engine`), and a copy for a vector engine whose source and target may
    overlap (`overlap`).
  }];
}

def SplitGuards : ZpuPass<"zpu-split-guards", "::mlir::func::FuncOp"> {
  let summary = "make one conditional of each command that a loop holds under a condition";
  let description = [{
    In the body of an innermost loop, an `scf.if` without results that holds several commands or accesses becomes one
    `scf.if` each, in program order and with the same condition; those of the other branch get the negated one. Each
    guarded command then has a place of its own in a plan, and keeps its guard in prologue, kernel and epilogue.

    ```mlir
    scf.if %p {
      zpu.dma %x to %a on @odma0 : memref<16x16xf32, #zpu.space<dram>> to memref<16x16xf32, #zpu.space<asram>>
      zpu.compute on @tensor {
        linalg.matmul ins(%a, %b : memref<16x16xf32, #zpu.space<asram>>, memref<16x16xf32, #zpu.space<wsram>>)
                      outs(%c : memref<16x16xf32, #zpu.space<rsram>>)
      }
    }
    ```

    becomes

    ```mlir
    scf.if %p {
      zpu.dma %x to %a on @odma0 : memref<16x16xf32, #zpu.space<dram>> to memref<16x16xf32, #zpu.space<asram>>
    }
    scf.if %p {
      zpu.compute on @tensor {
        linalg.matmul ins(%a, %b : memref<16x16xf32, #zpu.space<asram>>, memref<16x16xf32, #zpu.space<wsram>>)
                      outs(%c : memref<16x16xf32, #zpu.space<rsram>>)
      }
    }
    ```

    Operations without effects go with each of their users, an allocation moves before the conditional, and an access
    whose result a command uses stays with that one; if several commands use it, it gets a conditional of its own with
    the value as its result. A conditional that has results and holds commands stays whole, with a remark.
  }];
}

def PredictCycles : ZpuPass<"zpu-predict-cycles", "::mlir::func::FuncOp"> {
  let summary = "say how many cycles a model expects of a function once it is pipelined";
  let description = [{
    For a function whose commands are in program order the pass emits the remark `predicted` and changes nothing. It
    costs nothing unless remarks are switched on.

    ```mlir
    scf.for %i = %c0 to %c8 step %c1 {
      %a = memref.alloc() : memref<16x16xf32, #zpu.space<rsram>>
      zpu.dma %x to %a on @odma0 : memref<16x16xf32, #zpu.space<dram>> to memref<16x16xf32, #zpu.space<rsram>>
      zpu.compute on @vector {
        linalg.add ins(%a, %c : memref<16x16xf32, #zpu.space<rsram>>, memref<16x16xf32, #zpu.space<rsram>>)
          outs(%c : memref<16x16xf32, #zpu.space<rsram>>)
      }
    }
    ```

    gives on one device

    ```
    remark: 92 cycles by the model, of which vector works 80; no schedule takes less than 87 (vector)
    ```

    The model goes once through the commands, with as many versions of each buffer as `num-stages` stands for and as
    fit (see docs/tuning.md). It knows nothing of the plan that is chosen later; `zpu-select-plan` sets the prediction
    beside the simulated cycles of the plan (`Predicted` and `PredictionError` of the remark `selected`). A function
    whose loops or sizes depend on arguments or on memory has no prediction, and the remark says why.
  }];
  let options = [NumStagesOption];
}

def SelectPlan : ZpuPass<"zpu-select-plan", "::mlir::ModuleOp"> {
  let summary = "compile each function with several plans, simulate the results, and keep the fastest";
  let description = [{
    The planner judges one loop by an estimate; a user counts the cycles of the whole function. So the passes that
    follow in `--zpu-pipeline` are run on copies of the function, with the scheduler and the number of stages that are
    asked for, with weaker schedulers and with fewer stages, and `zpu-sim` counts the cycles of each result, without
    computing any numbers. The function as it is written, with the copies that memory spaces force and each command
    complete before the next one is issued, competes as well. The winner is written on the function: `zpu.scheduler` and
    `zpu.num_stages` if they differ from the options, or `zpu.synchronous` for the function as it is written. The passes
    that follow obey these.

    ```mlir
    func.func @copies(%x: memref<16xf32, #zpu.space<dram>>) attributes {zpu.num_stages = 1 : i64, zpu.scheduler =
    "list"} {
      return
    }
    ```

    With `num-stages=auto` the numbers from 1 to 16 compete with what the planner finds for each loop by itself.

    So a stronger scheduler or more stages never give a slower program than a weaker one or fewer do, and none is slower
    than the source; but `exact`, whose search takes long, is tried with fewer stages only where its plan loses in short
    runs. Of programs that take equally long, the one with the fewest bytes of local buffers is taken.

    On a device where a route has more DMA engines than there are transfers in a loop, where a computation could be on
    another engine, or where a loop within another one is short, plans compete in which 2, 4, 8 and 16 iterations are
    one (`zpu-unroll-loops`), large transfers beside loops are moved in pieces (`zpu-split-transfers`), and short copies
    within the chip are done by a vector engine (`zpu-retarget-copies`): with two stages first and `greedy`, for as long
    as a larger number gains; then all that come close to the best one with four, and the last one with `modulo` where a
    stronger scheduler than `greedy` is asked for. It is tried with computations spread over the engines that can do
    them (`zpu-balance-engines`) as well. Where an inner loop has up to 32 iterations, so are one, two, four and eight
    whole runs of it as one. The best ones are tried with transfers on few engines, too (`zpu-gather-transfers`); where
    a loop has no known length, also on twice as many, in its long runs alone, and only if no run that is tried takes
    longer by that. A run of up to 512 commands is tried without any loop, too (`unroll=all`), unless
    `zpu.num_stages` or `zpu.scheduler` is written on one. The winner gets `zpu.unroll` or `zpu.write_out`,
    `zpu.pieces`, `zpu.retarget_copies`, `zpu.balance_engines` and `zpu.gather_transfers` where it has them. Plans whose
    buffers do not fit are left out, and none of these compete where `num-stages` is below 2 or the scheduler `list` or
    `serial`, where the function has more than 96 commands, or where `zpu.unroll`, `zpu.write_out` or `zpu.pieces` is
    written in it.
    Before all these, two, three and four iterations of loops around innermost ones are tried side by side
    (`zpu-unroll-and-jam`), where they leave nothing over, by plans that do not depend on what is asked for; the number
    that is the fastest, also with several iterations of the inner loop as one, holds for the function (remark
    `side-by-side`, with the cycles of each), and `zpu.unroll_and_jam = 1` on a function keeps its loops as they are. Of
    a number of iterations that nobody knows, two and four are tried, in all runs together. What may be left over has
    one plan then, of 1, 2, 4 or 16 stages and no more than are asked for, in the predicated form where the inner loop
    turns out too short for its stages.
    Loops of unknown length are unrolled for runs of at least four times that number of iterations, or as many times as
    fill the stages of that plan; shorter ones take the plan that would win otherwise. The winner is then run with 2 to
    16 times that number, and with some iterations more, and begins where these runs take the fewest cycles together and
    none much more than before. At last it is run with 0 to 62 iterations (in nests fewer)
    beside programs in the predicated form with up to 2, 6 and, not in nests, 16 stages. A loop of unknown length is
    written in that form as well, for the lengths at which it is faster, if other runs lose no more than one wait for
    each engine, or no more than what the gain is worth. With `plan-memory` the program that comes of it is taken only
    if its buffers fit and it takes no longer with its addresses.

    With `plan-memory`, and where the plan that is asked for is held back by the size of a memory, plans compete that
    are made as if the memory were larger, and fit since buffers share bytes: `zpu-plan-memory` finds addresses in the
    copy, and as many bytes as sharing saves are what the next plan gets, until one fits. The winner has these sizes in
    `zpu.ring_bytes`. Of plans that take equally long the one of the fewest bytes is looked for, also with pairs of its
    buffers that take turns on one ring (`zpu.joint_ring`).

    Where loops depend on sizes that are not known, the function is run with several: from no iteration to twice the
    number of stages, 24 and 100, and a long run, in a deep nest as far as its innermost loop has no more than 4,096
    iterations, in short runs 1,024, and all short runs together 16,384 commands. In a nest whose innermost loops
    have sizes of their own, only these differ: the loops around them have few iterations, and the runs of 24 and of
    100 iterations are the long ones. A program with one plan for long runs and others for short ones is foretold
    from runs of each alone, and measured itself if it would be chosen. The plan is one that is fastest in the long
    runs together, and among those the one that loses least in the short ones against what fewer stages or weaker
    schedulers lead to. One wait for each engine is no difference, and in the long run less than 0.4 % is none, in
    such a nest 2 %. Numbers that are loaded from arguments and decide something are taken to be 1.

    Nothing is chosen, and the planner's own estimate decides, for a function with `zpu.scheduler`, `zpu.num_stages`
    or `zpu.synchronous` on it, one that holds asynchronous commands, and one that cannot be run (remark
    `not-measured`). A function in which a user wrote `zpu.schedule` or `zpu.versions` does not compete as it is
    written. Above 256 commands only the plan that is asked for, `serial`, and the function as it is written are
    compared, and nothing is written in the predicated form for short runs; above 2,048 nothing is compared. After
    1,024 commands of a run, loops that repeat themselves are not run to their end; after 16,384, long loops are run
    in part, and iterations that are left out count as the mean of those before and after them (`Exact` in the
    remark `selected`, which has the cycles of all programs).
  }];
  let options = !listconcat(LoweringOptions, [
    Option<"planMemory", "plan-memory", "bool", "false",
           "where a memory is short, try plans as well whose buffers fit only if they share bytes">,
    ReuseOption
  ]);
}

def UnrollAndJam : ZpuPass<"zpu-unroll-and-jam", "::mlir::func::FuncOp"> {
  let summary = "run several iterations of a loop around an innermost one side by side";
  let description = [{
    The pipeline of an innermost loop is filled and drained once in each iteration of the loop around it. Of tiles of a
    product that is as many times as there are tiles. So this pass makes `factor` iterations of a loop around an
    innermost one with commands one iteration, and puts the copies of the inner loop together:

    ```
    scf.for %j = %c0 to %n step %c1 {         // becomes   scf.for %j = %c0 to %n step %c2 {
      load %c[%j]                             //             load %c[%j]; load %c[%j + 1]
      scf.for %k = %c0 to %m step %c1 {       //             scf.for %k = %c0 to %m step %c1 {
        load %a[%k]; load %b[%k, %j]          //               load %a[%k]; load %b[%k, %j]
        product of both, added to %c          //               product of both, added to %c
      }                                       //               load %a[%k]; load %b[%k, %j + 1]
      store %c[%j]                            //               product of both, added to the other %c
    } {zpu.unroll_and_jam = 2 : i64}          //             }
                                              //             store %c[%j]; store %c[%j + 1]
                                              //           }
    ```

    Iterations that are left over are a loop of their own, as upstream's unrolling leaves it. Of two factors that leave
    nothing over and something over, the first is taken if it is more than half of what is allowed. A smaller factor is
    taken where all iterations together would have more than `max-commands` commands (remark `fewer`).

    The inner loop has to be the only one of the body, as long in each iteration of the loop around it, and neither loop
    may hand on values. Iterations that run side by side must not touch the same memory, but to read it: a buffer that
    each of them allocates is its own. What is in the way is told by a remark (`declined`). Loops in which a user wrote
    `zpu.schedule` or `zpu.versions` stay as they are.

    Buffers of the copies of the inner loop's body that equal commands fill with the same values become one: of tiles of
    a product in one row, the tiles of the left operand are loaded once for all (remark `shared`). It has to be certain
    that nothing is written in between, so arguments that may overlap (`llvm.noalias` says that they do not) share
    nothing.

    `zpu.unroll_and_jam` on a loop says the factor of that loop, and on a function that of all loops in it that say
    nothing. What is left of either is a 1 on the function, which keeps `zpu-select-plan` from choosing a number.
    Buffers that certainly do not fit their memory any more are an error.
  }];
  let options = [
    Option<"factor", "factor", "int64_t", "1", "iterations side by side, where no annotation says otherwise">,
    Option<"maxCommands", "max-commands", "int64_t", "192", "commands of all iterations side by side at most">,
    Option<"planMemory", "plan-memory", "bool", "false",
           "buffers need not fit side by side, since they will share bytes">
  ];
}

def UnrollLoops : ZpuPass<"zpu-unroll-loops", "::mlir::func::FuncOp"> {
  let summary = "make several iterations of an innermost loop one, so that its commands can go to several engines";
  let description = [{
    A command of a loop body has one engine for all iterations. Of a device with many DMA engines a loop with two
    transfers uses two, unless successive iterations are operations of their own. So this pass makes `factor`
    iterations of each innermost `scf.for` with commands one iteration, by upstream's unrolling; what is left over
    at the end is written out if its number of iterations is constant (remark `left-over`), else it is a loop of its
    own. A loop of no more than `factor` iterations is written out, and the loop around
    it, if it is innermost then, is unrolled as far as the copies of both allow. If the function has `zpu.pieces`,
    and no transfer in it, a transfer that stood beside it gets pieces for `zpu-split-transfers` in the body that is
    left, if the whole takes more than half of the cycles that the busiest engine needs for an iteration: of a quarter
    of these, a half, or all of them, whichever lets the loop end soonest by an estimate that counts the issues.

    A buffer that each iteration writes anew becomes one of each iteration before, also where it was allocated outside
    the loop: the copies share no memory that they need not share.

    ```mlir
    scf.for %i = %c0 to %c8 step %c1 {
      %s = memref.subview %x[%i, 0] [1, 16] [1, 1]
        : memref<16x16xf32, #zpu.space<dram>> to memref<1x16xf32, strided<[16, 1], offset: ?>, #zpu.space<dram>>
      %row = memref.alloc() : memref<1x16xf32, #zpu.space<asram>>
      zpu.dma %s to %row on @odma0 : memref<1x16xf32, strided<[16, 1], offset: ?>, #zpu.space<dram>>
        to memref<1x16xf32, #zpu.space<asram>>
    } {zpu.unroll = 2 : i64}
    ```

    becomes a loop of four iterations, each with two allocations and two transfers, which the planner may give two
    engines.

    `zpu.unroll` on a loop says the factor of that loop, and on a function that of all loops in it that say nothing; it
    is removed. A loop with 1 stays as it is. Loops in which a user wrote `zpu.schedule` or `zpu.versions` stay as they
    are, and so do loops that hold other control flow than `scf.if`. No loop gets more than `max-commands` commands: a
    smaller factor is taken then, with a remark (`fewer`). Of two factors that leave nothing over and something over,
    the first is taken if it is more than half of what is allowed.

    A function with `zpu.write_out` has no loop afterwards, if all of its loops have constant numbers of iterations, a
    run has no more than `max-written-out` commands, and nothing in the function has `zpu.unroll`, `zpu.versions` or
    `zpu.schedule` (if not, remark `not-written-out`): the commands of the whole run are ordered at once then. Where a
    memory has no room for the buffers of all iterations, they are used in turn, or freed after their last use (remark
    `no-room` if that is too much, too). The annotation is removed.
  }];
  let options = [
    Option<"factor", "factor", "int64_t", "1", "iterations that become one, where no annotation says otherwise">,
    Option<"maxCommands", "max-commands", "int64_t", "192", "commands of an unrolled loop body at most">,
    Option<"writeOut", "write-out", "bool", "false", "leave no loop also in functions without zpu.write_out">,
    Option<"maxWrittenOut", "max-written-out", "int64_t", "512", "commands at most of a run that is written out whole">
  ];
}

def SplitTransfers : ZpuPass<"zpu-split-transfers", "::mlir::func::FuncOp"> {
  let summary = "split large transfers beside loops into pieces for several DMA engines";
  let description = [{
    A transfer that no iteration of an innermost loop makes has nothing beside it that would keep the other DMA engines
    of its route busy. It becomes up to `max-pieces` transfers of parts of its outermost dimension, as many as take the
    fewest cycles: with p pieces of a transfer that occupies an engine for t cycles, t / p for the last piece and p
    times the cycles of an issue before it, so that p is the square root of t over the cycles of an issue, and no more
    than there are asynchronous engines with the route for each transfer that no loop separates from it.
    Where the size of that dimension is computed, the one inside it is split, if rows have no cost of their own
    (`per_row` and `burst_bytes`): a piece of no rows would be none.

    ```mlir
    zpu.dma %src to %dst on @odma0 {zpu.pieces = 2 : i64}
      : memref<64x32xf32, #zpu.space<dram>> to memref<64x32xf32, #zpu.space<asram>>
    ```

    becomes two transfers of `memref.subview`s of 32 rows each, if the cycles of 32 rows exceed those of an issue.

    `zpu.pieces` on a transfer says the limit for it, wherever it is (in a loop, or in a function without any, no other
    transfer counts), and on a function that of all transfers in it that say nothing; it is removed. A transfer with
    `zpu.engine` or `zpu.cycles`, one of a size that is not constant, one whose route has a single asynchronous engine,
    and one whose source and target may overlap (remark `overlap`) stay whole.
  }];
  let options = [
    Option<"maxPieces", "max-pieces", "int64_t", "1",
           "pieces of a transfer at most, where no annotation says otherwise">
  ];
}

def RetargetCopies : ZpuPass<"zpu-retarget-copies", "::mlir::func::FuncOp"> {
  let summary = "put copies within the chip on the engine that completes them first";
  let description = [{
    A copy that a DMA engine could do is a transfer, so that no other engine has to take time for it. Where DMA engines
    begin slowly, a short copy of what one iteration hands to the next is most of the time of the loop. So a `zpu.dma`
    between memories on chip that a vector engine reaches becomes a `zpu.compute` with a `linalg.copy`, if it takes
    twice as long as that; of several engines it goes to the one with the least to do in its block.

    A transfer of `%c` to `%before`, both in `rsram`, becomes

    ```mlir
    %before = memref.alloc() : memref<16x16xf32, #zpu.space<rsram>>
    zpu.compute on @vector {
      linalg.copy ins(%c : memref<16x16xf32, #zpu.space<rsram>>) outs(%before : memref<16x16xf32, #zpu.space<rsram>>)
    }
    ```

    That happens where `all` is given or the function has `zpu.retarget_copies`, which is removed. A transfer with
    `zpu.engine` or `zpu.cycles`, of a size that is not constant, or whose source and target may overlap, stays.
  }];
  let options = [
    Option<"all", "all", "bool", "false", "also in functions without zpu.retarget_copies">
  ];
}

def BalanceEngines : ZpuPass<"zpu-balance-engines", "::mlir::func::FuncOp"> {
  let summary = "spread computations over the engines that can do them";
  let description = [{
    `zpu-convert-to-dma` gives a computation to the engine of its kind that is done first. Where a loop is unrolled
    afterwards, all copies of a computation are on one engine. This pass goes through the computations of each block in
    program order and gives each to the engine that is done first with it, by the device's costs and without a look at
    what it waits for; or the longest one first, where the engine with the most work has less of it then. Two
    computations of `@vector` become one of `@vector` and one of `@scalar` on a device that has both, if that is what
    their cycles suggest:

    ```mlir
    zpu.compute on @vector {
      linalg.exp ins(%c : memref<16x16xf32, #zpu.space<rsram>>) outs(%c : memref<16x16xf32, #zpu.space<rsram>>)
    }
    ```

    That happens where `all` is given or the function has `zpu.balance_engines`, which is removed. A computation with
    `zpu.engine` or `zpu.cycles` stays where it is.
  }];
  let options = [
    Option<"all", "all", "bool", "false", "also in functions without zpu.balance_engines">
  ];
}

def GatherTransfers : ZpuPass<"zpu-gather-transfers", "::mlir::func::FuncOp"> {
  let summary = "give the transfers of a block to few engines";
  let description = [{
    Commands of one engine end in the order of their issue. So the control stream needs one wait for several transfers
    on one engine, and one for each engine where they are on many. Where it issues commands for longer than transfers
    take, those on few engines come soon enough. This pass gives the transfers of a block to one engine after the other
    in program order, so that those that are waited for together are on one. No engine gets more cycles than the
    control stream issues the commands of the block for, or than the engine with the most computations has, if that is
    more; of all limits that lead to as few engines the least counts, so that the engines have about the same. With
    `times=2` there are up to twice as many, which are busy for half of the time and so have transfers done earlier.
    Four transfers of 80 cycles in a block whose commands take 360 cycles to issue go to one engine:

    ```mlir
    zpu.dma %x to %a on @odma0 {zpu.gathered} : memref<16x16xf32, #zpu.space<dram>> to memref<16x16xf32, #zpu.space<asram>>
    ```

    That happens where `all` is given, or where the function or a loop around has `zpu.gather_transfers`, which is
    removed and whose value is that number. A transfer with `zpu.engine` or `zpu.cycles` stays where it is, and
    so does one that only one engine moves as fast as its own. Depths of queues are not looked at, and a function that
    holds asynchronous commands already stays as it is. A transfer with `zpu.gathered` stays on its engine, too, here
    and in all other passes; `zpu-schedule-dma-compute-overlap` removes that annotation.
  }];
  let options = [
    Option<"all", "all", "bool", "false", "also in functions without zpu.gather_transfers">,
    Option<"times", "times", "int64_t", "1",
           "engines at the most, as a multiple of the fewest, where no annotation says otherwise">
  ];
}

def PipelinePlanning : ZpuPass<"zpu-pipeline-planning", "::mlir::func::FuncOp"> {
  let summary = "plan the overlap of each innermost loop: stage, order and cycle per operation, versions per buffer";
  let description = [{
    For each innermost `scf.for` that holds commands: dependences on buffer regions, costs from the device, a schedule,
    and the annotations `zpu.schedule` on each command (and each access by the control stream), `zpu.pipeline` on the
    loop, and `zpu.versions` on the allocation of each buffer that is written anew in every iteration. Nothing else is
    changed, except that a `zpu.versions` on a view moves to its allocation. A single version on an allocation in the
    body means that it may move before the loop.

    ```mlir
    scf.for %i = %c0 to %c8 step %c1 {
      %a = memref.alloc() : memref<16x16xf32, #zpu.space<asram>>
      zpu.dma %x to %a on @odma0 : memref<16x16xf32, #zpu.space<dram>> to memref<16x16xf32, #zpu.space<asram>>
      zpu.compute on @tensor {
        linalg.matmul ins(%a, %b : memref<16x16xf32, #zpu.space<asram>>, memref<16x16xf32, #zpu.space<wsram>>)
                      outs(%c : memref<16x16xf32, #zpu.space<rsram>>)
      }
    }
    ```

    becomes, on the device `toy`, a plan that starts an iteration every 13 cycles where program order takes 23:

    ```mlir
    scf.for %i = %c0 to %c8 step %c1 {
      %a = memref.alloc() {zpu.versions = 2 : i64} : memref<16x16xf32, #zpu.space<asram>>
      zpu.dma %x to %a on @odma0 {zpu.schedule = #zpu.schedule<stage = 0, order = 0, cycle = 0>}
        : memref<16x16xf32, #zpu.space<dram>> to memref<16x16xf32, #zpu.space<asram>>
      zpu.compute on @tensor attributes {zpu.schedule = #zpu.schedule<stage = 1, order = 1, cycle = 15>} {
        linalg.matmul ins(%a, %b : memref<16x16xf32, #zpu.space<asram>>, memref<16x16xf32, #zpu.space<wsram>>)
                      outs(%c : memref<16x16xf32, #zpu.space<rsram>>)
      }
    } {zpu.pipeline = #zpu.pipeline<ii = 13, stages = 2>}
    ```

    A user's annotation wins: `zpu.cycles` over the device's costs, `zpu.num_stages` on the loop over the option,
    `zpu.versions` on an allocation over the number that the plan would need. A loop in which every operation has a
    stage keeps its plan, and its buffers get the versions that it needs; one in which only some have, or whose stages
    contradict a dependence, is left as it is. So is, with a remark, each loop that cannot be planned or would not get
    faster (`no-gain`). If even program order would take longer with asynchronous commands than the loop as it was
    written, since a wait takes longer than the command that it waits for, the commands get `zpu.synchronous` and stay
    as they are (`not-faster`).

    A loop around others keeps its order, but for the loads of buffers with versions: they become stage 0 of a plan for
    that loop, with each inner loop as one operation of stage 1, if their engine is not used in the inner loops. With
    `choose-engines`, transfers beside inner loops are given such engines where the device has them. `scheduler=serial`
    and `num-stages=1` leave all this out.

    `num-stages` and `zpu.num_stages` are the largest stage, as in TileLang: how many iterations the consumers may run
    after the loads. So 1 is already a prologue and an epilogue, and 0 switches pipelining off: the loop keeps its
    order, its buffers get no versions, and only a user's annotations (`zpu.schedule`, `zpu.versions`) are followed
    (remark `switched-off`). On a loop around others the annotation is about the overlap of that loop's own iterations.
    With `num-stages=auto`, each loop gets the least number with the best plan that fits (remark `capacity` if memory is
    the limit).

    A size that is not constant counts as its upper bound: the greatest value of a minimum or a remainder, the size of
    the array that a subview is in, the size of the other side of a copy or of another operand of the same operation, if
    that is certainly executed. A size without a bound counts as 128 in the cost (remark `size-guessed`), and a buffer
    of that size gets one version (`unbounded-size`), since there may be no room for a second one; `zpu.cycles` and
    `zpu.versions` override this.

    An annotation that cannot be followed is an error at its operation: `zpu.versions` or `zpu.num_stages` above 256,
    two different `zpu.versions` for one buffer, `zpu.cycles` above 2^40, a `zpu.engine` on a command that is no engine
    of the device or another one than the command names. A loop with an operation whose cost is not known on this
    device, or whose costs add up to more than 2^40 cycles, is left as it is, with a warning that names the place and
    the annotation to add.

    Schedulers: `serial` (program order, no overlap), `list` (fixed stages: copies in stage 0, computation in the last),
    `greedy` (critical path first, over several overlapping iterations; never slower than the other two by its own
    estimate), `modulo` (iterative modulo scheduling, never slower than `greedy`), `exact` (constraint programming from
    the lower bound upward, until its effort or the time limit is spent; then the best so far), `auto` (`modulo`, then
    `exact` with little effort). A time limit makes the plan depend on the speed of the machine; without one, none does.

    The problem has the control stream (issue, blocking engines, the back edge), engines with their queues, links that
    the loop's transfers can crowd, memories, and rings. With `choose-engines`, each transfer may go to any engine with
    its route that is blocking if and only if the named one is; a `zpu.engine` on the command keeps it where it is.
    `dump-problem` writes the problem for the program `zpu-sched`. The remark `planned` has the interval (`II`), the
    bound (`MII`) with its cause (`LimitedBy`: a resource, or the operations of a recurrence), both parts of the bound
    whichever is larger (`ResourceBound` with `ResourceOf`, `Recurrence` with `RecurrenceOf`), the bound's share of the
    interval, whether the interval is proven to be minimal, each resource's own bound, and versions and bytes of each
    buffer.
  }];
  let options = [
    SchedulerOption,
    NumStagesOption,
    Option<"maxVersions", "max-versions", "int64_t", "0", "most versions of a buffer; 0 leaves it to num-stages">,
    Option<"iterations", "iterations", "int64_t", "0",
           "most iterations in flight that greedy looks at; 0 leaves it to num-stages">,
    TimeLimitOption,
    Option<"chooseEngines", "choose-engines", "bool", "false",
           "let the scheduler choose the engine of each transfer among those with its route">,
    Option<"dumpProblem", "dump-problem", "std::string", "\"\"",
           "folder into which each loop's problem is written, as FUNCTION-loopN.json for the program zpu-sched">
  ];
}

def JoinRings : ZpuPass<"zpu-join-rings", "::mlir::func::FuncOp"> {
  let summary = "let buffers take turns on the slots of one ring";
  let description = [{
    Buffers of one loop whose `zpu.joint_ring` has the same `ring` become one allocation of `slots` slots: what a buffer
    has in iteration k is slot `(k + first) mod slots`. With two slots and two buffers, a slot holds what the first one
    has in an iteration, then what the second one has in the next, and so on. So where one buffer needs two versions
    and the other one is idle most of the time, two slots do instead of three. What has to be complete before a slot is
    written again is a dependence of the loop, which the plan obeys; so the pass runs before
    `zpu-pipeline-planning`.

    ```mlir
    scf.for %i = %c0 to %c8 step %c1 {
      %a = memref.alloc() {zpu.joint_ring = {ring = 0, slots = 2, first = 0}} : memref<16x16xf32, #zpu.space<rsram>>
      %b = memref.alloc() {zpu.joint_ring = {ring = 0, slots = 2, first = 1}} : memref<16x16xf32, #zpu.space<rsram>>
      zpu.dma %x to %a on @odma0 : memref<16x16xf32, #zpu.space<dram>> to memref<16x16xf32, #zpu.space<rsram>>
      zpu.dma %x to %b on @odma0 : memref<16x16xf32, #zpu.space<dram>> to memref<16x16xf32, #zpu.space<rsram>>
    }
    ```

    becomes a loop in which `%a` is slot `%i mod 2` and `%b` slot `(%i + 1) mod 2` of

    ```mlir
    %ring = memref.alloc() {zpu.joined} : memref<2x16x16xf32, #zpu.space<rsram>>
    ```

    `zpu.joined` says that the allocation is a ring already, which gets no versions. Buffers of several types take turns
    on an allocation of bytes, whose slots are as large as the largest of them; each version is a `memref.view` then.

    The buffers have to be dense, of constant sizes that are not 0, and in one memory (`other-memory`), allocated by one
    kind of operation (`other-allocation`) side by side, written anew in each iteration of one loop and used nowhere
    else (`no-loop`, `other-loop`), without views that have to start at offset 0 (`view-of-slot`), without
    `zpu.versions` and `zpu.address` (`fixed`), with equal `slots` (`other-slots`, at most 256: `too-many-slots`), as
    many bytes as can be counted (`too-large`) and different `first` (`same-slot`); one alone stays as it is (`alone`).
    Where one of them is not so,
    all of that ring stay as they are, with a remark. `zpu-select-plan` writes the annotation where `plan-memory` is on
    and fewer bytes come of it. With `slots` of at least 2, each two buffers of a loop that could take turns and say
    nothing do so on a ring of that many slots, whether that pays or not.
  }];
  let options = [
    Option<"slots", "slots", "int64_t", "0", "slots of the rings of buffers without an annotation; 0: leave them alone">
  ];
}

def MultiVersionBuffer : ZpuPass<"zpu-multi-version-buffer", "::mlir::func::FuncOp"> {
  let summary = "turn buffers into rings of versions";
  let description = [{
    A buffer with `zpu.versions = N` that is written anew in every iteration of a loop becomes a ring: one allocation
    with an outermost dimension of N, before the loop, and a view of slot `iteration mod N` in the body. The slot is
    counted by iteration, so lower bounds and steps other than 0 and 1 are right. With `versions` above 0, buffers of
    innermost loops that hold commands and have no annotation get N versions where that is legal; with `versions=auto`
    each gets the least number that the plan written on its loop needs. An annotation on a view counts for its buffer;
    two that differ are an error, and one that no loop counts is reported (`no-loop`).

    Each slot begins at a multiple of the alignment of its memory and of the allocation's `alignment`: where the bytes
    of a version are no multiple of that, the first dimension of the ring is longer, and a slot is the beginning of it.
    With an alignment of 64 bytes, `memref<3x8xf32>` lies in a ring `memref<Nx4x8xf32>`. If whole rows would take more
    than needed, leading dimensions are one in the ring: `memref<4x3xf32>` lies in `memref<Nx16xf32>`.

    A buffer that is used after the loop, and of which each iteration writes all, gets a ring in which the last
    iteration has slot 0; everything outside works on that slot, so that loops without an iteration, and several loops
    on one buffer, are right. The buffers of an outer loop's body are versioned by its iterations, with inner loops as a
    whole. Rings, and single versions, move out of all loops around them while the memory has room; in an inner loop of
    constant length the slot goes on counting over the iterations of the outer ones.

    Sizes that an iteration computes, those of a tile that may be a partial one for instance, have their bounds in the
    ring, so that its rows may lie apart. So such a buffer has no other views than subviews, unless only its outermost
    size is computed.

    Accumulators, buffers of which an iteration reads more than it has certainly written before, partly written buffers
    that are used outside the loop, and buffers with views that have to start at offset 0 stay as they are, with a
    remark.

    ```mlir
    scf.for %i = %c0 to %c8 step %c1 {
      %a = memref.alloc() {zpu.versions = 2 : i64} : memref<16x16xf32, #zpu.space<asram>>
      zpu.dma %x to %a on @odma0 : memref<16x16xf32, #zpu.space<dram>> to memref<16x16xf32, #zpu.space<asram>>
    }
    ```

    becomes

    ```mlir
    %ring = memref.alloc() : memref<2x16x16xf32, #zpu.space<asram>>
    scf.for %i = %c0 to %c8 step %c1 {
      %version = arith.remui %i, %c2 : index
      %a = memref.subview %ring[%version, 0, 0] [1, 16, 16] [1, 1, 1]
        : memref<2x16x16xf32, #zpu.space<asram>>
        to memref<16x16xf32, strided<[16, 1], offset: ?>, #zpu.space<asram>>
      zpu.dma %x to %a on @odma0
        : memref<16x16xf32, #zpu.space<dram>> to memref<16x16xf32, strided<[16, 1], offset: ?>, #zpu.space<asram>>
    }
    ```
  }];
  let options = [
    Option<"versions", "versions", "std::string", "\"0\"",
           "versions of buffers without an annotation; auto: as many as the loop's plan needs; 0: leave them alone">
  ];
}

def PrintPipeliningCandidates : ZpuPass<"zpu-print-pipelining-candidates", "::mlir::func::FuncOp"> {
  let summary = "print which buffers of which loops can be pipelined, or the rule that forbids it";
  let description = [{
    Prints a diagnostic of severity remark for each loop that works on allocations, with a note for each of them: the
    operation that fills it, the memories that its data passes through, and whether it is eligible for versions. Copies
    that are no commands yet count as well. Nothing is changed.

    ```text
    remark: loop of 8 iterations: 2 of 3 buffers can have versions
    note: memref<8xf32, #zpu.space<rsram>>: filled by zpu.dma on @odma0; levels dram -> rsram; eligible
    note: memref<8xf32, #zpu.space<asram>>: filled by zpu.dma on @odma1; levels dram -> rsram -> asram; eligible
    note: memref<8x8xf32, #zpu.space<rsram>>: filled by linalg.matmul on @tensor; levels rsram; not eligible:
    accumulates note: one pipeline of 2 levels: dram -> rsram -> asram
    ```

    A second note for each buffer says which of the three rules of ALCOP (Huang et al., MLSys 2023) it keeps: an
    asynchronous copy fills it; each iteration of the loop fills it and uses it; other buffers that have its barrier id
    are used at the same places. A buffer that a computation fills, or that is used after the loop, is eligible here
    and not there.

    The reasons why a buffer is not eligible:

    | reason | the rule |
    |---|---|
    | accumulates | an operation reads and writes it before all of what it reads was written in the same iteration |
    | loop-invariant | the loop only reads it, so one version is enough |
    | read-before-write | it is read before it is written in the same iteration |
    | partial-fill | more of it is read than was certainly written in the same iteration |
    | used-outside | it is used outside the loop, and no operation of each iteration certainly writes all of it |
    | dynamic-size, variant-size | a ring of it cannot be allocated before the loop |
    | no-elements | versions of a buffer without elements would be the same |
    | layout | its layout is not the identity |
    | view-of-slot | a view of it has to start at offset 0 |
    | escapes | it reaches an operation that the analysis does not follow |
    | deallocated-inside | it is allocated outside the loop and deallocated in it |
    | asynchronous-body | the loop already starts commands or waits for them |
    | unknown-effects, atomic | an operation of the innermost loop may touch anything, or must be done exactly as often
    as written: the loop is left as it is |
    | control-flow, guard-with-results | the innermost loop holds control flow that is not planned |
    | no-counted-loop | the loop is no `scf.for`, but for instance `scf.while` or `scf.parallel` |
  }];
}

def InjectSoftwarePipeline : ZpuPass<"zpu-inject-software-pipeline", "::mlir::func::FuncOp"> {
  let summary = "rewrite planned loops as prologue, kernel and epilogue, or with guards";
  let description = [{
    Follows the `zpu.schedule` annotations of a loop body, its own or a user's. The result is a legal sequential
    program: the pass checks every dependence on buffer regions against the plan and declines a loop whose plan would
    break one, with a remark that names it. Any trip count is right, zero and those below the number of stages included.
    Values that the loop carries are advanced as early in a kernel iteration as their operands allow, and are handed to
    the code after the loop.

    `form=peeled` writes prologue, kernel and epilogue. A loop whose constant trip count is below the number of stages
    is unrolled; a dynamic trip count selects between the pipelined loop and the original one. `form=predicated` writes
    one loop over all kernel iterations, in which each operation is under the condition that its iteration exists: a
    third of the code, and some work of the control stream in every kernel iteration. `form=auto` is peeled, unless the
    trip count is dynamic and the body would be copied into more than 64 operations. A loop with `zpu.predicated` has
    that form whatever the option says.

    A load in stage 0 and a product in stage 1, eight iterations, `%ring` with two versions of the tile:

    ```mlir
    scf.for %k = %c0 to %c8 step %c1 {
      %version = arith.remui %k, %c2 : index
      %a = memref.subview %ring[%version, 0, 0] [1, 16, 16] [1, 1, 1]
        : memref<2x16x16xf32, #zpu.space<asram>> to memref<16x16xf32, strided<[16, 1], offset: ?>, #zpu.space<asram>>
      zpu.dma %x to %a on @odma0 {zpu.schedule = #zpu.schedule<stage = 0, order = 0>}
        : memref<16x16xf32, #zpu.space<dram>> to memref<16x16xf32, strided<[16, 1], offset: ?>, #zpu.space<asram>>
      zpu.compute on @tensor attributes {zpu.schedule = #zpu.schedule<stage = 1, order = 1>} {
        linalg.matmul ins(%a, %b : memref<16x16xf32, strided<[16, 1], offset: ?>, #zpu.space<asram>>, memref<16x16xf32,
        #zpu.space<wsram>>)
                      outs(%c : memref<16x16xf32, #zpu.space<rsram>>)
      }
    }
    ```

    becomes a load ahead, seven kernel iterations with the load of the next iteration and the product of this one, and
    the last product:

    ```mlir
    %first = memref.subview %ring[%c0, 0, 0] [1, 16, 16] [1, 1, 1]
      : memref<2x16x16xf32, #zpu.space<asram>> to memref<16x16xf32, strided<[16, 1], offset: ?>, #zpu.space<asram>>
    zpu.dma %x to %first on @odma0
      : memref<16x16xf32, #zpu.space<dram>> to memref<16x16xf32, strided<[16, 1], offset: ?>, #zpu.space<asram>>
    scf.for %k = %c0 to %c7 step %c1 {
      %next = arith.addi %k, %c1 : index
      %loaded = arith.remui %next, %c2 : index
      %to = memref.subview %ring[%loaded, 0, 0] [1, 16, 16] [1, 1, 1]
        : memref<2x16x16xf32, #zpu.space<asram>> to memref<16x16xf32, strided<[16, 1], offset: ?>, #zpu.space<asram>>
      zpu.dma %x to %to on @odma0
        : memref<16x16xf32, #zpu.space<dram>> to memref<16x16xf32, strided<[16, 1], offset: ?>, #zpu.space<asram>>
      %used = arith.remui %k, %c2 : index
      %from = memref.subview %ring[%used, 0, 0] [1, 16, 16] [1, 1, 1]
        : memref<2x16x16xf32, #zpu.space<asram>> to memref<16x16xf32, strided<[16, 1], offset: ?>, #zpu.space<asram>>
      zpu.compute on @tensor {
        linalg.matmul ins(%from, %b : memref<16x16xf32, strided<[16, 1], offset: ?>, #zpu.space<asram>>,
        memref<16x16xf32, #zpu.space<wsram>>)
                      outs(%c : memref<16x16xf32, #zpu.space<rsram>>)
      }
    }
    %last = memref.subview %ring[%c1, 0, 0] [1, 16, 16] [1, 1, 1]
      : memref<2x16x16xf32, #zpu.space<asram>> to memref<16x16xf32, strided<[16, 1], offset: ?>, #zpu.space<asram>>
    zpu.compute on @tensor {
      linalg.matmul ins(%last, %b : memref<16x16xf32, strided<[16, 1], offset: ?>, #zpu.space<asram>>, memref<16x16xf32,
      #zpu.space<wsram>>)
                    outs(%c : memref<16x16xf32, #zpu.space<rsram>>)
    }
    ```

    (In full, the first and the last slot are computed like the others, until canonicalisation folds them.)

    If a pipelined loop of constant length is inside another one, its prologue is not repeated in each iteration of
    that: with `join-runs` the first commands of the next run are issued before the last ones of this run, in the
    order in which one flat loop would have them, where the dependences allow it, the body holds at most 512
    commands (else remark `long-body`), and fewer than three loops between it and an innermost one were rewritten,
    each of which is written twice (remark `outer-iterations-overlapped`). A loop around others can have a plan as
    well, with each inner loop as one operation; it is rewritten first.
  }];
  let options = [
    Option<"joinRuns", "join-runs", "bool", "true", "let an inner loop's next run begin while this one ends">,
    FormOption
  ];
}

def ScheduleDmaComputeOverlap : ZpuPass<"zpu-schedule-dma-compute-overlap", "::mlir::func::FuncOp"> {
  let summary = "order straight-line commands so that they start early and are waited for late";
  let description = [{
    If commands follow each other without control flow between them (prologues, epilogues, unrolled kernels, functions
    without loops), they are put into an order in which more of them run at the same time: commands on the longest chain
    first, transfers into the gaps and on any free asynchronous DMA engine with their route. Where all loops of the
    function have a constant number of iterations, orders are tried as well in which the control stream issues next what
    can begin first, or what the most depends on, as it pays for issues and waits (with `scheduler=auto`, for up to
    2,048 commands). An order is measured together with some iterations of the loops directly before and after it.

    ```mlir
    zpu.compute on @vector {
      linalg.exp ins(%c : memref<16x16xf32, #zpu.space<rsram>>) outs(%c : memref<16x16xf32, #zpu.space<rsram>>)
    }
    zpu.dma %x to %a on @odma0 : memref<16x16xf32, #zpu.space<dram>> to memref<16x16xf32, #zpu.space<asram>>
    zpu.compute on @tensor {
      linalg.matmul ins(%a, %b : memref<16x16xf32, #zpu.space<asram>>, memref<16x16xf32, #zpu.space<wsram>>)
                    outs(%c : memref<16x16xf32, #zpu.space<rsram>>)
    }
    ```

    becomes, if the vector engine is one that holds the control stream,

    ```mlir
    zpu.dma %x to %a on @odma0 : memref<16x16xf32, #zpu.space<dram>> to memref<16x16xf32, #zpu.space<asram>>
    zpu.compute on @vector {
      linalg.exp ins(%c : memref<16x16xf32, #zpu.space<rsram>>) outs(%c : memref<16x16xf32, #zpu.space<rsram>>)
    }
    zpu.compute on @tensor {
      linalg.matmul ins(%a, %b : memref<16x16xf32, #zpu.space<asram>>, memref<16x16xf32, #zpu.space<wsram>>)
                    outs(%c : memref<16x16xf32, #zpu.space<rsram>>)
    }
    ```

    Program order remains the meaning: commands that conflict keep their order, and nothing moves across control flow,
    unknown effects or a deallocation. So a deallocation that commands stand behind first goes to the end of its block,
    but not across a call, where the memory holds all buffers of the function at a time, the function is not private,
    and all its loops have a constant number of iterations.

    An order is taken only if it needs fewer cycles by the device's costs (the remark `overlapped` has the cycles before
    and after and the bound, otherwise it is `no-gain`; if the function ends after the commands, its waits are counted,
    too, and in a function without loops and conditionals these are the cycles of a run; if the commands are the whole
    function and would take longer than in their synchronous form, they get `zpu.synchronous`, with the remark
    `not-faster`), and if no queue whose overflow is an error or loses commands gets more than it has room for
    (`queue-full`). Loops whose iterations `zpu-pipeline-planning` can overlap are left to it,
    and so are functions that already hold asynchronous commands (`asynchronous-body`).
  }];
  let options = [
    Option<"scheduler", "scheduler", "std::string", "\"auto\"",
           "auto (the best of several), or one of the schedulers of zpu-pipeline-planning">,
    TimeLimitOption
  ];
}

def PlanMemory : ZpuPass<"zpu-plan-memory", "::mlir::ModuleOp"> {
  let summary = "give every on-chip buffer an address, so that buffers share bytes where their lives allow it";
  let description = [{
    Takes a module on synchronous commands, between `zpu-schedule-dma-compute-overlap` and `zpu-inject-dma-barrier`, and
    writes `zpu.address` on each on-chip allocation of constant size. Buffers that are never needed at the same time may
    get the same bytes; [Memory](memory.md) says when that is.

    ```mlir
    %a = memref.alloc() : memref<16x16xf32, #zpu.space<rsram>>
    %b = memref.alloc() : memref<16x16xf32, #zpu.space<rsram>>
    zpu.dma %x to %a on @odma0 : memref<16x16xf32, #zpu.space<dram>> to memref<16x16xf32, #zpu.space<rsram>>
    zpu.compute on @vector {
      linalg.copy ins(%a : memref<16x16xf32, #zpu.space<rsram>>) outs(%c : memref<16x16xf32, #zpu.space<rsram>>)
    }
    zpu.dma %c to %x on @odma1 : memref<16x16xf32, #zpu.space<rsram>> to memref<16x16xf32, #zpu.space<dram>>
    zpu.dma %x to %b on @odma0 : memref<16x16xf32, #zpu.space<dram>> to memref<16x16xf32, #zpu.space<rsram>>
    ```

    becomes, since the store has to wait for the computation anyway,

    ```mlir
    %a = memref.alloc() {zpu.address = 0 : i64} : memref<16x16xf32, #zpu.space<rsram>>
    %b = memref.alloc() {zpu.address = 0 : i64} : memref<16x16xf32, #zpu.space<rsram>>
    ```

    With `reuse=0`, buffers share bytes only where that costs nothing: copies with waits are compared, with addresses
    and without, and if sharing adds a wait or a cycle, the buffers are taken apart. With `reuse=1` more waits may be
    needed, but no more cycles. Only where the buffers do not fit otherwise, they share although that costs waits or
    cycles (remark `costs`).

    An address that is there stays. The pass checks its result by another analysis, which follows who wrote the bytes
    that each read sees, and by the proof of the waits of the copy. A function that calls another one, or is called,
    keeps its buffers without addresses if one of the two has on-chip buffers (remark `calls`), and so does one with a
    loop that hands a buffer to later iterations, which make it again (remark `handed-on`): two of them are alive then.
    A buffer of a size that is not constant has what the plan leaves of its memory (remark `dynamic-size`). If the
    buffers of a memory do not fit, that is an error with the buffers that are alive at the worst place, and the
    function gets no address at all.
  }];
  let options = !listconcat([ReuseOption], WaitOptions);
}

def InjectDmaBarrier : ZpuPass<"zpu-inject-dma-barrier", "::mlir::func::FuncOp"> {
  let summary = "make commands asynchronous and insert the waits that are needed";
  let description = [{
    `zpu.dma` and `zpu.compute` become starts. A wait is placed before every access that conflicts (read after write,
    write after read, write after write, by region) with a command that may still run, and before the function returns.
    Since an engine completes its commands in order, a wait for a later command of the same engine stands for the
    earlier ones.

    Commands stay outstanding over the iterations of loops, over nests of loops and through branches: a loop carries the
    tokens that later iterations, or the code after it, wait for, and a branch yields them, on the side without the
    command the latest token from before. A carried token is initially that of a command before the loop that conflicts
    in the first iterations, or a null token. Each iteration waits itself for the commands before the loop that it
    needs: slots that were filled beforehand are carried in as one token each, and an iteration that reads none of them
    gets a null token. Only if that costs more than it gains, by the cost of a wait and the cycles of the transfers, one
    wait for all of them stands before the loop. A wait that another one makes redundant, be it of the previous
    iteration, is left out. A token that is waited for in a branch and after it is waited for once, before the branch,
    if nothing is done on any path before those waits. Automatic allocations (`memref.alloca`) end with their scope, and
    commands on them are waited for before that, in a loop in each iteration. Around and inside other control flow
    (`scf.while`, parallel loops) no command is outstanding. Of a function whose blocks branch to each other only the
    first block is converted (remark `unstructured-control-flow`).

    Last, the result is proven as by `zpu-verify-sync`, before it is written, unless `prove` is false. A wait that no
    execution needs is left out if the function without it is proven, and so on with the next one, those in the
    innermost loops first. The work for that is bounded (less than a second, nothing beyond 5,000 operations); the
    remark `waits-not-tried` has the number of waits that were not tried. A function that is not proven keeps them all.
    Then the function in which only the first iteration waits for commands before a loop is tried, and the one with the
    waits that other tokens imply: the first that is proven is taken (remark `plainer-form`), or, if none is, the one
    with the latest waits.

    Commands that are asynchronous already are left as they are, with the loop or branch that holds them: which of them
    may overlap is their author's decision, and a wait that an author left out cannot be told from one that was put
    elsewhere on purpose (remark `asynchronous-body`; `zpu-verify-sync` proves such a function or names the missing
    wait). If the function is not proven, no other command is outstanding at their place, and until all commands that
    were started by hand are waited for in the block where they were started, or a `zpu.barrier` over all engines is
    passed, other commands stay synchronous. With barrier ids of the author's own, `ids` makes nothing asynchronous.

    The remark `waits` has for each loop that holds waits, and for the function, their number and the minimum: the
    number of those that every correct program needs which is this one with some of the waits left out. A wait counts
    when there are arguments for which, with this wait deleted, an access meets the bytes of a command that nothing else
    orders before it (or a barrier id is taken that another engine's command still has). To find them, the control
    stream is executed without data for a few dozen choices of the arguments, as `zpu-verify-sync` does to refute: for
    each engine it is known how far all waits passed so far reach, and how far without the one that reaches furthest. So
    the number is a lower bound, never above the number of waits. If it equals that, none can be left out, and the
    message says `minimum N`; waits at other places may be fewer. If it is smaller, the message says
    `minimum at least N`: the others may be needed for arguments that were not tried or for data. A wait that lets the
    function return without outstanding commands counts as needed. Nothing is computed unless remarks are on.

    On a machine that drops a command which finds its queue full, or stops, a command that may find it full stays
    synchronous (`zpu.synchronous`, remark `queue-may-be-full`): it waits for its place then.

    `mode=full` waits for each command right after its start: the same program without any overlap, to look for errors.

    `ids=N` uses at most `N` of the device's barrier ids for tokens: a start gets `id(%i)`, a wait is a `zpu.id_wait`,
    and loops carry the numbers of ids. A command that is waited for iterations later takes as many ids one after the
    other, by the number of the iteration; an id is used again when no wait for its last command is left. If there may
    be nothing to wait for, the wait is guarded (or is for an id that is never used, if the device returns from that at
    once). If ids run out, engines do with less, those with the most ids first: the commands of an engine share a ring
    of ids (remark `ids-shared`), the ring gets shorter and waits longer, and last, waits for an engine become fences
    over it (remark `ids-exhausted`). Ids are balanced on every path: if one may leave a command with an id outstanding
    at the end, a fence over its engine stands before the return.

    ```mlir
    zpu.dma %x to %a on @odma0 : memref<16x16xf32, #zpu.space<dram>> to memref<16x16xf32, #zpu.space<asram>>
    zpu.compute on @tensor {
      linalg.matmul ins(%a, %b : memref<16x16xf32, #zpu.space<asram>>, memref<16x16xf32, #zpu.space<wsram>>)
                    outs(%c : memref<16x16xf32, #zpu.space<rsram>>)
    }
    ```

    becomes

    ```mlir
    %t = zpu.dma_start %x to %a on @odma0 : memref<16x16xf32, #zpu.space<dram>> to memref<16x16xf32, #zpu.space<asram>>
    zpu.dma_wait %t : !zpu.token<@odma0>
    %u = zpu.compute_start on @tensor {
      linalg.matmul ins(%a, %b : memref<16x16xf32, #zpu.space<asram>>, memref<16x16xf32, #zpu.space<wsram>>)
                    outs(%c : memref<16x16xf32, #zpu.space<rsram>>)
    }
    zpu.compute_wait %u : !zpu.token<@tensor>
    ```

    The loop in the example of `zpu-inject-software-pipeline` carries two tokens: before the product of iteration `k`
    stands a wait for the load of the kernel iteration before, and before the load that takes the slot over, a wait for
    the product that read it:

    ```mlir
    %first = memref.subview %ring[%c0, 0, 0] [1, 16, 16] [1, 1, 1]
      : memref<2x16x16xf32, #zpu.space<asram>> to memref<16x16xf32, strided<[16, 1], offset: ?>, #zpu.space<asram>>
    %load = zpu.dma_start %x to %first on @odma0
      : memref<16x16xf32, #zpu.space<dram>> to memref<16x16xf32, strided<[16, 1], offset: ?>, #zpu.space<asram>>
    %none = zpu.null_token : !zpu.token<@tensor>
    %last:2 = scf.for %k = %c0 to %c7 step %c1 iter_args(%loading = %load, %reading = %none)
        -> (!zpu.token<@odma0>, !zpu.token<@tensor>) {
      %next = arith.addi %k, %c1 : index
      %loaded = arith.remui %next, %c2 : index
      %to = memref.subview %ring[%loaded, 0, 0] [1, 16, 16] [1, 1, 1]
        : memref<2x16x16xf32, #zpu.space<asram>> to memref<16x16xf32, strided<[16, 1], offset: ?>, #zpu.space<asram>>
      zpu.compute_wait %reading : !zpu.token<@tensor>
      %l = zpu.dma_start %x to %to on @odma0
        : memref<16x16xf32, #zpu.space<dram>> to memref<16x16xf32, strided<[16, 1], offset: ?>, #zpu.space<asram>>
      %used = arith.remui %k, %c2 : index
      %from = memref.subview %ring[%used, 0, 0] [1, 16, 16] [1, 1, 1]
        : memref<2x16x16xf32, #zpu.space<asram>> to memref<16x16xf32, strided<[16, 1], offset: ?>, #zpu.space<asram>>
      zpu.dma_wait %loading : !zpu.token<@odma0>
      %p = zpu.compute_start on @tensor {
        linalg.matmul ins(%from, %b : memref<16x16xf32, strided<[16, 1], offset: ?>, #zpu.space<asram>>,
        memref<16x16xf32, #zpu.space<wsram>>)
                      outs(%c : memref<16x16xf32, #zpu.space<rsram>>)
      }
      scf.yield %l, %p : !zpu.token<@odma0>, !zpu.token<@tensor>
    }
    ```
  }];
  let options = !listconcat(WaitOptions, [
    Option<"prove", "prove", "bool", "true",
           "the result before it is written; without, the form with the fewest waits is taken as it is: for programs "
           "that are only run">,
  ]);
}

def MergeCarriedValues : ZpuPass<"zpu-merge-carried-values", ""> {
  let summary = "carry each value around a loop once";
  let description = [{
    Two values that an `scf.for` carries, or an `scf.if` yields, are equal if they come from the same two values. Uses
    of the second are replaced by the first. Waits are placed command by command, so several of them may carry one
    token. The canonicalisation that follows removes the values that have no use left. Upstream's own pattern for this
    compares each two values, which takes half of the time of the pipeline for a loop of 10,000 commands. So
    `--zpu-pipeline` disables that pattern and runs this pass.

    ```mlir
    %none = zpu.null_token : !zpu.token<@odma0>
    %last:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%t = %none, %u = %none)
        -> (!zpu.token<@odma0>, !zpu.token<@odma0>) {
      zpu.dma_wait %t : !zpu.token<@odma0>
      zpu.dma_wait %u : !zpu.token<@odma0>
      %new = zpu.dma_start %x to %a on @odma0
        : memref<16x16xf32, #zpu.space<dram>> to memref<16x16xf32, #zpu.space<asram>>
      scf.yield %new, %new : !zpu.token<@odma0>, !zpu.token<@odma0>
    }
    zpu.dma_wait %last#1 : !zpu.token<@odma0>
    ```

    After the pass both waits are for `%t`, and the wait after the loop is for `%last#0`.
  }];
}

def PrintDependences : ZpuPass<"zpu-print-dependences", "::mlir::func::FuncOp"> {
  let summary = "say what the dependence analysis finds in each loop that works on memory";
  let description = [{
    For each `scf.for` with commands or other accesses to memory in it (a loop inside counts as one unit), the pass
    emits remarks and changes nothing: at the loop, the number of units and dependences and the role of each buffer; at
    the later unit of each dependence, its kind (`RAW`, `WAR`, `WAW`, or `VALUE` for the use of an SSA value), the
    smallest distance in iterations, and the region, with a note at the earlier unit.

    ```mlir
    scf.for %k = %c0 to %c8 step %c1 {
      zpu.dma %x to %a on @odma0 : memref<16x16xf32, #zpu.space<dram>> to memref<16x16xf32, #zpu.space<asram>>
      zpu.compute on @tensor {
        linalg.matmul ins(%a, %b : memref<16x16xf32, #zpu.space<asram>>, memref<16x16xf32, #zpu.space<wsram>>)
                      outs(%c : memref<16x16xf32, #zpu.space<rsram>>)
      }
    }
    ```

    gives, without places in the file and notes:

    ```
    remark: loop with 2 units, 5 dependences
    remark: buffer %x: input
    remark: buffer %a: privatizable
    remark: buffer %b: input
    remark: buffer %c: state
    remark: WAW at distance 1: zpu.dma writes %a[0, 0][16, 16]
    remark: WAR at distance 1: zpu.dma writes %a[0, 0][16, 16]
    remark: RAW at distance 0: zpu.compute reads %a[0, 0][16, 16]
    remark: RAW at distance 1: zpu.compute reads %c[0, 0][16, 16]
    ...
    ```

    A buffer is an *input* (only read), an *output* (only written), *privatizable* (each read sees data that the same
    iteration wrote), *in place* (no read sees data that another iteration wrote) or *state* (an iteration may read data
    that an earlier one wrote). Regions read as in `memref.subview`: base, offsets, sizes; `i` is the loop's iteration
    number, from 0, and `i1`, `i2` are those of the loops around it. A loop with an operation whose effects are not
    known, a call or an atomic operation is not taken apart: the pass names the fence.
  }];
  let options = [
    Option<"summary", "summary", "bool", "false", "only the number of units and dependences of each loop">
  ];
}

def PrintLiveness : ZpuPass<"zpu-print-liveness", "::mlir::func::FuncOp"> {
  let summary = "say where each on-chip buffer is alive, and how many bytes are alive at once";
  let description = [{
    For each on-chip allocation of constant size the pass emits a remark and changes nothing: its bytes, its versions if
    it is a ring, and its life. A buffer is alive from the issue of the first command that writes it to where its last
    reader is known to be complete: a command in the synchronous form is complete at once, one in the asynchronous form
    where a wait shows it, which may be a wait for a later command of the same engine. At the function it emits one more
    remark for each memory: the bytes of all buffers, and the most bytes that are alive at once, with the place and the
    buffers there.

    ```mlir
    %a = memref.alloc() : memref<16x16xf32, #zpu.space<rsram>>
    %b = memref.alloc() : memref<16x16xf32, #zpu.space<rsram>>
    zpu.dma %x to %a on @odma0 : memref<16x16xf32, #zpu.space<dram>> to memref<16x16xf32, #zpu.space<rsram>>
    zpu.dma %a to %x on @odma1 : memref<16x16xf32, #zpu.space<rsram>> to memref<16x16xf32, #zpu.space<dram>>
    zpu.dma %x to %b on @odma0 : memref<16x16xf32, #zpu.space<dram>> to memref<16x16xf32, #zpu.space<rsram>>
    zpu.dma %b to %x on @odma1 : memref<16x16xf32, #zpu.space<rsram>> to memref<16x16xf32, #zpu.space<dram>>
    ```

    gives

    ```
    remark: rsram: 2 buffers of 2048 bytes; at most 1024 bytes are alive at once, at zpu.dma (line 3): %alloc 1024
    remark: buffer %alloc of rsram: 1024 bytes, alive from zpu.dma (line 3) to zpu.dma (line 4)
    remark: buffer %alloc_0 of rsram: 1024 bytes, alive from zpu.dma (line 5) to zpu.dma (line 6)
    ```

    A loop's operations stand for all of its iterations. A buffer that each iteration writes as a whole before it reads
    it is alive in a part of the loop only; any other that the loop accesses is alive during the whole loop. Each
    version of a ring has a life that goes over the ends of iterations (`of the next iteration`). A buffer that reaches
    something that is not followed, a call that returns memory for instance, is alive during the whole function.
    [Memory](memory.md) has the definition.
  }];
}

defvar MaxAccessesOption =
  Option<"maxAccesses", "max-accesses", "int64_t", "67108864",
         "accesses that are walked over for one tensor where formulas do not decide; past it sizes are upper bounds; "
         "at least 1, at most 4294967295">;

def AnalyzeStreams : ZpuPass<"zpu-analyze-streams", "::mlir::func::FuncOp"> {
  let summary = "say which tensors stream from producer to consumer, and how much the others must hold";
  let description = [{
    For each tensor that the function makes and reads itself, be it a `memref.alloc` or a value between structured
    operations, the pass derives the order in which it is written and those in which it is read, and writes on the
    operation that makes it what each edge needs: the annotation `zpu.streams`, a `#zpu.stream` for each consumer in
    program order, and one for the buffer that serves all of them if there are several. Nothing else is changed, and no
    device is needed. [Access orders](access-orders.md) defines orders, verdicts and sizes.

    ```mlir
    func.func @turned(%x: tensor<5x7xf32>, %y: tensor<7x5xf32>) -> tensor<7x5xf32> {
      %0 = linalg.exp ins(%x : tensor<5x7xf32>) outs(%x : tensor<5x7xf32>) -> tensor<5x7xf32>
      %1 = linalg.transpose ins(%0 : tensor<5x7xf32>) outs(%y : tensor<7x5xf32>) permutation = [1, 0]
      return %1 : tensor<7x5xf32>
    }
    ```

    gives the first operation the annotation

    ```text
    #zpu.stream<verdict = REORDER_FULL,
                write = <loops = [5, 7], map = affine_map<(d0, d1) -> (d0, d1)>, token = [1, 1]>,
                read = <loops = [7, 5], map = affine_map<(d0, d1) -> (d1, d0)>, token = [1, 1]>,
                min_capacity = 25, retained = 24, circular_span = 28, epochs = 1, block_shape = [5, 7],
                modulo_shape = [4, 7]>
    ```

    and the second one the remark

    ```text
    %0: REORDER_FULL, 25 elements (100 bytes) at least, ring 28 (112 bytes), 2 blocks of 5x7 (280 bytes), in place 4x7
    (112 bytes), exact
    ```

    An event is what one operation in a nest of `scf.for` does: its token is the view that it works on. Operations on
    whole tensors without a nest take single elements in the order of their own loops (`linalg.pack` and
    `linalg.unpack` in that of their results). Views are followed, and index arithmetic with quotients and remainders.
    A loop around both sides is an iteration of the edge if the tensor is written anew in it, and otherwise a loop of
    both orders. An operation that needs, through other tensors, what another consumer makes has a gate on it.

    A tensor whose orders cannot be derived is left without annotation, with a remark at the operation that stands in
    the way:

    | remark | meaning |
    |---|---|
    | dynamic-shape | an extent of the tensor or of a view of it is not constant |
    | dynamic-trip-count | bounds or step of a loop are not constant |
    | empty-loop | a loop has no iteration |
    | data-dependent | an offset is no affine expression of loops, with quotients and remainders by constants |
    | not-a-box | an operation works on a view whose elements are no box of the tensor |
    | condition | an operation stands under a condition, or in a loop that is no `scf.for` |
    | unknown-access | it is not known what an operation does with the tensor |
    | escapes | the outside, or a value that is carried around a loop, is the tensor |
    | several-producers | several nests write it |
    | read-before-written | an operation reads what a later one, or a later iteration, writes: a cycle |
    | reads-at-once | one operation, or the loads of one body, read it in several orders |
    | rewritten | each iteration of a loop writes anew what a loop around it moves over |
    | several-gates | a consumer waits for two others that do not wait for each other |
    | not-an-order | an extent is 0, or a coordinate or a product passes its limit |
    | too-large | to decide takes more than `max-accesses`, or a size is no 64-bit number |

    An edge whose consumer never touches the tensor, or reads an element that is never written, is
    `INCOMPATIBLE`, with a remark that names the element.
  }];
  let options = [
    MaxAccessesOption,
    Option<"printProjection", "print-projection", "bool", "false",
           "remarks also say the class of each edge, streaming or broadcast compatible, and the layouts of both sides">
  ];
}

def VerifyAddresses : ZpuPass<"zpu-verify-addresses", "::mlir::ModuleOp"> {
  let summary = "prove that no read sees bytes of another buffer at the same address, or of a later version";
  let description = [{
    Follows, for all allocations with `zpu.address`, whose bytes each read sees: what was written to a buffer must not
    be overwritten through another one before it is read for the last time. Takes any program, before or after the waits
    are put in, with addresses from `zpu-plan-memory` or written by hand, and changes nothing. Commands count in the
    order in which they are issued; that each one is complete in time is for `zpu-verify-sync`, which compares bytes as
    well. Only both together say that buffers may share bytes.

    Versions of a ring are told apart where their numbers are counted from an iteration. A loop stands for all of its
    iterations, and both sides of a condition may be taken. So an error says that a read *may* see other bytes; it may
    be one that conditions rule out. A buffer that is not followed, through a call that returns memory for instance, may
    be read at any time, and a function must not have bytes in common with another one that it calls.

    The second load overwrites what the store at the end is about to read:

    ```mlir
    %a = memref.alloc() {zpu.address = 0 : i64} : memref<16x16xf32, #zpu.space<rsram>>
    %b = memref.alloc() {zpu.address = 0 : i64} : memref<16x16xf32, #zpu.space<rsram>>
    zpu.dma %x to %a on @odma0 : memref<16x16xf32, #zpu.space<dram>> to memref<16x16xf32, #zpu.space<rsram>>
    zpu.dma %x to %b on @odma0 : memref<16x16xf32, #zpu.space<dram>> to memref<16x16xf32, #zpu.space<rsram>>
    zpu.dma %a to %x on @odma1 : memref<16x16xf32, #zpu.space<rsram>> to memref<16x16xf32, #zpu.space<dram>>
    ```

    ```
    error: zpu.dma reads %alloc, and may see bytes of %alloc_0: both have bytes 0 to 1023 of rsram; ...
    ```

    In a ring with an address, slot `x mod N` is that of version x. A read of version x must not come after a write of
    version x + N or a later one, in the same iteration or the one before: the ring has too few slots for its loop. That
    is no race, since waits are kept, and no byte of another buffer; so it is an error here.

    The remark `proven` of a function has the numbers of buffers with addresses and of pairs that share bytes.
  }];
}

def VerifyStreams : ZpuPass<"zpu-verify-streams", "::mlir::func::FuncOp"> {
  let summary = "prove that what is recorded of streams still holds";
  let description = [{
    Derives orders and verdicts anew, as `zpu-analyze-streams` does, and compares them with each annotation
    `zpu.streams`. An edge whose orders, verdict or sizes are others now is an error at the operation that makes the
    tensor, with a note at the consumer; so is an annotation of a tensor whose orders can no longer be derived, and one
    with too few or too many entries. Orders are compared by what they do, so that a loop may be split or joined.
    Sizes that are bounds may be larger than needed. Nothing is changed.

    A buffer that `zpu-insert-buffers` puts in place of a tensor has the annotation `zpu.buffer`, which says what each
    access means in the tensor. The accesses that the program makes are run beside those, iteration by iteration: each
    slot that is read has to hold the element that is meant, as it was written last. A ring with a slot less, an access
    that is moved, shifted or left out, and a loop with other bounds are errors at the allocation, with the element that
    is not where it should be, and a note at the access. The verdict is derived again from the accesses.

    For example, a pass that interchanges the loops of a consumer turns a `STREAM` into a `REORDER_FULL`, and the buffer
    that was made for the former deadlocks:

    ```text
    error: 'zpu.streams' says STREAM of the edge to consumer 0, it is REORDER_FULL
    ```
  }];
  let options = [MaxAccessesOption];
}

def SelectBuffers : ZpuPass<"zpu-select-buffers", "::mlir::ModuleOp"> {
  let summary = "find out for each function whether buffers in place of tensors pay, and how large rings should be";
  let description = [{
    `zpu-insert-buffers` saves the way through off-chip memory, but one loop of two may also have less to overlap, and
    small buffers take memory that versions of others could have. So each function is compiled on copies with and
    without it, by all passes that follow in `--zpu-pipeline`, and `zpu-sim` counts the cycles of both, without
    computing any numbers. If the function is faster with whole tensors, that is written on it, and
    `zpu-insert-buffers` obeys:

    ```mlir
    func.func @rows(%x: memref<16xf32, #zpu.space<dram>>) attributes {zpu.whole_tensors} {
      return
    }
    ```

    So a program never takes more cycles for `insert-buffers=true`, but with `mode=full`, where nothing overlaps and
    nothing is compared. Where the number of iterations depends on sizes that
    are not known, several are tried, as by `zpu-select-plan`, and buffers have to be at least as fast with each.

    If there are rings, their size for full rate is found as well: the smallest number of slots, beyond those that are
    needed if one operation runs after the other, with which the function takes the fewest cycles. Tried are those below
    6, and as many as the parts of 8 iterations take; only the latter where the function is slower with them than with
    whole tensors by more than an eighth. The number is written on the function as `zpu.ring_slack`, unless
    somebody wrote one. The remark `ring-size` has the cycles of each number that was tried.

    A function that nothing is done to, or that cannot be compiled or run either way, gets no annotation; the latter
    keeps whole tensors if it can be compiled with them only.
  }];
  let options = LoweringOptions;
}

def RecordRemarks : ZpuPass<"zpu-record-remarks", "::mlir::func::FuncOp"> {
  let summary = "let functions carry the remarks of the passes that follow";
  let description = [{
    From here on each remark of our passes in a function is kept in its attribute `zpu.remarks`, whether or not remarks
    are printed, until `zpu-print-report` takes it off. The pass also notes every loop, so that the report leaves none
    out: it runs after the first canonicalisation, which may fold loops away. Nothing else is changed. A copy of a
    function has a record of its own.
  }];
}

def PrintReport : ZpuPass<"zpu-print-report", "::mlir::ModuleOp"> {
  let summary = "print what became of each loop, as a table a function";
  let description = [{
    For people; remarks are for programs. For each loop that `zpu-record-remarks` found: its line in the source, the
    cycles between two iterations (`II`) and their bound, stages, versions of buffers and their bytes in each memory,
    the engines that work in it and the waits that it executes, the last two as the function has them now. A loop that
    is left alone is named with the reason and advice, and so is a copy or a computation that no engine takes.

    ```text
    @scale (scale.mlir:8) on toy: 1 of 2 loops pipelined; 11 commands; 12 waits, at least 8 needed; proven
      line  II  bound  set by      stages  versions  bytes      engines               waits
      14    14     11  recurrence       3       2+2  rsram 512  odma0, odma1, vector      3
      21     -      -  -                -         -  -          odma0, vector             2
      line 14: the bound is that of the recurrence through '1 linalg.exp', '2 dma rsram->dram'
      line 21 left alone: only scf.for is planned, this is scf.forall (no-counted-loop)
        to do: run --scf-forall-to-for before
    ```

    `--zpu-pipeline="... report=FILE"` puts both passes where they belong.
  }];
  let options = [
    Option<"file", "file", "std::string", "\"-\"", "file to write, - for standard output">
  ];
}

def AddressesToViews : ZpuPass<"zpu-addresses-to-views", "::mlir::func::FuncOp"> {
  let summary = "make one allocation of bytes of each memory, and views of it of the buffers with addresses";
  let description = [{
    For back ends that know one buffer a memory. It comes after `zpu-plan-memory` and after the waits; in
    `--zpu-pipeline` it does not stand.

    ```mlir
    %a = memref.alloc() {zpu.address = 128 : i64} : memref<16xf32, #zpu.space<rsram>>
    %b = memref.alloc() {zpu.address = 0 : i64} : memref<16xf32, #zpu.space<rsram>>
    ```

    becomes

    ```mlir
    %rsram = memref.alloc() {zpu.address = 0 : i64} : memref<192xi8, #zpu.space<rsram>>
    %c128 = arith.constant 128 : index
    %a = memref.view %rsram[%c128][] : memref<192xi8, #zpu.space<rsram>> to memref<16xf32, #zpu.space<rsram>>
    %c0 = arith.constant 0 : index
    %b = memref.view %rsram[%c0][] : memref<192xi8, #zpu.space<rsram>> to memref<16xf32, #zpu.space<rsram>>
    ```

    The allocation stands at the beginning of the function, starts at byte 0 of the memory and ends with the last
    buffer. It is freed before the function returns if one of the buffers was freed, and no buffer of the memory is
    returned. Buffers without an address stay as they are. The waits are proven and the program is simulated as before;
    only that a read of bytes which another buffer wrote is no finding any more, since all is one buffer.
  }];
}

def VerifySync : ZpuPass<"zpu-verify-sync", ""> {
  let summary = "prove that waits are enough, or name the one that is missing";
  let description = [{
    Takes any function with asynchronous commands, written by hand or by `zpu-inject-dma-barrier`, and walks it with the
    knowledge of the control stream: the commands that it has not waited for. An access that conflicts with one of them
    on another engine is a race. The first iterations of a loop are walked one by one, all others at once, so that the
    verdict holds for every trip count; both sides of a branch are taken unless its condition is known, and cases that
    one condition or the sign of a trip count decides in several places are told apart. Numbers of barrier ids are
    followed like tokens, through loop-carried values and branches; `if (id >= 0)` around a wait for one is understood.
    Nothing is changed.

    Runs on a function, or on a module: then on all of its functions, and on the promises that their callers have to
    keep. A call that gives the memory of an `llvm.noalias` argument to another argument as well, or a view of which two
    indices are one element to a function that cannot see its strides, is an error if the called function writes there
    and issues commands.

    | verdict | meaning |
    |---|---|
    | proven | no race, in every order in which engines may complete their commands, for all trip counts and conditions
    |
    | refuted | an execution leads to a race: the pass has gone through it, and a note names its arguments; the error
    names both operations, the iterations, and the wait that mends it |
    | unknown | neither could be shown; the error says why |

    `refuted` and `unknown` are errors; with `allow-unknown`, the latter is a warning. Errors as well: more commands
    than a queue holds that drops them or stops the machine, with the contents of the queue, and a wait for a dropped
    one, which is a deadlock; an id that the device does not have, that another engine's live command holds, or that is
    waited for before any command has taken it, with the commands that take it too late.

    The product reads data that may not have arrived:

    ```mlir
    %t = zpu.dma_start %x to %a on @odma0 : memref<16x16xf32, #zpu.space<dram>> to memref<16x16xf32, #zpu.space<asram>>
    %u = zpu.compute_start on @tensor {
      linalg.matmul ins(%a, %b : memref<16x16xf32, #zpu.space<asram>>, memref<16x16xf32, #zpu.space<wsram>>)
                    outs(%c : memref<16x16xf32, #zpu.space<rsram>>)
    }
    zpu.dma_wait %t : !zpu.token<@odma0>
    zpu.compute_wait %u : !zpu.token<@tensor>
    ```

    The error or warning at the place says in words why a verdict is unknown, and the verdict's remark counts each
    reason by its name:

    | reason | meaning |
    |---|---|
    | unknown-overlap | it is not known whether two accesses touch the same bytes |
    | depends-on-condition | a wait, or one of the two operations, stands under a condition that may belong to another
    one |
    | unknown-effects | an operation, or a call, may touch anything |
    | freed-memory | a buffer may have been freed before, or its scope may have ended |
    | queue-may-be-full | a queue that does not stall may be given too many commands |
    | id-in-use | a barrier id may be that of another engine's outstanding command |
    | id-never-issued | a barrier id may be waited for that no command has taken |
    | id-out-of-range | a barrier id may be one that the device does not have |
    | too-much-work | the proof has reached its limit of work, as it may with many outstanding commands in deep nests |
    | unstructured-control-flow | blocks branch to each other |

    `dump-problem` writes the problem that is proven, without MLIR, for the program `zpu-sync`, which comes to the same
    verdict; with synchronous commands too, for which that program finds waits.

    Calls have remarks of their own: `broken-promise`, `unknown-promise` (a warning with `allow-unknown`) and
    `overlapping-layout`.
  }];
  let options = [
    Option<"allowUnknown", "allow-unknown", "bool", "false", "warn where neither a proof nor a race is found">,
    Option<"dumpProblem", "dump-problem", "std::string", "\"\"",
           "folder into which the synchronisation problem of each function with commands is written, as FUNCTION.json "
           "for the program zpu-sync">
  ];
}

include "MpmdPasses.td"

#endif // ZPU_PASSES_TD
