/** Arguments of a draw: whole numbers in range, and no more vertices than the budget has (functional specification 8.5, 8.6). */
import { type DiagnosticCollector, diagnostic, showValue } from '../../diagnostic/index.ts'
import type { DrawCall } from '../input/index.ts'
import type { DrawOptions } from './resources.ts'

const DEFAULT_MAX_VERTICES = 2 ** 26

export const instancesOf = (call: DrawCall): number => call.instanceCount ?? 1
const countOf = (call: DrawCall): number => ('vertexCount' in call ? call.vertexCount : call.indexCount)

const MAX_WORD = 0xffffffff
const isCount = (n: unknown): boolean => Number.isInteger(n) && (n as number) >= 0 && (n as number) <= MAX_WORD

/** Counts and start values of a draw, and how much work they are. */
export function checkCall(call: DrawCall, options: DrawOptions, found: DiagnosticCollector): void {
  const before = found.errorCount
  const count = 'vertexCount' in call ? 'vertexCount' : 'indexCount'
  for (const [name, value] of Object.entries(call)) {
    const isSigned = name === 'baseVertex' && Number.isInteger(value) && Math.abs(value as number) <= MAX_WORD
    if ((value === undefined && name !== count) || isCount(value) || isSigned) continue
    const text = `${name} is ${showValue(value)}; it must be a whole number from 0 to ${MAX_WORD}`
    found.push(diagnostic('pipeline-draw', text, { kind: 'path', path: name }))
  }
  if (found.errorCount > before) return
  const most = options.maxVertices ?? DEFAULT_MAX_VERTICES
  const total = countOf(call) * instancesOf(call)
  if (total > most) {
    const text = `the draw has ${countOf(call)} vertices in ${instancesOf(call)} instances; at most ${most} are allowed (maxVertices)`
    found.push(diagnostic('pipeline-budget', text))
  }
}
