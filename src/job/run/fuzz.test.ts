import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { amount } from '../../../test/support/amount.ts'
import { kernelJob, memoryHost } from '../../../test/support/jobs.ts'
import { CODES } from '../../diagnostic/index.ts'
import { createReferenceEngine } from '../../engine/reference/index.ts'
import { parseJob } from '../parse/parse.ts'
import { prepareJob } from './prepare.ts'

const KERNELS = ['blur', 'oit', 'sample', 'histogram', 'scan']
const engine = createReferenceEngine({})
const host = memoryHost()

/** Numbers that are small, or too large for any resource: what lies between would only take memory. */
const number = fc.constantFrom(0, -1, 1, 1.5, 3, 4, 16, 17, 4096, 2 ** 40, 1e308, -0)
const text = fc.constantFrom(
  '',
  'u0',
  't0',
  'b0',
  's0',
  'x',
  'structured',
  'raw',
  'texture3d',
  'R32_UINT',
  'BC7_UNORM',
  'lists',
  'zero',
  'png',
  'words',
  '__proto__',
)
const value = fc.letrec((tie) => ({
  any: fc.oneof({ depthSize: 'small' }, number, text, fc.boolean(), fc.constant(null), tie('list'), tie('object')),
  list: fc.array(tie('any'), { maxLength: 4 }),
  object: fc.dictionary(
    fc.oneof(text, fc.constantFrom('kind', 'init', 'view', 'size', 'data', 'path', 'slot')),
    tie('any'),
    { maxKeys: 4 },
  ),
})).any

/** Every place of a JSON value, as the steps that lead there. */
function places(v: unknown, path: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  if (typeof v !== 'object' || v === null) return [path]
  const inner = Object.entries(v).flatMap(([k, child]) => places(child, [...path, Array.isArray(v) ? Number(k) : k]))
  return [path, ...inner]
}

function change(root: unknown, path: readonly (string | number)[], to: unknown): unknown {
  if (path.length === 0) return to
  const copy = structuredClone(root) as Record<string | number, unknown>
  let at = copy
  for (const step of path.slice(0, -1)) at = at[step] as Record<string | number, unknown>
  const last = path.at(-1)!
  if (to === undefined) delete at[last]
  else at[last] = to
  return copy
}

describe('descriptions that make no sense', () => {
  it('are refused or run, and never throw', () => {
    const jobs = KERNELS.map((name) => kernelJob(name))
    const edit = fc.tuple(fc.nat(), fc.option(value, { nil: undefined }))
    fc.assert(
      fc.property(fc.nat(KERNELS.length - 1), fc.array(edit, { minLength: 1, maxLength: 3 }), (which, edits) => {
        let job: unknown = jobs[which]
        for (const [place, to] of edits) {
          const all = places(job)
          job = change(job, all[place % all.length]!, to)
        }
        const parsed = parseJob(job)
        const found = [
          ...parsed.diagnostics,
          ...(parsed.value === undefined ? [] : prepareJob(parsed.value, host, engine).diagnostics),
        ]
        if (parsed.value === undefined) expect(found.some((d) => d.severity === 'error')).toBe(true)
        for (const d of found) expect(CODES[d.code]).toBeDefined()
      }),
      { numRuns: amount(150, 600) },
    )
  })

  it('of any JSON are refused', () => {
    fc.assert(fc.property(fc.jsonValue(), (v) => parseJob(v).value === undefined))
  })
})
