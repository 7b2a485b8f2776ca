//! Random graphs of fragments: schedules are legal, a machine runs them at the times that are claimed, and the verifier
//! refuses just those that the machine cannot run.

use std::collections::{BTreeMap, BTreeSet};

use zpu_sched::fragment::{
    Answer, AutoOptions, Builtin, Claims, Fragment, FragmentError, FragmentInfo, MeshId, Node, NodeId, NodeKind,
    Origin, Program, Request, Rule, Schedule, Split, Violation, keep, schedule, verify,
};

use crate::machine::run;
use crate::numbers::Numbers;

/// Programs of most tests; the long form of all of them is `cargo xtask bench --of=fragments`.
const PROGRAMS: u32 = 20_000;

/// A program of a few units, other fragments and transfers, with data in any direction that has no cycle.
fn program(numbers: &mut Numbers) -> Program {
    let mut program = Program {
        transfer_latency: numbers.between(0, 2),
        ..Program::default()
    };
    let meshes = numbers.between(1, 3) as u32;
    for mesh in 0..meshes {
        program.add_mesh(format!("mesh{mesh}"));
    }
    let microbatches = numbers.between(1, 3) as u32;
    let has_stages = numbers.index(2) == 0;
    let is_split = numbers.index(2) == 0;
    let has_backward = numbers.index(5) > 0;
    let mut fragments = Vec::new();
    for (mesh, counter) in (0..meshes).flat_map(|mesh| (0..microbatches).map(move |counter| (mesh, counter))) {
        let mut add = |transpose_count, split| {
            let mut fragment = Fragment::new(MeshId(mesh), "f", transpose_count, counter);
            fragment.stage = has_stages.then_some(mesh);
            fragment.split = split;
            fragments.push(fragment);
        };
        add(0, None);
        if has_backward && is_split {
            add(1, Some(Split::KeepTransferred));
            add(1, Some(Split::DropTransferred));
        } else if has_backward {
            add(1, None);
        }
    }
    for number in 0..numbers.between(0, 2) {
        let mut fragment = Fragment::new(MeshId(numbers.index(meshes as usize) as u32), "g", 0, 0);
        fragment.origins[0].name = format!("g{number}").into();
        fragment.call_counter = None;
        if numbers.index(2) == 0 {
            fragment.inferred = true;
            fragment.origins.clear();
            fragment.transpose_count = None;
        }
        fragments.push(fragment);
    }
    numbers.shuffle(&mut fragments);
    if numbers.index(3) > 0 {
        // Mostly data agree with microbatches and passes.
        fragments.sort_by_key(|fragment| (fragment.transpose_count, fragment.split, fragment.call_counter));
    }
    let often = 2 + numbers.index(6);
    let mut placed: Vec<(NodeId, MeshId)> = Vec::new();
    for (number, fragment) in fragments.into_iter().enumerate() {
        let mesh = fragment.mesh;
        let mut deps = Vec::new();
        for (other, from) in placed.clone() {
            if numbers.index(often) > 0 {
                continue;
            }
            if from != mesh && numbers.index(3) > 0 {
                let name = format!("t{}.{number}", other.0);
                let kind = NodeKind::Transfer { from, to: mesh };
                deps.push(program.add(name, kind, vec![other], numbers.between(0, 3)));
            } else {
                deps.push(other);
            }
        }
        let node = program.add(
            format!("n{number}"),
            NodeKind::Fragment(fragment),
            deps,
            numbers.between(0, 3),
        );
        placed.push((node, mesh));
    }
    program
}

/// The same program with its nodes in another order.
fn shuffled(program: &Program, numbers: &mut Numbers) -> Program {
    let mut order: Vec<usize> = (0..program.nodes.len()).collect();
    numbers.shuffle(&mut order);
    let mut place = vec![0; order.len()];
    for (at, &from) in order.iter().enumerate() {
        place[from] = at as u32;
    }
    let node = |from: &usize| {
        let node = program.nodes[*from].clone();
        let mut deps: Vec<NodeId> = node.deps.iter().map(|dep| NodeId(place[dep.index()])).collect();
        numbers.shuffle(&mut deps);
        Node { deps, ..node }
    };
    Program {
        nodes: order.iter().map(node).collect(),
        ..program.clone()
    }
}

