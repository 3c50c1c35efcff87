import { describe, expect, it } from 'vitest'
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import type { DispatchOptions } from '../../src/engine/index.ts'
import { createBuffer, createUav } from '../../src/machine/index.ts'
import { at, type Drawn, draw, type Scene } from '../support/draw-text.ts'
import { after, BITS, CONTENTS, MASKS, POISON, text, UNTOUCHED, VALUE } from '../support/on-memory.ts'
import { runText } from '../support/run-text.ts'

/**
 * The pages of store_structured, store_raw and imm_atomic_exch, with loads and other atomics beside them, in all six stages:
 * one invocation of each runs the same body on the same memory, and what it leaves is worked out from the rule.
 */

/** u1 is the memory under test, u2 takes what the body leaves in r1. */
interface Vector {
  readonly name: string
  readonly shape: 'raw' | 'structured'
  /** Lines over r0 to r3; `M` is the memory. */
  readonly body: string
  readonly words: readonly number[]
  /** r1, which begins as 7, 7, 7, 7. */
  readonly out?: readonly number[]
  readonly codes?: readonly string[]
  /** Under the policy `poison`, where it differs. */
  readonly poisoned?: readonly number[]
}

const swapped = (first: number, value: number): readonly number[] => after(first, [value])

const VECTORS: readonly Vector[] = [
  ...MASKS.map(
    (mask): Vector => ({
      name: `store_raw .${mask}`,
      shape: 'raw',
      body: `store_raw M.${mask}, l(16), ${VALUE}`,
      words: after(4, BITS.slice(0, mask.length)),
    }),
  ),
  ...MASKS.map(
    (mask): Vector => ({
      name: `store_structured .${mask}`,
      shape: 'structured',
      body: `store_structured M.${mask}, l(1), l(0), ${VALUE}`,
      words: after(4, BITS.slice(0, mask.length)),
    }),
  ),
  {
    name: 'store_raw at the last dword',
    shape: 'raw',
    body: `mov r0.x, l(60)\nstore_raw M.x, r0.x, ${VALUE}`,
    words: after(15, BITS.slice(0, 1)),
  },
  {
    name: 'store_raw across the end: what is in bounds is written',
    shape: 'raw',
    body: `store_raw M.xyzw, l(56), ${VALUE}`,
    words: after(14, BITS.slice(0, 2)),
    codes: ['engine-out-of-bounds'],
  },
  {
    name: 'store_raw outside',
    shape: 'raw',
    body: `store_raw M.xyzw, l(0xfffffff0), ${VALUE}`,
    words: UNTOUCHED,
    codes: ['engine-out-of-bounds'],
  },
  {
    name: 'store_structured at the last dword of a structure',
    shape: 'structured',
    body: `mov r0.xy, l(3,12,0,0)\nstore_structured M.x, r0.x, r0.y, ${VALUE}`,
    words: after(15, BITS.slice(0, 1)),
  },
  {
    name: 'store_structured past the last structure',
    shape: 'structured',
    body: `store_structured M.x, l(4), l(0), ${VALUE}`,
    words: UNTOUCHED,
    codes: ['engine-out-of-bounds'],
  },
  {
    name: 'store_structured past the end of a structure',
    shape: 'structured',
    body: `store_structured M.xy, l(1), l(12), ${VALUE}`,
    words: UNTOUCHED,
    codes: ['engine-structure-offset'],
    poisoned: UNTOUCHED.map(() => POISON),
  },
  {
    name: 'imm_atomic_exch, raw',
    shape: 'raw',
    body: `imm_atomic_exch r1.y, M, l(20), l(${BITS[0]})`,
    words: swapped(5, BITS[0]),
    out: [7, 1005, 7, 7],
  },
  {
    name: 'imm_atomic_exch, structured, address through a swizzle',
    shape: 'structured',
    body: `mov r2.xyzw, l(8,2,0,0)\nimm_atomic_exch r1.z, M, r2.yxyx, l(77)`,
    words: swapped(10, 77),
    out: [7, 7, 1010, 7],
  },
  {
    name: 'imm_atomic_exch outside gives 0',
    shape: 'raw',
    body: 'imm_atomic_exch r1.x, M, l(64), l(77)',
    words: UNTOUCHED,
    out: [0, 7, 7, 7],
    codes: ['engine-out-of-bounds'],
  },
  {
    name: 'imm_atomic_exch twice: the second gives what the first wrote',
    shape: 'raw',
    body: 'imm_atomic_exch r1.x, M, l(0), l(77)\niadd r2.x, r1.x, l(1)\nimm_atomic_exch r1.y, M, l(0), r2.x',
    words: swapped(0, 1001),
    out: [1000, 77, 7, 7],
  },
  {
    name: 'other atomics, with results and without',
    shape: 'raw',
    body: 'imm_atomic_iadd r1.x, M, l(0), l(5)\natomic_umax M, l(4), l(5000)\nimm_atomic_cmp_exch r1.y, M, l(8), l(1002), l(1)\nimm_atomic_cmp_exch r1.z, M, l(12), l(1002), l(1)',
    words: UNTOUCHED.map((n, i) => (i === 0 ? 1005 : i === 1 ? 5000 : i === 2 ? 1 : n)),
    out: [1000, 1002, 1003, 7],
  },
  {
    name: 'ld_raw at the edge: components past the end are 0',
    shape: 'raw',
    body: 'ld_raw r1.xyzw, l(56), M.xyzw',
    words: UNTOUCHED,
    out: [1014, 1015, 0, 0],
    codes: ['engine-out-of-bounds'],
  },
  {
    name: 'ld_structured outside is 0',
    shape: 'structured',
    body: 'ld_structured r1.xyzw, l(4), l(0), M.xyzw',
    words: UNTOUCHED,
    out: [0, 0, 0, 0],
    codes: ['engine-out-of-bounds'],
  },
  {
    name: 'ld_structured through mask and swizzle',
    shape: 'structured',
    body: 'ld_structured r1.yw, l(1), l(4), M.zxyx',
    words: UNTOUCHED,
    out: [7, 1005, 7, 1005],
  },
  {
    name: 'what a branch masks does not happen',
    shape: 'raw',
    body: `mov r0.x, l(0)\nif_nz r0.x\n  store_raw M.x, l(0), l(1)\n  imm_atomic_exch r1.x, M, l(4), l(2)\nelse\n  store_raw M.x, l(8), l(3)\nendif`,
    words: swapped(2, 3),
  },
  {
    name: 'what comes after the end does not happen',
    shape: 'raw',
    body: 'store_raw M.x, l(0), l(1)\nstore_raw u2.xyzw, l(0), r1.xyzw\nmov r3.x, l(1)\nretc_nz r3.x\nstore_raw M.x, l(4), l(2)',
    words: swapped(0, 1),
  },
]

