import { CONTAINER_RULES } from './container.ts'
import { DECLARATION_RULES } from './declarations.ts'
import { FLOW_RULES } from './flow.ts'
import { MODEL_RULES } from './models.ts'
import { OPERAND_RULES } from './operands.ts'
import { STAGE_RULES } from './stages.ts'

/** Codes of the room `validate`: one a rule. */
export const VALIDATE_CODES = {
  ...CONTAINER_RULES,
  ...OPERAND_RULES,
  ...DECLARATION_RULES,
  ...MODEL_RULES,
  ...FLOW_RULES,
  ...STAGE_RULES,
} as const
