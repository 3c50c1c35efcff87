import { INSTRUCTIONS, type InstructionRow } from '../../isa/index.ts'
import { isNumberedRow } from '../../program/index.ts'

/** What the listing needs of a row at each statement, worked out once. */
export interface RowPlan {
  readonly row: InstructionRow
  readonly isDeclaration: boolean
  /** It has an instruction number: all but declarations and the mark before the declarations of a hull shader. */
  readonly isNumbered: boolean
  /** Blocks that close before this line and that open behind it. */
  readonly closes: number
  readonly opens: number
  /** For each operand whether it is cast to the destination's minimum precision. */
  readonly casts: readonly boolean[]
}

type Indentation = Pick<RowPlan, 'closes' | 'opens'>

const NOT_INDENTED: Indentation = { closes: 0, opens: 0 }
const OPENING: Indentation = { closes: 0, opens: 1 }
const BETWEEN: Indentation = { closes: 1, opens: 1 }
const CLOSING: Indentation = { closes: 1, opens: 0 }

/** `case` and `default` stand at the depth of the code under them. */
function indentationOf(row: InstructionRow): Indentation {
  if (row.traits.kind !== 'flow') return NOT_INDENTED
  switch (row.traits.action) {
    case 'if':
    case 'loop':
    case 'switch':
      return OPENING
    case 'else':
      return BETWEEN
    case 'endif':
    case 'endloop':
    case 'endswitch':
      return CLOSING
    default:
      return NOT_INDENTED
  }
}

function planOf(row: InstructionRow): RowPlan {
  const isDeclaration = row.traits.kind === 'declaration'
  return {
    row,
    isDeclaration,
    isNumbered: isNumberedRow(row),
    ...indentationOf(row),
    casts: row.operands.map((slot) => slot.castsPrecision),
  }
}

const PLANS: readonly (RowPlan | undefined)[] = (() => {
  const plans: (RowPlan | undefined)[] = new Array(256).fill(undefined)
  for (const row of INSTRUCTIONS) plans[row.opcode] = planOf(row)
  return plans
})()

/** The plan of an opcode; undefined where no row has it. */
export function planOfOpcode(opcode: number): RowPlan | undefined {
  return PLANS[opcode]
}
