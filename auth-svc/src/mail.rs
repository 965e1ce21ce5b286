//! Mail: what it says and how it leaves.

mod links;
mod smtp;
mod template;
mod templates;

pub use links::{Link, action_link};
pub use smtp::{Message, Smtp};
pub use template::Template;
pub use templates::{Kind, Templates};
