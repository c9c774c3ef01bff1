//! The task that a workflow is run over: `{{.task.title}}`, or `{{.bead.title}}`.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The fields that every task has, empty where nothing is known.
pub const TASK_FIELDS: &[&str] = &[
    "id",
    "title",
    "body",
    "description",
    "type",
    "status",
    "priority",
    "labels",
    "assignee",
    "design",
    "acceptance_criteria",
    "notes",
];

/// What is to be done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Task(Map<String, Value>);

/// Why something is not a task.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TaskError {
    /// It is neither an object nor something that holds one.
    #[error("expected an object with the fields of a task, such as `title`; found {0}")]
    NoObject(&'static str),
    /// There are several.
    #[error("expected one task, found {0}")]
    NotOne(usize),
    /// The title is missing or no text.
    #[error("the task has no `title`")]
    NoTitle,
}

impl Default for Task {
    fn default() -> Self {
        Self::of(Map::new())
    }
}

impl Task {
    /// Takes a task from what a file or `bd show --json` says: an object, a list of one, or either below `data`.
    pub fn from_value(value: Value) -> Result<Self, TaskError> {
        let wrapped = value.get("schema_version").and(value.get("data")).cloned();
        let value = wrapped.unwrap_or(value);
        let object = match value {
            Value::Array(items) if items.len() != 1 => return Err(TaskError::NotOne(items.len())),
            Value::Array(mut items) => items.pop().unwrap_or_default(),
            Value::Object(_) | Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value,
        };
        let Value::Object(object) = object else { return Err(TaskError::NoObject(kind(&object))) };
        let task = Self::of(object);
        if task.title().trim().is_empty() { Err(TaskError::NoTitle) } else { Ok(task) }
    }

    /// A task of a title and a body.
    #[must_use]
    pub fn new(title: &str, body: &str) -> Self {
        Self::of(Map::from_iter([("title".to_owned(), title.into()), ("body".to_owned(), body.into())]))
    }

    /// Its title.
    #[must_use]
    pub fn title(&self) -> &str {
        self.0.get("title").and_then(Value::as_str).unwrap_or_default()
    }

    /// Its id, where it has one.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        self.0.get("id").and_then(Value::as_str).filter(|id| !id.is_empty())
    }

    /// The names of all its fields.
    pub fn fields(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// As templates see it.
    #[must_use]
    pub fn to_value(&self) -> Value {
        Value::Object(self.0.clone())
    }

    /// Fills in what is missing. `body` and `description` are two words for one thing, and so are `type` and `issue_type`.
    fn of(mut object: Map<String, Value>) -> Self {
        for (one, other) in [("body", "description"), ("type", "issue_type")] {
            for (from, to) in [(one, other), (other, one)] {
                let missing = object.get(to).is_none_or(Value::is_null);
                if let (true, Some(value)) = (missing, object.get(from).cloned()) {
                    object.insert(to.to_owned(), value);
                }
            }
        }
        for name in TASK_FIELDS {
            let empty = if *name == "labels" { Value::Array(vec![]) } else { Value::String(String::new()) };
            let value = object.entry(*name).or_insert(Value::Null);
            if value.is_null() {
                *value = empty;
            }
        }
        Self(object)
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_task_comes_as_an_object_a_list_of_one_or_wrapped() {
        let plain = json!({ "id": "bd-1", "title": "T", "description": "D", "labels": ["x"], "custom": 5 });
        for value in [
            plain.clone(),
            json!([plain]),
            json!({ "schema_version": 1, "data": plain }),
            json!({ "schema_version": 1, "data": [plain] }),
        ] {
            let task = Task::from_value(value).unwrap();
            let seen = task.to_value();
            assert_eq!((task.id(), task.title()), (Some("bd-1"), "T"));
            assert_eq!((&seen["body"], &seen["description"], &seen["custom"]), (&json!("D"), &json!("D"), &json!(5)));
            assert!(TASK_FIELDS.iter().all(|name| !seen[*name].is_null()));
        }
    }

    #[test]
    fn what_is_no_task_is_said_so() {
        assert_eq!(Task::from_value(json!("x")), Err(TaskError::NoObject("a text")));
        assert_eq!(Task::from_value(json!([])), Err(TaskError::NotOne(0)));
        assert_eq!(Task::from_value(json!([{}, {}])), Err(TaskError::NotOne(2)));
        assert_eq!(Task::from_value(json!({ "body": "b" })), Err(TaskError::NoTitle));
        assert_eq!(Task::from_value(json!([5])), Err(TaskError::NoObject("a number")));
    }
}
