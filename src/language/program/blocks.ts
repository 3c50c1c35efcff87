/** Blocks of a program's text: what opens them, what stands in between at their level, what closes them. */
import { type FlowAction, rowOfOpcode } from '../../isa/index.ts'
import { closedBy, openedBy } from '../../program/index.ts'
import type { ShaderDocument } from '../document.ts'
import { perDocument } from '../per-document.ts'

/** A block by the statements of its frame. */
export interface Block {
  readonly first: number
  /** The statement that closes it; the last that could be read where none does. */
  readonly last: number
  readonly isClosed: boolean
  /** `else`, cases, and the breaks and continues that leave it. */
  readonly middle: readonly number[]
}

export const actionOf = (d: ShaderDocument, statement: number): FlowAction | undefined => {
  const s = d.statements[statement]
  const traits = s?.kind === 'instruction' ? rowOfOpcode(s.opcode)?.traits : undefined
  return traits?.kind === 'flow' ? traits.action : undefined
}

interface Open {
  readonly first: number
  readonly kind: 'if' | 'loop' | 'switch'
  readonly middle: number[]
}

/** The open block that an action belongs to. */
function ownerOf(open: readonly Open[], action: FlowAction | undefined): Open | undefined {
  switch (action) {
    case 'else':
      return open.at(-1)?.kind === 'if' ? open.at(-1) : undefined
    case 'case':
    case 'default':
      return open.at(-1)?.kind === 'switch' ? open.at(-1) : undefined
    case 'break':
      return open.findLast((b) => b.kind !== 'if')
    case 'continue':
      return open.findLast((b) => b.kind === 'loop')
    default:
      return undefined
  }
}

/** All blocks, by their first statement. Blocks that do not nest are paired as far as they can be. */
export const blocksOf = perDocument((d: ShaderDocument): readonly Block[] => {
  const open: Open[] = []
  const found: Block[] = []
  d.statements.forEach((_, at) => {
    const action = actionOf(d, at)
    ownerOf(open, action)?.middle.push(at)
    const opened = openedBy(action)
    if (opened !== undefined) open.push({ first: at, kind: opened, middle: [] })
    const closed = closedBy(action)
    if (closed === undefined || open.at(-1)?.kind !== closed) return
    const { first, middle } = open.pop()!
    found.push({ first, last: at, isClosed: true, middle })
  })
  for (const { first, middle } of open) {
    found.push({ first, last: d.statements.length - 1, isClosed: false, middle })
  }
  return found.sort((a, b) => a.first - b.first)
})

/** The blocks that a statement is part of the frame of, by statement. */
export const blocksByFrame = perDocument((d: ShaderDocument): ReadonlyMap<number, Block> => {
  const byStatement = new Map<number, Block>()
  for (const block of blocksOf(d)) {
    for (const at of [block.first, ...block.middle, ...(block.isClosed ? [block.last] : [])]) byStatement.set(at, block)
  }
  return byStatement
})
