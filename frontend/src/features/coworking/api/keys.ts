export const coworkingKeys = {
  all: ['coworking'] as const,
  cities: ['coworking', 'cities'] as const,
  list: (city: string) => [...coworkingKeys.all, 'list', city] as const,
  detail: (slug: string) => [...coworkingKeys.all, 'detail', slug] as const,
}
