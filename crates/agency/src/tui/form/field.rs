//! The fields of the form.

/// What can be filled in, from top to bottom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::tui) enum Field {
    Repository,
    Base,
    Runner,
    Mode,
    Host,
    Name,
    Prompt,
}

impl Field {
    pub(in crate::tui) const ALL: [Self; 7] =
        [Self::Repository, Self::Base, Self::Runner, Self::Mode, Self::Host, Self::Name, Self::Prompt];

    pub(in crate::tui) const fn title(self) -> &'static str {
        match self {
            Self::Repository => "repository",
            Self::Base => "base",
            Self::Runner => "agent",
            Self::Mode => "mode",
            Self::Host => "where",
            Self::Name => "name",
            Self::Prompt => "prompt",
        }
    }

    pub(super) const fn next(self) -> Self {
        match self {
            Self::Repository => Self::Base,
            Self::Base => Self::Runner,
            Self::Runner => Self::Mode,
            Self::Mode => Self::Host,
            Self::Host => Self::Name,
            Self::Name => Self::Prompt,
            Self::Prompt => Self::Repository,
        }
    }

    pub(super) const fn previous(self) -> Self {
        match self {
            Self::Repository => Self::Prompt,
            Self::Base => Self::Repository,
            Self::Runner => Self::Base,
            Self::Mode => Self::Runner,
            Self::Host => Self::Mode,
            Self::Name => Self::Host,
            Self::Prompt => Self::Name,
        }
    }

    /// The field of a name in a spec.
    pub(in crate::tui) fn named(name: &str) -> Option<Self> {
        match name.split('.').next()? {
            "repo" => Some(Self::Repository),
            "base_ref" => Some(Self::Base),
            "runner" => Some(Self::Runner),
            "mode" => Some(Self::Mode),
            "host" => Some(Self::Host),
            "name" => Some(Self::Name),
            "prompt" => Some(Self::Prompt),
            _ => None,
        }
    }
}