interface Ran {
  readonly words: readonly number[]
  readonly out: readonly number[]
  readonly codes: readonly string[]
}

/** Declarations and body of a shader over u1 and u2, without its version and its ret. */
function parts(v: Vector): { declares: string; body: string } {
  const declares = `dcl_uav_${v.shape} u1${v.shape === 'raw' ? '' : ', 16'}\ndcl_uav_raw u2`
  const body = `mov r1.xyzw, l(7,7,7,7)\n${v.body.replaceAll('M', 'u1')}\nstore_raw u2.xyzw, l(0), r1.xyzw`
  return { declares, body }
}

function memory(v: Vector) {
  const buffer = valueOrThrow(
    createBuffer(v.shape === 'raw' ? { data: CONTENTS.slice() } : { data: CONTENTS.slice(), stride: 16 }),
  )
  const out = valueOrThrow(createBuffer({ byteLength: 16 }))
  const bindings = { u1: createUav(buffer, v.shape === 'raw' ? { raw: true } : {}), u2: createUav(out, { raw: true }) }
  const ran = (codes: readonly string[]): Ran => ({
    words: Array.from(buffer.storage.words.subarray(0, 16), (n) => n >>> 0),
    out: Array.from(out.storage.words.subarray(0, 4), (n) => n >>> 0),
    codes,
  })
  return { bindings, ran }
}

const HULL =
  'hs_decls\ndcl_input_control_point_count 1\ndcl_output_control_point_count 1\ndcl_tessellator_domain domain_isoline\ndcl_tessellator_partitioning partitioning_integer\ndcl_tessellator_output_primitive output_point\n'
/** Factors of one line of one segment: two points. */
const FACTORS =
  'hs_fork_phase\ndcl_output_siv o0.x, finalLineDensityTessFactor\ndcl_output_siv o1.x, finalLineDetailTessFactor\nmov o0.x, l(1.0)\nmov o1.x, l(1.0)\nret\n'
