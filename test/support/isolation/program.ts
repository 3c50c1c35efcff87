import type { BufferViewOptions, CbvOptions, TextureSrvOptions, UavCounterOptions } from '../../../src/machine/index.ts'
import { Random } from '../random/random.ts'
import { AddressWriter, type Shape, type Target } from './addresses.ts'
import type { Arena } from './arena.ts'

/** Random programs of isolation trials: accesses of every kind of memory at addresses around and far past its edges. */

export interface ViewPlan {
  readonly slot: string
  /** Number of the buffer or texture in the arena. */
  readonly resource: { readonly kind: 'buffer' | 'texture'; readonly number: number }
  readonly options: BufferViewOptions & UavCounterOptions & TextureSrvOptions & CbvOptions
}

export interface IsolationProgram {
  readonly text: string
  readonly shape: Shape
  readonly views: readonly ViewPlan[]
  /** Words of constant buffer 0. */
  readonly constants: Uint32Array<ArrayBuffer>
}

export interface ProgramOptions {
  /** Groups run in any order: what they leave must not depend on it. */
  readonly unordered: boolean
  /** Accesses of these kinds alone; default all. */
  readonly kinds?: readonly Kind[] | undefined
}

/** Number of the arena's buffer that constant buffer 1 is. */
export const CONSTANTS_BUFFER = 7
/** Accesses of a program at most, each with a row of results for every thread. */
const MOST_ACCESSES = 4
const MOST_THREADS = 64
const MOST_GROUPS = 6
export const OUT_BYTES = MOST_ACCESSES * MOST_THREADS * MOST_GROUPS * 16

const SHAPES: readonly (readonly [number, number, number])[] = [
  [1, 1, 1],
  [2, 1, 1],
  [2, 2, 1],
  [4, 1, 1],
  [4, 4, 1],
  [8, 1, 1],
  [8, 2, 1],
  [8, 8, 1],
  [16, 1, 1],
  [16, 4, 1],
  [32, 1, 1],
  [64, 1, 1],
  [3, 1, 1],
  [5, 3, 1],
  [2, 2, 2],
  [4, 2, 2],
  [7, 1, 2],
  [1, 4, 1],
  [1, 16, 1],
  [2, 8, 1],
  [4, 4, 4],
]
const MASKS = ['x', 'xy', 'xyz', 'xyzw'] as const
const SWIZZLES = ['xyzw', 'xxxx', 'wzyx', 'yzwx', 'zxyy', 'wwww', 'yyxx']
const STRIDES = [4, 8, 12, 16, 20, 32, 48, 64, 100, 256]
const BUFFER_FORMATS = [
  'R32_UINT',
  'R16_UINT',
  'R8_UINT',
  'R8G8B8A8_UINT',
  'R16G16_UINT',
  'R32G32_UINT',
  'R32G32B32A32_UINT',
]
const FORMAT_BYTES: Readonly<Record<string, number>> = {
  R32_UINT: 4,
  R16_UINT: 2,
  R8_UINT: 1,
  R8G8B8A8_UINT: 4,
  R16G16_UINT: 4,
  R32G32_UINT: 8,
  R32G32B32A32_UINT: 16,
}
const UINTS = '(uint,uint,uint,uint)'
/** Atomics whose order does not matter. */
const COMMUTING = ['iadd', 'and', 'or', 'xor', 'umax', 'imin']
const ATOMICS = [...COMMUTING, 'imax', 'umin']

const KINDS = [
  'raw-srv',
  'raw-srv',
  'raw-uav',
  'raw-uav',
  'structured-srv',
  'structured-uav',
  'structured-uav',
  'typed-srv',
  'typed-uav',
  'texture-srv',
  'texture-uav',
  'counter',
  'shared-raw',
  'shared-raw',
  'shared-structured',
  'private',
  'private',
  'constants',
  'immediate-constants',
] as const
export type Kind = (typeof KINDS)[number]
/** Each kind of memory once. */
export const MEMORY_KINDS: readonly Kind[] = [...new Set(KINDS)]

