//! Tests of the table: what an entry keeps, which one is replaced, and growth.

use super::*;

fn point(x: usize, y: usize) -> Option<Point> {
    Point::new(x, y)
}

fn entry(depth: i32, score: Score, bound: Bound, best: Option<Point>) -> TtEntry {
    TtEntry { score, bound, depth, best, eval: None, was_pv: depth % 2 == 1 }
}

#[test]
fn what_is_stored_is_found_with_its_distance_adjusted() {
    let table = TranspositionTable::new(1 << 16);
    let deep = Ply::ROOT.next().next();
    table.store(77, deep, entry(9, Score::win_in(deep, 5), Bound::Lower, point(21, 21)));
    let hit = table.probe(77, Ply::ROOT).unwrap();
    assert_eq!(
        (hit.score, hit.bound, hit.depth, hit.best),
        (Score::win_in(Ply::ROOT, 5), Bound::Lower, 9, point(21, 21))
    );
    assert!(table.probe(78, Ply::ROOT).is_none());
}

/// Bug: a search of the horizon stored the position again, and it was no former PV node any more.
#[test]
fn a_former_pv_node_remains_one() {
    let table = TranspositionTable::new(1 << 16);
    table.store(77, Ply::ROOT, TtEntry { was_pv: true, ..entry(1, Score::DRAW, Bound::Exact, None) });
    table.store(77, Ply::ROOT, TtEntry { was_pv: false, ..entry(0, Score::DRAW, Bound::Lower, None) });
    let hit = table.probe(77, Ply::ROOT).unwrap();
    assert_eq!((hit.depth, hit.was_pv), (0, true));
}

#[test]
fn a_torn_entry_is_not_found() {
    let table = TranspositionTable::new(1);
    table.store(77, Ply::ROOT, entry(3, Score::DRAW, Bound::Exact, None));
    table.bucket(77)[1].fetch_xor(1 << 30, Ordering::Relaxed);
    assert!(table.probe(77, Ply::ROOT).is_none());
}

#[test]
fn a_new_game_forgets_and_an_old_move_survives_a_moveless_store() {
    let mut table = TranspositionTable::new(1 << 16);
    table.store(5, Ply::ROOT, entry(3, Score::DRAW, Bound::Exact, point(3, 4)));
    table.new_search();
    table.store(5, Ply::ROOT, entry(1, Score::DRAW, Bound::Upper, None));
    assert_eq!(table.probe(5, Ply::ROOT).unwrap().best, point(3, 4));
    table.clear();
    assert!(table.probe(5, Ply::ROOT).is_none());
}

/// Keys whose lowest bits are as good as random.
fn keys() -> impl Iterator<Item = u64> {
    (1..).map(crate::base::hash::scatter)
}

#[test]
fn a_table_that_grows_finds_everything_again() {
    for limit in [FIRST * 5 / 2, FIRST * 4] {
        let table = TranspositionTable::new(limit * BUCKET_BYTES);
        // Few enough that no bucket is full.
        let known: Vec<u64> = keys().take(FIRST as usize / 8).collect();
        for (&key, depth) in known.iter().zip((0..200).cycle()) {
            table.store(key, Ply::ROOT, entry(depth, Score::DRAW, Bound::Exact, None));
        }
        let before = table.bytes();
        for buckets in (0..).map(|i| 1 + i * 37 % 1000) {
            let missing = known
                .iter()
                .zip((0..200).cycle())
                .filter(|&(&key, depth)| table.probe(key, Ply::ROOT).is_none_or(|hit| hit.depth != depth));
            assert_eq!(missing.count(), 0, "with {} of {limit} buckets", table.bytes() / BUCKET_BYTES);
            assert_eq!(table.entries().count(), known.len());
            if table.grow(buckets * 64, false) == 0 {
                break;
            }
        }
        assert!(table.bytes() > before && table.bytes() == table.limit());
    }
}

#[test]
fn a_limit_that_changes_keeps_what_fits() {
    let mut table = TranspositionTable::new(4 * FIRST * BUCKET_BYTES);
    let known: Vec<u64> = keys().take(2000).collect();
    for &key in &known {
        table.store(key, Ply::ROOT, entry(3, Score::DRAW, Bound::Exact, None));
    }
    while table.grow(FIRST, false) > 0 {}
    let found = |table: &TranspositionTable| known.iter().filter(|&&key| table.probe(key, Ply::ROOT).is_some()).count();
    table.set_limit(1 << 30);
    assert_eq!((found(&table), table.limit()), (known.len(), 1 << 30), "a larger limit");
    for part in [2, 3, 4, 100] {
        table.set_limit(4 * FIRST * BUCKET_BYTES / part);
        let (found, fair) = (found(&table), known.len() / part as usize);
        assert!(found >= fair * 9 / 10, "{found} of {} with 1/{part} of the memory", known.len());
        assert!(table.bytes() <= table.limit());
    }
    // Entries that did not fit do not reappear when there is room again.
    let few = found(&table);
    table.set_limit(1 << 30);
    while table.bytes() < 16 << 20 {
        assert!(table.grow(1000, false) > 0);
    }
    assert_eq!(found(&table), few);
}

