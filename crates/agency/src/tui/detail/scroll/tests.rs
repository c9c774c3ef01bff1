use proptest::prelude::*;

use super::*;

/// Items of these heights; the odd ones can be folded to one row.
struct Heights(Vec<usize>, Vec<bool>);

impl Body for Heights {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn height(&self, item: usize, _: u16) -> usize {
        if self.1[item] { 1 } else { self.0[item] }
    }

    fn rows(&self, _: usize, rows: Range<usize>, _: RowStyle) -> Vec<Line<'_>> {
        rows.map(|_| Line::default()).collect()
    }

    fn grows(&self) -> bool {
        true
    }

    fn folds(&self, item: usize) -> bool {
        item % 2 == 1
    }

    fn fold(&mut self, item: usize) {
        self.1[item] = !self.1[item];
    }

    fn fold_all(&mut self) {
        for item in 0..self.len() {
            if self.folds(item) {
                self.fold(item);
            }
        }
    }

    fn position(&self, _: Anchor, _: Anchor, _: u16) -> String {
        String::new()
    }
}

fn body(heights: &[usize]) -> Heights {
    Heights(heights.to_vec(), vec![false; heights.len()])
}

const VIEWPORT: Viewport = Viewport { width: 10, height: 4 };

#[test]
fn who_comes_to_the_end_stays_there_and_who_leaves_it_stays_where_they_are() {
    let mut body = body(&[1; 10]);
    let mut scroll = Scroll::END;
    assert_eq!(scroll.top(&body, VIEWPORT), Anchor { item: 6, row: 0 });
    scroll.go(Move::Up, &body, VIEWPORT);
    assert!(!scroll.following);
    body.0.push(1);
    body.1.push(false);
    assert_eq!(scroll.top(&body, VIEWPORT), Anchor { item: 5, row: 0 });
    scroll.go(Move::PageDown, &body, VIEWPORT);
    assert!(scroll.following);
    scroll.go(Move::First, &body, VIEWPORT);
    assert_eq!(scroll.top(&body, VIEWPORT), Anchor::default());
    scroll.go(Move::Last, &body, VIEWPORT);
    assert!(scroll.following);
}

#[test]
fn what_fits_does_not_move() {
    let body = body(&[1, 2]);
    let mut scroll = Scroll::END;
    for direction in [Move::Up, Move::Down, Move::PageUp, Move::First] {
        scroll.go(direction, &body, VIEWPORT);
        assert_eq!(scroll.seen(&body, VIEWPORT), [(0, 0..1), (1, 0..2)]);
        assert!(scroll.following, "whoever sees all sees the end");
    }
}

#[test]
fn jumps_go_from_one_foldable_item_to_the_next() {
    let mut body = body(&[1, 6, 3, 2, 8, 2]);
    let mut scroll = Scroll::START;
    scroll.jump(true, &body, VIEWPORT);
    assert_eq!(scroll.selected, Some(1));
    scroll.jump(true, &body, VIEWPORT);
    assert_eq!((scroll.selected, scroll.top(&body, VIEWPORT)), (Some(3), Anchor { item: 3, row: 0 }));
    scroll.jump(false, &body, VIEWPORT);
    assert_eq!((scroll.selected, scroll.top(&body, VIEWPORT)), (Some(1), Anchor { item: 1, row: 0 }));
    scroll.by(2, &body, VIEWPORT);
    let item = scroll.at_hand(&body, VIEWPORT).unwrap();
    scroll.fold(item, &mut body, VIEWPORT);
    assert_eq!(scroll.top(&body, VIEWPORT), Anchor { item: 1, row: 0 });
    assert_eq!(scroll.item_at(1, &body, VIEWPORT), Some((2, true)));
    assert_eq!(scroll.item_at(2, &body, VIEWPORT), Some((2, false)));
}

proptest! {
    #[test]
    fn nothing_leads_out_of_the_text(
        heights in prop::collection::vec(1usize..9, 0..20),
        height in 0u16..12,
        steps in prop::collection::vec((0u8..11, -20isize..20), 0..40),
    ) {
        let mut body = body(&heights);
        let mut scroll = Scroll::END;
        for (step, rows) in steps {
            let viewport = Viewport { width: 10, height };
            match step {
                0 => scroll.go(Move::PageUp, &body, viewport),
                1 => scroll.go(Move::PageDown, &body, viewport),
                2 => scroll.go(Move::First, &body, viewport),
                3 => scroll.go(Move::Last, &body, viewport),
                4 => scroll.jump(true, &body, viewport),
                5 => scroll.jump(false, &body, viewport),
                6 => if let Some(item) = scroll.at_hand(&body, viewport) {
                    scroll.fold(item, &mut body, viewport);
                },
                7 => scroll.fold_all(&mut body, viewport),
                _ => scroll.by(rows, &body, viewport),
            }
            let all: usize = (0..body.len()).map(|item| body.height(item, 10)).sum();
            let seen: usize = scroll.seen(&body, viewport).into_iter().map(|(_, rows)| rows.len()).sum();
            prop_assert_eq!(seen, all.min(usize::from(height)), "the place is full as long as there is enough");
        }
    }
}
