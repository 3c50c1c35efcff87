/**
 * What is wrong with a shader: rules as data over a container or a program. A rule has a code, a severity, a title, an
 * explanation and a source (all in the registry of codes) and a check; `RULES` lists them, `validate` runs them.
 *
 * Invariants: a rule states what the functional specification states, nothing that only a compiler's habit suggests;
 * no rule says anything about what fxc makes; nothing here throws or takes time out of proportion on damaged input.
 * It does not run a shader (bounds that depend on data are for `check`), and it does not repair.
 */
export type { ContainerCheck, ProgramCheck, Report, Rule } from './rule.ts'
export { RULE_FAMILIES, RULES, type RuleFamily } from './rules/index.ts'
export {
  type IncrementalValidation,
  type Signatures,
  validate,
  validateIncrementally,
  validateSignatures,
} from './validate.ts'
