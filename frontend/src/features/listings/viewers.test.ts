import { expect, it, vi } from 'vitest'
import { watchViewers } from './viewers'

function fakeClient() {
  const listeners: { sync: () => void; status: (value: string) => void } = {
    sync: () => {},
    status: () => {},
  }
  const channel = {
    state: {} as Record<string, unknown[]>,
    on: vi.fn((_kind: string, _filter: object, sync: () => void) => {
      listeners.sync = sync
      return channel
    }),
    subscribe: vi.fn((status: (value: string) => void) => {
      listeners.status = status
      return channel
    }),
    presenceState: () => channel.state,
    track: vi.fn(() => Promise.resolve('ok')),
  }
  const client = { channel: vi.fn(() => channel) }
  return { client, channel, listeners }
}

it('tells nothing about the viewer, and counts everybody', () => {
  const { client, channel, listeners } = fakeClient()
  const counts: number[] = []
  // @ts-expect-error The fake has the few methods that are used.
  const watched = watchViewers(client, 'property:p1', (count) => counts.push(count))
  expect(client.channel).toHaveBeenCalledWith('property:p1')
  listeners.status('SUBSCRIBED')
  expect(channel.track).toHaveBeenCalledWith({})
  channel.state = { a: [{}], b: [{}, {}] }
  listeners.sync()
  expect(counts).toEqual([2])
  // Without a connection nobody knows; after it everything is told anew.
  listeners.status('CHANNEL_ERROR')
  expect(counts).toEqual([2, 0])
  listeners.status('SUBSCRIBED')
  expect(channel.track).toHaveBeenCalledTimes(2)
  expect(watched).toBe(channel)
})
