import { describe, expect, it } from 'vitest'
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import type { DispatchOptions, DispatchResult } from '../../src/engine/index.ts'
import { type Buffer, createBuffer, createCbv, createSrv, createTexture, createUav } from '../../src/machine/index.ts'
import { runText } from '../support/run-text.ts'

/**
 * Out of bounds, misaligned and partial accesses: each kind of memory times each instruction, one step inside and one
 * step outside. Expectations are worked out from the functional specification (22.4, 22.17, 7.13), not from the engine.
 */

/** Sixteen dwords of 100, 101, ... */
const CONTENTS = Uint32Array.from({ length: 16 }, (_, i) => 100 + i)
const POISON = 0xdeadbeef

interface Ran {
  /** The 16 dwords of the memory accessed. */
  readonly memory: number[]
  /** What the shader stored of its registers: r1.xyzw. */
  readonly result: number[]
  readonly codes: string[]
  readonly severities: string[]
  readonly undefinedCount: number
  readonly run: DispatchResult
}

interface Setup {
  /** Declarations of the memory under test, and how it is bound. */
  readonly declares: string
  readonly bind: (buffer: Buffer) => Readonly<Record<string, unknown>>
  readonly stride?: number
  /** Shared memory is filled before and copied out after. */
  readonly tgsm?: 'raw' | 'structured'
}

const RAW_UAV: Setup = { declares: 'dcl_uav_raw u0', bind: (b) => ({ u0: createUav(b, { raw: true }) }) }
const RAW_SRV: Setup = { declares: 'dcl_resource_raw t0', bind: (b) => ({ t0: createSrv(b, { raw: true }) }) }
const STRUCTURED_UAV: Setup = {
  declares: 'dcl_uav_structured u0, 16',
  bind: (b) => ({ u0: createUav(b) }),
  stride: 16,
}
const STRUCTURED_SRV: Setup = {
  declares: 'dcl_resource_structured t0, 16',
  bind: (b) => ({ t0: createSrv(b) }),
  stride: 16,
}
/** g1 lies between two others: its bounds are its own, not those of all shared memory. */
const RAW_TGSM: Setup = {
  declares: 'dcl_tgsm_raw g0, 64\ndcl_tgsm_raw g1, 64\ndcl_tgsm_raw g2, 64',
  bind: () => ({}),
  tgsm: 'raw',
}
const STRUCTURED_TGSM: Setup = {
  declares: 'dcl_tgsm_raw g0, 64\ndcl_tgsm_structured g1, 16, 4\ndcl_tgsm_raw g2, 64',
  bind: () => ({}),
  tgsm: 'structured',
}

function fill(s: Setup): string {
  if (s.tgsm === undefined) return ''
  const place = (i: number): string => (s.tgsm === 'raw' ? `l(${i * 16})` : `l(${i}), l(0)`)
  return [0, 1, 2, 3]
    .map((i) => {
      const words = [0, 1, 2, 3].map((c) => 100 + i * 4 + c).join(', ')
      return `store_${s.tgsm} g1.xyzw, ${place(i)}, l(${words})`
    })
    .join('\n')
}

function copyOut(s: Setup): string {
  if (s.tgsm === undefined) return ''
  const place = (i: number): string => (s.tgsm === 'raw' ? `l(${i * 16})` : `l(${i}), l(0)`)
  return [0, 1, 2, 3]
    .map((i) => `ld_${s.tgsm} r3.xyzw, ${place(i)}, g1.xyzw\nstore_raw u1.xyzw, l(${16 + i * 16}), r3.xyzw`)
    .join('\n')
}

/** Runs `body` once; `cb0[0]` holds the address words. */
function access(s: Setup, body: string, address: readonly number[], options: DispatchOptions = {}): Ran {
  const stride = s.stride === undefined ? {} : { stride: s.stride }
  const buffer = valueOrThrow(createBuffer({ data: CONTENTS.slice(), ...stride }))
  const out = valueOrThrow(createBuffer({ byteLength: 80 }))
  const words = new Int32Array(4)
  words.set(address.map((n) => n | 0))
  const text = `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_constantbuffer CB0[1], immediateIndexed
${s.declares}
dcl_uav_raw u1
dcl_temps 4
dcl_thread_group 1, 1, 1
mov r1.xyzw, l(7, 7, 7, 7)
${fill(s)}
${body}
store_raw u1.xyzw, l(0), r1.xyzw
${copyOut(s)}
ret
`
  const bindings = { ...s.bind(buffer), u1: createUav(out, { raw: true }), b0: createCbv(words) }
  const run = runText(text, bindings as never, options)
  const stored = Array.from(out.storage.words)
  return {
    memory: s.tgsm === undefined ? Array.from(buffer.storage.words) : stored.slice(4, 20),
    result: stored.slice(0, 4),
    codes: run.diagnostics.map((d) => d.code),
    severities: run.diagnostics.map((d) => d.severity),
    undefinedCount: run.undefinedCount,
    run,
  }
}

