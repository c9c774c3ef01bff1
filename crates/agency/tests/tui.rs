//! The screen, on a real terminal: what it shows, what its keys do, and how it leaves.

#[cfg(test)]
mod tui {
    mod leaving;
    mod list;
    mod manners;
    mod place;
    mod session;
    mod watching;
}
