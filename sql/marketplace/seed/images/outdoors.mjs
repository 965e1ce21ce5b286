// Streets: sky, a skyline far away, the building, trees and a road.
import {
  HEIGHT,
  WIDTH,
  circle,
  darker,
  ellipse,
  gradient,
  group,
  lighter,
  line,
  mix,
  palm,
  path,
  person,
  polygon,
  rect,
  repeat,
  roundTree,
} from "./shapes.mjs";

export const SKIES = {
  morning: {
    sky: ["#8ec5f4", "#cfe8fb", "#fdf3e3"],
    far: "#b4d0e7",
    sun: "#fff4cf",
    glass: "#7fb2dd",
    lit: "#d8ecfa",
    ground: "#d9dee4",
    green: "#4f9d69",
  },
  noon: {
    sky: ["#4fa3e3", "#9bd0f5", "#e6f5fd"],
    far: "#a3c9e6",
    sun: "#fffbe6",
    glass: "#5c9bd1",
    lit: "#c8e6fa",
    ground: "#d5dbe1",
    green: "#3f9760",
  },
  dusk: {
    sky: ["#5b5ea6", "#c98bb0", "#ffc48a"],
    far: "#9a80ae",
    sun: "#ffe3a3",
    glass: "#5a6aa8",
    lit: "#ffd88a",
    ground: "#c4b9c6",
    green: "#4b7d6a",
  },
  golden: {
    sky: ["#f3a76b", "#f9cf9b", "#fff0d6"],
    far: "#dcb79d",
    sun: "#fff6d8",
    glass: "#7d9bb5",
    lit: "#ffe9b8",
    ground: "#ddd3c7",
    green: "#6f9a52",
  },
  night: {
    sky: ["#141f42", "#2b3a6b", "#5a5f95"],
    far: "#2c3866",
    sun: "#f4f0d8",
    glass: "#26345f",
    lit: "#ffd97a",
    ground: "#4a5275",
    green: "#2f5f5b",
  },
};

function backdrop(random, mood) {
  const base = 900;
  const towers = repeat(16, (index) => {
    const width = random.whole(70, 130);
    const height = random.whole(120, 430);
    return rect(
      index * 104 - 20,
      base - height,
      width,
      height + 20,
      mix(mood.far, mood.sky[2], random.between(0.05, 0.5)),
    );
  });
  const clouds = repeat(3, () => {
    const x = random.whole(100, 1500);
    const y = random.whole(90, 330);
    const size = random.whole(50, 90);
    return group(
      ellipse(x, y, size * 1.7, size * 0.34, "#ffffff") +
        circle(x - size * 0.4, y - size * 0.18, size * 0.42, "#ffffff") +
        circle(x + size * 0.35, y - size * 0.28, size * 0.52, "#ffffff"),
      { opacity: mood === SKIES.night ? 0.08 : 0.55 },
    );
  });
  const sunX = random.pick([260, 1330]);
  return [
    rect(0, 0, WIDTH, HEIGHT, gradient(mood.sky)),
    circle(sunX, 250, 150, mood.sun, { opacity: 0.25 }),
    circle(sunX, 250, 88, mood.sun, { opacity: 0.95 }),
    clouds,
    towers,
  ].join("");
}

function street(mood, base) {
  const road = mood === SKIES.night ? "#232a45" : "#5b6472";
  return [
    rect(0, base, WIDTH, HEIGHT - base, mood.ground),
    rect(0, base + 60, WIDTH, 14, darker(mood.ground, 0.16)),
    rect(0, base + 74, WIDTH, HEIGHT - base - 74, road),
    repeat(9, (index) =>
      rect(index * 190 + 30, base + 160, 110, 12, "#f3f4f6", {
        rx: 6,
        opacity: 0.75,
      }),
    ),
  ].join("");
}

