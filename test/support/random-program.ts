import { parseProgram } from '../../src/asm/index.ts'
import { ShaderError } from '../../src/diagnostic/index.ts'
import type { ClassInstances } from '../../src/engine/index.ts'
import type { Program } from '../../src/program/index.ts'
import { declareConstants, declareInterfaces, declareResources } from './random/declarations.ts'
import { emitBarrier, emitBodies, emitStatement } from './random/flow.ts'
import { emitStore } from './random/memory.ts'
import { type Plan, planOf, type RandomOptions } from './random/plan.ts'
import type { Numbers } from './random/random.ts'
import { VALUE_ROWS } from './random/values.ts'
import {
  ARRAY,
  CONSTANTS,
  INPUT_BYTES,
  MAIN,
  OWN_BYTES,
  OWN_SHARED_BYTES,
  SELF,
  SHARED_WORDS,
  TEMPS,
  VALUES,
  Writer,
} from './random/writer.ts'
import type { SlotHint } from './random-bindings.ts'

export type { RandomOptions } from './random/plan.ts'
/**
 * Random compute programs for comparing engines, as assembly text: every value instruction with every form of operand;
 * nested divergent flow, subroutines and methods; private arrays; loads and stores in and out of bounds of every kind of
 * resource; shared memory with barriers; atomics and counters whose order does not show; textures. Free of races: a
 * thread stores only to its own places, and what others stored it reads after a barrier.
 */
export { Random, SPECIALS } from './random/random.ts'
export { VALUE_ROWS } from './random/values.ts'

/** A program and the text that it was made from. */
export interface Assembled {
  readonly text: string
  readonly program: Program
}

export interface RandomProgram extends Assembled {
  readonly threads: readonly [number, number, number]
  readonly groups: readonly [number, number, number]
  /** Threads of all groups. */
  readonly total: number
  readonly numbers: Numbers
  /** Sizes of what is bound, by slot. */
  readonly hints: Readonly<Record<string, SlotHint>>
  readonly classInstances: ClassInstances
}

function declare(w: Writer): void {
  const { plan } = w
  const [x, y, z] = plan.threads
  const isOld = plan.model.startsWith('4')
  w.line(`cs_${plan.model}`)
  w.line(
    isOld ? 'dcl_globalFlags refactoringAllowed | enableRawAndStructuredBuffers' : 'dcl_globalFlags refactoringAllowed',
  )
  declareConstants(w)
  declareResources(w)
  if (plan.interfaces) declareInterfaces(w)
  for (const name of ['vThreadID', 'vThreadGroupID', 'vThreadIDInGroup']) w.line(`dcl_input ${name}.xyz`)
  w.line('dcl_input vThreadIDInGroupFlattened')
  w.line(`dcl_temps ${TEMPS}`)
  w.line(`dcl_indexableTemp x0[${ARRAY}], 4`)
  w.line(`dcl_tgsm_structured g0, ${plan.strides.shared}, ${plan.count}`)
  if (!isOld) {
    w.line(`dcl_tgsm_raw g1, ${SHARED_WORDS * 4}`)
    w.line(`dcl_tgsm_raw g2, ${OWN_SHARED_BYTES * plan.count}`)
  }
  w.line(`dcl_thread_group ${x}, ${y}, ${z}`)
}

/** A literal, or mostly words of t0 that differ by invocation. */
export function loadValue(w: Writer, register: number): void {
  const { r } = w
  if (r.chance(0.08)) {
    w.line(`mov r${register}.xyzw, ${w.literal()}`)
    return
  }
  const [step, start] = [4 * (1 + r.below(7)), 4 * r.below(INPUT_BYTES / 4)]
  w.line(`imad ${SELF}.z, ${SELF}.x, l(${step}), l(${start})`)
  w.line(`and ${SELF}.z, ${SELF}.z, l(${INPUT_BYTES - 1})`)
  w.line(`ld_raw r${register}.xyzw, ${SELF}.z, ${w.fixedSlot('t', 0)}.${w.swizzle()}`)
}

