import { FILE } from '../../isa/index.ts'
import type { ByteReader } from '../bytes.ts'

/** Kinds of symbol records. Numbers are those of CodeView. */
const SYMBOL = {
  end: 0x0006,
  block: 0x1103,
  localProcedure: 0x110f,
  procedure: 0x1110,
  local: 0x113e,
  localProcedureId: 0x1146,
  procedureId: 0x1147,
  inlineSite: 0x114d,
  inlineSiteEnd: 0x114e,
  procedureIdEnd: 0x114f,
  range: 0x1150,
  compiler: 0x113c,
  environment: 0x113d,
  globalData: 0x1151,
  localData: 0x1152,
  globalDataWithSpace: 0x1164,
  localDataWithSpace: 0x1165,
} as const

/** A range of code in which (part of) a variable is in a register. */
export interface LiveRange {
  readonly registerFile: number
  /** Byte offsets in the register space, outermost dimension last. */
  readonly offsets: readonly number[]
  readonly offsetInVariable: number
  readonly byteLength: number
  /** Byte offsets in the code: of the first instruction, and behind the last. */
  readonly start: number
  readonly end: number
  /** Where, inside, another range of the variable has its value: byte offsets, ends exclusive. */
  readonly gaps: readonly { readonly start: number; readonly end: number }[]
}

/** Byte offsets at which the variable is (again) there: the start, and the end of each gap. */
export const startsOf = ({ start, gaps }: LiveRange): readonly number[] => [start, ...gaps.map((g) => g.end)]

export interface Variable {
  readonly name: string
  readonly type: number
  /** VARIABLE_FLAG */
  readonly flags: number
  readonly ranges: LiveRange[]
}

/** Bits of a variable's flags that fxc uses. */
export const VARIABLE_FLAG = { parameter: 0x1, return: 0x80 } as const

/** A procedure, or the copy of one at a place where it was inlined. */
export interface Scope {
  readonly kind: 'procedure' | 'inline-site'
  /** Of the procedure: an inline site has that of the one around it. */
  readonly byteOffset: number
  /** Bytes of a procedure's code; 0 of an inline site. */
  readonly byteLength: number
  /** Of a procedure; of an inline site empty. */
  readonly name: string
  /** The scope around, absent of a procedure. */
  readonly parent?: Scope
  /** Scopes around it. */
  readonly depth: number
  /** Of an inline site: the function's number, and its binary annotations. */
  readonly inlinee: number
  readonly annotations: readonly number[]
  readonly variables: Variable[]
}

function readRange(r: ByteReader, at: number, end: number): LiveRange {
  const dimensions = r.u16(at + 2, 'the register of a variable') & 3
  const start = r.u32(at + 8, 'the range of a variable')
  const offsetsAt = end - 4 * dimensions
  const gaps: { start: number; end: number }[] = []
  for (let gap = at + 16; gap + 4 <= offsetsAt; gap += 4) {
    const from = start + r.u16(gap, 'a gap of a range')
    gaps.push({ start: from, end: from + r.u16(gap + 2, 'a gap of a range') })
  }
  return {
    registerFile: r.u16(at, 'the register of a variable'),
    offsets: r.dwords(offsetsAt, dimensions, 'the register of a variable').map((o) => o | 0),
    offsetInVariable: r.u16(at + 4, 'the part of a variable'),
    byteLength: r.u16(at + 6, 'the part of a variable'),
    start,
    end: start + r.u16(at + 14, 'the range of a variable'),
    gaps,
  }
}

function readProcedure(r: ByteReader, body: number, next: number): Scope {
  return {
    kind: 'procedure',
    byteOffset: r.u32(body + 28, 'the offset of a procedure'),
    byteLength: r.u32(body + 12, 'the length of a procedure'),
    name: next > body + 35 ? r.text(body + 35, 'the name of a procedure') : '',
    depth: 0,
    inlinee: 0,
    annotations: [],
    variables: [],
  }
}

/** A function that is inlined into the procedure at `byteOffset`, in the scope around it if there is one. */
function readInlineSite(
  r: ByteReader,
  body: number,
  next: number,
  byteOffset: number,
  around: Scope | undefined,
): Scope {
  const annotations = Array.from(r.slice(body + 12, next - body - 12, 'the annotations of an inlined function'))
  return {
    kind: 'inline-site',
    byteOffset,
    byteLength: 0,
    name: '',
    ...(around === undefined ? {} : { parent: around }),
    depth: around === undefined ? 0 : around.depth + 1,
    inlinee: r.u32(body + 8, 'an inlined function'),
    annotations,
    variables: [],
  }
}