const POINT_PHASE =
  'hs_control_point_phase\ndcl_input v[1][0].xyzw\ndcl_output o0.xyzw\nmov o0.xyzw, v[0][0].xyzw\nret\n'
const DOMAIN = 'ds_5_0\ndcl_input_control_point_count 1\ndcl_tessellator_domain domain_isoline\n'
const PATCH = { topology: '1_CONTROL_POINT_PATCHLIST', depthStencil: { depthEnable: false } } as const
const POINT = { topology: 'POINTLIST', depthStencil: { depthEnable: false } } as const
const DEEP = 'dcl_temps 4\n'

/** A scene of one invocation of the body in each stage; domain shaders run it at one of their two points. */
const SCENES: Readonly<Record<string, (declares: string, body: string) => Scene>> = {
  VS: (declares, body) => ({
    vs: `vs_5_0\n${declares}\ndcl_output_siv o0.xyzw, position\n${DEEP}${body}\nmov o0.xyzw, l(0,0,0,1.0)\nret\n`,
    ps: null,
    state: POINT,
  }),
  'HS (control points)': (declares, body) => ({
    hs: `hs_5_0\n${HULL.replace('hs_decls\n', `hs_decls\n${declares}\n`)}${POINT_PHASE.replace('mov o0', `${body}\nmov o0`).replace('dcl_output o0.xyzw\n', `dcl_output o0.xyzw\n${DEEP}`)}${FACTORS}`,
    ds: `${DOMAIN}dcl_output_siv o0.xyzw, position\nmov o0.xyzw, l(0,0,0,1.0)\nret\n`,
    ps: null,
    state: PATCH,
  }),
  'HS (fork phase)': (declares, body) => ({
    hs: `hs_5_0\n${HULL.replace('hs_decls\n', `hs_decls\n${declares}\n`)}${POINT_PHASE}${FACTORS.replace('mov o0', `${DEEP}${body}\nmov o0`)}`,
    ds: `${DOMAIN}dcl_output_siv o0.xyzw, position\nmov o0.xyzw, l(0,0,0,1.0)\nret\n`,
    ps: null,
    state: PATCH,
  }),
  // A fork phase writes the density, the join phase after it reads that and writes the detail.
  'HS (join phase)': (declares, body) => ({
    hs: `hs_5_0\n${HULL.replace('hs_decls\n', `hs_decls\n${declares}\n`)}${POINT_PHASE}hs_fork_phase\ndcl_output_siv o0.x, finalLineDensityTessFactor\nmov o0.x, l(1.0)\nret\nhs_join_phase\ndcl_input vpc[0].x\ndcl_output_siv o1.x, finalLineDetailTessFactor\n${DEEP}${body}\nmov o1.x, vpc[0].x\nret\n`,
    ds: `${DOMAIN}dcl_output_siv o0.xyzw, position\nmov o0.xyzw, l(0,0,0,1.0)\nret\n`,
    ps: null,
    state: PATCH,
  }),
  DS: (declares, body) => ({
    hs: `hs_5_0\n${HULL}${POINT_PHASE}${FACTORS}`,
    ds: `${DOMAIN}${declares}\ndcl_input vDomain.x\ndcl_output_siv o0.xyzw, position\n${DEEP}mov o0.xyzw, l(0,0,0,1.0)\nretc_nz vDomain.x\n${body}\nret\n`,
    ps: null,
    state: PATCH,
  }),
  GS: (declares, body) => ({
    gs: `gs_5_0\n${declares}\ndcl_input_siv v[1][0].xyzw, position\ndcl_inputprimitive point\ndcl_stream m0\ndcl_outputtopology pointlist\ndcl_output_siv o0.xyzw, position\ndcl_maxout 1\n${DEEP}${body}\nmov o0.xyzw, v[0][0].xyzw\nemit_stream m0\nret\n`,
    ps: null,
    state: POINT,
  }),
  PS: (declares, body) => ({
    vertices: [at(1.5, 1.5, 4, 4)],
    ps: `ps_5_0\n${declares}\ndcl_output o0.xyzw\n${DEEP}${body}\nmov o0.xyzw, l(0,0,0,0)\nret\n`,
    state: POINT,
  }),
}

