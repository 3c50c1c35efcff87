/** Where things are defined and where else they are named. */
import type { TextRange } from '../asm/index.ts'
import { type ShaderDocument, statementAt } from './document.ts'
import { declarationsOfUse } from './hover/register.ts'
import { actionOf, blocksByFrame } from './program/blocks.ts'
import { readsOf, writesSeenBy } from './program/reaching.ts'
import { componentsRead, componentsWritten } from './program/reads.ts'
import { type RegisterUse, useAt, usesByKey } from './program/uses.ts'

/** The word that a statement begins with. */
export function mnemonicRange({ text, places }: ShaderDocument, statement: number): TextRange {
  const { start, end } = places.statements[statement]!
  const word = /^[\w<> ]*?(?=[\s([]|$)/.exec(text.slice(start, Math.min(end, start + 100)))?.[0] ?? ''
  return { start, end: start + Math.max(word.length, Math.min(1, end - start)) }
}

/** The statement whose mnemonic a position is on. */
function mnemonicAt(d: ShaderDocument, position: number): number | undefined {
  const at = statementAt(d, position)
  return at !== undefined && position <= mnemonicRange(d, at).end ? at : undefined
}

/** The frame of the block that a statement opens, divides, leaves or closes. */
function frameOf(d: ShaderDocument, statement: number): readonly number[] {
  const block = blocksByFrame(d).get(statement)
  if (block === undefined) return []
  return [block.first, ...block.middle, ...(block.isClosed ? [block.last] : [])]
}

const rangeOfStatement = (d: ShaderDocument, statement: number): TextRange => {
  const { start, end } = d.places.statements[statement]!
  return { start, end }
}

/** Of registers whose values flow: where what is read was written. */
const flows = ({ written }: RegisterUse): boolean =>
  written.file.name === 'temp' || written.file.name === 'indexable-temp'

/** Where what stands at a position is defined: writes that are seen there, declarations, the head of a block. */
export function definitionsAt(d: ShaderDocument, position: number): readonly TextRange[] {
  const use = useAt(d, position)
  if (use === undefined) {
    const at = mnemonicAt(d, position)
    const block = at === undefined ? undefined : blocksByFrame(d).get(at)
    if (at === undefined || block === undefined) return []
    return [rangeOfStatement(d, at === block.first ? block.last : block.first)]
  }
  if (flows(use) && componentsRead(d, use) !== 0) {
    const { writes } = writesSeenBy(d, use)
    if (writes.length > 0) return writes.map((w) => w.written.whole)
  }
  return declarationsOfUse(d, use).map((s) => rangeOfStatement(d, s))
}

/** Where a register is declared, whatever is written to it. */
export function declarationsAt(d: ShaderDocument, position: number): readonly TextRange[] {
  const use = useAt(d, position)
  return use === undefined ? [] : declarationsOfUse(d, use).map((s) => rangeOfStatement(d, s))
}

/** Registers with more uses are not followed use by use: all of them count. */
const MOST_FOLLOWED = 300

/** The uses that share values with one: its writes, what else reads those, and so on. */
function webOf(d: ShaderDocument, use: RegisterUse): readonly RegisterUse[] {
  const all = usesByKey(d).get(use.key) ?? []
  if (!flows(use) || all.length > MOST_FOLLOWED || !d.isWhole) return all
  const web = new Set([use])
  const due = [use]
  for (let next = due.pop(); next !== undefined; next = due.pop()) {
    const linked = [
      ...(componentsRead(d, next) === 0 ? [] : writesSeenBy(d, next).writes),
      ...(componentsWritten(next) === 0 ? [] : readsOf(d, next)),
    ]
    for (const other of linked) {
      if (web.has(other)) continue
      web.add(other)
      due.push(other)
    }
  }
  return all.filter((u) => web.has(u) || u.access === 'declared')
}

/** Every place that names what stands at a position. */
export function referencesAt(d: ShaderDocument, position: number, withDeclaration: boolean): readonly TextRange[] {
  const use = useAt(d, position)
  if (use !== undefined) {
    const uses = webOf(d, use).filter((u) => withDeclaration || u.access !== 'declared')
    return uses.map((u) => u.written.whole)
  }
  const at = mnemonicAt(d, position)
  return at === undefined ? [] : frameOf(d, at).map((s) => mnemonicRange(d, s))
}

/** A place that an editor marks with the one at the cursor. */
export interface Highlight {
  readonly range: TextRange
  readonly kind: 'text' | 'read' | 'write'
}

/** What belongs to the thing at a position: uses of a register, the words of a block. */
export function highlightsAt(d: ShaderDocument, position: number): readonly Highlight[] {
  const use = useAt(d, position)
  if (use !== undefined) {
    return webOf(d, use).map(({ written, access }) => {
      const kind = access === 'declared' ? 'text' : access === 'read' ? 'read' : 'write'
      return { range: written.whole, kind }
    })
  }
  const at = mnemonicAt(d, position)
  if (at === undefined || actionOf(d, at) === undefined) return []
  return frameOf(d, at).map((s) => ({ range: mnemonicRange(d, s), kind: 'text' }))
}

/** Most places that an editor changes together while someone types. */
const MOST_LINKED = 500

/** Places of the same register name, to be edited together. */
export function linkedRangesAt(d: ShaderDocument, position: number): readonly TextRange[] {
  const use = useAt(d, position)
  if (use === undefined || !d.isWhole) return []
  const { name } = use.written
  if (position < name.start || position > name.end) return []
  const text = d.text.slice(name.start, name.end)
  const ranges = webOf(d, use).map((u) => u.written.name)
  const same = ranges.filter((r) => d.text.slice(r.start, r.end) === text)
  return same.length < 2 || same.length > MOST_LINKED ? [] : same
}
