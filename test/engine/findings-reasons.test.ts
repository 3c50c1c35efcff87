import { describe, expect, it } from 'vitest'
import { ENGINE_CODES } from '../../src/diagnostic/codes/engine.ts'
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import { type DispatchResult, matchBindings } from '../../src/engine/index.ts'
import type { UndefinedReason } from '../../src/engine/observer.ts'
import { createReferenceEngine } from '../../src/engine/reference/index.ts'
import { createWasmEngineWith } from '../../src/engine/wasm/run/engine.ts'
import { type Bindings, createBuffer, createCbv, createSrv, createTexture, createUav } from '../../src/machine/index.ts'
import { type CompareOptions, compareEngines } from '../support/engines.ts'
import { programOf } from '../support/run-text.ts'

/**
 * Each reason for a finding, met by some threads of groups whose waves divide and whose last wave is short: the
 * WebAssembly engine tells the same as the reference engine with waves as wide: what, where, whom first and how often.
 */

interface Case {
  readonly text: string
  readonly bind: () => Bindings
  readonly options?: CompareOptions
}

/** Groups of 22 threads; r0.x is the thread's number in its group, r0.y whether it is one of every three. */
function program(declares: string, body: string, model = 'cs_5_0', after = ''): string {
  return `${model}
dcl_globalFlags refactoringAllowed
${declares}
dcl_input vThreadIDInGroup.x
dcl_temps 8
dcl_thread_group 22, 1, 1
mov r0.x, vThreadIDInGroup.x
udiv null, r0.y, r0.x, l(3)
ishl r0.z, r0.x, l(2)
mov r1.xyzw, l(7, 7, 7, 7)
${body}
ret
${after}`
}

const words = (count = 16) => valueOrThrow(createBuffer({ data: Uint32Array.from({ length: count }, (_, i) => i * 5) }))
const records = () => valueOrThrow(createBuffer({ byteLength: 128, stride: 16 }))
const raw = (count?: number) => createUav(words(count), { raw: true })

/** A body that only some threads run. */
const some = (body: string): string => `if_nz r0.y\n${body}\nendif`

const FLOATS = '(float,float,float,float)'
const UINTS = '(uint,uint,uint,uint)'

const texture = () =>
  createSrv(
    valueOrThrow(createTexture({ dimension: 'texture2d', format: 'R32_FLOAT', width: 8, height: 4, mipLevels: 3 })),
  )
const multisampled = () =>
  createSrv(
    valueOrThrow(createTexture({ dimension: 'texture2d', format: 'R32_UINT', width: 4, height: 2, sampleCount: 4 })),
  )

const INTERFACES = `dcl_constantbuffer CB3[2], dynamicIndexed
dcl_uav_raw u0
dcl_function_body fb0
dcl_function_body fb1
dcl_function_table ft0 = {fb0}
dcl_function_table ft1 = {fb1}
dcl_interface_dynamicindexed fp0[3][1] = {ft0, ft1}`
const METHODS = `label fb0
mov r2.x, this[r0.x + 0].y
ret
label fb1
iadd r1.x, r1.x, l(1)
ret
`

