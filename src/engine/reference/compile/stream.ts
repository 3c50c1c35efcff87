import { POISON_WORD } from '../../../machine/index.ts'
import { streamOf } from '../../gather/emitted-stream.ts'
import { report } from '../run/report.ts'
import { setMask, type Wave } from '../run/state.ts'
import type { CodeEntry } from './blocks.ts'
import { type Op, type Statement, siteOf } from './statement.ts'

/**
 * emit, cut and emit_then_cut, with and without a stream (13.4, 22.8): each lane keeps what it emitted, in order. The last
 * vertex that dcl_maxout allows ends an invocation (22.3.5): from there nothing that it does has an effect; it runs on so
 * that another emit can be reported.
 */

/** All outputs of a lane, by slot. */
function latch(w: Wave, first: number, slotCount: number, width: number, lane: number): Int32Array {
  const words = new Int32Array(slotCount)
  for (let slot = 0; slot < slotCount; slot++) words[slot] = w.I[first + slot * width + lane]!
  return words
}

function endEffects(w: Wave, lane: number): void {
  if (lane < 32) w.storeLow &= ~(1 << lane)
  else w.storeHigh &= ~(1 << (lane - 32))
}

/** Ends lanes as ret does. */
function endLanes(w: Wave, low: number, high: number, escapeTo: number): void {
  w.endedLow |= low
  w.endedHigh |= high
  setMask(w, w.low & ~low, w.high & ~high)
  if (w.activeCount === 0) w.pc = escapeTo
}

export function compileStream(s: Statement, emits: boolean, cuts: boolean, entry: CodeEntry): Op {
  const { declarations, columns } = s.context
  const stream = streamOf(s.instruction)
  const most = declarations.stage.kind === 'geometry' ? declarations.stage.maxVertexCount : 0
  const { slotCount } = columns.layout.outputs
  const { width, outputs } = columns
  const site = siteOf(s, 0, 'other', 'other')
  const { escapeTo } = entry
  return (w) => {
    let low = 0
    let high = 0
    for (let k = 0; k < w.activeCount; k++) {
      const l = w.lanes[k]!
      if (emits && w.emitCounts[l]! >= most) {
        report(w, site, l, { reason: 'max-vertex-count', address: w.emitCounts[l]!, limit: most, defined: true })
        if (l < 32) low |= 1 << l
        else high |= 1 << (l - 32)
        continue
      }
      if (emits) {
        w.emitCounts[l]!++
        w.emitted[l]!.push({ kind: 'vertex', stream, words: latch(w, outputs, slotCount, width, l) })
        if (w.emitCounts[l] === most) endEffects(w, l)
        if (w.dispatch.policy === 'poison') {
          for (let slot = 0; slot < slotCount; slot++) w.I[outputs + slot * width + l] = POISON_WORD | 0
        }
      }
      if (cuts) w.emitted[l]!.push({ kind: 'cut', stream })
    }
    if ((low | high) !== 0) endLanes(w, low, high, escapeTo)
  }
}
