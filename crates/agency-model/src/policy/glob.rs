//! Wildcards: `*` and `?` in a word, and any number of words or directories.
//!
//! The one rule: no pattern takes more than the product of the two lengths, whatever it contains.

/// A piece of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece<T> {
    /// Any number of items, also none.
    Any,
    /// One item.
    One(T),
}

/// Whether the items fit the whole pattern.
pub(super) fn fits<P, T>(pattern: &[Piece<P>], items: &[T], same: impl Fn(&P, &T) -> bool) -> bool {
    let (mut piece, mut item) = (0, 0);
    // Where to continue when a guess was wrong: the piece after the last wildcard, and the item it has not taken yet.
    let mut again: Option<(usize, usize)> = None;
    while let Some(next) = items.get(item) {
        match (pattern.get(piece), again) {
            (Some(Piece::Any), _) => {
                piece += 1;
                again = Some((piece, item));
            }
            (Some(Piece::One(one)), _) if same(one, next) => {
                piece += 1;
                item += 1;
            }
            (_, Some((after, from))) => {
                piece = after;
                item = from + 1;
                again = Some((after, item));
            }
            (_, None) => return false,
        }
    }
    pattern.iter().skip(piece).all(|left| matches!(left, Piece::Any))
}

/// Whether capital and small letters are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    /// They are not.
    Exact,
    /// They are.
    Any,
}

/// A word in which `*` stands for any characters and `?` for one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Glob(Vec<Piece<Letter>>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Letter {
    Each,
    Is(char),
}

impl Glob {
    pub(super) fn new(text: &str) -> Self {
        let piece = |letter| match letter {
            '*' => Piece::Any,
            '?' => Piece::One(Letter::Each),
            letter => Piece::One(Letter::Is(letter)),
        };
        Self(text.chars().map(piece).collect())
    }

    /// A word that stands only for itself.
    pub(super) fn literal(text: &str) -> Self {
        Self(text.chars().map(|letter| Piece::One(Letter::Is(letter))).collect())
    }

    pub(super) fn fits(&self, word: &str, case: Case) -> bool {
        let letters: Vec<char> = word.chars().collect();
        fits(&self.0, &letters, |pattern, letter| match (pattern, case) {
            (Letter::Each, _) => true,
            (Letter::Is(wanted), Case::Exact) => wanted == letter,
            (Letter::Is(wanted), Case::Any) => wanted.to_lowercase().eq(letter.to_lowercase()),
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn stars_and_question_marks() {
        let fits = |pattern: &str, word: &str| Glob::new(pattern).fits(word, Case::Exact);
        for (pattern, word) in
            [("", ""), ("*", ""), ("*", "x"), ("a*c", "abc"), ("a*c", "ac"), ("?", "é"), ("a*b*c", "aabbcc")]
        {
            assert!(fits(pattern, word), "{pattern} {word}");
        }
        for (pattern, word) in [("", "a"), ("?", ""), ("a*c", "ab"), ("ab", "AB"), ("a", "ab"), ("[ab]", "a")] {
            assert!(!fits(pattern, word), "{pattern} {word}");
        }
        assert!(Glob::new("GIT").fits("git", Case::Any));
        assert!(!Glob::literal("a*").fits("ab", Case::Exact));
    }

    #[test]
    fn many_stars_take_no_longer() {
        let pattern = Glob::new(&"*a".repeat(500));
        assert!(!pattern.fits(&"a".repeat(499), Case::Exact));
        assert!(!pattern.fits(&format!("{}b", "a".repeat(5_000)), Case::Exact));
    }

    proptest! {
        #[test]
        fn a_word_fits_itself_and_a_star_in_its_middle(start in ".{0,8}", middle in ".{0,8}", end in ".{0,8}") {
            let word = format!("{start}{middle}{end}");
            prop_assert!(Glob::literal(&word).fits(&word, Case::Exact));
            let mut pattern = Glob::literal(&start);
            pattern.0.push(Piece::Any);
            pattern.0.extend(Glob::literal(&end).0);
            prop_assert!(pattern.fits(&word, Case::Exact));
        }
    }
}
