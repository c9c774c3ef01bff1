//! Questions about sources: what is asked, who answers, and that nothing stays behind.

#[cfg(test)]
mod ask {
    mod answering;
    mod cleaning;
    mod crowd;
    mod fixture;
    mod hostile;
    #[cfg(feature = "fault-points")]
    mod killed;
    mod library;
    mod scratch;
    mod slow_server;
    mod sources;
    mod talking;
    mod template;
}
