export const coworkingKeys = {
  list: (city: string) => ['coworking', 'list', city] as const,
  detail: (slug: string) => ['coworking', 'detail', slug] as const,
};
