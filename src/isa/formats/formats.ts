import type { Format, FormatCapabilities, Support } from './format.ts'
import { blockComponents, blockShape, parseLinearComponents, resultOf } from './layout.ts'
import { FORMAT_TABLE, type FormatTableRow } from './table.ts'

/** The name of a format as DXGI spells it, without `DXGI_FORMAT_`. */
export type FormatName = (typeof FORMAT_TABLE)[number][1]

const SUPPORT: Readonly<Record<string, Support>> = { r: 'required', o: 'optional', '-': 'none' }

function parseCapabilities(cell: string): FormatCapabilities {
  const letters = cell.replaceAll(' ', '')
  const at = (i: number): Support => SUPPORT[letters[i]!]!
  const atomic = letters[12]
  return {
    resources: { buffer: at(0), texture1d: at(1), texture2d: at(2), texture3d: at(3), texturecube: at(4) },
    load: at(5),
    multisampleLoad: at(6),
    filter: at(7),
    gather: at(8),
    comparison: at(9),
    typedUavStore: at(10),
    typedUavLoad: at(11),
    typedUavAtomic: atomic === 'a' ? 'all' : atomic === 'x' ? 'exchange' : 'none',
    renderTarget: at(13),
    blend: at(14),
    logicOp: at(15),
    multisampleTarget: at(16),
    resolve: at(17),
    generateMips: at(18),
    depthStencil: at(19),
  }
}

const NAMES: ReadonlySet<string> = new Set(FORMAT_TABLE.map((row) => row[1]))

/** `R8G8B8A8_UNORM_SRGB` belongs to `R8G8B8A8_TYPELESS`; a format without a typeless form is a family of its own. */
function familyOf(name: string): string {
  const typeless = `${name.split('_')[0]}_TYPELESS`
  // R10G10B10_XR_BIAS_A2 has its own first group but the layout of R10G10B10A2.
  if (name === 'R10G10B10_XR_BIAS_A2_UNORM') return 'R10G10B10A2_TYPELESS'
  return NAMES.has(typeless) ? typeless : name
}

function expand([number, name, layout, family, support]: FormatTableRow): Format {
  const components = layout === 'linear' ? parseLinearComponents(name) : blockComponents(layout, name)
  return {
    name,
    number,
    layout,
    ...blockShape(layout, components),
    components,
    family: layout === 'packed422' ? name : family === '' ? familyOf(name) : family,
    typeless: components.every((c) => c.encoding === 'typeless'),
    depthStencil: components.some((c) => c.name === 'd' || c.name === 's'),
    srgb: components.some((c) => c.encoding === 'unorm-srgb'),
    result: components.some((c) => c.name === 'd' || c.name === 's') ? 'none' : resultOf(components),
    capabilities: parseCapabilities(support),
  }
}

/** Every format, in the order of the DXGI numbers. */
export const FORMATS: readonly Format[] = (FORMAT_TABLE as readonly FormatTableRow[]).map(expand)

const BY_NAME: ReadonlyMap<string, Format> = new Map(FORMATS.map((f) => [f.name, f]))
const BY_NUMBER: ReadonlyMap<number, Format> = new Map(FORMATS.map((f) => [f.number, f]))

/** The format of a name, with or without `DXGI_FORMAT_`, in any case; or of a DXGI number. */
export function findFormat(nameOrNumber: string | number): Format | undefined {
  if (typeof nameOrNumber === 'number') return BY_NUMBER.get(nameOrNumber)
  return BY_NAME.get(nameOrNumber.toUpperCase().replace(/^DXGI_FORMAT_/, ''))
}

/** The format of a known name. */
export function formatNamed(name: FormatName): Format {
  return BY_NAME.get(name)!
}

/** Types by what other interfaces call them; without a word 8 and 16 bits are UNORM, 32 bits FLOAT. */
const SHORT_TYPES: Readonly<Record<string, string>> = {
  F: 'FLOAT',
  I: 'SINT',
  SI: 'SINT',
  UI: 'UINT',
  U: 'UINT',
  UN: 'UNORM',
  SN: 'SNORM',
}

/** `RGBA32F` of other interfaces is R32G32B32A32_FLOAT; undefined where no format is called so. */
function shorthandFormat(name: string): string | undefined {
  const m = /^([RGBA]{1,4})(8|16|32)_?([A-Z]*)(_SRGB)?$/.exec(name)
  if (m === null) return undefined
  const [, components = '', bits = '', short = '', srgb = ''] = m
  const type = short === '' ? (bits === '32' ? 'FLOAT' : 'UNORM') : (SHORT_TYPES[short] ?? short)
  const full = `${[...components].map((c) => c + bits).join('')}_${type}${srgb}`
  return findFormat(full)?.name
}

/** Names close to one that is not known, for "did you mean", best first, at most three. */
export function similarFormats(name: string): string[] {
  const wanted = name.toUpperCase().replace(/^DXGI_FORMAT_/, '')
  const meant = shorthandFormat(wanted)
  if (meant !== undefined) return [meant]
  const pairs = (s: string): Set<string> => new Set([...s.slice(1)].map((c, i) => s[i]! + c))
  const ours = pairs(wanted)
  const score = (s: string): number => {
    const theirs = pairs(s)
    const common = [...ours].filter((p) => theirs.has(p)).length
    return common / (ours.size + theirs.size)
  }
  return FORMATS.map((f) => ({ name: f.name, score: score(f.name) }))
    .filter((f) => f.score > 0.3)
    .sort((a, b) => b.score - a.score)
    .slice(0, 3)
    .map((f) => f.name)
}

/**
 * Whether memory of format `from` may be viewed as `to`: the same format, a typed form of the same family, or one of
 * the 32-bit families viewed as R32_UINT, R32_SINT or R32_FLOAT by a UAV (functional spec 5.3.9.5).
 */
export function canCast(from: Format, to: Format, asUav: boolean): boolean {
  if (from.number === to.number) return true
  if (from.family === to.family) return true
  return asUav && to.family === 'R32_TYPELESS' && R32_CASTABLE.has(from.name)
}

const R32_CASTABLE: ReadonlySet<string> = new Set([
  'R10G10B10A2_TYPELESS',
  'R8G8B8A8_TYPELESS',
  'B8G8R8A8_TYPELESS',
  'B8G8R8X8_TYPELESS',
  'R16G16_TYPELESS',
  'R32_TYPELESS',
])
