//! How a conversation begins: a greeting, then a new session or an earlier one.

use std::path::PathBuf;

use agency_model::Event;
use agent_client_protocol_schema::ProtocolVersion;
use agent_client_protocol_schema::v1::{
    AGENT_METHOD_NAMES, Implementation, InitializeRequest, InitializeResponse, LoadSessionRequest, NewSessionRequest,
    NewSessionResponse, ResumeSessionRequest,
};
use serde_json::json;
use serde_json::value::RawValue;

use super::{Acp, Awaited, Stage, wire};
use crate::json_lines::{NotUnderstood, unknown};
use crate::mcp::in_protocol;
use crate::{Opening, Outcome, StreamItem, session};

/// A request that no agent knows. Gemini answers `session/load` first and sends the history afterwards: when this one
/// is refused, the history is complete.
const REPLAY_END_METHOD: &str = "_agency/caught_up";

impl Acp {
    /// The first words. No files and no terminals are offered: agents use their own.
    pub(super) fn initialize(&mut self) -> Vec<u8> {
        let client = Implementation::new("agency", env!("CARGO_PKG_VERSION"));
        let greeting = InitializeRequest::new(ProtocolVersion::V1).client_info(client);
        self.request(Awaited::Initialize, AGENT_METHOD_NAMES.initialize, greeting)
    }

    pub(super) fn initialized(&mut self, result: Option<&RawValue>, object: &str, items: &mut Vec<StreamItem>) {
        let Some(Opening { directory, resume, mcp_servers, .. }) = self.opening.clone() else {
            return;
        };
        let Ok(InitializeResponse { protocol_version, agent_capabilities, .. }) = wire::read(result) else {
            items.push(unknown(object.to_owned()));
            return self.refused("the agent's initialize response was not understood".to_owned(), items);
        };
        if protocol_version != ProtocolVersion::V1 {
            let why = format!("the agent speaks version {protocol_version} of the protocol, and not version 1");
            return self.refused(why, items);
        }
        // A path that is not UTF-8 cannot be sent: the agent will not find the replacement, and will report that.
        let directory = PathBuf::from(directory.to_string_lossy().into_owned());
        let servers = in_protocol(&mcp_servers);
        let join = match resume {
            None => {
                let new = NewSessionRequest::new(directory).mcp_servers(servers);
                self.request(Awaited::Session, AGENT_METHOD_NAMES.session_new, new)
            }
            Some(id) if agent_capabilities.session_capabilities.resume.is_some() => {
                let resume = ResumeSessionRequest::new(id, directory).mcp_servers(servers);
                self.request(Awaited::Session, AGENT_METHOD_NAMES.session_resume, resume)
            }
            Some(id) if agent_capabilities.load_session => {
                let load = LoadSessionRequest::new(id, directory).mcp_servers(servers);
                self.request(Awaited::Load, AGENT_METHOD_NAMES.session_load, load)
            }
            Some(_) => return self.refused("the agent cannot resume an earlier conversation".to_owned(), items),
        };
        self.say(join, items);
    }

    pub(super) fn session_opened(&mut self, result: Option<&RawValue>, object: &str, items: &mut Vec<StreamItem>) {
        let resumed = self.opening.as_ref().and_then(|opening| opening.resume.clone());
        let id = match resumed {
            Some(id) => Ok(id),
            None => wire::read(result).map(|NewSessionResponse { session_id, .. }| session_id.to_string()),
        };
        match id {
            Ok(id) => {
                session(&mut self.session, id, items);
                self.start_next_turn(items);
            }
            Err(NotUnderstood) => {
                items.push(unknown(object.to_owned()));
                self.refused("the agent's new session was not understood".to_owned(), items);
            }
        }
    }

    pub(super) fn session_loaded(&mut self, items: &mut Vec<StreamItem>) {
        if let Some(id) = self.opening.as_ref().and_then(|opening| opening.resume.clone()) {
            session(&mut self.session, id, items);
        }
        let wait = self.request(Awaited::ReplayEnd, REPLAY_END_METHOD, json!({}));
        self.say(wait, items);
    }

    pub(super) fn refused(&mut self, why: String, items: &mut Vec<StreamItem>) {
        if self.opening.is_some() {
            self.stage = Stage::Refused(why.clone());
        }
        items.push(StreamItem::Event(Event::Error { message: why.clone() }));
        items.push(StreamItem::Result(Outcome::failure(why)));
    }
}
