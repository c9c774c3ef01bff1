//! Which tool a result belongs to: agents name the tool when they use it, and later only the id of that use.

use std::collections::HashMap;

/// No agent has this many tools at work; what a broken one leaves open must not grow without end.
const MAX_OPEN_TOOLS: usize = 4096;

/// An id and a name that are longer than this together are not remembered.
const MAX_ENTRY_BYTES: usize = 1024;

/// The uses that have no result yet.
#[derive(Debug, Default)]
pub(super) struct Tools {
    open: HashMap<String, String>,
}

impl Tools {
    /// Remembers a use.
    pub(super) fn opened(&mut self, id: &str, name: &str) {
        if id.len() + name.len() > MAX_ENTRY_BYTES {
            return;
        }
        if self.open.len() >= MAX_OPEN_TOOLS {
            self.open.clear();
        }
        self.open.insert(id.to_owned(), name.to_owned());
    }

    /// The name of the tool that answers now, if its use was seen.
    pub(super) fn closed(&mut self, id: &str) -> Option<String> {
        self.open.remove(id)
    }
}
