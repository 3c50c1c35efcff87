import type { GroupCounts, LoadedShader, Observer } from '../engine/index.ts'
import type { ResolvedBindings } from '../machine/index.ts'
import { type StageToWatch, watchStages } from './draws/index.ts'
import { contextOf, type DetectorOptions, makeDetectors } from './make-detectors.ts'
import { combineObservers } from './observers.ts'
import { type Finding, type FindingSink, makeFindingSink } from './report/finding.ts'
import { DEFAULT_DETECTORS, type DetectorName } from './report/report.ts'

/** Which detectors watch, and how many different findings they keep. */
export interface WatchFindingsOptions extends DetectorOptions {
  /** Default those of `check`. The comparison of schedules watches no run and is left out. */
  readonly detectors?: readonly DetectorName[] | undefined
  /** Default 100. */
  readonly maxFindings?: number | undefined
}

/** Detectors that watch one run of a dispatch. */
export interface FindingWatch {
  readonly observer: Observer
  /** To be called when the dispatch has ended: some findings are of the whole. */
  finish(): void
  readonly byteLength: number
}

const MOST_FINDINGS = 100

/** A sink that passes on each different finding when it is made. */
function tellingSink(maxFindings: number, onFinding: (finding: Finding) => void): FindingSink {
  const kept = makeFindingSink(maxFindings)
  return {
    ...kept,
    add(finding, times) {
      const { site, other, memory } = finding
      const isNew = !kept.known(finding.code, site.statement, other?.statement ?? -1, memory?.register ?? -1, 0)
      kept.add(finding, times)
      if (isNew) onFinding(finding)
    },
  }
}

/**
 * Watches a dispatch that the caller runs: `onFinding` is called with each different finding when it is
 * made, while the event that gave rise to it is handled.
 */
export function watchFindings(
  job: { readonly loaded: LoadedShader; readonly bindings: ResolvedBindings; readonly groups: GroupCounts },
  onFinding: (finding: Finding) => void,
  options: WatchFindingsOptions = {},
): FindingWatch {
  const sink = tellingSink(options.maxFindings ?? MOST_FINDINGS, onFinding)
  const context = contextOf(job.loaded, job.bindings, job.groups, sink)
  const detectors = makeDetectors(options.detectors ?? DEFAULT_DETECTORS, options, context)
  return {
    observer: combineObservers(detectors.map((d) => d.observer)),
    finish: () => {
      for (const d of detectors) d.finish?.()
    },
    get byteLength() {
      return detectors.reduce((n, d) => n + (d.byteLength?.() ?? 0), 0)
    },
  }
}

/** Detectors that watch one run of a draw. */
interface DrawFindingWatch {
  observerOf(stage: string): Observer | undefined
  /** To be called when the draw has ended. */
  finish(): void
}

/** The same of a draw: its stages in order, each with the detectors of `heddle check`. */
export function watchDrawFindings<Stage extends StageToWatch>(
  stages: readonly Stage[],
  onFinding: (finding: Finding, stage: Stage) => void,
  options: WatchFindingsOptions = {},
): DrawFindingWatch {
  const max = options.maxFindings ?? MOST_FINDINGS
  const { watched } = watchStages(stages, options, (stage) => tellingSink(max, (f) => onFinding(f, stage)))
  const observers = new Map(watched.map((w) => [w.of.stage, combineObservers(w.detectors.map((d) => d.observer))]))
  return {
    observerOf: (stage) => observers.get(stage),
    finish: () => {
      for (const w of watched) for (const d of w.detectors) d.finish?.()
    },
  }
}
