//! Orders and records as attributes, and back.

use zpu_ir::stream::{Record, as_order, as_record, order, record};
use zpu_ir::{Op, new_context, parse_text};
use zpu_stream::order::{Order, events};
use zpu_stream::verdict::{Sizes, Verdict};

type Result<T = (), E = Box<dyn std::error::Error>> = std::result::Result<T, E>;

/// The most elements of an order that are listed.
const MANY: u128 = 1 << 12;

#[test]
fn an_order_that_is_read_again_has_the_same_events() -> Result {
    let context = new_context();
    context.load_all_available_dialects();
    let module = parse_text(&context, "module {}", "empty")?;
    let context = Op::of_module(&module).context();
    let orders = [
        Order::rows(&[4, 6]),
        Order::new(vec![24], "(d0) -> (d0 floordiv 6, d0 mod 6)".parse()?, vec![1, 1]),
        Order::new(vec![2, 3], "(d0, d1) -> (d0 * 2, d1 * 2 - 1)".parse()?, vec![2, 2]).with_lanes(vec![1, 0]),
        Order::new(
            vec![3],
            "(d0) -> ((d0 * 5 + 2) mod 4, d0 ceildiv 2)".parse()?,
            vec![2, 3],
        )
        .with_dilation(vec![1, 2])
        .with_align(16),
        Order::new(vec![], "() -> (0, 3)".parse()?, vec![4, 1]),
    ];
    for own in orders {
        let read = as_order(order(context, &own)).ok_or("no order")?;
        assert_eq!(
            (&read.loops, &read.token, &read.dilation, &read.lanes, read.align),
            (&own.loops, &own.token, &own.dilation, &own.lanes, own.align)
        );
        assert_eq!(events(&read, &[4, 6], MANY)?, events(&own, &[4, 6], MANY)?, "{own:?}");
    }
    Ok(())
}

#[test]
fn a_record_that_is_read_again_is_the_same() -> Result {
    let context = new_context();
    context.load_all_available_dialects();
    let module = parse_text(&context, "module {}", "empty")?;
    let context = Op::of_module(&module).context();
    let sizes = Sizes {
        min_capacity: 25,
        retained: 24,
        circular_span: 28,
        epochs: 1,
        block_shape: vec![5, 7],
        modulo_shape: vec![4, 7],
        is_exact: true,
        is_modulo_exact: false,
    };
    for verdict in Verdict::ALL {
        let is_possible = verdict != Verdict::Incompatible;
        let own = Record {
            verdict,
            write: Order::rows(&[5, 7]),
            read: is_possible.then(|| Order::rows(&[5, 7])),
            result: 2,
            gate: Some((1, 0)),
            sizes: is_possible.then(|| sizes.clone()),
        };
        assert_eq!(record(context, &own).and_then(as_record), Some(own));
    }
    let large = Sizes {
        min_capacity: 1 << 64,
        ..sizes
    };
    let own = Record {
        verdict: Verdict::Stream,
        write: Order::rows(&[5, 7]),
        read: None,
        result: 0,
        gate: None,
        sizes: Some(large),
    };
    assert!(record(context, &own).is_none(), "a size that has no attribute");
    Ok(())
}
