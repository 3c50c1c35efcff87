import { describe, expect, it } from 'vitest'
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import type { DispatchOptions } from '../../src/engine/index.ts'
import { createBuffer, createUav, type Schedule } from '../../src/machine/index.ts'
import { validate } from '../../src/validate/index.ts'
import {
  after,
  BITS,
  CONTENTS,
  type Done,
  done,
  EXCHANGE,
  literal,
  MASKS,
  MODELS,
  OTHER_MASKS,
  onBuffer,
  onPlace,
  onShared,
  POISON,
  refusals,
  text,
  UNTOUCHED,
  uavOf,
  VALUE,
} from '../support/on-memory.ts'
import { programOf, runText } from '../support/run-text.ts'
import { contents, PLACES, TYPED_PLACES } from './opcodes/places.ts'

/**
 * The pages of store_structured, store_raw and imm_atomic_exch, sentence by sentence. Each test is one rule; what it
 * expects follows from the rule and a sum done here. `seeds-memory.test.ts` has the rules that settle what they leave open.
 */

describe('store_structured', () => {
  describe.each(MODELS)('in %s', (model) => {
    const u0 = uavOf(model)

    it.each(MASKS)('writes the 1 to 4 components of .%s as they are, without conversion', (mask) => {
      const r = onBuffer(model, 'structured', CONTENTS.slice(), `store_structured ${u0}.${mask}, l(1), l(0), ${VALUE}`)
      expect(r).toMatchObject({ words: after(4, BITS.slice(0, mask.length)), codes: [] })
    })

    it.each(MASKS)('takes as many words of the swizzled value as .%s has, without gaps', (mask) => {
      const body = `mov r0.xyzw, l(1, 2, 3, 4)\nstore_structured ${u0}.${mask}, l(2), l(0), r0.wyxz`
      const r = onBuffer(model, 'structured', CONTENTS.slice(), body)
      expect(r).toMatchObject({ words: after(8, [4, 2, 1, 3].slice(0, mask.length)), codes: [] })
    })

    it('writes at buffer + stride * index + byte offset, for every stride, index and offset', () => {
      for (const stride of [4, 8, 12, 16, 20, 28]) {
        const count = 3
        for (let index = 0; index < count; index++) {
          for (let offset = 0; offset < stride; offset += 4) {
            const data = new Uint32Array((stride * count) / 4)
            const body = `mov r0.xy, l(${index}, ${offset}, 0, 0)\nstore_structured ${u0}.x, r0.x, r0.y, l(77)`
            const want = Array.from(data, (_, i) => (i * 4 === stride * index + offset ? 77 : 0))
            const r = onBuffer(model, 'structured', data, body, { stride })
            expect(r, `${stride} ${index} ${offset}`).toMatchObject({ words: want, codes: [] })
          }
        }
      }
    })

    it.each([4, 5, 0x10000000, 0x10000001, 0x80000000, 0xffffffff])('an index of %i of 4 writes nothing', (index) => {
      for (const undefinedPolicy of ['report', 'poison', 'trap'] as const) {
        const body = `store_structured ${u0}.x, l(${index}), l(0), l(77)`
        const r = onBuffer(model, 'structured', CONTENTS.slice(), body, { undefinedPolicy })
        // Defined, so it is no more than a hint, whatever the policy.
        expect(r).toMatchObject({
          words: UNTOUCHED,
          codes: ['engine-out-of-bounds'],
          severities: ['hint'],
          stopped: undefined,
        })
      }
    })

    it.each(MASKS)('a byte offset that takes .%s past the structure makes the whole UAV undefined', (mask) => {
      const inside = 16 - mask.length * 4
      const store = (offset: number): string =>
        `mov r0.x, l(${offset})\nstore_structured ${u0}.${mask}, l(0), r0.x, ${VALUE}`
      const run = (offset: number, options: DispatchOptions = {}): Done =>
        onBuffer(model, 'structured', CONTENTS.slice(), store(offset), options)
      expect(run(inside)).toMatchObject({ words: after(inside / 4, BITS.slice(0, mask.length)), codes: [] })
      for (const offset of [inside + 4, 16, 0x7ffffffc, 0xfffffffc]) {
        const safe = {
          words: UNTOUCHED,
          codes: ['engine-structure-offset'],
          severities: ['warning'],
          undefinedCount: 1,
        }
        expect(run(offset), `${offset}`).toMatchObject(safe)
        expect(run(offset, { undefinedPolicy: 'poison' }).words).toEqual(UNTOUCHED.map(() => POISON))
        expect(run(offset, { undefinedPolicy: 'trap' })).toMatchObject({ words: UNTOUCHED, stopped: 'trap' })
      }
    })

    it('where index and byte offset are both out of bounds the byte offset decides', () => {
      const body = `store_structured ${u0}.xy, l(4), l(12), ${VALUE}`
      const r = onBuffer(model, 'structured', CONTENTS.slice(), body)
      expect(r).toMatchObject({ words: UNTOUCHED, codes: ['engine-structure-offset'] })
      const poisoned = onBuffer(model, 'structured', CONTENTS.slice(), body, { undefinedPolicy: 'poison' })
      expect(poisoned.words).toEqual(UNTOUCHED.map(() => POISON))
    })

    it('what is undefined is the view, not the rest of the buffer', () => {
      const options = { undefinedPolicy: 'poison', view: { firstElement: 1, elementCount: 2 } } as const
      const body = `store_structured ${u0}.x, l(0), l(16), l(77)`
      const r = onBuffer(model, 'structured', CONTENTS.slice(), body, options)
      expect(r.words).toEqual(after(4, Array(8).fill(POISON)))
    })
  })

  it.each(OTHER_MASKS)('cannot have the mask .%s', (mask) => {
    const program = text('cs_5_0', 'dcl_uav_structured u0, 16', `store_structured u0.${mask}, l(0), l(0), ${VALUE}`)
    expect(refusals(program)).toEqual({ rules: ['validate-store-mask'], engine: ['engine-operand'] })
  })

  it('writes to a UAV or to shared memory alone', () => {
    const program = text('cs_5_0', 'dcl_resource_structured t0, 16', `store_structured t0.x, l(0), l(0), ${VALUE}`)
    expect(refusals(program)).toEqual({ rules: ['validate-operand-file'], engine: ['engine-operand'] })
  })

  it('needs memory that is declared as structured', () => {
    const store = (register: string): string => `store_structured ${register}.x, l(0), l(0), ${VALUE}`
    for (const declares of ['dcl_uav_raw u0', 'dcl_uav_typed_buffer (uint,uint,uint,uint) u0']) {
      expect(refusals(text('cs_5_0', declares, store('u0')))).toEqual({
        rules: ['validate-access-dimension'],
        engine: ['engine-operand'],
      })
    }
    expect(refusals(text('cs_5_0', 'dcl_tgsm_raw g0, 64', store('g0'))).engine).toEqual(['engine-operand'])
  })

  it.each(MASKS)('writes .%s to shared memory', (mask) => {
    const r = onShared('structured', `store_structured g1.${mask}, l(2), l(0), ${VALUE}`)
    expect(r).toMatchObject({ words: after(8, BITS.slice(0, mask.length)), neighbors: [500, 600], codes: [] })
  })

  it.each(['cs_4_0', 'cs_4_1'] as const)('is there for UAVs and shared memory in %s', (model) => {
    const declares = 'dcl_uav_structured u0, 16\ndcl_tgsm_structured g0, 16, 1\ndcl_input vThreadIDInGroupFlattened'
    const body = `store_structured g0.xy, vThreadIDInGroupFlattened.x, l(8), l(6, 7, 0, 0)
ld_structured r0.xyzw, vThreadIDInGroupFlattened.x, l(0), g0.xyzw
store_structured u0.xy, l(1), l(4), r0.zwzz`
    const program = text(model, declares, body)
    expect(validate(programOf(program))).toEqual([])
    const buffer = valueOrThrow(createBuffer({ data: CONTENTS.slice(), stride: 16 }))
    const run = runText(program, { u0: createUav(buffer) })
    expect(done(buffer.storage.words, run)).toMatchObject({ words: after(5, [6, 7]), codes: [] })
  })
})

