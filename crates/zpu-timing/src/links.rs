//! The links that transfers share, and the demands of the transfers.

/// The demand of a transfer on links.
#[derive(Clone, Debug, PartialEq)]
pub struct Flow {
    /// Bandwidth that it can use, in bytes per cycle or any other unit that its links are given in; above 0.
    pub demand: f64,
    /// The links that it crosses, each once.
    pub links: Vec<usize>,
}

/// A flow, by its place among the flows of [`Links`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FlowId(u32);

/// The links of a machine, and the flows that cross them.
#[derive(Clone, Debug, Default)]
pub struct Links {
    capacities: Vec<f64>,
    flows: Vec<Flow>,
}

impl Links {
    /// Links of these bandwidths.
    pub fn new(capacities: Vec<f64>) -> Self {
        Self {
            capacities,
            flows: Vec::new(),
        }
    }

    /// Adds a flow. Equal flows have one id.
    pub fn add(&mut self, flow: Flow) -> FlowId {
        let known = self.flows.iter().position(|other| *other == flow);
        let index = known.unwrap_or_else(|| {
            self.flows.push(flow);
            self.flows.len() - 1
        });
        FlowId(index as u32)
    }

    /// The flow of an id that these links gave.
    pub fn flow(&self, id: FlowId) -> &Flow {
        &self.flows[id.0 as usize]
    }

    /// The bandwidth of each link.
    pub fn capacities(&self) -> &[f64] {
        &self.capacities
    }

    /// True if no flow was added.
    pub fn is_unused(&self) -> bool {
        self.flows.is_empty()
    }
}
