//! What a message of Claude Code consists of.

use std::borrow::Cow;
use std::marker::PhantomData;

use agency_model::JsonText;
use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;

/// What was said.
#[derive(Deserialize)]
pub(super) struct ContentMessage<'a> {
    #[serde(borrow)]
    pub(super) content: Content<'a>,
}

/// One piece of a message: a union of all kinds, so that it is read in one pass.
#[derive(Default, Deserialize)]
pub(super) struct Block<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Cow<'a, str>,
    #[serde(default, deserialize_with = "kept")]
    pub(super) text: Option<JsonText>,
    pub(super) thinking: Option<String>,
    pub(super) id: Option<String>,
    pub(super) name: Option<String>,
    pub(super) input: Option<Value>,
    pub(super) tool_use_id: Option<String>,
    #[serde(borrow)]
    pub(super) content: Option<Content<'a>>,
    pub(super) is_error: Option<bool>,
    /// The whole block; only where a message is read block by block.
    #[serde(skip)]
    pub(super) raw: Option<&'a str>,
}

/// A message whose blocks are read one by one, so that one of them that is not understood does not hide the others.
#[derive(Deserialize)]
pub(super) struct Pieces<'a> {
    #[serde(borrow)]
    content: Vec<&'a RawValue>,
}

impl<'a> From<Pieces<'a>> for ContentMessage<'a> {
    fn from(pieces: Pieces<'a>) -> Self {
        let block = |raw: &'a RawValue| {
            let read: Result<Block<'a>, _> = serde_json::from_str(raw.get());
            Block { raw: Some(raw.get()), ..read.unwrap_or_default() }
        };
        Self { content: Content::Blocks(pieces.content.into_iter().map(block).collect()) }
    }
}

/// Reads a text without decoding it: what a tool answers is long, and is written to the events as it is.
fn kept<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<JsonText>, D::Error> {
    let Some(json) = Option::<&RawValue>::deserialize(deserializer)? else { return Ok(None) };
    let kept = JsonText::encoded(json);
    let text = kept.map_or_else(|| serde_json::from_str::<String>(json.get()).map(JsonText::from), Ok);
    text.map(Some).map_err(D::Error::custom)
}

/// A message, or what a tool answered: a text or a list of blocks.
pub(super) enum Content<'a> {
    Text(String),
    Blocks(Vec<Block<'a>>),
}

impl<'a> Content<'a> {
    pub(super) fn blocks(self) -> Vec<Block<'a>> {
        match self {
            Self::Text(text) => {
                vec![Block { kind: Cow::Borrowed("text"), text: Some(text.into()), ..Block::default() }]
            }
            Self::Blocks(blocks) => blocks,
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Content<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextOrBlocks<'a>(PhantomData<&'a str>);

        impl<'de: 'a, 'a> Visitor<'de> for TextOrBlocks<'a> {
            type Value = Content<'a>;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("a text or a list of blocks")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Content::Text(text.to_owned()))
            }

            fn visit_string<E: serde::de::Error>(self, text: String) -> Result<Self::Value, E> {
                Ok(Content::Text(text))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let mut blocks = Vec::new();
                while let Some(block) = list.next_element()? {
                    blocks.push(block);
                }
                Ok(Content::Blocks(blocks))
            }
        }

        deserializer.deserialize_any(TextOrBlocks(PhantomData))
    }
}

/// What a tool answered: its texts, and the kind of what is none.
pub(super) fn output(content: Option<Content<'_>>) -> JsonText {
    match content {
        None => JsonText::default(),
        Some(Content::Text(text)) => text.into(),
        Some(Content::Blocks(blocks)) => {
            let mut texts =
                blocks.into_iter().map(|part| part.text.unwrap_or_else(|| format!("[{}]", part.kind).into()));
            let first = texts.next().unwrap_or_default();
            texts.fold(first, |all, text| (all.into_string() + "\n" + &text).into())
        }
    }
}
