//! Every command that agency prints is as safe as agency itself: following it loses no byte of work.

#[expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on says why")]
mod hints {
    mod collected;
    mod doctor;
    mod following;
    mod landing;
    mod reading;
    mod table;
    mod version_control;
    mod work;
}
