//! Compares what an operation accesses with what may be outstanding.

use crate::finding::Hazard;
use crate::problem::EngineId;
use crate::program::ItemId;
use crate::program::epoch::Epoch;
use crate::program::overlap::Overlap;
use crate::program::scope::outlives;
use crate::program::sights::Sight;
use crate::verify::interpreter::Interpreter;
use crate::verify::state::{InstanceId, Set, State};

impl<'c> Interpreter<'_, 'c> {
    /// Checks that there is room in the queue, where the machine does not wait for it.
    pub(crate) fn queue(&mut self, id: ItemId, engine: EngineId, state: &State<'c>) {
        let description = self.program.engine(engine);
        if description.when_full == zpu_device::WhenFull::Stall {
            return;
        }
        let mut waiting = self.of_engine(engine).clone();
        waiting.keep(&state.outstanding);
        let instances = &self.instances;
        let is_many = |id: InstanceId| {
            instances.list[id]
                .when
                .iter()
                .any(|(_, when)| matches!(when, Epoch::Before(_) | Epoch::Over))
        };
        let many = waiting.numbers().any(is_many);
        if many || waiting.len() as u64 >= description.queue_depth.max(1) {
            let certain = !many && waiting.numbers().all(|instance| !state.conditional.contains(instance));
            let queue = waiting
                .numbers()
                .map(|instance| instances.list[instance].item)
                .collect();
            self.findings.queue_full(self.program, id, engine, queue, certain);
        }
    }

    /// Compares what an item accesses with what may be outstanding on other engines.
    pub(crate) fn check(&mut self, id: ItemId, engine: Option<EngineId>, state: &State<'c>) {
        if state.outstanding.is_empty() {
            return;
        }
        let program = self.program;
        let item = &program.items[id];
        let mut concerned = state.outstanding.clone();
        if let Some(engine) = engine {
            let own = self.of_engine(engine).clone();
            concerned.remove(&own);
        }
        let Some(_) = &item.accesses else {
            if let Some(instance) = concerned.numbers().next() {
                let instance = self.instances.list[instance].clone();
                self.findings.unknown_effects(program, &instance, id);
            }
            return;
        };
        concerned.keep(&self.rivals(id));
        let mut present: Option<Sight<'c>> = None;
        for number in concerned.numbers() {
            self.steps += 1;
            self.spend(8);
            if self.is_over() {
                return;
            }
            let now = present.get_or_insert_with(|| {
                let when = program.present(id).when;
                program.sights.of(program, &self.context, id, &when)
            });
            let instance = &self.instances.list[number];
            let view = self.views.entry((number, self.present)).or_insert_with(|| {
                let (item, when) = (instance.item, &instance.when);
                program.sights.of(program, &self.context, item, when)
            });
            let Some(view) = view else {
                self.findings.unknown_effects(program, instance, id);
                continue;
            };
            for earlier in view.iter() {
                for later in now.iter().flat_map(|now| now.iter()) {
                    let meeting = earlier.meets(later, program, &self.context);
                    if meeting == Overlap::Never {
                        continue;
                    }
                    let apart = program.items[instance.item]
                        .branches
                        .iter()
                        .any(|branch| !item.branches.contains(branch))
                        && item
                            .branches
                            .iter()
                            .any(|branch| !program.items[instance.item].branches.contains(branch));
                    let hazard = Hazard {
                        instance: instance.clone(),
                        later: id,
                        earlier_writes: earlier.access.write,
                        later_writes: later.access.write,
                        root: later.access.region.root,
                        context: self.context.iterations(),
                        overlaps: meeting == Overlap::Must,
                        conditional: apart || state.conditional.contains(number),
                    };
                    self.findings.race(program, hazard);
                }
            }
        }
    }

    /// Instances with an access to memory that this item may access, too, and of which the order matters.
    fn rivals(&mut self, id: ItemId) -> Set<InstanceId> {
        let program = self.program;
        for number in self.instances.list.ids().skip(self.known_touching) {
            let item = &program.items[self.instances.list[number].item];
            if item.accesses.is_none() {
                self.unknown.insert(number);
            }
            for (root, write) in &item.roots {
                let [all, writing] = &mut self.touching[*root];
                all.insert(number);
                if *write {
                    writing.insert(number);
                }
            }
        }
        self.known_touching = self.instances.list.len();
        let mut rivals = self.unknown.clone();
        for (root, write) in &program.items[id].roots {
            for other in &program.aliases[*root] {
                rivals.add(&self.touching[*other][usize::from(!*write)]);
            }
        }
        rivals
    }

    /// At the end of the function the caller may use its memory, and the stack's memory is gone. A private function is
    /// there to be called, and leaves nothing outstanding at all.
    pub(crate) fn end(&mut self, id: ItemId, state: &State<'c>) {
        let program = self.program;
        for number in state.outstanding.numbers() {
            let instance = self.instances.list[number].clone();
            let kind = &program.items[instance.item].kind;
            self.live.extend(kind.engine().filter(|_| kind.id().is_some()));
            let Some(accesses) = &program.items[instance.item].accesses else {
                self.findings.unknown_effects(program, &instance, id);
                continue;
            };
            if program.is_private
                && !accesses
                    .iter()
                    .any(|each| outlives(program, id, each.region.root).is_some())
            {
                let certain = !state.conditional.contains(number);
                self.findings.in_flight(program, &instance, id, certain);
            }
            for access in accesses {
                if let Some(certain) = outlives(program, id, access.region.root) {
                    let hazard = Hazard {
                        instance: instance.clone(),
                        later: id,
                        earlier_writes: access.write,
                        later_writes: !access.write,
                        root: access.region.root,
                        context: Vec::new(),
                        overlaps: certain && access.full,
                        conditional: state.conditional.contains(number),
                    };
                    self.findings.race(program, hazard);
                }
            }
        }
    }
}
