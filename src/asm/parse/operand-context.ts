/** What operands are read with. */
import type { LiteralContext } from './number.ts'
import type { Source } from './source.ts'

/** What operands are read with, for one statement. */
export interface OperandContext {
  readonly source: Source
  /** SM5.1: bindings have an identifier and a range. */
  readonly isSm51: boolean
  readonly literals: LiteralContext
}

/** How the letters behind the point are meant. */
type ComponentsRole = 'mask' | 'source'

/** What is known of an operand's place before it is read. */
export interface OperandPlace {
  readonly components: ComponentsRole
  /** The register stands in a declaration. */
  readonly isDeclared: boolean
  /** Components of a view without letters, where the register file does not say (stores write all four). */
  readonly fullView: boolean
  /** Indices that may stand here: three, or four where a constant buffer of SM5.1 is declared with its size. */
  readonly maxIndices: number
  /** A label stands here, which the pages and people write `l3`. */
  readonly isLabel?: boolean
}
