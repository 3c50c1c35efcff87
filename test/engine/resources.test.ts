import { describe, expect, it } from 'vitest'
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import {
  type Bindings,
  createBuffer,
  createCbv,
  createSampler,
  createSrv,
  createTexture,
  createUav,
  type TextureOptions,
} from '../../src/machine/index.ts'
import { type RunOptions, runText } from '../support/run-text.ts'

/** Operands of texture instructions, size queries, interfaces, ranges and doubles: that each word goes where it belongs. */

const FLOAT_TYPES = '(float,float,float,float)'
const UINT_TYPES = '(uint,uint,uint,uint)'

/** Runs one thread; the result is r1 of the program, as bits and as floats. */
function runOne(declares: string, body: string, bindings: Bindings, options: RunOptions = {}, model = 'cs_5_0') {
  const out = valueOrThrow(createBuffer({ byteLength: 16 }))
  const uav = model === 'cs_5_1' ? 'dcl_uav_raw U7[7:7], space=0' : 'dcl_uav_raw u7'
  const store = model === 'cs_5_1' ? 'U7[7]' : 'u7'
  const text = `${model}
dcl_globalFlags refactoringAllowed
${declares}
${uav}
dcl_temps 8
dcl_thread_group 1, 1, 1
mov r1.xyzw, l(7, 7, 7, 7)
${body}
store_raw ${store}.xyzw, l(0), r1.xyzw
ret
`
  const run = runText(text, { ...bindings, u7: createUav(out, { raw: true }) }, options)
  const bits = Array.from(out.storage.words.subarray(0, 4))
  return { bits, floats: Array.from(new Float32Array(Uint32Array.from(bits).buffer)), run }
}

function floatTexture(options: Partial<TextureOptions> & Pick<TextureOptions, 'dimension'>, texels: number[]) {
  const base = { format: 'R32G32B32A32_FLOAT', width: 4, data: Float32Array.from(texels) } as const
  return valueOrThrow(createTexture({ ...base, ...options }))
}

/** 4 x 4 texels: (x, y, 10 x + y, 1). */
const GRID = Array.from({ length: 16 }, (_, i) => [i & 3, i >> 2, 10 * (i & 3) + (i >> 2), 1]).flat()
const TEXTURE = floatTexture({ dimension: 'texture2d', height: 4 }, GRID)
const POINT = createSampler({ filter: 'MIN_MAG_MIP_POINT', address: 'CLAMP' })
const DECLARES = `dcl_resource_texture2d ${FLOAT_TYPES} t0\ndcl_sampler s0, mode_default`
const BOUND: Bindings = { t0: createSrv(TEXTURE), s0: POINT }

