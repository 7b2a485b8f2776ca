//! The event-driven simulator.