describe('store_raw', () => {
  describe.each(MODELS)('in %s', (model) => {
    const u0 = uavOf(model)

    it.each(MASKS)('writes the 1 to 4 components of .%s as they are, without conversion', (mask) => {
      const r = onBuffer(model, 'raw', CONTENTS.slice(), `store_raw ${u0}.${mask}, l(16), ${VALUE}`)
      expect(r).toMatchObject({ words: after(4, BITS.slice(0, mask.length)), codes: [] })
    })

    it.each(MASKS)('takes as many words of the swizzled value as .%s has, without gaps', (mask) => {
      const body = `mov r0.xyzw, l(1, 2, 3, 4)\nstore_raw ${u0}.${mask}, l(4), r0.wyxz`
      const r = onBuffer(model, 'raw', CONTENTS.slice(), body)
      expect(r).toMatchObject({ words: after(1, [4, 2, 1, 3].slice(0, mask.length)), codes: [] })
    })

    it('writes at buffer + byte offset, and what is in bounds of a part that is not', () => {
      for (const mask of MASKS) {
        for (let offset = 0; offset <= 72; offset += 4) {
          const body = `mov r0.y, l(${offset})\nstore_raw ${u0}.${mask}, r0.y, ${VALUE}`
          const r = onBuffer(model, 'raw', CONTENTS.slice(), body)
          const fits = offset + mask.length * 4 <= 64
          expect(r, `.${mask} at ${offset}`).toMatchObject({
            words: after(offset / 4, BITS.slice(0, mask.length)),
            codes: fits ? [] : ['engine-out-of-bounds'],
            undefinedCount: 0,
          })
        }
      }
    })

    it.each([0xfffffffc, 0xfffffff0, 0x80000000])('an offset of %i writes nothing and does not wrap', (offset) => {
      const r = onBuffer(model, 'raw', CONTENTS.slice(), `store_raw ${u0}.xyzw, l(${offset}), ${VALUE}`)
      expect(r).toMatchObject({ words: UNTOUCHED, severities: ['hint'] })
    })

    it('bounds are those of the view', () => {
      const view = { firstElement: 4, elementCount: 4 }
      const body = `store_raw ${u0}.xyzw, l(8), ${VALUE}`
      const r = onBuffer(model, 'raw', CONTENTS.slice(), body, { view })
      expect(r).toMatchObject({ words: after(6, BITS.slice(0, 2)), codes: ['engine-out-of-bounds'] })
    })
  })

  it.each(OTHER_MASKS)('cannot have the mask .%s', (mask) => {
    const program = text('cs_5_0', 'dcl_uav_raw u0', `store_raw u0.${mask}, l(0), ${VALUE}`)
    expect(refusals(program)).toEqual({ rules: ['validate-store-mask'], engine: ['engine-operand'] })
  })

  it('writes to a UAV or to shared memory alone', () => {
    const program = text('cs_5_0', 'dcl_resource_raw t0', `store_raw t0.x, l(0), ${VALUE}`)
    expect(refusals(program)).toEqual({ rules: ['validate-operand-file'], engine: ['engine-operand'] })
  })

  it.each(MASKS)('writes .%s to shared memory', (mask) => {
    const r = onShared('raw', `store_raw g1.${mask}, l(32), ${VALUE}`)
    expect(r).toMatchObject({ words: after(8, BITS.slice(0, mask.length)), neighbors: [500, 600], codes: [] })
  })

  it.each(['cs_4_0', 'cs_4_1'] as const)('is there for UAVs in %s, and not for shared memory', (model) => {
    expect(validate(programOf(text(model, 'dcl_uav_raw u0', `store_raw u0.x, l(0), ${VALUE}`)))).toEqual([])
    const shared = text(model, 'dcl_tgsm_raw g0, 64', `store_raw g0.x, l(0), ${VALUE}`)
    expect(validate(programOf(shared)).map((d) => d.code)).toContain('validate-opcode-model')
  })
})