describe('sampling', () => {
  it('takes its coordinates, swizzle and mask from the operands', () => {
    // The center of texel (2, 1) of 4 x 4.
    const body = `mov r2.xyzw, l(9.0, 0.375, 0.625, 9.0)
sample_l_indexable(texture2d)${FLOAT_TYPES} r1.xw, r2.zyxx, t0.zxyw, s0, l(0.0)`
    const { floats } = runOne(DECLARES, body, BOUND)
    expect([floats[0], floats[3]]).toEqual([21, 1])
    expect(floats[1]).not.toBe(2)
  })

  it('adds immediate offsets in texels', () => {
    const body = `sample_l_aoffimmi_indexable(1,-1,0)(texture2d)${FLOAT_TYPES} r1.xyzw, l(0.375, 0.625, 0.0, 0.0), t0.xyzw, s0, l(0.0)`
    expect(runOne(DECLARES, body, BOUND).floats).toEqual([2, 1, 21, 1])
  })

  it('takes gradients', () => {
    const body = `sample_d_indexable(texture2d)${FLOAT_TYPES} r1.xyzw, l(0.625, 0.375, 0.0, 0.0), t0.xyzw, s0, l(0.0, 0.0, 0.0, 0.0), l(0.0, 0.0, 0.0, 0.0)`
    expect(runOne(DECLARES, body, BOUND).floats).toEqual([2, 1, 21, 1])
  })

  it('chooses a mip by its level of detail', () => {
    const texels = [...GRID, ...Array.from({ length: 4 }, () => [50, 51, 52, 53]).flat()]
    const mipped = floatTexture({ dimension: 'texture2d', height: 4, mipLevels: 2 }, texels)
    const body = `sample_l_indexable(texture2d)${FLOAT_TYPES} r1.xyzw, l(0.5, 0.5, 0.0, 0.0), t0.xyzw, s0, l(1.0)`
    expect(runOne(DECLARES, body, { t0: createSrv(mipped), s0: POINT }).floats).toEqual([50, 51, 52, 53])
  })

  it('saturates', () => {
    const body = `sample_l_indexable_sat(texture2d)${FLOAT_TYPES} r1.xyzw, l(0.625, 0.375, 0.0, 0.0), t0.xyzw, s0, l(0.0)`
    const saturated = body.replace('sample_l_indexable_sat', 'sample_l_sat_indexable')
    expect(runOne(DECLARES, saturated, BOUND).floats).toEqual([1, 1, 1, 1])
  })

  it('compares', () => {
    const depth = valueOrThrow(
      createTexture({ dimension: 'texture2d', format: 'R32_FLOAT', width: 1, height: 1, data: Float32Array.of(0.5) }),
    )
    const sampler = createSampler({ filter: 'COMPARISON_MIN_MAG_MIP_POINT', address: 'CLAMP', comparison: 'LESS' })
    const declares = `dcl_resource_texture2d ${FLOAT_TYPES} t0\ndcl_sampler s0, mode_comparison`
    const compare = (reference: string): number | undefined =>
      runOne(
        declares,
        `sample_c_lz_indexable(texture2d)${FLOAT_TYPES} r1.x, l(0.5, 0.5, 0.0, 0.0), t0.xxxx, s0, l(${reference})`,
        { t0: createSrv(depth), s0: sampler },
      ).floats[0]
    // The reference is the left side of the comparison.
    expect(compare('0.250000')).toBe(1)
    expect(compare('0.750000')).toBe(0)
  })

  it('gathers the chosen component counter-clockwise from the lower left', () => {
    const at = 'l(0.5, 0.5, 0.0, 0.0)'
    const z = runOne(DECLARES, `gather4_indexable(texture2d)${FLOAT_TYPES} r1.xyzw, ${at}, t0.xyzw, s0.z`, BOUND)
    // Texels (1,2) (2,2) (2,1) (1,1).
    expect(z.floats).toEqual([12, 22, 21, 11])
    const y = runOne(DECLARES, `gather4_indexable(texture2d)${FLOAT_TYPES} r1.xyzw, ${at}, t0.wzyx, s0.y`, BOUND)
    expect(y.floats).toEqual([1, 1, 2, 2])
    const body = `gather4_po_indexable(texture2d)${FLOAT_TYPES} r1.xyzw, ${at}, l(1, -1, 0, 0), t0.xyzw, s0.z`
    expect(runOne(DECLARES, body, BOUND).floats).toEqual([21, 31, 30, 20])
  })

  it('of an unbound texture gives 0; without a sampler the default one serves', () => {
    const body = `sample_l_indexable(texture2d)${FLOAT_TYPES} r1.xyzw, l(0.625, 0.375, 0.0, 0.0), t0.xyzw, s0, l(0.0)`
    expect(runOne(DECLARES, body, { s0: POINT }).floats).toEqual([0, 0, 0, 0])
    expect(runOne(DECLARES, body, { t0: createSrv(TEXTURE) }).floats).toEqual([2, 1, 21, 1])
  })

  it('with implicit derivatives cannot be loaded', () => {
    const body = `sample_indexable(texture2d)${FLOAT_TYPES} r1.xyzw, l(0.5, 0.5, 0.0, 0.0), t0.xyzw, s0`
    expect(() => runOne(DECLARES, body, BOUND)).toThrow('engine-instruction')
  })
})

describe('feedback', () => {
  it('says that all is mapped', () => {
    const body = `ld_s r1.x, r2.x, l(1, 2, 0, 0), t0.xyzw
check_access_fully_mapped r1.y, r2.x
mov r1.z, r2.x
mov r3.x, l(0)
check_access_fully_mapped r1.w, r3.x`
    const { bits, floats } = runOne(DECLARES, body, BOUND)
    expect(floats[0]).toBe(1)
    expect([bits[1], bits[3]]).toEqual([0xffffffff, 0])
  })
})