/** How an unordered program may use a view that it writes: one way alone. */
type Use = 'store' | 'atomic'

interface Bound {
  readonly view: ViewPlan
  readonly target: Target
  readonly stride: number
  readonly use: Use
  readonly atomic: string
  readonly dimension: string
  /** Counts of texels by axis. */
  readonly extents: readonly number[]
}

class ProgramWriter {
  readonly r: Random
  readonly w: AddressWriter
  readonly arena: Arena
  readonly unordered: boolean
  readonly declares: string[] = []
  readonly #bound = new Map<Kind, Bound>()
  readonly #used = new Set<string>()
  readonly #shared: { readonly bytes: number; readonly stride: number; readonly count: number }
  readonly #array: number
  readonly #rows: number

  constructor(r: Random, arena: Arena, shape: Shape, unordered: boolean) {
    this.r = r
    this.arena = arena
    this.unordered = unordered
    this.w = new AddressWriter(r, shape, 8)
    // Constants are copied before a dispatch: nothing may write them meanwhile.
    this.#used.add(`buffer ${CONSTANTS_BUFFER}`)
    // Beside powers of two: what a mask leaves is in bounds, or one past them.
    const bytes = r.chance(0.5) ? r.pick([12, 16, 28, 32, 60, 64, 68, 124, 128]) : 4 * (1 + r.below(40))
    this.#shared = { bytes, stride: r.pick([4, 8, 12, 16, 20, 64]), count: r.pick([1, 2, 3, 4, 5, 7, 8, 11, 15, 16]) }
    this.#array = r.pick([1, 2, 3, 4, 5, 7, 8])
    this.#rows = r.pick([1, 2, 3, 4, 5])
  }

  #once(key: string, declaration: string): void {
    if (this.#used.has(key)) return
    this.#used.add(key)
    this.declares.push(declaration)
  }

