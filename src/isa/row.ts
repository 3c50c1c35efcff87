import type { Control } from './controls.ts'
import type { RegisterFileName } from './register-files.ts'
import type { AtomicOperation } from './semantics/atomic.ts'
import type { ValueOps } from './semantics/value-ops.ts'
import type { StageSet } from './stages.ts'

/**
 * What the components of an operand are read or written as. `bits` are 32 bits that keep their pattern; `f16` is a
 * 16-bit float in the low half of a word, whose upper half is not read.
 */
export type ComponentType = 'f32' | 'i32' | 'u32' | 'f64' | 'f16' | 'bits'

/**
 * What an operand is for.
 * - `dest`: a register that receives a result. `source`: a value. `condition`: a value that is only tested.
 * - `address`: coordinates, byte offsets, structure indices, sample and mip numbers.
 * - `resource` (t# or, for loads, u#/g#), `sampler`, `memory` (u# or g# that is written), `label`, `function`,
 *   `stream`: things that are named, not valued. `declared`: the register a declaration declares.
 */
export type OperandRole =
  | 'dest'
  | 'source'
  | 'condition'
  | 'address'
  | 'resource'
  | 'sampler'
  | 'memory'
  | 'label'
  | 'function'
  | 'stream'
  | 'declared'

/** What an operand is for where its role does not say it: readers find operands by their purpose, never by their name. */
export type OperandPurpose =
  | 'coordinates'
  | 'texel-offset'
  | 'sample-index'
  | 'mip-level'
  | 'structure-index'
  | 'byte-offset'
  | 'lod'
  | 'lod-bias'
  | 'lod-clamp'
  | 'x-derivatives'
  | 'y-derivatives'
  | 'reference'
  /** Receives the status of a feedback form. */
  | 'status'

/** Source modifiers that Direct3D allows on an operand: none, negate, or negate and absolute value. */
export type ModifierSet = 'none' | 'neg' | 'neg-abs'

/** The place of an operand in a row: what it is, what is read of it, and what may stand there. */
export interface OperandSlot {
  readonly name: string
  readonly role: OperandRole
  readonly purpose?: OperandPurpose
  readonly type: ComponentType
  /** How many components are read whatever the write mask says (1 for a selected component); absent: as the mask. */
  readonly components?: 1 | 2 | 3 | 4
  readonly modifiers: ModifierSet
  /** The `null` register is allowed here. */
  readonly nullable: boolean
  /** Register files that fit; absent: every file that fits the role. */
  readonly files?: readonly RegisterFileName[]
  /** The listing writes `{own as dest}` where the minimum precisions differ; conversions and comparisons do not cast. */
  readonly castsPrecision: boolean
}

/** How the listing prints 32-bit literals of an instruction: `%f`, small integers else `%f`, or integers. */
export type LiteralStyle = 'float' | 'auto' | 'integer'

/**
 * How `semantics` sees components.
 * - `componentwise`: called once per component of the write mask, one word per source, one word per destination.
 * - `reduce`: called once with all components each slot names, its one result goes to every masked component.
 * - `pairs`: called once per 64-bit value; each `f64` slot is two words (low, high), each other slot one word.
 */
export type LaneRule = 'componentwise' | 'reduce' | 'pairs'

/** The meaning of a pure instruction: words in operand order to words in operand order, in the operations of `o`. */
export type Semantics = <V>(o: ValueOps<V>, source: readonly V[]) => readonly V[]

/** What a flow-control instruction does to the structure of the program. */
export type FlowAction =
  | 'if'
  | 'else'
  | 'endif'
  | 'loop'
  | 'endloop'
  | 'switch'
  | 'case'
  | 'default'
  | 'endswitch'
  | 'break'
  | 'continue'
  | 'ret'
  | 'call'
  | 'label'
  | 'fcall'
  | 'discard'

/** Where the level of detail of a sample comes from. */
export type LodSource = 'derivatives' | 'bias' | 'explicit' | 'gradients' | 'zero'

/** How an instruction names a place in memory: byte offset; structure index and byte offset; texel coordinates; by the view. */
export type Addressing = 'raw' | 'structured' | 'typed' | 'view'

/** What kind of thing an instruction is, with the data that a handler of that kind needs. */
export type Traits =
  /** Pure: results depend on the source words alone. */
  | { readonly kind: 'alu'; readonly lanes: LaneRule; readonly semantics: Semantics }
  | { readonly kind: 'nop' }
  | { readonly kind: 'flow'; readonly action: FlowAction; readonly conditional: boolean }
  | {
      readonly kind: 'load'
      readonly addressing: Addressing
      readonly multisample: boolean
      readonly feedback: boolean
    }
  | { readonly kind: 'store'; readonly addressing: Addressing }
  | { readonly kind: 'atomic'; readonly operation: AtomicOperation; readonly returnsOriginal: boolean }
  | { readonly kind: 'counter'; readonly direction: 'alloc' | 'consume' }
  | {
      readonly kind: 'sample'
      readonly lod: LodSource
      readonly comparison: boolean
      readonly feedback: boolean
      readonly clamp: boolean
    }
  | {
      readonly kind: 'gather'
      readonly comparison: boolean
      readonly programmableOffset: boolean
      readonly feedback: boolean
    }
  | {
      readonly kind: 'query'
      readonly query: 'resinfo' | 'bufinfo' | 'sampleinfo' | 'samplepos' | 'lod' | 'fully-mapped'
    }
  | { readonly kind: 'sync' }
  | { readonly kind: 'derivative'; readonly axis: 'x' | 'y'; readonly precision: 'any' | 'coarse' | 'fine' }
  | { readonly kind: 'eval'; readonly at: 'snapped' | 'sample' | 'centroid' }
  | { readonly kind: 'stream'; readonly emits: boolean; readonly cuts: boolean }
  | { readonly kind: 'phase'; readonly phase: 'declarations' | 'control-point' | 'fork' | 'join' }
  | { readonly kind: 'debug'; readonly action: 'abort' | 'break' }
  | { readonly kind: 'custom-data' }
  | {
      readonly kind: 'declaration'
      readonly declares: DeclarationForm
      /** A system value that the hardware generates (`_sgv`), where the other one of the same form is for interpreted ones. */
      readonly generated?: true
    }

