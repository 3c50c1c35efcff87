import type { Rule } from '../rule.ts'
import { ACCESS_RULES } from './access.ts'
import { CONTAINER_RULES } from './container.ts'
import { DECLARATION_RULES } from './declarations.ts'
import { FLOW_RULES } from './flow.ts'
import { FUNCTION_RULES } from './functions.ts'
import { LIMIT_RULES } from './limits.ts'
import { OPERAND_RULES } from './operands.ts'
import { PIPELINE_RULES } from './pipeline.ts'
import { SIGNATURE_RULES } from './signature.ts'
import { STAGE_RULES } from './stages.ts'
import { SYNC_RULES } from './sync.ts'
import { TOKEN_RULES } from './tokens.ts'

/** A family of rules, in the order of the reference page. */
export interface RuleFamily {
  readonly title: string
  readonly rules: readonly Rule[]
}

export const RULE_FAMILIES: readonly RuleFamily[] = [
  { title: 'Container', rules: CONTAINER_RULES },
  { title: 'Tokens', rules: TOKEN_RULES },
  { title: 'Operands', rules: OPERAND_RULES },
  { title: 'Resources and memory', rules: ACCESS_RULES },
  { title: 'Declared against used', rules: DECLARATION_RULES },
  { title: 'Limits', rules: LIMIT_RULES },
  { title: 'Stages and shader models', rules: STAGE_RULES },
  { title: 'Flow control', rules: FLOW_RULES },
  { title: 'Thread group synchronisation', rules: SYNC_RULES },
  { title: 'Functions and interfaces', rules: FUNCTION_RULES },
  { title: 'Tessellation and geometry', rules: PIPELINE_RULES },
  { title: 'Signatures', rules: SIGNATURE_RULES },
]

/** Every rule, once. */
export const RULES: readonly Rule[] = RULE_FAMILIES.flatMap((family) => family.rules)