/** The thread's numbers, and mostly input words in the values, so that they differ by thread. */
function prologue(w: Writer): void {
  const { plan } = w
  w.line(`imad ${SELF}.x, vThreadGroupID.z, l(${plan.groups[1]}), vThreadGroupID.y`)
  w.line(`imad ${SELF}.x, ${SELF}.x, l(${plan.groups[0]}), vThreadGroupID.x`)
  w.line(`imad ${SELF}.x, ${SELF}.x, l(${plan.count}), vThreadIDInGroupFlattened.x`)
  w.line(`mov ${SELF}.y, vThreadIDInGroupFlattened.x`)
  w.line(`ishl ${SELF}.w, ${SELF}.x, l(${Math.log2(OWN_BYTES)})`)
  for (let register = 0; register < VALUES; register++) loadValue(w, register)
}

function body(w: Writer): void {
  // Before a barrier no thread may have returned; the last quarter of the statements may return.
  const early = w.plan.barriers ? { ...MAIN, returns: false } : MAIN
  const tail = w.plan.statements / 4
  while (w.left > tail) {
    if (w.plan.barriers && w.r.chance(0.15)) {
      w.left -= 4
      emitBarrier(w, early)
    } else emitStatement(w, early)
  }
  while (w.left > 0) emitStatement(w, MAIN)
}

function epilogue(w: Writer): void {
  for (let i = 0; i < OWN_BYTES / 16; i++) emitStore(w, 16 * i, i)
  w.line('ret')
}

/** Sizes of the bindings: the outputs end where the last thread's do, or before, and the inputs on any dword. */
export function hintsOf(plan: Plan, appends: number): Record<string, SlotHint> {
  return {
    t0: { elements: INPUT_BYTES / 4 - (plan.seed % 3) },
    t1: { elements: 61 },
    t2: { elements: 29 },
    b0: { elements: CONSTANTS },
    u0: { elements: (plan.total * OWN_BYTES) / 4 - (plan.seed % 5) },
    u1: { elements: SHARED_WORDS },
    u2: { elements: plan.total },
    u3: { elements: plan.total },
    u4: { width: plan.total, height: 2, depth: 2 },
    u5: { elements: Math.max(1, plan.total * appends), sorted: true },
    u6: { elements: plan.total },
    u7: { elements: SHARED_WORDS / 2 },
  }
}

export function assembled(text: string): Program {
  const outcome = parseProgram(text)
  if (!outcome.ok) throw new ShaderError(outcome.diagnostics)
  return outcome.value
}

/** The program of a seed; the same seed and options give the same program. */
export function randomProgram(seed: number, options: RandomOptions): RandomProgram {
  const plan = planOf(seed, options)
  const w = new Writer(plan)
  declare(w)
  prologue(w)
  body(w)
  epilogue(w)
  emitBodies(w)
  const text = `${w.lines.join('\n')}\n`
  const { threads, groups, total, numbers, classInstances } = plan
  const hints = hintsOf(plan, w.appends)
  return { text, program: assembled(text), threads, groups, total, numbers, hints, classInstances }
}

/** The same with another text, for a shrinker; undefined where it is no program. */
export function withText<P extends Assembled>(p: P, text: string): P | undefined {
  const outcome = parseProgram(text)
  if (!outcome.ok) return undefined
  return { ...p, text, program: outcome.value }
}

/**
 * What the program of a seed holds, when the seed alone is given: an eighth of the seeds go through the value
 * instructions one by one, the others mix everything.
 */
export function optionsOf(seed: number): RandomOptions {
  const kind = seed % 8
  if (kind === 0) {
    const rows = [VALUE_ROWS[(seed >> 3) % VALUE_ROWS.length]!]
    return { statements: 8, rows, flow: false, memory: false, barriers: false }
  }
  const at = (n: number, of: number): boolean => (seed * 7 + n) % of === 0
  const model = at(1, 11) ? '4_0' : at(2, 13) ? '4_1' : at(3, 9) ? '5_1' : '5_0'
  return {
    statements: 20 + (seed % 5) * 10,
    flow: true,
    memory: kind > 2,
    barriers: kind > 4,
    texels: at(4, 4),
    calls: at(5, 5),
    interfaces: model === '5_0' && at(6, 16),
    dynamicRanges: model === '5_1' && at(8, 2),
    chains: model === '5_1' && kind > 2 && at(9, 2),
    floats: kind !== 3,
    model,
  }
}
