//! Our side of a conversation with `codex app-server`: what we ask of Codex, and how far that has come.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::{Opening, line};

/// The state of the requests that were sent.
#[derive(Debug)]
pub(super) struct Client {
    opening: Opening,
    /// How many requests we have made.
    count: u64,
    /// Our requests that have no response yet.
    waiting: BTreeMap<u64, Ours>,
    thread: ThreadState,
    turn: TurnState,
    /// Interrupt the turn as soon as it runs.
    interrupt: bool,
    /// Messages that no turn has taken yet. An interrupt makes Codex drop them.
    untaken: Vec<Sent>,
    /// What the running turn has taken and the model has not begun to answer. Codex keeps it when the turn is
    /// interrupted, but does nothing about it.
    unanswered: Vec<Sent>,
    /// The turn that was interrupted last.
    interrupted: Option<String>,
}

/// Words of the user that were sent.
#[derive(Debug)]
struct Sent {
    /// The request that carried them.
    request: u64,
    texts: Vec<String>,
    /// The turn into which they go; not known before the response.
    turn: Option<String>,
    origin: TextOrigin,
}

/// Why words were sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TextOrigin {
    /// They begin the conversation. An interrupt means them.
    Opening,
    /// The user said them.
    User,
    /// An interrupt came before the answer to them. The next one means them.
    Again,
}

/// What we ask of Codex.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ours {
    Initialize,
    Thread,
    Turn,
    Interrupt,
}

/// The conversation, as Codex keeps it.
#[derive(Debug)]
enum ThreadState {
    /// It is being opened; what the user has said since then is said when it is open.
    Opening(Vec<String>),
    /// It is open and has this id.
    Open(String),
    /// Codex did not open it.
    Refused,
}

/// The turn of our conversation; those of sub-agents are not followed.
#[derive(Debug, PartialEq, Eq)]
enum TurnState {
    Idle,
    /// It was asked for. Codex refuses to interrupt it before it runs.
    Starting,
    /// It runs, and has this id.
    Running(String),
}

impl Client {
    pub(super) fn new(opening: Opening) -> Self {
        let early = opening.prompt.iter().cloned().collect();
        Self {
            opening,
            count: 0,
            waiting: BTreeMap::new(),
            thread: ThreadState::Opening(early),
            turn: TurnState::Idle,
            interrupt: false,
            untaken: vec![],
            unanswered: vec![],
            interrupted: None,
        }
    }

    /// Whether this is the thread of our conversation.
    pub(super) fn is_ours(&self, thread: &str) -> bool {
        matches!(&self.thread, ThreadState::Open(ours) if ours == thread)
    }

    /// What a response answers, if it is one of ours.
    pub(super) fn asked(&self, id: &Value) -> Option<(u64, Ours)> {
        let id = id.as_u64()?;
        Some((id, *self.waiting.get(&id)?))
    }

    /// A response was understood.
    pub(super) fn answered(&mut self, id: u64) {
        self.waiting.remove(&id);
    }

    /// The first words.
    pub(super) fn initialize(&mut self) -> Vec<u8> {
        let version = env!("CARGO_PKG_VERSION");
        let client = json!({ "name": "agency", "title": "agency", "version": version });
        let capabilities = json!({ "experimentalApi": true });
        self.ask(Ours::Initialize, "initialize", &json!({ "clientInfo": client, "capabilities": capabilities }))
    }

    /// Begins the conversation. What Codex may do comes from its command line and its configuration.
    pub(super) fn initialized(&mut self) -> Vec<u8> {
        let mut lines = line(&json!({ "method": "initialized" }));
        let cwd = self.opening.directory.to_string_lossy().into_owned();
        lines.extend(match self.opening.resume.clone() {
            // What was said before is known.
            Some(thread) => {
                let params = json!({ "threadId": thread, "cwd": cwd, "excludeTurns": true });
                self.ask(Ours::Thread, "thread/resume", &params)
            }
            None => self.ask(Ours::Thread, "thread/start", &json!({ "cwd": cwd })),
        });
        lines
    }

    /// The conversation is open. What the user said until now, if anything.
    pub(super) fn opened(&mut self, thread: &str) -> Option<Vec<u8>> {
        let before = std::mem::replace(&mut self.thread, ThreadState::Open(thread.to_owned()));
        match before {
            ThreadState::Opening(early) if !early.is_empty() => Some(self.send(thread, &early, TextOrigin::Opening)),
            ThreadState::Opening(_) | ThreadState::Open(_) | ThreadState::Refused => None,
        }
    }

    /// A request of ours was refused. Whether this leaves us without a turn.
    pub(super) fn refused(&mut self, ours: Ours) -> bool {
        match ours {
            Ours::Initialize | Ours::Thread => self.thread = ThreadState::Refused,
            Ours::Turn => {}
            Ours::Interrupt => return false,
        }
        if let TurnState::Running(_) = self.turn {
            return false;
        }
        self.ended();
        true
    }