/** Everything that a dispatch can find, or why there is no case. */
const CASES = {
  'out-of-bounds': [
    {
      text: program(
        'dcl_uav_raw u0\ndcl_resource_raw t0',
        `ld_raw r2.xyzw, r0.z, t0.xyzz
${some('store_raw u0.xyz, r0.z, r2.xyzw')}
imm_atomic_iadd r3.x, u0, r0.z, l(1)
atomic_iadd u0, r0.z, l(1)
ishl r4.x, r0.x, l(30)
ld_raw r2.x, r4.x, t0.xxxx`,
      ),
      bind: () => ({ u0: raw(), t0: createSrv(words(), { raw: true }) }),
    },
    {
      text: program(
        'dcl_uav_structured u0, 16\ndcl_resource_structured t0, 16',
        `ld_structured r2.xy, r0.x, l(8), t0.xyxx
${some('store_structured u0.xy, r0.x, l(0), r2.xyzw')}
imm_atomic_umax r3.x, u0, r0.xyxx, l(9)`,
      ),
      bind: () => ({ u0: createUav(records()), t0: createSrv(records()) }),
    },
    {
      text: program(
        `dcl_uav_typed_buffer ${UINTS} u0\ndcl_uav_typed_texture2d ${FLOATS} u1\ndcl_resource_texture2d ${FLOATS} t0`,
        `mov r2.xyzw, l(1, 0, 0, 0)
mov r2.x, r0.x
ld r3.xy, r2.xyzw, t0.xyzw
${some(`store_uav_typed u0.xyzw, r0.xxxx, r2.xyzw\nstore_uav_typed u1.xyzw, r2.xyyy, r3.xyzw`)}
imm_atomic_iadd r4.x, u0, r0.x, l(1)`,
      ),
      bind: () => ({
        t0: texture(),
        u0: createUav(words(8), { format: 'R32_UINT' }),
        u1: createUav(
          valueOrThrow(createTexture({ dimension: 'texture2d', format: 'R32_FLOAT', width: 5, height: 5 })),
        ),
      }),
    },
    {
      // Nobody wants what is loaded.
      text: program(
        'dcl_resource_raw t0\ndcl_uav_raw u0',
        `ld_raw r2.xyzw, r0.z, t0.xyzw\nld_raw r2.x, r0.z, t0.wwww\nstore_raw u0.x, l(0), r2.y`,
      ),
      bind: () => ({ u0: raw(), t0: createSrv(words(), { raw: true }) }),
    },
  ],
  'structure-offset': [
    {
      text: program(
        'dcl_uav_structured u0, 16\ndcl_resource_structured t0, 16',
        `and r2.x, r0.z, l(28)
ld_structured r3.xyz, r0.x, r2.x, t0.xyzx
${some('store_structured u0.xy, r0.x, r2.x, r3.xyzw')}
mov r4.x, r0.x
mov r4.y, r2.x
imm_atomic_or r5.x, u0, r4.xyxx, l(1)
store_structured u0.xyzw, r0.x, l(4), r3.xyzw`,
      ),
      bind: () => ({ u0: createUav(records()), t0: createSrv(records()) }),
    },
  ],
  'tgsm-bounds': [
    {
      text: program(
        'dcl_tgsm_raw g0, 48\ndcl_tgsm_structured g1, 8, 6\ndcl_uav_raw u0',
        `store_raw g0.xy, r0.z, r0.xxxx
${some('ld_raw r2.xyz, r0.z, g0.xyzx\nstore_structured g1.xy, r0.x, l(4), r0.xxxx')}
ld_structured r3.xy, r0.x, l(0), g1.xyxx
imm_atomic_iadd r4.x, g0, r0.z, l(3)
atomic_iadd g0, l(48), l(3)
store_raw u0.x, l(0), r3.x`,
      ),
      bind: () => ({ u0: raw() }),
    },
  ],
  misaligned: [
    {
      text: program(
        'dcl_uav_raw u0\ndcl_uav_structured u1, 16\ndcl_tgsm_raw g0, 64',
        `imul null, r2.x, r0.x, l(3)
ld_raw r3.xy, r2.x, u0.xyxx
${some('store_raw u0.xy, r2.x, r3.xyzw\nstore_raw g0.x, r2.x, r0.x')}
and r2.y, r0.x, l(7)
ld_structured r3.x, r0.x, r2.y, u1.xxxx
store_structured u1.xyzw, r0.x, l(2), r3.xyzw
atomic_iadd g0, r2.x, l(1)
imm_atomic_iadd r4.x, u0, l(5), l(1)`,
      ),
      bind: () => ({ u0: raw(), u1: createUav(records()) }),
    },
  ],
  'indexable-temp-bounds': [
    {
      text: program(
        'dcl_uav_raw u0\ndcl_indexableTemp x0[6], 4\ndcl_indexableTemp x1[2], 4',
        `mov x0[r0.x + 0].xy, r0.xyxx
${some('mov x0[r0.x + 3].z, r0.x')}
mov r2.xyzw, x0[r0.x + 1].xyxx
iadd r3.x, x0[r0.x + 0].x, x0[r0.x + 0].x
mov r4.x, x0[x0[1].x + 20].y
mov r4.y, x1[5].x
mov x1[3].xy, r4.xyxx
if_nz x0[r0.x + 2].x
  iadd r2.x, r2.x, r3.x
endif
and r5.x, r0.x, l(3)
mov r4.z, x0[r5.x + 1].x
store_raw u0.xyzw, l(0), r2.xyzw`,
      ),
      bind: () => ({ u0: raw() }),
    },
    {
      // Both destinations, and a source, at one index: a finding for each.
      text: program(
        'dcl_uav_raw u0\ndcl_indexableTemp x0[6], 4',
        `swapc x0[r0.x + 1].x, x0[r0.x + 1].y, r1.zyxz, r1.xwxw, r1.yxxz
mov x0[r0.x + 2].x, x0[r0.x + 2].x
mov r2.x, x0[1].x
store_raw u0.x, l(0), r2.x`,
      ),
      bind: () => ({ u0: raw() }),
    },
    {
      // Two registers with one index, one array by two registers of one value, and one register twice: the last alone is read once.
      text: program(
        'dcl_uav_raw u0\ndcl_indexableTemp x0[6], 4\ndcl_indexableTemp x1[6], 4',
        `mov x0[0].xyzw, r1.xyzw
mov x1[0].xyzw, r1.xyzw
mov r0.w, r0.x
iadd r2.xy, x0[r0.x].xyxx, x0[r0.w].yxyy
iadd r2.xy, x0[r0.x].xyxx, x1[r0.x].xyxx
iadd r2.xy, x0[r0.x].xyxx, x0[r0.x].yzyy
store_raw u0.xy, l(0), r2.xyxx`,
      ),
      bind: () => ({ u0: raw() }),
    },
  ],
  'constant-buffer-bounds': [
    {
      text: program(
        'dcl_constantbuffer CB0[8], dynamicIndexed\ndcl_uav_raw u0',
        `mov r2.xyz, CB0[r0.x + 0].xyzx
${some('iadd r2.x, CB0[r0.x + 2].x, CB0[r0.x + 2].x')}
mov r3.x, l(6)
add r2.y, CB0[r3.x + 0].y, CB0[7].x
store_raw u0.xyz, l(0), r2.xyzw`,
      ),
      bind: () => ({ u0: raw(), b0: createCbv(new Uint32Array(20)) }),
    },
  ],
  'immediate-constant-bounds': [
    {
      text: program(
        'dcl_immediateConstantBuffer { { 1, 2, 3, 4}, { 5, 6, 7, 8}, { 9, 10, 11, 12} }\ndcl_uav_raw u0',
        `mov r2.xyzw, icb[r0.x + 0].xyzx
${some('mov r2.x, icb[r0.x + 1].w')}
and r3.x, r0.x, l(1)
mov r2.y, icb[r3.x + 0].x
store_raw u0.xyzw, l(0), r2.xyzw`,
      ),
      bind: () => ({ u0: raw() }),
    },
  ],
  unbound: [
    {
      text: program(
        `dcl_constantbuffer CB0[4], dynamicIndexed
dcl_sampler s0, mode_default
dcl_resource_raw t0\ndcl_resource_structured t1, 16\ndcl_resource_texture2d ${FLOATS} t2\ndcl_resource_buffer ${FLOATS} t3
dcl_uav_raw u0\ndcl_uav_raw u1\ndcl_uav_structured u2, 16\ndcl_uav_typed_buffer ${UINTS} u3\ndcl_uav_structured_opc u4, 16`,
        `ld_raw r2.xyzw, r0.z, t0.xyzw
ld_structured r2.xy, r0.x, r0.z, t1.xyxx
ld r3.x, r0.xxxx, t2.xyzw
ld r3.y, r0.xxxx, t3.yxzw
sample_l r3.z, r0.xxxx, t2.zxyw, s0, l(0)
gather4 r4.xyzw, r0.xxxx, t2.xyzw, s0.x
resinfo r4.x, l(0), t2.xyzw
${some('bufinfo r4.y, t0.yxzw\nstore_raw u1.xy, r0.x, r2.xyzw\nstore_structured u2.x, r0.x, l(2), r2.x')}
imm_atomic_iadd r5.x, u3, r0.x, l(1)
imm_atomic_exch r5.y, u1, r0.z, l(1)
imm_atomic_alloc r5.z, u4
mov r5.w, CB0[r0.x + 0].x
store_raw u0.xyzw, l(0), r5.xyzw`,
      ),
      bind: () => ({ u0: raw() }),
    },
  ],
  'range-bounds': [
    {
      text: program(
        `dcl_constantbuffer CB0[1:3][4], dynamicIndexed, space=0
dcl_resource_raw T0[2:6], space=1
dcl_uav_raw U0[0:1], space=0`,
        `ld_raw r2.xy, r0.z, T0[r0.x + 2].xyxx
mov r3.xyz, CB0[r0.x + 1][0].xyzx
${some('mov r3.x, CB0[r0.x + 1][r0.x].y')}
store_raw U0[0].xy, l(0), r2.xyzw`,
        'cs_5_1',
      ),
      bind: () => ({
        u0: raw(),
        b1: createCbv(new Uint32Array(16)),
        b3: createCbv(new Uint32Array(4)),
        't3,space1': createSrv(words(), { raw: true }),
        't6,space1': createSrv(words(4), { raw: true }),
      }),
    },
  ],
  subresource: [
    {
      text: program(
        `dcl_resource_texture2d ${FLOATS} t0\ndcl_resource_texture2dms(4) ${UINTS} t1\ndcl_uav_raw u0`,
        `mov r2.xyzw, l(1, 1, 0, 0)
and r2.w, r0.x, l(7)
ld r3.x, r2.xyzw, t0.xyzw
${some('and r2.x, r0.x, l(7)\nld r3.y, r2.xyzw, t0.yxzw')}
mov r2.zw, l(0, 0, 0, 0)
and r4.x, r0.x, l(7)
ldms r3.z, r2.xyzw, t1.yzxw, r4.x
store_raw u0.xyz, l(0), r3.xyzw`,
      ),
      bind: () => ({ u0: raw(), t0: texture(), t1: multisampled() }),
    },
  ],
  interface: [
    {
      text: program(
        INTERFACES,
        `and r3.x, r0.x, l(7)\nfcall fp0[r3.x + 0][0]\n${some('fcall fp0[1][0]')}\nstore_raw u0.x, r0.z, r1.x`,
        'cs_5_0',
        METHODS,
      ),
      bind: () => ({ u0: raw(32), b3: createCbv(new Uint32Array(8)) }),
      options: { classInstances: { 'fp0[0]': { table: 0, constantBuffer: 3 }, 'fp0[2]': { table: 1 } } },
    },
  ],
  'call-depth': [
    {
      text: program(
        'dcl_uav_raw u0',
        'call label0\nstore_raw u0.x, r0.z, r1.x',
        'cs_5_0',
        'label label0\niadd r1.x, r1.x, l(1)\nult r2.x, r1.x, r0.z\ncallc_nz r2.x, label0\nret\n',
      ),
      bind: () => ({ u0: raw(32) }),
    },
  ],
  'this-bounds': [
    {
      text: program(INTERFACES, `fcall fp0[0][0]\nstore_raw u0.x, r0.z, r2.x`, 'cs_5_0', METHODS),
      bind: () => ({ u0: raw(32), b3: createCbv(new Uint32Array(8)) }),
      options: { classInstances: { 'fp0[0]': { table: 0, constantBuffer: 3 } } },
    },
  ],
  format: 'Bindings of formats without the operation are refused before anything runs (machine-binding-mismatch).',
  'no-counter': [
    {
      // Declared without a counter, so that a view without one fits.
      text: program('dcl_uav_structured u0, 16', `imm_atomic_alloc r2.x, u0\n${some('imm_atomic_consume r2.y, u0')}`),
      bind: () => ({ u0: createUav(records()) }),
    },
  ],
  'divergent-barrier': [
    {
      text: program(
        'dcl_uav_raw u0\ndcl_tgsm_raw g0, 96',
        `store_raw g0.x, r0.z, r0.x\n${some('retc_nz r0.y')}\nsync_g_t\nld_raw r2.x, l(8), g0.xxxx\nstore_raw u0.x, r0.z, r2.x`,
      ),
      bind: () => ({ u0: raw(32) }),
    },
  ],
  'register-bounds': 'Of graphics stages: test/pipeline.',
  'divergent-derivative': 'Of graphics stages: test/pipeline.',
  'max-vertex-count': 'Of graphics stages: test/pipeline.',
  'sample-index': 'Of graphics stages: test/pipeline.',
} as const satisfies Record<UndefinedReason, readonly Case[] | string>