  #freeBuffer(least: number): number {
    const fit = this.arena.buffers.flatMap((b, n) =>
      b.byteLength >= least && !this.#used.has(`buffer ${n}`) ? [n] : [],
    )
    const number = this.r.pick(fit)
    this.#used.add(`buffer ${number}`)
    return number
  }

  /** A range of elements: all, the last, or a few somewhere. */
  #range(available: number, aligned: number): { firstElement: number; elementCount: number } {
    const firstElement = this.r.chance(0.5) ? 0 : Math.floor(this.r.below(available) / aligned) * aligned
    const rest = available - firstElement
    return { firstElement, elementCount: this.r.chance(0.4) ? rest : 1 + this.r.below(Math.min(rest, 70)) }
  }

  /** Where other resources lie, counted from a byte of this one in units of `unit` bytes. */
  #distances(from: number, unit: number): number[] {
    const all = [...this.arena.buffers, ...this.arena.textures].map((x) => this.arena.offsetOf(x.storage) - from)
    const near = all.filter((d) => d !== 0)
    return Array.from({ length: 6 }, () => Math.floor(this.r.pick(near) / unit) + this.r.pick([0, 0, 2 ** 32 / unit]))
  }

  #bufferView(kind: Kind, slot: string): Bound {
    const { r } = this
    const isRaw = kind.startsWith('raw')
    const isTyped = kind.startsWith('typed')
    const stride = r.pick(STRIDES)
    const isAtomic = kind === 'typed-uav' && r.chance(0.5)
    const format = isAtomic ? 'R32_UINT' : r.pick(BUFFER_FORMATS)
    const unit = isRaw ? 4 : isTyped ? FORMAT_BYTES[format]! : stride
    const number = this.#freeBuffer(unit)
    const buffer = this.arena.buffers[number]!
    const range = this.#range(Math.floor(buffer.byteLength / unit), isRaw ? 4 : 1)
    const start = this.arena.offsetOf(buffer.storage) + range.firstElement * unit
    const type = isRaw ? { raw: true } : isTyped ? { format } : { stride }
    const counter =
      kind === 'counter' ? { counter: 'counter' as const, initialCount: r.pick([0, 1, 5, 0xffffffff]) } : {}
    const addressUnit = isRaw ? 1 : unit
    return {
      view: { slot, resource: { kind: 'buffer', number }, options: { ...type, ...range, ...counter } },
      target: {
        limit: isRaw ? range.elementCount * 4 : range.elementCount,
        step: isRaw ? 16 : 1,
        distances: this.#distances(start, addressUnit),
      },
      stride,
      use: isTyped && !isAtomic ? 'store' : isTyped || r.chance(0.5) ? 'atomic' : 'store',
      atomic: r.pick(COMMUTING),
      dimension: 'buffer',
      extents: [],
    }
  }

  #textureView(kind: Kind, slot: string): Bound {
    const { r } = this
    const isUav = kind === 'texture-uav'
    const fit = this.arena.textures.flatMap((t, n) =>
      this.#used.has(`texture ${n}`) || (isUav && t.sampleCount > 1) ? [] : [n],
    )
    const number = r.pick(fit)
    this.#used.add(`texture ${number}`)
    const texture = this.arena.textures[number]!
    const mip = r.below(texture.mipLevels)
    const isArray = texture.arraySize > 1
    const slice = isArray ? { firstArraySlice: r.below(texture.arraySize) } : {}
    const options = isUav
      ? { mipSlice: mip, ...slice }
      : { mostDetailedMip: texture.sampleCount > 1 ? 0 : mip, ...slice }
    const base = texture.sampleCount > 1 ? 'texture2dms' : texture.dimension
    const dimension = isArray ? `${base}array` : base
    const level = texture.mips[mip]!
    const slices = texture.arraySize - (slice.firstArraySlice ?? 0)
    const extents =
      texture.dimension === 'texture1d'
        ? [level.width]
        : [level.width, level.height, ...(isArray ? [slices] : texture.dimension === 'texture3d' ? [level.depth] : [])]
    const isAtomic = texture.format.name.includes('R32_UINT') && r.chance(0.5)
    return {
      // An array view must say so where a single slice is left of it.
      view: { slot, resource: { kind: 'texture', number }, options: { ...options, dimension: dimension as never } },
      target: { limit: level.width, step: 1, distances: [] },
      stride: 0,
      use: isAtomic ? 'atomic' : 'store',
      atomic: r.pick(COMMUTING),
      dimension,
      extents,
    }
  }

  /** What a kind of access is bound to in this program; now and then nothing is. */
  #of(kind: Kind): Bound {
    let bound = this.#bound.get(kind)
    if (bound === undefined) {
      const isSrv = kind.endsWith('srv')
      const slot = `${isSrv ? 't' : 'u'}${[...this.#bound.keys()].filter((k) => k.endsWith('srv') === isSrv).length}`
      bound = kind.startsWith('texture') ? this.#textureView(kind, slot) : this.#bufferView(kind, slot)
      this.#bound.set(kind, bound)
      this.declares.push(this.#declaration(kind, bound))
    }
    return bound
  }

  #declaration(kind: Kind, { view: { slot }, stride, dimension }: Bound): string {
    const what = kind.endsWith('srv') ? 'resource' : 'uav'
    if (kind.startsWith('raw')) return `dcl_${what}_raw ${slot}`
    if (kind === 'counter') return `dcl_uav_structured_opc ${slot}, ${stride}`
    if (kind.startsWith('structured')) return `dcl_${what}_structured ${slot}, ${stride}`
    const name = dimension === 'texture2dms' ? 'texture2dms(4)' : dimension
    return kind.endsWith('srv') ? `dcl_resource_${name} ${UINTS} ${slot}` : `dcl_uav_typed_${name} ${UINTS} ${slot}`
  }

  get views(): ViewPlan[] {
    return [...this.#bound.values()].flatMap(({ view }) => (this.r.chance(0.04) ? [] : [view]))
  }

  /** Values to store: of a program whose groups have no order, the same ones everywhere. */
  #values(): string {
    const { r } = this
    if (this.unordered || r.chance(0.2)) return 'l(0x5a5a5a5a, 0x5a5a5a5a, 0x5a5a5a5a, 0x5a5a5a5a)'
    this.w.line(`iadd r3.xyzw, r7.yyyy, l(${r.next()}, ${r.next()}, ${r.next()}, ${r.next()})`)
    return 'r3.xyzw'
  }

  #atomic(operand: string, address: string, atomic: string): void {
    const { r, w } = this
    const value = this.unordered || r.chance(0.4) ? `l(${r.next()})` : 'r7.y'
    if (this.unordered) {
      w.line(`atomic_${atomic} ${operand}, ${address}, ${value}`)
      return
    }
    const kind = r.below(5)
    if (kind === 0) w.line(`imm_atomic_exch r1.x, ${operand}, ${address}, ${value}`)
    else if (kind === 1) w.line(`imm_atomic_cmp_exch r1.x, ${operand}, ${address}, l(${r.below(4)}), ${value}`)
    else if (kind === 2) w.line(`imm_atomic_${r.pick(ATOMICS)} r1.y, ${operand}, ${address}, ${value}`)
    else w.line(`atomic_${r.pick(ATOMICS)} ${operand}, ${address}, ${value}`)
  }

  #load(line: (to: string, swizzle: string) => string): void {
    const to = this.r.pick(['r1.x', 'r1.xy', 'r1.xyz', 'r1.xyzw', 'r1.yw', 'r1.z'])
    this.w.line(line(to, this.r.pick(SWIZZLES)))
  }

  #memory(operand: string, addressing: 'raw' | 'structured', address: () => readonly string[], o: Access): void {
    const { r, w } = this
    const parts = address()
    const kind = o.writes
      ? this.unordered && o.use !== undefined
        ? o.use
        : r.pick(['load', 'store', 'atomic'] as const)
      : 'load'
    if (kind === 'load')
      this.#load((to, swizzle) => `ld_${addressing} ${to}, ${parts.join(', ')}, ${operand}.${swizzle}`)
    else if (kind === 'store') {
      const values = this.#values()
      w.line(`store_${addressing} ${operand}.${r.pick(MASKS)}, ${parts.join(', ')}, ${values}`)
    } else {
      const joined = parts.length === 1 ? parts[0]! : w.vector(parts)
      this.#atomic(operand, joined, o.atomic)
    }
  }

  #inStructure(stride: number): string {
    if (this.r.chance(0.2)) return this.w.masked({ limit: stride, step: 4, distances: [] })
    return this.r.chance(0.5)
      ? `l(${this.r.pick([0, 4, 8, stride - 4, stride - 8, stride - 16, stride, stride + 4, 1, 0xfffffffc]) >>> 0})`
      : this.w.address({ limit: stride, step: 4, distances: [stride * 2, stride * 3] })
  }

  #texel(kind: Kind): void {
    const { r, w } = this
    const bound = this.#of(kind)
    const { slot } = bound.view
    const isTexture = kind.startsWith('texture')
    const axes = isTexture ? bound.extents.map((limit) => ({ limit, step: 1, distances: [] })) : [bound.target]
    // All but one coordinate are often inside or just past the end, so that each decides now and then.
    const near = isTexture ? 0.6 : 0
    const parts = axes.map((target) =>
      r.chance(near) ? `l(${target.limit - r.pick([0, 1, 1, 1])})` : w.address(target),
    )
    while (parts.length < 3) parts.push('l(0)')
    const isSampled = bound.dimension === 'texture2dms'
    const mip =
      kind === 'texture-srv' && !isSampled
        ? r.chance(0.6)
          ? `l(${r.pick([0, 0, 1, 2, 3, 0xffffffff])})`
          : w.address({ limit: 3, step: 1, distances: [] })
        : 'l(0)'
    const address = w.vector([...parts, mip])
    const type = `(${isSampled ? 'texture2dms' : bound.dimension})${UINTS}`
    if (kind.endsWith('srv')) {
      const sample = isSampled
        ? `, ${r.chance(0.5) ? `l(${r.below(6)})` : w.address({ limit: 4, step: 1, distances: [] })}`
        : ''
      this.#load(
        (to, swizzle) => `ld${isSampled ? 'ms' : ''}_indexable${type} ${to}, ${address}, ${slot}.${swizzle}${sample}`,
      )
    } else if (bound.use === 'atomic' && (this.unordered || r.chance(0.6))) this.#atomic(slot, address, bound.atomic)
    else if (bound.use === 'atomic' && !this.unordered && r.chance(0.5)) {
      this.#load((to, swizzle) => `ld_uav_typed_indexable${type} ${to}, ${address}, ${slot}.${swizzle}`)
    } else {
      const values = this.#values()
      w.line(`store_uav_typed ${slot}.xyzw, ${address}, ${values}`)
    }
  }

  #counter(): void {
    const { slot } = this.#of('counter').view
    const { r, w } = this
    // A program counts up or down, not both.
    const consumes = this.#bound.get('counter')!.use === 'atomic'
    w.line(`imm_atomic_${consumes ? 'consume' : 'alloc'} ${this.unordered ? 'r4.x' : 'r1.x'}, ${slot}`)
    if (!this.unordered && r.chance(0.7)) {
      w.line(`store_structured ${slot}.x, r1.x, ${this.#inStructure(this.#bound.get('counter')!.stride)}, r7.yyyy`)
    }
  }

  #sharedMemory(kind: Kind): void {
    const { r, w } = this
    const { bytes, stride, count } = this.#shared
    // Registers before and after, whose contents a wrong address would show.
    this.#once('shared', `dcl_tgsm_raw g0, ${bytes}\ndcl_tgsm_structured g1, ${stride}, ${count}\ndcl_tgsm_raw g2, 64`)
    const access: Access = { writes: true, use: undefined, atomic: 'iadd' }
    if (kind === 'shared-raw') {
      const target = { limit: bytes, step: 4, distances: [stride * count + bytes] }
      this.#memory(r.pick(['g0', 'g0', 'g2']), 'raw', () => [w.address(target)], access)
    } else {
      const target = { limit: count, step: 1, distances: [] }
      this.#memory('g1', 'structured', () => [w.address(target), this.#inStructure(stride)], access)
    }
  }

  #private(): void {
    const { r, w } = this
    const count = this.#array
    this.#once('private', `dcl_indexableTemp x0[${count}], 4\ndcl_indexableTemp x1[3], 4`)
    const index = w.temp()
    w.line(`mov ${index}, ${w.address({ limit: count, step: 1, distances: [] })}`)
    const place = `x0[${index}${r.chance(0.5) ? ` + ${r.pick([0, 1, count - 1])}` : ' + 0'}]`
    if (r.chance(0.6)) w.line(`mov ${place}.${r.pick(MASKS)}, r7.yyyy`)
    if (r.chance(0.7)) w.line(`mov r1.xyzw, ${place}.${r.pick(SWIZZLES)}`)
    else w.line('mov r1.xyzw, x1[0].xyzw')
  }

  #constants(kind: Kind): void {
    const { r, w } = this
    const index = w.temp()
    const isImmediate = kind === 'immediate-constants'
    if (isImmediate) {
      const rows = Array.from(
        { length: this.#rows },
        (_, n) => `{ ${[1, 2, 3, 4].map((c) => (n + 1) * 0x1000 + c).join(', ')} }`,
      )
      this.#once('icb', `dcl_immediateConstantBuffer { ${rows.join(', ')} }`)
    } else this.#once('cb1', 'dcl_constantbuffer CB1[6], dynamicIndexed')
    w.line(`mov ${index}, ${w.address({ limit: isImmediate ? this.#rows : 6, step: 1, distances: [4096, 4095] })}`)
    const more = isImmediate ? '' : r.pick([' + 0', ' + 1', ' + 5'])
    w.line(`mov r1.xyzw, ${isImmediate ? 'icb' : 'cb1'}[${index}${isImmediate ? ' + 0' : more}].${r.pick(SWIZZLES)}`)
  }

  access(kind: Kind): void {
    const { w } = this
    if (kind === 'counter') this.#counter()
    else if (kind.startsWith('typed') || kind.startsWith('texture')) this.#texel(kind)
    else if (kind.startsWith('shared')) this.#sharedMemory(kind)
    else if (kind === 'private') this.#private()
    else if (kind.endsWith('constants')) this.#constants(kind)
    else {
      const { view, target, stride, use, atomic } = this.#of(kind)
      const isRaw = kind.startsWith('raw')
      this.#memory(
        view.slot,
        isRaw ? 'raw' : 'structured',
        () => (isRaw ? [w.address(target)] : [w.address(target), this.#inStructure(stride)]),
        { writes: kind.endsWith('uav'), use, atomic },
      )
    }
  }
}