function car(x, y, colour, scale = 1) {
  return group(
    ellipse(0, 4, 130, 12, "#000000", { opacity: 0.25 }) +
      path(
        "M-125 -8 q-6 -42 34 -48 l40 -38 q8 -8 20 -8 h58 q14 0 24 10 l34 36 q44 4 40 48 Z",
        colour,
      ) +
      path("M-44 -58 l30 -28 h36 v28Z", "#dbeafe") +
      path("M32 -58 v-28 h26 q8 0 14 7 l20 21Z", "#dbeafe") +
      circle(-72, -6, 25, "#1f2937") +
      circle(-72, -6, 11, "#cbd5e1") +
      circle(76, -6, 25, "#1f2937") +
      circle(76, -6, 11, "#cbd5e1") +
      rect(112, -44, 12, 12, "#fde68a", { rx: 4 }),
    { transform: `translate(${x} ${y}) scale(${scale})` },
  );
}

function windows(
  random,
  mood,
  x,
  y,
  columns,
  rows,
  width,
  height,
  gapX,
  gapY,
  lights = 0.25,
) {
  return repeat(columns * rows, (index) => {
    const fill = random.chance(lights)
      ? mood.lit
      : mix(mood.glass, mood.lit, random.between(0, 0.3));
    return rect(
      x + (index % columns) * (width + gapX),
      y + Math.floor(index / columns) * (height + gapY),
      width,
      height,
      fill,
      { rx: 3 },
    );
  });
}

/** A glass tower on a plinth, with a lower wing beside it. */
function tower(random, mood, tint) {
  const base = 930;
  const x = random.pick([470, 560, 640]);
  const width = 430;
  const top = random.whole(140, 220);
  const wing = random.chance(0.5) ? x + width - 10 : x - 310;
  const frame = mix(mood.glass, tint, 0.4);
  return [
    rect(
      wing,
      590,
      320,
      base - 590,
      mix(tint, "#ffffff", mood === SKIES.night ? 0.1 : 0.55),
    ),
    windows(random, mood, wing + 26, 620, 4, 4, 54, 44, 18, 26, 0.35),
    rect(
      x,
      top,
      width,
      base - top,
      gradient([lighter(frame, 0.25), frame], { across: true }),
    ),
    windows(
      random,
      mood,
      x + 18,
      top + 24,
      7,
      15,
      48,
      32,
      9.5,
      12,
      mood === SKIES.night || mood === SKIES.dusk ? 0.45 : 0.15,
    ),
    polygon(
      [
        [x, top + 260],
        [x + width * 0.62, top],
        [x + width * 0.9, top],
        [x, top + 420],
      ],
      "#ffffff",
      { opacity: 0.12 },
    ),
    rect(x - 14, top - 14, width + 28, 20, darker(frame, 0.25), { rx: 4 }),
    rect(x + 150, top - 70, 90, 58, darker(frame, 0.15)),
    line(x + 196, top - 70, x + 196, top - 140, darker(frame, 0.3), 6),
    rect(x - 20, base - 120, width + 40, 120, darker(tint, 0.25)),
    repeat(5, (index) =>
      rect(
        x + 10 + index * 84,
        base - 98,
        66,
        98,
        mix(mood.lit, "#ffffff", 0.25),
        { opacity: 0.92 },
      ),
    ),
    rect(x + 130, base - 132, 170, 16, lighter(tint, 0.5), { rx: 6 }),
  ].join("");
}

/** A long campus block with sun-shading fins and a green terrace. */
function campus(random, mood, tint) {
  const base = 930;
  const wall =
    mood === SKIES.night ? mix(tint, "#1d2747", 0.55) : lighter(tint, 0.62);
  const floors = repeat(4, (floor) => {
    const y = 330 + floor * 145;
    return [
      rect(
        240 + (floor === 0 ? 170 : 0),
        y,
        1120 - (floor === 0 ? 340 : 0),
        145,
        floor % 2 ? wall : darker(wall, 0.05),
      ),
      rect(
        262 + (floor === 0 ? 170 : 0),
        y + 28,
        1076 - (floor === 0 ? 340 : 0),
        88,
        mood.glass,
      ),
      repeat(floor === 0 ? 18 : 27, (index) => {
        const x = 270 + (floor === 0 ? 170 : 0) + index * 40;
        return (
          (random.chance(0.4)
            ? rect(x, y + 28, 36, 88, mood.lit, { opacity: 0.75 })
            : "") + rect(x - 4, y + 14, 8, 116, tint)
        );
      }),
    ].join("");
  });
  return [
    floors,
    repeat(9, (index) => circle(280 + index * 16, 330 + 138, 20, mood.green)),
    repeat(9, (index) => circle(1195 + index * 16, 330 + 138, 20, mood.green)),
    rect(640, base - 130, 320, 130, darker(tint, 0.35)),
    rect(665, base - 108, 128, 108, mix(mood.lit, "#ffffff", 0.2)),
    rect(807, base - 108, 128, 108, mix(mood.lit, "#ffffff", 0.2)),
    rect(610, base - 148, 380, 22, lighter(tint, 0.3), { rx: 8 }),
  ].join("");
}