/** Past the bounds of g1, though g2 follows it. */
const SHARED_STORES: readonly (readonly ['raw' | 'structured', string, number[]])[] = [
  ['raw', 'store_raw g1.x, l(64), l(77)', UNTOUCHED],
  ['raw', 'store_raw g1.xyzw, l(56), l(77, 78, 79, 80)', after(14, [77, 78])],
  ['raw', 'store_raw g1.x, l(0xfffffffc), l(77)', UNTOUCHED],
  ['structured', 'store_structured g1.x, l(4), l(0), l(77)', UNTOUCHED],
  ['structured', 'store_structured g1.xy, l(3), l(12), l(77, 78, 0, 0)', after(15, [77])],
  ['structured', 'store_structured g1.x, l(0x10000000), l(0), l(77)', UNTOUCHED],
]

describe('stores out of the bounds of a g#', () => {
  it.each(SHARED_STORES)('%s: %s makes all shared memory undefined', (shape, body, safe) => {
    const report = onShared(shape, body)
    expect(report).toMatchObject({ words: safe, neighbors: [500, 600], severities: ['warning'] })
    expect(new Set(report.codes)).toEqual(new Set(['engine-tgsm-bounds']))
    const poison = onShared(shape, body, { undefinedPolicy: 'poison' })
    // All shared memory of the group: g0 and g2 too. What is in bounds may be written after.
    expect(poison.neighbors).toEqual([POISON, POISON])
    expect(poison.words.filter((w) => w >= 1000 && w < 1016)).toEqual([])
    expect(onShared(shape, body, { undefinedPolicy: 'trap' }).stopped).toBe('trap')
  })
})

