//! The parameters of a transformation: read from a query or a JSON body with the messages of the
//! original's schema, written as the claim of a signed URL and as a header, and read back from the claim.

use serde_json::Value;

mod number;
mod schema;

use number::{leading_float, leading_integer};
use schema::Field;

/// How the image takes the shape that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Resize {
    /// Fills the box; what projects is cut off.
    #[default]
    Cover,
    /// Fits into the box.
    Contain,
    /// Takes exactly the box's shape.
    Fill,
}

/// What the result is encoded as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Format {
    /// WebP where the client takes it, else as [`Format::Origin`].
    #[default]
    Negotiated,
    /// As the source; JPEG or PNG if the source's format is none that is written unasked.
    Origin,
    /// AVIF.
    Avif,
    /// WebP.
    Webp,
}

/// Which part stays when something is cut off. Offsets below 1 are parts of the image, others pixels.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Gravity {
    /// The middle.
    #[default]
    Centre,
    /// Edges named as on a map (`no`, `soea`, …; `ce` for the middle), moved inwards by the offsets.
    Edge {
        /// -1 for west, 0 for the middle, 1 for east.
        horizontal: i8,
        /// -1 for north, 0 for the middle, 1 for south.
        vertical: i8,
        /// From the west, or from the east edge inwards.
        x: Option<f64>,
        /// From the north, or from the south edge inwards.
        y: Option<f64>,
    },
    /// The part that draws the eye.
    Smart,
    /// A point as parts of width and height, 0 to 1 each.
    Focus {
        /// From the left.
        x: f64,
        /// From the top.
        y: f64,
    },
}

/// A transformation as the client asked for it; widths and heights are within [`SizeLimits`].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Transform {
    /// Width in pixels.
    pub width: Option<u32>,
    /// Height in pixels.
    pub height: Option<u32>,
    /// Absent reads as cover, but shows in the claim.
    pub resize: Option<Resize>,
    /// 1 to 100.
    pub quality: Option<u8>,
    /// Output format.
    pub format: Format,
    /// Absent reads as the middle.
    pub gravity: Option<Gravity>,
}

/// The bounds that widths and heights are clamped to.
#[derive(Debug, Clone, Copy)]
pub struct SizeLimits {
    /// `IMG_LIMITS_MIN_SIZE`
    pub min: u32,
    /// `IMG_LIMITS_MAX_SIZE`
    pub max: u32,
}

impl Default for SizeLimits {
    fn default() -> Self {
        Self { min: 1, max: 2000 }
    }
}

impl SizeLimits {
    /// Zero and nothing both mean that the side is free.
    fn clamp(self, side: f64) -> Option<u32> {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a float too large saturates, and is clamped anyway"
        )]
        let side = side as u32;
        (side > 0).then(|| side.max(self.min).min(self.max))
    }
}

/// What is wrong with a parameter, in the words of the original's schema.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidParameter(pub String);

const EDGES: [(&str, i8, i8); 9] = [
    ("no", 0, -1),
    ("so", 0, 1),
    ("ea", 1, 0),
    ("we", -1, 0),
    ("noea", 1, -1),
    ("nowe", -1, -1),
    ("soea", 1, 1),
    ("sowe", -1, 1),
    ("ce", 0, 0),
];

impl Resize {
    fn parse(text: &str) -> Option<Self> {
        match text {
            "cover" => Some(Self::Cover),
            "contain" => Some(Self::Contain),
            "fill" => Some(Self::Fill),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Cover => "cover",
            Self::Contain => "contain",
            Self::Fill => "fill",
        }
    }

    /// The renderer's word for it.
    fn renderer_name(self) -> &'static str {
        match self {
            Self::Cover => "fill",
            Self::Contain => "fit",
            Self::Fill => "force",
        }
    }
}

impl Format {
    fn parse(text: &str) -> Option<Self> {
        match text {
            "origin" => Some(Self::Origin),
            "avif" => Some(Self::Avif),
            "webp" => Some(Self::Webp),
            _ => None,
        }
    }
}

impl Gravity {
    /// Offsets that do not belong to the gravity are ignored; a focal point without both is none.
    fn parse(text: &str, x: Option<f64>, y: Option<f64>) -> Option<Self> {
        match text {
            "sm" => Some(Self::Smart),
            "fp" => {
                let within = |at: &f64| (0.0..=1.0).contains(at);
                Some(Self::Focus {
                    x: x.filter(within)?,
                    y: y.filter(within)?,
                })
            }
            _ => EDGES
                .iter()
                .find(|edge| edge.0 == text)
                .map(|&(_, horizontal, vertical)| Self::Edge {
                    horizontal,
                    vertical,
                    x,
                    y,
                }),
        }
    }

    fn segment(&self) -> String {
        match *self {
            Self::Centre => "gravity:ce".to_owned(),
            Self::Smart => "gravity:sm".to_owned(),
            Self::Focus { x, y } => format!("gravity:fp:{x}:{y}"),
            Self::Edge {
                horizontal,
                vertical,
                x,
                y,
            } => {
                let name = EDGES
                    .iter()
                    .find(|edge| (edge.1, edge.2) == (horizontal, vertical))
                    .map_or("ce", |edge| edge.0);
                if x.is_none() && y.is_none() {
                    format!("gravity:{name}")
                } else {
                    format!(
                        "gravity:{name}:{}:{}",
                        x.unwrap_or_default(),
                        y.unwrap_or_default()
                    )
                }
            }
        }
    }
}

