//! Loops that are pipelined by hand: tiles are loaded into a ring, worked on, and waited for by tokens that the loop
//! carries or by barrier ids. Most have the waits that this takes.

use super::generate::{Generator, Scope, access, ring, running, stmt};
use super::{Access, Affine, Carried, Compare, Cond, ENGINES, Expr, For, If, Kind, Name, Stmt, Var};

/// Settings that are the same for a whole pipelined loop.
struct Plan {
    name: Name,
    upper: Affine,
    /// Slots of the ring, and elements of a slot.
    slots: i64,
    width: i64,
    load: usize,
    work: usize,
    /// The buffers: where tiles come from, the ring, and where they go.
    from: usize,
    ring: usize,
    to: usize,
    /// Iterations between the load of a tile and its use.
    lag: i64,
    /// Iterations after which a slot is waited for before it is loaded again.
    free: i64,
}

impl Plan {
    fn load(&self, token: Name, id: Option<Name>, ahead: i64) -> Kind {
        let tile = Affine::var(Var::Induction(self.name)).add(ahead);
        Kind::Start {
            engine: self.load,
            token,
            id,
            accesses: vec![
                access(self.from, scaled(&tile, self.width), self.width, false),
                access(self.ring, self.slot(tile), self.width, true),
            ],
        }
    }

    fn work(&self, behind: i64) -> Vec<Access> {
        let tile = Affine::var(Var::Induction(self.name)).add(-behind);
        // A dividend that is not negative.
        let turned = tile.clone().add(if behind > 0 { self.slots * behind } else { 0 });
        let to = scaled(&tile, self.width).add(self.width * behind);
        vec![
            access(self.ring, self.slot(turned), self.width, false),
            access(self.to, to, self.width, true),
        ]
    }

    fn slot(&self, tile: Affine) -> Expr {
        ring(tile, self.slots, self.width)
    }
}

fn scaled(affine: &Affine, factor: i64) -> Affine {
    let mut scaled = Affine::constant(affine.constant * factor);
    for (var, coefficient) in &affine.terms {
        scaled = scaled.plus(*var, coefficient * factor);
    }
    scaled
}

impl Generator {
    /// A pipelined loop in another loop.
    pub(super) fn nested_pipeline(&mut self, scope: &mut Scope) -> Vec<Stmt> {
        let (name, upper) = (self.name(), self.upper(scope));
        let mut inside = scope.clone();
        inside.loops.push(running(name, 0, &upper, 1));
        let mut body = self.pipeline(&mut inside);
        body.append(&mut self.sometimes_stmts(&mut inside, 1));
        let mut block = Vec::new();
        let mut carried = Vec::new();
        if self.random.chance(50)
            && let Some((token, engine)) = self.token(&inside)
        {
            let first = self.null(&mut block, engine);
            let (argument, result) = (self.name(), self.name());
            carried.push(Carried {
                inside: argument,
                first,
                next: token,
                result,
            });
            scope.tokens.push((result, engine));
            body.insert(0, stmt(Kind::Wait(argument)));
        }
        block.push(stmt(Kind::For(For {
            name,
            lower: 0,
            upper,
            step: 1,
            carried,
            body,
        })));
        block
    }

    /// A loop that loads tiles into a ring and works on them, with the waits that this takes, or nearly so.
    pub(super) fn pipeline(&mut self, scope: &mut Scope) -> Vec<Stmt> {
        let load = self.engine();
        let work = (load + 1 + self.random.below(ENGINES.len() - 1)) % ENGINES.len();
        let (name, upper) = (self.name(), self.upper(scope));
        let slots = self.random.number(1, 4);
        let lag = self.random.number(0, 2);
        // Most of these are right.
        let free = if self.random.chance(75) {
            (slots - lag).max(1)
        } else {
            self.random.number(1, 3)
        };
        let buffers = self.buffers.len();
        let plan = Plan {
            name,
            upper,
            slots,
            width: self.random.number(1, 2),
            load,
            work,
            from: 1 + self.random.below(buffers - 1),
            ring: 0,
            to: 1 + self.random.below(buffers - 1),
            lag,
            free,
        };
        match self.random.below(4) {
            0 => self.prefetching(scope, &plan),
            1 => self.with_ids(scope, &plan),
            _ => self.lagging(scope, &plan),
        }
    }