interface Access {
  readonly writes: boolean
  readonly use: Use | undefined
  readonly atomic: string
}

/** A statement with its address, in flow that may diverge. */
function emitAccess(p: ProgramWriter, kind: Kind, isLast: boolean): void {
  const { r, w } = p
  const isDivergent = r.chance(0.25)
  const isLoop = r.chance(0.12)
  w.line('mov r1.xyzw, l(0, 0, 0, 0)')
  if (isDivergent) {
    w.line(`and r4.y, vThreadIDInGroupFlattened, l(${r.pick([1, 2, 3, 4, 8])})`)
    w.line(`${r.pick(['if_nz', 'if_z'])} r4.y`)
  }
  if (isLoop) {
    w.line('mov r5.x, l(0)\nloop')
    w.line(`uge r5.y, r5.x, l(${1 + r.below(4)})\nbreakc_nz r5.y`)
    w.counter = 'r5.x'
  }
  p.access(kind)
  if (isLoop) {
    w.line('iadd r5.x, r5.x, l(1)\nendloop')
    w.counter = undefined
  }
  if (isDivergent) w.line('endif')
  w.line(`store_raw u7.xyzw, r7.x, r1.xyzw`)
  if (!isLast) w.line('iadd r7.x, r7.x, l(16)')
}

