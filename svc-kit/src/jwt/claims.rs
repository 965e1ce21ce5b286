use serde_json::{Map, Value};

/// The payload of a verified token, with its text kept as it was signed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Claims {
    map: Map<String, Value>,
}

impl Claims {
    /// Claims of a caller without a token.
    pub fn anonymous(role: &str) -> Self {
        let mut map = Map::new();
        map.insert("role".to_owned(), Value::String(role.to_owned()));
        Self { map }
    }

    /// The claims by name, in the order of the token.
    pub fn as_map(&self) -> &Map<String, Value> {
        &self.map
    }

    /// One claim.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.map.get(name)
    }

    /// One claim that is a string.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.map.get(name).and_then(Value::as_str)
    }

    /// The claim `role`.
    pub fn role(&self) -> Option<&str> {
        self.text("role")
    }

    /// The claim `sub`.
    pub fn subject(&self) -> Option<&str> {
        self.text("sub")
    }

    /// The JSON text that `request.jwt.claims` receives.
    pub fn to_json(&self) -> String {
        // A map of JSON values always serialises.
        serde_json::to_string(&self.map).unwrap_or_default()
    }
}

impl From<Map<String, Value>> for Claims {
    fn from(map: Map<String, Value>) -> Self {
        Self { map }
    }
}
