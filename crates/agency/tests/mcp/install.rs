//! Registering the server with agents.