describe('multisample textures', () => {
  const texture = valueOrThrow(
    createTexture({
      dimension: 'texture2d',
      format: 'R32_UINT',
      width: 2,
      height: 1,
      sampleCount: 4,
      data: Uint32Array.from([10, 11, 12, 13, 20, 21, 22, 23]),
    }),
  )
  const declares = `dcl_resource_texture2dms(4) ${UINT_TYPES} t0`
  const bindings: Bindings = { t0: createSrv(texture) }
  const load = (x: number, sample: number, options: RunOptions = {}) =>
    runOne(
      declares,
      `ldms_indexable(texture2dms)${UINT_TYPES} r1.xyzw, l(${x}, 0, 0, 0), t0.xyzw, l(${sample})`,
      bindings,
      options,
    )

  it('load each sample', () => {
    expect(load(0, 0).bits).toEqual([10, 0, 0, 1])
    expect(load(1, 3).bits).toEqual([23, 0, 0, 1])
  })

  it('past the last sample are undefined', () => {
    const { bits, run } = load(1, 4)
    expect(bits).toEqual([0, 0, 0, 1])
    expect(run.diagnostics.map((d) => [d.code, d.severity])).toEqual([['engine-subresource', 'warning']])
    expect(load(1, 4, { undefinedPolicy: 'poison' }).bits).toEqual(Array(4).fill(0xdeadbeef))
  })

  it('tell their samples and where they lie', () => {
    const info = runOne(declares, 'sampleinfo_uint r1.xy, t0.xyzw', bindings)
    expect(info.bits.slice(0, 2)).toEqual([4, 0])
    expect(runOne(declares, 'sampleinfo r1.x, t0.xyzw', bindings).floats[0]).toBe(4)
    // Sample 1 of four: (6, -2) sixteenths from the center (functional specification 19.2.4).
    expect(runOne(declares, 'samplepos r1.xyzw, t0.xyzw, l(1)', bindings).floats).toEqual([0.375, -0.125, 0, 0])
    expect(runOne(declares, 'samplepos r1.xyzw, t0.xyzw, l(4)', bindings).floats).toEqual([0, 0, 0, 0])
  })
})

describe('resinfo', () => {
  const texture = valueOrThrow(
    createTexture({ dimension: 'texture2d', format: 'R32_UINT', width: 8, height: 4, arraySize: 3, mipLevels: 3 }),
  )
  const declares = `dcl_resource_texture2darray ${UINT_TYPES} t0`
  const ask = (suffix: string, mip: number, swizzle = 'xyzw') =>
    runOne(declares, `resinfo_indexable(texture2darray)${UINT_TYPES}${suffix} r1.xyzw, l(${mip}), t0.${swizzle}`, {
      t0: createSrv(texture),
    })

  it('gives sizes as integers, floats and reciprocals, array sizes never turned over', () => {
    expect(ask('_uint', 1).bits).toEqual([4, 2, 3, 3])
    expect(ask('', 1).floats).toEqual([4, 2, 3, 3])
    expect(ask('_rcpFloat', 1).floats).toEqual([0.25, 0.5, 3, 3])
    expect(ask('_uint', 0, 'wzyx').bits).toEqual([3, 3, 4, 8])
  })

  it('of a mip that is not there gives 0 sizes and the mips, INF turned over', () => {
    expect(ask('_uint', 3).bits).toEqual([0, 0, 0, 3])
    expect(ask('_rcpFloat', 3).floats).toEqual([Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 0, 3])
  })

  it('of a UAV has one mip', () => {
    const uav = `dcl_uav_typed_texture2darray ${UINT_TYPES} u0`
    const body = `resinfo_indexable(texture2darray)${UINT_TYPES}_uint r1.xyzw, l(0), u0.xyzw`
    expect(runOne(uav, body, { u0: createUav(texture, { mipSlice: 1 }) }).bits).toEqual([4, 2, 3, 1])
  })
})

