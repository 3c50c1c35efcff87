import { valueOrThrow } from '../../src/diagnostic/index.ts'
import type { Engine, LoadOptions } from '../../src/engine/index.ts'
import { type Bound, createBuffer, createCbv, createSrv, createUav, resolveBindings } from '../../src/machine/index.ts'
import {
  ATOMIC_WORDS,
  CONSTANTS,
  INPUT_BYTES,
  OWN_BYTES,
  Random,
  type RandomProgram,
  specialWord,
} from './random-program.ts'

/** Words that a random program left in its outputs on an engine. */
export type Outputs = readonly [own: Uint32Array, atomic: Uint32Array]

function specials(r: Random, count: number): Uint32Array {
  return Uint32Array.from({ length: count }, () => specialWord(r))
}

/** Runs a random program on an engine, with inputs that depend on the seed alone. */
export async function runOn(
  engine: Engine,
  p: RandomProgram,
  seed: number,
  options: LoadOptions,
): Promise<Outputs | string> {
  const loaded = engine.load(p.program, options)
  if (loaded.value === undefined) return loaded.diagnostics.map((d) => `${d.code}: ${d.message}`).join('; ')
  const r = new Random(seed ^ 0x5bd1e995)
  const memory = engine.memory === undefined ? {} : { memory: engine.memory }
  const buffer = (data: Uint32Array, stride?: number) =>
    valueOrThrow(createBuffer({ data, ...memory, ...(stride === undefined ? {} : { stride }) }))
  const input = buffer(specials(r, INPUT_BYTES / 4))
  const records = buffer(specials(r, INPUT_BYTES / 4), 16)
  const constants = specials(r, CONSTANTS * 4)
  const own = buffer(new Uint32Array((p.total * OWN_BYTES) / 4))
  const atomic = buffer(specials(r, ATOMIC_WORDS))
  const bindings: Record<string, Bound> = {
    t0: valueOrThrow(createSrv(input, { raw: true })),
    t1: valueOrThrow(createSrv(records)),
    b0: valueOrThrow(createCbv(constants)),
    u0: valueOrThrow(createUav(own, { raw: true })),
    u1: valueOrThrow(createUav(atomic, { raw: true })),
  }
  const result = await engine.dispatch(loaded.value, resolveBindings(bindings).value!, p.groups)
  const words = (b: typeof own): Uint32Array =>
    new Uint32Array(b.storage.buffer, b.storage.byteOffset, b.byteLength / 4).slice()
  if (engine.memory?.release !== undefined) {
    for (const b of [input, records, own, atomic]) engine.memory.release(b.storage)
  }
  return result.stopped === undefined ? [words(own), words(atomic)] : `stopped: ${result.stopped}`
}

/** The first difference between two runs, in words; undefined where they agree. */
export function difference(a: Outputs | string, b: Outputs | string): string | undefined {
  if (typeof a === 'string' || typeof b === 'string') return a === b ? undefined : `${a} / ${b}`
  for (const [n, name] of ['u0', 'u1'].entries()) {
    const [x, y] = [a[n]!, b[n]!]
    const at = x.findIndex((word, i) => word !== y[i])
    if (at >= 0) return `${name}[${at}]: ${x[at]!.toString(16)} / ${y[at]!.toString(16)}`
  }
  return undefined
}
