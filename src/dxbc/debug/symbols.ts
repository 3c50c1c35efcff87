import { FILE } from '../../isa/index.ts'
import type { ByteReader } from '../bytes.ts'
import type { GroupsharedVariable } from './model.ts'

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
  localData: 0x1152,
  localDataWithSpace: 0x1165,
} as const

/** A range of code in which (part of) a variable lives in a register. */
export interface LiveRange {
  readonly registerFile: number
  /** Byte offsets in the register space, outermost dimension last. */
  readonly offsets: readonly number[]
  readonly offsetInVariable: number
  /** Byte offsets at which the variable is (again) there: the start, and the end of each gap. */
  readonly starts: readonly number[]
}

export interface Variable {
  readonly name: string
  readonly type: number
  readonly ranges: LiveRange[]
}

/** A procedure, or the copy of one at a place where it was inlined. */
export interface Scope {
  readonly kind: 'procedure' | 'inline-site'
  readonly byteOffset: number
  /** Of an inline site: the function's number, and its binary annotations. */
  readonly inlinee: number
  readonly annotations: readonly number[]
  readonly variables: Variable[]
}

function readRange(r: ByteReader, at: number, end: number): LiveRange {
  const dimensions = r.u16(at + 2, 'the register of a variable') & 3
  const start = r.u32(at + 8, 'the range of a variable')
  const offsetsAt = end - 4 * dimensions
  const starts = [start]
  for (let gap = at + 16; gap + 4 <= offsetsAt; gap += 4) {
    starts.push(start + r.u16(gap, 'a gap of a range') + r.u16(gap + 2, 'a gap of a range'))
  }
  return {
    registerFile: r.u16(at, 'the register of a variable'),
    offsets: r.dwords(offsetsAt, dimensions, 'the register of a variable').map((o) => o | 0),
    offsetInVariable: r.u16(at + 4, 'the part of a variable'),
    starts,
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
  for (let at = from; at + 4 <= end && r.fault === undefined; ) {
    const next = at + 2 + r.u16(at, 'the length of a symbol')
    if (next < at + 4 || next > end) break
    const body = at + 4
    switch (r.u16(at + 2, 'a symbol')) {
      case SYMBOL.procedure:
      case SYMBOL.localProcedure:
      case SYMBOL.procedureId:
      case SYMBOL.localProcedureId:
        procedureOffset = r.u32(body + 28, 'the offset of a procedure')
        enter({ kind: 'procedure', byteOffset: procedureOffset, inlinee: 0, annotations: [], variables: [] })
        break
      case SYMBOL.inlineSite: {
        const annotations = Array.from(r.slice(body + 12, next - body - 12, 'the annotations of an inlined function'))
        const inlinee = r.u32(body + 8, 'an inlined function')
        enter({ kind: 'inline-site', byteOffset: procedureOffset, inlinee, annotations, variables: [] })
        break
      }
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
          ranges: [],
        }
        open[open.length - 1]?.variables.push(variable)
        break
      case SYMBOL.range:
        if (next - body >= 16) variable?.ranges.push(readRange(r, body, next))
        break
    }
    at = next
  }
  return scopes
}

/** Data of a module that is no local variable: Shader Model 4.0 to 5.0, and 5.1, where registers have a space. */
function groupsharedAt(r: ByteReader, kind: number, body: number): GroupsharedVariable | undefined {
  const what = 'a variable of the module'
  if (kind === SYMBOL.localData && r.u16(body + 4, what) === FILE.tgsm) {
    return { register: r.u16(body + 6, what), name: r.text(body + 16, what) }
  }
  if (kind === SYMBOL.localDataWithSpace && r.u16(body + 20, what) === FILE.tgsm) {
    return { register: r.u32(body + 4, what), name: r.text(body + 22, what) }
  }
  return undefined
}

/** The groupshared variables among the symbols of a module. */
export function readGroupshared(r: ByteReader, from: number, end: number): readonly GroupsharedVariable[] {
  const found: GroupsharedVariable[] = []
  for (let at = from; at + 4 <= end && r.fault === undefined; ) {
    const next = at + 2 + r.u16(at, 'the length of a symbol')
    if (next < at + 4 || next > end) break
    const variable = groupsharedAt(r, r.u16(at + 2, 'a symbol'), at + 4)
    if (variable !== undefined) found.push(variable)
    at = next
  }
  return found
}
