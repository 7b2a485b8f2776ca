//! Programs as a text, and whether each name in one means something where it is used.

use std::collections::BTreeSet;
use std::fmt;

use super::{Access, Affine, Compare, Cond, Expr, Kind, Memory, Name, Program, Stmt, Var};

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let memory = |(at, memory): (usize, &Memory)| match memory {
            Memory::Allocation => format!("alloc m{at}"),
            Memory::Window(first) => format!("alloc m{at} at {first}"),
            Memory::NoAlias => format!("noalias m{at}"),
            Memory::Argument => format!("argument m{at}"),
        };
        let buffers: Vec<String> = self.buffers.iter().enumerate().map(memory).collect();
        writeln!(
            f,
            "{}{:?} {} numbers {} flags [{}]",
            if self.is_private { "private " } else { "" },
            self.machine,
            self.numbers,
            self.flags,
            buffers.join(", ")
        )?;
        block(f, &self.body, 1)
    }
}

fn block(f: &mut fmt::Formatter<'_>, stmts: &[Stmt], depth: usize) -> fmt::Result {
    stmts.iter().try_for_each(|stmt| print(f, stmt, depth))
}

fn print(f: &mut fmt::Formatter<'_>, stmt: &Stmt, depth: usize) -> fmt::Result {
    write!(f, "{:4} {:width$}", stmt.at, "", width = 2 * depth)?;
    let all = |accesses: &[Access]| accesses.iter().map(Access::to_string).collect::<Vec<_>>().join(", ");
    match &stmt.kind {
        Kind::Start {
            engine,
            token,
            id,
            accesses,
        } => {
            let id = id.map_or_else(String::new, |id| format!(" id(v{id})"));
            writeln!(f, "v{token} = start e{engine}{id} {}", all(accesses))
        }
        Kind::Sync { engine, accesses } => writeln!(f, "sync e{engine} {}", all(accesses)),
        Kind::Touch(access) => writeln!(f, "touch {access}"),
        Kind::Wait(token) => writeln!(f, "wait v{token}"),
        Kind::WaitId(id) => writeln!(f, "wait id v{id}"),
        Kind::Fence(engines) => writeln!(f, "fence {engines:?}"),
        Kind::Null(name, engine) => writeln!(f, "v{name} = null e{engine}"),
        Kind::Select { result, cond, yes, no } => writeln!(f, "v{result} = {cond} ? v{yes} : v{no}"),
        Kind::Flag(name, cond) => writeln!(f, "v{name} = {cond}"),
        Kind::Number(name, expr) => writeln!(f, "v{name} = {expr}"),
        Kind::For(loop_) => {
            let carried = loop_.carried.iter().map(|each| {
                let super::Carried {
                    inside,
                    first,
                    next,
                    result,
                } = each;
                format!(" v{result} = (v{inside}: v{first}, then v{next})")
            });
            let carried: String = carried.collect();
            writeln!(
                f,
                "for i{} = {} to {} step {}{carried}",
                loop_.name, loop_.lower, loop_.upper, loop_.step
            )?;
            block(f, &loop_.body, depth + 1)
        }
        Kind::If(branch) => {
            let results = branch
                .results
                .iter()
                .map(|(to, yes, no)| format!(" v{to} = v{yes} or v{no}"));
            let results: String = results.collect();
            writeln!(f, "if {}{results}", branch.cond)?;
            block(f, &branch.then, depth + 1)?;
            if branch.otherwise.is_empty() {
                return Ok(());
            }
            writeln!(f, "     {:width$}else", "", width = 2 * depth)?;
            block(f, &branch.otherwise, depth + 1)
        }
    }
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = if self.write { "write" } else { "read" };
        write!(f, "{verb} m{}[{}; {}]", self.buffer, self.offset, self.span)
    }
}

