/** What a Direct3D 9 instruction's parameters are, in token order. */
type Parameters9 = 'dst' | 'dst-only' | 'src-only' | 'none' | 'dcl' | 'def' | 'defi' | 'defb'

export interface Operation9 {
  readonly name: string
  readonly parameters: Parameters9
  /** Instruction slots in programs of versions 2_x and 3_0. */
  readonly slots: number
  /** Instruction slots in version 2_0, where flow control is static: one each (public vs_2_0 listings with `rep`). */
  readonly slots20?: number
  readonly texture?: boolean
  /** The comparison in the control bits is part of the name: `if_lt`. */
  readonly compares?: boolean
  readonly opensBlock?: boolean
  readonly closesBlock?: boolean
}

function alu(name: string, slots = 1): Operation9 {
  return { name, parameters: 'dst', slots }
}

function tex(name: string, slots = 1): Operation9 {
  return { name, parameters: 'dst', slots, texture: true }
}

function flow(name: string, slots: number, rest: Partial<Operation9> = {}): Operation9 {
  return { name, parameters: 'src-only', slots, slots20: 1, ...rest }
}

/**
 * The instructions of vs_2_0, vs_2_x, ps_2_0 and ps_2_x by opcode (D3DSHADER_INSTRUCTION_OPCODE_TYPE). Slots are what
 * the compiler counts, which for `lrp` is less than the reference says (ps/level9).
 */
export const OPERATIONS_9: ReadonlyMap<number, Operation9> = new Map<number, Operation9>([
  [0, { name: 'nop', parameters: 'none', slots: 1 }],
  [1, alu('mov')],
  [2, alu('add')],
  [3, alu('sub')],
  [4, alu('mad')],
  [5, alu('mul')],
  [6, alu('rcp')],
  [7, alu('rsq')],
  [8, alu('dp3')],
  [9, alu('dp4')],
  [10, alu('min')],
  [11, alu('max')],
  [12, alu('slt')],
  [13, alu('sge')],
  [14, alu('exp')],
  [15, alu('log')],
  [16, alu('lit', 3)],
  [17, alu('dst')],
  [18, alu('lrp')],
  [19, alu('frc')],
  [20, alu('m4x4', 4)],
  [21, alu('m4x3', 3)],
  [22, alu('m3x4', 4)],
  [23, alu('m3x3', 3)],
  [24, alu('m3x2', 2)],
  [25, flow('call', 2)],
  [26, flow('callnz', 3)],
  [27, flow('loop', 3, { opensBlock: true })],
  [28, { name: 'ret', parameters: 'none', slots: 1 }],
  [29, flow('endloop', 2, { parameters: 'none', closesBlock: true })],
  [30, flow('label', 0, { slots20: 0 })],
  [31, { name: 'dcl', parameters: 'dcl', slots: 0 }],
  [32, alu('pow', 3)],
  [33, alu('crs', 2)],
  [34, alu('sgn', 3)],
  [35, alu('abs')],
  [36, alu('nrm', 3)],
  [37, alu('sincos', 8)],
  [38, flow('rep', 3, { opensBlock: true })],
  [39, flow('endrep', 2, { parameters: 'none', closesBlock: true })],
  [40, flow('if', 3, { opensBlock: true })],
  [41, flow('if', 3, { slots20: 3, compares: true, opensBlock: true })],
  [42, flow('else', 1, { parameters: 'none', opensBlock: true, closesBlock: true })],
  [43, flow('endif', 1, { parameters: 'none', closesBlock: true })],
  [44, flow('break', 1, { parameters: 'none' })],
  [45, flow('break', 3, { slots20: 3, compares: true })],
  [46, alu('mova')],
  [47, { name: 'defb', parameters: 'defb', slots: 0 }],
  [48, { name: 'defi', parameters: 'defi', slots: 0 }],
  [64, tex('texcrd')],
  // Counts as arithmetic in the compiler's totals, whatever the reference says.
  [65, { name: 'texkill', parameters: 'dst-only', slots: 1 }],
  [66, tex('texld')],
  [78, alu('expp')],
  [79, alu('logp')],
  [80, alu('cnd')],
  [81, { name: 'def', parameters: 'def', slots: 0 }],
  [88, alu('cmp')],
  [90, alu('dp2add', 2)],
  [91, alu('dsx', 2)],
  [92, alu('dsy', 2)],
  [93, tex('texldd', 3)],
  [94, { name: 'setp', parameters: 'dst', slots: 1, compares: true }],
  [95, tex('texldl', 2)],
  [96, flow('breakp', 3, { slots20: 3 })],
])

/** By the control bits of `if`, `break` and `setp` (D3DSHADER_COMPARISON). */
export const COMPARISONS_9 = ['', 'gt', 'eq', 'ge', 'lt', 'ne', 'le', ''] as const

/** By the control bits of `texld`: plain, with projection, with bias. */
export const SAMPLE_NAMES_9 = ['texld', 'texldp', 'texldb'] as const

/** By D3DDECLUSAGE. */
export const USAGES_9 = [
  'position',
  'blendweight',
  'blendindices',
  'normal',
  'psize',
  'texcoord',
  'tangent',
  'binormal',
  'tessfactor',
  'positiont',
  'color',
  'fog',
  'depth',
  'sample',
] as const

/** By D3DSAMPLER_TEXTURE_TYPE. */
export const SAMPLER_KINDS_9 = ['', '1d', '2d', 'cube', 'volume'] as const
