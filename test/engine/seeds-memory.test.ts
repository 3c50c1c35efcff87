import { describe, expect, it } from 'vitest'
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import type { DispatchOptions } from '../../src/engine/index.ts'
import {
  type Buffer,
  createBuffer,
  createCbv,
  createSrv,
  createTexture,
  createUav,
  type Schedule,
} from '../../src/machine/index.ts'
import { validate } from '../../src/validate/index.ts'
import {
  after,
  CONTENTS,
  type Done,
  declareUav,
  done,
  EXCHANGE,
  literal,
  onBuffer,
  onPlace,
  onShared,
  POISON,
  text,
  UNTOUCHED,
  VALUE,
} from '../support/on-memory.ts'
import { programOf, runText } from '../support/run-text.ts'
import { contents, PLACES, type Place, TYPED_PLACES, UNTYPED_PLACES } from './opcodes/places.ts'

/**
 * The rules on memory that settle what the pages of the stores and atomics leave open: bounds and alignment of every
 * atomic and load, unbound slots, inactive threads, and what has no initial value. Each test is one rule.
 */

/** Every atomic with a value. */
const ATOMICS = ['and', 'or', 'xor', 'iadd', 'imax', 'imin', 'umax', 'umin', 'exch', 'cmp_exch']
const silentOf = (name: string): string | undefined =>
  name === 'exch' ? undefined : name === 'cmp_exch' ? 'atomic_cmp_store' : `atomic_${name}`
const valuesOf = (name: string): string => (name === 'cmp_exch' ? 'l(1005), l(77)' : 'l(77)')

/** For each place, addresses outside of it, one component at a time. */
function outside(place: Place): number[][] {
  const limits: Readonly<Record<string, readonly number[]>> = {
    texture1d: [4],
    texture1darray: [4, 3],
    texture2d: [4, 3],
    texture2darray: [4, 3, 2],
    texture3d: [4, 3, 2],
    typed: [8],
    raw: [32],
    structured: [4],
  }
  const limit = limits[place.name.split(' ')[0]!]!
  const step = place.name.startsWith('raw') ? 4 : 1
  return limit.flatMap((n, axis) =>
    [n, n + step, 0xfffffffc].map((value) => place.address.map((c, i) => (i === axis ? value : c))),
  )
}

describe.each(ATOMICS)('imm_atomic_%s and its silent form out of bounds', (name) => {
  const forms = [`imm_atomic_${name}`, silentOf(name)].filter((m) => m !== undefined)

  it.each(PLACES.map((p) => [p.name, p] as const))(
    'of a %s: memory untouched, 0 returned, undefined',
    (_name, place) => {
      const shared = place.copyIn !== undefined
      for (const mnemonic of forms) {
        const returns = mnemonic.startsWith('imm')
        for (const address of outside(place)) {
          const atomic = `${mnemonic} ${returns ? 'r1.x, ' : ''}${place.register}, ${literal(address)}, ${valuesOf(name)}`
          const body = `mov r1.x, l(7)\n${atomic}\nstore_raw u7.x, l(0), r1.x`
          const words = contents(place, 5)
          const r = onPlace(place, words.slice(), body)
          expect(r, `${mnemonic} ${address}`).toMatchObject({
            words: Array.from(words),
            codes: [shared ? 'engine-tgsm-bounds' : 'engine-out-of-bounds'],
          })
          expect(r.out[0]).toBe(returns ? 0 : 7)
          const poison = onPlace(place, words.slice(), body, { undefinedPolicy: 'poison' })
          expect(poison.out[0]).toBe(returns ? POISON : 7)
          // Past a UAV nothing is written; past a g# all shared memory is undefined.
          expect(poison.words).toEqual(shared ? Array(8).fill(POISON) : Array.from(words))
        }
      }
    },
  )

  it('by the byte offset of a structured UAV: the whole UAV undefined', () => {
    const place = UNTYPED_PLACES.find((p) => p.name === 'structured buffer')!
    for (const mnemonic of forms) {
      const returns = mnemonic.startsWith('imm')
      for (const [index, offset] of [
        [0, 8],
        [3, 8],
        [4, 8],
        [0, 0xfffffffc],
      ]) {
        const atomic = `${mnemonic} ${returns ? 'r1.x, ' : ''}u0, l(${index}, ${offset}, 0, 0), ${valuesOf(name)}`
        const words = contents(place, 5)
        const run = (options: DispatchOptions) =>
          onPlace(place, words.slice(), `mov r1.x, l(7)\n${atomic}\nstore_raw u7.x, l(0), r1.x`, options)
        const safe = { words: Array.from(words), codes: ['engine-structure-offset'], undefinedCount: 1 }
        expect(run({})).toMatchObject(safe)
        expect(run({}).out[0]).toBe(returns ? 0 : 7)
        const poison = run({ undefinedPolicy: 'poison' })
        expect(poison.words).toEqual(Array(8).fill(POISON))
        expect(poison.out[0]).toBe(returns ? POISON : 7)
        expect(run({ undefinedPolicy: 'trap' }).stopped).toBe('trap')
      }
    }
  })
})

