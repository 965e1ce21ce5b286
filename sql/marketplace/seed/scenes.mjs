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

/** Where storage serves a scene that was put into a bucket; the front end asks for it in the widths it needs. */
export const sceneUrl = (bucket, scene) =>
  `/storage/v1/object/public/${bucket}/demo/scene-${String(scene).padStart(2, "0")}.webp`;
export const SCENE_WIDTH = 1920;
export const SCENE_HEIGHT = 1440;
