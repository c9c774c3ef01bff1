//! A whole session at the screen: a run is started, its question answered, its diff read, another one stopped.

use agency_testkit::{Agent, Terminal, World, conversation, wait_for};

use super::fixture::{LIMIT, screen, screen_with, waiting, world};

/// Says what it does, changes a file, asks before it goes on, and ends its turn.
fn worker() -> Agent {
    conversation::speaking(
        "hear_message\n\
         tell \"I look at the kitchen first.\"\n\
         say '{\"type\":\"assistant\",\"message\":{\"role\":\"assistant\",\"content\":[{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"Bash\",\"input\":{\"command\":\"ls kitchen\"}}]}}'\n\
         say '{\"type\":\"user\",\"message\":{\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"t1\",\"content\":\"stove\\ndoor\"}]}}'\n\
         echo 'A stove and a door.' >kitchen.md\n\
         permission 1\nhear_reply ask-1\ntell \"The door is open.\"\nfinish done\nhear_the_end",
    )
}

fn press(terminal: &Terminal, keys: &[&str]) {
    terminal.send_keys(keys);
}

/// The runs, by their names.
fn state_of(world: &World, name: &str) -> String {
    let answer = world.json(&["ls", "--all"]);
    let runs = answer["data"]["runs"].as_array().unwrap().clone();
    let run = runs.iter().find(|run| run["name"] == name).unwrap_or_else(|| panic!("no {name} in {answer:#}"));
    run["state"].as_str().unwrap().to_owned()
}

#[test]
fn a_run_is_started_asked_for_answered_read_and_another_one_stopped() {
    let (world, repo) = world();
    world.agent("worker", worker());
    world.set("default_agent", "\"worker\"");
    waiting(&world, &repo, "bystander");
    let terminal = screen(&world, "bystander");

    // A new run in the repository of the selected one, by an agent that is chosen, with a prompt of two lines.
    press(&terminal, &["n"]);
    terminal.wait_for_text("New run");
    terminal.type_text("Describe the kitchen,");
    press(&terminal, &["Enter"]);
    terminal.type_text("and q the door?");
    terminal.wait_for_text("and q the door?");
    // Backwards from the prompt to the name, and on to where it runs and how.
    press(&terminal, &["BTab"]);
    terminal.type_text("kitchen");
    press(&terminal, &["BTab", "Right"]);
    terminal.wait_for_text("detached");
    press(&terminal, &["BTab", "Right"]);
    terminal.wait_for_text("headless");
    press(&terminal, &["BTab"]);
    for _ in 0..12 {
        if terminal.screen().contains("‹ worker ›") {
            break;
        }
        press(&terminal, &["Right"]);
    }
    terminal.wait_for_text("‹ worker ›");
    press(&terminal, &["C-s"]);
    terminal.wait_until("the new run, selected", |screen| !screen.contains("New run") && screen.contains("kitchen"));

    // Its question is a badge, and the keys still go to the list.
    terminal.wait_for_text("1 question");
    terminal.wait_for_text("I look at the kitchen first.");
    press(&terminal, &["i"]);
    terminal.wait_for_text("touch file-1");
    press(&terminal, &["a"]);
    terminal.wait_until("no badge", |screen| !screen.contains("1 question"));
    press(&terminal, &["Escape"]);
    terminal.wait_for_text("The door is open.");

    // The call of a tool is folded to a line, and unfolded by a key.
    assert!(!terminal.screen().contains("stove"), "{}", terminal.screen());
    press(&terminal, &["Enter", "o"]);
    terminal.wait_for_text("stove");

    // What it changed.
    press(&terminal, &["2"]);
    let diff = terminal.wait_for_text("A stove and a door.");
    assert!(diff.contains("kitchen.md"), "{diff}");
    press(&terminal, &["Escape"]);
    // A key that follows at once would be read as one with Alt.
    terminal.wait_until("the keys of the list", |screen| screen.lines().last() != diff.lines().last());

    // Another run is stopped; the first no is a no.
    press(&terminal, &["/"]);
    terminal.type_text("bystander");
    press(&terminal, &["Enter"]);
    press(&terminal, &["x"]);
    terminal.wait_for_text("Stop bystander?");
    press(&terminal, &["n"]);
    terminal.wait_until("no question", |screen| !screen.contains("Stop bystander?"));
    assert_eq!(state_of(&world, "bystander"), "running");
    press(&terminal, &["x"]);
    terminal.wait_for_text("Stop bystander?");
    press(&terminal, &["y"]);
    terminal.wait_for_text("bystander is killed");
    press(&terminal, &["q"]);
    assert_eq!(terminal.wait_for_exit(), 0);

    assert_eq!(state_of(&world, "bystander"), "killed");
    wait_for("the end of the new run", LIMIT, || (state_of(&world, "kitchen") == "completed").then_some(()));
    let kitchen = world.runs().into_iter().find(|run| world.show(run)["name"] == "kitchen").unwrap();
    let spec = world.show(&kitchen)["spec"].clone();
    assert_eq!((spec["mode"].as_str(), spec["host"].as_str()), (Some("headless"), Some("detached")));
    let told = kitchen.heard().first().map(ToString::to_string).unwrap_or_default();
    assert!(told.contains("Describe the kitchen,\\nand q the door?"), "{told}");
}

