//! What the kinds of values are called in each format.

/// The format of a file, which decides what its author calls a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// TOML.
    Toml,
    /// JSON.
    Json,
    /// YAML, and JSON where YAML is expected.
    Yaml,
}

impl Format {
    pub(super) const fn text(self) -> &'static str {
        match self {
            Self::Toml | Self::Json => "a string",
            Self::Yaml => "a text",
        }
    }

    pub(super) const fn list(self) -> &'static str {
        match self {
            Self::Toml | Self::Json => "an array",
            Self::Yaml => "a list",
        }
    }

    pub(super) const fn map(self) -> &'static str {
        match self {
            Self::Toml => "a table",
            Self::Json => "an object",
            Self::Yaml => "a map",
        }
    }

    pub(super) const fn null(self) -> &'static str {
        match self {
            Self::Toml | Self::Json => "`null`",
            Self::Yaml => "nothing",
        }
    }

    /// What a type of Rust is called here; a text that names no type is what it is.
    pub(super) fn expected(self, name: &str) -> &str {
        match name {
            "a string" | "path string" => self.text(),
            "a sequence" => self.list(),
            "a map" => self.map(),
            "a boolean" => "`true` or `false`",
            "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number, 0 or more",
            "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number",
            "f32" | "f64" => "a number",
            other if other.starts_with("struct ") => self.map(),
            other => other,
        }
    }
}