fn claims(answer: &Answer) -> Claims<'_> {
    Claims {
        timing: Some(&answer.timing),
        bound: answer.bound,
        ..Claims::default()
    }
}

/// The order of units by name.
fn units(program: &Program, schedule: &Schedule) -> Vec<Vec<String>> {
    let is_unit = |node: &&NodeId| {
        let fragment = program.node(**node).fragment();
        fragment.is_some_and(|of| !of.inferred && of.call_counter.is_some())
    };
    let rows = schedule.order.iter();
    rows.map(|row| {
        row.iter()
            .filter(is_unit)
            .map(|node| program.node(*node).name.to_string())
            .collect()
    })
    .collect()
}

#[test]
fn schedules_are_legal_and_run_as_claimed() {
    let mut numbers = Numbers(11);
    let (mut scheduled, mut refused, mut against) = (0, 0, 0);
    for _ in 0..PROGRAMS {
        let program = program(&mut numbers);
        let builtin = Builtin::ALL[numbers.index(Builtin::ALL.len())];
        let request = Request::Builtin(builtin);
        let answer = match schedule(&program, &request) {
            Ok(answer) => answer,
            Err(FragmentError::Unverified(text)) => panic!("{text}"),
            Err(_) => {
                refused += 1;
                continue;
            }
        };
        scheduled += 1;
        against += u32::from(
            answer
                .remarks
                .iter()
                .any(|remark| remark.reason.name() == "against-data"),
        );
        verify(&program, &answer.schedule, &claims(&answer)).unwrap_or_else(|violation| panic!("{violation}"));
        assert_eq!(
            run(&program, &answer.schedule).as_ref(),
            Some(&answer.timing.start),
            "{builtin}"
        );
        let other = shuffled(&program, &mut numbers);
        if builtin != Builtin::None {
            let again = schedule(&other, &request).expect("the same program");
            assert_eq!(
                units(&program, &answer.schedule),
                units(&other, &again.schedule),
                "{builtin} depends on the order of the block"
            );
        }
    }
    println!("{scheduled} scheduled, {against} of them against data, {refused} refused");
    assert!(scheduled > PROGRAMS / 2 && against > PROGRAMS / 50);
}

#[test]
fn the_verifier_refuses_what_a_machine_cannot_run() {
    let mut numbers = Numbers(12);
    let (mut legal, mut deadlocks) = (0, 0);
    for _ in 0..PROGRAMS {
        let program = program(&mut numbers);
        let Ok(mut answer) = schedule(&program, &Request::Builtin(Builtin::None)) else {
            panic!("no schedule refuses nothing")
        };
        for _ in 0..=numbers.index(3) {
            let schedule = &mut answer.schedule;
            let queues = schedule.queues.iter_mut().map(|queue| &mut queue.transfers);
            let mut rows: Vec<&mut Vec<NodeId>> = schedule.order.iter_mut().chain(queues).collect();
            let row = numbers.index(rows.len());
            if rows[row].len() > 1 {
                let (a, b) = (numbers.index(rows[row].len()), numbers.index(rows[row].len()));
                rows[row].swap(a, b);
            }
        }
        let verdict = verify(&program, &answer.schedule, &Claims::default());
        match run(&program, &answer.schedule) {
            Some(_) => {
                legal += 1;
                assert_eq!(verdict, Ok(()));
            }
            None => {
                deadlocks += 1;
                assert!(matches!(verdict, Err(Violation::Deadlock(_))), "{verdict:?}");
            }
        }
    }
    println!("{legal} legal, {deadlocks} deadlocks");
    assert!(legal > PROGRAMS / 10 && deadlocks > PROGRAMS / 10);
}

