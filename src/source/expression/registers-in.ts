/** The registers that an expression names, for those who want to know before it is evaluated. */
import type { RegisterFile } from '../../isa/index.ts'
import { type ExpressionContext, registerAt } from './names.ts'
import { type Expression, innerNodes, type Node, type Span } from './tree.ts'

/** A register with the indices that are numbers in the text, as far as they go. */
export interface RegisterUse {
  readonly file: RegisterFile
  readonly indices: readonly number[]
  readonly span: Span
}

function useAt(node: Node, context: ExpressionContext): (RegisterUse & { readonly most: number }) | undefined {
  if (node.kind === 'name') {
    const found = registerAt(node.name, context)
    return found && { file: found.file, indices: found.indices, most: found.most, span: node }
  }
  if (node.kind !== 'index') return undefined
  const of = useAt(node.of, context)
  if (of === undefined) return undefined
  const numbers = node.indices.map((n) => (n.kind === 'literal' && n.scalar === 'int' ? n.words[0] : undefined))
  const isNumber = numbers.every((n) => n !== undefined) && of.indices.length < of.most
  return isNumber ? { ...of, indices: [...of.indices, ...(numbers as number[])].slice(0, of.most), span: node } : of
}

/** Every register that an expression names, in the order of the text. */
export function registersIn({ root }: Expression, context: ExpressionContext): readonly RegisterUse[] {
  const usesOf = (node: Node): readonly RegisterUse[] => {
    const own = useAt(node, context)
    if (own === undefined) return innerNodes(node).flatMap(usesOf)
    const inside = node.kind === 'index' ? node.indices.flatMap(usesOf) : []
    return [own, ...inside]
  }
  return usesOf(root)
}

/** A register as listings name it: `r99`, `x0[5]`, `v[2][1]`. */
export function registerText({ prefix, indices: [, most] }: RegisterFile, indices: readonly number[]): string {
  const [first, ...rest] = indices
  if (first === undefined) return prefix
  const isPlain = most === 1 || indices.length === 1 || prefix === 'x' || prefix === 'cb'
  return isPlain
    ? `${prefix}${first}${rest.map((n) => `[${n}]`).join('')}`
    : `${prefix}${indices.map((n) => `[${n}]`).join('')}`
}
