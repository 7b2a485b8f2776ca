# A function of `count` copies.
BEGIN {
  ty = "memref<16xf32, #zpu.space<dram>>"
  to = "memref<16xf32, #zpu.space<asram>>"
  printf "func.func @f(%%x: %s {llvm.noalias}) {\n  %%b = memref.alloc() : %s\n", ty, to
  for (i = 0; i < count; i++) printf "  memref.copy %%x, %%b : %s to %s\n", ty, to
  print "  return\n}"
}