#[test]
fn the_verifier_refuses_wrong_claims() {
    let mut numbers = Numbers(13);
    let mut refused = 0;
    for _ in 0..2_000 {
        let program = program(&mut numbers);
        let Ok(answer) = schedule(&program, &Request::Builtin(Builtin::None)) else {
            panic!("no schedule refuses nothing")
        };
        let mut wrong = answer.clone();
        let kind = numbers.index(6);
        match kind {
            0 => wrong.timing.makespan += 1,
            1 => wrong.timing.meshes[0].peak += 1,
            2 => wrong.timing.meshes[0].busy += 1,
            3 => wrong.bound = wrong.timing.makespan + 1,
            4 => drop(wrong.schedule.order[0].pop()),
            _ => {
                // One start earlier than it can be; starts are the least there are.
                let late = wrong.timing.start.iter().position(|start| *start > 0);
                let Some(late) = late else { continue };
                wrong.timing.start[late] -= 1;
            }
        }
        if kind == 4 && answer.schedule.order[0].is_empty() {
            continue;
        }
        refused += 1;
        assert!(
            verify(&program, &wrong.schedule, &claims(&wrong)).is_err(),
            "kind {kind}"
        );
    }
    assert!(refused > 1_500);
}

#[test]
fn auto_is_legal_and_does_not_depend_on_the_order_of_the_block() {
    let mut numbers = Numbers(14);
    for _ in 0..600 {
        let program = program(&mut numbers);
        let options = AutoOptions {
            memory_cap: [None, Some(2), Some(3)][numbers.index(3)],
            effort: 200,
        };
        let request = Request::Auto(options.clone());
        let (found, again) = (
            schedule(&program, &request),
            schedule(&shuffled(&program, &mut numbers), &request),
        );
        let Ok(answer) = found else {
            assert!(options.memory_cap.is_some() && again.is_err());
            continue;
        };
        let claims = Claims {
            memory_cap: options.memory_cap,
            ..claims(&answer)
        };
        verify(&program, &answer.schedule, &claims).unwrap_or_else(|violation| panic!("{violation}"));
        for builtin in Builtin::ALL {
            let Ok(other) = schedule(&program, &Request::Builtin(builtin)) else {
                continue;
            };
            let peak = other.timing.meshes.iter().map(|mesh| mesh.peak).max();
            if options.memory_cap.is_none_or(|cap| peak <= Some(cap)) {
                assert!(answer.timing.makespan <= other.timing.makespan, "{builtin}");
            }
        }
    }
}

/// Exhaustive search of small programs agrees with what is claimed to be proven.
#[test]
fn proven_makespans_are_the_least_of_all_orders() {
    let mut numbers = Numbers(15);
    let mut proven = 0;
    for _ in 0..1_500 {
        let program = program(&mut numbers);
        let fragments = program.fragments().count();
        let is_free = program
            .nodes
            .iter()
            .all(|node| node.fragment().is_some() || node.cycles == 0);
        if fragments > 7 || !is_free {
            continue;
        }
        let cap = [None, Some(1), Some(2)][numbers.index(3)];
        let options = AutoOptions {
            memory_cap: cap,
            effort: 100_000,
        };
        let least = least(&program, cap);
        match schedule(&program, &Request::Auto(options)) {
            Ok(answer) => {
                assert!(answer.bound <= answer.timing.makespan);
                let least = least.expect("there is an order");
                assert!(answer.timing.makespan >= least);
                if answer.proven {
                    proven += 1;
                    assert_eq!(answer.timing.makespan, least, "{program:#?}");
                }
            }
            Err(error) => assert_eq!(least, None, "{error}"),
        }
    }
    println!("{proven} proven");
    assert!(proven > 200);
}

/// The least makespan of all orders of all meshes.
fn least(program: &Program, cap: Option<u64>) -> Option<u64> {
    let mut rows: Vec<Vec<NodeId>> = vec![vec![]; program.meshes.len()];
    for (id, fragment) in program.fragments() {
        rows[fragment.mesh.index()].push(id);
    }
    let mut best = None;
    permute(program, &mut rows, 0, 0, cap, &mut best);
    best
}

