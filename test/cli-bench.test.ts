import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isStable } from '../apps/cli/verbs/bench.ts'
import { heddle } from './support/cli.ts'
import { KERNELS_FOLDER } from './support/corpus.ts'

const job = join(KERNELS_FOLDER, 'saxpy.small.json')

describe('heddle bench', () => {
  it('says how many dispatches warmed up', async () => {
    const { status, stdout } = await heddle('bench', job, '--runs', '1')
    expect([status, stdout]).toEqual([0, expect.stringMatching(/\d+ dispatch(es)? to warm up, median/)])
    const fixed = await heddle('bench', job, '--runs', '1', '--warmup', '3', '--json')
    expect(JSON.parse(fixed.stdout)).toMatchObject([{ warmup: 3, runs: 1 }])
    expect((await heddle('bench', job, '--warmup', '-1')).status).toBe(2)
  })

  it('says once what keeps a job from running', async () => {
    const { status, stderr } = await heddle('bench', 'missing.job.json')
    expect([status, stderr.match(/cannot read/g)]).toEqual([2, ['cannot read']])
  })

  it('calls times stable where the medians of the last fours agree to a twentieth', () => {
    expect(isStable([10, 10, 10, 10, 10, 10, 10])).toBe(false)
    expect(isStable([90, 50, 10, 10, 10, 10, 10.2, 10, 10.4, 10.1])).toBe(true)
    // One slow dispatch of four does not move a median.
    expect(isStable([10, 10, 10, 10, 10, 10, 10, 99])).toBe(true)
    expect(isStable([20, 20, 20, 20, 10, 10, 10, 10])).toBe(false)
    expect(isStable([10, 10, 10, 10, 20, 20, 20, 20])).toBe(false)
  })
})
