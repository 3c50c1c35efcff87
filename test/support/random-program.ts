import { parseProgram } from '../../src/asm/index.ts'
import { ShaderError } from '../../src/diagnostic/index.ts'
import type { ClassInstances } from '../../src/engine/index.ts'
import type { Program } from '../../src/program/index.ts'
import { emitBarrier, emitBlock, emitStatement } from './random/flow.ts'
import { CHAIN_RANGES, emitStore } from './random/memory.ts'
import { type Plan, planOf, RANGE, type RandomOptions, type Returned } from './random/plan.ts'
import type { Numbers } from './random/random.ts'
import { VALUE_ROWS } from './random/values.ts'
import {
  ARRAY,
  BODIES,
  CONSTANTS,
  INPUT_BYTES,
  MAIN,
  OWN_BYTES,
  OWN_SHARED_BYTES,
  placeOfBody,
  SCRATCH,
  SELF,
  SHARED_WORDS,
  SUBROUTINES,
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

export interface RandomProgram {
  readonly text: string
  readonly program: Program
  readonly threads: readonly [number, number, number]
  readonly groups: readonly [number, number, number]
  /** Threads of all groups. */
  readonly total: number
  readonly numbers: Numbers
  /** Sizes of what is bound, by slot. */
  readonly hints: Readonly<Record<string, SlotHint>>
  readonly classInstances: ClassInstances
}

const types = (returned: Returned): string => `(${Array(4).fill(returned).join(',')})`

function declareConstants(w: Writer): void {
  const rows = Array.from({ length: CONSTANTS }, () => `{ ${[0, 1, 2, 3].map(() => w.word()).join(', ')} }`)
  w.line(`dcl_immediateConstantBuffer { ${rows.join(', ')} }`)
  // The second is of unknown use: bound, too small, or absent.
  const [first, second] = [0, 1].map((n) => (w.hasRanges ? `CB${n}[${n}:${n}]` : `CB${n}`))
  const space = w.hasRanges ? ', space=0' : ''
  w.line(`dcl_constantbuffer ${first}[${CONSTANTS}], dynamicIndexed${space}`)
  w.line(`dcl_constantbuffer ${second}[2], immediateIndexed${space}`)
}

function declareResources(w: Writer): void {
  const { plan } = w
  const space = w.hasRanges ? ', space=0' : ''
  w.line(`dcl_resource_raw ${w.declared('t', 0)}${space}`)
  w.line(`dcl_resource_structured ${w.declared('t', 1)}, ${plan.strides.input}${space}`)
  if (plan.texels) {
    w.line(`dcl_sampler ${w.declared('s', 0)}, mode_default${space}`)
    w.line(`dcl_sampler ${w.declared('s', 1)}, mode_comparison${space}`)
    w.line(`dcl_resource_buffer ${types(plan.typedBuffer)} ${w.declared('t', 2)}${space}`)
    for (const t of plan.textures) {
      w.line(
        `dcl_resource_${t.dimension} ${types(t.returned)} ${w.declared('t', t.register, plan.dynamicRanges ? RANGE : 1)}${space}`,
      )
    }
  }
  if (plan.chains) for (const range of CHAIN_RANGES) w.line(range)
  w.line(`dcl_uav_raw ${w.declared('u', 0)}${space}`)
  const { own, typedOwn } = { own: plan.strides.own, typedOwn: plan.typedOwn }
  const declarations: Readonly<Record<number, string>> = {
    1: `dcl_uav_raw ${w.declared('u', 1)}`,
    2: `dcl_uav_structured ${w.declared('u', 2)}, ${own}`,
    3: `dcl_uav_typed_buffer ${types(typedOwn.buffer)} ${w.declared('u', 3)}`,
    4: `dcl_uav_typed_${typedOwn.dimension} ${types(typedOwn.texture)} ${w.declared('u', 4)}`,
    5: `dcl_uav_structured_opc ${w.declared('u', 5)}, 8`,
    6: `dcl_uav_structured_opc ${w.declared('u', 6)}, 4`,
    7: `dcl_uav_structured ${w.declared('u', 7)}, 8`,
  }
  for (const u of plan.uavs) w.line(`${declarations[u]}${space}`)
}

/** Methods: two sites for each of two classes, and a third pointer with a class of its own. */
function declareInterfaces(w: Writer): void {
  for (let n = 0; n < BODIES; n++) w.line(`dcl_function_body fb${n}`)
  w.line('dcl_function_table ft0 = {fb0, fb2}')
  w.line('dcl_function_table ft1 = {fb1, fb3}')
  w.line('dcl_function_table ft2 = {fb4, fb5}')
  w.line('dcl_interface_dynamicindexed fp0[2][2] = {ft0, ft1}')
  w.line('dcl_interface fp2[1][2] = {ft0, ft1, ft2}')
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

/** The thread's numbers, and mostly input words in the values, so that they differ by thread. */
function prologue(w: Writer): void {
  const { r, plan } = w
  w.line(`imad ${SELF}.x, vThreadGroupID.z, l(${plan.groups[1]}), vThreadGroupID.y`)
  w.line(`imad ${SELF}.x, ${SELF}.x, l(${plan.groups[0]}), vThreadGroupID.x`)
  w.line(`imad ${SELF}.x, ${SELF}.x, l(${plan.count}), vThreadIDInGroupFlattened.x`)
  w.line(`mov ${SELF}.y, vThreadIDInGroupFlattened.x`)
  w.line(`ishl ${SELF}.w, ${SELF}.x, l(${Math.log2(OWN_BYTES)})`)
  for (let register = 0; register < VALUES; register++) {
    if (r.chance(0.08)) {
      w.line(`mov r${register}.xyzw, ${w.literal()}`)
      continue
    }
    const [step, start] = [4 * (1 + r.below(7)), 4 * r.below(INPUT_BYTES / 4)]
    w.line(`imad ${SELF}.z, ${SELF}.x, l(${step}), l(${start})`)
    w.line(`and ${SELF}.z, ${SELF}.z, l(${INPUT_BYTES - 1})`)
    w.line(`ld_raw r${register}.xyzw, ${SELF}.z, ${w.fixedSlot('t', 0)}.${w.swizzle()}`)
  }
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

/** Bodies of subroutines and methods, after the main program. A subroutine calls those after it alone. */
function bodies(w: Writer): void {
  const one = (label: string, n: number, callable: number): void => {
    w.line(`label ${label}`)
    w.left = 2 + w.r.below(6)
    emitBlock(w, placeOfBody(n, callable))
    w.line('ret')
  }
  if (w.plan.calls) for (let n = 0; n < SUBROUTINES; n++) one(`label${n}`, n, n + 1)
  if (!w.plan.interfaces) return
  for (let n = 0; n < BODIES; n++) {
    one(`fb${n}`, SUBROUTINES + n, SUBROUTINES)
    // What the class instance holds: this[] has the constant buffer and where its members begin (22.7.20).
    const last = w.lines.pop()!
    w.line(`mov ${SCRATCH}.yz, this[${w.r.below(3)}].yyxy`)
    w.line(`iadd r${w.r.below(VALUES)}.${w.mask()}, r0.xyzw, cb[${SCRATCH}.z + 0][${SCRATCH}.y + 0].xyzw`)
    w.line(last)
  }
}

/** Sizes of the bindings: the outputs end where the last thread's do, or before, and the inputs on any dword. */
function hintsOf(plan: Plan, appends: number): Record<string, SlotHint> {
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

function assembled(text: string): Program {
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
  bodies(w)
  const text = `${w.lines.join('\n')}\n`
  const { threads, groups, total, numbers, classInstances } = plan
  const hints = hintsOf(plan, w.appends)
  return { text, program: assembled(text), threads, groups, total, numbers, hints, classInstances }
}

/** The same with another text, for a shrinker; undefined where it is no program. */
export function withText(p: RandomProgram, text: string): RandomProgram | undefined {
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
