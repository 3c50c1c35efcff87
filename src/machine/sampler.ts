import {
  aNumber,
  appendAll,
  checkArguments,
  type Diagnostic,
  diagnostic,
  type Expectation,
  failure,
  hasErrors,
  type Outcome,
  outcomeOf,
  showValue,
} from '../diagnostic/index.ts'

/** What a sampler reads outside of 0 to 1 (D3D11_TEXTURE_ADDRESS_MODE, functional specification 7.18.3). */
export type AddressMode = 'wrap' | 'mirror' | 'clamp' | 'border' | 'mirror_once'

/** How a comparison sampler compares the reference value with a texel (D3D11_COMPARISON_FUNC). */
export type ComparisonFunction =
  | 'never'
  | 'less'
  | 'equal'
  | 'less_equal'
  | 'greater'
  | 'not_equal'
  | 'greater_equal'
  | 'always'

/** What a filter does with its taps: blends them, compares each and blends the answers, or takes the least or greatest. */
export type FilterReduction = 'standard' | 'comparison' | 'minimum' | 'maximum'
export type TapFilter = 'point' | 'linear'

/** A sampler state object, taken apart (functional spec 7.18.3). Plain data. */
export interface Sampler {
  readonly kind: 'sampler'
  readonly min: TapFilter
  readonly mag: TapFilter
  readonly mip: TapFilter
  readonly anisotropic: boolean
  readonly reduction: FilterReduction
  readonly addressU: AddressMode
  readonly addressV: AddressMode
  readonly addressW: AddressMode
  /** float32, mips; not NaN. */
  readonly minLod: number
  readonly maxLod: number
  /** float32, -16 to 15.99. */
  readonly mipLodBias: number
  /** 0 to 16, 0 meaning 1; honored when `anisotropic`. */
  readonly maxAnisotropy: number
  readonly comparison: ComparisonFunction
  /** RGBA, float32. */
  readonly borderColor: readonly [number, number, number, number]
}

/** What `sampler` takes: the fields of D3D11_SAMPLER_DESC, all optional. */
export interface SamplerOptions {
  /** A D3D11_FILTER by name, with or without the prefix, in any case, or by number. Default MIN_MAG_MIP_LINEAR. */
  readonly filter?: string | number | undefined
  /** All three axes, unless one is named by itself. A D3D11_TEXTURE_ADDRESS_MODE by name or number. Default CLAMP. */
  readonly address?: string | number | undefined
  /** As `address`, of U alone. */
  readonly addressU?: string | number | undefined
  /** As `address`, of V alone. */
  readonly addressV?: string | number | undefined
  /** As `address`, of W alone. */
  readonly addressW?: string | number | undefined
  /** Added to the level of detail, from -16 to 15.99. Default 0. */
  readonly mipLodBias?: number | undefined
  /** Most samples along the line of anisotropy, 0 to 16. Default 16. */
  readonly maxAnisotropy?: number | undefined
  /** A D3D11_COMPARISON_FUNC by name or number. Default NEVER. */
  readonly comparison?: string | number | undefined
  /** Up to four components that the address mode BORDER gives. Default 0. */
  readonly borderColor?: readonly number[] | undefined
  /** Finest level of detail, in mips. Default -3.402823466e+38. */
  readonly minLod?: number | undefined
  /** Coarsest level of detail, in mips. Default 3.402823466e+38. */
  readonly maxLod?: number | undefined
}

export const ADDRESS_MODES: Readonly<Record<string, AddressMode>> = {
  WRAP: 'wrap',
  MIRROR: 'mirror',
  CLAMP: 'clamp',
  BORDER: 'border',
  MIRROR_ONCE: 'mirror_once',
  MIRRORONCE: 'mirror_once',
}
const ADDRESS_NUMBERS: readonly (AddressMode | undefined)[] = [
  undefined,
  'wrap',
  'mirror',
  'clamp',
  'border',
  'mirror_once',
]

const COMPARISONS: readonly (ComparisonFunction | undefined)[] = [
  undefined,
  'never',
  'less',
  'equal',
  'less_equal',
  'greater',
  'not_equal',
  'greater_equal',
  'always',
]

/** The numbers of D3D11_FILTER that name a filter: bits mip 0, mag 2, min 4, anisotropic 6, reduction 7 and 8. */
const FILTER_TAPS: Readonly<Record<string, number>> = {
  MIN_MAG_MIP_POINT: 0x00,
  MIN_MAG_POINT_MIP_LINEAR: 0x01,
  MIN_POINT_MAG_LINEAR_MIP_POINT: 0x04,
  MIN_POINT_MAG_MIP_LINEAR: 0x05,
  MIN_LINEAR_MAG_MIP_POINT: 0x10,
  MIN_LINEAR_MAG_POINT_MIP_LINEAR: 0x11,
  MIN_MAG_LINEAR_MIP_POINT: 0x14,
  MIN_MAG_MIP_LINEAR: 0x15,
  ANISOTROPIC: 0x55,
}
const FILTER_REDUCTIONS: readonly (readonly [string, number, FilterReduction])[] = [
  ['', 0x000, 'standard'],
  ['COMPARISON_', 0x080, 'comparison'],
  ['MINIMUM_', 0x100, 'minimum'],
  ['MAXIMUM_', 0x180, 'maximum'],
]

/** The 36 filters of D3D11_FILTER: name without prefix, and number. */
export const FILTERS: ReadonlyMap<string, number> = new Map(
  FILTER_REDUCTIONS.flatMap(([prefix, bits]) =>
    Object.entries(FILTER_TAPS).map(([taps, number]) => [prefix + taps, bits | number] as const),
  ),
)
const FILTER_NUMBERS: ReadonlySet<number> = new Set(FILTERS.values())

