import type { FlowAction } from '../isa/index.ts'
import { type BlockKind, closedBy, openedBy } from '../program/index.ts'
import type { Site } from './context.ts'

/** A block that is open at some statement. */
export interface OpenBlock {
  readonly kind: BlockKind
  readonly site: Site
  /** Whether a loop, or a loop or switch, is open here: this block or one around it. */
  readonly inLoop: boolean
  readonly inBreakable: boolean
  /** A switch: the values of its cases, and whether its default was seen. */
  readonly cases: Set<number> | undefined
  defaultSeen: boolean
  /** A switch: a case or default was seen. */
  entered: boolean
}

/** The flow action of a site; undefined where it has none. */
export function flowAction(site: Site): FlowAction | undefined {
  return site.row.traits.kind === 'flow' ? site.row.traits.action : undefined
}

export function isConditional(site: Site): boolean {
  return site.row.traits.kind === 'flow' && site.row.traits.conditional
}

function openBlock(kind: BlockKind, site: Site, outer: OpenBlock | undefined): OpenBlock {
  const inLoop = kind === 'loop' || outer?.inLoop === true
  const inBreakable = kind !== 'if' || outer?.inBreakable === true
  return {
    kind,
    site,
    inLoop,
    inBreakable,
    cases: kind === 'switch' ? new Set() : undefined,
    defaultSeen: false,
    entered: false,
  }
}

/**
 * Walks statements with the stack of open blocks as it is before each. A close that fits no open block leaves the stack
 * as it is; a phase marker or a label outside blocks empties it.
 */
export function walkBlocks(
  sites: readonly Site[],
  visit: (site: Site, stack: readonly OpenBlock[]) => void,
): readonly OpenBlock[] {
  const stack: OpenBlock[] = []
  for (const site of sites) {
    visit(site, stack)
    const action = flowAction(site)
    const opened = openedBy(action)
    const closed = closedBy(action)
    if (opened !== undefined) stack.push(openBlock(opened, site, stack[stack.length - 1]))
    else if (closed !== undefined && stack[stack.length - 1]?.kind === closed) stack.pop()
  }
  return stack
}
