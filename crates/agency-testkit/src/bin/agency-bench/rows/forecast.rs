//! `agency forecast` of twenty runs whose work is in checkpoints, beside one `git merge-tree`.

use crate::Bench;
use crate::fixture::{BenchFixture, object, run_id, succeed, timed};
use crate::row::Row;
use crate::sample::Sample;

const FILES: usize = 5_000;
const RUNS: usize = 20;
/// Changes a file that other runs change, too, and four of its own.
const EDIT: &str = r#"
[agents.edit]
command = "sh"
args = ["-c", '''
n=$(printf %s "$AGENCY_RUN_ID" | cksum | cut -d " " -f 1)
echo "changed by $n" >> folder-$((n % 12))/file-$((n % 12 * 50)).txt
for i in 1 2 3 4; do echo "$n" > own-$n-$i; done
''']
"#;

pub(crate) fn measure(bench: &Bench) -> Vec<Row> {
    let place = BenchFixture::new(bench, 8);
    let world = place.world();
    world.set("forecast.automatic", "false");
    world.configure(EDIT);
    let repo = place.repo(FILES);
    let ids: Vec<String> = (0..RUNS)
        .map(|_| {
            let id = run_id(&succeed(&mut place.run(&repo, "edit", &["--host", "detached"])));
            place.wait_for_end(&id);
            id
        })
        .collect();
    let checkpoint = format!("refs/agency/checkpoints/{}", ids[0]);
    let (mut ours, mut theirs) = (Sample::default(), Sample::default());
    for round in 0..=bench.rounds(20, 6) {
        let (forecast, output) = timed(world.command(&["forecast", "--json", "--repo"]).arg(&repo.path));
        let runs = object(&output)["data"]["runs"].as_array().unwrap().clone();
        assert!(runs.len() == RUNS && runs.iter().all(|run| run["source"] == "checkpoint"));
        let (merge, _) = timed(place.program("git").arg("-C").arg(&repo.path).args([
            "merge-tree",
            "--write-tree",
            "main",
            &checkpoint,
        ]));
        if round > 0 {
            ours.add(forecast);
            theirs.add(merge);
        }
    }
    let ratio = ours.ratio(&theirs);
    vec![Row {
        what: format!("`agency forecast` of {RUNS} runs, unchanged since their checkpoints, {FILES} files"),
        ours: ours.to_string(),
        floor: "one `git merge-tree`",
        theirs: theirs.to_string(),
        ratio: Some(ratio),
        limit: "≤ 30×",
        met: Some(ratio <= 30.0),
    }]
}
