zpu.device @toy clock 1.000000e+00 off_chip @dram default_space @rsram {
  zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
  zpu.memory @asram bytes 1048576 align 64
  zpu.memory @wsram bytes 1048576 align 64
  zpu.memory @rsram bytes 1048576 align 64
  zpu.memory @dram bytes 1073741824 align 64
  zpu.engine @odma0 dma depth 10 when_full stall group "odma" cost {burst_bytes = 1 : i64, bytes_per_cycle = 0.000000e+00 : f64, gap = 10 : i64, per_row = 0 : i64, start_latency = 0 : i64}
  zpu.route @odma0 from @dram to @asram
  zpu.route @odma0 from @dram to @wsram
  zpu.route @odma0 from @dram to @rsram
  zpu.route @odma0 from @rsram to @asram
  zpu.route @odma0 from @rsram to @wsram
  zpu.route @odma0 from @rsram to @rsram
  zpu.route @odma0 from @rsram to @dram
  zpu.engine @odma1 dma depth 10 when_full stall group "odma" cost {burst_bytes = 1 : i64, bytes_per_cycle = 0.000000e+00 : f64, gap = 10 : i64, per_row = 0 : i64, start_latency = 0 : i64}
  zpu.route @odma1 from @dram to @asram
  zpu.route @odma1 from @dram to @wsram
  zpu.route @odma1 from @dram to @rsram
  zpu.route @odma1 from @rsram to @asram
  zpu.route @odma1 from @rsram to @wsram
  zpu.route @odma1 from @rsram to @rsram
  zpu.route @odma1 from @rsram to @dram
  zpu.engine @tensor tensor depth 10 when_full stall operands {a = [@asram], b = [@wsram], c = [@rsram]} cost {acc16 = 0 : i64, acc32 = 0 : i64, cycles_per_tile = 0.000000e+00 : f64, fill = 10 : i64, min = 0 : i64, min_k_tiles = 1 : i64, rate = {}, tile = [1, 1, 1]}
  zpu.engine @vector vector depth 10 when_full stall operands {all = [@rsram]} cost {min = 10 : i64, per_cycle = 0.000000e+00 : f64, start = 0 : i64, weights = {}, width_bits = 0 : i64}
  zpu.sync ids 10 barriers 1 never_issued error
}