const UNTOUCHED = Array.from(CONTENTS)
const ALL_POISON = UNTOUCHED.map(() => POISON)

/** The contents with dwords from `first` on replaced. */
function written(first: number, ...values: number[]): number[] {
  return UNTOUCHED.map((n, i) => values[i - first] ?? n)
}

describe('ld_raw of a buffer', () => {
  const cases: [string, number, number[], string[]][] = [
    ['the last four dwords', 48, [112, 113, 114, 115], []],
    ['one dword past the end', 52, [113, 114, 115, 0], ['engine-out-of-bounds']],
    ['three dwords past the end', 60, [115, 0, 0, 0], ['engine-out-of-bounds']],
    ['all past the end', 64, [0, 0, 0, 0], ['engine-out-of-bounds']],
    ['the end of the address space, without wrapping', 0xfffffffc, [0, 0, 0, 0], ['engine-out-of-bounds']],
    ['misaligned by one: rounded down', 49, [112, 113, 114, 115], ['engine-misaligned']],
    ['misaligned by three: rounded down', 51, [112, 113, 114, 115], ['engine-misaligned']],
  ]
  for (const [setup, register] of [
    [RAW_UAV, 'u0'],
    [RAW_SRV, 't0'],
  ] as const) {
    it.each(cases)(`${register}: %s`, (_name, address, result, codes) => {
      const r = access(setup, `ld_raw r1.xyzw, cb0[0].x, ${register}.xyzw`, [address])
      expect(r.result).toEqual(result)
      expect(r.codes).toEqual(codes)
      expect(r.memory).toEqual(UNTOUCHED)
    })
  }

  it('counts only components that are read: mask and swizzle', () => {
    const inside = access(RAW_UAV, 'ld_raw r1.x, cb0[0].x, u0.x', [60])
    expect(inside).toMatchObject({ result: [115, 7, 7, 7], codes: [] })
    const swizzled = access(RAW_UAV, 'ld_raw r1.y, cb0[0].x, u0.xwxx', [52])
    expect(swizzled).toMatchObject({ result: [7, 0, 7, 7], codes: ['engine-out-of-bounds'] })
    const first = access(RAW_UAV, 'ld_raw r1.y, cb0[0].x, u0.wxww', [60])
    expect(first).toMatchObject({ result: [7, 115, 7, 7], codes: [] })
  })

  it('says that Direct3D defines a load of 0, and that a misaligned one is undefined', () => {
    const past = access(RAW_UAV, 'ld_raw r1.xyzw, cb0[0].x, u0.xyzw', [64])
    expect(past.severities).toEqual(['hint'])
    expect(past.undefinedCount).toBe(0)
    const misaligned = access(RAW_UAV, 'ld_raw r1.xyzw, cb0[0].x, u0.xyzw', [49])
    expect(misaligned.severities).toEqual(['warning'])
    expect(misaligned.undefinedCount).toBe(1)
  })
})

describe('ld_structured of a buffer', () => {
  const cases: [string, number, number, number[], string[]][] = [
    ['the last structure', 3, 0, [112, 113, 114, 115], []],
    ['one structure past the end', 4, 0, [0, 0, 0, 0], ['engine-out-of-bounds']],
    ['the greatest index', 0xffffffff, 0, [0, 0, 0, 0], ['engine-out-of-bounds']],
    ['an offset that reaches past the structure: all undefined', 0, 4, [0, 0, 0, 0], ['engine-structure-offset']],
    ['both: the byte offset wins', 4, 16, [0, 0, 0, 0], ['engine-structure-offset']],
    ['misaligned: rounded down', 1, 2, [104, 105, 106, 107], ['engine-misaligned']],
  ]
  for (const [setup, register] of [
    [STRUCTURED_UAV, 'u0'],
    [STRUCTURED_SRV, 't0'],
  ] as const) {
    it.each(cases)(`${register}: %s`, (_name, index, offset, result, codes) => {
      const r = access(setup, `ld_structured r1.xyzw, cb0[0].x, cb0[0].y, ${register}.xyzw`, [index, offset])
      expect(r.result).toEqual(result)
      expect(r.codes).toEqual(codes)
      expect(r.memory).toEqual(UNTOUCHED)
    })
  }

  it('counts only components that are read', () => {
    const one = access(STRUCTURED_UAV, 'ld_structured r1.x, cb0[0].x, cb0[0].y, u0.xxxx', [3, 12])
    expect(one).toMatchObject({ result: [115, 7, 7, 7], codes: [] })
    const next = access(STRUCTURED_UAV, 'ld_structured r1.x, cb0[0].x, cb0[0].y, u0.yxxx', [3, 12])
    expect(next).toMatchObject({ result: [0, 7, 7, 7], codes: ['engine-structure-offset'] })
  })

  it('is undefined past the structure, defined past the view', () => {
    const offset = access(STRUCTURED_UAV, 'ld_structured r1.x, cb0[0].x, cb0[0].y, u0.xxxx', [0, 16])
    expect(offset).toMatchObject({ severities: ['warning'], undefinedCount: 1 })
    const index = access(STRUCTURED_UAV, 'ld_structured r1.x, cb0[0].x, cb0[0].y, u0.xxxx', [4, 0])
    expect(index).toMatchObject({ severities: ['hint'], undefinedCount: 0 })
  })
})

