//! What a person sees of every command: its success and its most likely errors, as transcripts.

mod transcripts {
    mod agents;
    mod console;
    mod conversation;
    mod coverage;
    mod ending;
    mod reading;
    mod setup;
    mod sources;
    mod starting;
    mod upkeep;
    mod workflows;

    use console::{Console, sees};
}
