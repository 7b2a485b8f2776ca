//! Device files: overrides, and one clear message with a place for everything that can be wrong.

use expect_test::{Expect, expect};
use proptest::prelude::*;
use zpu_device::{Device, DeviceError, WhenFull, builtin_names, builtin_text};

fn strings(sets: &[&str]) -> Vec<String> {
    sets.iter().map(|set| (*set).to_owned()).collect()
}

fn toy(sets: &[&str]) -> Result<Device, DeviceError> {
    Device::load("toy", &strings(sets))
}

/// Checks the errors of the toy's file after each of these replacements alone, one a line.
fn check(replacements: &[(&str, &str)], expected: &Expect) {
    let text = builtin_text("toy").unwrap();
    let mut said = String::new();
    for (from, to) in replacements {
        assert!(text.contains(from), "the toy's file has no `{from}`");
        let error = Device::from_toml(&text.replacen(from, to, 1), "my.toml", &[]).unwrap_err();
        said += &format!("{error}\n");
    }
    expected.assert_eq(&said);
}

/// Checks the errors of each of these overrides of the toy alone, one a line.
fn check_sets(sets: &[&str], expected: &Expect) {
    let said: Vec<String> = sets
        .iter()
        .map(|set| format!("{}\n", toy(&[set]).unwrap_err()))
        .collect();
    expected.assert_eq(&said.concat());
}

#[test]
fn overrides_reach_every_table() {
    let device = toy(&[
        "device.clock_ghz = 2",
        "control.start_cycles=4",
        "memory.asram.bytes=65536",
        "engine.odma.count=3",
        "engine.odma.when_full=drop",
        "engine.tensor.async=false",
        "engine.tensor.dtype_rate.f16=2.5",
        "engine.vector.operands={ all = [\"rsram\", \"asram\"] }",
        "sync.tokens=8",
        "sync.tokens=9",
    ])
    .unwrap();
    assert_eq!(device.clock_ghz, 2.0);
    assert_eq!(device.control.start_cycles, 4);
    assert_eq!(device.memory("asram").unwrap().bytes, 65536);
    assert_eq!(device.engine_names(), "odma0, odma1, odma2, tensor, vector");
    assert_eq!(device.engine("odma2").unwrap().when_full, WhenFull::Drop);
    assert!(device.engine("tensor").unwrap().blocking);
    assert_eq!(device.engine("vector").unwrap().operands.all, ["rsram", "asram"]);
    assert_eq!(device.sync.ids, 9);
}