    /// A shift register of tokens that are null at first: what the body calls them, and how the loop carries them. The
    /// first one's next value is not known yet.
    fn register(&mut self, block: &mut Vec<Stmt>, engine: usize, length: i64) -> Vec<Carried> {
        let mut register: Vec<Carried> = Vec::new();
        for _ in 0..length {
            let first = self.null(block, engine);
            let (inside, result) = (self.name(), self.name());
            let next = register.last().map_or(inside, |before| before.inside);
            register.push(Carried {
                inside,
                first,
                next,
                result,
            });
        }
        register
    }

    fn mostly(&mut self, block: &mut Vec<Stmt>, kind: Kind) {
        if self.random.chance(94) {
            block.push(stmt(kind));
        }
    }

    /// The loop loads tile `i` and works on tile `i - lag`.
    fn lagging(&mut self, scope: &mut Scope, plan: &Plan) -> Vec<Stmt> {
        let mut block = Vec::new();
        let mut loads = self.register(&mut block, plan.load, plan.lag);
        let mut works = self.register(&mut block, plan.work, plan.free);
        let mut body = Vec::new();
        if let Some(last) = works.last() {
            self.mostly(&mut body, Kind::Wait(last.inside));
        }
        let loaded = self.name();
        body.push(stmt(plan.load(loaded, None, 0)));
        let wanted = loads.last().map_or(loaded, |last| last.inside);
        if let Some(first) = loads.first_mut() {
            first.next = loaded;
        }
        let worked = self.name();
        let is_synchronous = self.random.chance(15);
        let mut inside = Vec::new();
        self.mostly(&mut inside, Kind::Wait(wanted));
        if is_synchronous {
            inside.push(stmt(Kind::Sync {
                engine: plan.work,
                accesses: plan.work(plan.lag),
            }));
            inside.push(stmt(Kind::Null(worked, plan.work)));
        } else {
            inside.push(stmt(Kind::Start {
                engine: plan.work,
                token: worked,
                id: None,
                accesses: plan.work(plan.lag),
            }));
        }
        let mut done = worked;
        if plan.lag == 0 {
            body.append(&mut inside);
        } else {
            let mut otherwise = Vec::new();
            let null = self.null(&mut otherwise, plan.work);
            done = self.name();
            let own = Affine::var(Var::Induction(plan.name));
            body.push(stmt(Kind::If(If {
                cond: Cond::Compare(Compare::GreaterOrEqual, own, Affine::constant(plan.lag)),
                then: inside,
                otherwise,
                results: vec![(done, worked, null)],
            })));
        }
        if let Some(first) = works.first_mut() {
            first.next = done;
        }
        let carried: Vec<Carried> = loads.iter().chain(&works).copied().collect();
        block.push(stmt(Kind::For(For {
            name: plan.name,
            lower: 0,
            upper: plan.upper.clone(),
            step: 1,
            carried,
            body,
        })));
        self.after(scope, &mut block, plan, (&loads, &works));
        block
    }

    /// The loop loads tile `i + 1`, if there is one, and works on tile `i`.
    fn prefetching(&mut self, scope: &mut Scope, plan: &Plan) -> Vec<Stmt> {
        let mut block = Vec::new();
        let first = self.first_load(&mut block, plan);
        let mut works = self.register(&mut block, plan.work, plan.free);
        let (argument, result) = (self.name(), self.name());
        let (ahead, next) = (self.name(), self.name());
        let mut then = Vec::new();
        if let Some(last) = works.last() {
            self.mostly(&mut then, Kind::Wait(last.inside));
        }
        then.push(stmt(plan.load(ahead, None, 1)));
        let mut otherwise = Vec::new();
        let null = self.null(&mut otherwise, plan.load);
        let own = Affine::var(Var::Induction(plan.name));
        let mut body = vec![stmt(Kind::If(If {
            cond: Cond::Compare(Compare::Less, own.add(1), plan.upper.clone()),
            then,
            otherwise,
            results: vec![(next, ahead, null)],
        }))];
        self.mostly(&mut body, Kind::Wait(argument));
        let worked = self.name();
        body.push(stmt(Kind::Start {
            engine: plan.work,
            token: worked,
            id: None,
            accesses: plan.work(0),
        }));
        if let Some(first) = works.first_mut() {
            first.next = worked;
        }
        let loads = [Carried {
            inside: argument,
            first,
            next,
            result,
        }];
        block.push(stmt(Kind::For(For {
            name: plan.name,
            lower: 0,
            upper: plan.upper.clone(),
            step: 1,
            carried: loads.iter().chain(&works).copied().collect(),
            body,
        })));
        self.after(scope, &mut block, plan, (&loads, &works));
        block
    }