describe('store_raw to a UAV', () => {
  const cases: [string, number, number[], string[]][] = [
    ['the last four dwords', 48, written(12, 1, 2, 3, 4), []],
    ['one dword past the end: the part in bounds is written', 52, written(13, 1, 2, 3), ['engine-out-of-bounds']],
    ['three past the end', 60, written(15, 1), ['engine-out-of-bounds']],
    ['all past the end', 64, UNTOUCHED, ['engine-out-of-bounds']],
    ['the end of the address space', 0xfffffffc, UNTOUCHED, ['engine-out-of-bounds']],
    ['misaligned: rounded down', 46, written(11, 1, 2, 3, 4), ['engine-misaligned']],
  ]
  it.each(cases)('%s', (_name, address, memory, codes) => {
    const r = access(RAW_UAV, 'store_raw u0.xyzw, cb0[0].x, l(1, 2, 3, 4)', [address])
    expect(r.memory).toEqual(memory)
    expect(r.codes).toEqual(codes)
  })

  it.each([
    ['x', 60, written(15, 4)],
    ['xy', 56, written(14, 4, 3)],
    ['xyz', 52, written(13, 4, 3, 2)],
  ])('writes as many swizzled words as the mask .%s has, without gaps', (mask, address, memory) => {
    const r = access(RAW_UAV, `mov r2.xyzw, l(1, 2, 3, 4)\nstore_raw u0.${mask}, cb0[0].x, r2.wzyx`, [address])
    expect(r.memory).toEqual(memory)
    expect(r.codes).toEqual([])
  })

  it('poisons the whole UAV where a misaligned store makes it undefined', () => {
    const r = access(RAW_UAV, 'store_raw u0.x, cb0[0].x, l(1)', [1], { undefinedPolicy: 'poison' })
    expect(r.memory.slice(1)).toEqual(ALL_POISON.slice(1))
    const past = access(RAW_UAV, 'store_raw u0.x, cb0[0].x, l(1)', [64], { undefinedPolicy: 'poison' })
    expect(past.memory).toEqual(UNTOUCHED)
  })
})

describe('store_structured to a UAV', () => {
  const cases: [string, number, number, number[], string[]][] = [
    ['the last structure', 3, 0, written(12, 1, 2), []],
    ['the end of the last structure', 3, 8, written(14, 1, 2), []],
    ['one structure past the end: nothing', 4, 0, UNTOUCHED, ['engine-out-of-bounds']],
    ['an offset one dword too far: nothing', 0, 12, UNTOUCHED, ['engine-structure-offset']],
    ['an offset of the stride: nothing', 0, 16, UNTOUCHED, ['engine-structure-offset']],
    ['both: the byte offset wins', 4, 12, UNTOUCHED, ['engine-structure-offset']],
    ['an offset that would wrap', 0, 0xfffffffc, UNTOUCHED, ['engine-structure-offset']],
    ['misaligned: rounded down', 1, 5, written(5, 1, 2), ['engine-misaligned']],
  ]
  it.each(cases)('%s', (_name, index, offset, memory, codes) => {
    const body = 'store_structured u0.xy, cb0[0].x, cb0[0].y, l(1, 2, 3, 4)'
    const r = access(STRUCTURED_UAV, body, [index, offset])
    expect(r.memory).toEqual(memory)
    expect(r.codes).toEqual(codes)
  })

  it('poisons the whole UAV for a bad byte offset, and nothing for a bad index', () => {
    const body = 'store_structured u0.xy, cb0[0].x, cb0[0].y, l(1, 2, 3, 4)'
    const offset = access(STRUCTURED_UAV, body, [0, 12], { undefinedPolicy: 'poison' })
    expect(offset.memory).toEqual(ALL_POISON)
    const index = access(STRUCTURED_UAV, body, [4, 0], { undefinedPolicy: 'poison' })
    expect(index.memory).toEqual(UNTOUCHED)
  })

  it('stops at the first undefined store under trap, and goes on past a dropped one', () => {
    const body = 'store_structured u0.xy, cb0[0].x, cb0[0].y, l(1, 2, 3, 4)'
    const offset = access(STRUCTURED_UAV, body, [0, 12], { undefinedPolicy: 'trap' })
    expect(offset.run.stopped).toBe('trap')
    expect(offset.result).toEqual([0, 0, 0, 0])
    const index = access(STRUCTURED_UAV, body, [4, 0], { undefinedPolicy: 'trap' })
    expect(index.run.stopped).toBeUndefined()
    expect(index.result).toEqual([7, 7, 7, 7])
  })
})

