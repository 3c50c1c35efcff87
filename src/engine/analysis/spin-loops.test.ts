import { describe, expect, it } from 'vitest'
import { irProgram } from '../../../test/support/ir-program.ts'
import { findSpinLoop } from './spin-loops.ts'

/** The statement of the loop that waits for another thread, if there is one. */
const spinLoopOf = (text: string, threads: readonly [number, number, number] = [64, 1, 1]): number | undefined =>
  findSpinLoop(irProgram(text, { threads }), 4)

/** A loop at statement 7 that goes on while what it reads is 0. */
const waiting = (read: string, before = 'store [uav 0, offset 0x0 stride 0] 0x1 @1'): string => `
  v0 = threadInGroup.0
  ${before}
  loop L0 cost 2 @7 {
    ${read}
    if v1 {
      break L0
    } else {
    }
  }`

const LOAD = 'v1 = load [uav 0, offset 0x0 stride 0] 0 of 0 @8'

describe('spin loops', () => {
  it('read one place that another thread writes until it changes', () => {
    expect(spinLoopOf(waiting(LOAD))).toBe(7)
    expect(
      spinLoopOf(
        waiting(
          'v1 = load [tgsm 0 64 0 0, offset 0x0 stride 0] 0 of 0 @8',
          'store [tgsm 0 64 0 0, offset 0x0 stride 0] 0x1 @1',
        ),
      ),
    ).toBe(7)
  })

  it('read by atomics that leave the word as it is', () => {
    expect(spinLoopOf(waiting('v1 = atomic or [uav 0, offset 0x0 stride 0] 0x0 @8'))).toBe(7)
    expect(spinLoopOf(waiting('v1 = atomic and [uav 0, offset 0x0 stride 0] 0xffffffff @8'))).toBe(7)
    expect(spinLoopOf(waiting('v1 = atomic compare-exchange [uav 0, offset 0x0 stride 0] 0x5 compare 0x5 @8'))).toBe(7)
  })

  it('are not loops that change the word themselves', () => {
    expect(spinLoopOf(waiting('v1 = atomic add [uav 0, offset 0x0 stride 0] 0x1 @8', ''))).toBeUndefined()
  })

  it('are not loops over memory that nothing writes, or that is written behind them only', () => {
    expect(spinLoopOf(waiting(LOAD, ''))).toBeUndefined()
    expect(spinLoopOf(waiting(LOAD, 'store [uav 1, offset 0x0 stride 0] 0x1 @1'))).toBeUndefined()
    expect(spinLoopOf(`${waiting(LOAD, '')}\nstore [uav 0, offset 0x0 stride 0] 0x1 @9`)).toBeUndefined()
  })

  it('are not loops that something else ends', () => {
    const counted = `
      v0 = threadInGroup.0
      store [uav 0, offset 0x0 stride 0] 0x1 @1
      loop L0 cost 2 @7 {
        v1 = phi 0x0, v2
        v2 = i32Add v1, 0x1
        v3 = load [uav 0, offset 0x0 stride 0] 0 of 0 @8
        v4 = u32Less v1, 0x64
        v5 = and v3, v4
        if v5 {
          break L0
        } else {
        }
      }`
    expect(spinLoopOf(counted)).toBeUndefined()
  })

  it('do not wait in vain for threads of their own wave', () => {
    expect(spinLoopOf(waiting(LOAD), [4, 1, 1])).toBeUndefined()
    expect(spinLoopOf(waiting(LOAD), [5, 1, 1])).toBe(7)
  })
})
