//! A process is killed while it keeps and reports a forecast: no conflict is lost, and none is reported without end.

use super::{conflicts, data, finished, here, world};

#[cfg(feature = "fault-points")]
#[test]
fn a_report_that_was_killed_is_completed_by_the_next_forecast() {
    for (point, most) in [("forecast.kept", 1), ("forecast.reported", 2)] {
        let (world, repo) = world();
        repo.commit_file("shared.txt", "one\n");
        let left = finished(&world, &repo, "left", "echo left > shared.txt");
        let right = finished(&world, &repo, "right", "echo right > shared.txt");
        let witness = world.root().join("witness");
        let mut killed = here(&world, &repo, &["forecast"]);
        killed.env("AGENCY_FAULT_POINT", point).env("AGENCY_FAULT_WITNESS", &witness);
        world.run(&mut killed);
        assert_eq!(std::fs::read_to_string(&witness).unwrap().trim(), point);
        for _ in 0..2 {
            assert_eq!(conflicts(&data(&world, &repo, &["forecast"])), ["left right shared.txt"]);
        }
        for id in [&left, &right] {
            let events = world.run_with_id(id).events();
            let count = events.iter().filter(|event| event["type"] == "conflict_forecast").count();
            assert!((1..=most).contains(&count), "{point}: {count}");
        }
    }
}