describe('thread group shared memory', () => {
  const loads: [string, number, number[], string[]][] = [
    ['the last four dwords', 48, [112, 113, 114, 115], []],
    ['one past the register, though g2 follows', 52, [113, 114, 115, 0], ['engine-tgsm-bounds']],
    ['all past the register', 64, [0, 0, 0, 0], ['engine-tgsm-bounds']],
    ['misaligned: rounded down', 3, [100, 101, 102, 103], ['engine-misaligned']],
  ]
  it.each(loads)('ld_raw: %s', (_name, address, result, codes) => {
    const r = access(RAW_TGSM, 'ld_raw r1.xyzw, cb0[0].x, g1.xyzw', [address])
    expect(r.result).toEqual(result)
    expect(r.codes).toEqual(codes)
  })

  const stores: [string, number, number[], string[]][] = [
    ['the last four dwords', 48, written(12, 1, 2, 3, 4), []],
    ['one past the register: only that one is dropped', 52, written(13, 1, 2, 3), ['engine-tgsm-bounds']],
    ['all past the register', 64, UNTOUCHED, ['engine-tgsm-bounds']],
  ]
  it.each(stores)('store_raw: %s', (_name, address, memory, codes) => {
    const r = access(RAW_TGSM, 'store_raw g1.xyzw, cb0[0].x, l(1, 2, 3, 4)', [address])
    expect(r.memory).toEqual(memory)
    expect(r.codes).toEqual(codes)
  })

  it.each([
    ['the last structure', 3, 0, [112, 113, 114, 115], []],
    ['one structure past the register', 4, 0, [0, 0, 0, 0], ['engine-tgsm-bounds']],
    ['an offset past the structure, inside the register', 0, 4, [101, 102, 103, 104], []],
    ['an offset past the register', 3, 4, [113, 114, 115, 0], ['engine-tgsm-bounds']],
    ['an index that would wrap', 0x10000001, 0, [0, 0, 0, 0], ['engine-tgsm-bounds']],
  ] as [string, number, number, number[], string[]][])('ld_structured: %s', (_name, index, offset, result, codes) => {
    const r = access(STRUCTURED_TGSM, 'ld_structured r1.xyzw, cb0[0].x, cb0[0].y, g1.xyzw', [index, offset])
    expect(r.result).toEqual(result)
    expect(r.codes).toEqual(codes)
  })

  it.each([
    ['the last structure', 3, 0, written(12, 1, 2), []],
    ['one structure past the register', 4, 0, UNTOUCHED, ['engine-tgsm-bounds']],
    ['partly past the register', 3, 12, written(15, 1), ['engine-tgsm-bounds']],
  ] as [string, number, number, number[], string[]][])(
    'store_structured: %s',
    (_name, index, offset, memory, codes) => {
      const body = 'store_structured g1.xy, cb0[0].x, cb0[0].y, l(1, 2, 0, 0)'
      const r = access(STRUCTURED_TGSM, body, [index, offset])
      expect(r.memory).toEqual(memory)
      expect(r.codes).toEqual(codes)
    },
  )

  it('is undefined as a whole after a write past its bounds, and untouched by a read', () => {
    const write = access(RAW_TGSM, 'store_raw g1.x, cb0[0].x, l(1)', [64], { undefinedPolicy: 'poison' })
    expect(write.memory).toEqual(ALL_POISON)
    const read = access(RAW_TGSM, 'ld_raw r1.x, cb0[0].x, g1.x', [64], { undefinedPolicy: 'poison' })
    expect(read.memory).toEqual(UNTOUCHED)
    expect(read.result).toEqual([POISON, 7, 7, 7])
  })

  it('has no initial value: 0, or poison', () => {
    const body = 'ld_raw r1.x, l(0), g0.x'
    expect(access(RAW_TGSM, body, [0]).result[0]).toBe(0)
    expect(access(RAW_TGSM, body, [0], { undefinedPolicy: 'poison' }).result[0]).toBe(POISON)
  })
})

