//! A program of its own that uses the library: it is started again by the library, and has a `main` of its own.
//!
//! It runs its tests itself, by the protocol of the test runners, because a test harness would be in the way of `init`.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "all of it is a test"
)]

mod adapters;
mod configuration;
mod following;
mod forgetful;
mod place;
mod starting;
mod stopping;

use std::process::ExitCode;

/// What a process of this program is, where it is not the one that runs the tests.
const ROLE: &str = "OUTSIDE_PROGRAM";

type Test = (&'static str, fn());

const TESTS: &[Test] = &[
    ("a_run_of_a_program_with_init_completes", starting::a_run_of_a_program_with_init_completes),
    ("handles_can_be_cloned_and_sent", starting::handles_can_be_cloned_and_sent),
    ("init_in_an_async_main_is_explained", starting::init_in_an_async_main_is_explained),
    ("a_limit_of_any_length_is_accepted", starting::a_limit_of_any_length_is_accepted),
    (
        "a_watcher_is_stopped_from_another_thread_and_the_run_continues",
        stopping::a_watcher_is_stopped_from_another_thread_and_the_run_continues,
    ),
    (
        "a_watch_of_the_inbox_is_stopped_from_another_thread",
        stopping::a_watch_of_the_inbox_is_stopped_from_another_thread,
    ),
    ("without_init_a_run_is_refused_at_once", forgetful::without_init_a_run_is_refused_at_once),
    (
        "without_init_a_program_does_not_start_itself_again",
        forgetful::without_init_a_program_does_not_start_itself_again,
    ),
    ("without_init_a_child_opens_nothing", forgetful::without_init_a_child_opens_nothing),
    (
        "a_child_that_continues_after_its_work_opens_nothing",
        forgetful::a_child_that_continues_after_its_work_opens_nothing,
    ),
    (
        "relative_paths_are_taken_from_the_current_directory",
        starting::relative_paths_are_taken_from_the_current_directory,
    ),
    ("a_supervisor_that_is_not_there_is_named", starting::a_supervisor_that_is_not_there_is_named),
    ("one_plan_is_created_once", starting::one_plan_is_created_once),
    ("a_driver_uses_the_configuration_in_memory", configuration::a_driver_uses_the_configuration_in_memory),
    (
        "a_session_whose_driver_does_not_know_an_adapter_ends_with_its_name",
        configuration::a_session_whose_driver_does_not_know_an_adapter_ends_with_its_name,
    ),
    (
        "a_session_is_followed_in_one_thread_and_approved_by_a_clone_in_another",
        following::a_session_is_followed_in_one_thread_and_approved_by_a_clone_in_another,
    ),
    ("an_adapter_of_the_program_is_used_by_its_name", adapters::an_adapter_of_the_program_is_used_by_its_name),
    ("an_adapter_that_a_child_does_not_know_is_named", adapters::an_adapter_that_a_child_does_not_know_is_named),
    ("an_adapter_is_refused_with_the_reason", adapters::an_adapter_is_refused_with_the_reason),
];

fn main() -> ExitCode {
    match std::env::var(ROLE).as_deref() {
        // It does not call `init`.
        Ok("forgetful") => return forgetful::main(),
        Ok("continuing") => return forgetful::continuing_main(),
        Ok("without-adapters") => agency_engine::init(),
        Ok("async") => tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
            agency_engine::init();
        }),
        Ok(_) | Err(_) => agency_engine::Init::new().adapter("mine", &adapters::Mine).run().unwrap(),
    }
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |word: &str| arguments.iter().any(|argument| argument == word);
    if has("--list") {
        for (name, _) in TESTS.iter().filter(|_| !has("--ignored")) {
            println!("{name}: test");
        }
        return ExitCode::SUCCESS;
    }
    let filters: Vec<&String> = arguments.iter().filter(|argument| !argument.starts_with('-')).collect();
    for (name, test) in TESTS {
        if filters.is_empty() || filters.iter().any(|filter| name.contains(filter.as_str())) {
            println!("{name}");
            test();
        }
    }
    ExitCode::SUCCESS
}
