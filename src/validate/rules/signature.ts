import type { CodeInfo } from '../../diagnostic/index.ts'
import type { SignatureElement } from '../../dxbc/index.ts'
import { FILE, type Stage, SYSTEM_VALUE } from '../../isa/index.ts'
import type { SignatureKind } from '../container-context.ts'
import { type PhaseKind, type ProgramContext, place, type RegisterDeclaration } from '../context.ts'
import { maskText, registerText } from '../operand.ts'
import { type SignatureCheck, type SignatureContext, signatureRule } from '../rule.ts'

/** The signature that a declared register stands in; undefined for registers without (vThreadID, oDepth, vPrim). */
function signatureOf(
  d: RegisterDeclaration,
  stage: Stage,
  phase: PhaseKind,
  isOutput: boolean,
): SignatureKind | undefined {
  switch (d.operand.type) {
    case FILE.input:
    case FILE['input-control-point']:
      return 'input'
    case FILE['output-control-point']:
      return 'output'
    case FILE['patch-constant']:
      return 'patch-constant'
    case FILE.output:
      if (!isOutput) return undefined
      return stage === 'hull' && phase !== 'control-point' ? 'patch-constant' : 'output'
    default:
      return undefined
  }
}

const KINDS: readonly SignatureKind[] = ['input', 'output', 'patch-constant']

interface Pair {
  readonly declaration: RegisterDeclaration
  readonly kind: SignatureKind
  /** Elements of the signature in the same register and stream. */
  readonly elements: readonly SignatureElement[]
}

/** Every declared register that a signature that is there describes. */
function pairsOf({ program, signatures }: SignatureContext): readonly Pair[] {
  const stage = program?.stage
  if (program === undefined || stage === undefined) return []
  const pairs: Pair[] = []
  const byKind = new Map(KINDS.map((kind) => [kind, signatures[kind] && elementsByRegister(signatures[kind])]))
  for (const phase of program.phases) {
    const add = (declaration: RegisterDeclaration, isOutput: boolean): void => {
      const kind = signatureOf(declaration, stage, phase.kind, isOutput)
      const signature = kind === undefined ? undefined : byKind.get(kind)
      if (kind === undefined || signature === undefined) return
      const elements = signature.get(elementKey(declaration.register, declaration.stream)) ?? []
      pairs.push({ declaration, kind, elements })
    }
    for (const declaration of phase.inputs) add(declaration, false)
    for (const declaration of phase.outputs) add(declaration, true)
  }
  return pairs
}

const elementKey = (register: number, stream: number): number => stream * 0x100000000 + register

function elementsByRegister(signature: readonly SignatureElement[]): ReadonlyMap<number, readonly SignatureElement[]> {
  const found = new Map<number, SignatureElement[]>()
  for (const e of signature) {
    const key = elementKey(e.register, e.stream ?? 0)
    const known = found.get(key)
    if (known === undefined) found.set(key, [e])
    else known.push(e)
  }
  return found
}

/** D3D_NAME of a system value in tokens: the tessellation factors have one name for all their edges. */
const NAME_OF_FACTOR: Readonly<Record<string, number>> = {
  finalQuadUeq0EdgeTessFactor: 11,
  finalQuadVeq0EdgeTessFactor: 11,
  finalQuadUeq1EdgeTessFactor: 11,
  finalQuadVeq1EdgeTessFactor: 11,
  finalQuadUInsideTessFactor: 12,
  finalQuadVInsideTessFactor: 12,
  finalTriUeq0EdgeTessFactor: 13,
  finalTriVeq0EdgeTessFactor: 13,
  finalTriWeq0EdgeTessFactor: 13,
  finalTriInsideTessFactor: 14,
  finalLineDetailTessFactor: 15,
  finalLineDensityTessFactor: 16,
}

function nameOfSystemValue(value: number): number {
  return NAME_OF_FACTOR[SYSTEM_VALUE.words[value] ?? ''] ?? value
}

const isDamaged = (program: ProgramContext | undefined): boolean => program === undefined || program.damaged

/** Elements are compared a few thousand at most; a real signature has 32 registers. */
const MAX_ELEMENTS = 1024

const isComparable = (context: SignatureContext): boolean =>
  !isDamaged(context.program) && Object.values(context.signatures).every((s) => s.length <= MAX_ELEMENTS)

/** Registers that one finding names. */
const MAX_NAMED = 8

const SIGNATURE_NOTES = [
  'a text that is assembled alone needs its rows in the tables of the comments in front of it (// Input signature:)',
  'over a base (--base) the signatures are those of the base',
]

export const SIGNATURE_RULES: readonly (SignatureCheck & CodeInfo)[] = [
  signatureRule('validate-signature-register', (context, report) => {
    if (!isComparable(context)) return
    const pairs = pairsOf(context)
    for (const kind of KINDS) {
      const missing = pairs
        .filter((pair) => pair.kind === kind)
        .flatMap(({ declaration, elements }) => {
          const mask = elements.reduce((left, e) => left & ~e.mask, declaration.mask)
          return mask === 0 ? [] : [{ declaration, name: `${registerText(declaration.operand)}.${maskText(mask)}` }]
        })
      const [first] = missing
      if (first === undefined) continue
      const [is, it] = missing.length === 1 ? ['is', 'it'] : ['are', 'them']
      const names = missing.slice(0, MAX_NAMED).map((m) => m.name)
      const more = missing.length > MAX_NAMED ? ` and ${missing.length - MAX_NAMED} more` : ''
      const text = `${names.join(', ')}${more} ${is} declared; the ${kind} signature does not have ${it}.`
      report(text, place(first.declaration.site, 0), SIGNATURE_NOTES)
    }
  }),
  signatureRule('validate-signature-system-value', (context, report) => {
    if (!isComparable(context)) return
    for (const { declaration, kind, elements } of pairsOf(context)) {
      const wanted = nameOfSystemValue(declaration.systemValue)
      const covering = elements.filter((e) => (e.mask & declaration.mask) !== 0)
      if (wanted === 0 || covering.length === 0 || covering.some((e) => e.systemValue === wanted)) continue
      const word = SYSTEM_VALUE.words[declaration.systemValue] ?? declaration.systemValue
      const found = covering[0]!
      const text = `${registerText(declaration.operand)} is declared as ${word}`
      const says = `the ${kind} signature has ${found.name} with system value ${found.systemValue}`
      report(`${text}; ${says}.`, place(declaration.site, 0))
    }
  }),
  signatureRule('validate-signature-overlap', (context, report) => {
    for (const kind of KINDS) {
      const claimed = new Map<string, number>()
      for (const e of context.signatures[kind] ?? []) {
        const key = `${e.stream ?? 0}:${e.register}`
        const clash = (claimed.get(key) ?? 0) & e.mask
        claimed.set(key, (claimed.get(key) ?? 0) | e.mask)
        if (clash === 0 || e.register > 31) continue
        const where = `register ${e.register}, .${maskText(clash)}`
        report(`${e.name}${e.semanticIndex} shares ${where} with another element of the ${kind} signature.`)
      }
    }
  }),
]
