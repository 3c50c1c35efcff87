import type { ExtendedOpcode } from './model.ts'

const SAMPLE_CONTROLS = 1
const RESOURCE_DIMENSION = 2
const RESOURCE_RETURN_TYPE = 3

const signed4 = (n: number): number => ((n & 15) ^ 8) - 8

/** The extended opcode token without its bit 31, which only says that another follows. */
export function decodeExtendedOpcode(token: number): ExtendedOpcode {
  switch (token & 0x3f) {
    case SAMPLE_CONTROLS:
      return {
        kind: 'sample-offset',
        u: signed4(token >> 9),
        v: signed4(token >> 13),
        w: signed4(token >> 17),
        spare: (token & 0x7fe001c0) >>> 0,
      }
    case RESOURCE_DIMENSION:
      return {
        kind: 'resource-dimension',
        dimension: (token >> 6) & 0x1f,
        stride: (token >> 11) & 0xfff,
        spare: (token & 0x7f800000) >>> 0,
      }
    case RESOURCE_RETURN_TYPE:
      return {
        kind: 'resource-return-type',
        returnTypes: (token >> 6) & 0xffff,
        spare: (token & 0x7fc00000) >>> 0,
      }
    default:
      return { kind: 'other', token: (token & 0x7fffffff) >>> 0 }
  }
}

/** The token of an extended opcode, bit 31 clear. */
export function encodeExtendedOpcode(e: ExtendedOpcode): number {
  switch (e.kind) {
    case 'sample-offset':
      return (SAMPLE_CONTROLS | ((e.u & 15) << 9) | ((e.v & 15) << 13) | ((e.w & 15) << 17) | e.spare) >>> 0
    case 'resource-dimension':
      return (RESOURCE_DIMENSION | ((e.dimension & 0x1f) << 6) | ((e.stride & 0xfff) << 11) | e.spare) >>> 0
    case 'resource-return-type':
      return (RESOURCE_RETURN_TYPE | ((e.returnTypes & 0xffff) << 6) | e.spare) >>> 0
    case 'other':
      return e.token
  }
}
