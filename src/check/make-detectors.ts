import { type GroupCounts, type LoadedShader, threadCountOf } from '../engine/index.ts'
import type { ResolvedBindings } from '../machine/index.ts'
import type { CheckContext, Detector, DetectorFactory } from './context.ts'
import { detectBarriers } from './detectors/barriers.ts'
import { detectCounters } from './detectors/counters.ts'
import { detectNumbers } from './detectors/numbers.ts'
import { detectTgsmStructures } from './detectors/tgsm-structures.ts'
import { granules } from './granules.ts'
import { detectRaces } from './races/races.ts'
import type { FindingSink } from './report/finding.ts'
import type { DetectorName } from './report/report.ts'
import { detectUndefinedValues } from './undefined/flow.ts'
import { zeroBorderOf } from './zero-border.ts'

/** Options of detectors; `CheckOptions` says what they mean. */
export interface DetectorOptions {
  readonly uninitializedUavs?: boolean | undefined
  readonly zeroBorder?: readonly string[] | 'all' | undefined
}

const FACTORIES: Readonly<Record<'races' | 'barriers' | 'counters' | 'numbers', DetectorFactory>> = {
  races: detectRaces,
  barriers: detectBarriers,
  counters: detectCounters,
  numbers: detectNumbers,
}

/** The detectors of a run by their names; `schedules`, which compares runs, is none. */
export function makeDetectors(
  names: readonly DetectorName[],
  options: DetectorOptions,
  context: CheckContext,
): Detector[] {
  const factories: DetectorFactory[] = []
  const bounds = names.includes('bounds')
  const uninitialized = names.includes('uninitialized')
  const uavContents = options.uninitializedUavs === true
  if (bounds || uninitialized || uavContents) {
    const hasZeroBorder = zeroBorderOf(options.zeroBorder, context.declarations)
    factories.push(detectUndefinedValues({ bounds, uninitialized, uavContents, hasZeroBorder }))
  }
  if (bounds) factories.push(detectTgsmStructures)
  for (const name of ['races', 'barriers', 'counters', 'numbers'] as const) {
    if (names.includes(name)) factories.push(FACTORIES[name])
  }
  return factories.map((make) => make(context))
}

/** What the detectors of a dispatch are given. */
export function contextOf(
  loaded: LoadedShader,
  bindings: ResolvedBindings,
  groups: GroupCounts,
  sink: FindingSink,
): CheckContext {
  const bytes = granules(bindings)
  return {
    declarations: loaded.declarations,
    sink,
    threadCount: threadCountOf(loaded.declarations),
    groups,
    granuleOf: (resource) => bytes.get(resource) ?? 4,
    writable: new Set([...bindings.u.values()].map((view) => view.resource)),
  }
}
