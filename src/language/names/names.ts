/** Names that reflection gives to registers: of the container that a listing is of, else of the listing's header. */
import { readListingHeader } from '../../asm/index.ts'
import {
  bindingKindText,
  NO_REGISTER,
  type ReflectedElement,
  type Reflection,
  type ReflectionBuffer,
  type ReflectionVariable,
  readDxbc,
  reflect,
  type SignatureElement,
} from '../../dxbc/index.ts'
import { PROFILE_PREFIXES, type RegisterFileName, rowOfOpcode } from '../../isa/index.ts'
import { DECLARATION_CLASS, parameterOf } from '../../program/index.ts'
import { reflectedType, type SourceType } from '../../source/index.ts'
import type { ShaderDocument } from '../document.ts'
import { perDocument } from '../per-document.ts'
import { headerBuffers } from './header-buffers.ts'

/** Something that is bound, by the register that the program names it by. */
interface BindingName {
  readonly name: string
  readonly file: RegisterFileName
  readonly slot: number
  readonly space: number
}

/** What is known of names. */
interface Names {
  readonly bindings: readonly BindingName[]
  readonly buffers: readonly ReflectionBuffer[]
  readonly inputs: readonly ReflectedElement[]
  readonly outputs: readonly ReflectedElement[]
  readonly patchConstants: readonly ReflectedElement[]
}

const NONE: Names = { bindings: [], buffers: [], inputs: [], outputs: [], patchConstants: [] }

const FILES: Readonly<Record<string, RegisterFileName>> = {
  cb: 'constant-buffer',
  t: 'resource',
  s: 'sampler',
  u: 'uav',
}

function bindingName(name: string, register: string, slot: number, space: number): BindingName[] {
  const file = FILES[register]
  return file === undefined ? [] : [{ name, file, slot, space }]
}

function namesOfContainer(bytes: Uint8Array): Names | undefined {
  const container = readDxbc(bytes).value
  if (container === undefined) return undefined
  const r: Reflection = reflect(container).value
  const bindings = r.resources.flatMap((b) => bindingName(b.name, b.register, b.slot, b.space))
  return { ...r, bindings }
}

function elementsOf(list: readonly SignatureElement[] | undefined): readonly ReflectedElement[] {
  return (list ?? []).map((e) => ({
    name: e.name,
    semanticIndex: e.semanticIndex,
    systemValue: e.systemValue,
    componentType: 'unknown',
    ...(e.register === NO_REGISTER ? {} : { register: e.register }),
    mask: [...'xyzw'].filter((_, i) => (e.mask >> i) & 1).join(''),
    stream: e.stream ?? 0,
  }))
}

export type StageWord = Parameters<typeof readListingHeader>[1]
const STAGE_WORDS: readonly StageWord[] = ['ps', 'vs', 'gs', 'hs', 'ds', 'cs']

function namesOfHeader({ text, program }: ShaderDocument): Names {
  if (!text.startsWith('//') || program === undefined) return NONE
  const stage = STAGE_WORDS.find((word) => word === PROFILE_PREFIXES[program.stageNumber]) ?? 'vs'
  const { bindings, signatures } = readListingHeader(text, stage, () => {})
  return {
    bindings: bindings.flatMap((b) => bindingName(b.name, bindingKindText(b).register, b.bindPoint, b.space ?? 0)),
    buffers: headerBuffers(text),
    inputs: elementsOf(signatures.Input),
    outputs: elementsOf(signatures.Output),
    patchConstants: elementsOf(signatures['Patch Constant']),
  }
}

/** The names of a document's registers. */
const namesOf = perDocument((d: ShaderDocument): Names => {
  const given = d.container === undefined ? undefined : namesOfContainer(d.container)
  return given ?? namesOfHeader(d)
})

interface Range {
  readonly file: string
  readonly id: number
  readonly first: number
  readonly space: number
}

