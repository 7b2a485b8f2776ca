//! A function as a tree of blocks and items, which is all that the placement of waits looks at.
//!
//! Commands are numbered in program order, so that whatever an item or a block holds is a range of numbers. Counted
//! loops and branches are items with blocks of their own; any other control flow around commands is an access to
//! everything, and what is inside is a tree of its own, entered and left with nothing in flight. What is asynchronous
//! by hand is an access to everything, too, with whatever it is in.

use std::ops::Range;

use crate::problem::view::For;
use crate::problem::view::{Block, Op};
use crate::problem::{self, Problem};

use crate::place::user_async::UserAsync;
use crate::problem::algebra::Access;
use crate::problem::algebra::{Index, Linear};

/// The engines whose commands become asynchronous: those that do not block.
#[derive(Clone, Debug)]
pub struct Engines {
    /// Positions in the device, by name.
    positions: Vec<usize>,
}

impl Engines {
    /// Those of a problem's device.
    pub fn of_problem(problem: &Problem) -> Self {
        let all = &problem.device.engines;
        let mut positions: Vec<usize> = (0..all.len()).filter(|at| !all[*at].blocking).collect();
        positions.sort_by_key(|at| &all[*at].name);
        Self { positions }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// The position in the device.
    pub fn position(&self, engine: EngineId) -> usize {
        self.positions[engine]
    }

    /// The engine of a command that becomes asynchronous.
    pub fn of(&self, op: Op<'_>) -> Option<EngineId> {
        let position = op
            .engines()
            .first()
            .filter(|_| op.is_command() && !op.stays_synchronous())?;
        self.positions.iter().position(|engine| engine == position)
    }
}

/// Position of a block in [`Tree::blocks`].
pub type BlockId = usize;
/// Position of an item in [`Tree::items`].
pub type ItemId = usize;
/// Number of a command, in program order.
pub type CommandId = usize;
/// Position of an engine in the list that the tree was made with.
pub type EngineId = usize;

/// How a block is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// With nothing in flight.
    Root,
    /// As the body of a loop.
    Body(ItemId),
    /// As a branch.
    Branch(ItemId),
}

/// A block.
#[derive(Debug)]
pub struct Node {
    /// The block of the problem.
    pub block: problem::BlockId,
    /// How it is reached.
    pub entry: Entry,
    /// What it holds, in order.
    pub items: Vec<ItemId>,
    /// Commands in it.
    pub commands: Range<CommandId>,
    /// The innermost loop that it is in.
    pub base: Option<ItemId>,
}

/// What an item is.
#[derive(Clone, Debug)]
pub enum Kind<'c> {
    /// A command that becomes asynchronous.
    Command(CommandId, EngineId),
    /// Anything else that accesses memory.
    Access,
    /// A loop.
    Loop(For<'c>, BlockId),
    /// A branch; the second block may be missing.
    If(Vec<BlockId>),
}

/// An operation of a block that matters.
#[derive(Debug)]
pub struct Item<'c> {
    /// The operation.
    pub op: Op<'c>,
    /// Its block.
    pub block: BlockId,
    /// Its position among the items of the block.
    pub index: usize,
    /// What it is.
    pub kind: Kind<'c>,
    /// What it reads and writes; `None` is anything. Loops and branches have none of their own.
    pub accesses: Option<Vec<Access<'c>>>,
    /// Commands in it.
    pub commands: Range<CommandId>,
}

/// A command.
#[derive(Debug)]
pub struct Command {
    /// The item.
    pub item: ItemId,
    /// What executes it.
    pub engine: EngineId,
    /// The loops around it, innermost first.
    pub loops: Vec<ItemId>,
}

/// The number of iterations of a loop.
#[derive(Clone, Debug)]
pub struct Trips<'c> {
    /// If it is constant.
    pub constant: Option<i64>,
    /// As an expression, if it is one.
    pub linear: Option<Linear<'c>>,
}

/// A function.
#[derive(Debug)]
pub struct Tree<'c> {
    /// All blocks.
    pub blocks: Vec<Node>,
    /// All items, in program order.
    pub items: Vec<Item<'c>>,
    /// All commands, in program order.
    pub commands: Vec<Command>,
    /// Blocks that are entered with nothing in flight.
    pub roots: Vec<BlockId>,
    /// Trip counts of the loops.
    trips: std::collections::BTreeMap<ItemId, Trips<'c>>,
}

impl<'c> Tree<'c> {
    /// The tree of a problem, with the engines whose commands become asynchronous.
    pub fn of(problem: &'c Problem, engines: &Engines) -> Self {
        let mut tree = Self {
            blocks: Vec::new(),
            items: Vec::new(),
            commands: Vec::new(),
            roots: Vec::new(),
            trips: std::collections::BTreeMap::new(),
        };
        let mut open: Vec<Block<'c>> = problem.function().blocks().into_iter().take(1).collect();
        let mut next = 0;
        // Numbers of commands in a tree of its own come after all that are around it.
        while let Some(block) = open.get(next).copied() {
            let id = tree.block(
                block,
                Entry::Root,
                None,
                &mut Growth {
                    engines,
                    open: &mut open,
                },
            );
            tree.roots.push(id);
            next += 1;
        }
        tree
    }

