/** A shader program as plain data: what the code chunk (SHDR or SHEX) says, nothing less and nothing more. */
export interface Program {
  /** Bits 16 to 31 of the version token: 0 pixel, 1 vertex, 2 geometry, 3 hull, 4 domain, 5 compute. */
  readonly stageNumber: number
  readonly major: number
  readonly minor: number
  /** Bits 8 to 15 of the version token; 0 in every known shader. */
  readonly versionSpare: number
  readonly statements: readonly Statement[]
  /** The length token, in dwords, where it differs from what the statements take. */
  readonly declaredDwordCount?: number
  /** Bytes of the chunk after the last statement. */
  readonly trailing: Uint8Array
}

/** One entry of a program, in the order of its tokens. */
export type Statement = Instruction | CustomData | UnknownTokens

/** An instruction, declaration or phase marker. Its row (`rowOfOpcode`) says what its parts mean. */
export interface Instruction {
  readonly kind: 'instruction'
  readonly opcode: number
  /** Bits 11 to 23 of the opcode token, in place; `controlOf` reads one control. */
  readonly controls: number
  readonly extended: readonly ExtendedOpcode[]
  readonly operands: readonly Operand[]
  /** The dwords beside the operands, as the row names them; any that are left over come last. */
  readonly parameters: readonly number[]
  /** The length stands in a dword of its own (bit 31 of the opcode token of a row with `longForm`). */
  readonly long?: {
    /** What bits 24 to 30 of the opcode token then hold. */
    readonly shortLength: number
  }
}

/** An extended opcode token. `spare` holds bits that the kind does not use, in place. */
export type ExtendedOpcode =
  | {
      readonly kind: 'sample-offset'
      /** Texel offsets, -8 to 7. */
      readonly u: number
      readonly v: number
      readonly w: number
      readonly spare: number
    }
  | {
      readonly kind: 'resource-dimension'
      /** Number in the RESOURCE_DIMENSION enumeration. */
      readonly dimension: number
      /** Bytes of a structure, 0 for other resources. */
      readonly stride: number
      readonly spare: number
    }
  | {
      readonly kind: 'resource-return-type'
      /** Numbers in the RETURN_TYPE enumeration for x, y, z, w, 4 bits each from bit 0. */
      readonly returnTypes: number
      readonly spare: number
    }
  | { readonly kind: 'other'; readonly token: number }

/** How an operand chooses components, the number in bits 2 and 3 of its token (3 means nothing to Direct3D). */
export const SELECT_MASK = 0
export const SELECT_SWIZZLE = 1
export const SELECT_ONE = 2

/** Number of components, the number in bits 0 and 1 of an operand token. */
export const COMPONENTS_0 = 0
export const COMPONENTS_1 = 1
export const COMPONENTS_4 = 2
export const COMPONENTS_N = 3

/** Source modifiers, the number in an extended operand token. */
export const MODIFIER_NONE = 0
export const MODIFIER_NEG = 1
export const MODIFIER_ABS = 2
export const MODIFIER_ABSNEG = 3

/** An operand as its tokens have it: register file, components, modifiers, indices or an immediate value. */
export interface Operand {
  /** Register file, bits 12 to 19 of the operand token. */
  readonly type: number
  /** COMPONENTS_0, _1, _4 or _N. */
  readonly components: number
  /** SELECT_MASK, SELECT_SWIZZLE or SELECT_ONE; 0 where `components` is not COMPONENTS_4. */
  readonly mode: number
  /** Bits 4 to 11 of the token: a mask (low 4 bits), a swizzle (2 bits a component) or a component number. */
  readonly selection: number
  readonly indices: readonly OperandIndex[]
  /** MODIFIER_NONE, _NEG, _ABS or _ABSNEG. */
  readonly modifier: number
  /** 0 none, else a number of the MIN_PRECISION_WORD enumeration. */
  readonly minPrecision: number
  readonly nonUniform: boolean
  /** Dwords of an immediate: one a component, two for a 64-bit component (low dword first as stored). */
  readonly values: readonly number[]
  /** What the fields above do not say; absent on every operand that a compiler makes. */
  readonly extra?: OperandExtra
}

/** What is unusual about the extended tokens of an operand. */
export interface OperandExtra {
  /** The extended operand tokens as stored, where they are not those that the fields give. */
  readonly tokens?: readonly number[]
  /** Index representation bits of indices that the operand does not have, in place. */
  readonly spare: number
}

/** One index of an operand: a number, a register, or a register plus a number. */
export type OperandIndex =
  | { readonly kind: 'immediate'; readonly value: number }
  | { readonly kind: 'immediate64'; readonly high: number; readonly low: number }
  | { readonly kind: 'relative'; readonly register: Operand }
  /** `offset` is the unsigned dword as stored; Direct3D adds it modulo 2^32, the listing prints it signed. */
  | { readonly kind: 'relative-plus'; readonly offset: number; readonly register: Operand }
  | { readonly kind: 'relative-plus64'; readonly high: number; readonly low: number; readonly register: Operand }

/** Data among the instructions. `dwords` are what follows the length token. */
export interface CustomData {
  readonly kind: 'custom-data'
  /** Bits 11 to 31 of the opcode token, a number of CUSTOM_DATA or another. */
  readonly dataClass: number
  readonly dwords: readonly number[]
}

/** Tokens that could not be understood: an opcode the format leaves free, or operands that do not fit. Kept as they are. */
export interface UnknownTokens {
  readonly kind: 'unknown'
  readonly dwords: readonly number[]
  /**
   * What a reader that does not check the statement's length makes of it (fxc's does not): operands that run on into
   * the tokens behind. Only for showing.
   */
  readonly seenAs?: Instruction
}

/** Every index is a number of 32 bits: most operands are so, and rules about indices need not look further. */
export function isPlainlyIndexed({ indices }: Operand): boolean {
  for (let i = 0; i < indices.length; i++) if (indices[i]!.kind !== 'immediate') return false
  return true
}

/** The component that a SELECT_ONE operand selects, or that a swizzle has in place `i` (0 to 3). */
export function componentAt(operand: Operand, i: number): number {
  if (operand.components !== COMPONENTS_4) return 0
  if (operand.mode === SELECT_SWIZZLE) return (operand.selection >> (2 * i)) & 3
  if (operand.mode === SELECT_ONE) return operand.selection & 3
  return i
}

/** The write mask of a destination, 4 bits; a one-component register has mask 1, one of none 0. */
export function writeMask(operand: Operand): number {
  if (operand.components === COMPONENTS_4) return operand.mode === SELECT_MASK ? operand.selection & 15 : 15
  return operand.components === COMPONENTS_1 ? 1 : 0
}

export const NO_INDICES: readonly OperandIndex[] = []
export const NO_VALUES: readonly number[] = []
