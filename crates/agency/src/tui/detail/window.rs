//! The part of a file that is loaded, however long the file is and while it grows.
//!
//! The one rule: what is loaded is one piece of the file without gaps, and never more than a few megabytes.

use std::collections::VecDeque;

/// No more of a file is loaded.
const MAX_BYTES: u64 = 4 * 1024 * 1024;
/// No more items are.
const MAX_ITEMS: usize = 30_000;
/// No more is kept while only the end is shown: a screen that is left alone does not grow for minutes. What stands before
/// is loaded again when the user goes there.
const MAX_FOLLOWED_BYTES: u64 = 512 * 1024;
/// No more items are.
const MAX_FOLLOWED_ITEMS: usize = 4000;

/// How much is kept.
#[derive(Debug, Clone, Copy)]
struct Room {
    bytes: u64,
    items: usize,
}

impl Room {
    const LOADED: Self = Self { bytes: MAX_BYTES, items: MAX_ITEMS };
    const FOLLOWED: Self = Self { bytes: MAX_FOLLOWED_BYTES, items: MAX_FOLLOWED_ITEMS };

    /// What is left when there was too much.
    const fn three_quarters(self) -> Self {
        Self { bytes: self.bytes / 4 * 3, items: self.items / 4 * 3 }
    }
}

/// A line of a file, understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::tui) struct Piece<T> {
    /// Where it begins.
    pub(in crate::tui) start: u64,
    pub(in crate::tui) item: T,
}

/// Which part of a file to load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::tui) enum Ask {
    /// What arrived without a request.
    Tail,
    /// The beginning.
    First,
    /// The end.
    Last,
    /// What stands before this offset.
    Before(u64),
    /// What stands behind it.
    After(u64),
}

/// A part of a file that was loaded.
#[derive(Debug)]
pub(in crate::tui) struct Load<T> {
    pub(in crate::tui) ask: Ask,
    pub(in crate::tui) start: u64,
    pub(in crate::tui) end: u64,
    pub(in crate::tui) pieces: Vec<Piece<T>>,
    /// The last line, if it has no end yet.
    pub(in crate::tui) half: Option<T>,
    /// Whether the file continues.
    pub(in crate::tui) more: bool,
    /// How long the whole file was.
    pub(in crate::tui) length: u64,
}

impl<T> Load<T> {
    /// The same part, each line as what `understand` makes of it.
    pub(in crate::tui) fn map<U>(self, understand: impl Fn(T) -> U) -> Load<U> {
        let Self { ask, start, end, pieces, half, more, length } = self;
        let understood = |Piece { start, item }| Piece { start, item: understand(item) };
        let pieces = pieces.into_iter().map(understood).collect();
        Load { ask, start, end, pieces, half: half.map(&understand), more, length }
    }
}

/// What a load did to the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::tui) enum Change {
    Nothing,
    /// Items from this one on are new.
    Appended(usize),
    /// Items before came or went.
    Moved,
    /// It is another part of the file.
    Replaced,
}

/// The part of a file that is loaded.
#[derive(Debug)]
pub(in crate::tui) struct Window<T> {
    pieces: VecDeque<Piece<T>>,
    half: Option<T>,
    start: u64,
    end: u64,
    more: bool,
    /// How long the whole file is, as far as it is known.
    length: u64,
    asked: Option<Ask>,
    loaded: bool,
}

impl<T> Default for Window<T> {
    fn default() -> Self {
        Self {
            pieces: VecDeque::new(),
            half: None,
            start: 0,
            end: 0,
            more: false,
            length: 0,
            asked: None,
            loaded: false,
        }
    }
}

impl<T> Window<T> {
    /// Takes in what was loaded; `following` is whether the end is what is wanted.
    pub(in crate::tui) fn take(&mut self, load: Load<T>, following: bool) -> Change {
        if self.asked == Some(load.ask) {
            self.asked = None;
        }
        self.length = self.length.max(load.length);
        match load.ask {
            Ask::First | Ask::Last => self.replace(load),
            Ask::Tail if !self.loaded || (following && load.start != self.end) => self.replace(load),
            Ask::Tail if load.start == self.end && !self.more && following => self.append(load, Room::FOLLOWED),
            Ask::Tail if load.start == self.end && !self.more && self.has_room(&load) => {
                self.append(load, Room::LOADED)
            }
            Ask::After(_) if load.start == self.end => self.append(load, Room::LOADED),
            Ask::Before(_) if load.end == self.start => self.prepend(load),
            Ask::Tail => {
                self.more = true;
                Change::Nothing
            }
            Ask::After(_) | Ask::Before(_) => Change::Nothing,
        }
    }