/** A stone block with arches, as in an older business quarter. */
function arches(random, mood, tint) {
  const base = 930;
  const wall =
    mood === SKIES.night ? mix(tint, "#232b4d", 0.5) : lighter(tint, 0.5);
  const arch = (x, y, width, height, fill) =>
    path(
      `M${x} ${y + height} v${-(height - width / 2)} a${width / 2} ${width / 2} 0 0 1 ${width} 0 v${height - width / 2}Z`,
      fill,
    );
  return [
    rect(300, 300, 1000, base - 300, wall),
    rect(
      300,
      300,
      1000,
      base - 300,
      gradient([lighter(wall, 0.2), darker(wall, 0.08)], { across: true }),
    ),
    rect(280, 276, 1040, 34, darker(wall, 0.14), { rx: 4 }),
    polygon(
      [
        [620, 276],
        [800, 176],
        [980, 276],
      ],
      darker(wall, 0.08),
    ),
    circle(800, 240, 24, mood.lit),
    repeat(3, (floor) =>
      rect(300, 478 + floor * 158, 1000, 12, darker(wall, 0.16)),
    ),
    repeat(21, (index) => {
      const x = 338 + (index % 7) * 136;
      const y = 336 + Math.floor(index / 7) * 160;
      return (
        arch(x - 8, y - 8, 106, 134, darker(wall, 0.1)) +
        arch(x, y, 90, 126, random.chance(0.35) ? mood.lit : mood.glass) +
        rect(x + 42, y, 6, 126, lighter(wall, 0.3)) +
        rect(x - 12, y + 124, 114, 10, lighter(wall, 0.4))
      );
    }),
    repeat(7, (index) =>
      arch(
        330 + index * 136,
        812,
        106,
        118,
        index === 3 ? darker(tint, 0.5) : mix(mood.lit, mood.glass, 0.35),
      ),
    ),
  ].join("");
}

/** Shops under striped awnings, offices or flats above. */
function shops(random, mood, tint, floorsAbove) {
  const base = 930;
  const wall =
    mood === SKIES.night ? mix(tint, "#222b52", 0.5) : lighter(tint, 0.66);
  const top = base - 290 - floorsAbove * 150;
  const accents = ["#e4572e", "#2e86ab", "#3d9970", "#f2a541"];
  const shop = (index) => {
    const x = 250 + index * 280;
    const accent = accents[(index + random.whole(0, 3)) % accents.length];
    return [
      rect(x, base - 290, 260, 58, darker(accent, 0.12), { rx: 6 }),
      repeat(random.whole(3, 5), (letter) =>
        rect(x + 40 + letter * 38, base - 272, 26, 22, "#ffffff", {
          rx: 5,
          opacity: 0.9,
        }),
      ),
      rect(x + 6, base - 170, 248, 170, mix(mood.lit, "#ffffff", 0.15)),
      rect(x + 18, base - 150, 130, 128, mix(mood.lit, accent, 0.22)),
      repeat(3, (item) =>
        rect(
          x + 30 + item * 38,
          base - 70 - (item % 2) * 24,
          26,
          48 + (item % 2) * 24,
          mix(accent, "#ffffff", 0.25 + item * 0.15),
          { rx: 6 },
        ),
      ),
      rect(x + 166, base - 152, 76, 152, mix(mood.glass, "#ffffff", 0.25)),
      circle(x + 178, base - 74, 5, "#ffffff"),
      repeat(8, (stripe) =>
        path(
          `M${x - 8 + stripe * 34.5} ${base - 234} h34.5 v58 a17.2 17.2 0 0 1 -34.5 0Z`,
          stripe % 2 ? "#ffffff" : accent,
        ),
      ),
    ].join("");
  };
  return [
    rect(226, top, 1148, base - top, wall),
    rect(206, top - 22, 1188, 30, darker(wall, 0.2), { rx: 6 }),
    repeat(floorsAbove * 8, (index) => {
      const x = 262 + (index % 8) * 139;
      const y = top + 34 + Math.floor(index / 8) * 150;
      return (
        rect(x, y, 100, 84, random.chance(0.3) ? mood.lit : mood.glass, {
          rx: 6,
        }) +
        rect(x + 47, y, 6, 84, wall) +
        (floorsAbove > 1
          ? rect(x - 8, y + 84, 116, 12, darker(wall, 0.25)) +
            repeat(4, (box) => circle(x + 8 + box * 28, y + 80, 13, mood.green))
          : "")
      );
    }),
    repeat(4, shop),
  ].join("");
}

