import { appendAll } from '../../diagnostic/index.ts'
import type { Node, SwitchCase } from './blocks.ts'

/** Questions about nested flow. */

/** Whether nodes hold one of a kind, outside of what it would belong to otherwise. */
function contains(nodes: readonly Node[], kind: Node['kind'], stopAt: readonly Node['kind'][]): boolean {
  return nodes.some((n) => {
    if (n.kind === kind) return true
    if (stopAt.includes(n.kind)) return false
    if (n.kind === 'if') return contains(n.taken, kind, stopAt) || contains(n.otherwise, kind, stopAt)
    if (n.kind === 'loop') return contains(n.body, kind, stopAt)
    return n.kind === 'switch' && n.cases.some((c) => contains(c.body, kind, stopAt))
  })
}
export const hasContinue = (nodes: readonly Node[]): boolean => contains(nodes, 'continue', ['loop'])
export const hasBreak = (nodes: readonly Node[]): boolean => contains(nodes, 'break', ['loop', 'switch'])
export const hasReturn = (nodes: readonly Node[]): boolean => contains(nodes, 'ret', [])

const endsWith = (nodes: readonly Node[]): Node | undefined => nodes[nodes.length - 1]
const isEnd = (n: Node | undefined): boolean =>
  n !== undefined && (n.kind === 'ret' || n.kind === 'continue' || n.kind === 'break') && n.test === undefined

/** The code of a case, with the cases it falls into; a break at the very end is left out. */
export function fallThrough(cases: readonly SwitchCase[], first: number): readonly Node[] {
  const nodes: Node[] = []
  for (let i = first; i < cases.length; i++) {
    appendAll(nodes, cases[i]!.body)
    if (isEnd(endsWith(nodes))) break
  }
  const last = endsWith(nodes)
  return last?.kind === 'break' && last.test === undefined ? nodes.slice(0, -1) : nodes
}
