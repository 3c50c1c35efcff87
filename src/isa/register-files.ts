import { ANY_STAGE, COMPUTE_ONLY, GEOMETRY_ONLY, HULL_DOMAIN, HULL_ONLY, PIXEL_ONLY, type StageSet } from './stages.ts'

/** The name of a register file; `temp` are r#, `resource` t#, `uav` u#. */
export type RegisterFileName =
  | 'temp'
  | 'input'
  | 'output'
  | 'indexable-temp'
  | 'immediate32'
  | 'immediate64'
  | 'sampler'
  | 'resource'
  | 'constant-buffer'
  | 'immediate-constant-buffer'
  | 'label'
  | 'input-primitive-id'
  | 'output-depth'
  | 'null'
  | 'rasterizer'
  | 'output-coverage-mask'
  | 'stream'
  | 'function-body'
  | 'function-table'
  | 'interface'
  | 'function-input'
  | 'function-output'
  | 'output-control-point-id'
  | 'fork-instance-id'
  | 'join-instance-id'
  | 'input-control-point'
  | 'output-control-point'
  | 'patch-constant'
  | 'domain-point'
  | 'this-pointer'
  | 'uav'
  | 'tgsm'
  | 'thread-id'
  | 'thread-group-id'
  | 'thread-id-in-group'
  | 'input-coverage-mask'
  | 'thread-id-in-group-flattened'
  | 'gs-instance-id'
  | 'output-depth-greater-equal'
  | 'output-depth-less-equal'
  | 'cycle-counter'
  | 'output-stencil-ref'
  | 'inner-coverage'

/** What a register file is to the threads that use it. */
export type RegisterClass = 'register' | 'input' | 'output' | 'immediate' | 'constant' | 'binding' | 'memory' | 'name'

/**
 * How the listing writes the indices of a register file.
 * - `glued`: all against the prefix (`r1`; three indices would be `r123`). `array`: the first glued, the others in
 *   brackets (`x0[3]`). `patch`: one alone glued, two or more all in brackets (`v1`, `v[2][0]`). `boxed`: as `array`,
 *   but one alone in brackets (`this[1]`).
 * A relative index is in brackets everywhere. Corpus: synthetic/operand_types.
 */
export type IndexStyle = 'glued' | 'array' | 'patch' | 'boxed'

/** A register file: its number in tokens, how listings write it, and how it is indexed. */
export interface RegisterFile {
  readonly name: RegisterFileName
  /** Operand type in the operand token (bits 12 to 19). */
  readonly number: number
  /** How the listing writes it. */
  readonly prefix: string
  readonly class: RegisterClass
  /** Prefix in SM5.1 code, where bindings are named by range identifier; absent: as `prefix`. */
  readonly prefix51?: string
  readonly indexStyle: IndexStyle
  /** Number of indices Direct3D gives it, least and most. */
  readonly indices: readonly [number, number]
  readonly stages: StageSet
  /** What Direct3D says that its components are; absent where a declaration or signature says it, or nothing does. */
  readonly componentType?: 'float' | 'uint'
}

type RegisterFileDetails = Partial<Pick<RegisterFile, 'prefix51' | 'indexStyle' | 'stages' | 'componentType'>>

const file = (
  number: number,
  name: RegisterFileName,
  prefix: string,
  cls: RegisterClass,
  indices: readonly [number, number],
  details: RegisterFileDetails = {},
): RegisterFile => ({ number, name, prefix, class: cls, indexStyle: 'glued', indices, stages: ANY_STAGE, ...details })

