// Rooms: a wall with a view, a floor, and furniture by what the room is for.
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
  path,
  person,
  polygon,
  pottedPlant,
  rect,
  repeat,
} from "./shapes.mjs";
import { SKIES } from "./outdoors.mjs";

const FLOOR = 800;

function view(random, x, y, width, height, mood, frame, panes) {
  const skyline = repeat(Math.ceil(width / 70), (index) => {
    const tall = random.whole(
      Math.round(height * 0.18),
      Math.round(height * 0.62),
    );
    const w = Math.min(62, width - index * 70);
    return w > 8
      ? rect(
          x + index * 70,
          y + height - tall,
          w,
          tall,
          mix(mood.far, mood.sky[1], random.between(0, 0.45)),
        )
      : "";
  });
  return [
    rect(x - 12, y - 12, width + 24, height + 24, frame, { rx: 8 }),
    rect(x, y, width, height, gradient(mood.sky)),
    circle(x + width * 0.75, y + height * 0.28, height * 0.1, mood.sun),
    skyline,
    polygon(
      [
        [x + width * 0.1, y + height],
        [x + width * 0.35, y],
        [x + width * 0.5, y],
        [x + width * 0.25, y + height],
      ],
      "#ffffff",
      { opacity: 0.1 },
    ),
    repeat(panes - 1, (index) =>
      rect(x + ((index + 1) * width) / panes - 5, y, 10, height, frame),
    ),
    rect(x, y + height * 0.3, width, 7, frame),
    rect(x - 20, y + height + 8, width + 40, 16, lighter(frame, 0.2), {
      rx: 5,
    }),
  ].join("");
}

const lamp = (x, length, colour) =>
  line(x, 0, x, length, "#475467", 5) +
  path(`M${x - 52} ${length + 50} q4 -56 52 -56 q48 0 52 56Z`, colour) +
  ellipse(x, length + 50, 52, 9, "#fff3c4") +
  polygon(
    [
      [x - 50, length + 52],
      [x + 50, length + 52],
      [x + 130, length + 260],
      [x - 130, length + 260],
    ],
    "#fff6d6",
    { opacity: 0.1 },
  );

const chair = (x, y, colour, size = 1) =>
  group(
    ellipse(0, 4, 56, 8, "#000000", { opacity: 0.14 }) +
      rect(-44, -176, 88, 104, colour, { rx: 26 }) +
      rect(-50, -82, 100, 24, darker(colour, 0.15), { rx: 12 }) +
      rect(-5, -60, 10, 46, "#475467") +
      path("M-46 0 q46 -30 92 0", "none", {
        stroke: "#475467",
        "stroke-width": 9,
        "stroke-linecap": "round",
      }),
    { transform: `translate(${x} ${y}) scale(${size})` },
  );

function monitor(x, y, random) {
  const screen = random.pick(["#1e3a5f", "#243b53", "#273469"]);
  return (
    rect(x - 62, y - 100, 124, 78, "#1f2937", { rx: 7 }) +
    rect(x - 55, y - 93, 110, 64, screen, { rx: 3 }) +
    repeat(4, (index) =>
      rect(
        x - 46,
        y - 84 + index * 14,
        random.whole(30, 88),
        6,
        random.pick(["#7dd3fc", "#a7f3d0", "#fde68a", "#fca5a5"]),
        { rx: 3 },
      ),
    ) +
    rect(x - 6, y - 24, 12, 18, "#475467") +
    rect(x - 28, y - 8, 56, 8, "#475467", { rx: 4 })
  );
}

