//! Agents that speak Claude Code's stream-json protocol in both directions, as shell scripts.
//!
//! The one rule: such an agent writes everything it reads to `heard.ndjson` of its run before it acts on it.

use crate::Agent;

/// What all of them can do. As Claude Code, they report which messages are part of a turn, unless `reports_messages` is
/// empty, and a turn may be about several. Requests are named `ask-1`, `ask-2`, …; the conversation is named after the run.
const WORDS: &str = r#"heard="$AGENCY_RUN_DIR/heard.ndjson"
say() { printf '%s\n' "$1"; }
tell() { say '{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"'"$1"'"}]}}'; }
ask() { say '{"type":"control_request","request_id":"'"$1"'","request":{"subtype":"can_use_tool","tool_name":"'"$2"'","input":'"$3"'}}'; }
permission() { ask "ask-$1" Bash '{"command":"touch file-'"$1"'","description":"Make a file"}'; }
withdraw() { say '{"type":"control_cancel_request","request_id":"'"$1"'"}'; }
finish() { say '{"type":"result","subtype":"success","is_error":false,"result":"'"$1"'"}'; }
background() { say '{"type":"system","subtype":"background_tasks_changed","tasks":['"$1"']}'; }
begin_turn() { say '{"type":"system","subtype":"init","session_id":"conversation-of-'"$AGENCY_RUN_ID"'"}'; }
give_up() { say '{"type":"result","subtype":"error_during_execution","is_error":true,"errors":["interrupted"]}'; }
hear() { IFS= read -r line || exit 0; printf '%s\n' "$line" >>"$heard"; take_message; }
reports_messages=yes
take_message() {
  case $reports_messages$line in yes*'"type":"user","uuid":'*) ;; *) return 0 ;; esac
  id=${line#*'"uuid":"'}; id=${id%%'"'*}
  say '{"type":"command_lifecycle","command_uuid":"'"$id"'","state":"started"}'
}
is() { case $line in *"$1"*) true ;; *) false ;; esac; }
hear_reply() { until hear && is '"request_id":"'"$1"'"'; do :; done; }
hear_any_reply() { until hear && is '"type":"control_response"'; do :; done; }
hear_message() { until hear && is '"type":"user"'; do :; done; }
message() { words=${line#*'"content":"'} end='"}}'; printf '%s' "${words%"$end"}"; }
hear_the_end() { while hear; do :; done; }
begin_turn
"#;

/// Asks the user something with two parts: one of two, and any of two or own words.
const QUESTIONS: &str = r#"{"questions":[{"question":"Which database should we use?","header":"Database","multiSelect":false,"options":[{"label":"SQLite","description":"Embedded"},{"label":"Postgres","description":"Server"}]},{"question":"Which extras?","header":"Extras","multiSelect":true,"options":[{"label":"Auth","description":"Login"},{"label":"Cache","description":"Redis"}]}]}"#;

/// An agent of the protocol that runs this `sh` script, with the words of this module.
pub fn speaking(script: &str) -> Agent {
    let agent = Agent::new(format!("{WORDS}{script}")).prompt("protocol").stream("claude");
    agent.resume(&["--resume", "{session}"])
}

/// Asks for so many permissions, one after the other, and ends its turn.
pub fn asking(count: u32) -> Agent {
    speaking(&format!(
        "hear_message\nnumber=1\nwhile [ $number -le {count} ]; do\n  permission $number\n  hear_reply ask-$number\n  \
         number=$((number + 1))\ndone\nfinish done\nhear_the_end"
    ))
}

/// Asks for two permissions at once, waits for both answers and ends its turn.
pub fn asking_two_at_once() -> Agent {
    speaking("hear_message\npermission 1\npermission 2\nhear_any_reply\nhear_any_reply\nfinish done\nhear_the_end")
}

/// Asks one thing with two parts, `ask-1`: a database of two, and any extras of two. Then it ends its turn.
pub fn choosing() -> Agent {
    let ask = format!("ask ask-1 AskUserQuestion '{QUESTIONS}'");
    speaking(&format!("hear_message\n{ask}\nhear_reply ask-1\nfinish chosen\nhear_the_end"))
}

/// Echoes each message. The first one, its prompt, keeps it busy until the second comes; every further one ends a turn.
pub fn echoing() -> Agent {
    speaking(
        "tell \"started with: $*\"\nhear_message\ntell \"heard: $(message)\"\nwhile hear_message; do\n  \
         tell \"heard: $(message)\"\n  finish \"$(message)\"\ndone",
    )
}

/// Ends its turn at once, and leaves a file in its workspace.
pub fn brief() -> Agent {
    speaking("hear_message\nprintf '%s\\n' \"$*\" >>arguments.txt\nfinish \"$(message)\"\nhear_the_end")
}

/// Asks for a permission. Interrupted, it withdraws what it asks and gives up its turn; the next message ends a turn.
pub fn interruptible() -> Agent {
    speaking(
        "hear_message\npermission 1\nwhile hear; do\n  if is '\"subtype\":\"interrupt\"'; then\n    \
         withdraw ask-1\n    say '{\"type\":\"control_response\",\"response\":{\"subtype\":\"success\",\"request_id\":\"agency-1\"}}'\n    \
         give_up\n  elif is '\"type\":\"user\"'; then\n    tell \"heard: $(message)\"\n    finish \"$(message)\"\n  \
         fi\ndone",
    )
}

/// Asks for a permission, and withdraws it as soon as [`World::release`](crate::World::release) says so.
pub fn withdrawing() -> Agent {
    speaking(
        "hear_message\npermission 1\nuntil [ -e \"$0.release\" ]; do sleep 0.01; done\nwithdraw ask-1\nhear_the_end",
    )
}

/// Asks for a permission and crashes at the first attempt; asks for the same at the second, and ends its turn.
pub fn crashing_once() -> Agent {
    speaking(
        "hear_message\npermission 1\nif [ ! -e \"$0.crashed\" ]; then\n  \
         until [ -e \"$0.release\" ]; do sleep 0.01; done\n  : >\"$0.crashed\"\n  exit 7\nfi\n\
         hear_reply ask-1\nfinish done\nhear_the_end",
    )
}

/// Echoes each message and ends a turn with it; before the first, it says how it was started. A message that holds
/// `crash` lets it crash.
pub fn staying() -> Agent {
    speaking(
        "words=$*\nwhile hear_message; do\n  if [ \"$words\" != said ]; then tell \"started with: $words\"; words=said; fi\n  \
         tell \"heard: $(message)\"\n  if is crash && ! is unexpectedly; then exit 7; fi\n  finish \"$(message)\"\ndone",
    )
}

/// Takes its prompt and never says a word.
pub fn silent() -> Agent {
    speaking("hear_the_end")
}

/// What agents of the Agent Client Protocol can do.
const PROTOCOL: &str = r#"heard="$AGENCY_RUN_DIR/heard.ndjson"
say() { printf '%s\n' "$1"; }
hear() { IFS= read -r line || exit 0; printf '%s\n' "$line" >>"$heard"; }
id() { number=${line#*'"id":'}; number=${number%%[,\}]*}; }
reply() { say '{"jsonrpc":"2.0","id":'"$number"',"result":'"$1"'}'; }
call='{"toolCallId":"t1","title":"touch made.txt","kind":"execute"}'
options='[{"optionId":"yes","name":"Yes","kind":"allow_once"},{"optionId":"no","name":"No","kind":"reject_once"}]'
ask() { say '{"jsonrpc":"2.0","id":"p1","method":"session/request_permission","params":{"sessionId":"s1","toolCall":'"$call"',"options":'"$options"'}}'; }
"#;

/// Asks for a permission in the first turn of the first process.
const ASKING: &str =
    r#"if [ -z "$turn" ] && [ ! -e "$0.crashed" ]; then turn=$number; ask; else reply '{"stopReason":"end_turn"}'; fi"#;

/// An agent of the Agent Client Protocol: what it does with a prompt, and with the answer to what it asks.
fn by_protocol(prompted: &str, answered: &str) -> Agent {
    let script = format!(
        "{PROTOCOL}turn=\nwhile hear; do\n  id\n  case $line in\n    \
         *'\"method\":\"initialize\"'*) reply '{{\"protocolVersion\":1,\"agentCapabilities\":{{\"loadSession\":true}}}}' ;;\n    \
         *'\"method\":\"session/new\"'*) reply '{{\"sessionId\":\"s1\"}}' ;;\n    \
         *'\"method\":\"session/prompt\"'*) {prompted} ;;\n    \
         *'\"method\"'*) reply '{{}}' ;;\n    *) {answered} ;;\n  esac\ndone"
    );
    Agent::new(script).prompt("protocol").stream("acp")
}

/// Speaks the Agent Client Protocol. It asks for a permission in its first turn, of which it tells only a title, and ends
/// the turn when it is answered. Every further prompt is a turn.
pub fn asking_by_protocol() -> Agent {
    by_protocol(ASKING, "number=$turn; reply '{\"stopReason\":\"end_turn\"}'")
}

/// Speaks the Agent Client Protocol. It says nothing in a turn, which ends with [`World::release`](crate::World::release).
pub fn thinking_by_protocol() -> Agent {
    let silence = "until [ -e \"$0.release\" ]; do sleep 0.01; done; reply '{\"stopReason\":\"end_turn\"}'";
    by_protocol(silence, ":")
}

/// The same as the one that asks, but it crashes when it is answered. The next process asks nothing.
pub fn asking_by_protocol_and_crashing() -> Agent {
    by_protocol(ASKING, ": >\"$0.crashed\"; exit 7")
}
