// RUN: zpu-opt %s --split-input-file --verify-diagnostics

// A device that is not a consistent machine is refused, with what is known.

// No control stream.
// expected-error @+1 {{'zpu.device' op has 0 zpu.control, needs exactly one}}
zpu.device @d clock 1.0 off_chip @dram default_space @dram {
  zpu.memory @dram bytes 1024 align 64
  zpu.sync ids 4 barriers 1 never_issued error
}

// -----

// Two control streams.
// expected-error @+1 {{'zpu.device' op has 2 zpu.control, needs exactly one}}
zpu.device @d clock 1.0 off_chip @dram default_space @dram {
  zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
  zpu.memory @dram bytes 1024 align 64
  zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
  zpu.sync ids 4 barriers 1 never_issued error
}

// -----

// No synchronisation resources.
// expected-error @+1 {{'zpu.device' op has 0 zpu.sync, needs exactly one}}
zpu.device @d clock 1.0 off_chip @dram default_space @dram {
  zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
  zpu.memory @dram bytes 1024 align 64
}

// -----

// A member that is none.
zpu.device @d clock 1.0 off_chip @dram default_space @dram {
  zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
  zpu.memory @dram bytes 1024 align 64
  // expected-error @+1 {{'arith.constant' op does not belong in a zpu.device}}
  %c = arith.constant 1 : index
  zpu.sync ids 4 barriers 1 never_issued error
}

// -----

// off_chip is not a memory.
// expected-error @+1 {{'zpu.device' op 'off_chip' names the unknown memory @ddr; known: @dram}}
zpu.device @d clock 1.0 off_chip @ddr default_space @dram {
  zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
  zpu.memory @dram bytes 1024 align 64
  zpu.sync ids 4 barriers 1 never_issued error
}

// -----

// default_space is not a memory.
// expected-error @+1 {{'zpu.device' op 'default_space' names the unknown memory @sram; known: @dram}}
zpu.device @d clock 1.0 off_chip @dram default_space @sram {
  zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
  zpu.memory @dram bytes 1024 align 64
  zpu.sync ids 4 barriers 1 never_issued error
}

// -----

// default_space is an engine.
// expected-error @+1 {{'default_space' names the unknown memory @vector; known: @dram}}
zpu.device @d clock 1.0 off_chip @dram default_space @vector {
  zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
  zpu.memory @dram bytes 1024 align 64
  zpu.engine @vector vector depth 1 when_full stall
  zpu.sync ids 4 barriers 1 never_issued error
}

// -----

// No memory at all.
// expected-error @+1 {{'off_chip' names the unknown memory @dram; known: none}}
zpu.device @d clock 1.0 off_chip @dram default_space @dram {
  zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
  zpu.sync ids 4 barriers 1 never_issued error
}

// -----

// A clock of 0.
// expected-error-re @+1 {{'zpu.device' op clock is {{.*}} GHz, must be above 0}}
zpu.device @d clock 0.0 off_chip @dram default_space @dram {
  zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
  zpu.memory @dram bytes 1024 align 64
  zpu.sync ids 4 barriers 1 never_issued error
}

// -----

// A clock below 0.
// expected-error-re @+1 {{'zpu.device' op clock is {{.*}} GHz, must be above 0}}
zpu.device @d clock -1.0 off_chip @dram default_space @dram {
  zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
  zpu.memory @dram bytes 1024 align 64
  zpu.sync ids 4 barriers 1 never_issued error
}

// -----

// A clock that is not a number.
// expected-error-re @+1 {{'zpu.device' op clock is {{.*}} GHz, must be above 0}}
zpu.device @d clock 0x7FF8000000000000 off_chip @dram default_space @dram {
  zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
  zpu.memory @dram bytes 1024 align 64
  zpu.sync ids 4 barriers 1 never_issued error
}

// -----

// An infinite clock.
// expected-error-re @+1 {{'zpu.device' op clock is {{.*}} GHz, must be above 0}}
zpu.device @d clock 0x7FF0000000000000 off_chip @dram default_space @dram {
  zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
  zpu.memory @dram bytes 1024 align 64
  zpu.sync ids 4 barriers 1 never_issued error
}

// -----

// Two devices in one module.
// expected-note @+1 {{the first is here}}
zpu.device @a clock 1.0 off_chip @dram default_space @dram {
  zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
  zpu.memory @dram bytes 1024 align 64
  zpu.sync ids 4 barriers 1 never_issued error
}
// expected-error @+1 {{'zpu.device' op is the second device of this module}}
zpu.device @b clock 1.0 off_chip @dram default_space @dram {
  zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
  zpu.memory @dram bytes 1024 align 64
  zpu.sync ids 4 barriers 1 never_issued error
}

// -----

// A device outside a module.
func.func @f() {
  // expected-error @+1 {{'zpu.device' op expects parent op to be one of 'builtin.module, zpu.topology'}}
  zpu.device @d clock 1.0 off_chip @dram default_space @dram {
    zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
    zpu.memory @dram bytes 1024 align 64
    zpu.sync ids 4 barriers 1 never_issued error
  }
  return
}

// -----

// A member outside a device.
// expected-error @+1 {{'zpu.memory' op expects parent op 'zpu.device'}}
zpu.memory @dram bytes 1024 align 64

// -----

// Two members of one name.
zpu.device @d clock 1.0 off_chip @dram default_space @dram {
  zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
  // expected-note @+1 {{see existing symbol definition here}}
  zpu.memory @dram bytes 1024 align 64
  // expected-error @+1 {{redefinition of symbol named 'dram'}}
  zpu.engine @dram vector depth 1 when_full stall
  zpu.sync ids 4 barriers 1 never_issued error
}

// -----