#[test]
fn a_cleared_table_finds_nothing_however_it_grows() {
    let mut table = TranspositionTable::new(4 * FIRST * BUCKET_BYTES);
    while table.grow(FIRST, false) > 0 {}
    let known: Vec<u64> = keys().take(50_000).collect();
    for game in 0..3 {
        for &key in &known {
            table.store(key, Ply::ROOT, entry(game, Score::DRAW, Bound::Exact, None));
        }
        table.clear();
        while table.grow(FIRST / 2, false) > 0 {
            assert!(known.iter().all(|&key| table.probe(key, Ply::ROOT).is_none()));
            assert_eq!(table.entries().count(), 0);
        }
    }
}

/// Bug: the memory in use was larger than what had been touched, and touching it later spoiled entries.
#[test]
fn a_small_table_that_may_grow_is_ready_as_far_as_it_is_used() {
    let mut table = TranspositionTable::new(1 << 20);
    table.set_limit(64 << 20);
    table.clear();
    assert!(table.bytes() <= table.memory.ready() * BUCKET_BYTES);
}

#[test]
fn growth_at_once_waits_for_no_memory_and_catches_up() {
    let table = TranspositionTable::new(1 << 30);
    let step = FIRST / 4;
    let (mut asked, mut got) = (0, 0);
    while got < 8 * FIRST {
        asked += step;
        got += table.grow(asked - got, true);
        assert!(table.bytes() <= table.memory.ready() * BUCKET_BYTES, "nothing is used before it is ready");
        std::thread::yield_now();
    }
}

#[test]
fn an_evaluation_stays_with_its_position_but_not_in_a_file() {
    let table = TranspositionTable::new(1 << 16);
    for eval in [-1234, 0, 77] {
        let key = eval as u64;
        let known = Some(Score::estimate(eval));
        table.store(key, Ply::ROOT, TtEntry { eval: known, ..entry(2, Score::DRAW, Bound::Upper, None) });
        table.store(key, Ply::ROOT, entry(5, Score::estimate(9), Bound::Lower, point(1, 2)));
        assert_eq!(table.probe(key, Ply::ROOT).unwrap().eval, known);
    }
    let copy = TranspositionTable::new(1 << 16);
    table.entries().for_each(|(key, data)| copy.restore(key, data));
    let hit = copy.probe(77, Ply::ROOT).unwrap();
    assert_eq!((hit.eval, hit.depth, hit.best), (None, 5, point(1, 2)));
}

#[test]
fn a_full_bucket_gives_up_its_shallowest_entry_and_older_ones_first() {
    let mut table = TranspositionTable::new(1 << 16);
    let key = |n: u64| n << 40 | 7;
    let store = |table: &TranspositionTable, n, depth| {
        table.store(key(n), Ply::ROOT, entry(depth, Score::DRAW, Bound::Exact, None));
    };
    let found = |table: &TranspositionTable| -> Vec<u64> {
        (1..20).filter(|&n| table.probe(key(n), Ply::ROOT).is_some()).collect()
    };
    for (n, depth) in [(1, 20), (2, 12), (3, 11), (4, 30)] {
        store(&table, n, depth);
    }
    assert_eq!(2 * found(&table).len(), table.bucket(7).len(), "the bucket is full");
    store(&table, 5, 1);
    assert_eq!(found(&table), [1, 2, 4, 5], "the shallowest goes, though the new one is shallower");
    store(&table, 6, 12);
    assert_eq!(found(&table), [1, 2, 4, 6]);
    table.new_search();
    store(&table, 2, 12);
    store(&table, 7, 12 - AGE_WEIGHT as i32 + 1);
    assert_eq!(found(&table), [1, 2, 4, 7], "of the shallow ones the older goes");
    store(&table, 8, 40);
    assert_eq!(found(&table), [1, 2, 4, 8], "the shallowest again: the others are deeper by more than their age");
}

#[test]
fn a_deeper_bound_stays_until_a_result_is_exact_or_nearly_as_deep_or_of_a_later_search() {
    let mut table = TranspositionTable::new(1 << 16);
    let shallow = 10 - REPLACED_WITHIN - 1;
    let mut depth_after = |later: bool, depth, bound| {
        table.clear();
        table.store(5, Ply::ROOT, entry(10, Score::DRAW, Bound::Lower, None));
        if later {
            table.new_search();
        }
        table.store(5, Ply::ROOT, entry(depth, Score::estimate(9), bound, None));
        table.probe(5, Ply::ROOT).unwrap().depth
    };
    assert_eq!(depth_after(false, shallow, Bound::Lower), 10);
    assert_eq!(depth_after(false, shallow + 1, Bound::Lower), shallow + 1);
    assert_eq!(depth_after(false, shallow, Bound::Exact), shallow);
    assert_eq!(depth_after(true, shallow, Bound::Lower), shallow);
}

#[test]
fn a_proof_is_not_overwritten_by_an_estimate() {
    let table = TranspositionTable::new(1 << 16);
    table.store(9, Ply::ROOT, entry(2, Score::win_in(Ply::ROOT, 7), Bound::Lower, None));
    table.store(9, Ply::ROOT, entry(12, Score::estimate(40), Bound::Exact, None));
    assert!(table.probe(9, Ply::ROOT).unwrap().score.is_win());
}
