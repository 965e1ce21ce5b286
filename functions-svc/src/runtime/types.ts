// Stands for modules that hold types alone.
export {};
