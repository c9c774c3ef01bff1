//! The lines of the list: groups, their live runs, and their finished ones, which are folded unless asked for.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};

use agency_model::{RunId, RunKind, SessionId};
use serde::{Deserialize, Serialize};

use super::order::urgency;
use super::{Grouping, ListedRun, Pick, RunList, Sorting, race};

/// What a group is about. The order is that of the list: what waits for the user is always on top.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::tui) enum GroupKey {
    Waiting,
    /// Failed, and the user has not seen it.
    Failed,
    /// The newest race comes first.
    Race(std::cmp::Reverse<String>),
    Repository {
        name: String,
        path: String,
    },
    Session(std::cmp::Reverse<SessionId>),
    Rest,
}

/// Why a group is shown before others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::tui) enum Attention {
    None,
    Waiting,
    Failed,
}

/// One line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::tui) enum RunsLine {
    Group { title: String, attention: Attention },
    Run(RunId),
    Finished { key: GroupKey, count: usize, unfolded: bool },
}

/// The group in which a run stands.
pub(super) fn group_of(entry: &ListedRun, list: &RunList) -> GroupKey {
    if entry.asks > 0 {
        return GroupKey::Waiting;
    }
    if list.failures.is_new(&entry.row) {
        return GroupKey::Failed;
    }
    if let (Some(race), Grouping::Repository | Grouping::Workflow) = (&entry.row.race_id, list.grouping) {
        return GroupKey::Race(std::cmp::Reverse(race.clone()));
    }
    match list.grouping {
        Grouping::Nothing => GroupKey::Rest,
        Grouping::Repository => {
            let path = entry.row.repo_path.clone();
            let name = path.rsplit('/').next().unwrap_or(&path).to_owned();
            GroupKey::Repository { name, path }
        }
        Grouping::Workflow => {
            entry.row.workflow_session.clone().map_or(GroupKey::Rest, |id| GroupKey::Session(std::cmp::Reverse(id)))
        }
    }
}

/// All lines.
pub(super) fn arrange(list: &RunList) -> Vec<RunsLine> {
    let words: Vec<String> = list.filter.split_whitespace().map(str::to_lowercase).collect();
    let mut groups: BTreeMap<GroupKey, (Vec<&ListedRun>, Vec<&ListedRun>)> = BTreeMap::new();
    let decided = race::decided(list);
    for entry in list.entries.values().filter(|entry| matches(entry, &words)) {
        let key = group_of(entry, list);
        // What the user has not seen is not folded away, nor is a race that is not decided.
        let folds = entry.row.state.is_terminal()
            && match &key {
                GroupKey::Failed => false,
                GroupKey::Race(race) => decided.contains(race.0.as_str()),
                GroupKey::Waiting | GroupKey::Repository { .. } | GroupKey::Session(_) | GroupKey::Rest => true,
            };
        let (live, finished) = groups.entry(key).or_default();
        if folds { finished.push(entry) } else { live.push(entry) }
    }
    // Where nothing is at work comes last.
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.sort_by_key(|(_, (live, _))| live.is_empty());
    let names = workflow_names(list);
    let several = groups.len() > 1 || list.grouping != Grouping::Nothing;
    let mut lines = vec![];
    for (key, (mut live, mut finished)) in groups {
        if several {
            let attention = attention(&key);
            lines.push(RunsLine::Group { title: title(&key, list, &names), attention });
        }
        let is_race = matches!(key, GroupKey::Race(_));
        let order = |a: &&ListedRun, b: &&ListedRun| match is_race {
            true => race::compare(a, b),
            false => compare(a, b, list.sorting),
        };
        live.sort_by(order);
        lines.extend(live.iter().map(|entry| RunsLine::Run(entry.row.id.clone())));
        if finished.is_empty() {
            continue;
        }
        // A filter shows what matches, also in folded groups.
        let unfolded = list.is_unfolded(&key) || !words.is_empty();
        if words.is_empty() {
            lines.push(RunsLine::Finished { key, count: finished.len(), unfolded });
        }
        if unfolded {
            finished.sort_by(order);
        } else {
            // A selected run stays selected when it ends.
            finished.retain(|entry| matches!(&list.selected, Some(Pick::Run(id)) if *id == entry.row.id));
        }
        lines.extend(finished.iter().map(|entry| RunsLine::Run(entry.row.id.clone())));
    }
    lines
}

/// What each session executes, as its driver is called.
fn workflow_names(list: &RunList) -> HashMap<&SessionId, &str> {
    let drivers = list.entries.values().filter(|entry| entry.row.kind == RunKind::Workflow);
    drivers.filter_map(|entry| Some((entry.row.workflow_session.as_ref()?, entry.row.name.as_deref()?))).collect()
}

const fn attention(key: &GroupKey) -> Attention {
    match key {
        GroupKey::Waiting => Attention::Waiting,
        GroupKey::Failed => Attention::Failed,
        GroupKey::Race(_) | GroupKey::Repository { .. } | GroupKey::Session(_) | GroupKey::Rest => Attention::None,
    }
}

fn title(key: &GroupKey, list: &RunList, names: &HashMap<&SessionId, &str>) -> String {
    match key {
        GroupKey::Waiting => "waiting for you".to_owned(),
        GroupKey::Failed => "failed since you last looked".to_owned(),
        GroupKey::Race(race) => race::title(&race.0, list),
        GroupKey::Repository { name, .. } => name.clone(),
        GroupKey::Session(id) => match names.get(&id.0) {
            Some(name) => format!("{name} · {}", id.0),
            None => id.0.to_string(),
        },
        GroupKey::Rest if list.grouping == Grouping::Workflow => "without a workflow".to_owned(),
        GroupKey::Rest => "others".to_owned(),
    }
}

fn compare(a: &ListedRun, b: &ListedRun, sorting: Sorting) -> Ordering {
    let newest = || b.row.id.cmp(&a.row.id);
    let name = |entry: &ListedRun| entry.row.name.as_deref().unwrap_or("\u{10ffff}").to_lowercase();
    let cost = |entry: &ListedRun| entry.row.usage.cost_usd.unwrap_or(0.0);
    match sorting {
        Sorting::Newest => newest(),
        Sorting::Status => urgency(a).cmp(&urgency(b)).then_with(newest),
        Sorting::Name => name(a).cmp(&name(b)).then_with(newest),
        Sorting::Cost => cost(b).total_cmp(&cost(a)).then_with(newest),
    }
}

/// Whether every word is somewhere in what is known of the run.
fn matches(entry: &ListedRun, words: &[String]) -> bool {
    if words.is_empty() {
        return true;
    }
    let row = &entry.row;
    let activity = row.activity.map(agency_model::Activity::as_str).unwrap_or_default();
    let fields = [
        row.id.as_str(),
        row.name.as_deref().unwrap_or_default(),
        &row.repo_path,
        row.new_branch.as_deref().unwrap_or_default(),
        &row.runner_kind,
        row.state.as_str(),
        activity,
        row.workflow_session.as_ref().map(SessionId::as_str).unwrap_or_default(),
    ];
    let all = fields.join("\n").to_lowercase();
    words.iter().all(|word| all.contains(word.as_str()))
}