/** Each atomic with what it makes of 104 and its operand. */
const ATOMICS: [string, number][] = [
  ['and', 104 & 0x6c],
  ['or', 104 | 0x6c],
  ['xor', 104 ^ 0x6c],
  ['iadd', 104 + 0x6c],
  ['imax', 108],
  ['imin', 104],
  ['umax', 108],
  ['umin', 104],
  ['exch', 0x6c],
]

describe.each(ATOMICS)('atomic_%s', (name, after) => {
  const returning = `imm_atomic_${name}`
  const silent = name === 'exch' ? [] : [`atomic_${name}`]

  it('works on raw, structured and shared memory and returns what was there', () => {
    const raw = access(RAW_UAV, `${returning} r1.x, u0, cb0[0].x, l(0x6c)`, [16])
    expect(raw).toMatchObject({ result: [104, 7, 7, 7], memory: written(4, after), codes: [] })
    const structured = access(STRUCTURED_UAV, `${returning} r1.y, u0, cb0[0].xyxx, l(0x6c)`, [1, 0])
    expect(structured).toMatchObject({ result: [7, 104, 7, 7], memory: written(4, after), codes: [] })
    const shared = access(RAW_TGSM, `${returning} r1.x, g1, cb0[0].x, l(0x6c)`, [16])
    expect(shared).toMatchObject({ result: [104, 7, 7, 7], memory: written(4, after), codes: [] })
    const table = access(STRUCTURED_TGSM, `${returning} r1.x, g1, cb0[0].xyxx, l(0x6c)`, [1, 0])
    expect(table).toMatchObject({ result: [104, 7, 7, 7], memory: written(4, after), codes: [] })
  })

  it.each(silent)('%s changes memory alone', (mnemonic) => {
    const raw = access(RAW_UAV, `${mnemonic} u0, cb0[0].x, l(0x6c)`, [16])
    expect(raw).toMatchObject({ result: [7, 7, 7, 7], memory: written(4, after), codes: [] })
    const past = access(RAW_UAV, `${mnemonic} u0, cb0[0].x, l(0x6c)`, [64])
    expect(past).toMatchObject({ memory: UNTOUCHED, codes: ['engine-out-of-bounds'], severities: ['hint'] })
  })

  const outside: [string, Setup, string, number[], string][] = [
    ['raw, past the end', RAW_UAV, 'u0, cb0[0].x', [64], 'engine-out-of-bounds'],
    ['structured, index', STRUCTURED_UAV, 'u0, cb0[0].xyxx', [4, 0], 'engine-out-of-bounds'],
    ['structured, byte offset', STRUCTURED_UAV, 'u0, cb0[0].xyxx', [0, 16], 'engine-structure-offset'],
    ['structured, both', STRUCTURED_UAV, 'u0, cb0[0].xyxx', [4, 16], 'engine-structure-offset'],
    ['raw shared', RAW_TGSM, 'g1, cb0[0].x', [64], 'engine-tgsm-bounds'],
    ['structured shared', STRUCTURED_TGSM, 'g1, cb0[0].xyxx', [4, 0], 'engine-tgsm-bounds'],
  ]
  it.each(outside)('out of bounds, %s: untouched, 0 returned, undefined', (_name, setup, operands, address, code) => {
    const r = access(setup, `${returning} r1.x, ${operands}, l(0x6c)`, address)
    expect(r).toMatchObject({ result: [0, 7, 7, 7], memory: UNTOUCHED, codes: [code], severities: ['warning'] })
  })

  it('rounds a misaligned address down', () => {
    const r = access(RAW_UAV, `${returning} r1.x, u0, cb0[0].x, l(0x6c)`, [18])
    expect(r).toMatchObject({ result: [104, 7, 7, 7], memory: written(4, after), codes: ['engine-misaligned'] })
  })
})

describe('compare and exchange', () => {
  it('stores the second value where memory equals the first, and returns what was there', () => {
    const equal = access(RAW_UAV, 'imm_atomic_cmp_exch r1.x, u0, cb0[0].x, l(104), l(9)', [16])
    expect(equal).toMatchObject({ result: [104, 7, 7, 7], memory: written(4, 9) })
    const other = access(RAW_UAV, 'imm_atomic_cmp_exch r1.x, u0, cb0[0].x, l(105), l(9)', [16])
    expect(other).toMatchObject({ result: [104, 7, 7, 7], memory: UNTOUCHED })
    const silent = access(RAW_UAV, 'atomic_cmp_store u0, cb0[0].x, l(104), l(9)', [16])
    expect(silent).toMatchObject({ result: [7, 7, 7, 7], memory: written(4, 9) })
    const shared = access(STRUCTURED_TGSM, 'imm_atomic_cmp_exch r1.x, g1, cb0[0].xyxx, l(104), l(9)', [1, 0])
    expect(shared).toMatchObject({ result: [104, 7, 7, 7], memory: written(4, 9) })
  })

  it('orders signed and unsigned numbers apart', () => {
    const minus = 0xffffffff
    const signed = access(RAW_UAV, 'imm_atomic_imin r1.x, u0, cb0[0].x, l(-1)', [0])
    expect(signed.memory).toEqual(written(0, minus))
    const unsigned = access(RAW_UAV, 'imm_atomic_umin r1.x, u0, cb0[0].x, l(-1)', [0])
    expect(unsigned.memory).toEqual(UNTOUCHED)
    const largest = access(RAW_UAV, 'imm_atomic_umax r1.x, u0, cb0[0].x, l(-1)', [0])
    expect(largest.memory).toEqual(written(0, minus))
    const positive = access(RAW_UAV, 'imm_atomic_imax r1.x, u0, cb0[0].x, l(-1)', [0])
    expect(positive.memory).toEqual(UNTOUCHED)
  })
})