describe('loads', () => {
  const shapes = {
    raw: 'ld_raw r1.xyzw, l(OFFSET), u0.xyzw',
    structured: 'ld_structured r1.xyzw, l(INDEX), l(OFFSET), u0.xyzw',
  }
  /** What a load left in r1, which was 7 before. */
  function load(shape: 'raw' | 'structured', body: string, options: DispatchOptions = {}): Done {
    const buffer = valueOrThrow(
      createBuffer(shape === 'raw' ? { data: CONTENTS.slice() } : { data: CONTENTS.slice(), stride: 16 }),
    )
    const out = valueOrThrow(createBuffer({ byteLength: 16 }))
    const declares = `${declareUav('cs_5_0', shape)}\ndcl_uav_raw u1`
    const u0 = createUav(buffer, shape === 'raw' ? { raw: true } : {})
    const program = text('cs_5_0', declares, `mov r1.xyzw, l(7, 7, 7, 7)\n${body}\nstore_raw u1.xyzw, l(0), r1.xyzw`)
    return done(out.storage.words, runText(program, { u0, u1: createUav(out, { raw: true }) }, options))
  }

  it('raw: each component past the end is 0, the others are read, under every policy', () => {
    for (const undefinedPolicy of ['report', 'poison', 'trap'] as const) {
      for (let offset = 44; offset <= 72; offset += 4) {
        const r = load('raw', shapes.raw.replace('OFFSET', `${offset}`), { undefinedPolicy })
        const want = [0, 1, 2, 3].map((c) => CONTENTS[offset / 4 + c] ?? 0)
        expect(r, `${offset}`).toMatchObject({ words: want, undefinedCount: 0, stopped: undefined })
      }
    }
  })

  it('structured: an index past the end is 0, under every policy', () => {
    for (const undefinedPolicy of ['report', 'poison', 'trap'] as const) {
      for (const index of [4, 0x10000000, 0xffffffff]) {
        const body = shapes.structured.replace('INDEX', `${index}`).replace('OFFSET', '0')
        expect(load('structured', body, { undefinedPolicy })).toMatchObject({ words: [0, 0, 0, 0], undefinedCount: 0 })
      }
    }
  })

  it('structured: a byte offset past the structure makes every component undefined', () => {
    for (const offset of [4, 12, 16, 0xfffffffc]) {
      const body = shapes.structured.replace('INDEX', '1').replace('OFFSET', `${offset}`)
      expect(load('structured', body)).toMatchObject({ words: [0, 0, 0, 0], codes: ['engine-structure-offset'] })
      expect(load('structured', body, { undefinedPolicy: 'poison' }).words).toEqual(Array(4).fill(POISON))
      expect(load('structured', body, { undefinedPolicy: 'trap' }).stopped).toBe('trap')
    }
  })

  it('only the components that mask and swizzle read count', () => {
    expect(load('structured', 'ld_structured r1.yw, l(1), l(12), u0.wxwx')).toMatchObject({
      words: [7, 1007, 7, 1007],
      codes: [],
    })
    expect(load('structured', 'ld_structured r1.yw, l(1), l(12), u0.xxxy')).toMatchObject({
      words: [7, 0, 7, 0],
      codes: ['engine-structure-offset'],
    })
    expect(load('raw', 'ld_raw r1.z, l(60), u0.wwxw')).toMatchObject({ words: [7, 7, 1015, 7], codes: [] })
  })

  it('of a g# out of bounds are undefined themselves, and leave shared memory as it is', () => {
    for (const [shape, body] of [
      ['raw', 'ld_raw r1.x, l(64), g1.xxxx'],
      ['structured', 'ld_structured r1.x, l(4), l(0), g1.xxxx'],
    ] as const) {
      const r = onShared(shape, `${body}\nstore_${shape} g1.x, ${shape === 'raw' ? 'l(0)' : 'l(0), l(0)'}, r1.x`)
      expect(r).toMatchObject({ words: after(0, [0]), neighbors: [500, 600], codes: ['engine-tgsm-bounds'] })
      const poison = onShared(shape, body, { undefinedPolicy: 'poison' })
      expect(poison).toMatchObject({ words: UNTOUCHED, neighbors: [500, 600] })
    }
  })
})

