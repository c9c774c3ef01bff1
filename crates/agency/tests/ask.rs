//! Questions about sources: what is asked, who answers, and that nothing stays behind.

#[path = "ask/answering.rs"]
mod answering;
#[path = "ask/cleaning.rs"]
mod cleaning;
#[path = "ask/crowd.rs"]
mod crowd;
#[path = "ask/hostile.rs"]
mod hostile;
#[path = "ask/killed.rs"]
mod killed;
#[path = "ask/library.rs"]
mod library;
#[path = "ask/place.rs"]
mod place;
#[path = "ask/scratch.rs"]
mod scratch;
#[path = "ask/sources.rs"]
mod sources;
#[path = "ask/talking.rs"]
mod talking;
#[path = "ask/template.rs"]
mod template;
