//! The machine in the IR: round trips of the built-in devices, and the errors of a wrong description.

use zpu_device::{Device, EngineCost, builtin_names};
use zpu_ir::{Op, device, new_context, parse_text};

type Result<T = (), E = Box<dyn std::error::Error>> = std::result::Result<T, E>;

#[test]
fn built_in_devices_survive_the_way_through_text() -> Result {
    let context = new_context();
    context.load_all_available_dialects();
    for name in builtin_names() {
        let expected = Device::load(name, &[])?;
        let empty = parse_text(&context, "module {}", "empty")?;
        let module = Op::of_module(&empty);
        device::build(module, module.body().ok_or("no body")?, &expected);
        assert!(module.verify(), "{name}");
        assert_eq!(device::read(module).map_err(|e| e.to_string())?, expected);
        let printed = module.to_string();
        let again = parse_text(&context, &printed, name)?;
        assert_eq!(
            device::read(Op::of_module(&again)).map_err(|e| e.to_string())?,
            expected,
            "{printed}"
        );
    }
    Ok(())
}

#[test]
fn a_device_replaces_another_if_all_commands_fit() -> Result {
    let context = new_context();
    let text = |engine: &str| {
        format!("func.func @f() {{\n  zpu.barrier on [{engine}]\n  zpu.barrier on [{engine}]\n  return\n}}")
    };
    let toy = Device::load("toy", &[])?;
    for known in ["@odma0", "@vector"] {
        let module = parse_text(&context, &text(known), "f.mlir")?;
        device::replace(&context, &module, &toy)?;
        device::replace(&context, &module, &Device::load("toy", &["sync.tokens=3".to_owned()])?)?;
        let attached = device::read(Op::of_module(&module)).map_err(|error| error.to_string())?;
        assert_eq!(attached.sync.ids, 3);
    }
    let module = parse_text(&context, &text("@none"), "f.mlir")?;
    let message = device::replace(&context, &module, &toy).unwrap_err();
    let expected = "error: 'zpu.barrier' op unknown engine @none; device @toy has @odma0, @odma1, @tensor, @vector";
    assert_eq!(message, format!("f.mlir:2:3: {expected}\nf.mlir:3:3: {expected}"));
    assert!(device::find(Op::of_module(&module)).is_none());
    Ok(())
}

/// A device with these lines besides what every device needs.
fn read(lines: &str) -> Result<Device> {
    let context = new_context();
    let text = format!(
        "module {{ zpu.device @d clock 1.0 off_chip @m default_space @m {{
           zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
           zpu.memory @m bytes 64 align 64
           {lines}
           zpu.sync ids 0 barriers 0 never_issued hang }} }}"
    );
    let module = parse_text(&context, &text, "input")?;
    Ok(device::read(Op::of_module(&module)).map_err(|error| error.to_string())?)
}

fn error_of(lines: &str) -> String {
    read(lines).err().map(|error| error.to_string()).unwrap_or_default()
}

#[test]
fn costs_that_are_not_written_are_neutral() -> Result {
    let device = read(
        "zpu.engine @q dma depth 1 when_full stall
         zpu.route @q from @m to @m
         zpu.engine @v vector depth 1 when_full stall cost {per_cycle = 2 : i64}",
    )?;
    let EngineCost::Vector(vector) = &device.engines[1].cost else {
        return Err("no vector engine".into());
    };
    assert_eq!((vector.per_cycle, vector.start, vector.min), (2.0, 0, 0));
    let work = zpu_device::Work::Transfer {
        from: "m".into(),
        to: "m".into(),
        rows: 8,
        row_bytes: 100,
    };
    assert_eq!(device.cost(&device.engines[0], &work)?.total(), 0);
    Ok(())
}

#[test]
fn an_unknown_cost_entry_names_the_nearest_one() {
    assert_eq!(
        error_of("zpu.engine @v vector depth 1 when_full stall cost {per_cycel = 1.0}"),
        "unknown cost entry 'per_cycel' of a vector engine; did you mean `per_cycle`?"
    );
}

#[test]
fn a_cost_of_the_wrong_type_is_named() {
    assert!(error_of("zpu.engine @t tensor depth 1 when_full stall cost {fill = 1.5}").contains("cost entry 'fill'"));
    assert!(
        error_of("zpu.engine @t tensor depth 1 when_full stall cost {tile = [1, 2]}").contains("cost entry 'tile'")
    );
    assert!(
        error_of("zpu.engine @t tensor depth 1 when_full stall cost {fill = -1 : i64}").contains("cost entry 'fill'")
    );
    assert!(error_of("zpu.engine @t tensor depth 1 when_full stall cost {fill = \"x\"}").contains("must be a number"));
}

#[test]
fn an_inconsistent_device_is_none() {
    assert!(error_of("zpu.engine @v vector depth 4294967296 when_full stall").contains("from 1 to 4294967295"));
    assert!(error_of("zpu.memory @n bytes 281474976710657 align 1").contains("from 1 to 281474976710656"));
}

#[test]
fn without_a_device_the_built_in_ones_are_named() -> Result {
    let context = new_context();
    let module = parse_text(&context, "module {}", "input")?;
    let message = device::read(Op::of_module(&module))
        .err()
        .map(|error| error.to_string());
    let message = message.unwrap_or_default();
    assert!(
        message.starts_with(
            "no zpu.device in the module; run zpu-attach-device{device=NAME} before, with a device file or "
        )
    );
    Ok(())
}
