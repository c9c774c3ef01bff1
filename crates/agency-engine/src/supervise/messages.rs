//! Messages, interrupts and answers on their way to the agent: the requests that bring them, and the bytes that it gets.

use agency_adapters::{EncodeError, ToAgent};
use agency_model::Event;
use agency_model::conversation::{Input, InterruptKey, Medium, Message, MessageOrigin, ProcessStart, RequestFailure};
use agency_system::fault;

use super::Supervisor;
use crate::store::{Interrupt, Request, RequestOutcome};

/// Why a message or an answer cannot be passed to an agent that runs.
pub(super) const INPUT_CLOSED: &str = "the agent no longer reads its input";

const ESCAPE: &[u8] = b"\x1b";
const CONTROL_C: &[u8] = b"\x03";

impl Supervisor<'_> {
    /// Opens the conversation with a new process.
    pub(super) fn begin_conversation(&mut self, pid: u32) {
        let medium = self.medium();
        if medium == Medium::Protocol {
            let first = self.protocol.reader.as_ref().map(|reader| reader.channel().open()).unwrap_or_default();
            // A process that does not read its input exits, or is reported when it gets a message.
            let _ = self.process.write(&first);
        }
        let has_prompt = self.process.start().opening.as_ref().is_none_or(|opening| opening.prompt.is_some());
        let (stays, reports_turns) = (self.launch.stays, self.protocol.reports_turns());
        self.converse(Input::Started(ProcessStart { pid, medium, has_prompt, stays, reports_turns }));
    }

    fn medium(&self) -> Medium {
        match (self.display.screen(), self.protocol.is_conversation()) {
            (Some(_), _) => Medium::Screen { understood: self.screen_reader.understands() },
            (None, true) => Medium::Protocol,
            (None, false) => Medium::OneWay,
        }
    }

    /// Does what the open requests ask for.
    pub(super) fn handle_requests(&mut self) {
        self.renew_store();
        match self.store.take_requests(&self.id) {
            Ok(requests) => {
                for request in requests {
                    if let Some((number, request)) = self.setup.hold(request) {
                        self.handle_request(number, request);
                    }
                }
            }
            Err(error) => self.report_store_error("a request could not be read", &error),
        }
    }

    pub(super) fn handle_request(&mut self, number: i64, request: Request) {
        match request {
            Request::Stop { grace } => self.feed_stop(grace),
            Request::Answer(question) => self.deliver_answer(&question, number),
            Request::Message(text) => {
                fault::point("tell.taken");
                let origin = MessageOrigin::Request(number);
                let text = self.with_note(text);
                self.converse(Input::Message(Message { text, origin }));
            }
            Request::Record(event) => {
                self.note_restore(&event);
                self.append(Event::Work(event));
                self.finish_request(number, Ok("recorded".to_owned()));
            }
            Request::Interrupt(Interrupt::Always) => {
                self.converse(Input::Interrupt { request: number, unless_asked: false });
            }
            Request::Interrupt(Interrupt::UnlessAsked) => {
                // A dialog may be on the screen that was not read yet.
                self.read_screen();
                self.converse(Input::Interrupt { request: number, unless_asked: true });
            }
        }
    }

    /// Stores the outcome of a request, for the command that waits for it.
    pub(super) fn finish_request(&mut self, number: i64, outcome: Result<String, RequestFailure>) {
        let succeeded = outcome.is_ok();
        let (Ok(outcome) | Err(RequestFailure(outcome))) = outcome;
        if let Err(error) = self.store.finish_request(number, &RequestOutcome { succeeded, outcome }) {
            self.report_store_error("the outcome of a request could not be stored", &error);
        }
        // The commands that wait check the row again.
        self.waiters.clear();
    }

    /// Writes a message by the agent's protocol.
    pub(super) fn send_message(&mut self, text: String) {
        let result = self.encode_and_write(&ToAgent::Message(text));
        self.converse(Input::MessageSent(result));
    }

    /// Writes an interrupt by the agent's protocol.
    pub(super) fn send_interrupt(&mut self, request: i64) {
        let result = self.encode_and_write(&ToAgent::Interrupt);
        self.converse(Input::InterruptSent { request, result });
    }

    fn encode_and_write(&mut self, message: &ToAgent) -> Result<(), RequestFailure> {
        let reader = self.protocol.reader.as_ref().ok_or(EncodeError::OneWay);
        let bytes = reader.and_then(|reader| reader.channel().encode(message)).map_err(|error| error.to_string())?;
        self.process.write(&bytes).map_err(|_| INPUT_CLOSED)?;
        self.handle_pending_items();
        Ok(())
    }

    /// Presses a key that interrupts the agent.
    pub(super) fn press_key(&mut self, key: InterruptKey) {
        let bytes = match key {
            InterruptKey::Escape => ESCAPE,
            InterruptKey::ControlC => CONTROL_C,
        };
        self.type_keys(vec![bytes.to_vec()]);
    }
}