// A negative cost of the control stream: start.
zpu.device @d clock 1.0 off_chip @dram default_space @dram {
  // expected-error @+1 {{'zpu.control' op attribute 'start_cycles' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
  zpu.control start -1 wait 1 loop 1 barrier 1 scalar 1
  zpu.memory @dram bytes 1024 align 64
  zpu.sync ids 4 barriers 1 never_issued error
}

// -----

// A negative cost of the control stream: wait.
zpu.device @d clock 1.0 off_chip @dram default_space @dram {
  // expected-error @+1 {{'zpu.control' op attribute 'wait_cycles' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
  zpu.control start 1 wait -1 loop 1 barrier 1 scalar 1
  zpu.memory @dram bytes 1024 align 64
  zpu.sync ids 4 barriers 1 never_issued error
}

// -----

// A negative cost of the control stream: loop.
zpu.device @d clock 1.0 off_chip @dram default_space @dram {
  // expected-error @+1 {{'zpu.control' op attribute 'loop_cycles' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
  zpu.control start 1 wait 1 loop -1 barrier 1 scalar 1
  zpu.memory @dram bytes 1024 align 64
  zpu.sync ids 4 barriers 1 never_issued error
}

// -----

// A negative cost of the control stream: barrier.
zpu.device @d clock 1.0 off_chip @dram default_space @dram {
  // expected-error @+1 {{'zpu.control' op attribute 'barrier_cycles' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
  zpu.control start 1 wait 1 loop 1 barrier -1 scalar 1
  zpu.memory @dram bytes 1024 align 64
  zpu.sync ids 4 barriers 1 never_issued error
}

// -----

// A negative cost of the control stream: scalar.
zpu.device @d clock 1.0 off_chip @dram default_space @dram {
  // expected-error @+1 {{'zpu.control' op attribute 'scalar_cycles' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
  zpu.control start 1 wait 1 loop 1 barrier 1 scalar -1
  zpu.memory @dram bytes 1024 align 64
  zpu.sync ids 4 barriers 1 never_issued error
}

// -----

// A memory of no bytes.
zpu.device @d clock 1.0 off_chip @dram default_space @dram {
  zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
  // expected-error @+1 {{'zpu.memory' op attribute 'bytes' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive}}
  zpu.memory @dram bytes 0 align 64
  zpu.sync ids 4 barriers 1 never_issued error
}

// -----

// A memory without alignment.
zpu.device @d clock 1.0 off_chip @dram default_space @dram {
  zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
  // expected-error @+1 {{'zpu.memory' op attribute 'align' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive}}
  zpu.memory @dram bytes 1024 align 0
  zpu.sync ids 4 barriers 1 never_issued error
}

// -----

// An alignment that is not a power of two.
zpu.device @d clock 1.0 off_chip @dram default_space @dram {
  zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
  // expected-error @+1 {{'zpu.memory' op align is 48, must be a power of two}}
  zpu.memory @dram bytes 1024 align 48
  zpu.sync ids 4 barriers 1 never_issued error
}

// -----

// A link of 0.0 bytes per cycle.
zpu.device @d clock 1.0 off_chip @dram default_space @dram {
  zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
  zpu.memory @dram bytes 1024 align 64
  // expected-error-re @+1 {{'zpu.link' op bytes_per_cycle is {{.*}}, must be above 0}}
  zpu.link @port bytes_per_cycle 0.0
  zpu.sync ids 4 barriers 1 never_issued error
}

// -----

// A link of -2.0 bytes per cycle.
zpu.device @d clock 1.0 off_chip @dram default_space @dram {
  zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
  zpu.memory @dram bytes 1024 align 64
  // expected-error-re @+1 {{'zpu.link' op bytes_per_cycle is {{.*}}, must be above 0}}
  zpu.link @port bytes_per_cycle -2.0
  zpu.sync ids 4 barriers 1 never_issued error
}

// -----

// A link of 0x7FF8000000000000 bytes per cycle.
zpu.device @d clock 1.0 off_chip @dram default_space @dram {
  zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
  zpu.memory @dram bytes 1024 align 64
  // expected-error-re @+1 {{'zpu.link' op bytes_per_cycle is {{.*}}, must be above 0}}
  zpu.link @port bytes_per_cycle 0x7FF8000000000000
  zpu.sync ids 4 barriers 1 never_issued error
}

// -----

// A link of 0x7FF0000000000000 bytes per cycle.
zpu.device @d clock 1.0 off_chip @dram default_space @dram {
  zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
  zpu.memory @dram bytes 1024 align 64
  // expected-error-re @+1 {{'zpu.link' op bytes_per_cycle is {{.*}}, must be above 0}}
  zpu.link @port bytes_per_cycle 0x7FF0000000000000
  zpu.sync ids 4 barriers 1 never_issued error
}

// -----

// A negative number of ids.
zpu.device @d clock 1.0 off_chip @dram default_space @dram {
  zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
  zpu.memory @dram bytes 1024 align 64
  // expected-error @+1 {{'zpu.sync' op attribute 'ids' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
  zpu.sync ids -1 barriers 1 never_issued error
}

// -----

// A negative number of barriers.
zpu.device @d clock 1.0 off_chip @dram default_space @dram {
  zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
  zpu.memory @dram bytes 1024 align 64
  // expected-error @+1 {{'zpu.sync' op attribute 'barriers' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
  zpu.sync ids 1 barriers -1 never_issued error
}

// -----

// Banks of unequal size.
zpu.device @d clock 1.0 off_chip @dram default_space @dram {
  zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
  // expected-error @+1 {{'zpu.memory' op banks is 3, must divide 1024 bytes}}
  zpu.memory @dram bytes 1024 align 64 banks 3
  zpu.sync ids 1 barriers 1 never_issued error
}
