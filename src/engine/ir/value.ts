import type { AtomicOperation, DoubleResult, DoubleToWord, LodSource, Primitive } from '../../isa/index.ts'
import type { Finding } from '../findings.ts'
import type { UndefinedReason } from '../observer.ts'

/**
 * Values, regions and items: the data of the intermediate language (docs/ir.md), which every room of the compiler
 * works on.
 */

/** Pure operations on one word, named as in ValueOps. */
export type WordOp = Exclude<Primitive, 'constant' | DoubleResult | DoubleToWord>

/** Operations whose result is a double; doubles are one value, packed from and split into words. */
export type DoubleOp = DoubleResult | 'f64Pack'
/** Operations that take doubles and give a word. */
export type DoubleToWordOp = DoubleToWord | 'f64Low' | 'f64High'

/**
 * What a thread has without computing: its own number, numbers of its group, words of constant buffers and sizes of
 * what is bound. `imm` chooses: a component, or a binding and one of its properties.
 */
type LeafOp =
  | 'constant'
  /** x, y, z of the thread in its group (imm 0 to 2) and the flattened number (3). */
  | 'threadInGroup'
  /** x, y, z of the group. */
  | 'groupId'
  /** The word of an input register of an invocation of a graphics stage, by slot (register-layout.ts). */
  | 'input'
  /** A property of a bound view: its address, sizes and counts (view-properties.ts). */
  | 'descriptor'

/** What patterns of primitive operations are recognized as, since machines have them whole. */
export type RecognizedOp =
  /** Direct3D's max and min: a number wins over NaN, +0 is above -0. */
  | 'f32Max'
  | 'f32Min'
  /** `a < b ? b : a` and `b < a ? b : a`. */
  | 'f32PseudoMax'
  | 'f32PseudoMin'
  | 'i32Max'
  | 'i32Min'
  | 'u32Max'
  | 'u32Min'

export type Op =
  | WordOp
  | RecognizedOp
  | DoubleOp
  | DoubleToWordOp
  | LeafOp
  /** Word of a constant buffer: imm is binding * 4 + component, the argument the constant's number. */
  | 'constantBuffer'
  /** The word of another lane of the quad of four: imm has two bits for each lane, the lane whose word it gets. */
  | 'quadSwizzle'
  /** Lane q of every vector is the word that quad q of the wave has in lane imm; behind the last quad any of these. */
  | 'packQuads'
  /** Of a word that `packQuads` made, or that was computed of such words: each lane's is that of its quad. */
  | 'unpackQuads'
  /** Bit l is the sign of the word of lane l, in waves that are one quad. */
  | 'quadSigns'
  /** Not 0 where the word is not 0 in any lane of the wave, those that are not active included: only speed may depend on it. */
  | 'anyLane'
  /** Word of the immediate constant buffer: imm is the component, the argument the constant's number. */
  | 'immediateConstant'
  /** Merge of values at the end of an `if`, at the end of a block or loop, or at the head of a loop. */
  | 'phi'
  /** Result number `imm` of an item with effects. */
  | 'result'

export interface Value {
  readonly id: number
  readonly op: Op
  readonly args: readonly Value[]
  readonly imm: number
  readonly double: boolean
  /** Statement that it was first made for. */
  readonly statement: number
  /** Where it is computed; its operands are computed in this region or around it. */
  readonly region: Region
}

/** A list of items, run in order. Regions nest; the values of outer ones are visible in inner ones. */
export interface Region {
  readonly depth: number
  readonly parent: Region | undefined
  readonly loopBody: boolean
  readonly items: Item[]
}

/** The target of breaks: the end of a block or loop. */
export interface Label {
  readonly id: number
  readonly loop: boolean
  /** Lanes leave for it by whole quads, so that the others keep their neighbors. */
  readonly wholeQuads?: boolean | undefined
  /** Values merged at the end, parallel to the arguments of each break. */
  readonly phis: Value[]
}

export interface IfMerge {
  readonly value: Value
  readonly taken: Value
  readonly otherwise: Value
}
export interface LoopPhi {
  readonly value: Value
  readonly init: Value
  readonly next: Value
}

/** How memory is addressed by an access; every address is a byte offset from the start of the space or view. */
export type MemorySpace =
  /** A raw or structured buffer: descriptor words at `binding`. */
  | { readonly kind: 'buffer'; readonly binding: number; readonly writable: boolean }
  | {
      readonly kind: 'tgsm'
      readonly byteOffset: number
      readonly byteLength: number
      readonly stride: number
      readonly count: number
    }
  /** Words that code alone reads: the mips of a bound texture (texture/mip-table.ts), or the floats of sRGB codes. */
  | { readonly kind: 'mip-table'; readonly binding: number }
  | { readonly kind: 'srgb-table' }
  /**
   * Registers that a batch of a graphics stage reads, or those it leaves, from a byte on: columns of one word per invocation, as
   * engine/batch.ts lays them out. Where `everyLane`
   * is set, lanes that do not run may write too: what they write is never read.
   */
  | {
      readonly kind: 'batch'
      readonly part: 'inputs' | 'outputs'
      readonly byteOffset: number
      readonly everyLane: boolean
      /** So many words from the address on are memory, and may be read with those that are wanted. */
      readonly readableWords?: number
    }