    fn block(&mut self, block: Block<'c>, entry: Entry, base: Option<ItemId>, growth: &mut Growth<'_, 'c>) -> BlockId {
        let id = self.blocks.len();
        let first = self.commands.len();
        self.blocks.push(Node {
            block: block.id,
            entry,
            items: Vec::new(),
            commands: first..first,
            base,
        });
        let terminator = block.terminator();
        // Only the blocks of a root are looked at for what is by hand: what has it inside is an item of its own.
        let mut user_async = UserAsync::default();
        let items = block
            .ops()
            .filter(|op| Some(*op) != terminator && op.name() != "arith.select");
        for op in items.chain(terminator) {
            if Some(op) == terminator {
                let ending = block.ending();
                if entry == Entry::Root {
                    self.push(id, op, Kind::Access, None);
                } else if !ending.is_empty() {
                    // Automatic allocations end with each iteration; the bytes may be somebody else's in the next one.
                    self.push(id, op, Kind::Access, Some(ending));
                }
            } else if user_async.pass(op) {
                self.push(id, op, Kind::Access, None);
            } else if user_async.is_in_flight() && op.holds_commands() {
                let accesses = if op.is_command() { op.accesses() } else { None };
                self.push(id, op, Kind::Access, accesses);
            } else {
                self.op(id, op, growth);
            }
        }
        self.blocks[id].commands.end = self.commands.len();
        id
    }

    fn op(&mut self, block: BlockId, op: Op<'c>, growth: &mut Growth<'_, 'c>) {
        if let Some(engine) = growth.engines.of(op) {
            let command = self.commands.len();
            let item = self.push(block, op, Kind::Command(command, engine), op.accesses());
            let loops = self.loops_around(block);
            self.commands.push(Command { item, engine, loops });
            self.items[item].commands.end = self.commands.len();
            return;
        }
        let has_commands = op.holds_commands();
        if op.touches_nothing() && !has_commands {
            return;
        }
        if let Some(for_) = For::of(op) {
            let item = self.push(block, op, Kind::Access, Some(Vec::new()));
            let body = self.block(for_.body, Entry::Body(item), Some(item), growth);
            self.items[item].kind = Kind::Loop(for_, body);
            self.items[item].commands.end = self.commands.len();
            self.trips.insert(item, trips(for_));
        } else if op.is("scf.if") {
            let item = self.push(block, op, Kind::Access, Some(Vec::new()));
            let base = self.blocks[block].base;
            let branches = op
                .blocks()
                .into_iter()
                .map(|branch| self.block(branch, Entry::Branch(item), base, growth));
            self.items[item].kind = Kind::If(branches.collect());
            self.items[item].commands.end = self.commands.len();
        } else if has_commands && !op.is_command() {
            self.push(block, op, Kind::Access, None);
            growth.open.extend(op.blocks());
        } else {
            self.push(block, op, Kind::Access, op.accesses());
        }
    }

    fn push(&mut self, block: BlockId, op: Op<'c>, kind: Kind<'c>, accesses: Option<Vec<Access<'c>>>) -> ItemId {
        let id = self.items.len();
        let index = self.blocks[block].items.len();
        let first = self.commands.len();
        self.blocks[block].items.push(id);
        self.items.push(Item {
            op,
            block,
            index,
            kind,
            accesses,
            commands: first..first,
        });
        id
    }

    fn loops_around(&self, block: BlockId) -> Vec<ItemId> {
        let mut loops = Vec::new();
        let mut at = self.blocks[block].base;
        while let Some(item) = at {
            loops.push(item);
            at = self.blocks[self.items[item].block].base;
        }
        loops
    }

    /// The loop of an item that is one.
    pub fn for_of(&self, item: ItemId) -> For<'c> {
        match &self.items[item].kind {
            Kind::Loop(for_, _) => *for_,
            _ => unreachable!("asked of loops only"),
        }
    }

    /// The body of an item that is a loop.
    pub fn body_of(&self, item: ItemId) -> BlockId {
        match &self.items[item].kind {
            Kind::Loop(_, body) => *body,
            _ => unreachable!("asked of loops only"),
        }
    }

    /// The trip count of a loop.
    pub fn trips(&self, item: ItemId) -> &Trips<'c> {
        &self.trips[&item]
    }

    /// The innermost loop around an item.
    pub fn base_of(&self, item: ItemId) -> Option<ItemId> {
        self.blocks[self.items[item].block].base
    }

    /// The item of `block` that holds the command.
    pub fn ancestor(&self, command: CommandId, block: BlockId) -> ItemId {
        self.outer(self.commands[command].item, block)
    }

    /// The item of `block` that holds an item, or is it.
    pub fn outer(&self, mut item: ItemId, block: BlockId) -> ItemId {
        while self.items[item].block != block {
            item = match self.blocks[self.items[item].block].entry {
                Entry::Body(owner) | Entry::Branch(owner) => owner,
                Entry::Root => unreachable!("the item is in the block"),
            };
        }
        item
    }

    /// The commands in front of the item at a position of a block.
    pub fn commands_before(&self, block: BlockId, index: usize) -> Range<CommandId> {
        let node = &self.blocks[block];
        let end = node
            .items
            .get(index)
            .map_or(node.commands.end, |item| self.items[*item].commands.start);
        node.commands.start..end
    }
}

/// What a tree grows from.
struct Growth<'a, 'c> {
    engines: &'a Engines,
    /// Blocks that become trees of their own.
    open: &'a mut Vec<Block<'c>>,
}

fn trips<'c>(for_: For<'c>) -> Trips<'c> {
    let constant = for_.constant_trip_count();
    let linear = constant.map(Linear::constant).or_else(|| {
        // From 0 with step 1 the bound is the number; where the bound is negative there is no iteration to speak of.
        let counts = for_.lower().as_constant_int() == Some(0) && for_.step().as_constant_int() == Some(1);
        match for_.upper().index() {
            Index::Linear(linear) if counts && !for_.is_unsigned() => Some(linear),
            _ => None,
        }
    });
    Trips { constant, linear }
}
