//! Events as text for people.

use serde_json::Value;

use super::{Event, EventLine};
use crate::escape::escaped_line;
use crate::plain_text::one_line;
use crate::usage::Usage;

/// How much of a path or a pattern is shown.
const MAX_SUBJECT_CHARS: usize = 70;

/// An event as text; `field` shows a text on one line.
#[must_use]
pub fn event_words(line: &EventLine, field: fn(&str) -> String) -> String {
    let words = words_by_kind(line, field);
    if line.event.parent_tool_id().is_some() { format!("sub-agent: {words}") } else { words }
}

fn words_by_kind(line: &EventLine, field: fn(&str) -> String) -> String {
    let number = |value: &Option<i32>| value.map_or_else(|| "unknown".to_owned(), |value| value.to_string());
    match &line.event {
        Event::StateChange { from: Some(from), to } => format!("{from} → {to}"),
        Event::StateChange { from: None, to } => format!("created as {to}"),
        Event::Attempt { program, pid, .. } => {
            format!("attempt {}: {} started as process {pid}", line.attempt, field(program))
        }
        Event::Exit { exit_code: Some(code), .. } => format!("the process exited with code {code}"),
        Event::Exit { exit_code: None, signal } => format!("the process was ended by signal {}", number(signal)),
        Event::Restart { failures, delay_ms } => format!("crash {failures}; next attempt in {delay_ms} ms"),
        Event::Notice { message } => field(message),
        Event::Error { message } => format!("error: {}", field(message)),
        Event::Completed { state, reason, error, .. } => {
            let error = error.as_deref().map_or_else(String::new, |error| format!(": {error}"));
            field(&format!("the run is {state} ({reason}){error}"))
        }
        Event::Output { text, .. } => one_line(text),
        Event::Thinking { text, .. } => one_line(&format!("thinks: {text}")),
        Event::Plan { .. } => {
            one_line(&format!("plan: {}", line.event.plan_text().unwrap_or_default().replace('\n', "; ")))
        }
        Event::Task { task_id, status, description, .. } => {
            one_line(&format!("background task {task_id} {status}: {description}"))
        }
        Event::RateLimit { .. } => one_line(&rate_limit(&line.event)),
        Event::Compaction { trigger, tokens_before } => {
            let trigger = trigger.as_deref().map_or_else(String::new, |trigger| format!(" ({trigger})"));
            let tokens = tokens_before.map_or_else(String::new, |tokens| format!(" of {tokens} tokens"));
            one_line(&format!("the conversation{tokens} was replaced by a summary{trigger}"))
        }
        Event::ToolUse { tool_name, input, .. } => one_line(&format!("{tool_name} {input}")),
        Event::ToolResult { tool_name, output, success, .. } => {
            let verdict = if *success { "answered" } else { "failed" };
            one_line(&format!("{tool_name} {verdict}: {output}"))
        }
        Event::Usage(Usage { input_tokens, output_tokens, cached_tokens, cost_usd }) => {
            let tokens = |count: &Option<u64>, what: &str| count.map(|count| format!("{count} tokens {what}"));
            let parts = [
                tokens(input_tokens, "read"),
                tokens(cached_tokens, "of them from the cache"),
                tokens(output_tokens, "written"),
                cost_usd.map(|cost| format!("${cost:.4}")),
            ];
            format!("used {}", parts.into_iter().flatten().collect::<Vec<_>>().join(", "))
        }
        Event::Message { text } => one_line(&format!("message: {text}")),
        Event::Activity { activity, because, line: None } => one_line(&format!("{activity}: {because}")),
        Event::Activity { activity, because, line: Some(line) } => {
            one_line(&format!("{activity}: {because} (screen line {line})"))
        }
        Event::Question { question_id, question, .. } => {
            one_line(&format!("asks {question_id}: {} {}", question.title, question.detail))
        }
        Event::Answer { question_id, answer: None, outcome, .. } => one_line(&format!("{question_id}: {outcome}")),
        Event::Answer { question_id, answer: Some(answer), by, outcome, .. } => {
            one_line(&format!("{question_id}: {} ({by}): {outcome}", answer.words()))
        }
        Event::Unknown { text } => one_line(&format!("? {text}")),
        Event::Work(work) => one_line(&work.words()),
    }
}

fn rate_limit(event: &Event) -> String {
    let Event::RateLimit { status, limit, used, resets_at } = event else { return String::new() };
    let parts = [
        limit.clone(),
        used.map(|used| format!("{:.0} % used", used * 100.0)),
        resets_at.map(|at| format!("resets at {at}")),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let parts = if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) };
    format!("usage limit: {status}{parts}")
}

/// What a tool is applied to: the first words of its input, on one line.
#[must_use]
pub fn tool_subject(input: &Value) -> String {
    let words = input.as_object().and_then(|fields| fields.values().find_map(Value::as_str)).unwrap_or_default();
    escaped_line(words).chars().take(MAX_SUBJECT_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PlanStep, StepStatus};

    #[test]
    fn what_agents_tell_besides_words_and_tools_is_one_line() {
        let words = |event: Event| {
            event_words(&EventLine { seq: 1, at: jiff::Timestamp::UNIX_EPOCH, attempt: 1, event }, str::to_owned)
        };
        let parent_tool_id = Some("t1".to_owned());
        let thought = Event::Thinking { text: "hm\u{1b}[2J\nso".to_owned(), parent_tool_id };
        assert_eq!(words(thought), "sub-agent: thinks: hm\\x1b[2J so");
        let steps = vec![PlanStep { text: "look".to_owned(), status: StepStatus::Pending }];
        assert_eq!(words(Event::Plan { steps, text: Some("Because.".to_owned()) }), "plan: Because.; [ ] look");
        let limit = Event::RateLimit {
            status: "rejected".to_owned(),
            limit: Some("five_hour".to_owned()),
            used: Some(1.0),
            resets_at: Some(jiff::Timestamp::UNIX_EPOCH),
        };
        assert_eq!(words(limit), "usage limit: rejected (five_hour, 100 % used, resets at 1970-01-01T00:00:00Z)");
        let compaction = Event::Compaction { trigger: Some("auto".to_owned()), tokens_before: Some(7) };
        assert_eq!(words(compaction), "the conversation of 7 tokens was replaced by a summary (auto)");
        let expired = Event::Answer {
            question_id: "q_01ARZ3NDEKTSV4RRFFQ69G5FAV".parse().unwrap(),
            answer: None,
            by: "nobody".to_owned(),
            outcome: "expired: the run has finished".to_owned(),
            delivered: None,
            answered_from: None,
        };
        assert_eq!(words(expired), "q_01ARZ3NDEKTSV4RRFFQ69G5FAV: expired: the run has finished");
    }
}
