//! A program as the placement of waits looks at it: its commands, and the items before which a wait may stand.
//!
//! The [`Program`] has the blocks and items, with loops, branches and trip counts. Added here are the engines whose
//! commands become asynchronous, and the numbers of the commands in program order, so that whatever an item or a block
//! holds is a range of numbers. Counted loops and branches are entered; any other control flow around commands is an
//! access to everything, and its blocks are roots of their own, entered and left with nothing in flight. What its
//! author has made asynchronous is an access to everything, too, with whatever it is in.

use std::ops::Range;
use std::rc::Rc;

use crate::id::{Id as _, IdVec, id};
use crate::place::user_async::UserAsync;
use crate::problem::algebra::Access;
use crate::problem::view::Op;
use crate::problem::{self, EngineId, Problem};
use crate::program::{BlockId, ItemId, Kind, Loop, Program};

id! {
    /// Number of a command that becomes asynchronous, in program order.
    pub struct CommandId(u32);
}

id! {
    /// Position of an engine among those whose commands become asynchronous.
    pub struct AsyncEngineId(u32);
}

/// The engines whose commands become asynchronous: those that do not block.
#[derive(Clone, Debug)]
pub struct Engines {
    /// By name.
    list: IdVec<AsyncEngineId, EngineId>,
}

impl Engines {
    /// The engines of a problem's device that do not block.
    pub fn of_problem(problem: &Problem) -> Self {
        let mut list: Vec<EngineId> = problem
            .engine_ids()
            .filter(|id| !problem.engine(*id).blocking)
            .collect();
        list.sort_by_key(|id| &problem.engine(*id).name);
        Self { list: list.into() }
    }

    /// The number of engines.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// True if there is no engine.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The engines, in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = AsyncEngineId> + ExactSizeIterator + use<> {
        self.list.ids()
    }

    /// The engine in the device.
    pub fn in_device(&self, engine: AsyncEngineId) -> EngineId {
        self.list[engine]
    }

    /// The engine of a command that becomes asynchronous.
    pub fn of(&self, op: Op<'_>) -> Option<AsyncEngineId> {
        let wanted = op
            .engines()
            .first()
            .filter(|_| op.is_command() && !op.stays_synchronous())?;
        self.list
            .enumerate()
            .find(|(_, engine)| *engine == wanted)
            .map(|(id, _)| id)
    }
}

/// The way in which a block is reached.
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
#[derive(Clone, Debug)]
pub struct Node {
    /// The block of the problem.
    pub block: problem::BlockId,
    /// The way in which it is reached.
    pub entry: Entry,
    /// The items before which a wait may stand, in order.
    pub items: Vec<ItemId>,
    /// Commands in it.
    pub commands: Range<CommandId>,
    /// The innermost loop that it is in.
    pub base: Option<ItemId>,
}

/// The part of an item in the placement of waits.
#[derive(Clone, Debug)]
pub enum Role {
    /// A command that becomes asynchronous.
    Command(CommandId, AsyncEngineId),
    /// Anything else that accesses memory.
    Access,
    /// A loop, by its body.
    Loop(BlockId),
    /// A branch; the second block may be missing.
    If(Vec<BlockId>),
}

/// An item before which a wait may stand.
#[derive(Clone, Debug)]
pub struct Site<'c> {
    /// The operation.
    pub op: Op<'c>,
    /// Its block.
    pub block: BlockId,
    /// Its position among the items of the block.
    pub index: usize,
    /// Its part.
    pub role: Role,
    /// Its accesses; `None` is anything. Loops and branches have none of their own.
    pub accesses: Option<Rc<[Access<'c>]>>,
    /// Commands in it.
    pub commands: Range<CommandId>,
}

/// A command that becomes asynchronous.
#[derive(Debug)]
pub struct Command {
    /// The item.
    pub item: ItemId,
    /// The engine that executes it.
    pub engine: AsyncEngineId,
    /// The loops around it, innermost first.
    pub loops: Vec<ItemId>,
}

/// A function.
#[derive(Debug)]
pub struct Tree<'c> {
    program: Program<'c>,
    /// By block of the program; those that are not entered hold nothing.
    nodes: IdVec<BlockId, Node>,
    /// By item of the program; none where no wait may stand.
    sites: IdVec<ItemId, Option<Site<'c>>>,
    /// All commands, in program order.
    pub commands: IdVec<CommandId, Command>,
    /// Blocks that are entered with nothing in flight.
    pub roots: Vec<BlockId>,
}

impl<'c> Tree<'c> {
    /// The tree of a problem, with the engines whose commands become asynchronous.
    pub fn of(problem: &'c Problem, engines: &Engines) -> Self {
        let program = Program::of_first_block(problem);
        let none = CommandId::new(0);
        let node = |block: &crate::program::Block| Node {
            block: block.source,
            entry: Entry::Root,
            items: Vec::new(),
            commands: none..none,
            base: None,
        };
        let mut tree = Self {
            nodes: program.blocks.iter().map(node).collect(),
            sites: IdVec::like(&program.items, None),
            commands: IdVec::new(),
            roots: Vec::from_iter(program.entry),
            program,
        };
        // Numbers of commands in a root come after all that are around it, which comes before it in the list.
        let mut next = 0;
        while let Some(root) = tree.roots.get(next).copied() {
            tree.block(root, Entry::Root, None, engines);
            next += 1;
        }
        tree
    }