/** Every register file, at the index of its operand type. Names as fxc prints them (corpus: synthetic/operand_types). */
export const REGISTER_FILES: readonly RegisterFile[] = [
  file(0, 'temp', 'r', 'register', [1, 1]),
  file(1, 'input', 'v', 'input', [1, 2], { indexStyle: 'patch' }),
  file(2, 'output', 'o', 'output', [1, 2], { indexStyle: 'patch' }),
  file(3, 'indexable-temp', 'x', 'register', [1, 2], { indexStyle: 'array' }),
  file(4, 'immediate32', 'l', 'immediate', [0, 0]),
  file(5, 'immediate64', 'd', 'immediate', [0, 0]),
  file(6, 'sampler', 's', 'binding', [1, 3], { prefix51: 'S', indexStyle: 'array' }),
  file(7, 'resource', 't', 'binding', [1, 3], { prefix51: 'T', indexStyle: 'array' }),
  file(8, 'constant-buffer', 'cb', 'constant', [2, 3], { prefix51: 'CB', indexStyle: 'array' }),
  file(9, 'immediate-constant-buffer', 'icb', 'constant', [1, 1]),
  file(10, 'label', 'label', 'name', [1, 1]),
  file(11, 'input-primitive-id', 'vPrim', 'input', [0, 0], {
    stages: ['pixel', 'geometry', 'hull', 'domain'],
    componentType: 'uint',
  }),
  file(12, 'output-depth', 'oDepth', 'output', [0, 0], { stages: PIXEL_ONLY, componentType: 'float' }),
  file(13, 'null', 'null', 'output', [0, 0]),
  file(14, 'rasterizer', 'rasterizer', 'name', [0, 0], { stages: PIXEL_ONLY }),
  file(15, 'output-coverage-mask', 'oMask', 'output', [0, 0], { stages: PIXEL_ONLY, componentType: 'uint' }),
  file(16, 'stream', 'm', 'name', [1, 1], { stages: GEOMETRY_ONLY }),
  file(17, 'function-body', 'fb', 'name', [1, 1]),
  file(18, 'function-table', 'ft', 'name', [1, 1]),
  file(19, 'interface', 'fp', 'name', [1, 2], { indexStyle: 'array' }),
  file(20, 'function-input', 'iv', 'input', [1, 1], { indexStyle: 'array' }),
  file(21, 'function-output', 'ov', 'output', [1, 1], { indexStyle: 'array' }),
  file(22, 'output-control-point-id', 'vOutputControlPointID', 'input', [0, 0], {
    stages: HULL_ONLY,
    componentType: 'uint',
  }),
  file(23, 'fork-instance-id', 'vForkInstanceID', 'input', [0, 0], { stages: HULL_ONLY, componentType: 'uint' }),
  file(24, 'join-instance-id', 'vJoinInstanceID', 'input', [0, 0], { stages: HULL_ONLY, componentType: 'uint' }),
  file(25, 'input-control-point', 'vicp', 'input', [1, 2], { indexStyle: 'patch', stages: HULL_DOMAIN }),
  file(26, 'output-control-point', 'vocp', 'input', [1, 2], { indexStyle: 'patch', stages: HULL_ONLY }),
  file(27, 'patch-constant', 'vpc', 'input', [1, 2], { stages: HULL_DOMAIN }),
  file(28, 'domain-point', 'vDomain', 'input', [0, 0], { stages: ['domain'], componentType: 'float' }),
  file(29, 'this-pointer', 'this', 'register', [1, 2], { indexStyle: 'boxed' }),
  file(30, 'uav', 'u', 'binding', [1, 3], { prefix51: 'U', indexStyle: 'array' }),
  file(31, 'tgsm', 'g', 'memory', [1, 1], { stages: COMPUTE_ONLY }),
  file(32, 'thread-id', 'vThreadID', 'input', [0, 0], { stages: COMPUTE_ONLY, componentType: 'uint' }),
  file(33, 'thread-group-id', 'vThreadGroupID', 'input', [0, 0], { stages: COMPUTE_ONLY, componentType: 'uint' }),
  file(34, 'thread-id-in-group', 'vThreadIDInGroup', 'input', [0, 0], { stages: COMPUTE_ONLY, componentType: 'uint' }),
  file(35, 'input-coverage-mask', 'vCoverage', 'input', [0, 0], { stages: PIXEL_ONLY, componentType: 'uint' }),
  file(36, 'thread-id-in-group-flattened', 'vThreadIDInGroupFlattened', 'input', [0, 0], {
    stages: COMPUTE_ONLY,
    componentType: 'uint',
  }),
  file(37, 'gs-instance-id', 'vGSInstanceID', 'input', [0, 0], { stages: GEOMETRY_ONLY, componentType: 'uint' }),
  file(38, 'output-depth-greater-equal', 'oDepthGE', 'output', [0, 0], { stages: PIXEL_ONLY, componentType: 'float' }),
  file(39, 'output-depth-less-equal', 'oDepthLE', 'output', [0, 0], { stages: PIXEL_ONLY, componentType: 'float' }),
  file(40, 'cycle-counter', 'vCycleCounter', 'input', [0, 0], { componentType: 'uint' }),
  file(41, 'output-stencil-ref', 'oStencilRef', 'output', [0, 0], { stages: PIXEL_ONLY, componentType: 'uint' }),
  file(42, 'inner-coverage', 'vInnerCoverage', 'input', [0, 0], { stages: PIXEL_ONLY, componentType: 'uint' }),
]

/** Components of an operand that names a register without component letters: where it is declared, and in code. */
interface BareComponents {
  readonly declared: 0 | 1
  readonly used: 0 | 1
}

const bare = (declared: 0 | 1, used: 0 | 1): BareComponents => ({ declared, used })

/**
 * Register files that fxc writes without component letters, with the number of components that it encodes then
 * (corpus: every file of its stage). Files that are not here have four.
 */
export const BARE_COMPONENTS: Readonly<Partial<Record<RegisterFileName, BareComponents>>> = {
  sampler: bare(0, 0),
  label: bare(0, 0),
  'input-primitive-id': bare(0, 1),
  'output-depth': bare(1, 1),
  null: bare(0, 0),
  'output-coverage-mask': bare(0, 1),
  stream: bare(0, 0),
  'function-body': bare(0, 0),
  'function-table': bare(0, 0),
  interface: bare(0, 0),
  'output-control-point-id': bare(0, 1),
  'fork-instance-id': bare(0, 1),
  'join-instance-id': bare(0, 1),
  uav: bare(0, 0),
  tgsm: bare(0, 0),
  'input-coverage-mask': bare(1, 1),
  'thread-id-in-group-flattened': bare(0, 1),
  'gs-instance-id': bare(0, 1),
  'output-depth-greater-equal': bare(1, 1),
  'output-depth-less-equal': bare(1, 1),
  'cycle-counter': bare(1, 1),
  'output-stencil-ref': bare(1, 1),
  'inner-coverage': bare(1, 1),
}

const BY_NAME = new Map(REGISTER_FILES.map((f) => [f.name, f]))

/** The register file of an operand type; undefined for a number the format does not define. */
export function registerFile(operandType: number): RegisterFile | undefined {
  return REGISTER_FILES[operandType]
}

/** The operand type of a register file. */
export function fileNumber(name: RegisterFileName): number {
  return BY_NAME.get(name)!.number
}

export const FILE = Object.fromEntries(REGISTER_FILES.map((f) => [f.name, f.number])) as Readonly<
  Record<RegisterFileName, number>
>