function desk(x, y, width, wood, random, accent) {
  const seats = Math.max(1, Math.round(width / 230));
  return [
    ellipse(x + width / 2, y + 148, width * 0.52, 14, "#000000", {
      opacity: 0.1,
    }),
    repeat(seats, (index) =>
      monitor(x + ((index + 0.5) * width) / seats, y, random),
    ),
    rect(x, y, width, 22, wood, { rx: 6 }),
    rect(x, y + 18, width, 8, darker(wood, 0.25)),
    rect(x + 16, y + 24, 16, 124, "#5d6675"),
    rect(x + width - 32, y + 24, 16, 124, "#5d6675"),
    repeat(seats, (index) =>
      rect(x + ((index + 0.5) * width) / seats + 72, y - 26, 20, 26, accent, {
        rx: 4,
      }),
    ),
    repeat(seats, (index) =>
      chair(
        x + ((index + 0.5) * width) / seats,
        y + 178,
        index % 2 ? accent : lighter(accent, 0.3),
        0.95,
      ),
    ),
  ].join("");
}

const sofa = (x, y, width, colour) =>
  ellipse(x + width / 2, y + 4, width * 0.52, 14, "#000000", {
    opacity: 0.14,
  }) +
  rect(x, y - 190, width, 130, colour, { rx: 30 }) +
  rect(x - 26, y - 136, 66, 122, darker(colour, 0.14), { rx: 26 }) +
  rect(x + width - 40, y - 136, 66, 122, darker(colour, 0.14), { rx: 26 }) +
  rect(x + 26, y - 92, width / 2 - 30, 64, lighter(colour, 0.16), { rx: 16 }) +
  rect(x + width / 2 + 4, y - 92, width / 2 - 30, 64, lighter(colour, 0.16), {
    rx: 16,
  }) +
  rect(x + 20, y - 20, 16, 22, "#7a5540") +
  rect(x + width - 36, y - 20, 16, 22, "#7a5540");

function shelf(x, y, width, rows, wood, random) {
  const spines = [
    "#e4572e",
    "#2e86ab",
    "#3d9970",
    "#f2a541",
    "#7b5ea7",
    "#d1495b",
    "#eef2f6",
  ];
  return repeat(rows, (row) => {
    let at = x + 14;
    let books = "";
    while (at < x + width - 40) {
      const w = random.whole(14, 30);
      const h = random.whole(52, 88);
      if (random.chance(0.85))
        books += rect(at, y + row * 120 + 100 - h, w, h, random.pick(spines), {
          rx: 2,
        });
      at += w + random.pick([2, 2, 3, 18]);
    }
    return books + rect(x, y + row * 120 + 100, width, 14, wood, { rx: 3 });
  });
}

function artwork(x, y, width, height, colours) {
  return (
    rect(x, y, width, height, "#ffffff", { rx: 4 }) +
    rect(x + 10, y + 10, width - 20, height - 20, colours[0]) +
    circle(x + width * 0.65, y + height * 0.36, width * 0.16, colours[1]) +
    path(
      `M${x + 10} ${y + height * 0.7} q${width * 0.25} ${-height * 0.26} ${width * 0.5} 0 t${width * 0.5 - 20} ${-height * 0.06} V${y + height - 10} H${x + 10}Z`,
      colours[2],
    )
  );
}