    fn block(&mut self, id: BlockId, entry: Entry, base: Option<ItemId>, engines: &Engines) {
        let first = self.commands.next_id();
        let node = &mut self.nodes[id];
        (node.entry, node.base, node.commands) = (entry, base, first..first);
        let block = self.program.problem.block(node.block);
        let terminator = block.terminator();
        // Only the blocks of a root are looked at for what is by hand: what has it inside is an item of its own.
        let mut user_async = UserAsync::default();
        for item in self.program.blocks[id].items.clone() {
            let (op, is_choice) = (self.op(item), matches!(self.program.items[item].kind, Kind::Choice(..)));
            if Some(op) == terminator || is_choice {
                continue;
            }
            if user_async.pass(op) {
                self.push(id, item, Role::Access, None);
            } else if user_async.is_in_flight() && op.holds_commands() {
                let accesses = if op.is_command() { op.accesses() } else { None };
                self.push(id, item, Role::Access, accesses);
            } else {
                self.item(id, item, engines);
            }
        }
        if let Some(end) = self.program.blocks[id].end {
            let ending = block.ending();
            if entry == Entry::Root {
                self.push(id, end, Role::Access, None);
            } else if !ending.is_empty() {
                // Automatic allocations end with each iteration; the bytes may be somebody else's in the next one.
                self.push(id, end, Role::Access, Some(ending));
            }
        }
        self.nodes[id].commands.end = self.commands.next_id();
    }

    fn item(&mut self, block: BlockId, id: ItemId, engines: &Engines) {
        let op = self.op(id);
        if let Some(engine) = engines.of(op) {
            let loops = self.loops_around(block);
            let command = self.commands.next_id();
            self.push(block, id, Role::Command(command, engine), op.accesses());
            self.commands.push(Command {
                item: id,
                engine,
                loops,
            });
            self.close(id);
            return;
        }
        let has_commands = op.holds_commands();
        if op.touches_nothing() && !has_commands {
            return;
        }
        let kind = &self.program.items[id].kind;
        let blocks = kind.blocks();
        match kind {
            Kind::For(Loop { body, .. }) => {
                let body = *body;
                self.push(block, id, Role::Loop(body), Some(Vec::new()));
                self.block(body, Entry::Body(id), Some(id), engines);
                self.close(id);
            }
            Kind::If(..) => {
                self.push(block, id, Role::If(blocks.clone()), Some(Vec::new()));
                let base = self.nodes[block].base;
                for branch in blocks {
                    self.block(branch, Entry::Branch(id), base, engines);
                }
                self.close(id);
            }
            _ if has_commands && !op.is_command() => {
                self.push(block, id, Role::Access, None);
                self.roots.extend(blocks);
            }
            _ => self.push(block, id, Role::Access, op.accesses()),
        }
    }

    fn push(&mut self, block: BlockId, id: ItemId, role: Role, accesses: Option<Vec<Access<'c>>>) {
        let items = &mut self.nodes[block].items;
        let index = items.len();
        items.push(id);
        let first = self.commands.next_id();
        self.sites[id] = Some(Site {
            op: self.program.items[id].op,
            block,
            index,
            role,
            accesses: accesses.map(Rc::from),
            commands: first..first,
        });
    }

    /// Ends the range of the commands that an item holds.
    fn close(&mut self, id: ItemId) {
        let end = self.commands.next_id();
        self.sites[id].iter_mut().for_each(|site| site.commands.end = end);
    }

    fn loops_around(&self, block: BlockId) -> Vec<ItemId> {
        std::iter::successors(self.nodes[block].base, |loop_| self.base_of(*loop_)).collect()
    }

    /// The operation of an item.
    pub fn op(&self, item: ItemId) -> Op<'c> {
        self.program.items[item].op
    }

    /// A block.
    pub fn node(&self, block: BlockId) -> &Node {
        &self.nodes[block]
    }

    /// All blocks, those in a block after it.
    pub(crate) fn nodes(&self) -> &IdVec<BlockId, Node> {
        &self.nodes
    }

    /// An item before which a wait may stand.
    pub fn site(&self, item: ItemId) -> &Site<'c> {
        let site = self.sites[item].as_ref();
        site.unwrap_or_else(|| unreachable!("no wait stands before {item:?}"))
    }

    /// All items before which a wait may stand, in program order.
    pub(crate) fn sites(&self) -> &IdVec<ItemId, Option<Site<'c>>> {
        &self.sites
    }

    /// The loop of an item that is one.
    pub(crate) fn loop_of(&self, item: ItemId) -> &Loop<'c> {
        match &self.program.items[item].kind {
            Kind::For(loop_) => loop_,
            _ => unreachable!("asked of loops only"),
        }
    }

    /// The innermost loop around an item.
    pub(crate) fn base_of(&self, item: ItemId) -> Option<ItemId> {
        self.nodes[self.site(item).block].base
    }

    /// The item of `block` that holds the command.
    pub(crate) fn ancestor(&self, command: CommandId, block: BlockId) -> ItemId {
        self.outer(self.commands[command].item, block)
    }

    /// The item of `block` that holds an item, or is it.
    pub(crate) fn outer(&self, mut item: ItemId, block: BlockId) -> ItemId {
        while self.site(item).block != block {
            item = match self.nodes[self.site(item).block].entry {
                Entry::Body(owner) | Entry::Branch(owner) => owner,
                Entry::Root => unreachable!("the item is in the block"),
            };
        }
        item
    }

    /// The commands before the item at a position of a block.
    pub(crate) fn commands_before(&self, block: BlockId, index: usize) -> Range<CommandId> {
        let node = &self.nodes[block];
        let end = node
            .items
            .get(index)
            .map_or(node.commands.end, |item| self.site(*item).commands.start);
        node.commands.start..end
    }
}
