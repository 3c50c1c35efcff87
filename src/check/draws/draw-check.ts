import { appendAll, type Diagnostic } from '../../diagnostic/index.ts'
import { type IoDeclaration, type LoadedShader, type Observer, type Stop, threadCountOf } from '../../engine/index.ts'
import { FILE } from '../../isa/index.ts'
import type { ResolvedBindings } from '../../machine/index.ts'
import type { Program } from '../../program/index.ts'
import type { ShaderFacts } from '../../shader/index.ts'
import { makeBudget } from '../budget.ts'
import { cutShort, MAX_FINDINGS, MAX_SHADOW_BYTES, partialOf } from '../check.ts'
import type { CheckContext, Detector } from '../context.ts'
import { detectCounters } from '../detectors/counters.ts'
import { detectNumbers } from '../detectors/numbers.ts'
import { granules } from '../granules.ts'
import { combineObservers } from '../observers.ts'
import { type Finding, type FindingSink, makeFindingSink } from '../report/finding.ts'
import {
  DEFAULT_DETECTORS,
  type DetectorName,
  NO_STATEMENT,
  type PartialReason,
  type Report,
  type ReportFinding,
} from '../report/report.ts'
import { RANK, type Reporting, reportFinding, withoutEchoes } from '../report/report-finding.ts'
import { linesOf } from '../report/source-lines.ts'
import { isSuppressed, type Suppression } from '../report/suppressions.ts'
import { detectUndefinedValues } from '../undefined/flow.ts'
import { zeroBorderOf } from '../zero-border.ts'
import { detectInvocationRaces, newDrawMemory } from './invocation-races.ts'
import { detectOutputs } from './outputs.ts'

/** The detectors of one draw, stage by stage. The caller that runs the draw gives each stage its observer and takes the report. */

export interface DrawCheckOptions {
  /** Name of what is checked, for reports of many. */
  readonly name?: string | undefined
  /** What to look for; default bounds, uninitialized, races and counters. A draw has no barriers and one schedule. */
  readonly detectors?: readonly DetectorName[] | undefined
  /** Slots whose loads out of bounds are meant to give 0, or all. */
  readonly zeroBorder?: readonly string[] | 'all' | undefined
  /** Different findings kept for each stage; default 100. */
  readonly maxFindings?: number | undefined
  /** Bytes that the detectors' tables may take; default 2 GiB. */
  readonly maxShadowByteLength?: number | undefined
  /** Milliseconds after which the check stops with what it has; no limit by default. */
  readonly maxMilliseconds?: number | undefined
  readonly suppressions?: readonly Suppression[] | undefined
  /** Text of statements, by program. The public face fills it in. */
  readonly lister?: ((program: Program) => (statement: number) => string | undefined) | undefined
}

/** A shader of the draw. */
export interface DrawStage {
  readonly stage: string
  readonly loaded: LoadedShader
  readonly bindings: ResolvedBindings
  readonly facts: ShaderFacts
}

/** What detectors need of a stage. */
export type StageToWatch = Omit<DrawStage, 'facts'>

/** What the draw came to. */
export interface DrawOutcome {
  readonly stopped?: Stop | undefined
  readonly diagnostics: readonly Diagnostic[]
  /** Invocations by stage. */
  readonly invocations: Readonly<Record<string, number>>
  /** Primitives by stream: those that stream output was given, and those that it had room for. */
  readonly streamOutput: readonly { readonly needed: number; readonly written: number }[]
}

export interface DrawCheck {
  observerOf(stage: string): Observer | undefined
  /** Why the detectors ended the draw, of what a run threw; undefined for what is not theirs. */
  reasonOf(thrown: unknown): PartialReason | undefined
  report(outcome: DrawOutcome, partial?: PartialReason): Report
}

const RASTERIZED: readonly string[] = ['vertex', 'domain', 'geometry']

/** Components of each register that a stage declares to read from the one before. */
function masksRead(loaded: LoadedShader, files: readonly number[]): Map<number, number> {
  const masks = new Map<number, number>()
  const reads: readonly IoDeclaration[] = loaded.declarations.entries.flatMap((e) => e.inputs)
  for (const { file, register, mask } of reads) {
    if (files.includes(file)) masks.set(register, (masks.get(register) ?? 0) | mask)
  }
  return masks
}

