import type { Operand } from '../../program/index.ts'
import { type Declarations, type IndexableTempDeclaration, indexableTempsOf } from '../declarations.ts'
import { type Node, type Structure, walk } from './blocks.ts'
import { registerOf } from './operand.ts'

/** Which x# registers lie in memory; `translate.ts` finds them before it begins. */

const testedBy = (node: Node): Operand | undefined =>
  node.kind === 'switch' ? node.selector : 'test' in node ? node.test?.operand : undefined

/** x# registers of an entry; of the whole program where it has none. */
export function arraysOfEntry(d: Declarations, entry: number): readonly IndexableTempDeclaration[] {
  const found = d.entries[entry]
  return found === undefined ? d.indexableTemps : indexableTempsOf(d, found)
}

/** x# registers that some index which is no constant reaches; they live in memory, the others in variables. */
export function indexedArrays(
  structure: Structure,
  declared: readonly IndexableTempDeclaration[],
): { readonly register: number; readonly count: number }[] {
  if (declared.length === 0) return []
  const indexed = new Set<number>()
  const visit = (node: Node): void => {
    const tested = testedBy(node)
    const operands = node.kind === 'op' ? node.instruction.operands : tested === undefined ? [] : [tested]
    for (const operand of operands) for (const x of registerOf.dynamicArrays(operand)) indexed.add(x)
  }
  for (const nodes of [structure.main, ...structure.subroutines.values()]) walk(nodes, visit)
  return declared.filter((x) => indexed.has(x.register)).map(({ register, count }) => ({ register, count }))
}
