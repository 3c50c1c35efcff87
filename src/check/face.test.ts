import { describe, expect, it } from 'vitest'
import { corpusFiles } from '../../test/support/corpus.ts'
import type { Engine } from '../engine/index.ts'
import { createReferenceEngine } from '../engine/reference/index.ts'
import { check, isClean } from '../host/check.ts'
import { cbv, Device, srv, uav } from '../index.ts'

describe('the public face', () => {
  const bytes = corpusFiles().find((f) => f.name === 'kernels/saxpy')!.bytes

  function bindingsOf(device: Device, count: number) {
    const buffer = () => device.createBuffer({ data: new Float32Array(count).fill(2), stride: 4 })
    const y = buffer()
    const words = new Uint32Array([count, 0, 0, 0])
    new Float32Array(words.buffer)[1] = 3
    return { y, bindings: { t0: srv(buffer()), u0: uav(y), b0: cbv(words) } }
  }

  it('checks on a device, names fields, and leaves the results in the resources', async () => {
    const device = new Device({ engine: 'reference' })
    const { y, bindings } = bindingsOf(device, 128)
    const report = await check(device, bytes, bindings, [1, 1, 1])
    expect([isClean(report), report.findings]).toEqual([true, []])
    expect([...new Set(y.read('f32'))].length).toBe(1)
    expect(y.read('f32')[0]).not.toBe(2)
    const short = bindingsOf(device, 120)
    const unguarded = { ...short.bindings, b0: cbv(new Uint32Array([128, 0, 0, 0])) }
    const faulty = await check(device, device.createShader(bytes), unguarded, [1, 1, 1])
    expect(faulty.findings.map((f) => f.code)).toContain('check-bounds-structure-index')
    expect(faulty.findings[0]!.site.listing).toMatch(/^(ld|store)_structured/)
  })

  it('observes with the reference engine what another engine made ready', async () => {
    const device = new Device({ engine: 'reference' })
    const { bindings } = bindingsOf(device, 128)
    const reference = createReferenceEngine({})
    const blind: Engine = {
      ...reference,
      name: 'blind',
      dispatch: () => ({ stopped: 'refused', diagnostics: [], undefinedCount: 0 }),
    }
    const shader = device.createShader(bytes)
    for (const source of [bytes, shader, shader.program]) {
      const report = await check(blind, source, bindings, [1, 1, 1])
      expect([report.partial, report.stats.threadInstructions > 0]).toEqual([undefined, true])
    }
  })
})
