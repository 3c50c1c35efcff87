/** What an editor can offer above lines: to run, check and debug the program, and how memory is used. */
import type { TextRange } from '../asm/index.ts'
import type { ShaderDocument } from './document.ts'
import { registerUses, usesByKey } from './program/uses.ts'
import { functionParts } from './structure.ts'

/** A line of text above a place, with what it does when it is chosen. */
export type CodeLens =
  | { readonly kind: 'run' | 'check' | 'debug'; readonly range: TextRange; readonly title: string }
  | { readonly kind: 'uses'; readonly range: TextRange; readonly title: string; readonly uses: readonly TextRange[] }

const counted = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`

/** Declarations of memory with the counts of what is done to it. */
function memoryLenses(d: ShaderDocument): readonly CodeLens[] {
  return registerUses(d).flatMap((use): CodeLens[] => {
    const { name } = use.written.file
    if (use.access !== 'declared' || (name !== 'uav' && name !== 'tgsm' && name !== 'indexable-temp')) return []
    const uses = (usesByKey(d).get(use.key) ?? []).filter((u) => u.access !== 'declared')
    const writes = uses.filter((u) => u.access !== 'read').length
    const reads = uses.filter((u) => u.access !== 'write').length
    const { start, end } = d.places.statements[use.statement]!
    const title = `${counted(writes, 'write')}, ${counted(reads, 'read')}`
    return [{ kind: 'uses', range: { start, end }, title, uses: uses.map((u) => u.written.whole) }]
  })
}

/** The lenses of a text. Whether a shader can run, by itself or with others in a description, is said when that is requested. */
export function codeLenses(d: ShaderDocument): readonly CodeLens[] {
  const first = functionParts(d)[0]
  if (d.program === undefined || first === undefined) return []
  const start = d.places.statements[first.first]!.start
  const range = { start, end: start }
  const actions: readonly CodeLens[] = [
    { kind: 'run', range, title: 'run' },
    { kind: 'check', range, title: 'check' },
    { kind: 'debug', range, title: 'debug' },
  ]
  return [...actions, ...memoryLenses(d)]
}