export function interior(
  random,
  { mood: moodName, kind, wall, wood, accent, leaf = "#3f9760" },
) {
  const mood = SKIES[moodName];
  const floor = mix(wood, "#ffffff", 0.35);
  const frame = darker(accent, 0.45);
  const room = [
    rect(0, 0, WIDTH, FLOOR, gradient([lighter(wall, 0.25), wall])),
    rect(
      0,
      FLOOR,
      WIDTH,
      HEIGHT - FLOOR,
      gradient([floor, darker(floor, 0.1)]),
    ),
    repeat(12, (index) =>
      line(
        800 + (index - 5.5) * 140,
        FLOOR,
        800 + (index - 5.5) * 330,
        HEIGHT,
        darker(floor, 0.1),
        3,
      ),
    ),
    rect(0, FLOOR - 20, WIDTH, 22, lighter(wall, 0.5)),
  ];
  const parts = {
    desks: () => [
      view(random, 170, 130, 900, 450, mood, frame, 4),
      shelf(1180, 190, 310, 3, wood, random),
      lamp(360, 90, accent),
      lamp(800, 70, accent),
      lamp(1240, 60, accent),
      desk(120, 790, 620, wood, random, accent),
      desk(860, 790, 620, wood, random, accent),
      pottedPlant(800, 1010, 220, "#e8dfd3", leaf),
      pottedPlant(70, 880, 260, lighter(accent, 0.4), leaf),
      person(1040, 1140, 330, lighter(accent, 0.2)),
    ],
    meeting: () => [
      view(random, 90, 140, 420, 440, mood, frame, 2),
      view(random, 1090, 140, 420, 440, mood, frame, 2),
      rect(590, 180, 420, 270, "#1f2937", { rx: 12 }),
      rect(604, 194, 392, 242, lighter(accent, 0.82)),
      repeat(5, (index) =>
        rect(
          640 + index * 66,
          400 - [60, 110, 84, 150, 180][index],
          42,
          [60, 110, 84, 150, 180][index],
          index === 4 ? accent : lighter(accent, 0.4),
          { rx: 4 },
        ),
      ),
      lamp(480, 110, wood),
      lamp(800, 90, wood),
      lamp(1120, 110, wood),
      [330, 565, 800, 1035, 1270]
        .map((x) => chair(x, 850, accent, 1.05))
        .join(""),
      ellipse(800, 1090, 600, 30, "#000000", { opacity: 0.12 }),
      path(
        "M180 860 q620 -90 1240 0 q60 10 30 50 q-650 90 -1300 0 q-30 -40 30 -50Z",
        wood,
      ),
      path("M156 905 q644 92 1288 0 v26 q-644 92 -1288 0Z", darker(wood, 0.25)),
      rect(560, 950, 40, 140, "#475467"),
      rect(1000, 950, 40, 140, "#475467"),
      [440, 800, 1150]
        .map(
          (x) =>
            rect(x - 62, 852, 124, 12, "#cbd5e1", { rx: 4 }) +
            polygon(
              [
                [x - 54, 852],
                [x + 54, 852],
                [x + 46, 782],
                [x - 46, 782],
              ],
              "#94a3b8",
            ),
        )
        .join(""),
      pottedPlant(80, 960, 300, "#e8dfd3", leaf),
      pottedPlant(1530, 960, 300, "#e8dfd3", leaf),
    ],
    lounge: () => [
      view(random, 560, 120, 880, 470, mood, frame, 3),
      artwork(130, 170, 190, 250, [lighter(accent, 0.75), accent, leaf]),
      artwork(350, 210, 150, 190, ["#fdf3e3", "#f2a541", accent]),
      lamp(300, 60, wood),
      ellipse(760, 1030, 640, 110, lighter(accent, 0.7)),
      ellipse(760, 1030, 560, 88, lighter(accent, 0.6)),
      sofa(240, 960, 520, accent),
      sofa(1010, 970, 330, darker(wood, 0.08)),
      ellipse(830, 1070, 180, 34, darker(wood, 0.25)),
      ellipse(830, 1058, 180, 34, wood),
      rect(770, 1034, 70, 14, "#eef2f6", { rx: 4 }),
      rect(880, 1016, 24, 34, "#ffffff", { rx: 5 }),
      pottedPlant(130, 950, 340, "#e8dfd3", leaf),
      pottedPlant(1500, 960, 320, lighter(accent, 0.35), leaf),
      person(1460, 1150, 350, "#f2a541"),
    ],
    cafe: () => [
      shelf(120, 180, 420, 3, wood, random),
      view(random, 680, 130, 800, 430, mood, frame, 4),
      lamp(240, 40, accent),
      lamp(470, 40, accent),
      lamp(900, 80, accent),
      lamp(1300, 80, accent),
      rect(60, 720, 640, 40, wood, { rx: 8 }),
      rect(80, 756, 600, 220, darker(accent, 0.1)),
      repeat(9, (index) =>
        rect(100 + index * 65, 776, 40, 180, lighter(accent, 0.1), { rx: 4 }),
      ),
      rect(140, 610, 150, 112, "#d5dbe3", { rx: 12 }),
      rect(168, 640, 94, 40, "#475467", { rx: 6 }),
      repeat(5, (index) =>
        rect(
          360 + index * 44,
          690,
          30,
          32,
          index % 2 ? "#ffffff" : lighter(accent, 0.6),
          { rx: 6 },
        ),
      ),
      person(420, 720, 250, "#f8fafc"),
      rect(60, 720, 640, 40, wood, { rx: 8 }),
      [900, 1260]
        .map(
          (x) =>
            ellipse(x, 1120, 120, 14, "#000000", { opacity: 0.12 }) +
            rect(x - 8, 900, 16, 214, "#475467") +
            ellipse(x, 890, 150, 26, darker(wood, 0.2)) +
            ellipse(x, 882, 150, 26, wood) +
            rect(x - 20, 846, 28, 32, "#ffffff", { rx: 6 }) +
            rect(x + 30, 860, 66, 10, "#94a3b8", { rx: 3 }) +
            chair(x - 190, 1110, accent) +
            chair(x + 190, 1110, lighter(accent, 0.25)),
        )
        .join(""),
      pottedPlant(1530, 930, 320, "#e8dfd3", leaf),
    ],
    pods: () => [
      view(random, 960, 130, 540, 450, mood, frame, 3),
      lamp(1120, 60, accent),
      lamp(1380, 60, accent),
      [100, 500]
        .map(
          (x, index) =>
            rect(x, 250, 350, 700, darker(accent, 0.35), { rx: 26 }) +
            rect(x + 26, 286, 298, 640, lighter(wall, 0.35), { rx: 14 }) +
            rect(x + 26, 286, 298, 640, mood.glass, { rx: 14, opacity: 0.22 }) +
            rect(x + 60, 640, 230, 18, wood, { rx: 5 }) +
            rect(x + 112, 560, 124, 78, "#1f2937", { rx: 7 }) +
            rect(x + 120, 567, 108, 62, "#7dd3fc", { rx: 3, opacity: 0.7 }) +
            (index
              ? person(x + 175, 900, 330, "#f2a541")
              : chair(x + 175, 900, accent, 1.2)) +
            circle(x + 300, 620, 9, "#ffffff") +
            rect(x + 110, 306, 130, 18, "#fff3c4", { rx: 9 }),
        )
        .join(""),
      desk(960, 800, 540, wood, random, accent),
      pottedPlant(905, 960, 250, "#e8dfd3", leaf),
      pottedPlant(1540, 960, 240, lighter(accent, 0.3), leaf),
    ],
    store: () => [
      rect(60, 110, 1480, 70, accent, { rx: 10 }),
      repeat(6, (index) =>
        rect(560 + index * 84, 128, 56, 34, "#ffffff", { rx: 8, opacity: 0.9 }),
      ),
      shelf(100, 250, 520, 4, wood, random),
      shelf(980, 250, 520, 4, wood, random),
      rect(690, 260, 220, 520, lighter(accent, 0.7), { rx: 110 }),
      rect(720, 300, 160, 480, mix(mood.sky[1], "#ffffff", 0.2), { rx: 80 }),
      person(800, 780, 360, "#d1495b"),
      [300, 800, 1300].map((x) => lamp(x, 20, wood)).join(""),
      [230, 880]
        .map(
          (x) =>
            rect(x, 890, 490, 30, wood, { rx: 8 }) +
            rect(x + 20, 918, 450, 170, lighter(wood, 0.35)) +
            repeat(6, (index) =>
              rect(
                x + 34 + index * 74,
                850 - (index % 3) * 14,
                52,
                40 + (index % 3) * 14,
                [accent, "#f2a541", "#3d9970", "#eef2f6"][index % 4],
                { rx: 8 },
              ),
            ),
        )
        .join(""),
      pottedPlant(60, 960, 260, "#e8dfd3", leaf),
      pottedPlant(1545, 960, 260, "#e8dfd3", leaf),
    ],
  }[kind]();
  return [...room, ...parts].join("");
}

