//! The database is lost, older, newer or damaged; ends are half written: everything is recovered from the files.

#[cfg(test)]
mod recovery {
    mod adopting;
    mod damaged_while_live;
    mod doctor;
    mod ends;
    mod fixture;
    mod lost_while_live;
    mod older_database;
    mod plan;
    mod unknown_while_live;
}
