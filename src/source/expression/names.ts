/** What names stand for: variables of the frame, globals, registers. */
import { didYouMean } from '../../diagnostic/index.ts'
import { REGISTER_FILES, type RegisterFile, type ValueOps } from '../../isa/index.ts'
import type { SourceMap, SourceVariable } from '../model.ts'
import type { ValueState } from '../state.ts'
import { fail } from './fault.ts'
import type { Span } from './tree.ts'

/** Where an expression is evaluated. */
export interface ExpressionContext {
  readonly map: SourceMap
  readonly state: ValueState
  /** The operations of instructions, with denormals and so on as the shader was loaded. */
  readonly operations: ValueOps<number>
  /** Index in `Program.statements` of the statement that comes next. */
  readonly statement: number
  readonly lane: number
  /** Index in `inlineStack`; default 0, the innermost. */
  readonly frame?: number | undefined
}

/** A register by its name, with as many indices as it has so far. */
export interface NamedRegister {
  readonly kind: 'register'
  readonly file: RegisterFile
  readonly indices: readonly number[]
  /** Indices it may still take, and those it needs. */
  readonly most: number
  readonly least: number
}

export type Named = { readonly kind: 'variable'; readonly variable: SourceVariable } | NamedRegister

/** Files whose values are read by lane; memory, textures and what only has a name are not among them. */
const READ_BY_LANE: ReadonlySet<string> = new Set(['register', 'input', 'output', 'constant'])

interface Prefix {
  readonly file: RegisterFile
  readonly is51: boolean
}

const PREFIXES: ReadonlyMap<string, Prefix> = new Map<string, Prefix>(
  REGISTER_FILES.flatMap((file): readonly (readonly [string, Prefix])[] => [
    [file.prefix, { file, is51: false }] as const,
    ...(file.prefix51 === undefined ? [] : [[file.prefix51, { file, is51: true }] as const]),
  ]),
)

const REGISTER = /^\$?([A-Za-z]+?)(\d*)$/

/** The register that a name is, as the listing writes it; `$r0` where a variable has the same name. */
function registerNamed(name: string): (Prefix & { readonly number: number | undefined }) | undefined {
  const m = REGISTER.exec(name)
  const prefix = m === null ? undefined : PREFIXES.get(m[1]!)
  if (m === null || prefix === undefined) return undefined
  const number = m[2] === '' ? undefined : Number(m[2])
  const hasNumber = prefix.file.indices[1] > 0
  return hasNumber || number === undefined ? { ...prefix, number } : undefined
}

function namedRegister(name: string): NamedRegister | undefined {
  const found = registerNamed(name)
  if (found === undefined || !READ_BY_LANE.has(found.file.class)) return undefined
  const { file, is51, number } = found
  const indices = number === undefined ? [] : [number]
  const [least, most] = file.indices
  if (file.class === 'constant' && least === 2)
    return { kind: 'register', file, indices, least: is51 ? 3 : 2, most: is51 ? 3 : 2 }
  if (file.name === 'indexable-temp') return { kind: 'register', file, indices, least: 2, most: 2 }
  // A number against the prefix is the only index: v1; with two all stand in brackets: v[0][1].
  return {
    kind: 'register',
    file,
    indices,
    least: Math.min(1, least),
    most: number === undefined ? most : Math.min(1, most),
  }
}

/** The variable behind t#, u#, g#: elements have their types there. */
function boundVariable(name: string, variables: readonly SourceVariable[]): SourceVariable | undefined {
  const found = registerNamed(name)
  if (found?.number === undefined) return undefined
  const { file, is51, number } = found
  return variables.find((v) => {
    const home = v.home.kind === 'memory' && v.home.file === 'tgsm' ? v.home : undefined
    const bound = v.binding ?? home
    if (bound?.file !== file.name) return false
    return bound.indices[0] === number && (is51 || bound.indices.length === 1)
  })
}

/** Variables in the order in which names find them: of the frame, globals, of the frames outside and inside. */
export function visibleVariables({ map, statement, frame = 0 }: ExpressionContext): readonly SourceVariable[] {
  const all = map.variablesAt(statement)
  const rank = (v: SourceVariable): number => (v.frame === frame ? 0 : v.frame === undefined ? 1 : 2)
  return [...all].sort((a, b) => rank(a) - rank(b))
}

/** The variable of a name: of the frame, the one declared last; else a global; else of another frame, the nearest inside. */
function variableNamed(name: string, variables: readonly SourceVariable[], frame: number): SourceVariable | undefined {
  let global: SourceVariable | undefined
  let own: SourceVariable | undefined
  let other: SourceVariable | undefined
  for (const v of variables) {
    if (v.name !== name) continue
    if (v.frame === frame) own = v
    else if (v.frame === undefined) global ??= v
    else other ??= v
  }
  return own ?? global ?? other
}

/** The register that a name is where no variable has the same name. */
export function registerAt(name: string, { map, statement, frame = 0 }: ExpressionContext): NamedRegister | undefined {
  const variable = variableNamed(name, map.variablesAt(statement), frame)
  return variable === undefined || variable.kind === 'register' ? namedRegister(name) : undefined
}

/** What a name stands for; fails with the nearest names where it stands for nothing. */
export function resolveName(name: string, context: ExpressionContext, span: Span): Named {
  const register = registerAt(name, context)
  if (register !== undefined) return register
  const variables = context.map.variablesAt(context.statement)
  const variable = variableNamed(name, variables, context.frame ?? 0)
  if (variable !== undefined && variable.kind !== 'register') return { kind: 'variable', variable }
  const bound = boundVariable(name, variables)
  if (bound !== undefined) return { kind: 'variable', variable: bound }
  const known = new Set([...variables.map((v) => v.name), ...PREFIXES.keys()])
  return fail('source-name', `there is no variable or register ${name} here`, span, ...didYouMean(name, known))
}
