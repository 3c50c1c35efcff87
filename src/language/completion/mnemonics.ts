/** Instructions that a program may have, as snippets. */
import { mnemonicWords } from '../../asm/index.ts'
import {
  INSTRUCTIONS,
  type InstructionRow,
  isInModel,
  needsQuad,
  PROFILE_PREFIXES,
  type ShaderModelNumber,
  STAGES,
  type Stage,
  stageOfNumber,
} from '../../isa/index.ts'
import { closedBy, openedBy } from '../../program/index.ts'
import type { ShaderDocument } from '../document.ts'
import { wordKindOf } from '../instruction-text.ts'
import { perDocument } from '../per-document.ts'
import type { CompletionItem } from './item.ts'

const MODELS: readonly ShaderModelNumber[] = [
  { major: 5, minor: 0 },
  { major: 5, minor: 1 },
  { major: 4, minor: 0 },
  { major: 4, minor: 1 },
]

/** Stages that begin with Shader Model 5.0. */
const SINCE_50: ReadonlySet<Stage> = new Set(['hull', 'domain'])

/** `ps_5_0` and the others, for a text that has no profile yet. */
export function profileItems(): readonly CompletionItem[] {
  return STAGES.flatMap((stage, i) =>
    MODELS.filter((m) => m.major === 5 || !SINCE_50.has(stage)).map(({ major, minor }): CompletionItem => {
      const label = `${PROFILE_PREFIXES[i]}_${major}_${minor}`
      return {
        label,
        kind: 'keyword',
        detail: `${stage} shader`,
        insert: `${label}\n`,
        isSnippet: false,
        rank: 5 - major,
      }
    }),
  )
}

/** Whether a row may stand in a program of a stage and model. */
function isLegal(row: InstructionRow, stage: Stage | undefined, model: number): boolean {
  if (stage !== undefined && !row.stages.includes(stage)) return false
  if (stage !== undefined && stage !== 'pixel' && needsQuad(row)) return false
  return isInModel(row, stage, model)
}

/** The mnemonic that ends the block that a row opens. */
function endOf({ traits }: InstructionRow): string | undefined {
  const opened = traits.kind === 'flow' ? openedBy(traits.action) : undefined
  const end = INSTRUCTIONS.find((r) => r.traits.kind === 'flow' && closedBy(r.traits.action) === opened)
  return opened === undefined ? undefined : end?.mnemonic
}

/** The operands as places to fill in; of what opens a block its end too. */
function snippetOf(row: InstructionRow, label: string): string {
  const places = row.operands.map((slot, i) => `\${${i + 1}:${slot.name}}`)
  const numbers =
    row.traits.kind === 'declaration'
      ? row.parameters.filter((p) => p !== '...' && p !== 'returnTypes' && p !== 'space')
      : []
  const all = [...places, ...numbers.map((p, i) => `\${${places.length + i + 1}:${p}}`)]
  const types = row.parameters.includes('returnTypes') ? ' (float,float,float,float)' : ''
  const line = `${label}${types}${all.length === 0 ? '' : ` ${all.join(', ')}`}`
  const end = endOf(row)
  return end === undefined ? line : `${line}\n  $0\n${end}`
}

function itemsOf(row: InstructionRow): readonly CompletionItem[] {
  return mnemonicWords(row).map((label, i): CompletionItem => {
    const { mnemonic, summary } = row
    const rank = row.evidence === 'corpus' ? i : 6
    return {
      label,
      kind: wordKindOf(row),
      detail: summary,
      insert: snippetOf(row, label),
      isSnippet: true,
      mnemonic,
      rank,
    }
  })
}

/** What may begin a statement of the document's stage and model. */
export const mnemonicItems = perDocument(({ program }: ShaderDocument): readonly CompletionItem[] => {
  const stage = stageOfNumber(program?.stageNumber ?? -1)
  const [major, minor] = [program?.major ?? 5, program?.minor ?? 0]
  return INSTRUCTIONS.filter((row) => isLegal(row, stage, major * 10 + minor)).flatMap(itemsOf)
})
