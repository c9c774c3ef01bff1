//! The screen, on a real terminal: what it shows, what its keys do, and how it leaves.

#[cfg(test)]
mod tui {
    mod attention;
    mod fixture;
    mod leaving;
    mod list;
    mod manners;
    mod restarting;
    mod session;
    mod watching;
}
