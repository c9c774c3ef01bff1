//! What agents ask, in front of those who are to answer: followed, walked through, and told by bell, desktop and command.

#[cfg(test)]
mod inbox_view {
    mod callbacks;
    mod fixture;
    mod follow;
    mod notify;
    mod notify_trouble;
    mod walk;
    mod walk_away;
}