describe('typed UAVs', () => {
  const typed: Setup = {
    declares: 'dcl_uav_typed_buffer (uint,uint,uint,uint) u0',
    bind: (b) => ({ u0: createUav(b, { format: 'R32_UINT' }) }),
  }

  it('load, store and add at the last element and past it', () => {
    const load = access(
      typed,
      'ld_uav_typed_indexable(buffer)(uint,uint,uint,uint) r1.xyzw, cb0[0].xxxx, u0.xyzw',
      [15],
    )
    expect(load).toMatchObject({ result: [115, 0, 0, 1], codes: [] })
    const past = access(
      typed,
      'ld_uav_typed_indexable(buffer)(uint,uint,uint,uint) r1.xyzw, cb0[0].xxxx, u0.xyzw',
      [16],
    )
    expect(past).toMatchObject({ result: [0, 0, 0, 1], codes: ['engine-out-of-bounds'], severities: ['hint'] })
    const store = access(typed, 'store_uav_typed u0.xyzw, cb0[0].xxxx, l(5, 6, 7, 8)', [15])
    expect(store).toMatchObject({ memory: written(15, 5), codes: [] })
    const dropped = access(typed, 'store_uav_typed u0.xyzw, cb0[0].xxxx, l(5, 6, 7, 8)', [16])
    expect(dropped).toMatchObject({ memory: UNTOUCHED, codes: ['engine-out-of-bounds'] })
    const add = access(typed, 'imm_atomic_iadd r1.x, u0, cb0[0].x, l(5)', [15])
    expect(add).toMatchObject({ result: [115, 7, 7, 7], memory: written(15, 120), codes: [] })
    const missed = access(typed, 'imm_atomic_iadd r1.x, u0, cb0[0].x, l(5)', [16])
    expect(missed).toMatchObject({ result: [0, 7, 7, 7], memory: UNTOUCHED, severities: ['warning'] })
  })

  it('views with a first element count from there', () => {
    const part: Setup = {
      declares: 'dcl_uav_typed_buffer (uint,uint,uint,uint) u0',
      bind: (b) => ({ u0: createUav(b, { format: 'R32_UINT', firstElement: 4, elementCount: 2 }) }),
    }
    const inside = access(part, 'store_uav_typed u0.xyzw, cb0[0].xxxx, l(5, 5, 5, 5)', [1])
    expect(inside).toMatchObject({ memory: written(5, 5), codes: [] })
    const past = access(part, 'store_uav_typed u0.xyzw, cb0[0].xxxx, l(5, 5, 5, 5)', [2])
    expect(past).toMatchObject({ memory: UNTOUCHED, codes: ['engine-out-of-bounds'] })
  })
})

/** Textures of one dword a texel: 4 x 3 (x 2), texel (x, y, z) holding 1 + x + 4 y + 12 z. */
interface TextureCase {
  readonly dimension: 'texture1d' | 'texture2d' | 'texture3d'
  readonly word: string
  readonly arraySize?: number
  /** The last texel, and coordinates one past it on each axis. */
  readonly last: number[]
  readonly past: number[][]
}
const TEXTURES: TextureCase[] = [
  { dimension: 'texture1d', word: 'texture1d', last: [3], past: [[4], [0xffffffff]] },
  {
    dimension: 'texture1d',
    word: 'texture1darray',
    arraySize: 3,
    last: [3, 2],
    past: [
      [4, 0],
      [0, 3],
    ],
  },
  {
    dimension: 'texture2d',
    word: 'texture2d',
    last: [3, 2],
    past: [
      [4, 0],
      [0, 3],
      [0, 0xffffffff],
    ],
  },
  {
    dimension: 'texture2d',
    word: 'texture2darray',
    arraySize: 2,
    last: [3, 2, 1],
    past: [
      [4, 0, 0],
      [0, 3, 0],
      [0, 0, 2],
    ],
  },
  {
    dimension: 'texture3d',
    word: 'texture3d',
    last: [3, 2, 1],
    past: [
      [4, 0, 0],
      [0, 3, 0],
      [0, 0, 2],
    ],
  },
]

