module {
  zpu.device @"sunmmio-a4e" clock 1.000000e+00 off_chip @dram default_space @rsram {
    zpu.control start 8 wait 4 loop 2 barrier 40 scalar 1
    zpu.memory @asram bytes 1048576 align 64
    zpu.memory @wsram bytes 2097152 align 64
    zpu.memory @rsram bytes 1536000 align 64
    zpu.memory @dram bytes 4294967296 align 32
    zpu.link @dram_port bytes_per_cycle 3.840000e+02
    zpu.link @sram_xbar bytes_per_cycle 5.120000e+02
    zpu.engine @odma0 dma depth 8 when_full stall group "odma" cost {burst_bytes = 64 : i64, bytes_per_cycle = 1.280000e+02 : f64, dims = 0 : i64, gap = 16 : i64, per_row = 1 : i64, start_latency = 200 : i64}
    zpu.route @odma0 from @dram to @asram links [@dram_port, @sram_xbar]
    zpu.route @odma0 from @dram to @wsram links [@dram_port, @sram_xbar]
    zpu.route @odma0 from @dram to @rsram links [@dram_port, @sram_xbar]
    zpu.route @odma0 from @rsram to @asram links [@sram_xbar]
    zpu.route @odma0 from @rsram to @wsram links [@sram_xbar]
    zpu.route @odma0 from @rsram to @rsram links [@sram_xbar]
    zpu.route @odma0 from @rsram to @dram links [@sram_xbar, @dram_port]
    zpu.engine @odma1 dma depth 8 when_full stall group "odma" cost {burst_bytes = 64 : i64, bytes_per_cycle = 1.280000e+02 : f64, dims = 0 : i64, gap = 16 : i64, per_row = 1 : i64, start_latency = 200 : i64}
    zpu.route @odma1 from @dram to @asram links [@dram_port, @sram_xbar]
    zpu.route @odma1 from @dram to @wsram links [@dram_port, @sram_xbar]
    zpu.route @odma1 from @dram to @rsram links [@dram_port, @sram_xbar]
    zpu.route @odma1 from @rsram to @asram links [@sram_xbar]
    zpu.route @odma1 from @rsram to @wsram links [@sram_xbar]
    zpu.route @odma1 from @rsram to @rsram links [@sram_xbar]
    zpu.route @odma1 from @rsram to @dram links [@sram_xbar, @dram_port]
    zpu.engine @odma2 dma depth 8 when_full stall group "odma" cost {burst_bytes = 64 : i64, bytes_per_cycle = 1.280000e+02 : f64, dims = 0 : i64, gap = 16 : i64, per_row = 1 : i64, start_latency = 200 : i64}
    zpu.route @odma2 from @dram to @asram links [@dram_port, @sram_xbar]
    zpu.route @odma2 from @dram to @wsram links [@dram_port, @sram_xbar]
    zpu.route @odma2 from @dram to @rsram links [@dram_port, @sram_xbar]
    zpu.route @odma2 from @rsram to @asram links [@sram_xbar]
    zpu.route @odma2 from @rsram to @wsram links [@sram_xbar]
    zpu.route @odma2 from @rsram to @rsram links [@sram_xbar]
    zpu.route @odma2 from @rsram to @dram links [@sram_xbar, @dram_port]
    zpu.engine @odma3 dma depth 8 when_full stall group "odma" cost {burst_bytes = 64 : i64, bytes_per_cycle = 1.280000e+02 : f64, dims = 0 : i64, gap = 16 : i64, per_row = 1 : i64, start_latency = 200 : i64}
    zpu.route @odma3 from @dram to @asram links [@dram_port, @sram_xbar]
    zpu.route @odma3 from @dram to @wsram links [@dram_port, @sram_xbar]
    zpu.route @odma3 from @dram to @rsram links [@dram_port, @sram_xbar]
    zpu.route @odma3 from @rsram to @asram links [@sram_xbar]
    zpu.route @odma3 from @rsram to @wsram links [@sram_xbar]
    zpu.route @odma3 from @rsram to @rsram links [@sram_xbar]
    zpu.route @odma3 from @rsram to @dram links [@sram_xbar, @dram_port]
    zpu.engine @tensor tensor depth 4 when_full stall operands {a = [@asram], b = [@wsram], c = [@rsram]} cost {acc16 = 0 : i64, acc32 = 0 : i64, cycles_per_tile = 4.000000e+00 : f64, fill = 32 : i64, min = 0 : i64, min_k_tiles = 1 : i64, rate = {bf16 = 1.000000e+00 : f64, f16 = 1.000000e+00 : f64, f32 = 2.500000e-01 : f64, i8 = 2.000000e+00 : f64}, tile = [32, 32, 32]}
    zpu.engine @tile vector blocking depth 1 when_full stall operands {all = [@rsram]} cost {min = 1 : i64, per_cycle = 1.000000e+00 : f64, start = 10 : i64, weights = {arith = 1.000000e+00 : f64, div = 8.000000e+00 : f64, exp = 8.000000e+00 : f64, mul = 1.000000e+00 : f64, reduce_other = 2.000000e+00 : f64, reduce_sum = 2.000000e+00 : f64}, width_bits = 1024 : i64}
    zpu.sync ids 64 barriers 16 never_issued return
  }
}