/** An access to memory by index and byte offset (structured) or by byte offset (raw). */
export interface AccessAddress {
  readonly space: MemorySpace
  /** Structure number; absent for raw. */
  readonly index: Value | undefined
  /** Byte offset in the structure, or from the start. */
  readonly offset: Value
  /** Bytes of a structure; 0 for raw. */
  readonly stride: number
  /** Texels: all ones where the address is in bounds; nothing else is checked then. */
  readonly valid?: Value
  /** Texels: what is wrong where it is not in bounds, by the first check that holds. */
  readonly checks?: readonly Check[]
}

/** The program that made the address keeps it in bounds. */
export const isAlwaysValid = ({ valid }: AccessAddress): boolean =>
  valid !== undefined && valid.op === 'constant' && valid.imm === 0xffffffff

/** What is found wrong with an operation: in which lanes, and the address and limit that a finding names. */
export interface Check {
  readonly reason: UndefinedReason
  /** Direct3D says what happens, so nothing is undefined. */
  readonly defined: boolean
  /** All ones where it is wrong. */
  readonly bad: Value
  readonly address: Value
  readonly limit: Value
  /** The texel that is named, for checks of textures. */
  readonly texel?: TexelValues
}

/** Coordinates of a texel; those that the view or the instruction does not have are absent. */
export type TexelValues = Readonly<Partial<Record<'x' | 'y' | 'z' | 'mip' | 'sample', Value | undefined>>>

export type EffectItem =
  | {
      readonly kind: 'load'
      readonly statement: number
      readonly address: AccessAddress
      /** Dwords from the address on that are read, as numbers 0 to 3; results are in this order. */
      readonly components: readonly number[]
      /** The dwords that the instruction names, once for each component: what findings are about, wanted or not. */
      readonly dwords: readonly number[]
      readonly results: Value[]
    }
  | {
      readonly kind: 'store'
      readonly statement: number
      readonly address: AccessAddress
      readonly values: readonly Value[]
      /** Bytes of an element that is no whole dword: so many are written, from the one value. */
      readonly bytes?: 1 | 2 | undefined
    }
  | {
      readonly kind: 'atomic'
      readonly statement: number
      readonly address: AccessAddress
      readonly operation: AtomicOperation
      /** Compared value (cmp-exch), or undefined. */
      readonly compare: Value | undefined
      readonly value: Value
      /** The word before; empty where it is unused. */
      readonly results: Value[]
    }
  | {
      readonly kind: 'counter'
      readonly statement: number
      readonly binding: number
      readonly direction: 'alloc' | 'consume'
      readonly results: Value[]
    }
  | {
      readonly kind: 'private-load'
      /** Number in the list of private arrays. */
      readonly array: number
      readonly index: Value
      readonly component: number
      readonly results: Value[]
    }
  | {
      readonly kind: 'private-store'
      readonly array: number
      readonly index: Value
      readonly component: number
      readonly value: Value
    }
  | {
      /** Typed access, sample, gather or query: done by texel code for known formats, else by a call to the host. */
      readonly kind: 'texel'
      readonly statement: number
      readonly request: TexelRequest
      readonly args: readonly Value[]
      readonly results: Value[]
    }
  | {
      /**
       * Bilinear filter of texels of four floats: addresses of the four texels (first in u, then in v), or of the first texels
       * of two rows whose second texels stand right behind them, and weights. Rows may be blended with those of another mip. Results:
       * four components, then, where texels may be any numbers, whether in any lane of the wave they may differ from what exact
       * flushes give.
       */
      readonly kind: 'filter'
      readonly statement: number
      readonly taps: readonly Value[]
      readonly u: Value
      readonly v: Value
      readonly far: (FilterTaps & { readonly fraction: Value }) | undefined
      /**
       * Of codes: bits of a number of a texel, of which two stand behind each other for a row and the next one. Taps are the addresses of
       * first texels, u and v positions of 8 fraction bits, the fraction is in units of 2^-14; results are sums of whole numbers
       * (machine/sampling/code-filter.ts).
       */
      readonly codeBits: 8 | 16 | undefined
      readonly results: Value[]
    }
  | { readonly kind: 'stop'; readonly statement: number }
  | {
      /** Something that has no result of its own may be wrong: an index, a call, a question about nothing. */
      readonly kind: 'report'
      readonly statement: number
      /** Number of the operand that it is about; the memory that the instruction accesses where absent. */
      readonly operand: number | undefined
      readonly access: Finding['access']
      readonly check: Check
      /** Findings a lane: one for each component that is read. */
      weight: number
      /** Binding where nothing may be bound, which is then what is wrong; and the address that the finding names. */
      readonly unbound: { readonly binding: number; readonly address: number } | undefined
    }

