import type { Diagnostic } from '../../../src/diagnostic/index.ts'
import { withFallback } from '../../../src/engine/fallback.ts'
import type { Engine } from '../../../src/engine/index.ts'
import type { WaveWidth } from '../../../src/machine/index.ts'
import { findingText } from '../differential-stages.ts'
import { stagesOf } from './frame.ts'
import type { FrameShaders, RandomFrame } from './model.ts'
import { type DrawOutcome, type FrameRun, runFrame } from './run.ts'

/** Holds what a random frame left on two engines against each other. */

/** The reference engine with waves as wide as compiled code has them: shaders with UAVs run four lanes at once. */
export function asWideAs(reference: Engine, waveWidth: WaveWidth): Engine {
  const begin: Engine['begin'] = (shader, bindings, invocations, options) => {
    const width = shader.declarations.uavs.length > 0 ? 4 : waveWidth
    const schedule = { waveWidth: width, order: 'forward', groupsInFlight: 1 } as const
    return reference.begin(shader, bindings, invocations, { ...options, schedule })
  }
  return { ...reference, begin }
}

export type FrameVerdict =
  | { readonly kind: 'equal'; readonly run: FrameRun }
  | { readonly kind: 'too-long' }
  | { readonly kind: 'differs' | 'cannot-run'; readonly text: string }

export interface FrameComparison {
  readonly verdict: FrameVerdict
  /** Why stages ran on the reference engine. */
  readonly handed: readonly string[]
}

const hex = (w: number | undefined): string => `0x${((w ?? 0) >>> 0).toString(16)}`

/** Findings as far as engines agree on them, with those of the shaders of each stage. */
function findingsOf(shaders: FrameShaders, all: readonly Diagnostic[]): string[] {
  const texts = stagesOf(shaders).map((stage) => [`${stage} shader: `, findingText(shaders[stage]!.program)] as const)
  return all.map((d) => {
    const ofStage = texts.find(([prefix]) => d.message.startsWith(prefix))
    return ofStage === undefined ? JSON.stringify(d) : `${ofStage[0]}${ofStage[1](d)}`
  })
}

/** A draw's findings and counts as text. The order of findings depends on how many pixels one call runs. */
function outcomeText(d: DrawOutcome, shaders: FrameShaders, handed: string[]): Record<string, string> {
  const own = (all: readonly Diagnostic[]): string => {
    handed.push(...all.filter((x) => x.code === 'engine-fallback').map((x) => x.message))
    // That an engine hands a stage over is told by it alone.
    const told = all.filter((x) => x.code !== 'engine-fallback')
    return findingsOf(shaders, told).sort().join('\n')
  }
  if ('refused' in d) return { refused: own(d.refused) }
  const { statistics, samplesPassed, streamOutput, undefinedCount, stopped = 'no' } = d
  return {
    stopped,
    statistics: JSON.stringify(statistics),
    samplesPassed: String(samplesPassed),
    streamOutput: JSON.stringify(streamOutput),
    findings: own(d.diagnostics),
    undefinedCount: String(undefinedCount),
  }
}

function differentDraw(f: RandomFrame, want: FrameRun, got: FrameRun, handed: string[]): string | undefined {
  const pipelines = f.commands.flatMap((c) => (c.kind === 'draw' ? [f.pipelines[c.pipeline]!] : []))
  for (const [n, d] of want.draws.entries()) {
    const { shaders } = pipelines[n]!
    const [a, b] = [outcomeText(d, shaders, []), outcomeText(got.draws[n]!, shaders, handed)]
    for (const name of Object.keys(a)) {
      if (a[name] === b[name]) continue
      const [missing, added] = [lost(a[name]!, b[name] ?? ''), lost(b[name] ?? '', a[name]!)]
      return `draw ${n}, ${name}: ${missing.slice(0, 600)}\n  here: ${added.slice(0, 600)}`
    }
  }
  return undefined
}

/** What the draws of a frame gave, as text. */
export function outcomesText(f: RandomFrame, run: FrameRun): string {
  const pipelines = f.commands.flatMap((c) => (c.kind === 'draw' ? [f.pipelines[c.pipeline]!] : []))
  return JSON.stringify(run.draws.map((d, n) => outcomeText(d, pipelines[n]!.shaders, [])))
}

const lost = (from: string, to: string): string => {
  const others = new Set(to.split('\n'))
  return from
    .split('\n')
    .filter((line) => !others.has(line))
    .join('\n')
}

function differentContents(want: FrameRun, got: FrameRun): string | undefined {
  for (const [name, words] of want.contents) {
    const other = got.contents.get(name)
    if (other === undefined) return `${name} is missing`
    const at = words.findIndex((w, i) => w !== other[i])
    if (at >= 0) return `${name}[${at}] is ${hex(words[at])} on the reference engine, ${hex(other[at])} here`
  }
  return undefined
}

const isTooLong = (run: FrameRun): boolean => run.draws.some((d) => 'stopped' in d && d.stopped === 'budget')

/** Engines over a reference engine, made once for each: shaders that are loaded belong to them. */
const OVER_REFERENCE = new WeakMap<Engine, Engine>()

/**
 * Compares a frame on the reference engine with waves as wide as those of compiled code. What the engine leaves to the
 * reference engine runs in such waves there too: which invocation reports a finding first depends on them.
 */
export function compareFrame(
  frame: RandomFrame,
  reference: Engine,
  compiled: Engine,
  waveWidth: WaveWidth,
): FrameComparison {
  const handed: string[] = []
  const engine = OVER_REFERENCE.get(compiled) ?? withFallback(compiled, asWideAs(reference, waveWidth))
  OVER_REFERENCE.set(compiled, engine)
  let want: FrameRun
  try {
    want = runFrame(frame, asWideAs(reference, waveWidth))
  } catch (e) {
    return { verdict: { kind: 'cannot-run', text: String(e) }, handed }
  }
  let got: FrameRun
  try {
    got = runFrame(frame, engine)
  } catch (e) {
    return {
      verdict: { kind: 'differs', text: `threw ${e instanceof Error ? (e.stack ?? String(e)) : String(e)}` },
      handed,
    }
  }
  const ofDraws = differentDraw(frame, want, got, handed)
  // Engines count what they execute in their own way (docs/execution.md).
  if (isTooLong(want) && isTooLong(got)) return { verdict: { kind: 'too-long' }, handed }
  const text = ofDraws ?? differentContents(want, got)
  return { verdict: text === undefined ? { kind: 'equal', run: want } : { kind: 'differs', text }, handed }
}
