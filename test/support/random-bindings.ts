import { type Outcome, valueOrThrow } from '../../src/diagnostic/index.ts'
import type { Declarations, RegisterRange, ResourceDeclaration, UavDeclaration } from '../../src/engine/declarations.ts'
import { FORMATS, type Format, findFormat } from '../../src/isa/formats/index.ts'
import { DIMENSION_NUMBER, RESOURCE_DIMENSION, RETURN_TYPE, wordOf } from '../../src/isa/index.ts'
import {
  type Bound,
  type Buffer,
  counterValue,
  createBuffer,
  createCbv,
  createSampler,
  createSrv,
  createTexture,
  createUav,
  FILTERS,
  type Memory,
  printSlot,
  type Sampler,
  type SamplerOptions,
  type SlotRegister,
  type Storage,
  type Texture,
  type TextureDimension,
  type Uav,
  type ViewDimension,
} from '../../src/machine/index.ts'
import { type Numbers, Random, wordOf as randomWord } from './random/random.ts'

/** Bindings for all that a program declares, filled from a seed: the same contents for every engine. */

/** What a program needs of a slot; everything else is chosen at random. */
export interface SlotHint {
  /** Elements, structures, dwords of a raw buffer, or constants. */
  readonly elements?: number
  readonly width?: number
  readonly height?: number
  readonly depth?: number
  /** Formats that a texture is one of. */
  readonly formats?: readonly string[]
  /** What a sampler has in place of random values. */
  readonly sampler?: SamplerOptions
  /** Records that were appended in any order: they are compared sorted. */
  readonly sorted?: boolean
}

/** Words that a dispatch may have changed. */
export interface Output {
  readonly name: string
  readonly words: () => Uint32Array
}

export interface RandomBindings {
  readonly bindings: Readonly<Record<string, Bound>>
  readonly outputs: readonly Output[]
  /** Gives back what lies in an engine's memory. */
  readonly release: () => void
}

export interface FillOptions {
  readonly numbers: Numbers
  readonly memory?: Memory | undefined
  readonly hints?: Readonly<Record<string, SlotHint>>
  /** Part of the declared slots that nothing is bound to. */
  readonly unbound?: number
  /** Part of the words that are small integers, for programs that use their inputs as addresses and counts. */
  readonly integers?: number
  /** Everything lies in the memory that is given, where else some of it lies elsewhere. */
  readonly isOwn?: boolean
}

/** Registers of one range that get a binding; ranges may be without end. */
const BOUND_OF_RANGE = 4

class Filler {
  readonly r: Random
  readonly options: FillOptions
  readonly bindings: Record<string, Bound> = {}
  readonly outputs: Output[] = []
  /** What lies in the engine's memory. */
  readonly owned: Storage[] = []

  constructor(seed: number, options: FillOptions) {
    this.r = new Random(seed ^ 0x5bd1e995)
    this.options = options
  }

  #word(): number {
    const { r, options } = this
    return r.chance(options.integers ?? 0) ? r.below(64) : randomWord(r, options.numbers)
  }

  words(count: number): Uint32Array {
    return Uint32Array.from({ length: count }, () => this.#word())
  }

  /** Makes a resource in the engine's memory, now and then elsewhere, which must make no difference. */
  make<T extends Buffer | Texture>(create: (where: { memory?: Memory }) => Outcome<T>): T {
    const { memory, isOwn } = this.options
    const elsewhere = this.r.chance(0.2) && isOwn !== true
    const made = valueOrThrow(create(memory === undefined || elsewhere ? {} : { memory }))
    if (memory !== undefined && !elsewhere) this.owned.push(made.storage)
    return made
  }

  buffer(byteLength: number, stride?: number): Buffer {
    const words = this.words(Math.ceil(byteLength / 4))
    const data = new Uint8Array(words.buffer, 0, byteLength)
    return this.make((where) => createBuffer({ data, ...where, ...(stride === undefined ? {} : { stride }) }))
  }

  hint(name: string): SlotHint {
    return this.options.hints?.[name] ?? {}
  }

  each(register: SlotRegister, ranges: readonly RegisterRange[], bind: (name: string, at: number) => void): void {
    for (const [at, range] of ranges.entries()) {
      const last = Math.min(range.last, range.first + BOUND_OF_RANGE - 1)
      for (let index = range.first; index <= last; index++) {
        const name = printSlot({ register, index, space: range.space })
        // The outputs of random programs are always there.
        const kept = this.hint(name).elements !== undefined
        if (this.r.chance(this.options.unbound ?? 0) && !kept) continue
        bind(name, at)
      }
    }
  }
}

const returnedBy = (d: ResourceDeclaration): string => wordOf(RETURN_TYPE, d.returnTypes & 15)

