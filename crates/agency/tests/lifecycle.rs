//! The life of a run, from creation to removal, as a user sees it.

mod lifecycle {
    mod create;
}