function door(x, y, size, turn, ink) {
  return group(
    line(0, 0, 0, -size, ink, 5) +
      path(`M0 ${-size} A${size} ${size} 0 0 1 ${size} 0`, "none", {
        stroke: ink,
        "stroke-width": 3,
        "stroke-dasharray": "10 8",
      }),
    { transform: `translate(${x} ${y}) rotate(${turn})` },
  );
}

/** A floor plan seen from above: rooms, doors and furniture. */
export function plan(random, { paper, ink, fills, kind }) {
  const label = (x, y, w) =>
    rect(x - w / 2, y - 6, w, 12, ink, { rx: 6, opacity: 0.35 });
  const table = (x, y, w, h) =>
    rect(x - w / 2, y - h / 2, w, h, lighter(ink, 0.7), {
      rx: 8,
      stroke: ink,
      "stroke-width": 3,
    });
  const seat = (x, y) =>
    circle(x, y, 15, lighter(ink, 0.5), { stroke: ink, "stroke-width": 3 });
  const wallOf = (x, y, w, h, fill) =>
    rect(x, y, w, h, fill, { stroke: ink, "stroke-width": 14 });
  const workstation = (x, y) =>
    table(x, y, 150, 60) +
    seat(x - 40, y - 48) +
    seat(x + 40, y - 48) +
    seat(x - 40, y + 48) +
    seat(x + 40, y + 48) +
    line(x, y - 28, x, y + 28, ink, 3);
  const grid =
    repeat(33, (index) =>
      line(index * 50, 0, index * 50, HEIGHT, ink, 1, { opacity: 0.1 }),
    ) +
    repeat(25, (index) =>
      line(0, index * 50, WIDTH, index * 50, ink, 1, { opacity: 0.1 }),
    );
  const rooms = {
    office: () => [
      wallOf(150, 150, 1300, 900, fills[0]),
      wallOf(150, 150, 360, 330, fills[1]),
      wallOf(150, 480, 360, 280, fills[2]),
      wallOf(150, 760, 360, 290, fills[3]),
      wallOf(1120, 150, 330, 420, fills[2]),
      wallOf(1120, 800, 330, 250, fills[1]),
      table(330, 315, 190, 90),
      [-70, 0, 70]
        .map((dx) => seat(330 + dx, 245) + seat(330 + dx, 385))
        .join(""),
      table(330, 620, 120, 70),
      seat(330, 560),
      seat(330, 680),
      repeat(3, (index) =>
        rect(200 + index * 95, 800, 70, 90, "#ffffff", {
          rx: 8,
          stroke: ink,
          "stroke-width": 3,
        }),
      ),
      ellipse(1285, 340, 95, 130, lighter(ink, 0.7), {
        stroke: ink,
        "stroke-width": 3,
      }),
      [250, 340, 430].map((y) => seat(1165, y) + seat(1405, y)).join(""),
      repeat(8, (index) =>
        workstation(
          650 + (index % 2) * 270 + 20,
          260 + Math.floor(index / 2) * 200,
        ),
      ),
      sofaTop(1180, 880, ink),
      circle(1390, 950, 30, lighter(ink, 0.6), {
        stroke: ink,
        "stroke-width": 3,
      }),
      door(510, 440, 80, 0, ink),
      door(510, 720, 80, 0, ink),
      door(1120, 540, 80, -90, ink),
      door(800, 1050, 100, 0, ink),
      label(330, 440, 120),
      label(330, 730, 90),
      label(330, 1000, 110),
      label(1285, 520, 130),
    ],
    mixed: () => [
      wallOf(150, 150, 620, 430, fills[1]),
      wallOf(770, 150, 680, 430, fills[2]),
      wallOf(150, 580, 420, 470, fills[3]),
      wallOf(570, 580, 430, 470, fills[0]),
      wallOf(1000, 580, 450, 470, fills[1]),
      repeat(4, (index) =>
        workstation(310 + (index % 2) * 280, 290 + Math.floor(index / 2) * 170),
      ),
      repeat(
        4,
        (index) =>
          rect(820 + index * 155, 200, 110, 50, lighter(ink, 0.6), {
            rx: 6,
            stroke: ink,
            "stroke-width": 3,
          }) +
          rect(820 + index * 155, 440, 110, 50, lighter(ink, 0.6), {
            rx: 6,
            stroke: ink,
            "stroke-width": 3,
          }),
      ),
      table(1110, 345, 380, 50),
      sofaTop(200, 650, ink),
      table(330, 860, 150, 110),
      seat(230, 860),
      seat(430, 860),
      repeat(7, (index) =>
        line(620 + index * 48, 640, 620 + index * 48, 990, ink, 4),
      ),
      repeat(
        3,
        (index) =>
          circle(1110 + index * 120, 740, 46, lighter(ink, 0.7), {
            stroke: ink,
            "stroke-width": 3,
          }) +
          seat(1110 + index * 120, 672) +
          seat(1110 + index * 120, 808),
      ),
      door(770, 540, 80, 0, ink),
      door(570, 700, 80, 0, ink),
      door(1200, 1050, 90, 0, ink),
      label(460, 540, 120),
      label(1110, 540, 120),
      label(1220, 980, 140),
    ],
    warehouse: () => [
      wallOf(120, 170, 1360, 700, fills[0]),
      wallOf(120, 170, 300, 300, fills[1]),
      wallOf(120, 470, 300, 400, fills[2]),
      repeat(
        6,
        (index) =>
          rect(500 + index * 155, 230, 80, 430, lighter(ink, 0.72), {
            stroke: ink,
            "stroke-width": 3,
          }) +
          repeat(6, (bay) =>
            line(
              500 + index * 155,
              301 + bay * 60,
              580 + index * 155,
              301 + bay * 60,
              ink,
              2,
            ),
          ),
      ),
      repeat(
        5,
        (index) =>
          rect(520 + index * 190, 850, 120, 36, "#ffffff", {
            stroke: ink,
            "stroke-width": 5,
          }) +
          rect(
            540 + index * 190,
            900,
            80,
            170,
            index % 2 ? lighter(ink, 0.8) : fills[3],
            { rx: 8, stroke: ink, "stroke-width": 3 },
          ),
      ),
      table(270, 320, 150, 70),
      seat(220, 260),
      seat(320, 260),
      repeat(3, (index) =>
        rect(170 + index * 78, 640, 56, 80, lighter(ink, 0.65), {
          rx: 5,
          stroke: ink,
          "stroke-width": 3,
        }),
      ),
      door(420, 430, 80, 0, ink),
      door(420, 800, 80, 0, ink),
      label(270, 430, 110),
      label(270, 820, 120),
      label(960, 740, 220),
    ],
  }[kind]();
  return [
    rect(0, 0, WIDTH, HEIGHT, paper),
    grid,
    rect(90, 90, 1420, 1020, "#ffffff", { opacity: 0.25, rx: 16 }),
    rooms.flat().join(""),
    line(150, 1110, 1450, 1110, ink, 4),
    line(150, 1092, 150, 1128, ink, 4),
    line(1450, 1092, 1450, 1128, ink, 4),
    circle(1515, 90, 40, "none", { stroke: ink, "stroke-width": 4 }),
    polygon(
      [
        [1515, 56],
        [1529, 104],
        [1515, 94],
        [1501, 104],
      ],
      ink,
    ),
  ].join("");
}

const sofaTop = (x, y, ink) =>
  rect(x, y, 160, 70, lighter(ink, 0.6), {
    rx: 18,
    stroke: ink,
    "stroke-width": 3,
  }) + rect(x + 14, y + 22, 132, 44, lighter(ink, 0.78), { rx: 10 });