fn permute(
    program: &Program,
    rows: &mut Vec<Vec<NodeId>>,
    mesh: usize,
    from: usize,
    cap: Option<u64>,
    best: &mut Option<u64>,
) {
    if mesh == rows.len() {
        let schedule = Schedule {
            order: rows.clone(),
            ..Schedule::default()
        };
        let Some(timing) = zpu_sched::fragment::replay(program, &schedule) else {
            return;
        };
        let fits = timing.meshes.iter().all(|mesh| cap.is_none_or(|cap| mesh.peak <= cap));
        if fits && best.is_none_or(|best| timing.makespan < best) {
            *best = Some(timing.makespan);
        }
        return;
    }
    if from + 1 >= rows[mesh].len() {
        return permute(program, rows, mesh + 1, 0, cap, best);
    }
    for other in from..rows[mesh].len() {
        rows[mesh].swap(from, other);
        permute(program, rows, mesh, from + 1, cap, best);
        rows[mesh].swap(from, other);
    }
}

/// Rules on random programs: they fail just if they close a circle that data alone do not.
#[test]
fn rules_fail_just_if_they_contradict_each_other() {
    let mut numbers = Numbers(16);
    let (mut fine, mut cyclic, mut skipped) = (0, 0, 0);
    for _ in 0..PROGRAMS {
        let mut program = program(&mut numbers);
        for (number, node) in program.nodes.iter_mut().enumerate() {
            if let NodeKind::Fragment(fragment) = &mut node.kind
                && let Some(origin) = fragment.origins.first_mut()
            {
                *origin = Origin {
                    name: format!("f{number}").into(),
                    ..origin.clone()
                };
            }
        }
        let users: Vec<NodeId> = program
            .fragments()
            .filter(|(_, fragment)| fragment.is_user())
            .map(|(id, _)| id)
            .collect();
        let info = |id: NodeId| FragmentInfo::of(&program, program.node(id).fragment().expect("a fragment"));
        let named: Vec<Vec<NodeId>> = (0..numbers.between(1, 4))
            .map(|_| {
                (0..numbers.between(2, 4))
                    .map(|_| users[numbers.index(users.len())])
                    .collect()
            })
            .collect();
        let rules: Vec<Rule> = named
            .iter()
            .map(|nodes| Rule {
                ordered_fragments: nodes.iter().map(|id| info(*id)).collect(),
            })
            .collect();
        let found = schedule(&program, &Request::Rules(rules.clone()));
        // Reachability by data, then with the pairs that data do not forbid.
        let count = program.nodes.len();
        let mut data = vec![vec![false; count]; count];
        for (id, node) in program.ids() {
            node.deps.iter().for_each(|dep| data[dep.index()][id.index()] = true);
        }
        close(&mut data);
        let mesh = |id: NodeId| program.node(id).fragment().map(|fragment| fragment.mesh);
        let pairs: BTreeSet<(NodeId, NodeId)> = named
            .iter()
            .flat_map(|nodes| nodes.windows(2).map(|pair| (pair[0], pair[1])))
            .filter(|(a, b)| a != b && mesh(*a) == mesh(*b))
            .collect();
        let mut all = data.clone();
        for &(a, b) in &pairs {
            if data[b.index()][a.index()] {
                skipped += 1;
            } else {
                all[a.index()][b.index()] = true;
            }
        }
        close(&mut all);
        let is_cyclic = (0..count).any(|node| all[node][node]);
        match found {
            Ok(answer) => {
                assert!(!is_cyclic);
                fine += 1;
                verify(&program, &answer.schedule, &claims(&answer)).unwrap_or_else(|violation| panic!("{violation}"));
                let row = |id: NodeId| &answer.schedule.order[mesh(id).expect("a fragment").index()];
                let place = |id: NodeId| row(id).iter().position(|other| *other == id);
                for &(a, b) in pairs.iter().filter(|(a, b)| !data[b.index()][a.index()]) {
                    assert!(place(a) < place(b));
                }
            }
            Err(FragmentError::CyclicRules { cycle, rules: of }) => {
                assert!(is_cyclic && !of.is_empty());
                cyclic += 1;
                let edges = cycle.iter().zip(cycle.iter().cycle().skip(1));
                let mut has_rule = false;
                for (a, b) in edges {
                    let is_data = program.node(b.id).deps.contains(&a.id);
                    let is_rule = pairs.contains(&(a.id, b.id));
                    assert!(is_data || is_rule, "{a} -> {b} is no edge");
                    has_rule |= is_rule;
                }
                assert!(has_rule);
                let other = shuffled(&program, &mut numbers);
                let again = schedule(&other, &Request::Rules(rules)).expect_err("whatever the order");
                let FragmentError::CyclicRules { cycle: again, .. } = again else {
                    panic!("{again}")
                };
                let names = |cycle: Vec<zpu_sched::fragment::Party>| {
                    cycle.into_iter().map(|party| party.name).collect::<Vec<_>>()
                };
                assert_eq!(names(cycle), names(again));
            }
            Err(error) => panic!("{error}"),
        }
    }
    println!("{fine} rule sets hold, {cyclic} contradict themselves, {skipped} pairs against data");
    assert!(fine > PROGRAMS / 4 && cyclic > PROGRAMS / 20 && skipped > PROGRAMS / 20);
}