#[test]
fn overrides_that_lead_nowhere() {
    check_sets(
        &[
            "control.strat_cycles=4",
            "contorl.start_cycles=4",
            "engine.odmma.count=4",
            "engine.odma0.count=4",
            "engine.mte2.count=4",
            "engine.odma=4",
            "engine=4",
            "queue_depth=4",
            "engine.odma.count.x=4",
            "engine.odma.operand.a=asram",
            "control.start_cycles",
            "control..start_cycles=1",
        ],
        &expect![[r#"
            toy.toml, override `control.strat_cycles=4`: unknown key `strat_cycles`; did you mean `start_cycles`?
            override `contorl.start_cycles=4`: there is no `contorl`; did you mean `control`?
            override `engine.odmma.count=4`: there is no `odmma` in `engine`; did you mean `odma`?
            override `engine.odma0.count=4`: there is no `odma0` in `engine`; did you mean `odma`?
            override `engine.mte2.count=4`: there is no `mte2` in `engine`; known: odma, tensor, vector
            override `engine.odma=4`: `engine.odma` is not a single value
            override `engine=4`: `engine` is not a single value
            override `queue_depth=4`: there is no `queue_depth`; known: control, device, engine, memory, schema, sync
            override `engine.odma.count.x=4`: `engine.odma.count` has no keys of its own
            toy.toml, override `engine.odma.operand.a=asram`: unknown key `operand`; did you mean `operands`?
            override `control.start_cycles`: an override is `key=value`, e.g. `control.start_cycles=4`
            override `control..start_cycles=1`: `control..start_cycles` is not a dotted key such as `control.start_cycles`
        "#]],
    );
}

#[test]
fn overrides_with_bad_values() {
    check_sets(
        &[
            "control.start_cycles=many",
            "control.start_cycles=-1",
            "engine.odma.queue_depth=0",
            "engine.odma.when_full=wait",
            "engine.odma.routes=[[\"dram\", \"asrma\"]]",
            "engine.vector.op_weights.epx=3",
            "device.off_chip=ram",
        ],
        &expect![[r#"
            toy.toml, override `control.start_cycles=many`: `control.start_cycles`: invalid type: string "many", expected a whole number from 0
            toy.toml, override `control.start_cycles=-1`: `control.start_cycles`: invalid value: integer `-1`, expected a whole number from 0
            toy.toml, override `engine.odma.queue_depth=0`: `engine.odma.queue_depth` is 0, but must be from 1 to 4294967295
            toy.toml, override `engine.odma.when_full=wait`: `engine.odma.when_full`: unknown value `wait`; known: stall, error, drop
            toy.toml, override `engine.odma.routes=[["dram", "asrma"]]`: `engine.odma.routes` names the unknown memory `asrma`; did you mean `asram`?
            toy.toml, override `engine.vector.op_weights.epx=3`: `engine.vector.op_weights` names the unknown operation `epx`; did you mean `exp`?
            toy.toml, override `device.off_chip=ram`: `device.off_chip` names the unknown memory `ram`; did you mean `dram`?
        "#]],
    );
}

#[test]
fn not_toml() {
    check(
        &[("[control]", "[control"), ("name = \"toy\"", "name = toy")],
        &expect![[r#"
            my.toml:12: unclosed table, expected `]`
            my.toml:7: invalid boolean, expected `true`
        "#]],
    );
}

#[test]
fn wrong_keys() {
    check(
        &[
            ("queue_depth", "queue_dept"),
            ("[control]", "[controls]"),
            ("scalar_cycles = 1", ""),
            ("off_chip", "default"),
            ("fill_cycles", "gap_cycles"),
            ("schema = 1", "schema = 2"),
            ("schema = 1", ""),
            ("elems_per_cycle = inf", ""),
            ("elems_per_cycle = inf", "elems_per_cycle = inf\nbits_per_cycle = 8"),
            ("bytes_per_cycle = inf", ""),
            ("cycles_per_block = 0", ""),
            ("block = [1, 1, 1]", ""),
            ("gap_cycles = 10", "links = { l2 = \"bus\" }"),
        ],
        &expect![[r#"
            my.toml:40: unknown key `queue_dept`; did you mean `queue_depth`?
            my.toml:12: unknown key `controls`; did you mean `control`?
            my.toml:12: `control`: missing key `scalar_cycles`
            my.toml:9: unknown key `default`; known: name, clock_ghz, off_chip, default_space
            my.toml:54: `engine.tensor.gap_cycles` does not apply to a tensor engine, which has block, mac_per_cycle, cycles_per_block, min_k_blocks, fill_cycles, acc16_cycles, acc32_cycles, min_cycles, zero_init_cycles, dtype_rate
            my.toml:4: schema 2 is not known, this build reads schema 1
            my.toml:1: missing key `schema`
            my.toml:57: `engine.vector` needs one of `bits_per_cycle` and `elems_per_cycle`, and not both
            my.toml:57: `engine.vector` needs one of `bits_per_cycle` and `elems_per_cycle`, and not both
            my.toml:36: `engine.odma` has no `bytes_per_cycle`; give `inf` where it sets no limit
            my.toml:48: `engine.tensor` needs one of `mac_per_cycle` and `cycles_per_block`, and not both
            my.toml:48: `engine.tensor` has no `block`, the m, n, k that shapes are rounded up to
            my.toml:42: `engine.odma.links.l2` names the unknown end of a route `l2`; known: dram, asram, wsram, rsram
        "#]],
    );
}

#[test]
fn wrong_values() {
    check(
        &[
            ("bytes = 1048576", "bytes = 0"),
            ("bytes = 1048576", "bytes = \"1 MiB\""),
            ("align = 64", "align = 48"),
            ("clock_ghz = 1", "clock_ghz = nan"),
            ("clock_ghz = 1", "clock_ghz = -1.5"),
            ("bytes_per_cycle = inf", "bytes_per_cycle = 0"),
            ("count = 2", "count = 4000000000"),
            ("gap_cycles = 10", "gap_cycles = 18446744073709551615"),
            ("cycles_per_block = 0", "mac_per_cycle = [0, 1, 1]"),
            ("kind = \"tensor\"", "kind = \"matrix\""),
            ("fill_cycles = 10", "dtype_rate = { fp16 = 1 }"),
            ("fill_cycles = 10", "dtype_rate = { f16 = 0 }"),
        ],
        &expect![[r#"
            my.toml:21: `memory.asram.bytes` is 0, but must be from 1 to 281474976710656
            my.toml:21: `memory.asram.bytes`: invalid type: string "1 MiB", expected a whole number from 0
            my.toml:22: `memory.asram.align` is 48, but must be a power of two
            my.toml:8: `device.clock_ghz` is NaN, but must be from 1e-9 to 1e15
            my.toml:8: `device.clock_ghz` is -1.5, but must be from 1e-9 to 1e15
            my.toml:41: `engine.odma.bytes_per_cycle` is 0, but must be above 0, or `inf` for no limit
            my.toml:39: `engine.odma.count` is 4000000000, but must be from 1 to 1024
            my.toml:42: `engine.odma.gap_cycles` is 18446744073709551615, but must be from 0 to 4294967295
            my.toml:53: `engine.tensor.mac_per_cycle` is 0, but must be from 1 to 4294967295
            my.toml:50: `engine.tensor.kind`: unknown value `matrix`; known: dma, tensor, vector
            my.toml:54: `engine.tensor.dtype_rate` names the unknown element type `fp16`; did you mean `f16`?
            my.toml:54: `engine.tensor.dtype_rate.f16` is 0, but must be from 1e-9 to 1e15
        "#]],
    );
}

#[test]
fn wrong_names() {
    check(
        &[
            ("default_space = \"rsram\"", "default_space = \"rrsam\""),
            ("name = \"tensor\"", "name = \"dram\""),
            ("name = \"tensor\"", "name = \"odma1\""),
            ("name = \"tensor\"", "name = \"tensor core\""),
            ("c = \"rsram\"", "c = \"l0c\""),
            ("c = \"rsram\"", "d = \"rsram\""),
            ("gap_cycles = 10", "links = { dram = \"bus\" }"),
            ("[\"rsram\", \"dram\"]", "[\"rsram\", \"rsram\"]"),
        ],
        &expect![[r#"
            my.toml:10: `device.default_space` names the unknown memory `rrsam`; did you mean `rsram`?
            my.toml:49: `engine.dram.name` gives the name `dram` a second time; memories, links and engines share one set of names
            my.toml:49: `engine.odma1.name` gives the name `odma1` a second time; memories, links and engines share one set of names
            my.toml:49: `engine.tensor core.name` is `tensor core`, but a name is a letter or `_`, then letters, digits and `_`
            my.toml:55: `engine.tensor.operands` names the unknown memory `l0c`; known: asram, wsram, rsram, dram
            my.toml:55: unknown key `d`; known: a, b, c, all
            my.toml:42: `engine.odma.links` names the unknown link `bus`; none is known here
            my.toml:43: `engine.odma.routes` has the route rsram->rsram twice
        "#]],
    );
}

#[test]
fn all_problems_are_told_at_once() {
    let error = toy(&[
        "sync.tokens=5000000000",
        "engine.odma.queue_depth=0",
        "engine.odma.routes=[]",
    ])
    .unwrap_err();
    expect![[r#"
        toy.toml, override `sync.tokens=5000000000`: `sync.tokens` is 5000000000, but must be from 0 to 4294967295
        toy.toml, override `engine.odma.queue_depth=0`: `engine.odma.queue_depth` is 0, but must be from 1 to 4294967295
        toy.toml, override `engine.odma.routes=[]`: `engine.odma.routes` is empty, a dma engine needs at least one route"#]].assert_eq(&error.to_string());
}

#[test]
fn no_memory() {
    let text: String = builtin_text("toy")
        .unwrap()
        .replace("[[memory]]", "[[info.memory]]")
        .replace("[[engine]]", "[[info.engine]]");
    let error = Device::from_toml(&text, "my.toml", &[]).unwrap_err();
    expect!["my.toml:1: `memory` is empty, a device needs at least one memory"].assert_eq(&error.to_string());
}

#[test]
fn a_missing_file_names_the_built_in_devices() {
    for (name, expected) in [
        (
            "sunmio-a4e",
            expect![
                "no device `sunmio-a4e`: neither built in (toy, planning-1dma, planning-2dma, sunmmio-a4e, \
                 ascend-910b, trainium2-core) nor a file that can be read (No such file or directory (os error 2)); \
                 did you mean `sunmmio-a4e`?"
            ],
        ),
        (
            "no/such/file.toml",
            expect![
                "no device `no/such/file.toml`: neither built in (toy, planning-1dma, planning-2dma, sunmmio-a4e, \
                 ascend-910b, trainium2-core) nor a file that can be read (No such file or directory (os error 2))"
            ],
        ),
    ] {
        expected.assert_eq(&Device::load(name, &[]).unwrap_err().to_string());
    }
}

#[test]
fn a_file_that_is_read_from_a_path() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../devices/toy.toml");
    assert_eq!(Device::load(path, &[]).unwrap(), toy(&[]).unwrap());
}

/// Files that are nearly right: the built-in ones with a few lines lost, doubled, or with a character changed.
fn damaged() -> impl Strategy<Value = String> {
    let names: Vec<&str> = builtin_names().collect();
    let damage = (any::<proptest::sample::Index>(), 0..3, any::<char>());
    (proptest::sample::select(names), proptest::collection::vec(damage, 1..4)).prop_map(|(name, damages)| {
        let mut lines: Vec<String> = builtin_text(name).unwrap().lines().map(str::to_owned).collect();
        for (index, how, new) in damages {
            let at = index.index(lines.len());
            match how {
                0 => drop(lines.remove(at)),
                1 => lines.insert(at, lines[at].clone()),
                _ => {
                    let chars: Vec<char> = lines[at].chars().collect();
                    let replaced = index.index(chars.len().max(1));
                    lines[at] = chars
                        .iter()
                        .enumerate()
                        .map(|(i, &c)| if i == replaced { new } else { c })
                        .collect();
                }
            }
        }
        lines.join("\n")
    })
}

proptest! {
    #[test]
    fn nothing_makes_the_reader_panic(
        text in damaged(),
        set in "(engine|memory|device|x)\\.[a-z]{0,6}(\\.[a-z_]{0,9})?=.{0,8}",
    ) {
        match Device::from_toml(&text, "my.toml", &[]) {
            Ok(device) => prop_assert!(device.check().is_ok()),
            Err(error) => prop_assert!(error.to_string().starts_with("my.toml:"), "{}", error),
        }
        if let Err(error) = Device::from_toml(&text, "my.toml", &[set]) {
            prop_assert!(!error.to_string().is_empty());
        }
    }

    #[test]
    fn overrides_of_numbers_are_what_they_say(cycles in 0_u64..=u64::from(u32::MAX), depth in 1_u64..1000) {
        let sets = [format!("control.wait_cycles={cycles}"), format!("engine.vector.queue_depth={depth}")];
        let device = Device::load("toy", &sets).unwrap();
        prop_assert_eq!(device.control.wait_cycles, cycles);
        prop_assert_eq!(device.engine("vector").unwrap().queue_depth, depth);
    }
}
