// RUN: zpu-opt %s --split-input-file --verify-diagnostics --zpu-mpmd-pipeline-scheduler=must-happen-before=Circular

// Schedules by stages refuse fragments without one, and two of one stage and microbatch.

zpu.topology @pipeline {
  zpu.mesh @m0
}
func.func @no_stage() {
  // expected-error @+1 {{`Circular` cannot order `f[0]@m0`, `f[1]@m0`: it needs the logical stage of each; give `stage`}}
  %a = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 0 () : () -> ()
  // expected-note @+1 {{this is `f[1]@m0`}}
  %b = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 1 () : () -> ()
  return
}

// -----

zpu.topology @pipeline {
  zpu.mesh @m0
}
func.func @equal_keys() {
  // expected-error @+1 {{`Circular` cannot order `f:0[0]@m0` and `g:0[0]@m0`: both have stage 0 and call counter 0; merge them, or give them different stages}}
  %a = zpu.fragment @m0 origins [#zpu.origin<"f">] stage 0 call_counter 0 () : () -> ()
  // expected-note @+1 {{this is `g:0[0]@m0`}}
  %b = zpu.fragment @m0 origins [#zpu.origin<"g">] stage 0 call_counter 0 () : () -> ()
  return
}