impl fmt::Display for Affine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.constant)?;
        for (var, coefficient) in &self.terms {
            match var {
                Var::Argument(at) => write!(f, " + {coefficient}*n{at}")?,
                Var::Induction(name) => write!(f, " + {coefficient}*i{name}")?,
            }
        }
        Ok(())
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.rest)?;
        match &self.ring {
            Some(ring) => write!(f, " + {}*(({}) mod {})", ring.factor, ring.dividend, ring.modulus),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Cond {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(name) => write!(f, "v{name}"),
            Self::Argument(at) => write!(f, "flag{at}"),
            Self::Compare(compare, left, right) => {
                let sign = match compare {
                    Compare::Equal => "==",
                    Compare::Unequal => "!=",
                    Compare::Less => "<",
                    Compare::LessOrEqual => "<=",
                    Compare::Greater => ">",
                    Compare::GreaterOrEqual => ">=",
                };
                write!(f, "{left} {sign} {right}")
            }
            Self::IsThere(name) => write!(f, "v{name} >= 0"),
            Self::And(left, right) => write!(f, "({left}) and ({right})"),
            Self::Or(left, right) => write!(f, "({left}) or ({right})"),
            Self::Not(cond) => write!(f, "not ({cond})"),
        }
    }
}

/// Whether each name in a program means something where it is used.
pub(crate) fn is_in_scope(program: &Program) -> bool {
    let mut scope = Scope {
        names: BTreeSet::new(),
        is_fine: true,
    };
    scope.block(&program.body);
    scope.is_fine
}

struct Scope {
    names: BTreeSet<Name>,
    is_fine: bool,
}

impl Scope {
    fn uses(&mut self, name: Name) {
        self.is_fine &= self.names.contains(&name);
    }

    fn affine(&mut self, affine: &Affine) {
        for (var, _) in &affine.terms {
            if let Var::Induction(name) = var {
                self.uses(*name);
            }
        }
    }

    fn expr(&mut self, expr: &Expr) {
        self.affine(&expr.rest);
        expr.ring.iter().for_each(|ring| self.affine(&ring.dividend));
    }

    fn cond(&mut self, cond: &Cond) {
        match cond {
            Cond::Flag(name) | Cond::IsThere(name) => self.uses(*name),
            Cond::Argument(_) => {}
            Cond::Compare(_, left, right) => {
                self.affine(left);
                self.affine(right);
            }
            Cond::And(left, right) | Cond::Or(left, right) => {
                self.cond(left);
                self.cond(right);
            }
            Cond::Not(cond) => self.cond(cond),
        }
    }

    /// Names of a block mean nothing after it, apart from those that it hands on.
    fn block(&mut self, block: &[Stmt]) {
        block.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            Kind::Start {
                token, id, accesses, ..
            } => {
                id.iter().for_each(|id| self.uses(*id));
                accesses.iter().for_each(|access| self.expr(&access.offset));
                self.names.insert(*token);
            }
            Kind::Sync { accesses, .. } => accesses.iter().for_each(|access| self.expr(&access.offset)),
            Kind::Touch(access) => self.expr(&access.offset),
            Kind::Wait(name) | Kind::WaitId(name) => self.uses(*name),
            Kind::Fence(_) => {}
            Kind::Null(name, _) => {
                self.names.insert(*name);
            }
            Kind::Select { result, cond, yes, no } => {
                self.cond(cond);
                self.uses(*yes);
                self.uses(*no);
                self.names.insert(*result);
            }
            Kind::Flag(name, cond) => {
                self.cond(cond);
                self.names.insert(*name);
            }
            Kind::Number(name, expr) => {
                self.expr(expr);
                self.names.insert(*name);
            }
            Kind::For(loop_) => {
                self.affine(&loop_.upper);
                loop_.carried.iter().for_each(|each| self.uses(each.first));
                let outside = self.names.clone();
                self.names.insert(loop_.name);
                self.names.extend(loop_.carried.iter().map(|each| each.inside));
                self.block(&loop_.body);
                loop_.carried.iter().for_each(|each| self.uses(each.next));
                self.names = outside;
                self.names.extend(loop_.carried.iter().map(|each| each.result));
            }
            Kind::If(branch) => {
                self.cond(&branch.cond);
                let outside = self.names.clone();
                self.block(&branch.then);
                branch.results.iter().for_each(|(_, yes, _)| self.uses(*yes));
                self.names = outside.clone();
                self.block(&branch.otherwise);
                branch.results.iter().for_each(|(.., no)| self.uses(*no));
                self.names = outside;
                self.names.extend(branch.results.iter().map(|(result, ..)| *result));
            }
        }
    }
}