/// Transitive closure (Warshall).
fn close(reach: &mut [Vec<bool>]) {
    for over in 0..reach.len() {
        let row = reach[over].clone();
        for from in reach.iter_mut().filter(|from| from[over]) {
            from.iter_mut().zip(&row).for_each(|(to, leads)| *to |= leads);
        }
    }
}

/// Two meshes that each send first what the other receives second.
#[test]
fn queues_that_disagree_are_a_deadlock() {
    let mut program = Program::default();
    let (a, b) = (program.add_mesh("a"), program.add_mesh("b"));
    let mut sent = BTreeMap::new();
    for (name, mesh, to) in [("x", a, b), ("y", a, b)] {
        let fragment = NodeKind::Fragment(Fragment::new(mesh, name, 0, 0));
        let source = program.add(format!("{name}0"), fragment, vec![], 1);
        let transfer = program.add(
            format!("t{name}"),
            NodeKind::Transfer { from: mesh, to },
            vec![source],
            1,
        );
        let fragment = NodeKind::Fragment(Fragment::new(to, name, 0, 1));
        program.add(format!("{name}1"), fragment, vec![transfer], 1);
        sent.insert(name, transfer);
    }
    let answer = keep(&program).expect("no constraint");
    assert_eq!(verify(&program, &answer.schedule, &Claims::default()), Ok(()));
    let mut wrong = answer.schedule.clone();
    wrong.queues[1].transfers.reverse();
    let verdict = verify(&program, &wrong, &Claims::default());
    let Err(Violation::Deadlock(cycle)) = verdict else {
        panic!("{verdict:?}")
    };
    assert!(cycle.contains(&sent["x"]) && cycle.contains(&sent["y"]), "{cycle:?}");
    assert_eq!(run(&program, &wrong), None);
}

/// A mesh without a microbatch is refused under every name and by the search, unless the order is to be kept as it is.
#[test]
fn a_missing_microbatch_is_an_error_under_every_schedule() {
    let mut program = Program::default();
    let (a, b) = (program.add_mesh("a"), program.add_mesh("b"));
    for (mesh, counter) in [(a, 0), (a, 1), (b, 0)] {
        let fragment = NodeKind::Fragment(Fragment::new(mesh, "f", 0, counter));
        program.add(format!("f{}.{counter}", mesh.index()), fragment, vec![], 1);
    }
    let builtins = Builtin::ALL.into_iter().map(Request::Builtin);
    for request in builtins.chain([Request::Auto(AutoOptions::default())]) {
        let found = schedule(&program, &request);
        let Err(FragmentError::UnequalCounts { mesh, found, of, .. }) = found else {
            panic!("{request:?}: {found:?}")
        };
        assert_eq!((&*mesh, found, of), ("b", 1, 2), "{request:?}");
    }
    let kept = keep(&program).expect("an order is there");
    assert_eq!(kept.schedule.order[0].len(), 2);
    // What was merged is no unit, and then nothing is known to be missing.
    if let NodeKind::Fragment(fragment) = &mut program.nodes[2].kind {
        fragment.transpose_count = None;
        let mut backward = fragment.origins[0].clone();
        backward.transpose_count = 1;
        fragment.origins.push(backward);
    }
    let found = schedule(&program, &Request::Builtin(Builtin::None));
    assert!(found.is_ok(), "{found:?}");
}
