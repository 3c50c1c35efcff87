/** The page of validation rules; the script that writes it uses this, and the test that holds it up to date. */
import { RULE_FAMILIES, type Rule } from '../src/validate/index.ts'

/** A program that breaks a rule and one that just does not, as texts. */
export interface RuleExample {
  readonly breaks: string
  readonly holds: string
}

/** Examples that are long because the limit they break is large say nothing more than the rule does. */
const MAX_EXAMPLE_LINES = 40

const INTRODUCTION = [
  '# Validation rules',
  '',
  'Every rule that `validate` runs, by family. Made from the rules themselves by `scripts/write-validation-doc.ts`; do not',
  'edit by hand. What reading a container or its program finds has codes of its own (`dxbc-...`, `program-...`).',
  '',
  'Each rule has a text that breaks it, and nothing else, and one that just does not. No rule says anything about what',
  "fxc makes; annotations such as `{token ...}` are those of the dialect `lossless`, for what fxc's listing cannot say.",
]

const codeBlock = (text: string): readonly string[] => ['```', text, '```']

function exampleLines(example: RuleExample | undefined): readonly string[] {
  if (example === undefined) return []
  const longest = Math.max(example.breaks.split('\n').length, example.holds.split('\n').length)
  if (longest > MAX_EXAMPLE_LINES) return []
  return ['', 'Breaks it:', '', ...codeBlock(example.breaks), '', 'Holds:', '', ...codeBlock(example.holds)]
}

function ruleLines(rule: Rule, example: RuleExample | undefined): readonly string[] {
  const source = rule.source === undefined ? '' : ` Source: ${rule.source}.`
  return [
    '',
    `### ${rule.code}`,
    '',
    `*${rule.severity}*: ${rule.title}.${source}`,
    '',
    rule.explanation,
    ...exampleLines(example),
  ]
}

/** The reference page of all rules as Markdown, with the examples that there are. */
export function renderRuleReference(examples: Readonly<Record<string, RuleExample>> = {}): string {
  const families = RULE_FAMILIES.flatMap((family) => [
    '',
    `## ${family.title}`,
    ...family.rules.flatMap((rule) => ruleLines(rule, examples[rule.code])),
  ])
  return `${[...INTRODUCTION, ...families].join('\n')}\n`
}
