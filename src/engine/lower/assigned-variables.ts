import { type Node, type Structure, walk } from './blocks.ts'
import { bodiesOf } from './interfaces.ts'
import { registerOf } from './operand.ts'
import { effectVariables } from './stage-effects.ts'
import type { Translation } from './translation.ts'

/** Which variables parts of a program may assign, through calls too: what `translate.ts` merges where flow joins. */
export class AssignedVariables {
  readonly #translation: Translation
  readonly #structure: Structure
  readonly #known = new Map<readonly Node[], ReadonlySet<number>>()

  constructor(translation: Translation, structure: Structure) {
    this.#translation = translation
    this.#structure = structure
  }

  in(nodes: readonly Node[]): ReadonlySet<number> {
    const known = this.#known.get(nodes)
    if (known !== undefined) return known
    const found = new Set<number>()
    this.#known.set(nodes, found)
    const { declarations, classes } = this.#translation
    const add = (label: string): void => {
      for (const v of this.in(this.#structure.subroutines.get(label) ?? [])) found.add(v)
    }
    walk(nodes, (node) => {
      if (node.kind === 'op') for (const v of registerOf.assigned(this.#translation, node)) found.add(v)
      if (this.#translation.stage !== undefined)
        for (const v of effectVariables(this.#translation.stage, node)) found.add(v)
      if (node.kind === 'call') add(node.label)
      if (node.kind === 'fcall')
        for (const label of bodiesOf(declarations, classes, node.instruction).values()) add(label)
    })
    return found
  }
}
