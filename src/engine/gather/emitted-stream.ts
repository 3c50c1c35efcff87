import { FILE, rowOfOpcode } from '../../isa/index.ts'
import type { Instruction, Program } from '../../program/index.ts'

/** Streams of geometry shaders, by what the instructions name. */

/** The stream that an instruction emits to or cuts; those that name none mean the first. */
export function streamOf({ operands }: Pick<Instruction, 'operands'>): number {
  const index = operands.find((o) => o.type === FILE.stream)?.indices[0]
  return index?.kind === 'immediate' ? index.value : 0
}

/** The only stream that a program emits to; undefined where there is none or several. */
export function onlyStream({ statements }: Program): number | undefined {
  const streams = new Set<number>()
  for (const s of statements) {
    if (s.kind !== 'instruction') continue
    const traits = rowOfOpcode(s.opcode)?.traits
    if (traits?.kind === 'stream' && traits.emits) streams.add(streamOf(s))
  }
  const [first] = streams
  return streams.size === 1 ? first : undefined
}