/**
 * The operation of a texel item, apart from values. Arguments of the item, by operation:
 * - load: x, y, z, w as in the register (w the mip of a texture), and the sample number
 * - store: x, y, z, then four words; atomic: x, y, z, the value, the compared value
 * - sample: four coordinates; level of detail, bias, or 3 + 3 derivatives, by `lod`; reference; clamp
 * - lod: four coordinates, 3 + 3 derivatives
 * - gather: four coordinates; two offsets where they are computed; reference
 * - resinfo: the mip; samplepos: the sample number
 */
export interface TexelRequest {
  readonly operation: 'load' | 'store' | 'atomic' | 'sample' | 'gather' | 'lod' | 'resinfo' | 'samplepos'
  readonly writable: boolean
  readonly binding: number
  readonly sampler: number | undefined
  readonly lod: LodSource | undefined
  readonly compare: boolean
  readonly clamp: boolean
  /** Component that a gather takes. */
  readonly component: number
  readonly offset: readonly [number, number, number]
  readonly computedOffset: boolean
  readonly atomic: AtomicOperation | undefined
  /** An atomic that returns the word before: an undefined one where it is out of bounds (22.17). */
  readonly returns: boolean
}

/** Number of the result of a filter that says whether its components must be computed again exactly. */
export const FILTER_NEEDS_EXACT = 4

export type Item =
  | { readonly kind: 'value'; readonly value: Value }
  | EffectItem
  | {
      readonly kind: 'if'
      readonly condition: Value
      readonly taken: Region
      readonly otherwise: Region
      readonly phis: IfMerge[]
    }
  | {
      readonly kind: 'block'
      readonly label: Label
      readonly body: Region
      /** Arguments of falling off the end; undefined where that does not happen. */
      readonly fallthroughArgs: readonly Value[] | undefined
    }
  | {
      readonly kind: 'loop'
      readonly label: Label
      readonly headerPhis: readonly LoopPhi[]
      readonly body: Region
      /** Instructions that one iteration executes at least; what the budget counts. */
      readonly cost: number
      /** Where it begins. */
      readonly statement: number
    }
  | { readonly kind: 'break'; readonly label: Label; readonly args: readonly Value[] }
  | { readonly kind: 'barrier'; readonly statement: number }

const NO_VALUES: readonly Value[] = []

/** Items that have results. */
export function resultsOf(item: Item): readonly Value[] {
  switch (item.kind) {
    case 'load':
    case 'atomic':
    case 'counter':
    case 'private-load':
    case 'texel':
    case 'filter':
      return item.results
    case 'value':
    case 'store':
    case 'private-store':
    case 'stop':
    case 'report':
    case 'if':
    case 'block':
    case 'loop':
    case 'break':
    case 'barrier':
      return NO_VALUES
    default:
      return item satisfies never
  }
}

/** Addresses of a filter's texels on one mip, and weights of the second in u and v. */
export interface FilterTaps {
  readonly taps: readonly Value[]
  readonly u: Value
  readonly v: Value
}

const tapValues = ({ taps, u, v }: FilterTaps): Value[] => [...taps, u, v]

/** Values that an effect item reads. */
export function operandsOf(item: EffectItem): readonly Value[] {
  switch (item.kind) {
    case 'load':
      return addressValues(item.address)
    case 'store':
      return [...addressValues(item.address), ...item.values]
    case 'atomic':
      return [...addressValues(item.address), item.value, ...(item.compare === undefined ? [] : [item.compare])]
    case 'private-load':
      return [item.index]
    case 'private-store':
      return [item.index, item.value]
    case 'texel':
      return item.args
    case 'filter':
      return item.far === undefined ? tapValues(item) : [...tapValues(item), ...tapValues(item.far), item.far.fraction]
    case 'report':
      return checkValues(item.check)
    case 'counter':
    case 'stop':
      return []
    default:
      return item satisfies never
  }
}

function addressValues(address: AccessAddress): readonly Value[] {
  const { index, offset, valid, checks = [] } = address
  const present = [index, offset, valid].filter((v) => v !== undefined)
  return [...present, ...checks.flatMap(checkValues)]
}

const checkValues = ({ bad, address, limit, texel = {} }: Check): Value[] => [
  bad,
  address,
  limit,
  ...Object.values(texel).filter((v) => v !== undefined),
]
