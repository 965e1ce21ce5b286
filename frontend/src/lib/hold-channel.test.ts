import { expect, it, vi } from 'vitest'
import { holdChannel } from './hold-channel'

const settle = () => new Promise((resolve) => setTimeout(resolve))

function world() {
  let closed = () => {}
  const happened: string[] = []
  const supabase = {
    removeChannel: vi.fn((channel: string) => {
      happened.push(`leave ${channel}`)
      return new Promise<string>((resolve) => {
        closed = () => resolve('ok')
      })
    }),
  }
  let number = 0
  const open = (_client: unknown, topic: string) => {
    happened.push(`open ${topic}`)
    return `${topic}#${++number}`
  }
  // @ts-expect-error The fakes have the one method that is used.
  const hold = () => holdChannel('a', open, () => Promise.resolve(supabase))
  return { happened, hold, close: () => closed() }
}

it('waits until the earlier channel of a topic is gone', async () => {
  const { happened, hold, close } = world()
  const leave = hold()
  await settle()
  leave()
  hold()
  await settle()
  expect(happened).toEqual(['open a', 'leave a#1'])
  close()
  await settle()
  expect(happened).toEqual(['open a', 'leave a#1', 'open a'])
})

it('opens nothing for whoever left meanwhile, and leaves once', async () => {
  const { happened, hold } = world()
  hold()()
  await settle()
  expect(happened).toEqual([])
  const leave = hold()
  await settle()
  leave()
  leave()
  await settle()
  expect(happened).toEqual(['open a', 'leave a#1'])
})
