//! Reading what GoTrue has no settings for.

use svc_kit::env::Reader;

/// What this service can do and GoTrue cannot; all of it is off by default.
#[derive(Clone, Copy, Debug)]
pub struct Additions {
    /// `NILAM_AUTH_VERIFY_INTERSTITIAL`: a link in a mail opens a page with a button, and only the button
    /// uses the link up. Programs that open the links of all mails do not press it.
    pub verify_interstitial: bool,
}

pub(super) fn read(r: &mut Reader<'_>) -> Additions {
    Additions {
        verify_interstitial: r.flag(&["NILAM_AUTH_VERIFY_INTERSTITIAL"], false),
    }
}