/** The program of a seed for resources of an arena. */
export function isolationProgram(seed: number, arena: Arena, options: ProgramOptions): IsolationProgram {
  const { unordered, kinds = KINDS } = options
  const r = new Random(seed)
  const threads = r.pick(SHAPES)
  const groups = [1 + r.below(unordered ? MOST_GROUPS : 3), 1, 1] as const
  const p = new ProgramWriter(r, arena, { threads, groups }, unordered)
  const accesses = 1 + r.below(MOST_ACCESSES)
  for (let n = 0; n < accesses; n++) emitAccess(p, r.pick(kinds), n + 1 === accesses)
  const count = threads[0] * threads[1] * threads[2]
  const constants = new Uint32Array(32)
  constants.set(p.w.constants)
  const text = `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_constantbuffer CB0[8], immediateIndexed
${[...p.declares, 'dcl_uav_raw u7'].join('\n')}
dcl_input vThreadID.xyz
dcl_input vThreadGroupID.xyz
dcl_input vThreadIDInGroup.xyz
dcl_input vThreadIDInGroupFlattened
dcl_temps ${p.w.tempCount}
dcl_thread_group ${threads.join(', ')}
imad r7.y, vThreadGroupID.x, l(${count}), vThreadIDInGroupFlattened
imul null, r7.x, r7.y, l(${16 * accesses})
${p.w.lines.join('\n')}
ret
`
  return { text, shape: { threads, groups }, views: p.views, constants }
}