#[test]
fn the_terminal_is_lent_to_a_shell_and_to_an_agent_and_comes_back() {
    let (world, repo) = world();
    world.agent("greeter", "stty -echo; printf 'who is there? '; read -r name; echo \"hello $name\"; read -r end");
    world.begin(&repo, "greeter", &["--host", "detached", "--name", "door"]);
    let terminal = screen(&world, "door");
    press(&terminal, &["!"]);
    terminal.wait_for_text("exit returns");
    terminal.type_text("basename $PWD; exit");
    press(&terminal, &["Enter"]);
    terminal.wait_for_text("1 live");
    // The live screen is beside the list, and attaching goes to the agent itself.
    terminal.wait_for_text("who is there?");
    press(&terminal, &["a"]);
    terminal.wait_until("the agent alone", |screen| !screen.contains("1 live") && screen.contains("who is there?"));
    terminal.type_text("nobody");
    press(&terminal, &["Enter"]);
    terminal.wait_for_text("hello nobody");
    press(&terminal, &["C-\\"]);
    terminal.wait_for_text("1 live");
    terminal.wait_for_text("hello nobody");
    press(&terminal, &["q"]);
    assert_eq!(terminal.wait_for_exit(), 0);
}

#[test]
fn a_message_is_written_sent_and_kept_when_it_is_not() {
    let (world, repo) = world();
    world.agent("echoing", conversation::echoing());
    let run = world.begin(&repo, "echoing", &["--host", "detached", "--mode", "headless", "--name", "echo"]);
    let terminal = screen(&world, "echo");
    press(&terminal, &["m"]);
    terminal.wait_for_text("Message to echo");
    terminal.type_text("half a thou");
    press(&terminal, &["Escape"]);
    terminal.wait_until("no editor", |screen| !screen.contains("Message to echo"));
    press(&terminal, &["m"]);
    terminal.wait_for_text("half a thou");
    terminal.type_text("ght");
    press(&terminal, &["C-s"]);
    terminal.wait_for_text("heard: half a thought");
    assert!(run.heard().iter().any(|line| line["message"]["content"] == "half a thought"), "{:?}", run.heard());
}

#[test]
fn an_interrupted_editor_takes_neither_the_screen_nor_the_text_with_it() {
    let (world, repo) = world();
    world.agent("echoing", conversation::echoing());
    world.begin(&repo, "echoing", &["--host", "detached", "--mode", "headless", "--name", "echo"]);
    let editor = world.agent("editor", "echo editing; exec sleep 1000");
    let terminal = screen_with(&world, &[&format!("EDITOR={}", editor.display())], &["tui"]);
    terminal.wait_for_text("echo");
    press(&terminal, &["m"]);
    terminal.wait_for_text("Message to echo");
    terminal.type_text("half a thought");
    press(&terminal, &["C-e"]);
    terminal.wait_for_text("editing");
    press(&terminal, &["C-c"]);
    let back = terminal.wait_for_text("the text is unchanged");
    assert!(back.contains("half a thought"), "{back}");
    press(&terminal, &["C-s"]);
    terminal.wait_for_text("heard: half a thought");
}