export function facade(random, { mood: moodName, kind, tint }) {
  const mood = SKIES[moodName];
  const base = 930;
  const building = {
    tower: () => tower(random, mood, tint),
    campus: () => campus(random, mood, tint),
    arches: () => arches(random, mood, tint),
    shops: () => shops(random, mood, tint, 1),
    mixed: () => shops(random, mood, tint, 4),
  }[kind]();
  const trees = [70, 190, 1410, 1530].map((x) => {
    const size = random.whole(210, 300);
    return random.chance(0.5)
      ? palm(x, base + 40, size * 1.25, mood.green)
      : roundTree(x, base + 40, size, mood.green);
  });
  return [
    backdrop(random, mood),
    street(mood, base),
    building,
    trees.join(""),
    person(
      random.whole(360, 620),
      base + 52,
      130,
      random.pick(["#e4572e", "#7b5ea7", "#f2a541"]),
    ),
    person(
      random.whole(980, 1240),
      base + 52,
      126,
      random.pick(["#2e86ab", "#3d9970", "#d1495b"]),
    ),
    car(
      random.whole(280, 520),
      1052,
      random.pick(["#d1495b", "#f2a541", "#eef2f6"]),
    ),
    car(
      random.whole(1000, 1300),
      1150,
      random.pick(["#2e86ab", "#3d9970", "#475467"]),
      1.15,
    ),
  ].join("");
}

function truck(x, y, colour) {
  return group(
    ellipse(0, 6, 240, 14, "#000000", { opacity: 0.22 }) +
      rect(-230, -230, 300, 200, "#f8fafc", { rx: 8 }) +
      rect(-230, -120, 300, 34, colour) +
      path("M76 -30 v-150 h86 q14 0 22 12 l36 58 q6 10 6 20 v60Z", colour) +
      path("M112 -160 h44 q8 0 12 6 l28 46 h-84Z", "#dbeafe") +
      rect(-230, -34, 456, 20, "#334155") +
      [-170, -100, 150]
        .map(
          (wheel) =>
            circle(wheel, -10, 36, "#1f2937") +
            circle(wheel, -10, 15, "#cbd5e1"),
        )
        .join(""),
    { transform: `translate(${x} ${y})` },
  );
}

const pallet = (x, y, size) =>
  rect(x, y - 12, size * 2.2, 12, "#a77b52") +
  rect(x + 4, y - 12 - size, size, size, "#d9a66b", { rx: 3 }) +
  rect(x + 8 + size, y - 12 - size, size, size, "#c8935a", { rx: 3 }) +
  rect(x + size * 0.6, y - 12 - size * 2, size, size, "#e0b47c", { rx: 3 }) +
  rect(x + 4 + size * 0.38, y - 12 - size, size * 0.2, size, "#b57f49");

