//! The built-in devices: they load, say where their numbers come from, and survive JSON bit for bit.

use zpu_device::{Device, EngineKind, builtin_names, builtin_text};

fn devices() -> Vec<Device> {
    builtin_names()
        .map(|name| Device::load(name, &[]).unwrap_or_else(|error| panic!("{error}")))
        .collect()
}

#[test]
fn each_loads_under_its_own_name() {
    for (device, name) in devices().iter().zip(builtin_names()) {
        assert_eq!(device.name, name);
        assert_eq!(device.check(), Ok(()));
        for kind in [EngineKind::Dma, EngineKind::Tensor, EngineKind::Vector] {
            assert!(
                device.engines_of_kind(kind).next().is_some(),
                "{name} has no {kind} engine"
            );
        }
    }
}

#[test]
fn json_keeps_every_bit() {
    for device in devices() {
        let text = serde_json::to_string(&device).unwrap();
        assert_eq!(serde_json::from_str::<Device>(&text).unwrap(), device);
    }
}

/// A line that gives a number, or a list or table with numbers, says in its comment where they come from.
#[test]
fn every_number_has_a_provenance_tag() {
    for name in builtin_names() {
        for (index, line) in builtin_text(name).unwrap().lines().enumerate() {
            let (code, comment) = line.split_once('#').unwrap_or((line, ""));
            let Some((key, value)) = code.split_once('=') else {
                continue;
            };
            if key.trim() == "schema" {
                continue;
            }
            let unquoted: String = value.split('"').step_by(2).collect();
            let number = unquoted.contains(|c: char| c.is_ascii_digit()) || unquoted.trim() == "inf";
            let tagged = ["[P]", "[D]", "[A]", "[M]"].iter().any(|tag| comment.contains(tag));
            assert!(
                !number || tagged,
                "{name}.toml:{}: no provenance tag: {line}",
                index + 1
            );
        }
    }
}

/// Every key of a built-in file, and so nearly every key there is, has its row in the page about device files.
#[test]
fn every_key_is_documented() {
    let page = include_str!("../../../docs/devices.md");
    for name in builtin_names() {
        let text = builtin_text(name).unwrap();
        for line in text.lines().take_while(|line| !line.starts_with("[info]")) {
            let code = line.split('#').next().unwrap_or_default();
            if let Some((key, _)) = code.split_once('=') {
                assert!(
                    page.contains(&format!("`{}`", key.trim())),
                    "docs/devices.md does not describe `{}`",
                    key.trim()
                );
            }
        }
    }
    for name in builtin_names() {
        assert!(
            page.contains(&format!("`{name}`")),
            "docs/devices.md does not name the device `{name}`"
        );
    }
}

#[test]
fn counts_become_engines() {
    let sunmmio = Device::load("sunmmio-a4e", &[]).unwrap();
    assert_eq!(sunmmio.engine_names(), "odma0, odma1, odma2, odma3, tensor, tile");
    assert_eq!(sunmmio.engine("odma3").unwrap().group, "odma");
    assert!(sunmmio.engine("tile").unwrap().blocking);
    assert_eq!(
        Device::load("toy", &[]).unwrap().engine_names(),
        "odma0, odma1, tensor, vector"
    );
    let one = Device::load("toy", &["engine.odma.count=1".to_owned()]).unwrap();
    assert_eq!(one.engine_names(), "odma, tensor, vector");
}

#[test]
fn the_example_of_the_page_is_a_device() {
    let page = include_str!("../../../docs/devices.md");
    let example = page
        .split("```toml\n")
        .nth(1)
        .and_then(|rest| rest.split("```").next())
        .unwrap();
    let device = Device::from_toml(example, "docs/devices.md", &[]).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(device.engine_names(), "copy0, copy1, matrix, simd");
}