    /// The load of tile 0, maybe only where there is one.
    fn first_load(&mut self, block: &mut Vec<Stmt>, plan: &Plan) -> Name {
        let token = self.name();
        let start = stmt(Kind::Start {
            engine: plan.load,
            token,
            id: None,
            accesses: vec![
                access(plan.from, Affine::constant(0), plan.width, false),
                access(plan.ring, Affine::constant(0), plan.width, true),
            ],
        });
        if self.random.chance(50) {
            block.push(start);
            return token;
        }
        let mut otherwise = Vec::new();
        let null = self.null(&mut otherwise, plan.load);
        let result = self.name();
        block.push(stmt(Kind::If(If {
            cond: Cond::Compare(Compare::Greater, plan.upper.clone(), Affine::constant(0)),
            then: vec![start],
            otherwise,
            results: vec![(result, token, null)],
        })));
        result
    }

    /// As [`Self::lagging`], but loads are waited for by their barrier ids: remainders that are computed again, or
    /// numbers that the loop carries.
    fn with_ids(&mut self, scope: &mut Scope, plan: &Plan) -> Vec<Stmt> {
        let mut block = Vec::new();
        let ids = self.random.number(1, 4);
        let is_carried = self.random.chance(50);
        let mut works = self.register(&mut block, plan.work, plan.free);
        let minus_one = self.name();
        block.push(stmt(Kind::Number(minus_one, Affine::constant(-1).into())));
        let mut numbers: Vec<Carried> = Vec::new();
        for _ in 0..if is_carried { plan.lag } else { 0 } {
            let (inside, result) = (self.name(), self.name());
            numbers.push(Carried {
                inside,
                first: minus_one,
                next: numbers.last().map_or(inside, |before| before.inside),
                result,
            });
        }
        let own = Affine::var(Var::Induction(plan.name));
        let (id, loaded, worked) = (self.name(), self.name(), self.name());
        let mut body = Vec::new();
        if let Some(last) = works.last() {
            self.mostly(&mut body, Kind::Wait(last.inside));
        }
        body.push(stmt(Kind::Number(id, ring(own.clone(), ids, 1))));
        body.push(stmt(plan.load(loaded, Some(id), 0)));
        let mut inside = Vec::new();
        let wanted = match numbers.last() {
            Some(last) => last.inside,
            None if plan.lag == 0 => id,
            None => {
                let then = self.name();
                inside.push(stmt(Kind::Number(
                    then,
                    ring(own.clone().add(ids * plan.lag - plan.lag), ids, 1),
                )));
                then
            }
        };
        self.mostly(&mut inside, Kind::WaitId(wanted));
        inside.push(stmt(Kind::Start {
            engine: plan.work,
            token: worked,
            id: None,
            accesses: plan.work(plan.lag),
        }));
        if let Some(first) = numbers.first_mut() {
            first.next = id;
        }
        let mut done = worked;
        if plan.lag == 0 {
            body.append(&mut inside);
        } else {
            let mut otherwise = Vec::new();
            let null = self.null(&mut otherwise, plan.work);
            done = self.name();
            let cond = match numbers.last() {
                Some(last) => Cond::IsThere(last.inside),
                None => Cond::Compare(Compare::GreaterOrEqual, own, Affine::constant(plan.lag)),
            };
            body.push(stmt(Kind::If(If {
                cond,
                then: inside,
                otherwise,
                results: vec![(done, worked, null)],
            })));
        }
        if let Some(first) = works.first_mut() {
            first.next = done;
        }
        block.push(stmt(Kind::For(For {
            name: plan.name,
            lower: 0,
            upper: plan.upper.clone(),
            step: 1,
            carried: numbers.into_iter().chain(works.iter().copied()).collect(),
            body,
        })));
        self.after(scope, &mut block, plan, (&[], &works));
        block
    }

    /// The code after a loop: waits for the tokens that it yields, or a fence.
    fn after(&mut self, scope: &mut Scope, block: &mut Vec<Stmt>, plan: &Plan, tokens: (&[Carried], &[Carried])) {
        let both = [(plan.load, tokens.0), (plan.work, tokens.1)];
        for (engine, carried) in both {
            scope.tokens.extend(carried.iter().map(|each| (each.result, engine)));
            match carried.first() {
                Some(latest) if self.random.chance(60) => block.push(stmt(Kind::Wait(latest.result))),
                _ if self.random.chance(60) => block.push(stmt(Kind::Fence(vec![engine]))),
                _ => {}
            }
        }
    }
}