/** Instructions at a misaligned byte offset `A`, on 16 dwords that stand in u0 or g1. */
const MISALIGNED: readonly (readonly [name: string, shape: 'raw' | 'structured', store: boolean, body: string])[] = [
  ['store_raw', 'raw', true, 'store_raw M.x, l(A), l(77)'],
  ['store_structured', 'structured', true, 'store_structured M.x, l(0), l(A), l(77)'],
  ['atomic_iadd, raw', 'raw', true, 'atomic_iadd M, l(A), l(1)'],
  ['atomic_iadd, structured', 'structured', true, 'atomic_iadd M, l(0, A, 0, 0), l(1)'],
  ['imm_atomic_exch, raw', 'raw', true, 'imm_atomic_exch r1.x, M, l(A), l(77)'],
  ['imm_atomic_exch, structured', 'structured', true, 'imm_atomic_exch r1.x, M, l(0, A, 0, 0), l(77)'],
  ['ld_raw', 'raw', false, 'ld_raw r1.x, l(A), M.xxxx'],
  ['ld_structured', 'structured', false, 'ld_structured r1.x, l(0), l(A), M.xxxx'],
]

describe.each(MISALIGNED)('misaligned: %s', (name, shape, writes, body) => {
  const value = name.startsWith('atomic_iadd') ? 1002 : 77
  it.each([5, 6, 7])('at byte %i works on byte 4, and is undefined', (offset) => {
    for (const memory of ['u0', 'g1'] as const) {
      const line = body.replaceAll('M', memory).replaceAll('A', `${offset}`)
      const run = (options: DispatchOptions = {}): Done =>
        memory === 'u0' ? onBuffer('cs_5_0', shape, CONTENTS.slice(), line, options) : onShared(shape, line, options)
      expect(run(), memory).toMatchObject({
        words: writes ? after(1, [value]) : UNTOUCHED,
        codes: ['engine-misaligned'],
        severities: ['warning'],
        undefinedCount: 1,
      })
      const poison = run({ undefinedPolicy: 'poison' }).words
      // A write makes all of it undefined, a read its result alone.
      expect(poison.filter((_, i) => i !== 1)).toEqual(
        UNTOUCHED.filter((_, i) => i !== 1).map((n) => (writes ? POISON : n)),
      )
      if (memory === 'u0') expect(run({ undefinedPolicy: 'trap' })).toMatchObject({ words: UNTOUCHED, stopped: 'trap' })
    }
  })

  it('an address that is misaligned and out of bounds stays out', () => {
    const line = body.replaceAll('M', 'u0').replaceAll('A', '67')
    expect(onBuffer('cs_5_0', shape, CONTENTS.slice(), line).words).toEqual(UNTOUCHED)
  })
})

describe('nothing bound', () => {
  const run = (declares: string, body: string, options: DispatchOptions = {}): Done => {
    const out = valueOrThrow(createBuffer({ byteLength: 16 }))
    const program = text(
      'cs_5_0',
      `${declares}\ndcl_uav_raw u1`,
      `mov r1.xyzw, l(7, 7, 7, 7)\n${body}\nstore_raw u1.xyzw, l(0), r1.xyzw`,
    )
    return done(out.storage.words, runText(program, { u1: createUav(out, { raw: true }) }, options))
  }
  const UNTYPED: readonly (readonly [string, string, string])[] = [
    ['store_raw', 'dcl_uav_raw u0', `store_raw u0.xyzw, l(0), ${VALUE}`],
    ['store_structured', 'dcl_uav_structured u0, 16', `store_structured u0.xyzw, l(0), l(0), ${VALUE}`],
    [
      'store_uav_typed',
      'dcl_uav_typed_buffer (uint,uint,uint,uint) u0',
      `store_uav_typed u0.xyzw, l(0, 0, 0, 0), ${VALUE}`,
    ],
    ['atomic_iadd', 'dcl_uav_raw u0', 'atomic_iadd u0, l(0), l(1)'],
  ]
  it.each(UNTYPED)('%s is dropped, under every policy', (_name, declares, body) => {
    for (const undefinedPolicy of ['report', 'poison', 'trap'] as const) {
      const r = run(declares, body, { undefinedPolicy })
      expect(r).toMatchObject({ words: [7, 7, 7, 7], codes: ['engine-unbound'], undefinedCount: 0, stopped: undefined })
    }
  })

  it.each(ATOMICS)('imm_atomic_%s returns 0', (name) => {
    for (const [declares, address] of [
      ['dcl_uav_raw u0', 'l(0)'],
      ['dcl_uav_structured u0, 16', 'l(0, 0, 0, 0)'],
      ['dcl_uav_typed_texture2d (uint,uint,uint,uint) u0', 'l(0, 0, 0, 0)'],
    ] as const) {
      const r = run(declares, `imm_atomic_${name} r1.y, u0, ${address}, ${valuesOf(name)}`)
      expect(r, declares).toMatchObject({ words: [7, 0, 7, 7], codes: ['engine-unbound'] })
    }
  })
})

