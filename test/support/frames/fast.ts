import { withFallback } from '../../../src/engine/fallback.ts'
import type { Engine } from '../../../src/engine/index.ts'
import type { WaveWidth } from '../../../src/machine/index.ts'
import { asWideAs, compareFrame, type FrameComparison } from './compare.ts'
import type { FrameDraw, FramePipeline, FrameShader, RandomFrame } from './model.ts'
import { type FrameRun, runFrame } from './run.ts'
import { SOURCE } from './templates.ts'

/** Random frames with the precision `fast`: the same on both engines, and with the coverage, depth, stencil and counts of `exact` ones. */

const withPrecision = (f: RandomFrame, precision: 'exact' | 'fast'): RandomFrame => ({
  ...f,
  pipelines: f.pipelines.map((p) => ({ ...p, state: { ...p.state, precision } })),
})

const has = (shader: FrameShader | undefined, what: RegExp): boolean => shader !== undefined && what.test(shader.text)

/** What a pixel shader decides by what was interpolated, or leaves where others read it. */
const DECIDES = /^\s*(discard|dcl_output oDepth|dcl_output oMask|dcl_output oStencilRef|dcl_uav|abort)/m

/** Whether coverage, depth, stencil and counts of a draw and of those after it stand on nothing that was interpolated. */
function standsAlone({ shaders, state }: FramePipeline): boolean {
  const { pixel, ...others } = shaders
  const reads = new RegExp(`\\b${SOURCE}\\b`)
  const isSeenBefore = Object.values(others).some((s) => has(s, reads))
  return !has(pixel, DECIDES) && state.blend?.alphaToCoverageEnable !== true && !isSeenBefore
}

/** The frame without draws that are the documented exception. */
function withoutDecisions(f: RandomFrame): RandomFrame {
  const isKept = (d: FrameDraw): boolean => standsAlone(f.pipelines[d.pipeline]!)
  return { ...f, commands: f.commands.filter((c) => c.kind !== 'draw' || isKept(c)) }
}

const isEqualInBoth = (name: string): boolean => name.startsWith('depth') || name.startsWith('stream buffer')

/** What of two runs has to be equal and is not. */
function differentFromExact(exact: FrameRun, fast: FrameRun): string | undefined {
  for (const [n, want] of exact.draws.entries()) {
    const got = fast.draws[n]!
    if ('refused' in want || 'refused' in got) continue
    // Where a budget ends is counted by the statements that a shader runs.
    if (want.stopped !== undefined) return undefined
    const counts = [want, got].map((d) => JSON.stringify([d.statistics, d.samplesPassed, d.streamOutput]))
    if (counts[0] !== counts[1]) return `draw ${n}, counts of exact: ${counts[0]}\n  of fast: ${counts[1]}`
  }
  for (const [name, words] of exact.contents) {
    if (!isEqualInBoth(name)) continue
    const other = fast.contents.get(name)!
    const at = words.findIndex((w, i) => w !== other[i])
    if (at >= 0) return `${name}: word ${at} is ${words[at]} of exact, ${other[at]} of fast`
  }
  return undefined
}

/** Compares a frame with the precision `fast` on both engines, then with itself with `exact`. */
export function compareFastFrame(
  frame: RandomFrame,
  reference: Engine,
  compiled: Engine,
  waveWidth: WaveWidth,
): FrameComparison {
  const comparison = compareFrame(withPrecision(frame, 'fast'), reference, compiled, waveWidth)
  if (comparison.verdict.kind !== 'equal') return comparison
  const sound = withoutDecisions(frame)
  const engine = withFallback(compiled, asWideAs(reference, waveWidth))
  const [exact, fast] = [
    runFrame(withPrecision(sound, 'exact'), engine),
    runFrame(withPrecision(sound, 'fast'), engine),
  ]
  const text = differentFromExact(exact, fast)
  return text === undefined ? comparison : { ...comparison, verdict: { kind: 'differs', text } }
}