interface WatchedStage<Stage> {
  readonly of: Stage
  readonly context: CheckContext
  readonly detectors: readonly Detector[]
}

/** What the detectors of all stages share. */
interface WatchedDraw {
  readonly granuleOf: CheckContext['granuleOf']
  readonly memory: ReturnType<typeof newDrawMemory>
  readonly names: readonly DetectorName[]
}

function watch<Stage extends StageToWatch>(
  of: Stage,
  next: StageToWatch | undefined,
  { granuleOf, memory, names }: WatchedDraw,
  sink: FindingSink,
  o: DrawCheckOptions,
): WatchedStage<Stage> {
  const { declarations } = of.loaded
  const context: CheckContext = {
    declarations,
    sink,
    threadCount: threadCountOf(declarations),
    groups: [1, 1, 1],
    granuleOf,
    writable: new Set([...of.bindings.u.values()].map((view) => view.resource)),
  }
  const bounds = names.includes('bounds')
  const uninitialized = names.includes('uninitialized')
  const detectors: Detector[] = []
  if (bounds || uninitialized) {
    const hasZeroBorder = zeroBorderOf(o.zeroBorder, declarations)
    detectors.push(detectUndefinedValues({ bounds, uninitialized, uavContents: false, hasZeroBorder })(context))
  }
  if (names.includes('races') && declarations.uavs.length > 0) {
    detectors.push(detectInvocationRaces(context, of.stage, memory))
  }
  if (names.includes('counters')) detectors.push(detectCounters(context))
  if (names.includes('numbers')) detectors.push(detectNumbers(context))
  const isLast = next === undefined || next.stage === 'pixel'
  const files = next?.stage === 'hull' ? [FILE.input, FILE['input-control-point']] : [FILE.input]
  const ofNext = next?.stage === 'domain' ? [FILE['input-control-point']] : files
  const reader =
    next === undefined
      ? undefined
      : {
          stage: next.stage,
          masks: masksRead(next.loaded, ofNext),
          patchMasks: masksRead(next.loaded, [FILE['patch-constant']]),
        }
  const givesPosition = isLast && RASTERIZED.includes(of.stage)
  detectors.push(detectOutputs(context, { unwritten: uninitialized, reader, givesPosition }))
  return { of, context, detectors }
}

function commonGranules(stages: readonly StageToWatch[]): CheckContext['granuleOf'] {
  const least = new Map<object, number>()
  for (const { bindings } of stages) {
    for (const [resource, bytes] of granules(bindings)) {
      least.set(resource, Math.min(least.get(resource) ?? 4, bytes))
    }
  }
  return (resource) => least.get(resource) ?? 4
}

/** What stream output had no room for, held against the stage that feeds it. */
export function overflowFindings(
  { loaded }: Pick<StageToWatch, 'loaded'>,
  streamOutput: DrawOutcome['streamOutput'],
): readonly Finding[] {
  const [first] = loaded.declarations.entries.flatMap((e) => e.outputs)
  return streamOutput.flatMap(({ needed, written }, stream): readonly Finding[] =>
    needed <= written
      ? []
      : [
          {
            code: 'check-stream-overflow',
            severity: 'warning',
            message: `stream ${stream} has ${needed} primitives for stream output; its buffers have room for ${written}: primitive ${written}, counted from 0, is the first that is left out`,
            site: { statement: first?.statement ?? 0, group: [0, 0, 0], thread: 0, access: 'other' },
            memory: { space: 'other', register: stream },
            notes: ['no buffer of a stream takes more once one of them is full'],
          },
        ],
  )
}

/** The stage that a finding of the pipeline is about: by the field of its place. */
export function stageOfPlace({ place }: Diagnostic, stages: readonly string[]): string {
  const path = place?.kind === 'path' ? place.path : ''
  const named = stages.find((s) => s === path)
  return named ?? (path.startsWith('inputLayout') ? stages[0] : stages.at(-1)) ?? ''
}

/** What Direct3D leaves undefined, or what is rarely meant, in how shaders, state and targets of a draw fit together. */
export const isOfPipeline = (d: Diagnostic): boolean => d.severity === 'warning' && d.code.startsWith('pipeline-')

