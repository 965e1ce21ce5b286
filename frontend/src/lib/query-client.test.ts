import { expect, it } from 'vitest'
import { queryClient } from './query-client'

it('keeps reads fresh for 300 s and unused ones for 600 s, and repeats writes once', () => {
  const { queries, mutations } = queryClient.getDefaultOptions()
  expect(queries).toMatchObject({ staleTime: 300_000, gcTime: 600_000, refetchOnWindowFocus: false })
  expect(mutations).toMatchObject({ retry: 1, networkMode: 'always' })
})
