//! The ports of runs, and the variables by which commands and agents find them.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, TcpListener};

/// The first of the ports that runs get: above those of known services, below those that systems give to connections.
pub(crate) const FIRST_PORT: u16 = 20_000;
/// How many there are.
pub(crate) const PORTS: u16 = 10_000;

/// The variable that holds a port, such as `AGENCY_PORT_WEB`.
#[must_use]
pub fn port_variable(name: &str) -> String {
    format!("AGENCY_PORT_{}", name.to_ascii_uppercase())
}

/// The variables of all ports of a run.
pub(crate) fn port_variables(ports: &BTreeMap<String, u16>) -> impl Iterator<Item = (OsString, OsString)> {
    ports.iter().map(|(name, port)| (port_variable(name).into(), port.to_string().into()))
}

/// Whether no server listens at a port of this machine.
pub(crate) fn is_free(port: u16) -> bool {
    let addresses = [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];
    // A machine may lack one of the addresses.
    let in_use = |error: io::Error| error.kind() == io::ErrorKind::AddrInUse;
    !addresses.into_iter().any(|address| TcpListener::bind((address, port)).err().is_some_and(in_use))
}
