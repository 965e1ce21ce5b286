// The brush: small helpers that return SVG text. The canvas is 1600 by 1200.
export const WIDTH = 1600;
export const HEIGHT = 1200;

const round = (value) =>
  typeof value === "number" ? Number(value.toFixed(1)) : value;
const attributes = (more) =>
  Object.entries(more)
    .map(([name, value]) => ` ${name}="${round(value)}"`)
    .join("");

export const rect = (x, y, width, height, fill, more = {}) =>
  `<rect${attributes({ x, y, width, height, fill, ...more })}/>`;
export const circle = (cx, cy, r, fill, more = {}) =>
  `<circle${attributes({ cx, cy, r, fill, ...more })}/>`;
export const ellipse = (cx, cy, rx, ry, fill, more = {}) =>
  `<ellipse${attributes({ cx, cy, rx, ry, fill, ...more })}/>`;
export const path = (d, fill, more = {}) =>
  `<path${attributes({ d, fill, ...more })}/>`;
export const line = (x1, y1, x2, y2, stroke, width, more = {}) =>
  `<line${attributes({ x1, y1, x2, y2, stroke, "stroke-width": width, "stroke-linecap": "round", ...more })}/>`;
export const polygon = (points, fill, more = {}) =>
  `<polygon points="${points.map(([x, y]) => `${round(x)},${round(y)}`).join(" ")}"${attributes({ fill, ...more })}/>`;
export const group = (content, more = {}) =>
  `<g${attributes(more)}>${content}</g>`;
export const repeat = (count, draw) =>
  Array.from({ length: count }, (_, index) => draw(index)).join("");

let gradients = [];
/** A gradient by its stops; returns what to fill with. */
export function gradient(stops, { across = false } = {}) {
  const id = `g${gradients.length}`;
  const marks = stops.map(
    (colour, index) =>
      `<stop offset="${index / (stops.length - 1)}" stop-color="${colour}"/>`,
  );
  gradients.push(
    `<linearGradient id="${id}" x1="0" y1="0" x2="${across ? 1 : 0}" y2="${across ? 0 : 1}">${marks.join("")}</linearGradient>`,
  );
  return `url(#${id})`;
}

export function canvas(draw) {
  gradients = [];
  const content = draw();
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}"><defs>${gradients.join("")}</defs>${content}</svg>`;
}

/** Mixes two hex colours. */
export function mix(first, second, share) {
  const channel = (colour, at) => parseInt(colour.slice(at, at + 2), 16);
  return `#${[1, 3, 5]
    .map((at) =>
      Math.round(channel(first, at) * (1 - share) + channel(second, at) * share)
        .toString(16)
        .padStart(2, "0"),
    )
    .join("")}`;
}
export const darker = (colour, share) => mix(colour, "#101828", share);
export const lighter = (colour, share) => mix(colour, "#ffffff", share);

export function roundTree(x, y, size, colour) {
  return [
    ellipse(x, y, size * 0.5, size * 0.07, "#000000", { opacity: 0.12 }),
    rect(x - size * 0.04, y - size * 0.5, size * 0.08, size * 0.5, "#7a5540"),
    circle(x, y - size * 0.72, size * 0.36, colour),
    circle(x - size * 0.24, y - size * 0.56, size * 0.24, darker(colour, 0.1)),
    circle(x + size * 0.23, y - size * 0.6, size * 0.25, darker(colour, 0.06)),
    circle(x - size * 0.1, y - size * 0.84, size * 0.16, lighter(colour, 0.16)),
  ].join("");
}

export function palm(x, y, size, colour) {
  const top = y - size;
  const leaves = [-170, -140, -105, -75, -40, -10].map((angle) => {
    const turn = (angle * Math.PI) / 180;
    const endX = x + Math.cos(turn) * size * 0.46;
    const endY = top + Math.sin(turn) * size * 0.24 + size * 0.14;
    const bendX = x + Math.cos(turn) * size * 0.26;
    const bendY = top + Math.sin(turn) * size * 0.34 - size * 0.05;
    return path(
      `M${round(x)} ${round(top)} Q${round(bendX)} ${round(bendY)} ${round(endX)} ${round(endY)} Q${round(bendX)} ${round(bendY + size * 0.1)} ${round(x)} ${round(top + size * 0.03)}Z`,
      angle % 2 === 0 ? colour : darker(colour, 0.12),
    );
  });
  return [
    ellipse(x, y, size * 0.22, size * 0.04, "#000000", { opacity: 0.12 }),
    path(
      `M${round(x - size * 0.035)} ${y} Q${round(x + size * 0.03)} ${round(y - size * 0.5)} ${round(x - size * 0.015)} ${round(top)} L${round(x + size * 0.02)} ${round(top)} Q${round(x + size * 0.08)} ${round(y - size * 0.5)} ${round(x + size * 0.045)} ${y}Z`,
      "#9a7355",
    ),
    ...leaves,
  ].join("");
}

export function pottedPlant(x, y, size, pot, leaf) {
  const leaves = [-62, -35, -8, 20, 48].map((angle, index) =>
    group(
      ellipse(
        0,
        -size * 0.46,
        size * 0.1,
        size * 0.36,
        index % 2 ? leaf : darker(leaf, 0.14),
      ),
      {
        transform: `translate(${round(x)} ${round(y - size * 0.32)}) rotate(${angle})`,
      },
    ),
  );
  return [
    ellipse(x, y, size * 0.3, size * 0.05, "#000000", { opacity: 0.12 }),
    ...leaves,
    polygon(
      [
        [x - size * 0.2, y - size * 0.38],
        [x + size * 0.2, y - size * 0.38],
        [x + size * 0.14, y],
        [x - size * 0.14, y],
      ],
      pot,
    ),
    rect(
      x - size * 0.22,
      y - size * 0.42,
      size * 0.44,
      size * 0.08,
      lighter(pot, 0.15),
      { rx: 4 },
    ),
  ].join("");
}

export function person(
  x,
  y,
  size,
  shirt,
  skin = "#8d5a3b",
  trousers = "#344054",
) {
  return [
    ellipse(x, y, size * 0.16, size * 0.03, "#000000", { opacity: 0.15 }),
    rect(
      x - size * 0.09,
      y - size * 0.46,
      size * 0.075,
      size * 0.46,
      trousers,
      { rx: size * 0.03 },
    ),
    rect(
      x + size * 0.015,
      y - size * 0.46,
      size * 0.075,
      size * 0.46,
      darker(trousers, 0.2),
      { rx: size * 0.03 },
    ),
    rect(x - size * 0.12, y - size * 0.8, size * 0.24, size * 0.38, shirt, {
      rx: size * 0.08,
    }),
    circle(x, y - size * 0.9, size * 0.09, skin),
    path(
      `M${round(x - size * 0.095)} ${round(y - size * 0.9)} a${round(size * 0.095)} ${round(size * 0.095)} 0 0 1 ${round(size * 0.19)} 0 q${round(-size * 0.09)} ${round(-size * 0.06)} ${round(-size * 0.19)} 0Z`,
      "#221a16",
    ),
  ].join("");
}
