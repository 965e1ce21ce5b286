// Draws the pictures of the demo data and writes them to the folder `pictures`, from which they go into storage.
// Needs `sharp` (npm install --no-save sharp); nothing that runs later does.
// `node images.mjs [FOLDER]`
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { randomFor } from "./random.mjs";
import { interior, plan } from "./images/indoors.mjs";
import { dock, facade, factory } from "./images/outdoors.mjs";
import { canvas } from "./images/shapes.mjs";

const WIDTH = 1920;

// The order is the number in the file's name; scenes.mjs says which numbers suit what.
const SCENES = [
  [facade, { mood: "morning", kind: "tower", tint: "#3b6ea5" }],
  [facade, { mood: "golden", kind: "campus", tint: "#c96f4a" }],
  [facade, { mood: "dusk", kind: "tower", tint: "#5f5aa2" }],
  [facade, { mood: "noon", kind: "arches", tint: "#c9a06a" }],
  [facade, { mood: "noon", kind: "shops", tint: "#e0a95b" }],
  [facade, { mood: "dusk", kind: "shops", tint: "#b56576" }],
  [facade, { mood: "night", kind: "shops", tint: "#7a86c9" }],
  [facade, { mood: "golden", kind: "mixed", tint: "#8f9d62" }],
  [
    interior,
    {
      mood: "morning",
      kind: "desks",
      wall: "#f2ece1",
      wood: "#c99a68",
      accent: "#2f7f86",
    },
  ],
  [
    interior,
    {
      mood: "noon",
      kind: "meeting",
      wall: "#e8eef4",
      wood: "#b98457",
      accent: "#3b6ea5",
    },
  ],
  [
    interior,
    {
      mood: "golden",
      kind: "lounge",
      wall: "#f6e7d6",
      wood: "#b5794c",
      accent: "#c65d3b",
    },
  ],
  [
    interior,
    {
      mood: "noon",
      kind: "cafe",
      wall: "#e9efe6",
      wood: "#c4935f",
      accent: "#3f7d5c",
    },
  ],
  [
    interior,
    {
      mood: "dusk",
      kind: "desks",
      wall: "#e9e2f1",
      wood: "#a9764c",
      accent: "#6b5ca5",
    },
  ],
  [
    interior,
    {
      mood: "morning",
      kind: "pods",
      wall: "#f4ead9",
      wood: "#cf9f6b",
      accent: "#d98a2b",
    },
  ],
  [
    interior,
    {
      mood: "night",
      kind: "lounge",
      wall: "#c9d2e6",
      wood: "#9b6b45",
      accent: "#3d5a98",
    },
  ],
  [
    interior,
    {
      mood: "noon",
      kind: "store",
      wall: "#fbf1e4",
      wood: "#c48b57",
      accent: "#b8475a",
    },
  ],
  [
    interior,
    {
      mood: "golden",
      kind: "meeting",
      wall: "#f0e6d8",
      wood: "#a8703f",
      accent: "#2d6a4f",
    },
  ],
  [dock, { mood: "morning", tint: "#3b6ea5", trucks: 2 }],
  [dock, { mood: "golden", tint: "#c96f4a", trucks: 1 }],
  [factory, { mood: "noon", tint: "#c0653f" }],
  [factory, { mood: "dusk", tint: "#4f7cac" }],
  [
    plan,
    {
      kind: "office",
      paper: "#eef4fb",
      ink: "#264b7f",
      fills: ["#ffffff", "#dce9f8", "#e8f3ea", "#fdf0dc"],
    },
  ],
  [
    plan,
    {
      kind: "mixed",
      paper: "#fbf5ea",
      ink: "#6b4a2b",
      fills: ["#fffdf8", "#f6e3c5", "#e5eddb", "#f3d9cc"],
    },
  ],
  [
    plan,
    {
      kind: "warehouse",
      paper: "#e9f3ee",
      ink: "#1f5c4a",
      fills: ["#ffffff", "#d6ebe0", "#fbeed3", "#f4d8c8"],
    },
  ],
];

export function sceneSvg(number) {
  const [draw, options] = SCENES[number - 1];
  return canvas(() => draw(randomFor(`scene:${number}`), options));
}

async function main() {
  const { default: sharp } = await import("sharp");
  const folder =
    process.argv[2] ??
    fileURLToPath(new URL("pictures", import.meta.url));
  mkdirSync(folder, { recursive: true });
  let bytes = 0;
  for (const number of SCENES.keys()) {
    const name = `scene-${String(number + 1).padStart(2, "0")}`;
    const drawing = Buffer.from(sceneSvg(number + 1));
    const written = await sharp(drawing, { density: 90 })
      .resize(WIDTH)
      .webp({ quality: 80, effort: 6 })
      .toFile(join(folder, `${name}.webp`));
    bytes += written.size;
  }
  console.log(
    `${SCENES.length} scenes, ${Math.round(bytes / 1024)} KiB`,
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main();
}