describe.each(TEXTURES)('$word', ({ dimension, word, arraySize, last, past }) => {
  const types = '(uint,uint,uint,uint)'
  const height = dimension === 'texture1d' ? 1 : 3
  const depth = dimension === 'texture3d' ? 2 : 1
  const count = 4 * height * depth * (arraySize ?? 1)

  function texture(body: string, coordinates: number[], uav: boolean) {
    const data = Uint32Array.from({ length: count }, (_, i) => i + 1)
    const array = arraySize === undefined ? {} : { arraySize }
    const t = valueOrThrow(createTexture({ dimension, format: 'R32_UINT', width: 4, height, depth, data, ...array }))
    const setup: Setup = {
      declares: uav ? `dcl_uav_typed_${word} ${types} u0` : `dcl_resource_${word} ${types} t0`,
      bind: () => (uav ? { u0: createUav(t) } : { t0: createSrv(t) }),
    }
    const r = access(setup, body, coordinates)
    return { ...r, texels: Array.from(t.storage.words.subarray(0, count)) }
  }
  const numbered = Array.from({ length: count }, (_, i) => i + 1)

  it('loads its last texel through an SRV and a UAV', () => {
    const srv = texture(`ld_indexable(${word})${types} r1.xyzw, cb0[0].xyzw, t0.xyzw`, last, false)
    expect(srv).toMatchObject({ result: [count, 0, 0, 1], codes: [] })
    const uav = texture(`ld_uav_typed_indexable(${word})${types} r1.xyzw, cb0[0].xyzw, u0.xyzw`, last, true)
    expect(uav).toMatchObject({ result: [count, 0, 0, 1], codes: [] })
  })

  it.each(past.map((p) => [p]))(
    'loads 0 and the alpha that the format lacks at %j and stores nothing',
    (coordinates) => {
      const srv = texture(`ld_indexable(${word})${types} r1.xyzw, cb0[0].xyzw, t0.xyzw`, coordinates, false)
      expect(srv).toMatchObject({ result: [0, 0, 0, 1], codes: ['engine-out-of-bounds'] })
      const uav = texture(`ld_uav_typed_indexable(${word})${types} r1.xyzw, cb0[0].xyzw, u0.xyzw`, coordinates, true)
      expect(uav).toMatchObject({ result: [0, 0, 0, 1], codes: ['engine-out-of-bounds'] })
      const store = texture('store_uav_typed u0.xyzw, cb0[0].xyzw, l(99, 99, 99, 99)', coordinates, true)
      expect(store).toMatchObject({ texels: numbered, codes: ['engine-out-of-bounds'] })
      const add = texture('imm_atomic_iadd r1.x, u0, cb0[0].xyzw, l(5)', coordinates, true)
      expect(add).toMatchObject({ result: [0, 7, 7, 7], texels: numbered, codes: ['engine-out-of-bounds'] })
    },
  )

  it('stores to and adds to its last texel', () => {
    const store = texture('store_uav_typed u0.xyzw, cb0[0].xyzw, l(99, 98, 97, 96)', last, true)
    expect(store).toMatchObject({ texels: [...numbered.slice(0, -1), 99], codes: [] })
    const add = texture('imm_atomic_iadd r1.x, u0, cb0[0].xyzw, l(5)', last, true)
    expect(add).toMatchObject({ result: [count, 7, 7, 7], texels: [...numbered.slice(0, -1), count + 5], codes: [] })
  })

  it('has no mip 1', () => {
    const srv = texture(
      `mov r2.xyzw, l(0, 0, 0, 1)\nld_indexable(${word})${types} r1.xyzw, r2.xyzw, t0.xyzw`,
      [],
      false,
    )
    expect(srv).toMatchObject({ result: [0, 0, 0, 1], codes: ['engine-subresource'] })
  })
})

