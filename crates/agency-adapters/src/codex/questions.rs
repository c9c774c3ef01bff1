//! What `codex app-server` asks, as a user reads it.

use agency_model::{Question, QuestionKey, QuestionKind, QuestionOption, ToolRequest};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::open_tools::OpenTools;
use crate::json_lines::NotUnderstood;
use crate::question_text::{command_detail, first_line};

/// What a request of Codex comes to.
pub(super) struct Asking {
    pub(super) thread: String,
    pub(super) wanted: Wanted,
    pub(super) questions: Vec<Question>,
}

/// What kind of answer Codex waits for.
#[derive(Debug)]
pub(super) enum Wanted {
    /// May a command run, or a change be made?
    Decision,
    /// May a tool of an MCP server be used?
    Action,
    /// The answers to some questions, by Codex' id of each.
    Input(Vec<(String, Option<Vec<String>>)>),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CommandApproval {
    thread_id: String,
    reason: Option<String>,
    command: Option<String>,
    cwd: Option<String>,
    network_approval_context: Option<Value>,
    additional_permissions: Option<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FileApproval {
    thread_id: String,
    item_id: String,
    reason: Option<String>,
    grant_root: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Elicitation {
    thread_id: String,
    server_name: String,
    message: String,
    #[serde(rename = "_meta")]
    about: About,
}

#[derive(Deserialize)]
struct About {
    codex_approval_kind: String,
    tool_params: Option<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct UserInput {
    thread_id: String,
    questions: Vec<Asked>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Asked {
    id: String,
    header: Option<String>,
    question: String,
    /// Whether an answer beside the options is possible.
    is_other: Option<bool>,
    options: Option<Vec<Offered>>,
}

#[derive(Deserialize)]
struct Offered {
    label: String,
    description: Option<String>,
}

impl Asking {
    /// Reads a request; an error if agency cannot answer it.
    pub(super) fn read(id: &str, method: &str, params: &str, open_tools: &OpenTools) -> Result<Self, NotUnderstood> {
        let (thread, wanted, questions) = match method {
            "item/commandExecution/requestApproval" => {
                let asked: CommandApproval = serde_json::from_str(params)?;
                let question = asked.question(QuestionKey::whole(id));
                (asked.thread_id, Wanted::Decision, vec![question])
            }
            "item/fileChange/requestApproval" => {
                let asked: FileApproval = serde_json::from_str(params)?;
                let question = asked.question(QuestionKey::whole(id), open_tools);
                (asked.thread_id, Wanted::Decision, vec![question])
            }
            "mcpServer/elicitation/request" => {
                let asked: Elicitation = serde_json::from_str(params)?;
                // An MCP server may also want a form to be filled in.
                if asked.about.codex_approval_kind != "mcp_tool_call" {
                    return Err(NotUnderstood);
                }
                let question = asked.question(QuestionKey::whole(id), open_tools);
                (asked.thread_id, Wanted::Action, vec![question])
            }
            "item/tool/requestUserInput" => {
                let UserInput { thread_id, questions } = serde_json::from_str(params)?;
                if questions.is_empty() {
                    return Err(NotUnderstood);
                }
                let wanted = questions.iter().map(|asked| (asked.id.clone(), None)).collect();
                let asked = questions.into_iter().enumerate();
                let questions = asked.map(|(index, asked)| asked.question(QuestionKey::part(id, index))).collect();
                (thread_id, Wanted::Input(wanted), questions)
            }
            _ => return Err(NotUnderstood),
        };
        Ok(Self { thread, wanted, questions })
    }
}

impl CommandApproval {
    fn question(&self, key: QuestionKey) -> Question {
        let Self { reason, command, cwd, network_approval_context: network, additional_permissions, .. } = self;
        let mut input = Map::from_iter([
            ("command".to_owned(), Value::from(command.as_deref())),
            ("cwd".to_owned(), Value::from(cwd.as_deref())),
        ]);
        let mut detail: Vec<String> = command.iter().cloned().collect();
        detail.extend(cwd.as_ref().map(|cwd| format!("in {cwd}")));
        for (name, more) in [("network", network), ("permissions", additional_permissions)] {
            if let Some(more) = more {
                detail.push(format!("{name}: {more}"));
                input.insert(name.to_owned(), more.clone());
            }
        }
        let title = reason.as_deref().or(command.as_deref()).unwrap_or("run a command");
        permission(key, first_line(title), detail.join("\n"), "command_execution".to_owned(), Value::Object(input))
    }
}

impl FileApproval {
    fn question(&self, key: QuestionKey, open_tools: &OpenTools) -> Question {
        let changes = open_tools.changes(&self.item_id);
        let mut detail = changes.map_or_else(|| "Codex did not report the change.".to_owned(), diff);
        if let Some(root) = &self.grant_root {
            detail.push_str(&format!("\nand more writes below {root}"));
        }
        let paths = || changes?.as_array()?.iter().map(|change| change.get("path")?.as_str()).collect();
        let paths: Option<Vec<&str>> = paths();
        let title = match (&self.reason, paths) {
            (Some(reason), _) => first_line(reason),
            (None, Some(paths)) => first_line(&format!("change {}", paths.join(", "))),
            (None, None) => "change files".to_owned(),
        };
        // A root alone would look as if all paths were listed.
        let input = match (changes, &self.grant_root) {
            (Some(changes), Some(root)) => json!({ "changes": changes, "grant_root": root }),
            (_, _) => json!({ "changes": changes }),
        };
        permission(key, title, detail, "file_change".to_owned(), input)
    }
}

impl Elicitation {
    fn question(&self, key: QuestionKey, open_tools: &OpenTools) -> Question {
        let input = self.about.tool_params.clone().unwrap_or_default();
        let name = open_tools.mcp_tool(&self.server_name, &input).unwrap_or(&self.server_name).to_owned();
        permission(key, first_line(&self.message), command_detail(&input), name, input)
    }
}

impl Asked {
    fn question(self, key: QuestionKey) -> Question {
        let option = |Offered { label, description }| QuestionOption { id: label.clone(), label, description };
        let options: Vec<QuestionOption> = self.options.into_iter().flatten().map(option).collect();
        Question {
            key,
            kind: QuestionKind::Question,
            title: self.header.unwrap_or_else(|| first_line(&self.question)),
            detail: self.question,
            only_on_screen: false,
            free_text: self.is_other == Some(true) || options.is_empty(),
            options,
            several: false,
            tool: None,
        }
    }
}

fn permission(key: QuestionKey, title: String, detail: String, name: String, input: Value) -> Question {
    let kind = QuestionKind::Permission;
    let tool = Some(ToolRequest::new(name, input));
    Question {
        key,
        kind,
        title,
        detail,
        options: vec![],
        several: false,
        free_text: false,
        only_on_screen: false,
        tool,
    }
}

/// All changes of a patch. Codex gives a new or deleted file by its content, and only another by a diff.
fn diff(changes: &Value) -> String {
    let change = |change: &Value| {
        let text = |name: &str| change.get(name).and_then(Value::as_str);
        let kind = |name: &str| change.get("kind")?.get(name)?.as_str();
        let (path, diff) = (text("path")?, text("diff")?);
        let marked = |mark: char| diff.lines().map(|line| format!("{mark}{line}\n")).collect::<String>();
        Some(match (kind("type"), kind("move_path")) {
            (Some("add"), _) => format!("add {path}\n{}", marked('+')),
            (Some("delete"), _) => format!("delete {path}\n{}", marked('-')),
            (_, Some(new)) => format!("{path} -> {new}\n{diff}"),
            (_, None) => format!("{path}\n{diff}"),
        })
    };
    let changes = changes.as_array().map(Vec::as_slice).unwrap_or_default().iter();
    changes.map(|told| change(told).unwrap_or_else(|| told.to_string())).collect::<Vec<_>>().join("\n")
}