describe('imm_atomic_exch', () => {
  it.each(PLACES.map((p) => [p.name, p] as const))(
    'on a %s writes 32 bits and returns those before',
    (_name, place) => {
      const before = 0x80000001
      const body = `mov r1.xyzw, l(7, 7, 7, 7)\n${EXCHANGE(place, literal(place.address))}`
      const r = onPlace(place, contents(place, before), body)
      expect(r).toMatchObject({ words: Array.from(contents(place, BITS[0])), out: [7, before, 7, 7], codes: [] })
    },
  )

  it.each(PLACES.map((p) => [p.name, p] as const))('on a %s takes its address through a swizzle', (_name, place) => {
    const [x, y, z, w] = place.address
    const body = `mov r2.xyzw, l(${z}, ${x}, ${w}, ${y})\n${EXCHANGE(place, 'r2.ywxz')}`
    expect(onPlace(place, contents(place, 5), body).words).toEqual(Array.from(contents(place, BITS[0])))
  })

  it('names a range and a register in cs_5_1: raw, structured and typed', () => {
    const cases = [
      ['dcl_uav_raw U3[2:2], space=1', 'l(20)', { raw: true }],
      ['dcl_uav_structured U3[2:2], 16, space=1', 'l(1, 4, 0, 0)', { stride: 16 }],
      ['dcl_uav_typed_buffer (uint,uint,uint,uint) U3[2:2], space=1', 'l(5)', { format: 'R32_UINT' }],
    ] as const
    for (const [declares, address, view] of cases) {
      const buffer = valueOrThrow(createBuffer({ data: CONTENTS.slice() }))
      const body = `imm_atomic_exch r0.x, U3[2], ${address}, l(77)\niadd r0.x, r0.x, l(1)\nimm_atomic_exch r0.y, U3[2], ${address}, r0.x`
      const run = runText(text('cs_5_1', declares, body), { 'u2,space1': createUav(buffer, view) })
      // 1005 comes out, and goes back in as one more.
      expect(done(buffer.storage.words, run), declares).toMatchObject({ words: after(5, [1006]), codes: [] })
    }
  })

  it('typed memory must be of UINT or SINT', () => {
    const exchange = 'imm_atomic_exch r0.x, u0, l(0), l(1)'
    for (const type of ['unorm', 'snorm']) {
      const program = text('cs_5_0', `dcl_uav_typed_buffer (${Array(4).fill(type).join(',')}) u0`, exchange)
      expect(refusals(program).rules).toEqual(['validate-typed-atomic'])
    }
  })

  it('typed memory must be bound as R32: another format is refused before anything runs', () => {
    const place = TYPED_PLACES[0]!
    const buffer = valueOrThrow(createBuffer({ data: CONTENTS.slice() }))
    const bindings = { u0: createUav(buffer, { format: 'R16G16_UINT' }) }
    const program = text('cs_5_0', place.declares, 'imm_atomic_exch r0.x, u0, l(5), l(1)')
    expect(() => runText(program, bindings)).toThrow('machine-binding-mismatch')
    expect(Array.from(buffer.storage.words)).toEqual(UNTOUCHED)
  })

  it('is of a UAV or shared memory, in Shader Model 5 alone', () => {
    const exchange = 'imm_atomic_exch r0.x, t0, l(0), l(1)'
    expect(refusals(text('cs_5_0', 'dcl_resource_raw t0', exchange))).toEqual({
      rules: ['validate-operand-file'],
      engine: ['engine-operand'],
    })
    for (const model of ['cs_4_0', 'cs_4_1']) {
      const program = text(model, 'dcl_uav_raw u0', 'imm_atomic_exch r0.x, u0, l(0), l(1)')
      expect(validate(programOf(program)).map((d) => d.code)).toEqual(['validate-opcode-model'])
    }
  })

  /** 64 threads put their number + 1 into one dword that held 0: everyone gets what another put, and nothing is lost. */
  it.each([
    ['forward', 1],
    ['reverse', 4],
    [{ seed: 5 }, 16],
    [{ seed: 6 }, 64],
  ] as const)('is one indivisible operation: order %j, waves of %i', (order, waveWidth) => {
    const out = valueOrThrow(createBuffer({ byteLength: 65 * 4 }))
    const body = `iadd r0.x, vThreadIDInGroupFlattened.x, l(1)
ishl r0.y, r0.x, l(2)
imm_atomic_exch r1.x, u0, l(0), r0.x
store_raw u0.x, r0.y, r1.x`
    const program = text('cs_5_0', 'dcl_uav_raw u0\ndcl_input vThreadIDInGroupFlattened', body, 64)
    const schedule: Schedule = { waveWidth, order, groupsInFlight: 1 }
    const run = runText(program, { u0: createUav(out, { raw: true }) }, { schedule })
    const words = Array.from(out.storage.words.subarray(0, 65))
    expect(run.diagnostics).toEqual([])
    expect([...words].sort((a, b) => a - b)).toEqual(Array.from({ length: 65 }, (_, i) => i))
    // Threads of a chain: from the last one left in memory each names the one before, down to 0.
    let [n, length] = [words[0]!, 0]
    for (; n !== 0; n = words[n]!) length++
    expect(length).toBe(64)
  })

  it('of an invocation that is not active changes nothing', () => {
    const body = `if_nz l(0)\nimm_atomic_exch r1.x, u0, l(0), l(77)\nendif
imm_atomic_exch r1.x, u0, l(4), l(78)\nretc_nz l(1)\nimm_atomic_exch r1.x, u0, l(8), l(79)`
    const r = onBuffer('cs_5_0', 'raw', CONTENTS.slice(), body)
    expect(r).toMatchObject({ words: after(1, [78]), codes: [] })
  })
})