describe('registers and constants', () => {
  const none: Setup = { declares: 'dcl_indexableTemp x0[3], 4', bind: () => ({}) }
  const fillX = [0, 1, 2].map((i) => `mov x0[${i}].xyzw, l(${10 + i}, 0, 0, 0)`).join('\n')

  it('x# past its end reads 0 and drops writes', () => {
    const read = (index: number) => access(none, `${fillX}\nmov r2.x, cb0[0].x\nmov r1.x, x0[r2.x + 0].x`, [index])
    expect(read(2)).toMatchObject({ result: [12, 7, 7, 7], codes: [] })
    expect(read(3)).toMatchObject({ result: [0, 7, 7, 7], codes: ['engine-indexable-temp-bounds'] })
    expect(read(0xffffffff)).toMatchObject({ result: [0, 7, 7, 7], codes: ['engine-indexable-temp-bounds'] })
    const write = (index: number) =>
      access(none, `${fillX}\nmov r2.x, cb0[0].x\nmov x0[r2.x + 0].x, l(99)\nmov r1.x, x0[2].x`, [index])
    expect(write(2)).toMatchObject({ result: [99, 7, 7, 7], codes: [] })
    expect(write(3)).toMatchObject({ result: [12, 7, 7, 7], codes: ['engine-indexable-temp-bounds'] })
  })

  it('icb past its end reads 0', () => {
    const icb: Setup = { declares: 'dcl_immediateConstantBuffer { { 1, 2, 3, 4}, { 5, 6, 7, 8} }', bind: () => ({}) }
    const read = (index: number) => access(icb, 'mov r2.x, cb0[0].x\nmov r1.xyzw, icb[r2.x + 0].xyzw', [index])
    expect(read(1)).toMatchObject({ result: [5, 6, 7, 8], codes: [] })
    expect(read(2)).toMatchObject({ result: [0, 0, 0, 0], codes: ['engine-immediate-constant-bounds'] })
  })

  it('constants past the bound size read 0, between the declared and the bound size the real data', () => {
    const read = (index: number, declared: number) => {
      const setup: Setup = {
        declares: `dcl_constantbuffer CB1[${declared}], dynamicIndexed`,
        bind: () => ({ b1: createCbv(Uint32Array.from([1, 2, 3, 4, 5, 6, 7, 8])) }),
      }
      return access(setup, 'mov r2.x, cb0[0].x\nmov r1.xyzw, cb1[r2.x + 0].xyzw', [index])
    }
    expect(read(1, 2)).toMatchObject({ result: [5, 6, 7, 8], codes: [] })
    expect(read(1, 1)).toMatchObject({ result: [5, 6, 7, 8], codes: [] })
    expect(read(2, 2)).toMatchObject({ result: [0, 0, 0, 0], codes: ['engine-constant-buffer-bounds'] })
  })

  it('a constant buffer bound in part ends there', () => {
    const setup: Setup = {
      declares: 'dcl_constantbuffer CB1[2], immediateIndexed',
      bind: () => ({ b1: createCbv(Uint32Array.from([1, 2, 3, 4, 5, 6, 7, 8]), { byteLength: 16 }) }),
    }
    expect(access(setup, 'mov r1.xy, cb1[0].xyxx\nmov r1.zw, cb1[1].xxxy', [])).toMatchObject({ result: [1, 2, 0, 0] })
  })
})

describe('slots with nothing bound', () => {
  const nothing = (declares: string): Setup => ({ declares, bind: () => ({}) })

  it('load 0, drop stores, return 0 and have no size', () => {
    const raw = access(nothing('dcl_uav_raw u0'), 'ld_raw r1.xyzw, l(0), u0.xyzw\nstore_raw u0.x, l(0), l(1)', [])
    expect(raw.result).toEqual([0, 0, 0, 0])
    expect(raw.undefinedCount).toBe(0)
    const structured = access(
      nothing('dcl_resource_structured t0, 16'),
      'ld_structured r1.xyzw, l(0), l(0), t0.xyzw',
      [],
    )
    expect(structured.result).toEqual([0, 0, 0, 0])
    const atomic = access(nothing('dcl_uav_raw u0'), 'imm_atomic_iadd r1.x, u0, l(0), l(1)', [])
    expect(atomic.result).toEqual([0, 7, 7, 7])
    const typed = nothing('dcl_resource_texture2d (float,float,float,float) t0')
    const texel = 'ld_indexable(texture2d)(float,float,float,float) r1.xyzw, l(0, 0, 0, 0), t0.xyzw'
    expect(access(typed, texel, []).result).toEqual([0, 0, 0, 0])
    const size = 'resinfo_indexable(texture2d)(float,float,float,float)_uint r1.xyzw, l(0), t0.xyzw'
    expect(access(typed, size, []).result).toEqual([0, 0, 0, 0])
    expect(
      access(nothing('dcl_resource_raw t0'), 'bufinfo_indexable(raw_buffer)(mixed,mixed,mixed,mixed) r1.x, t0.xyzw', [])
        .result[0],
    ).toBe(0)
    const missing = access(nothing('dcl_uav_structured_opc u0, 16'), 'imm_atomic_alloc r1.x, u0', [])
    expect(missing.result).toEqual([0, 7, 7, 7])
  })

  it('constants of an unbound buffer are 0', () => {
    const setup = nothing('dcl_constantbuffer CB1[1], immediateIndexed')
    expect(access(setup, 'mov r1.xyzw, cb1[0].xyzw', []).result).toEqual([0, 0, 0, 0])
  })
})
