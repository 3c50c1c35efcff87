/** Who calls whom: subroutines of call and callc, function bodies of fcall. */
import type { TextRange } from '../asm/index.ts'
import { type ShaderDocument, statementAt } from './document.ts'
import { mnemonicRange } from './navigation.ts'
import { flowGraph } from './program/graph.ts'
import { type FunctionPart, functionParts } from './structure.ts'

/** A function of the program. */
export interface CallItem {
  readonly name: string
  readonly range: TextRange
  readonly selection: TextRange
}

/** One end of calls, and the places of the calls. */
export interface Call {
  readonly item: CallItem
  readonly sites: readonly TextRange[]
}

function itemOf(d: ShaderDocument, { name, first, last }: FunctionPart): CallItem {
  const range = { start: d.places.statements[first]!.start, end: d.places.statements[last]!.end }
  return { name, range, selection: mnemonicRange(d, first) }
}

const partOf = (d: ShaderDocument, statement: number): FunctionPart | undefined =>
  functionParts(d).find((p) => p.first <= statement && statement <= p.last)

/** Statements that call, with the first statements of what they call. */
function callsOf(d: ShaderDocument): readonly { readonly from: number; readonly to: number }[] {
  const { blocks, callers } = flowGraph(d)
  return [...callers].flatMap(([block, from]) => from.map((f) => ({ from: f, to: blocks[block]!.statements[0]! })))
}

/** The function that is called at a position, or that the position is in; undefined in programs without calls. */
export function callItemAt(d: ShaderDocument, position: number): CallItem | undefined {
  const at = statementAt(d, position)
  const calls = callsOf(d)
  if (at === undefined || calls.length === 0) return undefined
  const called = calls.find((c) => c.from === at)?.to
  const part = partOf(d, called ?? at)
  return part === undefined ? undefined : itemOf(d, part)
}

function grouped(
  d: ShaderDocument,
  ends: readonly { readonly part: FunctionPart | undefined; readonly site: number }[],
): readonly Call[] {
  const byPart = new Map<FunctionPart, TextRange[]>()
  for (const { part, site } of ends) {
    if (part === undefined) continue
    const { start, end } = d.places.statements[site]!
    byPart.set(part, [...(byPart.get(part) ?? []), { start, end }])
  }
  return [...byPart].map(([part, sites]) => ({ item: itemOf(d, part), sites }))
}

/** Those that call the function that a position is in. */
export function callersAt(d: ShaderDocument, position: number): readonly Call[] {
  const part = partOf(d, statementAt(d, position) ?? -1)
  const calls = callsOf(d).filter((c) => partOf(d, c.to) === part && part !== undefined)
  return grouped(
    d,
    calls.map((c) => ({ part: partOf(d, c.from), site: c.from })),
  )
}

/** What the function that a position is in calls. */
export function calleesAt(d: ShaderDocument, position: number): readonly Call[] {
  const part = partOf(d, statementAt(d, position) ?? -1)
  const calls = callsOf(d).filter((c) => partOf(d, c.from) === part && part !== undefined)
  return grouped(
    d,
    calls.map((c) => ({ part: partOf(d, c.to), site: c.from })),
  )
}
