//! The MCP servers that agents get.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Located;
use crate::launch::words;

/// Servers by name.
pub type McpServers = BTreeMap<String, Located<McpServer>>;

/// One server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum McpServer {
    /// One that agency knows how to start.
    Preset(McpPreset),
    /// A program that is spoken to on its standard input and output.
    Command {
        /// The program.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// What is added to its environment.
        env: BTreeMap<String, String>,
    },
    /// A server that is reached by its address.
    Remote {
        /// The address.
        url: String,
        /// What each request says of its sender.
        headers: BTreeMap<String, String>,
    },
}

words! {
    /// The servers that need no more than their name.
    McpPreset {
        /// Reading and writing files of the workspace.
        Filesystem = "filesystem",
        /// A browser.
        Puppeteer = "puppeteer",
        /// GitHub, with the token of the environment.
        Github = "github",
    }
}
