/** Checks that yield to the host, are canceled, and take group counts as dispatches do. */
import { describe, expect, it } from 'vitest'
import { programOf } from '../../test/support/run-text.ts'
import { valueOrThrow } from '../diagnostic/index.ts'
import { createReferenceEngine } from '../engine/reference/index.ts'
import { createBuffer, createUav } from '../machine/index.ts'
import { check } from './index.ts'

/** Counts to a million in every thread, so that a check takes long enough to be stopped. */
const LONG = programOf(`cs_5_0
dcl_globalFlags refactoringAllowed
dcl_uav_raw u0
dcl_input vThreadIDInGroupFlattened
dcl_temps 1
dcl_thread_group 64, 1, 1
mov r0.x, l(0)
loop
  uge r0.y, r0.x, l(1000000)
  breakc_nz r0.y
  iadd r0.x, r0.x, l(1)
endloop
store_raw u0.x, l(0), r0.x
ret
`)
const SHORT = programOf(`cs_5_0
dcl_globalFlags refactoringAllowed
dcl_uav_raw u0
dcl_thread_group 1, 1, 1
store_raw u0.x, l(0), l(1)
ret
`)
const engine = createReferenceEngine({})
const bindings = () => ({ u0: createUav(valueOrThrow(createBuffer({ byteLength: 16 })), { raw: true }) })

describe('check', () => {
  it('yields, says how far it is, and ends when it is canceled', async () => {
    const controller = new AbortController()
    let progress = 0
    setTimeout(() => controller.abort(), 1)
    const { signal } = controller
    const report = await check(engine, LONG, bindings(), [4, 1, 1], {
      signal,
      onProgress: ({ total }) => (progress = total),
    })
    expect(report.partial).toBe('canceled')
    expect(progress).toBe(4)
  })

  it('takes one to three group counts', async () => {
    const report = await check(engine, SHORT, bindings(), [2])
    expect([report.partial, report.stats.groups]).toEqual([undefined, [2, 1, 1]])
    const wrong = await check(engine, SHORT, bindings(), [] as never)
    expect([wrong.partial, wrong.diagnostics[0]?.code]).toEqual(['refused', 'machine-dispatch-size'])
  })
})