impl Transform {
    /// Reads the parameters of a query; a name given twice is an array to the original's schema.
    pub fn from_query<'a>(
        pairs: impl IntoIterator<Item = (&'a str, &'a str)>,
        limits: SizeLimits,
    ) -> Result<Self, InvalidParameter> {
        let mut given = serde_json::Map::new();
        for (name, value) in pairs {
            let value = Value::from(value);
            match given.get_mut(name) {
                None => {
                    given.insert(name.to_owned(), value);
                }
                Some(Value::Array(values)) => values.push(value),
                Some(first) => *first = Value::Array(vec![first.take(), value]),
            }
        }
        Self::read("querystring", &given, limits)
    }

    /// Reads the `transform` member of the request for a signed URL.
    pub fn from_json(body: &Value, limits: SizeLimits) -> Result<Self, InvalidParameter> {
        match body {
            Value::Object(given) => Self::read("body/transform", given, limits),
            _ => Err(InvalidParameter("body/transform must be object".to_owned())),
        }
    }

    /// The order of the checks is the schema's: the first violation is the one reported.
    fn read(
        place: &str,
        given: &serde_json::Map<String, Value>,
        limits: SizeLimits,
    ) -> Result<Self, InvalidParameter> {
        let field = Field { place, given };
        if given.get("gravity").and_then(Value::as_str) == Some("fp") {
            field.required("x_offset")?;
            field.required("y_offset")?;
            field.focal_coordinate("x_offset")?;
            field.focal_coordinate("y_offset")?;
        }
        let height = field.integer("height", 0.0, f64::INFINITY)?;
        let width = field.integer("width", 0.0, f64::INFINITY)?;
        let resize = field.choice("resize", Resize::parse)?;
        let format = field.choice("format", Format::parse)?;
        let quality = field.integer("quality", 20.0, 100.0)?;
        let gravity = field.choice("gravity", |text| {
            // Whether the offsets of a focal point are there was seen above.
            Gravity::parse(text, Some(0.0), Some(0.0)).map(|_| text.to_owned())
        })?;
        let x = field.number("x_offset")?;
        let y = field.number("y_offset")?;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "checked to be 20 to 100"
        )]
        let quality = quality.map(|quality| quality as u8);
        Ok(Self {
            width: width.and_then(|side| limits.clamp(side)),
            height: height.and_then(|side| limits.clamp(side)),
            resize,
            quality,
            format: format.unwrap_or_default(),
            gravity: gravity.and_then(|name| Gravity::parse(&name, x, y)),
        })
    }

    /// Reads the `transformations` claim of a signed URL. What it does not know it leaves out, as the
    /// original does: the claim is under our own signature.
    pub fn from_claim(claim: &str, limits: SizeLimits) -> Self {
        let mut read = Self::default();
        for segment in claim.split(',') {
            let mut parts = segment.split(':');
            let (Some(name), Some(value)) = (parts.next(), parts.next()) else {
                continue;
            };
            match name {
                "height" => read.height = leading_integer(value).and_then(|n| limits.clamp(n)),
                "width" => read.width = leading_integer(value).and_then(|n| limits.clamp(n)),
                "resize" => read.resize = Resize::parse(value),
                "format" => read.format = Format::parse(value).unwrap_or_default(),
                "quality" => {
                    #[expect(
                        clippy::cast_possible_truncation,
                        clippy::cast_sign_loss,
                        reason = "clamped before"
                    )]
                    let quality = leading_integer(value).map(|n| n.clamp(0.0, 100.0) as u8);
                    read.quality = quality.filter(|&quality| quality > 0);
                }
                "gravity" => {
                    let x = parts.next().and_then(leading_float);
                    let y = parts.next().and_then(leading_float);
                    read.gravity = Gravity::parse(value, x, y);
                }
                _ => {}
            }
        }
        read
    }

    /// The `transformations` claim of a signed URL; empty when nothing was asked for.
    pub fn claim(&self) -> String {
        // The original writes what its language says of an absent value, and so do we: the claim is
        // readable by whoever holds the URL.
        self.segments(|resize| format!("resize:{}", resize.map_or("undefined", Resize::name)))
    }

    /// The `X-Transformations` header; empty when nothing was asked for.
    pub fn header(&self) -> String {
        self.segments(|resize| {
            let name = resize.unwrap_or_default().renderer_name();
            format!("resizing_type:{name}")
        })
    }

    fn segments(&self, resize: impl Fn(Option<Resize>) -> String) -> String {
        let format = match self.format {
            Format::Avif => Some("format:avif".to_owned()),
            Format::Webp => Some("format:webp".to_owned()),
            Format::Negotiated | Format::Origin => None,
        };
        let sized = self.width.is_some() || self.height.is_some();
        let segments = [
            self.height.map(|height| format!("height:{height}")),
            self.width.map(|width| format!("width:{width}")),
            sized.then(|| resize(self.resize)),
            self.quality.map(|quality| format!("quality:{quality}")),
            format,
            self.gravity.as_ref().map(Gravity::segment),
        ];
        segments.into_iter().flatten().collect::<Vec<_>>().join(",")
    }

    /// Whether a client with this `Accept` header takes WebP, where that is left open.
    pub fn accepts_webp(&self, accept: Option<&str>) -> bool {
        self.format == Format::Negotiated
            && accept.is_some_and(|accept| accept.contains("image/webp"))
    }
}

#[cfg(test)]
mod tests;
