//! Renders a template.

use std::fmt::{self, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use gotmpl::parse::ListNode;
use gotmpl::{MissingKey, Value};

use super::{Spellbook, Template, TemplateValues, functions, guard, optional, single, values};
use crate::document::Mistake;
use crate::{Position, nearest};

/// The longest text that comes out of a template.
pub const MAX_RENDERED_BYTES: usize = 4 * 1024 * 1024;
/// How many spells may include each other.
pub const MAX_INCLUDE_DEPTH: usize = 16;
/// How many spells may be included in all.
const MAX_INCLUDES: usize = 1000;
/// How often `range` may repeat in all.
const MAX_ROUNDS: u64 = 100_000;
/// The name of the outermost list; templates cannot write it.
const ROOT: &str = "\u{1}root";

/// What all templates of one rendering share.
#[derive(Clone)]
struct RenderState {
    context: TemplateValues,
    spells: Arc<Spellbook>,
    /// The spells that are being included, the outermost first.
    chain: Vec<String>,
    /// How many more spells may be included.
    includes: Arc<AtomicUsize>,
    /// What is wrong in an included spell, whose place is more precise than that of the include.
    inner: Arc<Mutex<Option<Mistake>>>,
}

impl RenderState {
    fn new(context: &TemplateValues, spells: &Arc<Spellbook>) -> Self {
        Self {
            context: context.clone(),
            spells: Arc::clone(spells),
            chain: vec![],
            includes: Arc::new(AtomicUsize::new(MAX_INCLUDES)),
            inner: Arc::new(Mutex::new(None)),
        }
    }
}

impl Template {
    /// Renders it with the values of a context; `include` finds its spells in the book.
    pub fn render(&self, context: &TemplateValues, spells: &Arc<Spellbook>) -> Result<String, Mistake> {
        self.render_in(&context.0, &RenderState::new(context, spells))
    }

    /// Renders it as a value: a template that is exactly one action gives what the action gives, be it an object, a list,
    /// a number or a truth value. Every other template gives its text.
    pub fn render_value(
        &self,
        context: &TemplateValues,
        spells: &Arc<Spellbook>,
    ) -> Result<serde_json::Value, Mistake> {
        let found = Arc::new(Mutex::new(None));
        if let Some(mut tree) = single::handing_over(&self.tree) {
            optional::rewrite(&mut tree);
            let (ready, taken) = (self.ready(&RenderState::new(context, spells)), Arc::clone(&found));
            let ready = move || ready().func(single::HAND_OVER, single::keeping(Arc::clone(&taken)));
            // Rendering the text reports what is wrong.
            let _ = run(&ready, tree, &context.0);
        }
        let found = found.lock().unwrap_or_else(PoisonError::into_inner).take();
        match found.as_ref().and_then(values::json_unless_text) {
            Some(value) => Ok(value),
            None => self.render(context, spells).map(serde_json::Value::String),
        }
    }

    fn render_in(&self, dot: &Value, around: &RenderState) -> Result<String, Mistake> {
        let mut tree = self.tree.clone();
        optional::rewrite(&mut tree);
        let ready = self.ready(around);
        match run(&ready, tree.clone(), dot) {
            Ok(text) => Ok(text),
            Err(error) => {
                let inner = around.inner.lock().unwrap_or_else(PoisonError::into_inner).take();
                Err(inner.unwrap_or_else(|| self.explain(&ready, &tree, dot, &error)))
            }
        }
    }

    /// Everything but the outermost list.
    fn ready(&self, around: &RenderState) -> impl Fn() -> gotmpl::Template + use<> {
        let around = around.clone();
        let defines: Vec<_> = self
            .defines
            .iter()
            .map(|define| {
                let mut body = define.body.clone();
                optional::rewrite(&mut body);
                (define.name.to_string(), body)
            })
            .collect();
        move || {
            let mut template = gotmpl::Template::new("").missing_key(MissingKey::Error).max_range_iters(MAX_ROUNDS);
            template = template.funcs(functions::plain().map(|(name, function)| (name.to_owned(), function)).collect());
            let inside = around.clone();
            template = template.func("include", move |arguments| include(&inside, arguments));
            for (name, body) in &defines {
                template = template.add_parse_tree(name, body.clone());
            }
            template
        }
    }

    /// Finds where it failed: the first part of the outermost list without which it would not.
    fn explain(
        &self,
        ready: &impl Fn() -> gotmpl::Template,
        tree: &ListNode,
        dot: &Value,
        error: &gotmpl::TemplateError,
    ) -> Mistake {
        let (mut well, mut failing) = (0, tree.nodes.len());
        while well + 1 < failing {
            let middle = well + (failing - well) / 2;
            let part = ListNode { pos: tree.pos, nodes: tree.nodes.iter().take(middle).cloned().collect() };
            if run(ready, part, dot).is_ok() {
                well = middle;
            } else {
                failing = middle;
            }
        }
        let offset = |index: usize| tree.nodes.get(index).map(guard::node_offset);
        let from = self.position(offset(well).unwrap_or_default());
        let to = offset(well + 1).map(|end| self.position(end));
        let (at, message, meant) = self.wording(error, dot, from, to);
        Mistake::at(&self.file, at, message).meant(meant.as_deref())
    }

    fn wording(
        &self,
        error: &gotmpl::TemplateError,
        dot: &Value,
        from: Position,
        to: Option<Position>,
    ) -> (Position, String, Option<String>) {
        let gotmpl::TemplateError::MissingKey { key } = error else {
            return (from, plain_words(error), None);
        };
        let references = self.references();
        let here = || references.fields.iter().filter(|field| field.at >= from && to.is_none_or(|to| field.at < to));
        let guilty = here()
            .find(|field| lacks(dot, &field.path, key).is_some())
            .or_else(|| here().find(|field| field.path.iter().any(|name| name == key)));
        let Some(field) = guilty else {
            return (from, format!("there is no `{key}`"), None);
        };
        let known = lacks(dot, &field.path, key).unwrap_or_default();
        let meant = nearest(key, known.iter().map(String::as_str)).map(str::to_owned);
        (field.at, format!("there is no `{key}` in `{{{{.{}}}}}`", field.path.join(".")), meant)
    }
}

fn run(ready: &impl Fn() -> gotmpl::Template, tree: ListNode, dot: &Value) -> Result<String, gotmpl::TemplateError> {
    let mut out = Bounded(String::new());
    ready().add_parse_tree(ROOT, tree).execute_template_fmt(&mut out, ROOT, dot)?;
    Ok(out.0)
}

/// The names beside the one that is missing, if that is why the path leads nowhere.
fn lacks(dot: &Value, path: &[String], key: &str) -> Option<Vec<String>> {
    let mut value = dot;
    for name in path {
        match value.field(name) {
            Some(inner) => value = inner,
            None if name == key => {
                let Value::Map(entries) = value else { return Some(vec![]) };
                return Some(entries.keys().map(ToString::to_string).collect());
            }
            None => return None,
        }
    }
    None
}

fn plain_words(error: &gotmpl::TemplateError) -> String {
    if let gotmpl::TemplateError::Exec(message) = error {
        message.clone()
    } else if matches!(error, gotmpl::TemplateError::Write) {
        format!("the result exceeds {MAX_RENDERED_BYTES} bytes")
    } else if matches!(error, gotmpl::TemplateError::RangeIterLimit) {
        format!("`range` exceeds {MAX_ROUNDS} iterations")
    } else {
        error.to_string()
    }
}

/// `include "name"`, or `include "name" .task`: the spell, rendered.
fn include(around: &RenderState, arguments: &[Value]) -> gotmpl::Result<Value> {
    let refuse = |message: String| Err(gotmpl::TemplateError::Exec(message));
    let (name, dot) = match arguments {
        [name] => (name, &around.context.0),
        [name, dot] => (name, dot),
        _ => return refuse("include: expected the name of a spell, and perhaps what it is about".to_owned()),
    };
    let Some(name) = name.as_str() else { return refuse("include: the name of a spell is a text".to_owned()) };
    let Some(spell) = around.spells.get(name) else {
        return refuse(format!("include: there is no spell `{name}`"));
    };
    let chain: Vec<String> = around.chain.iter().cloned().chain([name.to_owned()]).collect();
    if around.chain.iter().any(|earlier| earlier == name) {
        return refuse(format!("include: a spell includes itself: {}", chain.join(" → ")));
    }
    if chain.len() > MAX_INCLUDE_DEPTH {
        return refuse(format!(
            "include: more than {MAX_INCLUDE_DEPTH} spells include each other: {}",
            chain.join(" → ")
        ));
    }
    let less = |left: usize| left.checked_sub(1);
    if around.includes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_err() {
        return refuse(format!("include: more than {MAX_INCLUDES} spells are included"));
    }
    let inside = RenderState { chain, ..around.clone() };
    let rendered = Template::parse(&spell.file, &spell.text).and_then(|template| template.render_in(dot, &inside));
    // A file ends with a newline, which is not part of its text.
    rendered.map(|text| Value::String(text.trim_end_matches('\n').into())).map_err(|error| {
        let message = error.to_string();
        around.inner.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        gotmpl::TemplateError::Exec(message)
    })
}

/// A text that refuses to grow too long.
struct Bounded(String);

impl Write for Bounded {
    fn write_str(&mut self, more: &str) -> fmt::Result {
        if self.0.len() + more.len() > MAX_RENDERED_BYTES {
            return Err(fmt::Error);
        }
        self.0.push_str(more);
        Ok(())
    }
}