describe('bufinfo', () => {
  it('counts elements of typed, structures of structured and bytes of raw views', () => {
    const buffer = valueOrThrow(createBuffer({ byteLength: 96 }))
    const structured = valueOrThrow(createBuffer({ byteLength: 96, stride: 12 }))
    const typed = runOne(
      `dcl_resource_buffer ${UINT_TYPES} t0`,
      `bufinfo_indexable(buffer)${UINT_TYPES} r1.x, t0.xyzw`,
      {
        t0: createSrv(buffer, { format: 'R16G16_UINT', elementCount: 20 }),
      },
    )
    expect(typed.bits[0]).toBe(20)
    const structs = runOne('dcl_resource_structured t0, 12', 'bufinfo r1.x, t0.xyzw', { t0: createSrv(structured) })
    expect(structs.bits[0]).toBe(8)
    const raw = runOne('dcl_uav_raw u0', 'bufinfo r1.xy, u0.xyzw', { u0: createUav(buffer, { raw: true }) })
    expect(raw.bits.slice(0, 2)).toEqual([96, 96])
  })
})

describe('formats', () => {
  it('convert on typed loads and stores', () => {
    const buffer = valueOrThrow(createBuffer({ data: Uint8Array.of(255, 0, 51, 128, 0, 0, 0, 0) }))
    const declares = `dcl_uav_typed_buffer ${FLOAT_TYPES} u0`
    const body = `ld_uav_typed_indexable(buffer)${FLOAT_TYPES} r1.xyzw, l(0, 0, 0, 0), u0.xyzw
store_uav_typed u0.xyzw, l(1, 1, 1, 1), l(0.5, 1.0, -1.0, 2.0)`
    const { floats } = runOne(declares, body, { u0: createUav(buffer, { format: 'R8G8B8A8_UNORM' }) })
    expect(floats).toEqual([1, 0, Math.fround(51 / 255), Math.fround(128 / 255)])
    expect(Array.from(buffer.storage.bytes.subarray(4, 8))).toEqual([128, 255, 0, 255])
  })
})

describe('interfaces', () => {
  const declares = `dcl_constantbuffer CB0[2], immediateIndexed
dcl_constantbuffer CB3[4], dynamicIndexed
dcl_function_body fb0
dcl_function_body fb1
dcl_function_body fb2
dcl_function_body fb3
dcl_function_table ft0 = {fb0, fb2}
dcl_function_table ft1 = {fb1, fb3}
dcl_interface_dynamicindexed fp0[3][2] = {ft0, ft1}`
  // The methods: 100 + the instance's first word, or 200 + it; at the second call site 1000 and 2000.
  const subroutines = `ret
label fb0
mov r2.xy, this[0].xyxx
iadd r1.x, l(100), cb[r2.x + 0][r2.y + 0].x
ret
label fb1
iadd r1.x, l(200), l(0)
ret
label fb2
iadd r1.y, l(1000), l(0)
ret
label fb3
iadd r1.y, l(2000), l(0)
`
  const bindings: Bindings = {
    b0: createCbv(new Uint32Array(8)),
    b3: createCbv(Uint32Array.from([1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0])),
  }
  const call = (body: string, options: RunOptions) =>
    runOne(declares, `${body}\nstore_raw u7.xyzw, l(0), r1.xyzw\n${subroutines}`, bindings, options)

  it('call the method of the class that the instance has', () => {
    const first = call('fcall fp0[0][0]', {
      classInstances: { fp0: { table: 0, constantBuffer: 3, constantOffset: 2 } },
    })
    expect(first.bits).toEqual([103, 7, 7, 7])
    const second = call('fcall fp0[0][0]', { classInstances: { fp0: { table: 1 } } })
    expect(second.bits).toEqual([200, 7, 7, 7])
    const site = call('fcall fp0[0][1]', { classInstances: { fp0: { table: 1 } } })
    expect(site.bits).toEqual([7, 2000, 7, 7])
  })

  it('index arrays of pointers', () => {
    const classInstances = { 'fp0[0]': { table: 0 }, 'fp0[2]': { table: 1 } }
    expect(call('mov r0.x, l(1)\nfcall fp0[r0.x + 1][1]', { classInstances }).bits).toEqual([7, 2000, 7, 7])
    expect(call('mov r0.x, l(0)\nfcall fp0[r0.x + 0][1]', { classInstances }).bits).toEqual([7, 1000, 7, 7])
  })

  it('skip calls through pointers without an instance', () => {
    const { bits, run } = call('fcall fp0[0][0]', {})
    expect(bits).toEqual([7, 7, 7, 7])
    expect(run.diagnostics.map((d) => d.code)).toEqual(['engine-interface'])
  })

  it('refuse instances that do not fit, by name', () => {
    const wrongTable = call('fcall fp0[0][0]', { classInstances: { fp0: { table: 5 } } }).run
    expect(wrongTable.stopped).toBe('refused')
    expect(wrongTable.diagnostics[0]).toMatchObject({ code: 'engine-class-instance', place: { path: 'fp0' } })
    expect(wrongTable.diagnostics[0]?.message).toContain('ft0, ft1')
    const wrongPointer = call('fcall fp0[0][0]', { classInstances: { fp3: { table: 0 } } }).run
    expect(wrongPointer.diagnostics[0]?.message).toContain('fp0[3]')
  })
})

