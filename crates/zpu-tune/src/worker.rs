//! A session for each thread. Contexts of MLIR keep all types that were ever made in them, so a session is renewed
//! after some uses.

use std::cell::RefCell;

use zpu_driver::Session;

/// Programs for which a session is used.
const USES: usize = 200;

thread_local! {
    static SESSION: RefCell<Option<(Session, usize)>> = const { RefCell::new(None) };
}

/// Does `work` with the session of this thread.
pub(crate) fn with_session<T>(work: impl FnOnce(&Session) -> T) -> T {
    // Taken out, so that work that steals other work from the pool finds none in use.
    let (session, uses) = SESSION.take().filter(|(_, uses)| *uses < USES).unwrap_or_default();
    let done = work(&session);
    SESSION.set(Some((session, uses + 1)));
    done
}
