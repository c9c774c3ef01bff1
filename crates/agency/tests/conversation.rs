//! Agents that ask, are answered, told, interrupted and continued, as a user sees it.

#[cfg(test)]
mod conversation {
    mod answering;
    mod asking;
    mod background;
    mod busy;
    mod checkpoints;
    mod denial_words;
    mod early_answer;
    mod expired;
    mod fixture;
    mod hostile_output;
    mod killed;
    mod limits;
    mod refused;
    mod removing;
    mod resuming;
    mod reviewing;
    mod reviewing_killed;
    mod roundabout_answer;
    mod self_answer;
    mod stress;
    mod talking;
    mod turns;
    mod unknown_screen;
}
