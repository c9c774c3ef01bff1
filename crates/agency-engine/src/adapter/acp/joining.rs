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

use super::{Acp, Stage, Step, wire};
use crate::adapter::mcp::in_protocol;
use crate::adapter::objects::{NotUnderstood, unknown};
use crate::adapter::{Heard, Opening, Outcome, session};

/// A request that no agent knows. Gemini answers `session/load` first and tells the history afterwards: when this one
/// is refused, all that came before it has been told.
const CAUGHT_UP: &str = "_agency/caught_up";

impl Acp {
    /// The first words. No files and no terminals are offered: agents use their own.
    pub(super) fn greet(&mut self) -> Vec<u8> {
        let client = Implementation::new("agency", env!("CARGO_PKG_VERSION"));
        let greeting = InitializeRequest::new(ProtocolVersion::V1).client_info(client);
        self.request(Step::Greeting, AGENT_METHOD_NAMES.initialize, greeting)
    }

    pub(super) fn greeted(&mut self, result: Option<&RawValue>, object: &str, heard: &mut Vec<Heard>) {
        let Some(Opening { directory, resume, mcp_servers, .. }) = self.opening.clone() else {
            return;
        };
        let Ok(InitializeResponse { protocol_version, agent_capabilities, .. }) = wire::read(result) else {
            heard.push(unknown(object.to_owned()));
            return self.refused("the agent's greeting was not understood".to_owned(), heard);
        };
        if protocol_version != ProtocolVersion::V1 {
            let why = format!("the agent speaks version {protocol_version} of the protocol, and not version 1");
            return self.refused(why, heard);
        }
        // A path that is no text cannot be said: the agent will not find what it is told instead, and will say so.
        let directory = PathBuf::from(directory.to_string_lossy().into_owned());
        let servers = in_protocol(&mcp_servers);
        let join = match resume {
            None => {
                let new = NewSessionRequest::new(directory).mcp_servers(servers);
                self.request(Step::Joining, AGENT_METHOD_NAMES.session_new, new)
            }
            Some(id) if agent_capabilities.session_capabilities.resume.is_some() => {
                let resume = ResumeSessionRequest::new(id, directory).mcp_servers(servers);
                self.request(Step::Joining, AGENT_METHOD_NAMES.session_resume, resume)
            }
            Some(id) if agent_capabilities.load_session => {
                let load = LoadSessionRequest::new(id, directory).mcp_servers(servers);
                self.request(Step::Loading, AGENT_METHOD_NAMES.session_load, load)
            }
            Some(_) => return self.refused("the agent cannot go on with an earlier conversation".to_owned(), heard),
        };
        self.say(join, heard);
    }

    pub(super) fn joined(&mut self, result: Option<&RawValue>, object: &str, heard: &mut Vec<Heard>) {
        let resumed = self.opening.as_ref().and_then(|opening| opening.resume.clone());
        let id = match resumed {
            Some(id) => Ok(id),
            None => wire::read(result).map(|NewSessionResponse { session_id, .. }| session_id.to_string()),
        };
        match id {
            Ok(id) => {
                session(&mut self.session, id, heard);
                self.go_on(heard);
            }
            Err(NotUnderstood) => {
                heard.push(unknown(object.to_owned()));
                self.refused("the agent's new session was not understood".to_owned(), heard);
            }
        }
    }

    pub(super) fn loaded(&mut self, heard: &mut Vec<Heard>) {
        if let Some(id) = self.opening.as_ref().and_then(|opening| opening.resume.clone()) {
            session(&mut self.session, id, heard);
        }
        let wait = self.request(Step::CatchingUp, CAUGHT_UP, json!({}));
        self.say(wait, heard);
    }

    pub(super) fn refused(&mut self, why: String, heard: &mut Vec<Heard>) {
        if self.opening.is_some() {
            self.stage = Stage::Refused(why.clone());
        }
        heard.push(Heard::Event(Event::Error { message: why.clone() }));
        heard.push(Heard::Result(Outcome::failure(why)));
    }
}