/** What a declaration declares; each form has one layout of operands and parameters and one form of text. */
export type DeclarationForm =
  | 'resource'
  | 'resource-raw'
  | 'resource-structured'
  | 'uav-typed'
  | 'uav-raw'
  | 'uav-structured'
  | 'tgsm-raw'
  | 'tgsm-structured'
  | 'sampler'
  | 'constant-buffer'
  | 'index-range'
  | 'input'
  | 'input-sv'
  | 'input-ps'
  | 'input-ps-sv'
  | 'output'
  | 'output-sv'
  | 'temps'
  | 'indexable-temp'
  | 'global-flags'
  | 'gs-input-primitive'
  | 'gs-output-topology'
  | 'gs-max-output'
  | 'gs-instances'
  | 'stream'
  | 'thread-group'
  | 'function-body'
  | 'function-table'
  | 'interface'
  | 'input-control-points'
  | 'output-control-points'
  | 'tess-domain'
  | 'tess-partitioning'
  | 'tess-output-primitive'
  | 'hs-max-tessfactor'
  | 'hs-fork-instances'
  | 'hs-join-instances'

/**
 * Which counters of the statistics (STAT) an arithmetic instruction adds to, as fxc counts. `truth-test`: where its first
 * source is the literal 0 it counts as a conversion, to a truth value, and as nothing else. `truth-mask`: likewise in
 * programs compiled without optimization where its second source is the literal 1 (integer or float): from a truth
 * value. `move` counts as float where its source is negated.
 */
export type CountedAs = 'float' | 'int' | 'uint' | 'conversion' | 'move' | 'select' | 'truth-test' | 'truth-mask'

/** Something beyond the shader model that an instruction needs of the program's global flags or of the device. */
export type Requirement = 'double' | 'double-extensions' | 'shader-extensions' | 'tiled-resources'

/** A shader model: 4.0, 4.1, 5.0 or 5.1. */
export interface ShaderModelNumber {
  readonly major: 4 | 5
  readonly minor: 0 | 1
}

/** One instruction, described once. Everything that reads, writes, lists, checks or runs it starts from this row. */
export interface InstructionRow {
  /** As fxc prints it, without suffixes for controls. */
  readonly mnemonic: string
  /** Bits 0 to 10 of the opcode token. */
  readonly opcode: number
  /** The name in Microsoft's token format header, without its prefix. */
  readonly enumName: string
  readonly traits: Traits
  /** Lowest shader model. */
  readonly since: ShaderModelNumber
  /** Also allowed in the 4.x profiles that Direct3D 11 adds: in cs_4_x alone, or in every 4.x stage. */
  readonly downlevel: 'none' | 'compute' | 'all'
  readonly stages: StageSet
  readonly requires: readonly Requirement[]
  /** Operands in token order, destinations first as the token format has them. */
  readonly operands: readonly OperandSlot[]
  /**
   * Names of the dwords beside the operands, in order; a last `...` stands for a list to the end. `space` is there in
   * SM5.1 alone (and `size` of a constant buffer likewise).
   */
  readonly parameters: readonly string[]
  /** The parameters stand before the operands in the token stream (fcall). */
  readonly parametersFirst: boolean
  /** With bit 31 of the opcode token set, the next dword is the instruction's length (lists that outgrow 7 bits). */
  readonly longForm: boolean
  readonly controls: readonly Control[]
  readonly literals: LiteralStyle
  readonly countedAs: readonly CountedAs[]
  /**
   * When fxc leaves a dword of 0 unused at the end of the instruction: on textures (samplepos, where the rasterizer has
   * none), or on textures that take texel offsets where there is no offset (corpus: ps/samplepos, ps/feedback).
   */
  readonly slack?: 'texture' | 'unused-offset'
  /** fxc itself writes it somewhere in the corpus; else the source of our knowledge of its text. */
  readonly evidence: 'corpus' | 'patched'
  /** Spellings of the reference pages that the assembler also accepts, never printed. */
  readonly aliases: readonly string[]
  /** One sentence. */
  readonly summary: string
  /** Section of the functional specification, empty where it has none. */
  readonly spec: string
}

/** The prose of a row. */
export type RowText = Pick<InstructionRow, 'summary' | 'spec'>