describe('ranges of Shader Model 5.1', () => {
  const declares = `dcl_resource_structured T3[4:6], 4, space=2
dcl_constantbuffer CB0[0:0][1], immediateIndexed, space=0`
  const data = (n: number) => createSrv(valueOrThrow(createBuffer({ data: Uint32Array.of(n), stride: 4 })))
  const bindings = (index: number): Bindings => ({
    't4,space2': [data(40), data(50), data(60)],
    t5: data(99),
    b0: createCbv(Uint32Array.of(index, 0, 0, 0)),
  })
  const load = (index: number) =>
    runOne(
      declares,
      'mov r0.x, CB0[0][0].x\nld_structured r1.x, l(0), l(0), T3[r0.x + 4].xxxx',
      bindings(index),
      {},
      'cs_5_1',
    )

  it('take their registers from the range and its space', () => {
    expect([0, 1, 2].map((i) => load(i).bits[0])).toEqual([40, 50, 60])
  })

  it('end where they are declared to', () => {
    const { bits, run } = load(3)
    expect(bits[0]).toBe(0)
    expect(run.diagnostics.map((d) => d.code)).toContain('engine-range-bounds')
  })

  it('of constant buffers end where they are declared to', () => {
    const ranges =
      'dcl_constantbuffer CB0[0:0][1], immediateIndexed, space=0\ndcl_constantbuffer CB1[1:2][1], dynamicIndexed, space=0'
    const read = (index: number) =>
      runOne(
        ranges,
        'mov r0.x, CB0[0][0].x\nmov r1.x, CB1[r0.x + 1][0].x',
        {
          b0: createCbv(Uint32Array.of(index, 0, 0, 0)),
          b1: [10, 20, 30].map((n) => createCbv(Uint32Array.of(n, 0, 0, 0))),
        },
        {},
        'cs_5_1',
      )
    expect([0, 1, 2].map((i) => read(i).bits[0])).toEqual([10, 20, 0])
    expect(read(2).run.diagnostics.map((d) => d.code)).toEqual(['engine-range-bounds'])
    expect(read(1).run.diagnostics).toEqual([])
  })

  it('without end do not reach into other spaces, whatever the index', () => {
    const endless = `dcl_constantbuffer CB0[0:0][1], immediateIndexed, space=0
dcl_resource_structured T0[0:*], 4, space=0`
    const read = (index: number) =>
      runOne(
        endless,
        'mov r0.x, CB0[0][0].x\nld_structured r1.x, l(0), l(0), T0[r0.x + 0].xxxx',
        { b0: createCbv(Uint32Array.of(index, 0, 0, 0)), t1: data(7), 't0,space1': data(8), 't0,space4095': data(9) },
        {},
        'cs_5_1',
      ).bits[0]
    expect([1, 0x100000, 0xfff00000, 0xffffffff].map(read)).toEqual([7, 0, 0, 0])
  })
})

