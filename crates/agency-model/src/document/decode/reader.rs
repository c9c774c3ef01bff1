//! Offers values to the types that are read from them.

use std::collections::BTreeSet;
use std::slice;

use serde::de::value::StrDeserializer;
use serde::de::{DeserializeSeed, Deserializer, EnumAccess, MapAccess, SeqAccess, Unexpected, VariantAccess, Visitor};
use serde::de::{Error, IntoDeserializer};
use serde::forward_to_deserialize_any;

use super::super::{Key, Node, NodeKind, dotted_index, dotted_key};
use super::DecodeError;

/// A value under its dotted path. Fields that are skipped are as good as absent.
pub(super) struct NodeReader<'node, 'skipped> {
    pub(super) node: &'node Node,
    pub(super) field: String,
    pub(super) skipped: &'skipped BTreeSet<String>,
}

impl<'node, 'skipped> NodeReader<'node, 'skipped> {
    fn entries(self, entries: &'node [(Key, Node)]) -> Entries<'node, 'skipped> {
        Entries { parent: self.field, rest: entries.iter(), skipped: self.skipped, current: None }
    }

    fn unexpected(&self) -> Unexpected<'node> {
        match &self.node.kind {
            NodeKind::Null => Unexpected::Unit,
            NodeKind::Bool(value) => Unexpected::Bool(*value),
            NodeKind::Number(number) => number
                .as_u64()
                .map(Unexpected::Unsigned)
                .or_else(|| number.as_i64().map(Unexpected::Signed))
                .unwrap_or_else(|| Unexpected::Float(number.as_f64().unwrap_or_default())),
            NodeKind::Text(text) => Unexpected::Str(&text.value),
            NodeKind::List(_) => Unexpected::Seq,
            NodeKind::Map(_) => Unexpected::Map,
            NodeKind::Other(written) => Unexpected::Other(written),
        }
    }
}

impl<'node> Deserializer<'node> for NodeReader<'node, '_> {
    type Error = DecodeError;

    fn deserialize_any<V: Visitor<'node>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match &self.node.kind {
            NodeKind::Null => visitor.visit_unit(),
            NodeKind::Bool(value) => visitor.visit_bool(*value),
            NodeKind::Number(number) => match (number.as_u64(), number.as_i64()) {
                (Some(number), _) => visitor.visit_u64(number),
                (None, Some(number)) => visitor.visit_i64(number),
                (None, None) => visitor.visit_f64(number.as_f64().unwrap_or_default()),
            },
            NodeKind::Text(text) => visitor.visit_borrowed_str(&text.value),
            NodeKind::List(items) => {
                let (parent, skipped) = (self.field, self.skipped);
                visitor.visit_seq(Items { parent, rest: items.iter().enumerate(), skipped })
            }
            NodeKind::Map(entries) => visitor.visit_map(self.entries(entries)),
            NodeKind::Other(_) => Err(DecodeError::mismatch(self.unexpected(), &visitor)),
        }
    }

    fn deserialize_option<V: Visitor<'node>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        if self.node.kind == NodeKind::Null { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'node>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        visitor.visit_newtype_struct(self)
    }

    /// Only a map is an object: the fields of a list would be taken in their order.
    fn deserialize_struct<V: Visitor<'node>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        let NodeKind::Map(entries) = &self.node.kind else {
            return Err(DecodeError::mismatch(self.unexpected(), &visitor));
        };
        visitor.visit_map(self.entries(entries))
    }

    fn deserialize_enum<V: Visitor<'node>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        match self.node.text() {
            Some(text) => visitor.visit_enum(Word(text)),
            None => Err(DecodeError::mismatch(self.unexpected(), &"a string")),
        }
    }

    forward_to_deserialize_any! {
        <W: Visitor<'node>>
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map identifier ignored_any
    }
}

/// The entries of a map.
struct Entries<'node, 'skipped> {
    parent: String,
    rest: slice::Iter<'node, (Key, Node)>,
    skipped: &'skipped BTreeSet<String>,
    current: Option<(String, &'node Node)>,
}

impl<'node> MapAccess<'node> for Entries<'node, '_> {
    type Error = DecodeError;

    fn next_key_seed<K: DeserializeSeed<'node>>(&mut self, seed: K) -> Result<Option<K::Value>, DecodeError> {
        for (key, node) in self.rest.by_ref() {
            let field = dotted_key(&self.parent, &key.name);
            if self.skipped.contains(&field) {
                continue;
            }
            let name: StrDeserializer<'_, DecodeError> = key.name.as_str().into_deserializer();
            let read = seed.deserialize(name).map_err(|error| error.placed_at_key(key.at, &field))?;
            self.current = Some((field, node));
            return Ok(Some(read));
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'node>>(&mut self, seed: V) -> Result<V::Value, DecodeError> {
        let Some((field, node)) = self.current.take() else {
            return Err(DecodeError::custom("a value was asked for before its key"));
        };
        let reader = NodeReader { node, field: field.clone(), skipped: self.skipped };
        seed.deserialize(reader).map_err(|error| error.placed(node, &field))
    }
}

/// The elements of a list.
struct Items<'node, 'skipped> {
    parent: String,
    rest: std::iter::Enumerate<slice::Iter<'node, Node>>,
    skipped: &'skipped BTreeSet<String>,
}

impl<'node> SeqAccess<'node> for Items<'node, '_> {
    type Error = DecodeError;

    fn next_element_seed<T: DeserializeSeed<'node>>(&mut self, seed: T) -> Result<Option<T::Value>, DecodeError> {
        for (index, node) in self.rest.by_ref() {
            let field = dotted_index(&self.parent, index);
            if self.skipped.contains(&field) {
                continue;
            }
            let reader = NodeReader { node, field: field.clone(), skipped: self.skipped };
            return seed.deserialize(reader).map(Some).map_err(|error| error.placed(node, &field));
        }
        Ok(None)
    }
}

/// A word that names a variant.
struct Word<'node>(&'node str);

impl<'node> EnumAccess<'node> for Word<'node> {
    type Error = DecodeError;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'node>>(self, seed: V) -> Result<(V::Value, Self), DecodeError> {
        let name: StrDeserializer<'_, DecodeError> = self.0.into_deserializer();
        Ok((seed.deserialize(name)?, self))
    }
}

impl<'node> VariantAccess<'node> for Word<'node> {
    type Error = DecodeError;

    fn unit_variant(self) -> Result<(), DecodeError> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'node>>(self, _seed: T) -> Result<T::Value, DecodeError> {
        Err(DecodeError::mismatch(Unexpected::Str(self.0), &"a map"))
    }

    fn tuple_variant<V: Visitor<'node>>(self, _length: usize, visitor: V) -> Result<V::Value, DecodeError> {
        Err(DecodeError::mismatch(Unexpected::Str(self.0), &visitor))
    }

    fn struct_variant<V: Visitor<'node>>(
        self,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        Err(DecodeError::mismatch(Unexpected::Str(self.0), &visitor))
    }
}
