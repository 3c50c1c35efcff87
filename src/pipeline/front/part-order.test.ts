import { describe, expect, it } from 'vitest'
import { orderWords, PartOrder } from './part-order.ts'

const SLOTS = 4

function begun(total: number): PartOrder {
  const order = new PartOrder(new Int32Array(orderWords(SLOTS)), SLOTS)
  order.begin(total)
  return order
}

describe('parts of a draw', () => {
  it('are taken in their order, and each once', () => {
    const order = begun(3)
    expect([order.take(), order.take(), order.take(), order.take()]).toEqual([0, 1, 2, -1])
    expect(order.hasMore).toBe(false)
  })

  it('are passed on in their order, whichever ends first', () => {
    const order = begun(3)
    const passed: number[] = []
    const passOn = (slot: number): void => void passed.push(slot)
    order.end(2, 0, passOn)
    order.end(1, 3, passOn)
    expect([passed, order.isFirst(0), order.isDone]).toEqual([[], true, false])
    order.end(0, 1, passOn)
    expect([passed, order.isDone]).toEqual([[1, 3, 0], true])
  })

  it('that are longer than a slot pass on what they have, and stay the first', () => {
    const order = begun(2)
    const passed: number[] = []
    const passOn = (slot: number): void => void passed.push(slot)
    order.end(1, 2, passOn)
    expect(order.passOnFirst(0, passOn)).toBe(true)
    expect([passed, order.isFirst(0)]).toEqual([[0], true])
    order.end(0, 3, passOn)
    expect(passed).toEqual([0, 3, 2])
  })

  it('wait for no thread that passes on: it may have died, which whoever waits must be able to see', () => {
    const order = begun(2)
    const passed: number[] = []
    order.passOnFirst(0, (slot) => {
      passed.push(slot)
      expect(order.passOnFirst(1, (other) => void passed.push(other))).toBe(false)
    })
    expect(passed).toEqual([0])
    expect(order.passOnFirst(1, (slot) => void passed.push(slot))).toBe(true)
    expect(passed).toEqual([0, 1])
  })
})
