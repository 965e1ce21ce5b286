// Which pictures show what. The scenes themselves are drawn by images.mjs.

export const SCENES = {
  office: [1, 2, 3, 4, 9, 10, 13, 22],
  retail: [5, 6, 7, 14, 16],
  mixed_use: [8, 4, 7, 16, 23],
  warehouse: [18, 19, 24],
  industrial: [20, 21, 24],
  coworking: [9, 10, 11, 12, 13, 14, 15, 16, 17],
  facade: [1, 2, 3, 4, 8],
};

/** The front end asks for other widths by replacing the number. */
export const sceneUrl = (scene) =>
  `/seed/scene-${String(scene).padStart(2, "0")}-1024.webp`;
export const SCENE_WIDTH = 1024;
export const SCENE_HEIGHT = 768;