export function dock(random, { mood: moodName, tint, trucks }) {
  const mood = SKIES[moodName];
  const base = 900;
  const wall = lighter(tint, 0.55);
  const doors = repeat(5, (index) => {
    const x = 200 + index * 250;
    const open = index % 2 === 0;
    return [
      rect(x - 14, 606, 188, 294, darker(tint, 0.3), { rx: 6 }),
      rect(x, 620, 160, 280, open ? "#27303f" : "#e5e9ee"),
      open
        ? rect(x, 620, 160, 60, "#e5e9ee") + pallet(x + 26, 896, 46)
        : repeat(8, (slat) => rect(x, 650 + slat * 32, 160, 4, "#c3cbd5")),
      circle(x + 80, 570, 30, "#ffffff"),
      `<text x="${x + 80}" y="582" font-family="DejaVu Sans, Arial, sans-serif" font-size="34" font-weight="bold" text-anchor="middle" fill="${darker(tint, 0.4)}">${index + 1}</text>`,
    ].join("");
  });
  return [
    backdrop(random, mood),
    rect(0, base, WIDTH, HEIGHT - base, mix(mood.ground, "#8a929e", 0.35)),
    polygon(
      [
        [90, 470],
        [800, 340],
        [1510, 470],
      ],
      darker(tint, 0.1),
    ),
    rect(110, 464, 1380, base - 464, wall),
    repeat(46, (index) =>
      rect(110 + index * 30, 474, 4, base - 474, darker(wall, 0.06)),
    ),
    rect(90, 456, 1420, 26, darker(tint, 0.25), { rx: 4 }),
    rect(110, 510, 1380, 22, tint),
    doors,
    repeat(12, (index) =>
      polygon(
        [
          [index * 150 - 30, 940],
          [index * 150 + 40, 940],
          [index * 150 + 10, 964],
          [index * 150 - 60, 964],
        ],
        "#f2c14e",
      ),
    ),
    trucks > 0 ? truck(420, 1090, "#2e86ab") : "",
    trucks > 1 ? truck(1180, 1140, "#e4572e") : "",
    trucks === 1 ? pallet(980, 1080, 70) + pallet(1180, 1110, 70) : "",
    person(800, 1070, 150, "#f59e0b", "#8d5a3b", "#1e3a5f"),
  ].join("");
}

export function factory(random, { mood: moodName, tint }) {
  const mood = SKIES[moodName];
  const base = 920;
  const wall = lighter(tint, 0.4);
  return [
    backdrop(random, mood),
    rect(0, base, WIDTH, HEIGHT - base, mix(mood.ground, "#8fa38f", 0.4)),
    [1180, 1300]
      .map(
        (x, index) =>
          polygon(
            [
              [x, 560],
              [x + 20, 190 + index * 60],
              [x + 66, 190 + index * 60],
              [x + 86, 560],
            ],
            darker(tint, 0.15),
          ) +
          rect(x + 15, 240 + index * 60, 58, 26, "#ffffff", { opacity: 0.7 }) +
          circle(x + 60, 150 + index * 60, 34, "#ffffff", { opacity: 0.5 }) +
          circle(x + 100, 110 + index * 60, 46, "#ffffff", { opacity: 0.35 }),
      )
      .join(""),
    repeat(
      5,
      (index) =>
        polygon(
          [
            [150 + index * 200, 560],
            [150 + index * 200, 400],
            [350 + index * 200, 560],
          ],
          darker(wall, 0.12),
        ) +
        polygon(
          [
            [160 + index * 200, 540],
            [160 + index * 200, 430],
            [230 + index * 200, 490],
            [230 + index * 200, 540],
          ],
          mood.glass,
        ),
    ),
    rect(150, 556, 1000, base - 556, wall),
    rect(1150, 500, 320, base - 500, darker(wall, 0.1)),
    rect(150, 556, 1000, 18, darker(tint, 0.3)),
    windows(random, mood, 190, 610, 8, 2, 84, 60, 33, 28, 0.4),
    rect(560, 770, 220, 150, darker(tint, 0.45)),
    repeat(5, (index) =>
      rect(560, 790 + index * 26, 220, 4, lighter(tint, 0.1)),
    ),
    windows(random, mood, 1190, 550, 3, 4, 70, 52, 22, 26, 0.3),
    rect(1250, 860, 110, 60, darker(tint, 0.5)),
    repeat(
      3,
      (index) =>
        rect(210 + index * 90, 760, 70, 160, "#d5dbe3", { rx: 34 }) +
        rect(210 + index * 90, 810, 70, 10, darker(tint, 0.1)),
    ),
    [60, 1540].map((x) => roundTree(x, base + 30, 250, mood.green)).join(""),
    truck(1010, 1100, tint),
    person(480, 1040, 140, "#f59e0b", "#8d5a3b", "#1e3a5f"),
    person(560, 1050, 136, "#e4572e"),
  ].join("");
}
