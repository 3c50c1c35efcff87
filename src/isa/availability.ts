/** What an instruction requires of the program that it stands in. */
import type { InstructionRow } from './row.ts'
import type { Stage } from './stages.ts'

/** Whether programs of a stage and model have an instruction; `model` is 40, 41, 50 or 51. */
export function isInModel(
  { since, downlevel, traits }: InstructionRow,
  stage: Stage | undefined,
  model: number,
): boolean {
  // What only the debug layer runs, and sizes of buffers that a 4.x program may read, go with any model.
  if (traits.kind === 'debug' || (traits.kind === 'query' && traits.query === 'bufinfo')) return true
  if (model >= since.major * 10 + since.minor) return true
  return downlevel === 'all' || (downlevel === 'compute' && stage === 'compute')
}

/**
 * Whether a sample takes its level of detail from the pixels of a quad, which other stages have none of. Derivatives and
 * queries of the level name the pixel stage in their rows.
 */
export function needsQuad({ traits }: InstructionRow): boolean {
  return traits.kind === 'sample' && (traits.lod === 'derivatives' || traits.lod === 'bias')
}
