export const adminKeys = {
  all: ['admin'] as const,
  counts: ['admin', 'counts'] as const,
  list: (tab: string, ...what: unknown[]) => ['admin', tab, ...what] as const,
}
