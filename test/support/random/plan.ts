import type { ClassInstances } from '../../../src/engine/index.ts'
import type { InstructionRow, Stage } from '../../../src/isa/index.ts'
import { NUMBERS, type Numbers, Random } from './random.ts'

export type Model = '4_0' | '4_1' | '5_0' | '5_1'

export type Emphasis = 'values' | 'texels' | 'memory' | 'flow'

/** What a random program may hold. */
export interface RandomOptions {
  /** Default: compute. */
  readonly stage?: Stage
  readonly statements: number
  /** Only these rows, where given. */
  readonly rows?: readonly InstructionRow[]
  /** Rows that most of the value statements have. */
  readonly preferred?: readonly InstructionRow[]
  /** What half of the statements are. */
  readonly emphasis?: Emphasis
  readonly flow: boolean
  readonly memory: boolean
  readonly barriers: boolean
  /** Textures, samplers and typed buffers. */
  readonly texels?: boolean
  /** Subroutines, called at random. */
  readonly calls?: boolean
  /** Methods called through interface pointers. */
  readonly interfaces?: boolean
  /** Registers of 5.1 ranges chosen by a computed index. */
  readonly dynamicRanges?: boolean
  /** Registers computed from what was read through computed registers, in other spaces and ranges without end too. */
  readonly chains?: boolean
  /** Loops of float arithmetic with exits that differ by thread. */
  readonly floats?: boolean
  readonly model?: Model
  readonly numbers?: Numbers
}

/** Return type of a typed resource. */
export type Returned = 'float' | 'unorm' | 'snorm' | 'uint' | 'sint'
export const RETURNED: readonly Returned[] = ['float', 'unorm', 'snorm', 'uint', 'sint']

export interface TexturePlan {
  /** Register number. */
  readonly register: number
  /** Dimension as its declaration spells it. */
  readonly dimension: string
  readonly returned: Returned
}

/** Everything about a program that is chosen before its statements. */
export interface Plan extends Required<Omit<RandomOptions, 'rows' | 'preferred' | 'emphasis'>> {
  readonly seed: number
  readonly rows: readonly InstructionRow[] | undefined
  readonly preferred: readonly InstructionRow[]
  readonly emphasis: Emphasis | undefined
  readonly threads: readonly [number, number, number]
  readonly groups: readonly [number, number, number]
  /** Threads of a group, and of all groups. */
  readonly count: number
  readonly total: number
  readonly textures: readonly TexturePlan[]
  readonly typedBuffer: Returned
  /** Strides of t1, of the own structures u2, and of g0. */
  readonly strides: { readonly input: number; readonly own: number; readonly shared: number }
  readonly typedOwn: { readonly buffer: Returned; readonly texture: Returned; readonly dimension: string }
  /** Which of the UAVs after u0 are declared, by number. */
  readonly uavs: ReadonlySet<number>
  readonly classInstances: ClassInstances
  /** Whether it has UAVs. */
  readonly writes: boolean
}

/** Registers of the range of a texture, where programs choose one by a computed index. */
export const RANGE = 3

/** Group sizes: whole vectors, less than one, and one more or less than whole ones. */
const SHAPES: readonly (readonly [number, number, number])[] = [
  [64, 1, 1],
  [8, 8, 1],
  [32, 1, 1],
  [1, 1, 1],
  [5, 3, 2],
  [17, 1, 1],
  [4, 4, 4],
  [16, 2, 1],
  [3, 1, 1],
  [5, 1, 1],
  [63, 1, 1],
  [65, 1, 1],
  [1, 1, 7],
  [128, 1, 1],
]
const LARGE_SHAPES: readonly (readonly [number, number, number])[] = [
  [1024, 1, 1],
  [10, 10, 10],
  [257, 1, 3],
  [19, 17, 1],
  [7, 9, 5],
]
const TEXTURES = [
  'texture1d',
  'texture1darray',
  'texture2d',
  'texture2d',
  'texture2darray',
  'texture2dms(4)',
  'texture2dmsarray(2)',
  'texture3d',
  'texturecube',
  'texturecubearray',
] as const
const FLAT = ['texture2d', 'texture2darray'] as const
const OWN_TEXTURES = ['texture1d', 'texture1darray', 'texture2d', 'texture2darray', 'texture3d'] as const

