import type { Tables } from '@/types/database'
import { beforeEach, expect, it, vi } from 'vitest'
import { decisionOf, followNotices, isEdit, type Notices } from './notices'

type Binding = { filter: Record<string, string>; tell: (payload: object) => void }

function fakeClient() {
  const bindings: Binding[] = []
  let status: (value: string) => void = () => {}
  const channel = {
    on: vi.fn((_kind: string, filter: Record<string, string>, tell: (payload: object) => void) => {
      bindings.push({ filter, tell })
      return channel
    }),
    subscribe: vi.fn((listener: (value: string) => void) => {
      status = listener
      return channel
    }),
  }
  const client = { channel: vi.fn(() => channel) }
  return { client, channel, bindings, report: (value: string) => status(value) }
}
const property = (part: object) => part as Tables<'properties'>
const notices: Notices = { onEnquiry: vi.fn(), onProperty: vi.fn(), onQueue: vi.fn(), onReturn: vi.fn() }
beforeEach(() => vi.clearAllMocks())

function follow(admin: boolean) {
  const fake = fakeClient()
  // @ts-expect-error The fake has the few methods that are used.
  followNotices(fake.client, 'notices:u1', { user: 'u1', admin }, notices)
  return fake
}

it('has one channel per user, with what is about that user', () => {
  const { client, channel, bindings } = follow(false)
  expect(client.channel).toHaveBeenCalledExactlyOnceWith('notices:u1')
  expect(channel.subscribe).toHaveBeenCalledOnce()
  expect(bindings.map(({ filter }) => filter)).toEqual([
    { event: 'INSERT', schema: 'public', table: 'enquiries', filter: 'owner_id=eq.u1' },
    { event: 'UPDATE', schema: 'public', table: 'properties', filter: 'owner_id=eq.u1' },
  ])
})

it('tells administrators what came to wait, once', () => {
  const { bindings } = follow(true)
  expect(bindings.slice(2).map(({ filter }) => [filter.event, filter.filter])).toEqual([
    ['INSERT', 'status=eq.pending'],
    ['UPDATE', 'status=eq.pending'],
  ])
  bindings[2]?.tell({ new: property({ id: 'a', status: 'pending' }) })
  bindings[3]?.tell({ old: { status: 'draft' }, new: property({ id: 'b', status: 'pending' }) })
  bindings[3]?.tell({ old: { status: 'pending' }, new: property({ id: 'b', status: 'pending' }) })
  expect(notices.onQueue).toHaveBeenCalledTimes(2)
})

it('tells of enquiries, of edits and of decisions, but not of being looked at', () => {
  const { bindings } = follow(false)
  bindings[0]?.tell({ new: { id: 'e1', name: 'Asha' } })
  expect(notices.onEnquiry).toHaveBeenCalledWith({ id: 'e1', name: 'Asha' })
  const before = { status: 'pending', updated_at: '1', view_count: 1 }
  bindings[1]?.tell({ old: before, new: property({ ...before, view_count: 2 }) })
  expect(notices.onProperty).not.toHaveBeenCalled()
  const approved = property({ ...before, status: 'active', updated_at: '2' })
  bindings[1]?.tell({ old: before, new: approved })
  expect(notices.onProperty).toHaveBeenCalledWith(approved, 'approved')
})

it('says when the connection is back, not when it is first there', () => {
  const { report } = follow(false)
  report('SUBSCRIBED')
  expect(notices.onReturn).not.toHaveBeenCalled()
  report('CHANNEL_ERROR')
  report('TIMED_OUT')
  report('SUBSCRIBED')
  expect(notices.onReturn).toHaveBeenCalledOnce()
})

it.each([
  ['pending', 'active', 'approved'],
  ['pending', 'rejected', 'rejected'],
  ['active', 'active', null],
  ['active', 'archived', null],
  [undefined, 'active', null],
] as const)('%s to %s is %s', (from, to, decision) => {
  expect(decisionOf({ status: from }, property({ status: to }))).toBe(decision)
})

it('takes a change without its past for an edit', () => {
  expect(isEdit({}, property({ status: 'active', updated_at: '2' }))).toBe(true)
})
