import { expect, it } from 'vitest'
import { DiagnosticCollector } from '../../diagnostic/index.ts'
import type { Buffer } from '../../machine/index.ts'
import { TotalBytes } from './total-bytes.ts'

/** Resources that take no memory: what is counted is what they say. */
const ofBytes = (byteLength: number): Buffer => ({ storage: {}, byteLength }) as unknown as Buffer
const GIBIBYTE = 2 ** 30

it('lets resources have four gibibytes together, and reports the first that is one too many', () => {
  const out = new DiagnosticCollector()
  const total = new TotalBytes()
  const first = ofBytes(2 * GIBIBYTE)
  expect(total.add(first, '$.a', 'a', out)).toBe(true)
  // A second view of a resource is no second resource.
  expect(total.add(first, '$.b', 'b', out)).toBe(true)
  expect(total.add(ofBytes(2 * GIBIBYTE), '$.c', 'c', out)).toBe(true)
  expect(out.errorCount).toBe(0)
  expect(total.add(ofBytes(4), '$.d', 'd', out)).toBe(false)
  expect(out.finish()).toMatchObject([
    { code: 'machine-out-of-memory', severity: 'error', place: { kind: 'path', path: '$.d' } },
  ])
})
