import { ShaderError, valueOrThrow } from '../../src/diagnostic/index.ts'
import type { DispatchOptions } from '../../src/engine/index.ts'
import { type Bindings, createBuffer, createUav } from '../../src/machine/index.ts'
import { validate } from '../../src/validate/index.ts'
import type { Place } from '../engine/opcodes/places.ts'
import { programOf, runText } from './run-text.ts'

/** Small programs over one piece of memory, for the suites that test its rules one by one. */

export const POISON = 0xdeadbeef
/** Bits that any conversion would change: a signaling NaN, a denormal, -0, all ones. */
export const BITS = [0x7f800001, 0x80000001, 0x80000000, 0xffffffff] as const
export const VALUE = `l(${BITS.join(', ')})`

export const MODELS = ['cs_4_0', 'cs_4_1', 'cs_5_0', 'cs_5_1'] as const
export type Model = (typeof MODELS)[number]
/** u0 and its declaration as a model writes them. */
export const uavOf = (model: Model): string => (model === 'cs_5_1' ? 'U0[0]' : 'u0')
export const declareUav = (model: Model, shape: 'raw' | 'structured', stride = 16): string =>
  model === 'cs_5_1'
    ? `dcl_uav_${shape} U0[0:0],${shape === 'raw' ? '' : ` ${stride},`} space=0`
    : `dcl_uav_${shape} u0${shape === 'raw' ? '' : `, ${stride}`}`

export function text(model: string, declares: string, body: string, threads = 1): string {
  return `${model}
dcl_globalFlags refactoringAllowed
${declares}
dcl_temps 8
dcl_thread_group ${threads}, 1, 1
${body}
ret
`
}

export interface Done {
  readonly words: number[]
  readonly codes: string[]
  readonly severities: string[]
  readonly stopped: string | undefined
  readonly undefinedCount: number
}

export function done(words: ArrayLike<number>, run: ReturnType<typeof runText>): Done {
  return {
    words: Array.from(words),
    codes: run.diagnostics.map((d) => d.code),
    severities: run.diagnostics.map((d) => d.severity),
    stopped: run.stopped,
    undefinedCount: run.undefinedCount,
  }
}

/** Runs a body over a buffer in u0; `words` are what it holds after. */
export function onBuffer(
  model: Model,
  shape: 'raw' | 'structured',
  data: Uint32Array,
  body: string,
  options: DispatchOptions & { stride?: number; view?: object; declares?: string; threads?: number } = {},
): Done {
  const { stride = 16, view, declares = '', threads, ...rest } = options
  const buffer = valueOrThrow(createBuffer(shape === 'raw' ? { data } : { data, stride }))
  const u0 = createUav(buffer, { ...(shape === 'raw' ? { raw: true } : {}), ...view })
  const program = text(model, `${declareUav(model, shape, stride)}\n${declares}`, body, threads)
  const run = runText(program, { u0 }, rest)
  // Storage is whole 16 bytes; the buffer may end before.
  return done(buffer.storage.words.subarray(0, data.length), run)
}

/** Runs a body on a place; what it returns is stored by the body in u7. */
export function onPlace(
  place: Place,
  data: Uint32Array,
  body: string,
  options: DispatchOptions = {},
): Done & { out: number[] } {
  const { bindings, memory } = place.bind(data)
  const out = valueOrThrow(createBuffer({ byteLength: 16 }))
  const all: Bindings = { ...bindings, u7: createUav(out, { raw: true }) }
  const lines = [place.copyIn ?? '', body, place.copyOut ?? ''].join('\n')
  const run = runText(text('cs_5_0', `${place.declares}\ndcl_uav_raw u7`, lines), all, options)
  return { ...done(memory.words, run), out: Array.from(out.storage.words) }
}

/** What 16 dwords 1000, 1001, ... become where `values` are written from dword `first` on. */
export const CONTENTS = Uint32Array.from({ length: 16 }, (_, i) => 1000 + i)
export const after = (first: number, values: readonly number[]): number[] =>
  Array.from(CONTENTS, (n, i) => (i >= first && i < first + values.length ? values[i - first]! : n))
export const UNTOUCHED = Array.from(CONTENTS)

export const MASKS = ['x', 'xy', 'xyz', 'xyzw'] as const
export const OTHER_MASKS = ['y', 'z', 'w', 'xz', 'xw', 'yz', 'yw', 'zw', 'xyw', 'xzw', 'yzw'] as const

/** Codes of the errors of a program, of its rules and of the engine that is to load it. */
export function refusals(program: string): { rules: string[]; engine: string[] } {
  const rules = validate(programOf(program)).map((d) => d.code)
  try {
    runText(program, {})
    return { rules, engine: [] }
  } catch (error) {
    if (!(error instanceof ShaderError)) throw error
    return { rules, engine: error.diagnostics.map((d) => d.code) }
  }
}

/** Shared memory of three registers; g1 is under test. u1 receives all of it after the body. */
export function onShared(
  shape: 'raw' | 'structured',
  body: string,
  options: DispatchOptions = {},
  model: Model = 'cs_5_0',
) {
  const at = (i: number): string => (shape === 'raw' ? `l(${i * 4})` : `l(${i >> 2}), l(${(i & 3) * 4})`)
  const each = (line: (i: number) => string): string => Array.from({ length: 16 }, (_, i) => line(i)).join('\n')
  const out = valueOrThrow(createBuffer({ byteLength: 4 * (16 + 2) }))
  const declares = `dcl_uav_raw u1
dcl_tgsm_raw g0, 16
dcl_tgsm_${shape} g1, ${shape === 'raw' ? '64' : '16, 4'}
dcl_tgsm_raw g2, 16`
  const lines = [
    'store_raw g0.x, l(12), l(500)\nstore_raw g2.x, l(0), l(600)',
    each((i) => `store_${shape} g1.x, ${at(i)}, l(${1000 + i})`),
    body,
    each((i) => `ld_${shape} r7.x, ${at(i)}, g1.xxxx\nstore_raw u1.x, l(${i * 4}), r7.x`),
    'ld_raw r7.x, l(12), g0.xxxx\nstore_raw u1.x, l(64), r7.x\nld_raw r7.x, l(0), g2.xxxx\nstore_raw u1.x, l(68), r7.x',
  ]
  const run = runText(text(model, declares, lines.join('\n')), { u1: createUav(out, { raw: true }) }, options)
  const all = done(out.storage.words.subarray(0, 18), run)
  return { ...all, words: all.words.slice(0, 16), neighbors: all.words.slice(16) }
}

export const EXCHANGE = (place: Place, address: string): string =>
  `imm_atomic_exch r1.y, ${place.register}, ${address}, l(${BITS[0]})\nstore_raw u7.xyzw, l(0), r1.xyzw`
export const literal = (address: readonly number[]): string => `l(${address.join(', ')})`
