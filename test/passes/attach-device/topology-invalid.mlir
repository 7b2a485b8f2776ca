// RUN: zpu-opt %s --verify-diagnostics --zpu-attach-device=device=toy

// expected-error @+1 {{meshes have devices of their own: run zpu-mpmd-attach-devices}}
zpu.topology @p {
  zpu.mesh @m0
}
