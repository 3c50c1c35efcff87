import { type DebugComment, readDebugComment } from './debug-comment.ts'
import { float9 } from './float9.ts'
import {
  COMPARISONS_9,
  OPERATIONS_9,
  type Operation9,
  SAMPLE_NAMES_9,
  SAMPLER_KINDS_9,
  USAGES_9,
} from './operations.ts'
import {
  type Kind9,
  PREDICATE_9,
  registerName,
  registerType,
  resultModifiers,
  SAMPLER_9,
  sourceText,
  writeMask,
} from './registers.ts'

const END = 0xffff
const COMMENT = 0xfffe
const VERTEX_SHADER = 0xfffe
const TEXLD = 'texld'

interface Reading {
  readonly tokens: readonly number[]
  readonly kind: Kind9
  readonly static20: boolean
  readonly lines: string[]
  depth: number
  slots: number
  textureSlots: number
  debug: DebugComment | undefined
  /** The source file of the instructions so far. */
  file: string | undefined
}

/** The profile of a version token: `vs_2_0`, `ps_2_x`. */
function profile(version: number, kind: Kind9): string {
  const minor = version & 0xff
  return `${kind}_${(version >>> 8) & 0xff}_${minor === 0 ? '0' : minor === 0xff ? 'sw' : 'x'}`
}

/**
 * The listing of Direct3D 9 code as it stands in a `4_0_level_9_x` shader: the profile and the instructions indented by
 * four blanks, an empty line, and the count of instruction slots. Reading stops at the end token, at the end of the
 * tokens, or at an opcode that version 2 does not have.
 */
export function disassemble9(tokens: readonly number[]): string[] {
  const version = tokens[0] ?? 0
  const kind = version >>> 16 === VERTEX_SHADER ? 'vs' : 'ps'
  const static20 = (version & 0xff) === 0
  const lines = [`    ${profile(version, kind)}`]
  const r: Reading = {
    tokens,
    kind,
    static20,
    lines,
    depth: 0,
    slots: 0,
    textureSlots: 0,
    debug: undefined,
    file: undefined,
  }
  let at = 1
  while (at < tokens.length && tokens[at] !== END) {
    const token = tokens[at]!
    if ((token & 0xffff) === COMMENT) {
      const length = (token >>> 16) & 0x7fff
      r.debug ??= readDebugComment(tokens.slice(at + 1, at + 1 + length))
      at += 1 + length
      continue
    }
    const operation = OPERATIONS_9.get(token & 0xffff)
    if (operation === undefined) break
    const length = (token >>> 24) & 15
    printSourceFile(r, 4 * at)
    printInstruction(r, operation, token, tokens.slice(at + 1, at + 1 + length))
    printNote(r, 4 * at)
    at += 1 + length
  }
  return [...lines, '', slotLine(r)]
}

/** A line for the source where its file changes; lines of the same file are not named again (quirks/vs_level9_0_debug). */
function printSourceFile(r: Reading, byteOffset: number): void {
  const source = r.debug?.files.get(byteOffset)
  if (source === undefined || source.file === r.file) return
  r.lines.push('', `#line ${source.line} "${source.file}"`)
  r.file = source.file
}

function printNote(r: Reading, byteOffset: number): void {
  const note = r.debug?.notes.get(byteOffset)
  if (note !== undefined) r.lines.push(`${r.lines.pop()}  // ${note}`)
}

function slotLine({ slots, textureSlots }: Reading): string {
  const split = textureSlots > 0 ? ` (${textureSlots} texture, ${slots - textureSlots} arithmetic)` : ''
  return `// approximately ${slots} instruction slot${slots === 1 ? '' : 's'} used${split}`
}

function printInstruction(r: Reading, operation: Operation9, token: number, parameters: readonly number[]): void {
  const slots = r.static20 ? (operation.slots20 ?? operation.slots) : operation.slots
  r.slots += slots
  if (operation.texture === true) r.textureSlots += slots
  if (operation.closesBlock === true) r.depth = Math.max(0, r.depth - 1)
  r.lines.push(`    ${'  '.repeat(r.depth)}${instructionText(r.kind, operation, token, parameters)}`)
  if (operation.opensBlock === true) r.depth = Math.min(r.depth + 1, 64)
}

function instructionText(kind: Kind9, operation: Operation9, token: number, parameters: readonly number[]): string {
  const name = instructionName(operation, token)
  const first = parameters[0] ?? 0
  switch (operation.parameters) {
    case 'none':
      return name
    case 'dcl':
      return declaration(kind, first, parameters[1] ?? 0)
    case 'def':
      return `def ${registerName(first, kind)}, ${four(parameters).map(float9).join(', ')}`
    case 'defi':
      return `defi ${registerName(first, kind)}, ${four(parameters)
        .map((bits) => bits | 0)
        .join(', ')}`
    case 'defb':
      return `defb ${registerName(first, kind)}, ${(parameters[1] ?? 0) !== 0 ? 'true' : 'false'}`
    case 'src-only':
      return `${name} ${sources(kind, parameters).join(', ')}`
    case 'dst-only':
      return `${name}${resultModifiers(first)} ${registerName(first, kind)}${writeMask(first)}`
    case 'dst':
      return withDestination(kind, name, token, parameters)
  }
}

function four(parameters: readonly number[]): number[] {
  return [1, 2, 3, 4].map((i) => parameters[i] ?? 0)
}

function instructionName(operation: Operation9, token: number): string {
  const control = (token >>> 16) & 0xff
  if (operation.compares === true) return `${operation.name}_${COMPARISONS_9[control & 7]}`
  return operation.name === TEXLD ? (SAMPLE_NAMES_9[control] ?? operation.name) : operation.name
}

/** A predicated instruction has its predicate after the destination and prints it in front. */
function withDestination(kind: Kind9, name: string, token: number, parameters: readonly number[]): string {
  const destination = parameters[0] ?? 0
  const predicated = ((token >>> 28) & 1) === 1
  const rest = sources(kind, parameters.slice(1))
  const predicate = predicated ? rest.shift() : undefined
  const target = `${registerName(destination, kind)}${writeMask(destination)}`
  const front = predicate === undefined ? '' : `(${predicate}) `
  return `${front}${name}${resultModifiers(destination)} ${[target, ...rest].join(', ')}`
}

/** Source operands; one that is relatively addressed is followed by the token of its address register. */
function sources(kind: Kind9, tokens: readonly number[]): string[] {
  const texts: string[] = []
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i]!
    const address = (token >>> 13) & 1 ? tokens[++i] : undefined
    const relative = address === undefined ? undefined : sourceText(address, kind, undefined)
    texts.push(sourceText(token, kind, registerIsWhole(token) ? undefined : relative))
  }
  return texts
}

/** Predicates have no index to be relative. */
function registerIsWhole(token: number): boolean {
  return registerType(token) === PREDICATE_9
}

function declaration(kind: Kind9, usage: number, register: number): string {
  const target = `${registerName(register, kind)}${writeMask(register)}`
  const modifiers = resultModifiers(register)
  if (registerType(register) === SAMPLER_9) {
    return `dcl_${SAMPLER_KINDS_9[(usage >>> 27) & 15] ?? ''}${modifiers} ${registerName(register, kind)}`
  }
  // The inputs of a version 2 pixel shader are distinguished by their registers alone.
  if (kind === 'ps') return `dcl${modifiers} ${target}`
  const index = (usage >>> 16) & 15
  return `dcl_${USAGES_9[usage & 31] ?? 'unknown'}${index > 0 ? index : ''}${modifiers} ${target}`
}
