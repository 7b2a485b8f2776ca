//! Whether a schedule's demands, with data, leave one order only; and where they do not.

use super::graph::{Arcs, Closure};
use super::keys;
use super::name::Builtin;
use super::predicate::must_happen_before;
use super::problem::NodeId;
use super::remark::{Reason, Remark};
use super::schedule::Prepared;
use super::unit::Unit;

/// The most nodes for which reachability is computed: two tables of 8 MiB.
const MOST_NODES: usize = 1 << 13;
/// The most pairs of units that predicates are asked for.
const MOST_PAIRS: usize = 1 << 24;

/// The answer, by mesh of the program.
pub(crate) struct Forced {
    pub(crate) forced: Vec<Option<bool>>,
    pub(crate) completed: Vec<(NodeId, NodeId)>,
    pub(crate) remarks: Vec<Remark>,
}

/// By mesh: true if data and these edges leave one order only.
pub(crate) fn by_edges(
    prepared: &Prepared<'_>,
    edges: &[(NodeId, NodeId)],
    order: &[Vec<NodeId>],
) -> Vec<Option<bool>> {
    if prepared.program.nodes.len() > MOST_NODES {
        return vec![None; order.len()];
    }
    let closure = Closure::new(&Arcs::with(prepared.program, edges));
    let is_total = |row: &Vec<NodeId>| row.windows(2).all(|pair| closure.leads(pair[0], pair[1]));
    order.iter().map(|row| Some(is_total(row))).collect()
}

/// Compares the order of each mesh with what data and the predicate demand.
pub(crate) fn forced(prepared: &Prepared<'_>, builtin: Builtin, order: &[Vec<NodeId>]) -> Forced {
    let (program, units) = (prepared.program, &prepared.units);
    let mut answer = Forced {
        forced: vec![None; order.len()],
        completed: vec![],
        remarks: vec![],
    };
    let pairs: usize = units.of_mesh.iter().map(|units| units.len() * units.len()).sum();
    if program.nodes.len() > MOST_NODES || pairs > MOST_PAIRS {
        answer.remarks.push(Remark::new(
            Reason::ForcedUnknown,
            vec![],
            format!(
                "{} fragments and transfers are too many to tell which orders are forced, the limit is {MOST_NODES}",
                program.nodes.len()
            ),
        ));
        return answer;
    }
    let unit = |node: NodeId| {
        program
            .node(node)
            .fragment()
            .and_then(|fragment| Unit::of(node, fragment))
    };
    let mut edges = Vec::new();
    for (at, mesh) in units.meshes.iter().enumerate() {
        let grid = keys::grid(program, units, at);
        let row: Vec<Unit> = order[mesh.index()].iter().filter_map(|node| unit(*node)).collect();
        for (place, first) in row.iter().enumerate() {
            let later = row[place + 1..].iter();
            let demanded = later.filter(|second| must_happen_before(builtin, grid, first, second));
            edges.extend(demanded.map(|second| (first.node, second.node)));
        }
    }
    let closure = Closure::new(&Arcs::with(program, &edges));
    for (mesh, row) in order.iter().enumerate() {
        let is_open = |pair: &&[NodeId]| !closure.leads(pair[0], pair[1]);
        answer.forced[mesh] = Some(!row.windows(2).any(|pair| is_open(&pair)));
        if builtin == Builtin::None {
            continue;
        }
        let units: Vec<NodeId> = row.iter().copied().filter(|node| unit(*node).is_some()).collect();
        let open: Vec<(NodeId, NodeId)> = units
            .windows(2)
            .filter(is_open)
            .map(|pair| (pair[0], pair[1]))
            .collect();
        if let Some(&(a, b)) = open.first() {
            let text = format!(
                "mesh `{}`: `{builtin}` leaves {} such pairs of neighbours open; they are ordered by rule",
                program.meshes[mesh],
                open.len()
            );
            answer
                .remarks
                .push(Remark::new(Reason::OrderCompleted, program.parties([a, b]), text));
        }
        answer.completed.extend(open);
    }
    answer
}