/** The functions of a table, and what the pointers of a program point to; all of it by the declarations of every program with methods. */
function instancesOf(r: Random): ClassInstances {
  const instance = (): { table: number; constantBuffer: number; constantOffset: number } => ({
    table: r.below(2),
    constantBuffer: 0,
    constantOffset: r.below(3),
  })
  return { 'fp0[0]': instance(), 'fp0[1]': instance(), fp2: instance() }
}

const GROUPS = [
  [1, 1, 1],
  [2, 1, 1],
  [2, 2, 1],
  [5, 1, 1],
  [1, 1, 3],
] as const

/** Programs of 4.x have one layer of groups and at most 768 threads (18.6.6). */
function shapeOf(r: Random, isOld: boolean): Pick<Plan, 'threads' | 'groups' | 'count' | 'total'> {
  const large = r.chance(0.05) && !isOld
  const threads = r.pick(large ? LARGE_SHAPES : SHAPES)
  const groups = large ? GROUPS[0] : r.pick(isOld ? GROUPS.slice(0, -1) : GROUPS)
  const count = threads[0] * threads[1] * threads[2]
  return { threads, groups, count, total: count * groups[0] * groups[1] * groups[2] }
}

export function planOf(seed: number, options: RandomOptions): Plan {
  const r = new Random(seed)
  const model = options.model ?? '5_0'
  const isOld = model.startsWith('4')
  const uavs = new Set<number>()
  if (options.memory && !isOld) for (let u = 1; u < 8; u++) if (r.chance(0.6)) uavs.add(u)
  const isFull = options.emphasis === 'texels'
  const count = isFull ? 3 : 1 + r.below(3)
  const textures = Array.from({ length: options.texels === true ? count : 0 }, (_, i): TexturePlan => {
    // Cube arrays are 4.1, multisample textures of 4.0 cannot be loaded with a fixed count by every compiler: both stay out.
    const known = isOld ? TEXTURES.filter((t) => !t.includes('cubearray') && !t.includes('ms')) : TEXTURES
    const register = 3 + i * (options.dynamicRanges === true ? RANGE : 1)
    // Where texels are what matters, one texture takes every kind of sample, and one has several samples.
    if (isFull && i === 0) return { register, dimension: r.pick(FLAT), returned: r.pick(['float', 'unorm']) }
    const some = isFull && i === 1 && !isOld ? known.filter((t) => t.includes('ms')) : known
    return { register, dimension: r.pick(some), returned: r.pick(RETURNED) }
  })
  // Graphics shaders have UAVs from 5.0 on, where they have any.
  const mayWrite = seed % 3 !== 0 || isFull || options.emphasis === 'memory'
  const writes = options.stage === undefined || (options.memory && !isOld && mayWrite)
  if (isFull) for (const u of [3, 4]) uavs.add(u)
  if (!writes) uavs.clear()
  return {
    stage: 'compute',
    writes,
    texels: false,
    calls: false,
    interfaces: false,
    dynamicRanges: false,
    chains: false,
    floats: false,
    ...options,
    seed,
    model,
    rows: options.rows,
    preferred: options.preferred ?? [],
    emphasis: options.emphasis,
    numbers: options.numbers ?? r.pick(NUMBERS),
    ...shapeOf(r, isOld),
    textures,
    typedBuffer: r.pick(RETURNED),
    strides: {
      input: r.pick([4, 8, 12, 16, 20, 32]),
      own: r.pick([4, 8, 12, 16, 20, 36]),
      shared: r.pick([16, 16, 20]),
    },
    typedOwn: { buffer: r.pick(RETURNED), texture: r.pick(RETURNED), dimension: r.pick(OWN_TEXTURES) },
    uavs,
    classInstances: options.interfaces === true ? instancesOf(r) : {},
  }
}
