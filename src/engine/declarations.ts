import { countLeading } from '../diagnostic/index.ts'
import type { Program } from '../program/index.ts'
import type { EntryDeclaration, StageDeclaration } from './stage-declarations.ts'

/** What a program declares, as data, and what is found in it; `gather` makes it. */

/**
 * The registers a declaration names. Shader Model 4.0 to 5.0: one register, `id` is its number. Shader Model 5.1: `id`
 * is the range identifier that instructions name, the range is registers `first` to `last` of `space`.
 */
export interface RegisterRange {
  /** What instructions name as their first index. */
  readonly id: number
  readonly first: number
  /** Last register, inclusive; 0xffffffff for an array without bounds. */
  readonly last: number
  readonly space: number
  /** Index of the declaration in `Program.statements`. */
  readonly statement: number
}

/** A range of shader resource views that the program declares. */
export interface ResourceDeclaration extends RegisterRange {
  readonly shape: 'typed' | 'raw' | 'structured'
  /** Number in RESOURCE_DIMENSION: `buffer`, a texture dimension, or the raw and structured buffers' own. */
  readonly dimension: number
  /** Return types of x, y, z, w as four numbers of RETURN_TYPE, 4 bits each; 0 where the shape is not typed. */
  readonly returnTypes: number
  /** Bytes of a structure; 0 where the shape is not structured. */
  readonly stride: number
  /** Samples that a multisample texture must have; 0 for any. */
  readonly sampleCount: number
}

/** A range of unordered access views that the program declares. */
export interface UavDeclaration extends ResourceDeclaration {
  readonly globallyCoherent: boolean
  /** A rasterizer ordered view: pixel shader invocations of one pixel access it in the order of their primitives. */
  readonly rasterizerOrdered: boolean
  /** The shader uses the hidden counter (structured only). */
  readonly counter: boolean
  /** Atomics that the program executes on it: none, the exchange alone, or others. */
  readonly atomics: 'none' | 'exchange' | 'all'
}

/** A range of constant buffers that the program declares. */
export interface ConstantBufferDeclaration extends RegisterRange {
  /** Declared constants of 16 bytes; 0 stands for "unknown size". */
  readonly constantCount: number
}

/** A range of samplers that the program declares. */
export interface SamplerDeclaration extends RegisterRange {
  readonly comparison: boolean
}

/** Thread group shared memory that the program declares. Sizes are in bytes. */
export interface TgsmDeclaration {
  readonly register: number
  readonly shape: 'raw' | 'structured'
  readonly byteLength: number
  /** Bytes of a structure; 0 for raw. */
  readonly stride: number
  /** Structures; bytes / 4 for raw. */
  readonly count: number
  /** First byte in the group's whole shared memory, when the registers lie one after the other. */
  readonly byteOffset: number
  readonly statement: number
}

/** An array of temporary registers (`dcl_indexableTemp`). */
export interface IndexableTempDeclaration {
  readonly register: number
  readonly count: number
  /** Components declared, 1 to 4; storage is always four. */
  readonly components: number
  readonly statement: number
}

/** A table of function bodies (`dcl_function_table`). */
export interface FunctionTable {
  readonly table: number
  /** Function bodies (labels `fb#`) by call site. */
  readonly bodies: readonly number[]
}

/** `fp#[arrayLength][callSiteCount] = {tables}`. */
export interface InterfaceDeclaration {
  readonly interface: number
  readonly arrayLength: number
  readonly callSiteCount: number
  readonly tables: readonly number[]
  readonly dynamicallyIndexed: boolean
  readonly statement: number
}

/** What a program declares, gathered once for engines, bindings, observers and the pipeline. */
export interface Declarations {
  readonly program: Program
  readonly stage: StageDeclaration
  /** The phases of a hull shader in order; one entry, the whole program, for the other stages. */
  readonly entries: readonly EntryDeclaration[]
  /** The program can discard pixels. */
  readonly hasDiscard: boolean
  readonly tempCount: number
  readonly indexableTemps: readonly IndexableTempDeclaration[]
  /** Words of the immediate constant buffer, four a constant. */
  readonly immediateConstants: Uint32Array
  readonly resources: readonly ResourceDeclaration[]
  readonly uavs: readonly UavDeclaration[]
  readonly constantBuffers: readonly ConstantBufferDeclaration[]
  readonly samplers: readonly SamplerDeclaration[]
  readonly tgsm: readonly TgsmDeclaration[]
  readonly tgsmByteLength: number
  readonly functionTables: readonly FunctionTable[]
  readonly interfaces: readonly InterfaceDeclaration[]
}

const UNBOUNDED = 0xffffffff

/** True for Shader Model 5.1, where bindings are ranges with a register space. */
export function hasRanges(program: Program): boolean {
  return program.major === 5 && program.minor >= 1
}

/** The x# registers of an entry: those that are declared in it. */
export function indexableTempsOf(
  d: Pick<Declarations, 'indexableTemps'>,
  entry: Pick<EntryDeclaration, 'first' | 'end'>,
): readonly IndexableTempDeclaration[] {
  const all = d.indexableTemps
  // They stand in the order of their statements, and a shader can have thousands of phases.
  const before = (statement: number): number => countLeading(all, (x) => x.statement < statement)
  return all.slice(before(entry.first), before(entry.end))
}

/** Threads of a group in x, y, z; 1 x 1 x 1 in stages without groups. */
export function threadsOf(d: Declarations): readonly [number, number, number] {
  return d.stage.kind === 'compute' ? d.stage.threads : [1, 1, 1]
}

/** Threads of a group; 1 in stages without groups. */
export function threadCountOf(d: Declarations): number {
  return d.stage.kind === 'compute' ? d.stage.threadCount : 1
}

const RANGES_BY_ID = new WeakMap<readonly RegisterRange[], ReadonlyMap<number, RegisterRange>>()

/** The first range of a program's declarations with an id. It runs for every statement, so lists are gone through once. */
export function findRange<T extends RegisterRange>(ranges: readonly T[], id: number): T | undefined {
  let byId = RANGES_BY_ID.get(ranges)
  if (byId === undefined) {
    byId = new Map(ranges.toReversed().map((range) => [range.id, range]))
    RANGES_BY_ID.set(ranges, byId)
  }
  return byId.get(id) as T | undefined
}

/** The number of registers of a range; Infinity without bounds. */
export function rangeLength(range: RegisterRange): number {
  return range.last === UNBOUNDED ? Number.POSITIVE_INFINITY : range.last - range.first + 1
}

/** Where a g# begins in its group's shared memory. */
export function tgsmOffset({ tgsm }: Declarations, register: number): number {
  return tgsm.find((t) => t.register === register)?.byteOffset ?? 0
}
