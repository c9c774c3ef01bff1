//! What is wrong in a file, and where.

use std::fmt;

use crate::Position;

/// One mistake in a file that a user wrote.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub struct Mistake {
    /// Where it is; absent for what was not written in a file. In a box, since it is part of many results.
    pub place: Option<Box<Place>>,
    /// The dotted path of the field, such as `limits.max_minutes`; empty where the message names what it is about.
    pub field: String,
    /// What is wrong, and what would be right.
    pub message: String,
    /// The name that was probably meant.
    pub nearest: Option<String>,
    /// The kind of mistake.
    pub reason: Reason,
}

/// The place of a mistake.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The file, as users know it.
    pub file: String,
    /// Where in it; absent for a mistake of the whole file.
    pub position: Option<Position>,
    /// The line with a mark below the position; empty where lines may hold secrets.
    pub excerpt: String,
}

/// The kind of a mistake.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// The text is not what its format allows.
    Syntax,
    /// A key is in a map twice.
    DuplicateKey,
    /// A key does not belong where it is.
    UnknownKey,
    /// A required field is missing.
    Missing,
    /// A value has the wrong type, or does not fit.
    Value,
}

impl Mistake {
    /// A mistake that has no place yet.
    #[must_use]
    pub fn new(reason: Reason, message: impl Into<String>) -> Self {
        Self { place: None, field: String::new(), message: message.into(), nearest: None, reason }
    }

    /// A mistake of a whole file.
    #[must_use]
    pub fn of_file(file: &str, message: impl Into<String>) -> Self {
        let place = Place { file: file.to_owned(), position: None, excerpt: String::new() };
        Self { place: Some(Box::new(place)), ..Self::new(Reason::Value, message) }
    }

    /// A mistake at a position of a file that is not at hand.
    #[must_use]
    pub fn at(file: &str, position: Position, message: impl Into<String>) -> Self {
        let mut mistake = Self::of_file(file, message);
        if let Some(place) = &mut mistake.place {
            place.position = Some(position);
        }
        mistake
    }

    /// The same mistake at another position of its file.
    #[must_use]
    pub fn moved(mut self, to: impl FnOnce(Position) -> Position) -> Self {
        if let Some(place) = &mut self.place {
            place.position = place.position.map(to);
        }
        self
    }

    /// Adds the field that it is about.
    #[must_use]
    pub fn about(self, field: impl Into<String>) -> Self {
        Self { field: field.into(), ..self }
    }

    /// Sets the kind.
    #[must_use]
    pub fn because(self, reason: Reason) -> Self {
        Self { reason, ..self }
    }

    /// Adds the name that was probably meant.
    #[must_use]
    pub fn meant(self, nearest: Option<&str>) -> Self {
        Self { nearest: nearest.map(str::to_owned), ..self }
    }

    /// The file, where it is in one.
    #[must_use]
    pub fn file(&self) -> Option<&str> {
        self.place.as_ref().map(|place| place.file.as_str())
    }

    /// The line and column, where it has them.
    #[must_use]
    pub fn position(&self) -> Option<Position> {
        self.place.as_ref().and_then(|place| place.position)
    }

    /// The line with a mark below the position; empty where there is none.
    #[must_use]
    pub fn excerpt(&self) -> &str {
        self.place.as_ref().map_or("", |place| &place.excerpt)
    }

    /// The field and what is wrong with it.
    #[must_use]
    pub fn statement(&self) -> String {
        if self.field.is_empty() { self.message.clone() } else { format!("`{}`: {}", self.field, self.message) }
    }

    /// What is wrong, with the name that was probably meant.
    #[must_use]
    pub fn advice(&self) -> String {
        format!("{}{}", self.message, Suggestion(self.nearest.as_deref()))
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(formatter, "{place}: ")?;
        }
        write!(formatter, "{}{}", self.statement(), Suggestion(self.nearest.as_deref()))
    }
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.position {
            Some(Position { line, column }) => write!(formatter, "{}:{line}:{column}", self.file),
            None => write!(formatter, "{}", self.file),
        }
    }
}

struct Suggestion<'name>(Option<&'name str>);

impl fmt::Display for Suggestion<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(name) => write!(formatter, "; did you mean `{name}`?"),
            None => Ok(()),
        }
    }
}

/// Every mistake of a file, at least one, in the order of the text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
pub struct Mistakes(Vec<Mistake>);

impl Mistakes {
    /// The mistakes.
    #[must_use]
    pub fn as_slice(&self) -> &[Mistake] {
        &self.0
    }

    /// The first of them.
    #[must_use]
    pub fn first(&self) -> Option<&Mistake> {
        self.0.first()
    }

    /// Changes each of them.
    #[must_use]
    pub fn map(self, change: impl FnMut(Mistake) -> Mistake) -> Self {
        Self(self.0.into_iter().map(change).collect())
    }
}

impl From<Vec<Mistake>> for Mistakes {
    fn from(mut mistakes: Vec<Mistake>) -> Self {
        mistakes.sort();
        Self(mistakes)
    }
}

impl From<Mistake> for Mistakes {
    fn from(mistake: Mistake) -> Self {
        Self(vec![mistake])
    }
}

impl IntoIterator for Mistakes {
    type Item = Mistake;
    type IntoIter = std::vec::IntoIter<Mistake>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}
