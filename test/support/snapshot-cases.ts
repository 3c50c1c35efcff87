/** What snapshots are tried on: kernels and random programs, by a number; no files are read here but the kernels'. */
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import {
  type DispatchOptions,
  type GroupCounts,
  type LoadedShader,
  matchBindings,
  threadCountOf,
} from '../../src/engine/index.ts'
import { createReferenceEngine } from '../../src/engine/reference/index.ts'
import { type ResolvedBindings, UNDEFINED_POLICIES } from '../../src/machine/index.ts'
import { KERNEL_NAMES, prepareKernel, readKernel } from './kernel.ts'
import { randomBindings } from './random-bindings.ts'
import { optionsOf, randomProgram } from './random-program.ts'
import { checkSnapshots, type SnapshotCase, type SnapshotVerdict, scheduleOfCase } from './snapshots.ts'

const ENGINE = createReferenceEngine({})

/** Kernels are cut off: the budget ends their threads, which is an end like any other. */
const MAX_INSTRUCTIONS = 150

/** A grid that is begun again and again. */
const gridOf =
  (
    shader: LoadedShader,
    bindings: ResolvedBindings,
    groups: GroupCounts,
    options: DispatchOptions,
  ): SnapshotCase['begin'] =>
  (observer) => ({
    execution: valueOrThrow(ENGINE.begin(shader, bindings, { kind: 'grid', groups }, { ...options, ...observer })),
    left: () => [],
  })

/** A corner of a kernel's grid with snapshots at `snapshots` statements, under the schedule of number `n`. */
export function kernelSnapshots(name: string, n: number, snapshots: number): SnapshotVerdict {
  const kernel = readKernel(name)
  const shader = valueOrThrow(ENGINE.load(kernel.program))
  const bindings = valueOrThrow(matchBindings(shader.declarations, prepareKernel(kernel).bindings))
  const [x, y] = kernel.dispatch
  // One group of a kernel has up to 1024 threads; a few of small groups run interleaved.
  const most = threadCountOf(shader.declarations) > 64 ? 1 : 3
  const groups = [Math.min(x, most), x > 1 ? 1 : Math.min(y, most), 1] as const
  const options = { schedule: scheduleOfCase(n), maxInstructionsPerThread: MAX_INSTRUCTIONS }
  return checkSnapshots({ begin: gridOf(shader, bindings, groups, options), bindings, snapshots, seed: n })
}

/** A random program of a seed, which also chooses its schedule and what is done about the undefined. */
export function randomSnapshots(seed: number, snapshots: number): SnapshotVerdict {
  const p = randomProgram(seed, optionsOf(seed))
  const shader = valueOrThrow(ENGINE.load(p.program))
  const fill = { numbers: p.numbers, hints: p.hints, unbound: 1 / 12 }
  const bindings = valueOrThrow(
    matchBindings(shader.declarations, randomBindings(shader.declarations, seed, fill).bindings),
  )
  const options = {
    schedule: scheduleOfCase(seed),
    undefinedPolicy: UNDEFINED_POLICIES[seed % 3]!,
    classInstances: p.classInstances,
    maxInstructionsPerThread: 20_000,
  }
  return checkSnapshots({ begin: gridOf(shader, bindings, p.groups, options), bindings, snapshots, seed })
}

export { KERNEL_NAMES }
