/** A bit field of the opcode token (bits 11 to 23), which prints and parses itself from this description. */
export interface Control {
  readonly name: ControlName
  /** Lowest bit in the opcode token. */
  readonly shift: number
  readonly width: number
}

/** A field of bits 11 to 23 of the opcode token. */
export type ControlName =
  | 'saturate'
  | 'test'
  | 'precise'
  | 'resinfo-return'
  | 'sampleinfo-return'
  | 'sync'
  | 'dimension'
  | 'sample-count'
  | 'sampler-mode'
  | 'interpolation'
  | 'global-flags'
  | 'access-pattern'
  | 'input-primitive'
  | 'output-topology'
  | 'control-points'
  | 'domain'
  | 'partitioning'
  | 'output-primitive'
  | 'dynamically-indexed'
  | 'globally-coherent'
  | 'rasterizer-ordered'
  | 'counter'

const control = (name: ControlName, shift: number, width: number): Control => ({ name, shift, width })

export const SATURATE = control('saturate', 13, 1)
export const TEST = control('test', 18, 1)
export const PRECISE = control('precise', 19, 4)
export const RESINFO_RETURN = control('resinfo-return', 11, 2)
export const SAMPLEINFO_RETURN = control('sampleinfo-return', 11, 2)
export const SYNC = control('sync', 11, 4)
export const DIMENSION = control('dimension', 11, 5)
export const SAMPLE_COUNT = control('sample-count', 16, 7)
export const SAMPLER_MODE = control('sampler-mode', 11, 4)
export const INTERPOLATION = control('interpolation', 11, 4)
export const GLOBAL_FLAGS = control('global-flags', 11, 13)
export const ACCESS_PATTERN = control('access-pattern', 11, 1)
export const INPUT_PRIMITIVE = control('input-primitive', 11, 6)
export const OUTPUT_TOPOLOGY = control('output-topology', 11, 6)
export const CONTROL_POINTS = control('control-points', 11, 6)
export const DOMAIN = control('domain', 11, 2)
export const PARTITIONING = control('partitioning', 11, 3)
export const OUTPUT_PRIMITIVE = control('output-primitive', 11, 3)
export const DYNAMICALLY_INDEXED = control('dynamically-indexed', 11, 1)
export const GLOBALLY_COHERENT = control('globally-coherent', 16, 1)
export const RASTERIZER_ORDERED = control('rasterizer-ordered', 17, 1)
export const COUNTER = control('counter', 23, 1)

/** Bits 11 to 23 of an opcode token, the part that controls use. */
export const CONTROLS_MASK = 0x00fff800

/** The value of a control in the control bits of an instruction. */
export function controlOf(controls: number, c: Control): number {
  return (controls >>> c.shift) & ((1 << c.width) - 1)
}

/** The control bits with one control set. `value` is cut to the field's width. */
export function withControl(controls: number, c: Control, value: number): number {
  const mask = ((1 << c.width) - 1) << c.shift
  return ((controls & ~mask) | ((value << c.shift) & mask)) >>> 0
}

/** Flags of `sync` in the order of their bits (the value of the SYNC control). */
export const SYNC_THREADS = 1
export const SYNC_TGSM = 2
export const SYNC_UAV_GROUP = 4
export const SYNC_UAV_GLOBAL = 8