/** Whether a format's components are what a return type promises. Mixed types, and the words that are none, take any. */
function fits(format: Format, returned: string): boolean {
  const encoding = format.components[0]!.encoding
  if (format.result === 'none' || format.typeless) return false
  switch (returned) {
    case 'unorm':
      return encoding === 'unorm' || encoding === 'unorm-srgb'
    case 'snorm':
    case 'uint':
    case 'sint':
      return encoding === returned
    case 'float':
      return format.result === 'float'
    default:
      return true
  }
}

type Kind = 'buffer' | TextureDimension

const KINDS: readonly (readonly [prefix: string, kind: Kind])[] = [
  ['buffer', 'buffer'],
  ['texturecube', 'texturecube'],
  ['texture1d', 'texture1d'],
  ['texture2d', 'texture2d'],
  ['texture3d', 'texture3d'],
]

const kindOf = (word: string): Kind => KINDS.find(([prefix]) => word.startsWith(prefix))![1]

function formatFor(f: Filler, d: ResourceDeclaration, as: 'srv' | 'uav'): Format {
  const word = wordOf(RESOURCE_DIMENSION, d.dimension)
  const kind = kindOf(word)
  const isMultisample = word.includes('ms')
  const atomics = 'atomics' in d ? (d as UavDeclaration).atomics : 'none'
  const fitting = FORMATS.filter(({ capabilities: c, layout }, i) => {
    if (!fits(FORMATS[i]!, returnedBy(d)) || c.resources[kind] === 'none') return false
    if (isMultisample && (c.multisampleLoad === 'none' || layout !== 'linear')) return false
    if (as === 'uav') {
      if (c.typedUavStore === 'none' || c.typedUavLoad === 'none') return false
      return atomics === 'none' || c.typedUavAtomic === 'all' || c.typedUavAtomic === atomics
    }
    return c.load !== 'none'
  })
  // The formats of plain floats and integers are what most programs use.
  const plain = fitting.filter((x) => x.name.startsWith('R32'))
  return plain.length > 0 && f.r.chance(0.4) ? f.r.pick(plain) : f.r.pick(fitting)
}

/** A texture that a view of this dimension fits: odd extents, some mips, some slices. */
function textureFor(f: Filler, d: ResourceDeclaration, as: 'srv' | 'uav', hint: SlotHint): Texture {
  const { r } = f
  const word = wordOf(RESOURCE_DIMENSION, d.dimension)
  const kind = kindOf(word) as TextureDimension
  const format = hint.formats === undefined ? formatFor(f, d, as) : findFormat(f.r.pick(hint.formats))!
  const isArray = word.endsWith('array')
  const isBlock = format.layout !== 'linear'
  const extent = (): number => (isBlock ? 4 * (1 + r.below(3)) : 1 + r.below(9))
  const width = hint.width ?? extent()
  const height = kind === 'texture1d' ? 1 : kind === 'texturecube' ? width : (hint.height ?? extent())
  const depth = kind === 'texture3d' ? (hint.depth ?? 1 + r.below(4)) : 1
  const slices = isArray ? (hint.depth ?? 1 + r.below(3)) : 1
  const isMultisample = word.includes('ms')
  const full = 1 + Math.floor(Math.log2(Math.max(width, height, depth)))
  const options = {
    dimension: kind,
    format: format.name,
    width,
    height,
    depth,
    arraySize: kind === 'texturecube' ? 6 * slices : slices,
    mipLevels: isMultisample || as === 'uav' || isBlock ? 1 : 1 + r.below(full),
    sampleCount: isMultisample ? d.sampleCount || 4 : 1,
  }
  const texture = f.make((where) => createTexture({ ...options, ...where }))
  fillTexture(f, texture)
  return texture
}

/** Floats of 32 bits as the numbers of the program are, other formats of any bits. */
function fillTexture(f: Filler, texture: Texture): void {
  const { bytes } = texture.storage
  const isFloat32 = texture.format.components.every((c) => c.bitCount === 32 && c.encoding === 'float')
  const count = Math.ceil(bytes.length / 4)
  const words = isFloat32 ? f.words(count) : Uint32Array.from({ length: count }, () => f.r.next())
  bytes.set(new Uint8Array(words.buffer, 0, bytes.length))
}

interface Range {
  readonly firstElement: number
  readonly elementCount: number
}

/** A view of `elements` elements with some before and after that nothing may touch. */
function bufferView(f: Filler, d: ResourceDeclaration, as: 'srv' | 'uav', name: string) {
  const { r } = f
  const elementCount = f.hint(name).elements ?? 16 + r.below(40)
  const range: Range = { firstElement: r.below(3), elementCount }
  const all = range.firstElement + elementCount + r.below(3)
  if (d.shape === 'raw') {
    // Raw views begin on a multiple of 16 bytes (5.3.9.4 of their creation rules); their length is any dwords.
    const firstElement = range.firstElement * 4
    return { buffer: f.buffer(4 * (all + firstElement)), view: { raw: true, firstElement, elementCount } }
  }
  if (d.shape === 'structured') return { buffer: f.buffer(d.stride * all, d.stride), view: range }
  const format = formatFor(f, d, as)
  return { buffer: f.buffer(format.blockByteLength * all), view: { format: format.name, ...range } }
}

