//! The engine on a real database.