/** Such a diagnostic as a finding: about a shader, and no statement of it. */
function pipelineFinding(d: Diagnostic, stages: readonly string[]): ReportFinding {
  const stage = stageOfPlace(d, stages)
  const noThread = { group: [0, 0, 0], thread: [0, 0, 0], threadFlattened: 0 } as const
  const site = { statement: NO_STATEMENT, ...noThread, stage, access: 'other' } as const
  return { stage, code: d.code, severity: d.severity, message: d.message, count: 1, site, notes: d.notes }
}

/** The detectors of the stages of a draw, the first stage first; findings of a stage go to its sink. */
export function watchStages<Stage extends StageToWatch>(
  stages: readonly Stage[],
  options: DrawCheckOptions,
  sinkOf: (stage: Stage) => FindingSink,
): { readonly names: readonly DetectorName[]; readonly watched: readonly WatchedStage<Stage>[] } {
  const names = (options.detectors ?? DEFAULT_DETECTORS).filter((n) => n !== 'barriers' && n !== 'schedules')
  const shared = { granuleOf: commonGranules(stages), memory: newDrawMemory(), names }
  return { names, watched: stages.map((s, n) => watch(s, stages[n + 1], shared, sinkOf(s), options)) }
}

export function createDrawCheck(stages: readonly DrawStage[], options: DrawCheckOptions): DrawCheck {
  const { names, watched } = watchStages(stages, options, () => makeFindingSink(options.maxFindings ?? MAX_FINDINGS))
  // The table of memory is shared by all stages and counts once.
  const shadowBytes = (): number =>
    watched.reduce((most, w) => most + w.detectors.reduce((n, d) => n + (d.byteLength?.() ?? 0), 0), 0)
  const deadline = Date.now() + (options.maxMilliseconds ?? Number.POSITIVE_INFINITY)
  const budget = makeBudget(shadowBytes, options.maxShadowByteLength ?? MAX_SHADOW_BYTES, deadline)
  const observers = new Map(
    watched.map((w) => [
      w.of.stage,
      combineObservers([budget.observer, budget.statements, ...w.detectors.map((d) => d.observer)]),
    ]),
  )
  const reportings = new Map<string, Reporting>()
  for (const { loaded, facts, stage } of stages) {
    const { program } = loaded.declarations
    const lines = linesOf(program, loaded.options.listing ?? options.lister?.(program), facts.debug)
    reportings.set(stage, { loaded, facts, lines, stage, ofStage: (other) => reportings.get(other)! })
  }
  return {
    observerOf: (stage) => observers.get(stage),
    reasonOf: budget.reasonOf,
    report(outcome, why) {
      const last = watched.findLast((w) => w.of.stage !== 'pixel')
      if (last !== undefined) for (const f of overflowFindings(last.of, outcome.streamOutput)) last.context.sink.add(f)
      if (why === undefined) for (const w of watched) for (const d of w.detectors) d.finish?.()
      const all = watched.flatMap((w) =>
        withoutEchoes(w.context.sink.findings()).map((f) => reportFinding(reportings.get(w.of.stage)!, f)),
      )
      const stageNames = stages.map((s) => s.stage)
      appendAll(
        all,
        outcome.diagnostics.filter(isOfPipeline).map((d) => pipelineFinding(d, stageNames)),
      )
      const left = all.filter((f) => !isSuppressed(f, options.suppressions ?? [], options.name))
      const dropped = watched.reduce((n, w) => n + w.context.sink.dropped(), 0)
      const partial = why ?? partialOf(outcome) ?? (dropped > 0 ? 'findings' : undefined)
      return {
        ...(options.name === undefined ? {} : { name: options.name }),
        findings: left.sort((a, b) => RANK[a.severity] - RANK[b.severity]),
        ...(partial === undefined ? {} : { partial }),
        diagnostics: [...outcome.diagnostics.filter((d) => !isOfPipeline(d)), ...cutShort(partial)],
        stats: {
          groups: [0, 0, 0],
          threads: [0, 0, 0],
          invocations: outcome.invocations,
          threadInstructions: 0,
          shadowByteLength: shadowBytes(),
          droppedFindings: dropped,
          suppressed: all.length - left.length,
          detectors: names,
        },
      }
    },
  }
}

/** The report of a draw that did not begin. */
export function refusedDraw(options: DrawCheckOptions, diagnostics: readonly Diagnostic[]): Report {
  const check = createDrawCheck([], options)
  return check.report({ stopped: 'refused', diagnostics, invocations: {}, streamOutput: [] })
}