const GROUPS = [3, 1, 1] as const

function run(engine: 'reference' | 1 | 2 | 4, c: Case, undefinedPolicy: 'report' | 'trap'): DispatchResult {
  const made = engine === 'reference' ? createReferenceEngine({}) : createWasmEngineWith({ width: engine, threads: 1 })
  const loaded = valueOrThrow(made.load(programOf(c.text)))
  const bindings = valueOrThrow(matchBindings(loaded.declarations, c.bind()))
  const waveWidth = engine === 'reference' ? 16 : 4
  const schedule = { waveWidth, order: 'forward', groupsInFlight: 1 } as const
  const order = engine === 'reference' ? { schedule } : {}
  const options = { ...order, undefinedPolicy, classInstances: c.options?.classInstances ?? {} }
  return made.dispatch(loaded, bindings, GROUPS, options) as DispatchResult
}

describe.each(Object.entries(CASES))('%s', (reason, cases: readonly Case[] | string) => {
  const code = `engine-${reason}`
  if (typeof cases === 'string') {
    it(`has a code, and no case: ${cases}`, () => expect(Object.keys(ENGINE_CODES)).toContain(code))
    return
  }
  it.each(cases.map((c, n) => [n, c] as const))('is told alike, case %i', async (_n, c) => {
    expect(run('reference', c, 'report').diagnostics.map((d) => d.code)).toContain(code)
    expect(await compareEngines(c.text, c.bind, { groups: GROUPS, ...c.options })).toEqual([])
  })

  it.each(cases.map((c, n) => [n, c] as const))('traps at the same thread, case %i', (_n, c) => {
    const want = run('reference', c, 'trap')
    const got = run(4, c, 'trap')
    const trapped = (r: DispatchResult) => r.diagnostics.filter((d) => d.severity === 'warning')
    expect([got.stopped, got.undefinedCount, trapped(got)]).toEqual([want.stopped, want.undefinedCount, trapped(want)])
  })
})

