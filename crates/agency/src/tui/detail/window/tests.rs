use proptest::prelude::*;

use super::*;

/// A file of lines that are so long, and what a reader would load of it.
struct File(Vec<u64>);

impl File {
    fn offsets(&self) -> Vec<u64> {
        self.0.iter().scan(0, |at, length| Some(std::mem::replace(at, *at + length))).collect()
    }

    fn length(&self) -> u64 {
        self.0.iter().sum()
    }

    fn load(&self, ask: Ask, from: u64, to: u64, most: usize) -> Load<u64> {
        let all: Vec<u64> = self.offsets().into_iter().filter(|at| (from..to).contains(at)).collect();
        let shown = match ask {
            Ask::First | Ask::After(_) => &all[..all.len().min(most)],
            Ask::Last | Ask::Before(_) | Ask::Tail => &all[all.len().saturating_sub(most)..],
        };
        let start = shown.first().copied().unwrap_or(from);
        let end =
            shown.last().map_or(from, |last| self.offsets().into_iter().find(|at| at > last).unwrap_or(self.length()));
        let pieces = shown.iter().map(|start| Piece { start: *start, item: *start }).collect();
        Load { ask, start, end, pieces, half: None, more: end < self.length(), length: self.length() }
    }
}

#[test]
fn who_follows_sees_the_end_and_who_does_not_keeps_what_is_there() {
    let mut file = File(vec![10; 10]);
    let mut window = Window::default();
    assert_eq!(window.take(file.load(Ask::Tail, 0, 100, 5), true), Change::Replaced);
    assert_eq!((window.start, window.end, window.len()), (50, 100, 5));
    file.0.push(10);
    assert_eq!(window.take(file.load(Ask::Tail, 100, 110, 5), true), Change::Appended(5));
    // So much came at once that there is a gap.
    file.0.extend([10; 20]);
    assert_eq!(window.take(file.load(Ask::Tail, 110, 310, 5), false), Change::Nothing);
    assert!(!window.has_end());
    assert_eq!(window.wants(9, 0, 3), Some(Ask::After(110)));
    assert_eq!(window.wants(9, 0, 3), None, "nothing is asked for twice");
    assert_eq!(window.take(file.load(Ask::After(110), 110, 310, 5), false), Change::Appended(6));
    assert_eq!(window.seek_last(), Some(Ask::Last));
    assert_eq!(window.take(file.load(Ask::Last, 0, 310, 5), true), Change::Replaced);
    assert!(window.has_end());
    assert_eq!(window.wants(0, 0, 3), Some(Ask::Before(260)));
    assert_eq!(window.take(file.load(Ask::Before(260), 0, 260, 5), false), Change::Moved);
    assert_eq!((window.start, window.end, window.index_of(305)), (210, 310, 9));
    assert_eq!((window.percent(155), window.percent(310)), (50, 100));
}

#[test]
fn half_a_line_is_the_last_item_until_it_is_whole() {
    let mut window = Window::default();
    let pieces = |start| vec![Piece { start, item: "whole" }];
    let load = Load { ask: Ask::Tail, start: 0, end: 6, pieces: pieces(0), half: Some("ha"), more: false, length: 8 };
    window.take(load, true);
    assert_eq!((window.len(), window.get(1), window.offset(1)), (2, Some(&"ha"), 6));
    window
        .take(Load { ask: Ask::Tail, start: 6, end: 11, pieces: pieces(6), half: None, more: false, length: 11 }, true);
    assert_eq!((window.len(), window.get(1)), (2, Some(&"whole")));
}

#[test]
fn no_more_is_kept_of_a_file_whose_end_is_followed_and_the_rest_is_loaded_again() {
    let mut file = File(vec![]);
    let mut window: Window<u64> = Window::default();
    let mut read = 0;
    for _ in 0..2000 {
        file.0.extend([1000; 4]);
        let load = file.load(Ask::Tail, read, file.length(), 20);
        read = load.end;
        window.take(load, true);
        assert!(window.end - window.start <= MAX_FOLLOWED_BYTES && window.end == file.length());
    }
    let Some(Ask::Before(at)) = window.wants(0, 99, 1) else { panic!("nothing is wanted") };
    window.take(file.load(Ask::Before(at), 0, at, 800), false);
    assert!(window.end - window.start > MAX_FOLLOWED_BYTES && window.has_end());
}

proptest! {
    #[test]
    fn what_is_loaded_has_no_gaps_and_no_more_than_its_measure(
        steps in prop::collection::vec((0u8..6, any::<bool>(), 1usize..40, 1u64..100_000), 1..60),
    ) {
        let mut file = File(vec![]);
        let mut window: Window<u64> = Window::default();
        let mut read = 0;
        for (step, following, lines, length) in steps {
            match step {
                0 | 1 => {
                    file.0.extend(std::iter::repeat_n(length, lines));
                    let load = file.load(Ask::Tail, read, file.length(), 20);
                    read = load.end;
                    window.take(load, following);
                    if following && step == 0 {
                        prop_assert!(window.has_end() && window.end == file.length());
                    }
                }
                2 => if let Some(Ask::Before(at)) = window.wants(0, 99, 1) {
                    window.take(file.load(Ask::Before(at), 0, at, lines), false);
                },
                3 => if let Some(Ask::After(at)) = window.wants(99, 0, 1) {
                    window.take(file.load(Ask::After(at), at, file.length(), lines), false);
                },
                4 => if let Some(ask) = window.seek_first() {
                    window.take(file.load(ask, 0, file.length(), lines), false);
                },
                _ => if let Some(ask) = window.seek_last() {
                    window.take(file.load(ask, 0, file.length(), lines), true);
                },
            }
            let expected: Vec<u64> =
                file.offsets().into_iter().filter(|at| (window.start..window.end).contains(at)).collect();
            let loaded: Vec<u64> = window.pieces(0).map(|piece| piece.start).collect();
            prop_assert_eq!(loaded, expected);
            prop_assert!(window.end - window.start <= MAX_BYTES || window.len() == 1);
            for index in 0..window.len() {
                prop_assert_eq!(window.index_of(window.offset(index)), index);
            }
        }
    }
}