describe('doubles', () => {
  const flags = 'dcl_globalFlags refactoringAllowed | enableDoublePrecisionFloatOps'
  const words = (value: number): string => {
    const w = new Uint32Array(Float64Array.of(value).buffer)
    return `l(${w[0]}, ${w[1]}, ${w[0]}, ${w[1]})`
  }
  const run = (body: string) => runOne(flags, body, {})

  it('lie in pairs of components', () => {
    const { bits } = run(`mov r2.xyzw, ${words(1.5)}\nmov r3.xyzw, ${words(2.25)}\ndadd r1.zw, r2.xyxy, r3.xyxy`)
    const sum = new Uint32Array(Float64Array.of(3.75).buffer)
    expect(bits).toEqual([7, 7, sum[0], sum[1]])
  })

  it('convert to the first components of the mask, in order', () => {
    const setup = `mov r2.xy, ${words(1.5)}\nmov r2.zw, ${words(-2)}`
    expect(run(`${setup}\ndtof r1.yw, r2.xyzw`).floats.filter((_, i) => i % 2 === 1)).toEqual([1.5, -2])
    expect(run(`${setup}\ndtof r1.w, r2.zwxy`).floats[3]).toBe(-2)
  })

  it('negate the high word alone', () => {
    const { bits } = run(`mov r2.xyzw, ${words(1.5)}\ndmov r1.xy, -r2.xyxy`)
    const negative = new Uint32Array(Float64Array.of(-1.5).buffer)
    expect(bits.slice(0, 2)).toEqual([negative[0], negative[1]])
  })

  it('choose by the condition of their own pair', () => {
    const setup = `mov r2.xyzw, ${words(1.5)}\nmov r3.xyzw, ${words(2.25)}\nmov r4.xyzw, l(0, 1, 0, 0)`
    const [one, two] = [1.5, 2.25].map((n) => Array.from(new Uint32Array(Float64Array.of(n).buffer)))
    expect(run(`${setup}\ndmovc r1.xyzw, r4.xyzw, r2.xyxy, r3.xyxy`).bits).toEqual([...two!, ...one!])
  })
})

describe('minimum precision', () => {
  const body =
    'mov r2.x, l(1.0009765625)\nadd r1.x {min16f}, r2.x, l(0.00024414062)\nadd r1.y {min16f}, l(65536.0), l(0.0)'
  it('runs at 32 bits, or is rounded where asked', () => {
    const full = runOne('', body, {})
    expect(full.floats[0]).toBe(Math.fround(1.0009765625 + 0.00024414062))
    const rounded = runOne('', body, {}, { load: { minPrecision: 'round' } })
    expect(rounded.floats.slice(0, 2)).toEqual([1.0009765625, Number.POSITIVE_INFINITY])
  })

  it('rounds integers to 16 bits', () => {
    const integers = 'mov r2.x, l(0x18000)\niadd r1.x {min16i}, r2.x, l(1)\niadd r1.y {min16u}, r2.x, l(1)'
    const rounded = runOne('', integers, {}, { load: { minPrecision: 'round' } })
    expect(rounded.bits.slice(0, 2)).toEqual([0xffff8001, 0x8001])
  })
})

describe('denormals', () => {
  const body = 'mov r2.x, l(0x00000001)\nadd r1.x, r2.x, r2.x\nmov r1.y, r2.x\nmul r1.z, r2.x, l(0x7f000000)'
  it('are flushed by arithmetic and kept by moves; kept everywhere where asked', () => {
    expect(runOne('', body, {}).bits).toEqual([0, 1, 0, 7])
    const kept = runOne('', body, {}, { load: { denormals: 'keep' } })
    expect(kept.bits.slice(0, 2)).toEqual([2, 1])
    expect(kept.floats[2]).toBe(Math.fround(2 ** -149 * 2 ** 127))
  })
})

describe('two destinations', () => {
  it('one of which indexes the other: the index is the one from before', () => {
    const body =
      'mov r2.x, l(1)\nmov x0[0].x, l(7)\nmov x0[1].x, l(7)\nudiv r2.x, x0[r2.x + 0].x, l(17), l(5)\nmov r1.x, x0[0].x\nmov r1.y, x0[1].x\nmov r1.z, r2.x'
    expect(runOne('dcl_indexableTemp x0[4], 4', body, {}).bits.slice(0, 3)).toEqual([7, 2, 3])
  })

  it('that are one register: the later stays', () => {
    expect(runOne('', 'udiv r1.x, r1.x, l(17), l(5)', {}).bits[0]).toBe(2)
  })
})