function runStage(stage: string, v: Vector, options: DispatchOptions): Ran {
  const { declares, body } = parts(v)
  const { bindings, ran } = memory(v)
  const scene = SCENES[stage]!(declares, body)
  const drawn: Drawn = draw({ vertices: [[0, 0, 0, 1]], ...scene, resources: { unorderedAccess: bindings }, options })
  return ran(drawn.codes)
}

function runCompute(v: Vector, options: DispatchOptions): Ran {
  const { declares, body } = parts(v)
  const { bindings, ran } = memory(v)
  const run = runText(text('cs_5_0', declares, body), bindings, options)
  return ran(run.diagnostics.map((d) => d.code))
}

const STAGES: readonly (readonly [string, (v: Vector, options?: DispatchOptions) => Ran])[] = [
  ...Object.keys(SCENES).map(
    (s) => [s, (v: Vector, options: DispatchOptions = {}) => runStage(s, v, options)] as const,
  ),
  ['CS', (v, options = {}) => runCompute(v, options)],
]

describe.each(STAGES)('%s', (_stage, run) => {
  it.each(VECTORS.map((v) => [v.name, v] as const))('%s', (_name, v) => {
    const { words, out = [7, 7, 7, 7], codes = [], poisoned } = v
    expect(run(v)).toEqual({ words, out, codes })
    for (const waveWidth of [1, 4, 64] as const) {
      const schedule = { waveWidth, order: 'forward', groupsInFlight: 1 } as const
      expect(run(v, { schedule })).toEqual({ words, out, codes })
    }
    if (poisoned !== undefined) expect(run(v, { undefinedPolicy: 'poison' }).words).toEqual(poisoned)
  })
})

/** Vertex, patch, primitive and pixel stages run many invocations: each word is taken once, whatever the width of a wave. */
describe('imm_atomic_exch of many invocations is one indivisible operation', () => {
  it.each(['VS', 'GS', 'PS'] as const)('in %s', (stage) => {
    for (const waveWidth of [1, 8, 32] as const) {
      const buffer = valueOrThrow(createBuffer({ byteLength: 68 * 4 }))
      const bindings = { u1: createUav(buffer, { raw: true }) }
      // Each invocation puts its number + 1 into dword 0 and what it got into the dword of its number + 1.
      const chain =
        'iadd r0.x, r0.x, l(1)\nishl r0.y, r0.x, l(2)\nimm_atomic_exch r1.x, u1, l(0), r0.x\nstore_raw u1.x, r0.y, r1.x'
      const declares = 'dcl_uav_raw u1'
      const scenes: Readonly<Record<'VS' | 'GS' | 'PS', Scene>> = {
        VS: {
          vs: `vs_5_0\n${declares}\ndcl_input_sgv v0.x, vertex_id\ndcl_output_siv o0.xyzw, position\n${DEEP}mov r0.x, v0.x\n${chain}\nmov o0.xyzw, l(0,0,0,1.0)\nret\n`,
          ps: null,
          call: { vertexCount: 64 },
          state: POINT,
        },
        GS: {
          gs: `gs_5_0\n${declares}\ndcl_input vPrim\ndcl_inputprimitive point\ndcl_stream m0\ndcl_outputtopology pointlist\ndcl_output o0.x\ndcl_maxout 1\n${DEEP}mov r0.x, vPrim\n${chain}\nret\n`,
          ps: null,
          call: { vertexCount: 64 },
          state: POINT,
        },
        PS: {
          ps: `ps_5_0\n${declares}\ndcl_input_ps_siv linear_noperspective v0.xy, position\ndcl_output o0.xyzw\n${DEEP}ftou r0.xy, v0.xyxx\nimad r0.x, r0.y, l(8), r0.x\n${chain}\nmov o0.xyzw, l(0,0,0,0)\nret\n`,
          vertices: [at(-8, -8, 8, 8), at(24, -8, 8, 8), at(-8, 24, 8, 8)],
          width: 8,
          height: 8,
        },
      }
      const options = { schedule: { waveWidth, order: 'forward', groupsInFlight: 1 } as const }
      draw({ ...scenes[stage], resources: { unorderedAccess: bindings }, options })
      const words = Array.from(buffer.storage.words.subarray(0, 65))
      expect([...words].sort((a, b) => a - b)).toEqual(Array.from({ length: 65 }, (_, i) => i))
      let length = 0
      for (let n = words[0]!; n !== 0; n = words[n]!) length++
      expect(length).toBe(64)
    }
  })
})
