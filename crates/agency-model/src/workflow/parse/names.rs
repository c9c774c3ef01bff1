//! Checks that every name means one thing.

use std::collections::HashMap;

use super::super::reader::{Declared, Named, Notes};
use super::super::{Position, template_name};

/// What templates have beside steps and variables.
pub(crate) const RESERVED: &[&str] =
    &["task", "bead", "previous", "goal", "session", "workflow", "loop_entry", "spell_content"];

/// Records duplicate names and names with another meaning; returns all of them.
pub(super) fn check(notes: &mut Notes<'_, '_>) -> Vec<String> {
    let names = std::mem::take(&mut notes.names);
    let mut first: HashMap<(String, Named), (&str, Position)> = HashMap::new();
    for Declared { name, of } in names.iter().filter(|declared| declared.of != Named::Variable) {
        refuse_reserved(&name.value, name.at, notes);
        let written = (template_name(&name.value), *of);
        let Some((earlier, at)) = first.get(&written) else {
            first.insert(written, (&name.value, name.at));
            continue;
        };
        let alike = if *earlier == name.value {
            String::new()
        } else {
            format!(" as `{earlier}`, which templates write alike")
        };
        notes.note(name.at, format!("duplicate name `{}`: first in line {}{alike}", name.value, at.line));
    }
    // Several steps may write one variable: the last one holds. No step may have its name.
    for Declared { name, .. } in names.iter().filter(|declared| declared.of == Named::Variable) {
        refuse_reserved(&name.value, name.at, notes);
        if let Some((_, at)) = first.get(&(template_name(&name.value), Named::Step)) {
            notes.note(name.at, format!("the variable `{}` has the name of the step in line {}", name.value, at.line));
        }
    }
    names.into_iter().map(|declared| declared.name.value).collect()
}

fn refuse_reserved(name: &str, at: Position, notes: &mut Notes<'_, '_>) {
    if RESERVED.contains(&template_name(name).as_str()) {
        notes.note(at, format!("`{name}` means something else in templates; choose another name"));
    }
}