    /// A turn of our conversation runs. Gives the request that interrupts it, if one was asked for.
    pub(super) fn runs(&mut self, turn: String) -> Option<Vec<u8>> {
        self.turn = TurnState::Running(turn);
        self.unanswered.clear();
        std::mem::take(&mut self.interrupt).then(|| self.interrupt())
    }

    /// The turn is over.
    pub(super) fn ended(&mut self) {
        self.turn = TurnState::Idle;
        self.interrupt = false;
    }

    /// The bytes of a message of the user; none if the thread was refused.
    pub(super) fn message(&mut self, text: &str) -> Option<Vec<u8>> {
        match &mut self.thread {
            ThreadState::Opening(early) => {
                early.push(text.to_owned());
                Some(vec![])
            }
            ThreadState::Open(thread) => {
                let thread = thread.clone();
                Some(self.say(&thread, &[text.to_owned()]))
            }
            ThreadState::Refused => None,
        }
    }

    /// Says something to a thread. In a running turn, Codex takes it as a part of the turn; `turn/steer` does the same,
    /// but loses the words if the turn ends at that moment.
    pub(super) fn say(&mut self, thread: &str, texts: &[String]) -> Vec<u8> {
        self.send(thread, texts, TextOrigin::User)
    }

    fn send(&mut self, thread: &str, texts: &[String], origin: TextOrigin) -> Vec<u8> {
        if self.is_ours(thread) && self.turn == TurnState::Idle {
            self.turn = TurnState::Starting;
        }
        let input: Vec<Value> = texts.iter().map(|text| json!({ "type": "text", "text": text })).collect();
        if self.is_ours(thread) {
            self.untaken.push(Sent { request: self.count + 1, texts: texts.to_vec(), turn: None, origin });
        }
        self.ask(Ours::Turn, "turn/start", &json!({ "threadId": thread, "input": input }))
    }

    /// Words that were sent go into this turn. If it is over already, they are said again.
    pub(super) fn joined(&mut self, request: u64, turn: Option<String>) -> Option<Vec<u8>> {
        self.untaken.iter_mut().find(|sent| sent.request == request)?.turn = turn;
        let interrupted = self.interrupted.clone()?;
        self.untaken(interrupted)
    }

    /// Words that were sent were refused.
    pub(super) fn forget(&mut self, request: u64) {
        self.untaken.retain(|sent| sent.request != request);
    }

    /// A turn has taken these words.
    pub(super) fn taken(&mut self, texts: &[&str]) {
        let is_taken = |sent: &Sent| sent.texts.iter().all(|text| texts.contains(&text.as_str()));
        if let Some(index) = self.untaken.iter().position(is_taken) {
            let sent = self.untaken.remove(index);
            if sent.origin == TextOrigin::User {
                self.unanswered.push(sent);
            }
        }
    }

    /// The model does something: it has what the turn has taken.
    pub(super) fn answers(&mut self) {
        self.unanswered.clear();
    }

    /// A turn was interrupted: says again, in a turn of its own, what it had not taken or not begun to answer.
    pub(super) fn untaken(&mut self, interrupted: String) -> Option<Vec<u8>> {
        let (lost, rest): (Vec<Sent>, Vec<Sent>) =
            std::mem::take(&mut self.untaken).into_iter().partition(|sent| sent.turn.as_ref() == Some(&interrupted));
        self.untaken = rest;
        self.interrupted = Some(interrupted);
        let unanswered = std::mem::take(&mut self.unanswered);
        let texts: Vec<String> = unanswered.into_iter().chain(lost).flat_map(|sent| sent.texts).collect();
        match &self.thread {
            ThreadState::Open(thread) if !texts.is_empty() => {
                let thread = thread.clone();
                Some(self.send(&thread, &texts, TextOrigin::Again))
            }
            ThreadState::Open(_) | ThreadState::Opening(_) | ThreadState::Refused => None,
        }
    }

    /// Interrupts the turn. Where there is none, nothing is said: Codex would never answer.
    pub(super) fn interrupt(&mut self) -> Vec<u8> {
        match (&self.thread, &self.turn) {
            (ThreadState::Open(thread), TurnState::Running(turn)) => {
                let params = json!({ "threadId": thread, "turnId": turn });
                self.ask(Ours::Interrupt, "turn/interrupt", &params)
            }
            (ThreadState::Opening(early), _) => {
                self.interrupt = !early.is_empty();
                vec![]
            }
            (ThreadState::Open(_) | ThreadState::Refused, turn) => {
                self.interrupt = *turn == TurnState::Starting;
                vec![]
            }
        }
    }

    fn ask(&mut self, what: Ours, method: &str, params: &Value) -> Vec<u8> {
        self.count += 1;
        self.waiting.insert(self.count, what);
        line(&json!({ "id": self.count, "method": method, "params": params }))
    }
}