describe('UAV slots', () => {
  const declared = (model: string, slots: number[]): string[] => {
    const declares = slots.map((n) => `dcl_uav_raw u${n}`).join('\n')
    const program = text(model, declares, `store_raw u${slots[0]}.x, l(0), ${VALUE}`)
    return validate(programOf(program)).map((d) => d.code)
  }
  it('are 64 in Direct3D 11.1 and one in cs_4_x', () => {
    expect(declared('cs_5_0', [0, 7])).toEqual([])
    expect(declared('cs_5_0', [64])).toContain('validate-slot-limit')
    expect(declared('cs_4_0', [0])).toEqual([])
    expect(declared('cs_4_0', [0, 1])).toContain('validate-downlevel-uav')
    expect(declared('cs_4_1', [0, 1])).toContain('validate-downlevel-uav')
  })
})

/** 64 threads; r0.x is the thread's number. Buffer and shared memory of 64 dwords of 0. */
function threads(body: string, options: DispatchOptions, declares = ''): Done {
  const buffer: Buffer = valueOrThrow(createBuffer({ byteLength: 64 * 4 }))
  const program = text(
    'cs_5_0',
    `dcl_uav_raw u0\ndcl_input vThreadIDInGroupFlattened\n${declares}`,
    `mov r0.x, vThreadIDInGroupFlattened.x\nishl r0.y, r0.x, l(2)\n${body}`,
    64,
  )
  const run = runText(program, { u0: createUav(buffer, { raw: true }) }, options)
  return done(buffer.storage.words, run)
}
const SCHEDULES: readonly Schedule[] = [
  { waveWidth: 1, order: 'reverse', groupsInFlight: 1 },
  { waveWidth: 8, order: { seed: 11 }, groupsInFlight: 1 },
  { waveWidth: 32, order: 'forward', groupsInFlight: 1 },
  { waveWidth: 64, order: 'forward', groupsInFlight: 1 },
]

describe.each(SCHEDULES)('many threads under %j', (schedule) => {
  it('threads that do not enter a branch, or have ended, do not touch memory', () => {
    const body = `and r1.x, r0.x, l(3)
ieq r1.y, r1.x, l(2)
if_nz r1.y
  store_raw u0.x, r0.y, l(1)
  imm_atomic_iadd r2.x, u0, r0.y, l(4)
endif
retc_nz r1.x
store_raw u0.x, r0.y, l(9)`
    const r = threads(body, { schedule })
    const want = Array.from({ length: 64 }, (_, i) => ((i & 3) === 2 ? 5 : (i & 3) === 0 ? 9 : 0))
    expect(r).toMatchObject({ words: want, codes: [] })
  })

  it('stores of neighbors do not disturb each other: memory changes by 32 bits', () => {
    expect(threads('store_raw u0.x, r0.y, r0.x', { schedule }).words).toEqual(Array.from({ length: 64 }, (_, i) => i))
  })

  it('atomics on one dword of shared memory add up, and give each thread a value of its own', () => {
    const body = `imm_atomic_iadd r1.x, g0, l(0), l(1)
ishl r1.y, r1.x, l(2)
store_raw u0.x, r1.y, r1.x`
    const r = threads(body, { schedule }, 'dcl_tgsm_raw g0, 16')
    expect(r).toMatchObject({ words: Array.from({ length: 64 }, (_, i) => i), codes: [] })
  })

  it('shared memory, written before a sync, is seen by all after it', () => {
    const body = `store_raw g0.x, r0.y, r0.x
sync_g_t
xor r1.x, r0.y, l(252)
ld_raw r1.y, r1.x, g0.xxxx
store_raw u0.x, r0.y, r1.y`
    const r = threads(body, { schedule }, 'dcl_tgsm_raw g0, 256')
    expect(r).toMatchObject({ words: Array.from({ length: 64 }, (_, i) => 63 - i), codes: [] })
  })
})