describe('many groups on several threads', () => {
  const text = program(
    'dcl_uav_raw u0\ndcl_resource_raw t0\ndcl_input vThreadGroupID.x',
    `imad r2.x, vThreadGroupID.x, l(22), r0.x
imul null, r2.y, r2.x, l(2)
ld_raw r3.x, r2.y, t0.xxxx
iadd r3.x, r3.x, l(1)
if_nz r0.y
  imul null, r3.y, r2.x, l(4)
  store_raw u0.x, r3.y, r3.x
endif`,
  )
  const bind = () => ({
    t0: createSrv(valueOrThrow(createBuffer({ byteLength: 1 << 20 })), { raw: true }),
    u0: createUav(valueOrThrow(createBuffer({ byteLength: 1 << 20 })), { raw: true }),
  })
  const outcome = (threads: number, undefinedPolicy: 'report' | 'trap', first: number): DispatchResult => {
    const engine = createWasmEngineWith({ threads })
    try {
      const loaded = valueOrThrow(engine.load(programOf(text)))
      const bindings = valueOrThrow(matchBindings(loaded.declarations, bind()))
      const groups = [first, 1, 1] as const
      return engine.dispatch(loaded, bindings, groups, { undefinedPolicy }) as DispatchResult
    } finally {
      engine.dispose?.()
    }
  }

  it('are counted by thread, and told of in the order of groups', () => {
    const one = outcome(1, 'report', 60_000)
    expect(one.diagnostics.map((d) => d.code)).toEqual([
      'engine-misaligned',
      'engine-out-of-bounds',
      'engine-out-of-bounds',
    ])
    // Every other thread reads at a byte that is no multiple of 4.
    expect(one.undefinedCount).toBe((60_000 * 22) / 2)
    expect(outcome(3, 'report', 60_000)).toEqual(one)
  })

  it('trap at the first group that would, whoever came first', () => {
    const one = outcome(1, 'trap', 60_000)
    expect(one).toMatchObject({ stopped: 'trap', undefinedCount: 1 })
    expect(outcome(3, 'trap', 60_000)).toEqual(one)
  })
})