/** The ranges that Shader Model 5.1 declares: instructions name their identifiers. */
const ranges = perDocument(({ program, statements }: ShaderDocument): readonly Range[] => {
  if (program === undefined || program.major < 5 || program.minor < 1) return []
  return statements.flatMap((s): Range[] => {
    const traits = s.kind === 'instruction' ? rowOfOpcode(s.opcode)?.traits : undefined
    if (s.kind !== 'instruction' || traits?.kind !== 'declaration') return []
    if (DECLARATION_CLASS[traits.declares] !== 'binding') return []
    const [id, first] = s.operands[0]?.indices ?? []
    if (id?.kind !== 'immediate' || first?.kind !== 'immediate') return []
    const space = parameterOf(s, 'space') ?? 0
    return [{ file: String(s.operands[0]!.type), id: id.value, first: first.value, space }]
  })
})

/** The name of what is bound to a register; `number` is what instructions name it by. */
export function nameOfBinding(
  d: ShaderDocument,
  file: { name: string; number: number },
  number: number,
): string | undefined {
  const range = ranges(d).find((r) => r.file === String(file.number) && r.id === number)
  const [slot, space] = range === undefined ? [number, 0] : [range.first, range.space]
  return namesOf(d).bindings.find((b) => b.file === file.name && b.slot === slot && b.space === space)?.name
}

const ROW_BYTES = 16
const WORD_BYTES = 4
const COMPONENTS = 'xyzw'

/** The part of a value at a byte offset: `[3].color.x`; empty where the offset is in no part of it. */
function pathAt(type: SourceType, at: number): string {
  switch (type.kind) {
    case 'vector':
      return `.${COMPONENTS[Math.floor(at / WORD_BYTES)] ?? ''}`
    case 'matrix': {
      const [major, minor] = [Math.floor(at / type.stride), Math.floor((at % type.stride) / WORD_BYTES)]
      return type.isRowMajor ? `._m${major}${minor}` : `._m${minor}${major}`
    }
    case 'array': {
      const element = Math.floor(at / Math.max(1, type.stride))
      return `[${element}]${pathAt(type.element, at - element * type.stride)}`
    }
    case 'structure': {
      const member = type.members.findLast((m) => m.byteOffset <= at)
      return member === undefined ? '' : `.${member.name}${pathAt(member.type, at - member.byteOffset)}`
    }
    default:
      return ''
  }
}

/** A constant that lies at a place of its buffer. */
interface NamedConstant {
  /** `Params.tint.x`. */
  readonly path: string
  readonly variable: ReflectionVariable
  readonly buffer: string
}

/** The constant in a component of an element of a constant buffer. */
export function nameOfConstant(
  d: ShaderDocument,
  buffer: string,
  element: number,
  component: number,
): NamedConstant | undefined {
  const at = element * ROW_BYTES + component * WORD_BYTES
  const found = namesOf(d).buffers.find((b) => b.name === buffer)
  const variable = found?.variables.findLast((v) => v.byteOffset <= at)
  if (variable === undefined || at >= variable.byteOffset + variable.byteLength) return undefined
  const path = pathAt(reflectedType(variable, 'constants'), at - variable.byteOffset)
  return { path: `${buffer}.${variable.name}${path}`, variable, buffer }
}

const SIGNATURES: Readonly<Record<string, 'inputs' | 'outputs' | 'patchConstants'>> = {
  input: 'inputs',
  output: 'outputs',
  'input-control-point': 'inputs',
  'output-control-point': 'outputs',
  'patch-constant': 'patchConstants',
}

/** Inputs and outputs of the signature that lie in components of a register. */
export function signatureElements(
  d: ShaderDocument,
  file: string,
  register: number,
  mask: number,
): readonly ReflectedElement[] {
  const list = SIGNATURES[file]
  if (list === undefined) return []
  return namesOf(d)[list].filter((e) => {
    if (e.register !== register) return false
    return [...e.mask].some((letter) => (mask >> COMPONENTS.indexOf(letter)) & 1)
  })
}

/** Names that signatures of the document have: for completion. */
export const semanticNames = perDocument((d: ShaderDocument): readonly string[] => {
  const { inputs, outputs, patchConstants } = namesOf(d)
  return [...new Set([...inputs, ...outputs, ...patchConstants].map((e) => e.name))]
})

/** `TEXCOORD1`, `SV_Position`. */
export const semanticText = ({ name, semanticIndex }: ReflectedElement): string =>
  semanticIndex === 0 ? name : `${name}${semanticIndex}`