function isBuffer(d: ResourceDeclaration): boolean {
  return d.shape !== 'typed' || d.dimension === DIMENSION_NUMBER.buffer
}

const dimensionOf = (d: ResourceDeclaration): ViewDimension => wordOf(RESOURCE_DIMENSION, d.dimension) as ViewDimension

function bindResource(f: Filler, name: string, d: ResourceDeclaration): void {
  if (isBuffer(d)) {
    const { buffer, view } = bufferView(f, d, 'srv', name)
    f.bindings[name] = valueOrThrow(createSrv(buffer, view))
  } else {
    const texture = textureFor(f, d, 'srv', f.hint(name))
    const mostDetailedMip = f.r.below(texture.mipLevels)
    f.bindings[name] = valueOrThrow(createSrv(texture, { dimension: dimensionOf(d), mostDetailedMip }))
  }
}

function wordsOf(resource: Buffer | Texture): Uint32Array {
  const bytes = resource.storage.bytes.slice()
  const padded = new Uint8Array(Math.ceil(bytes.length / 4) * 4)
  padded.set(bytes)
  return new Uint32Array(padded.buffer)
}

/** Records of `size` words in an order of their own. */
function sortedRecords(words: Uint32Array, size: number): Uint32Array {
  const records = Array.from({ length: Math.floor(words.length / size) }, (_, i) =>
    words.slice(i * size, (i + 1) * size),
  )
  records.sort((a, b) => {
    const at = a.findIndex((word, i) => word !== b[i])
    return at < 0 ? 0 : a[at]! - b[at]!
  })
  const out = new Uint32Array(words.length)
  for (const [i, record] of records.entries()) out.set(record, i * size)
  return out
}

function bindUav(f: Filler, name: string, d: UavDeclaration): void {
  const hint = f.hint(name)
  let view: Uav
  let resource: Buffer | Texture
  if (isBuffer(d)) {
    const made = bufferView(f, d, 'uav', name)
    const counter = d.counter
      ? { counter: 'counter' as const, initialCount: hint.sorted === true ? 0 : f.r.below(9) }
      : {}
    resource = made.buffer
    view = valueOrThrow(createUav(made.buffer, { ...made.view, ...counter }))
  } else {
    resource = textureFor(f, d, 'uav', hint)
    view = valueOrThrow(createUav(resource, { dimension: dimensionOf(d) }))
  }
  f.bindings[name] = view
  const made = resource
  const words = (): Uint32Array => (hint.sorted === true ? sortedRecords(wordsOf(made), d.stride / 4) : wordsOf(made))
  f.outputs.push({ name, words })
  const counter = 'counter' in view ? view.counter : undefined
  if (counter !== undefined)
    f.outputs.push({ name: `${name} counter`, words: () => Uint32Array.of(counterValue(counter)) })
}

function samplerFor(f: Filler, comparison: boolean, { sampler }: SlotHint): Sampler {
  const { r } = f
  const filters = [...FILTERS.keys()].filter((name) => name.includes('COMPARISON') === comparison)
  const addresses = ['WRAP', 'MIRROR', 'CLAMP', 'BORDER', 'MIRROR_ONCE']
  return valueOrThrow(
    createSampler({
      filter: r.pick(filters),
      addressU: r.pick(addresses),
      addressV: r.pick(addresses),
      addressW: r.pick(addresses),
      comparison: 1 + r.below(8),
      mipLodBias: r.pick([0, 0, 0.5, -1]),
      maxAnisotropy: r.pick([1, 2, 7, 16]),
      borderColor: [r.below(3) / 2, 1, 0.25, -1],
      ...(r.chance(0.3) ? { minLod: 0.5, maxLod: 1.5 } : {}),
      ...sampler,
    }),
  )
}

/** Binds everything; contents depend on the seed, the declarations and the options, never on the engine. */
export function randomBindings(d: Declarations, seed: number, options: FillOptions): RandomBindings {
  const f = new Filler(seed, options)
  f.each('t', d.resources, (name, at) => bindResource(f, name, d.resources[at]!))
  f.each('u', d.uavs, (name, at) => bindUav(f, name, d.uavs[at]!))
  f.each('b', d.constantBuffers, (name, at) => {
    const declared = d.constantBuffers[at]!.constantCount
    const count = f.hint(name).elements ?? Math.max(1, (declared || 16) - (f.r.chance(0.2) ? 1 : 0))
    f.bindings[name] = valueOrThrow(createCbv(f.words(Math.min(count, 4096) * 4)))
  })
  f.each('s', d.samplers, (name, at) => {
    f.bindings[name] = samplerFor(f, d.samplers[at]!.comparison, f.hint(name))
  })
  const release = (): void => {
    const { memory } = options
    for (const storage of f.owned) memory?.release?.(storage)
  }
  return { bindings: f.bindings, outputs: f.outputs, release }
}
