import { describe, expect, test } from 'vitest'
import { valueOrThrow } from '../diagnostic/index.ts'
import {
  type Bindings,
  cbv,
  createBuffer,
  createTexture,
  parseSlot,
  printSlot,
  resolveBindings,
  sampler,
  slotKey,
  srv,
  uav,
} from './index.ts'

const buffer = valueOrThrow(createBuffer({ byteLength: 64, stride: 16 }))
const texture = valueOrThrow(createTexture({ dimension: 'texture2d', format: 'R8G8B8A8_UNORM', width: 4, height: 4 }))

describe('slots', () => {
  test.each([
    ['t0', { register: 't', index: 0, space: 0 }],
    ['U12', { register: 'u', index: 12, space: 0 }],
    ['b3,space2', { register: 'b', index: 3, space: 2 }],
    ['t0,space4294967295', { register: 't', index: 0, space: 0xffffffff }],
    [' s1 , space10 ', { register: 's', index: 1, space: 10 }],
  ] as const)('%s', (name, slot) => {
    expect(parseSlot(name)).toEqual(slot)
    expect(parseSlot(printSlot(slot))).toEqual(slot)
  })
  test.each(['', 't', 'x0', 't-1', 't1.5', 't0space1', 't99999999', 't0,space', 't0,space4294967296', 'constructor'])(
    '%j is none',
    (name) => {
      expect(parseSlot(name)).toBeUndefined()
    },
  )
})

describe('bindings', () => {
  const codes = (b: Bindings): string[] => resolveBindings(b).diagnostics.map((d) => d.code)

  test('views, samplers, constants; arrays fill the slots from theirs on', () => {
    const r = resolveBindings({
      t2: [srv(texture), null, srv(buffer)],
      b0: cbv(new Uint8Array(16)),
      's0,space1': sampler({}),
    })
    expect(r.diagnostics).toEqual([])
    expect([...r.value!.t.keys()]).toEqual([2, 4])
    expect(r.value!.s.get(slotKey(0, 1))?.kind).toBe('sampler')
    expect(r.value!.b.get(0)?.constantCount).toBe(1)
  })
  test('what a maker found is reported with the slot', () => {
    const { diagnostics } = resolveBindings({ t7: srv(buffer, { format: 'nope' }) })
    expect(diagnostics).toHaveLength(1)
    expect(diagnostics[0]).toMatchObject({ code: 'machine-format-unknown', place: { kind: 'path', path: 't7' } })
    expect(diagnostics[0]!.message).toContain('t7')
  })
  test('a wrong kind, a wrong name, a slot bound twice', () => {
    expect(codes({ t0: uav(buffer) })).toEqual(['machine-binding-kind'])
    expect(codes({ u0: srv(buffer) })).toEqual(['machine-binding-kind'])
    expect(codes({ s0: cbv(new Uint8Array(4)) })).toEqual(['machine-binding-kind'])
    expect(codes({ u0: buffer as never })).toEqual(['machine-binding-kind'])
    expect(codes({ u0: 5 as never })).toEqual(['machine-binding-kind'])
    expect(codes({ q0: srv(buffer) })).toEqual(['machine-binding-slot'])
    expect(codes({ t0: [srv(buffer), srv(buffer)], t1: srv(texture) })).toEqual(['machine-binding-slot'])
    expect(codes({ t0: null, u0: undefined })).toEqual([])
  })
  test('memory read and written at once is a warning', () => {
    const { diagnostics } = resolveBindings({ t0: srv(buffer), u3: uav(buffer) })
    expect(diagnostics.map((d) => [d.code, d.severity])).toEqual([['machine-binding-hazard', 'warning']])
    expect(diagnostics[0]!.message).toContain('u3')
    expect(codes({ u0: uav(buffer), u1: uav(buffer, { raw: true }) })).toEqual(['machine-binding-hazard'])
    const mips = valueOrThrow(
      createTexture({ dimension: 'texture2d', format: 'R32_UINT', width: 4, height: 4, mipLevels: 2 }),
    )
    expect(codes({ t0: srv(mips, { mipLevels: 1 }), u0: uav(mips, { mipSlice: 1 }) })).toEqual([])
    expect(codes({ t0: srv(mips), u0: uav(mips, { mipSlice: 1 }) })).toEqual(['machine-binding-hazard'])
    const both = {
      u0: uav(mips, { mipSlice: 0 }),
      u1: uav(mips, { mipSlice: 1 }),
      t0: srv(mips, { mostDetailedMip: 1 }),
    }
    expect(resolveBindings(both).diagnostics.map((d) => d.message)).toEqual([expect.stringMatching(/^t0: .* u1 /)])
  })
})