describe('what other groups wrote', () => {
  it.each(['dcl_uav_raw_glc u0', 'dcl_uav_raw u0'])('atomics see it, with %s', (declares) => {
    const buffer = valueOrThrow(createBuffer({ byteLength: 16 }))
    const program = text(
      'cs_5_0',
      `${declares}\ndcl_input vThreadID.x`,
      'imm_atomic_iadd r0.x, u0, l(0), l(1)\nsync_uglobal',
      4,
    )
    const schedule: Schedule = { waveWidth: 4, order: { seed: 2 }, groupsInFlight: 4 }
    runText(program, { u0: createUav(buffer, { raw: true }) }, { groups: [8, 1, 1], schedule })
    expect(buffer.storage.words[0]).toBe(32)
  })
})

describe('what has no initial value', () => {
  it.each([
    ['shared memory', 'ld_raw r1.x, l(4), g0.xxxx\nstore_raw u0.x, l(0), r1.x'],
    ['r#', 'store_raw u0.x, l(0), r5.x'],
    ['x#', 'mov r1.x, x0[1].x\nstore_raw u0.x, l(0), r1.x'],
  ])('%s reads 0, or poison', (_name, body) => {
    const declares = 'dcl_tgsm_raw g0, 16\ndcl_indexableTemp x0[2], 4'
    const word = (options: DispatchOptions): number =>
      onBuffer('cs_5_0', 'raw', CONTENTS.slice(), body, { ...options, declares }).words[0]!
    expect(word({})).toBe(0)
    expect(word({ undefinedPolicy: 'poison' })).toBe(POISON)
  })
})

describe('resources of one dword a texel', () => {
  it('take 1 to 3 address components by their dimension, and no more', () => {
    for (const place of TYPED_PLACES) {
      const used = place.address.filter((n) => n !== 99).length
      const texture = place.bind(contents(place, 5))
      for (const wild of [0, 99, 0xffffffff]) {
        const address = place.address.map((n, i) => (i < used ? n : wild))
        const r = onPlace(place, contents(place, 5), `mov r1.y, l(0)\n${EXCHANGE(place, literal(address))}`)
        expect(r.out[1], `${place.name} ${address}`).toBe(5)
        expect(r.words).toHaveLength(texture.memory.words.length)
      }
    }
  })
})

describe('views of one resource', () => {
  it('a store through one is seen through another, and by a shader resource view', () => {
    const buffer = valueOrThrow(createBuffer({ data: CONTENTS.slice(), stride: 16 }))
    const declares = 'dcl_uav_structured u0, 16\ndcl_resource_raw t0\ndcl_constantbuffer CB0[1], immediateIndexed'
    const body = `store_structured u0.x, l(1), l(4), cb0[0].x
ld_raw r0.x, l(20), t0.xxxx
store_structured u0.x, l(0), l(0), r0.x`
    const bindings = {
      u0: createUav(buffer),
      t0: createSrv(buffer, { raw: true }),
      b0: createCbv(Uint32Array.of(42, 0, 0, 0)),
    }
    const run = runText(text('cs_5_0', declares, body), bindings)
    expect(done(buffer.storage.words, run).words).toEqual([42, 1001, 1002, 1003, 1004, 42, ...UNTOUCHED.slice(6)])
  })

  it('a texture slice and mip are written alone', () => {
    const texture = valueOrThrow(
      createTexture({ dimension: 'texture2d', format: 'R32_UINT', width: 2, height: 2, mipLevels: 2, arraySize: 2 }),
    )
    const program = text(
      'cs_5_0',
      'dcl_uav_typed_texture2darray (uint,uint,uint,uint) u0',
      'imm_atomic_exch r0.x, u0, l(0, 0, 0, 0), l(77)',
    )
    const view = { dimension: 'texture2darray', mipSlice: 1, firstArraySlice: 1, arraySize: 1 } as const
    runText(program, { u0: createUav(texture, view) })
    // Slice after slice, in each the four texels of mip 0 and the one of mip 1.
    expect(Array.from(texture.storage.words.subarray(0, 10))).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 77])
  })
})