function plainName(given: string, prefix: string): string {
  const upper = String(given).toUpperCase().replaceAll('-', '_')
  return upper.startsWith(prefix) ? upper.slice(prefix.length) : upper
}

function findFilter(given: string | number): number | undefined {
  if (typeof given === 'number') return FILTER_NUMBERS.has(given) ? given : undefined
  return FILTERS.get(plainName(given, 'D3D11_FILTER_'))
}

function findAddress(given: string | number): AddressMode | undefined {
  if (typeof given === 'number') return ADDRESS_NUMBERS[given]
  const name = plainName(given, 'D3D11_TEXTURE_ADDRESS_')
  return Object.hasOwn(ADDRESS_MODES, name) ? ADDRESS_MODES[name] : undefined
}

function findComparison(given: string | number): ComparisonFunction | undefined {
  if (typeof given === 'number') return COMPARISONS[given]
  const name = plainName(given, 'D3D11_COMPARISON_').toLowerCase()
  return COMPARISONS.find((c) => c === name)
}

const F32_MAX = 3.4028234663852886e38

function checkNumbers(s: Sampler): Diagnostic[] {
  const found: Diagnostic[] = []
  const bad = (message: string): void => void found.push(diagnostic('machine-sampler-value', message))
  if (Number.isNaN(s.minLod) || Number.isNaN(s.maxLod)) bad('minLod and maxLod must not be NaN.')
  if (!(s.mipLodBias >= -16 && s.mipLodBias <= Math.fround(15.99))) {
    bad(`mipLodBias is ${s.mipLodBias}; it must be from -16 to 15.99.`)
  }
  if (!Number.isInteger(s.maxAnisotropy) || s.maxAnisotropy < 0 || s.maxAnisotropy > 16) {
    bad(`maxAnisotropy is ${s.maxAnisotropy}; it must be a whole number from 0 to 16.`)
  }
  return found
}

function borderOf(given: readonly number[] | undefined): readonly [number, number, number, number] {
  const at = (i: number): number => Math.fround(given?.[i] ?? 0)
  return [at(0), at(1), at(2), at(3)]
}

const aName: Expectation = (v) => (typeof v === 'string' || typeof v === 'number' ? undefined : 'a name or a number')
const aColor: Expectation = (v) => {
  const isColor = Array.isArray(v) && v.length <= 4 && v.every((n) => typeof n === 'number')
  return isColor ? undefined : 'a list of up to four numbers'
}

const OPTIONS = {
  ...{ filter: aName, address: aName, addressU: aName, addressV: aName, addressW: aName, comparison: aName },
  ...{ mipLodBias: aNumber, maxAnisotropy: aNumber, minLod: aNumber, maxLod: aNumber, borderColor: aColor },
}

/** Makes a sampler, linear with mips and clamped where nothing is given; numbers default as D3D11_DEFAULT_* do. */
export function createSampler(options: SamplerOptions = {}): Outcome<Sampler> {
  const diagnostics = checkArguments('machine-argument', 'a sampler', options, OPTIONS)
  if (diagnostics.length > 0) return failure(diagnostics)
  const unknown = (what: string, given: string | number, known: readonly string[]): void =>
    void diagnostics.push(
      diagnostic('machine-sampler-value', `${showValue(given)} is not a ${what}.`, undefined, [
        `Known: ${known.join(', ')}.`,
      ]),
    )
  const filter = findFilter(options.filter ?? 'MIN_MAG_MIP_LINEAR')
  if (filter === undefined) unknown('D3D11_FILTER', options.filter!, [...FILTERS.keys()])
  const axis = (own: string | number | undefined): AddressMode => {
    const given = own ?? options.address ?? 'CLAMP'
    const mode = findAddress(given)
    if (mode === undefined) unknown('D3D11_TEXTURE_ADDRESS_MODE', given, Object.keys(ADDRESS_MODES))
    return mode ?? 'clamp'
  }
  const comparison = findComparison(options.comparison ?? 'NEVER')
  if (comparison === undefined) {
    unknown('D3D11_COMPARISON_FUNC', options.comparison!, COMPARISONS.slice(1) as string[])
  }
  const bits = filter ?? 0
  const value: Sampler = {
    kind: 'sampler',
    min: bits & 0x10 ? 'linear' : 'point',
    mag: bits & 0x04 ? 'linear' : 'point',
    mip: bits & 0x01 ? 'linear' : 'point',
    anisotropic: (bits & 0x40) !== 0,
    reduction: FILTER_REDUCTIONS[(bits >> 7) & 3]![2],
    addressU: axis(options.addressU),
    addressV: axis(options.addressV),
    addressW: axis(options.addressW),
    minLod: Math.fround(options.minLod ?? -F32_MAX),
    maxLod: Math.fround(options.maxLod ?? F32_MAX),
    mipLodBias: Math.fround(options.mipLodBias ?? 0),
    maxAnisotropy: options.maxAnisotropy ?? 16,
    comparison: comparison ?? 'never',
    borderColor: borderOf(options.borderColor),
  }
  appendAll(diagnostics, checkNumbers(value))
  return hasErrors(diagnostics) ? failure(diagnostics) : outcomeOf(value, diagnostics)
}

/** What a slot without a sampler reads by: Direct3D's default sampler state. */
export const DEFAULT_SAMPLER: Sampler = createSampler().value!
