//! Routes, paths and operand rules, as passes ask for them.

use zpu_device::{Device, Role};

fn load(name: &str) -> Device {
    Device::load(name, &[]).unwrap()
}

fn path(device: &Device, from: &str, to: &str) -> String {
    device
        .route_path(from, to)
        .map_or_else(|| "none".to_owned(), |path| path.join(" "))
}

#[test]
fn paths_have_the_fewest_transfers() {
    let device = load("planning-2dma");
    assert_eq!(path(&device, "dram", "wsram"), "dram wsram");
    assert_eq!(path(&device, "dram", "asram"), "dram rsram asram");
    assert_eq!(path(&device, "rsram", "rsram"), "rsram rsram");
    assert_eq!(path(&device, "dram", "dram"), "dram rsram dram");
    assert_eq!(path(&device, "asram", "dram"), "none");
    assert_eq!(path(&device, "nowhere", "dram"), "none");
    assert_eq!(path(&load("ascend-910b"), "l0c", "ub"), "l0c l1 ub");
}

#[test]
fn a_path_costs_the_sum_of_its_hops() {
    let device = load("planning-2dma");
    assert_eq!(device.transfer_cost("dram", "asram", 64, 128), Some(108 + 108));
    assert_eq!(device.transfer_cost("asram", "dram", 64, 128), None);
    // The fastest engine of each hop counts.
    let toy = Device::load("toy", &["engine.odma.gap_cycles=7".to_owned()]).unwrap();
    assert_eq!(toy.transfer_cost("dram", "dram", 1, 1), Some(14));
}

#[test]
fn engines_of_a_route_come_in_order() {
    let names = |device: &Device, from, to| -> Vec<String> {
        device
            .engines_for_route(from, to)
            .iter()
            .map(|engine| engine.name.clone())
            .collect()
    };
    assert_eq!(names(&load("toy"), "dram", "asram"), ["odma0", "odma1"]);
    assert_eq!(names(&load("planning-2dma"), "rsram", "asram"), ["odma1"]);
    assert!(names(&load("planning-2dma"), "dram", "asram").is_empty());
}

#[test]
fn operand_rules() {
    let device = load("trainium2-core");
    let operands = &device.engine("vector").unwrap().operands;
    assert!(operands.allows(Role::All, "psum") && !operands.allows(Role::All, "hbm"));
    assert_eq!(operands.preferred(Role::All), Some("sbuf"));
    assert!(operands.allows(Role::A, "anything"));
    assert_eq!(operands.preferred(Role::A), None);
    assert!(device.is_off_chip("hbm") && !device.is_off_chip("sbuf"));
}

#[test]
fn lists_for_messages() {
    let device = load("planning-2dma");
    assert_eq!(device.memory_names(), "asram, wsram, rsram, dram");
    assert_eq!(
        device.route_names(),
        "dram->rsram, rsram->dram, dram->wsram, rsram->wsram, rsram->rsram, rsram->asram"
    );
    assert_eq!(device.link_names(), "none");
}

#[test]
fn data_goes_by_vector_engines_where_no_routes_lead() {
    let data_path = |device: &Device, from, to| {
        device
            .data_path(from, to)
            .map_or_else(|| "none".to_owned(), |path| path.join(" "))
    };
    let device = load("trainium2-core");
    assert_eq!(path(&device, "psum", "hbm"), "none");
    assert_eq!(data_path(&device, "psum", "hbm"), "psum sbuf hbm");
    assert_eq!(data_path(&device, "hbm", "psum"), "hbm sbuf psum");
    assert!(device.moves_directly("psum", "sbuf") && !device.moves_directly("psum", "hbm"));
    // Of equally short paths the one on chip is taken; no path leads into the accumulator of this machine.
    let device = load("ascend-910b");
    assert_eq!(data_path(&device, "l0c", "ub"), "l0c l1 ub");
    assert_eq!(data_path(&device, "ub", "l0c"), "none");
}
