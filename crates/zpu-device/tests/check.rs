//! Devices that did not come from a file: their problems by `check`, and their JSON form.

use expect_test::{Expect, expect};
use proptest::prelude::*;
use zpu_device::{Device, EngineCost, EngineKind};

fn check(change: impl FnOnce(&mut Device), expected: &Expect) {
    let mut device = Device::load("toy", &[]).unwrap();
    change(&mut device);
    let said: Vec<String> = device
        .check()
        .unwrap_err()
        .iter()
        .map(|problem| format!("{problem}\n"))
        .collect();
    expected.assert_eq(&said.concat());
}

#[test]
fn kind_and_cost_agree() {
    check(
        |device| device.engines[2].kind = EngineKind::Vector,
        &expect![[r#"
            `engine.tensor` is a vector engine with the cost of a tensor engine
        "#]],
    );
}

#[test]
fn engines_of_a_group_share_their_problems() {
    check(
        |device| {
            for engine in &mut device.engines {
                if let EngineCost::Dma(dma) = &mut engine.cost {
                    dma.burst_bytes = 0;
                    dma.dims = u64::MAX;
                }
            }
        },
        &expect![[r#"
            `engine.odma.burst_bytes` is 0, but must be from 1 to 4294967295
            `engine.odma.dims` is 18446744073709551615, but must be from 0 to 4294967295
        "#]],
    );
}

#[test]
fn names_can_be_symbols() {
    check(
        |device| {
            device.name = "4x4".to_owned();
            device.memories[0].name = String::new();
        },
        &expect![[r#"
            `device.name` is `4x4`, but a name is a letter or `_`, then letters, digits and `_`, `-`, `.`
            `memory..name` is ``, but a name is a letter or `_`, then letters, digits and `_`
            `engine.odma.routes` names the unknown memory `asram`; did you mean `wsram`?
            `engine.tensor.operands` names the unknown memory `asram`; did you mean `wsram`?
        "#]],
    );
}

proptest! {
    /// IR attributes hold a device as JSON, so no bit of a rate may get lost.
    #[test]
    fn json_keeps_every_bit_of_a_rate(clock in proptest::num::f64::NORMAL, rate in proptest::num::f64::NORMAL) {
        let mut device = Device::load("sunmmio-a4e", &[]).unwrap();
        device.clock_ghz = clock;
        device.links[0].bytes_per_cycle = rate;
        let read: Device = serde_json::from_str(&serde_json::to_string(&device).unwrap()).unwrap();
        prop_assert_eq!(read.clock_ghz.to_bits(), clock.to_bits());
        prop_assert_eq!(read.links[0].bytes_per_cycle.to_bits(), rate.to_bits());
    }
}