/** Reads the symbols of a module: its scopes in their order, each with its own variables. */
export function readSymbols(r: ByteReader, from: number, end: number): readonly Scope[] {
  const scopes: Scope[] = []
  const open: (Scope | undefined)[] = []
  let procedureOffset = 0
  let variable: Variable | undefined
  const enter = (scope: Scope): void => {
    scopes.push(scope)
    open.push(scope)
  }
  for (const [kind, body, next] of symbolsIn(r, from, end)) {
    switch (kind) {
      case SYMBOL.procedure:
      case SYMBOL.localProcedure:
      case SYMBOL.procedureId:
      case SYMBOL.localProcedureId:
        enter(readProcedure(r, body, next))
        procedureOffset = scopes[scopes.length - 1]!.byteOffset
        break
      case SYMBOL.inlineSite:
        enter(readInlineSite(r, body, next, procedureOffset, open[open.length - 1]))
        break
      case SYMBOL.block:
        open.push(open[open.length - 1])
        break
      case SYMBOL.end:
      case SYMBOL.inlineSiteEnd:
      case SYMBOL.procedureIdEnd:
        open.pop()
        break
      case SYMBOL.local:
        variable = {
          type: r.u32(body, 'the type of a variable'),
          name: r.text(body + 6, 'the name of a variable'),
          flags: r.u16(body + 4, 'a variable'),
          ranges: [],
        }
        open[open.length - 1]?.variables.push(variable)
        break
      case SYMBOL.range:
        if (next - body >= 16) variable?.ranges.push(readRange(r, body, next))
        break
    }
  }
  return scopes
}

/** Data that is no local variable: of constant buffers, resources, samplers, shared memory, static arrays. */
export interface DataSymbol {
  readonly name: string
  readonly type: number
  readonly isGlobal: boolean
  readonly registerFile: number
  /** Slot, or in Shader Model 5.1 the identifier of the range; NO_SLOT where the register file has no slot here. */
  readonly register: number
  readonly byteOffset: number
  readonly space: number
  /** Lower bound of the range, Shader Model 5.1 alone. */
  readonly lowerBound?: number
}

const NO_SLOT_WORD = 0xffff

/** Where in a record of Shader Model 4.0 to 5.0 the slot of a register file stands; others have theirs in the first. */
const SLOT_AT: Readonly<Record<number, number>> = {
  [FILE.resource]: 10,
  [FILE.sampler]: 12,
  [FILE.uav]: 14,
}
const DATA_SLOT_AT = 6

function dataSymbolAt(r: ByteReader, kind: number, body: number): DataSymbol | undefined {
  const what = 'a variable of the module'
  const type = (): number => r.u32(body, what)
  if (kind === SYMBOL.localData || kind === SYMBOL.globalData) {
    const registerFile = r.u16(body + 4, what)
    const own = r.u16(body + (SLOT_AT[registerFile] ?? DATA_SLOT_AT), what)
    return {
      name: r.text(body + 16, what),
      type: type(),
      isGlobal: kind === SYMBOL.globalData,
      registerFile,
      register: own === NO_SLOT_WORD ? r.u16(body + DATA_SLOT_AT, what) : own,
      byteOffset: r.u16(body + 8, what),
      space: 0,
    }
  }
  if (kind !== SYMBOL.localDataWithSpace && kind !== SYMBOL.globalDataWithSpace) return undefined
  return {
    name: r.text(body + 22, what),
    type: type(),
    isGlobal: kind === SYMBOL.globalDataWithSpace,
    registerFile: r.u16(body + 20, what),
    register: r.u32(body + 4, what),
    byteOffset: r.u32(body + 8, what),
    space: r.u32(body + 12, what),
    lowerBound: r.u32(body + 16, what),
  }
}

/** Each symbol of a stream: its kind, where its body begins and where the next one begins. */
function* symbolsIn(r: ByteReader, from: number, end: number): Generator<readonly [number, number, number]> {
  for (let at = from; at + 4 <= end && r.fault === undefined; ) {
    const next = at + 2 + r.u16(at, 'the length of a symbol')
    if (next < at + 4 || next > end) return
    yield [r.u16(at + 2, 'a symbol'), at + 4, next]
    at = next
  }
}

/** The data among symbols. */
export function readData(r: ByteReader, from: number, end: number): readonly DataSymbol[] {
  const found: DataSymbol[] = []
  for (const [kind, body] of symbolsIn(r, from, end)) {
    const symbol = dataSymbolAt(r, kind, body)
    if (symbol !== undefined) found.push(symbol)
  }
  return found
}

/** The compiler's name, and what it was given. */
export interface CompilerSymbols {
  readonly compiler: string
  readonly settings: ReadonlyMap<string, string>
}

const COMPILER_NAME_AT = 22

export function readCompiler(r: ByteReader, from: number, end: number): CompilerSymbols {
  let compiler = ''
  const settings = new Map<string, string>()
  for (const [kind, body, next] of symbolsIn(r, from, end)) {
    if (kind === SYMBOL.compiler && next > body + COMPILER_NAME_AT) {
      compiler = r.text(body + COMPILER_NAME_AT, 'the name of the compiler')
    }
    if (kind !== SYMBOL.environment) continue
    for (let at = body + 1; at < next && r.fault === undefined && r.u8(at, 'a setting') !== 0; ) {
      const name = r.text(at, 'a setting')
      at += name.length + 1
      const value = at < next ? r.text(at, 'a setting') : ''
      at += value.length + 1
      settings.set(name, value)
    }
  }
  return { compiler, settings }
}