    fn replace(&mut self, load: Load<T>) -> Change {
        self.pieces = load.pieces.into();
        (self.start, self.end, self.half, self.more) = (load.start, load.end, load.half, load.more);
        self.loaded = true;
        Change::Replaced
    }

    fn append(&mut self, load: Load<T>, room: Room) -> Change {
        let from = self.pieces.len();
        self.pieces.extend(load.pieces);
        (self.half, self.end, self.more) = (load.half, load.end, load.more);
        if !self.is_above(room) {
            return Change::Appended(from);
        }
        // More than necessary goes, so that it does not go again with the next line.
        while self.pieces.len() > 1 && self.is_above(room.three_quarters()) {
            self.pieces.pop_front();
            self.start = self.pieces.front().map_or(self.end, |piece| piece.start);
        }
        Change::Moved
    }

    fn prepend(&mut self, load: Load<T>) -> Change {
        for piece in load.pieces.into_iter().rev() {
            self.pieces.push_front(piece);
        }
        self.start = load.start;
        while self.is_above(Room::LOADED) && self.pieces.len() > 1 {
            if let Some(gone) = self.pieces.pop_back() {
                (self.end, self.more, self.half) = (gone.start, true, None);
            }
        }
        Change::Moved
    }

    fn has_room(&self, load: &Load<T>) -> bool {
        load.end.saturating_sub(self.start) <= MAX_BYTES && self.pieces.len() + load.pieces.len() <= MAX_ITEMS
    }

    fn is_above(&self, room: Room) -> bool {
        self.end - self.start > room.bytes || self.pieces.len() > room.items
    }

    /// What to load when the view is that many items from the beginning and from the end.
    pub(in crate::tui) fn wants(&mut self, before: usize, after: usize, near: usize) -> Option<Ask> {
        if self.asked.is_some() || !self.loaded {
            return None;
        }
        let ask = if before < near && self.start > 0 {
            Ask::Before(self.start)
        } else if after < near && self.more {
            Ask::After(self.end)
        } else {
            return None;
        };
        self.ask(ask)
    }

    /// What to load to show the beginning.
    pub(in crate::tui) fn seek_first(&mut self) -> Option<Ask> {
        if self.start == 0 { None } else { self.ask(Ask::First) }
    }

    /// What to load to show the end.
    pub(in crate::tui) fn seek_last(&mut self) -> Option<Ask> {
        if self.more { self.ask(Ask::Last) } else { None }
    }

    fn ask(&mut self, ask: Ask) -> Option<Ask> {
        self.asked = Some(ask);
        self.asked
    }

    pub(in crate::tui) fn len(&self) -> usize {
        self.pieces.len() + usize::from(self.half.is_some())
    }

    pub(in crate::tui) fn get(&self, index: usize) -> Option<&T> {
        self.pieces.get(index).map(|piece| &piece.item).or(self.half.as_ref().filter(|_| index == self.pieces.len()))
    }

    /// The whole lines from one on.
    pub(in crate::tui) fn pieces(&self, from: usize) -> impl Iterator<Item = &Piece<T>> {
        self.pieces.iter().skip(from)
    }

    /// Where an item begins in the file.
    pub(in crate::tui) fn offset(&self, index: usize) -> u64 {
        self.pieces.get(index).map_or(self.end, |piece| piece.start)
    }

    /// The item that an offset is in.
    pub(in crate::tui) fn index_of(&self, offset: u64) -> usize {
        self.pieces.partition_point(|piece| piece.start <= offset).saturating_sub(1)
    }

    /// Whether the whole file is loaded.
    pub(in crate::tui) const fn is_whole(&self) -> bool {
        self.start == 0 && !self.more
    }

    /// How much of the file stands before an offset, in percent.
    pub(in crate::tui) fn percent(&self, offset: u64) -> u64 {
        offset.saturating_mul(100).checked_div(self.length).unwrap_or(100).min(100)
    }

    /// Whether the end of the file is loaded.
    pub(in crate::tui) const fn has_end(&self) -> bool {
        !self.more
    }

    /// Whether anything was loaded.
    pub(in crate::tui) const fn is_loaded(&self) -> bool {
        self.loaded
    }
}

#[cfg(test)]
mod tests;
