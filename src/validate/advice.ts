/** Declarations that a program lacks, as the listing writes them: what findings advise to add. */
import type { DiagnosticDetails } from '../diagnostic/index.ts'
import {
  type DeclarationForm,
  DIMENSION_NUMBER,
  FILE,
  INSTRUCTIONS,
  RESOURCE_DIMENSION,
  RETURN_TYPE,
  registerFile,
  wordOf,
} from '../isa/index.ts'
import type { Operand } from '../program/index.ts'
import { type ProgramContext, place, type Site } from './context.ts'
import { maskText } from './operand.ts'

/** Uses of one register that is not declared: the first, and what a declaration must cover. */
export interface Uses {
  readonly site: Site
  readonly operand: Operand
  /** Operand of the first use. */
  readonly i: number
  count: number
  /** Components that are used. */
  mask: number
  /** Elements of a constant buffer that are used, at least. */
  elements: number
  /** A register chooses the element. */
  isIndexed: boolean
}

const MNEMONICS = new Map<DeclarationForm, string>()
for (const { traits, mnemonic } of INSTRUCTIONS) {
  if (traits.kind === 'declaration' && !MNEMONICS.has(traits.declares)) MNEMONICS.set(traits.declares, mnemonic)
}

const mnemonicOf = (form: DeclarationForm): string => MNEMONICS.get(form) ?? ''

/** `t1`; in Shader Model 5.1 `T1[1:1]`, where the register is a guess. */
function bindingName(context: ProgramContext, file: number, id: number): string {
  const { prefix = '', prefix51 = prefix } = registerFile(file) ?? {}
  return context.model >= 51 ? `${prefix51}${id}[${id}:${id}]` : `${prefix}${id}`
}

/** What the instruction says of the resource that it accesses; undefined where that is too little for a declaration. */
function accessed({ instruction, row }: Site): { dimension: number; stride: number } | undefined {
  const described = instruction.extended.find((e) => e.kind === 'resource-dimension')
  if (described !== undefined) return described
  const { traits } = row
  switch (traits.kind) {
    case 'sample':
    case 'gather':
      return { dimension: DIMENSION_NUMBER.texture2d, stride: 0 }
    case 'load':
    case 'store':
      if (traits.addressing === 'view') return undefined
      return { dimension: DIMENSION_OF_ADDRESSING[traits.addressing], stride: USUAL_STRIDE }
    default:
      return undefined
  }
}

/** Bytes of a structure where the instruction does not say them. */
const USUAL_STRIDE = 16
const DIMENSION_OF_ADDRESSING = {
  typed: DIMENSION_NUMBER.texture2d,
  raw: DIMENSION_NUMBER.rawBuffer,
  structured: DIMENSION_NUMBER.structuredBuffer,
} as const

const VIEW_FORMS: Readonly<Record<number, Readonly<Record<'typed' | 'raw' | 'structured', DeclarationForm>>>> = {
  [FILE.resource]: { typed: 'resource', raw: 'resource-raw', structured: 'resource-structured' },
  [FILE.uav]: { typed: 'uav-typed', raw: 'uav-raw', structured: 'uav-structured' },
}

function viewDeclaration(forms: (typeof VIEW_FORMS)[number], name: string, site: Site): string | undefined {
  const view = accessed(site)
  if (view === undefined) return undefined
  if (view.dimension === DIMENSION_NUMBER.rawBuffer) return `${mnemonicOf(forms.raw)} ${name}`
  if (view.dimension === DIMENSION_NUMBER.structuredBuffer) {
    return `${mnemonicOf(forms.structured)} ${name}, ${view.stride}`
  }
  const returned = site.instruction.extended.find((e) => e.kind === 'resource-return-type')
  const type = returned === undefined ? 'float' : wordOf(RETURN_TYPE, returned.returnTypes & 15)
  const types = Array<string>(4).fill(type).join(',')
  return `${mnemonicOf(forms.typed)}_${wordOf(RESOURCE_DIMENSION, view.dimension)} (${types}) ${name}`
}

/** The declaration of a resource, UAV, sampler or constant buffer; undefined where its uses do not say enough. */
export function bindingDeclaration(context: ProgramContext, file: number, id: number, uses: Uses): string | undefined {
  const name = bindingName(context, file, id)
  const space = context.model >= 51 ? ', space=0' : ''
  if (file === FILE.sampler) {
    const { traits } = uses.site.row
    const compares = (traits.kind === 'sample' || traits.kind === 'gather') && traits.comparison
    return `${mnemonicOf('sampler')} ${name}, ${compares ? 'mode_comparison' : 'mode_default'}${space}`
  }
  if (file === FILE['constant-buffer']) {
    const access = uses.isIndexed ? 'dynamicIndexed' : 'immediateIndexed'
    const buffer = context.model >= 51 ? name : `CB${id}`
    return `${mnemonicOf('constant-buffer')} ${buffer}[${Math.max(1, uses.elements)}], ${access}${space}`
  }
  const forms = VIEW_FORMS[file]
  const view = forms === undefined ? undefined : viewDeclaration(forms, name, uses.site)
  return view === undefined ? undefined : view + space
}

/** The declaration of an input or output register with a number. */
export function registerDeclaration(context: ProgramContext, operand: Operand, mask: number): string | undefined {
  const file = registerFile(operand.type)
  const register = operand.indices[0]
  if (operand.indices.length !== 1 || register?.kind !== 'immediate' || file === undefined) return undefined
  const name = `${file.prefix}${register.value}.${maskText(mask)}`
  if (operand.type === FILE.output) return `${mnemonicOf('output')} ${name}`
  if (operand.type !== FILE.input) return undefined
  return context.stage === 'pixel' ? `${mnemonicOf('input-ps')} linear ${name}` : `${mnemonicOf('input')} ${name}`
}

/** What a finding about something undeclared has beside its message: what to write, and how often it is used. */
interface Advice {
  readonly notes: readonly string[]
  readonly details: DiagnosticDetails
}

const timesMore = ({ count }: Uses): readonly string[] =>
  count === 1 ? [] : [`used ${count - 1} ${count === 2 ? 'time' : 'times'} more`]

export function undeclaredAdvice(declaration: string | undefined, uses: Uses): Advice {
  if (declaration === undefined) return { notes: timesMore(uses), details: {} }
  const fixes = [{ kind: 'declare', text: declaration } as const]
  return { notes: [`add '${declaration}'`, ...timesMore(uses)], details: { fixes } }
}

/** What to do about temporary registers beyond those that are declared, by `declared` if any. */
export function tempsAdvice(declared: Site | undefined, uses: Uses): Advice {
  const mnemonic = mnemonicOf('temps')
  if (declared === undefined) return undeclaredAdvice(`${mnemonic} ${uses.elements}`, uses)
  const fixes = [{ kind: 'raise', statement: declared.index, to: uses.elements } as const]
  const related = [{ place: place(declared), message: 'the registers are declared here' }]
  return { notes: [`raise ${mnemonic} to ${uses.elements}`, ...timesMore(uses)], details: { fixes, related } }
}
