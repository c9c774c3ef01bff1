//! The languages that are known, by the names of their files.

/// What is to be known of a language.
#[derive(Debug)]
pub struct Language {
    extensions: &'static [&'static str],
    /// Whole names of files.
    files: &'static [&'static str],
    keywords: &'static str,
    pub(super) line_comments: &'static [&'static str],
    pub(super) block_comment: Option<(&'static str, &'static str)>,
    /// What begins and ends a text of one line.
    pub(super) quotes: &'static str,
    /// What begins and ends a text of several lines.
    pub(super) long_quotes: &'static [&'static str],
    /// Whether a single quote can begin a lifetime, and `!` follows a macro.
    pub(super) has_lifetimes: bool,
    /// Whether names with a capital letter are types.
    pub(super) has_types: bool,
    /// Whether keywords count in any case.
    ignores_case: bool,
}

impl Language {
    /// The language of a file.
    pub(super) fn of_file(path: &str) -> Option<&'static Self> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let extension = name.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
        ALL.iter().find(|language| {
            let by_extension = extension.as_deref().is_some_and(|extension| language.extensions.contains(&extension));
            by_extension || language.files.contains(&name)
        })
    }

    pub(super) fn is_keyword(&self, word: &str) -> bool {
        let lower = if self.ignores_case { word.to_ascii_lowercase() } else { word.to_owned() };
        self.keywords.split(' ').any(|keyword| keyword == lower)
    }
}

const C_LIKE: Language = Language {
    extensions: &[],
    files: &[],
    keywords: "",
    line_comments: &["//"],
    block_comment: Some(("/*", "*/")),
    quotes: "\"'",
    long_quotes: &[],
    has_lifetimes: false,
    has_types: true,
    ignores_case: false,
};

const WITH_HASH: Language = Language { line_comments: &["#"], block_comment: None, has_types: false, ..C_LIKE };

const ALL: &[Language] = &[
    Language {
        extensions: &["rs"],
        keywords: "as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod \
            move mut pub ref return self Self static struct super trait true type union unsafe use where while",
        has_lifetimes: true,
        ..C_LIKE
    },
    Language {
        extensions: &["js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "vue", "svelte"],
        keywords: "abstract any as async await boolean break case catch class const continue debugger declare default \
            delete do else enum export extends false finally for from function get if implements import in instanceof \
            interface is keyof let namespace new null number of private protected public readonly return satisfies set \
            static string super switch this throw true try type typeof undefined unknown var void while with yield",
        long_quotes: &["`"],
        ..C_LIKE
    },
    Language {
        extensions: &["py", "pyi"],
        keywords: "False None True and as assert async await break case class continue def del elif else except finally for \
            from global if import in is lambda match nonlocal not or pass raise return self try type while with yield",
        long_quotes: &["\"\"\"", "'''"],
        has_types: true,
        ..WITH_HASH
    },
    Language {
        extensions: &["go"],
        keywords: "break case chan const continue default defer else error fallthrough false for func go goto if import \
            interface iota map nil package range return select struct switch true type var",
        long_quotes: &["`"],
        ..C_LIKE
    },
    Language {
        extensions: &["c", "h", "cc", "cpp", "cxx", "hh", "hpp", "m", "mm"],
        keywords: "auto bool break case catch char class const constexpr continue default define delete do double else endif \
            enum explicit extern false final float for friend goto if ifdef ifndef include inline int long mutable namespace \
            new noexcept nullptr operator override private protected public register return short signed sizeof static \
            struct switch template this throw true try typedef typename union unsigned using virtual void volatile while",
        ..C_LIKE
    },
    Language {
        extensions: &["java", "kt", "kts", "scala", "cs", "swift", "dart", "php"],
        keywords: "abstract as async await base bool boolean break byte case catch char class companion const continue data \
            def default defer do double else enum export extends extension false final finally float for foreach fun func \
            function get guard if implements import in init int interface internal is lazy let long match namespace new nil \
            null object open out override package private protected public readonly record return sealed self set short \
            static string struct super switch this throw throws trait true try type typealias using val var void when where \
            while with yield",
        long_quotes: &["\"\"\""],
        ..C_LIKE
    },
    Language {
        extensions: &["rb", "rake", "gemspec"],
        files: &["Gemfile", "Rakefile"],
        keywords: "BEGIN END alias and begin break case class def defined do else elsif end ensure false for if in module \
            next nil not or private protected public raise redo require rescue retry return self super then true undef \
            unless until when while yield",
        has_types: true,
        ..WITH_HASH
    },
    Language {
        extensions: &["sh", "bash", "zsh", "fish", "ksh"],
        files: &["Makefile", "makefile", "Dockerfile", "justfile", "Justfile"],
        keywords: "case do done echo elif else end esac eval exec exit export fi for function if in local printf read \
            readonly return select set shift source then trap unset until while ADD ARG CMD COPY ENTRYPOINT ENV EXPOSE FROM \
            LABEL RUN USER VOLUME WORKDIR",
        ..WITH_HASH
    },
    Language {
        extensions: &["toml", "yaml", "yml", "ini", "cfg", "conf", "properties", "env"],
        keywords: "true false null yes no on off",
        ..WITH_HASH
    },
    Language { extensions: &["json", "jsonc", "json5"], keywords: "true false null", has_types: false, ..C_LIKE },
    Language {
        extensions: &["sql"],
        keywords: "add all alter and as asc begin between by case check column commit constraint create default delete desc \
            distinct drop else end exists foreign from group having if in index inner insert into is join key left like \
            limit not null on or order outer primary references returning right rollback select set table then transaction \
            trigger union unique update using values view when where with integer text real blob varchar timestamp",
        line_comments: &["--"],
        has_types: false,
        ignores_case: true,
        ..C_LIKE
    },
    Language {
        extensions: &["lua", "hs", "elm"],
        keywords: "and break case data deriving do else elseif end false for function goto if import in instance let local \
            module newtype nil not of or repeat return then true type until where while class",
        line_comments: &["--"],
        block_comment: None,
        ..C_LIKE
    },
    Language {
        extensions: &["ex", "exs", "jl", "r", "nix", "tf", "hcl", "cmake", "proto", "graphql"],
        files: &["CMakeLists.txt"],
        keywords: "after alias and begin case catch cond def defmodule defp do else elseif end enum false fn for function if \
            import in inherit input let macro message module not null or output package quote receive repeated require \
            resource rescue return rpc service then true try type unless use using variable when where while with",
        line_comments: &["#", "//"],
        block_comment: None,
        ..C_LIKE
    },
    Language {
        extensions: &["css", "scss", "less"],
        keywords: "important media import include mixin extend use keyframes supports",
        has_types: false,
        ..C_LIKE
    },
    Language {
        extensions: &["html", "htm", "xml", "svg"],
        line_comments: &[],
        block_comment: Some(("<!--", "-->")),
        has_types: false,
        ..C_LIKE
    },
];
