import { counterValue, printSlot, subresource, type TextureSrv, type TextureUav } from '../../machine/index.ts'
import type { PrintRequest } from '../model.ts'
import { hexText, readScalar, SCALAR_BYTES, type ScalarType, scalarText } from '../values/scalars.ts'
import type { Leaf } from '../values/shape.ts'
import { componentNames, componentText, isReadable, texelComponents, texelPlace } from '../values/texels.ts'
import { cachedLeaves } from './locate.ts'
import type { PreparedResource } from './resources.ts'
import { type Table, tableLines } from './table.ts'

/** Elements of a resource, for people and for programs. */
export interface Printed {
  readonly slot: string
  readonly label: string
  /** `structured, 2000 structures of 16 bytes`. */
  readonly what: string
  readonly table: Table
  /** The same as values: an object of members, or an array of components, by element. */
  readonly values: readonly unknown[]
  readonly first: number
  readonly count: number
  readonly total: number
  /** All requested elements are there: the number of other elements need not be printed. */
  readonly isWhole: boolean
}

/** Elements shown where the request names none. */
const DEFAULT_COUNT = 16
/** A table wider than this is turned on its side: a line for each member. */
const MAX_WIDTH = 150

type Format = NonNullable<PrintRequest['as']>

interface Elements {
  readonly what: string
  readonly total: number
  readonly heads: readonly string[]
  readonly types: readonly string[]
  readonly cells: (index: number) => string[]
  readonly value: (index: number) => unknown
}

/** JSON has no NaN and no infinities: those are given as text. */
function jsonNumber(n: number): number | string {
  return Number.isFinite(n) && !Object.is(n, -0) ? n : Object.is(n, -0) ? '-0' : String(n)
}

function dataView(r: PreparedResource): DataView {
  const { bytes } = r.resource!.storage
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

function formatBytes(as: Format): number {
  return as === 'hex' ? 4 : SCALAR_BYTES[as]
}

function formatText(view: DataView, at: number, as: Format): string {
  return as === 'hex' ? hexText(view, at, 4) : scalarText(view, at, as)
}

function formatValue(view: DataView, at: number, as: Format): unknown {
  return jsonNumber(readScalar(view, at, as === 'hex' ? 'u32' : (as satisfies ScalarType)))
}

/** Elements of `stride` bytes as values of one type. */
function plainElements(
  view: DataView,
  from: number,
  byteLength: number,
  stride: number,
  as: Format,
  what: string,
): Elements {
  const size = formatBytes(as)
  const columns = Math.max(1, Math.floor(stride / size))
  const offsets = Array.from({ length: columns }, (_, i) => i * size)
  return {
    what,
    total: Math.floor(byteLength / stride),
    heads: columns === 1 ? [as] : offsets.map((o) => `+${o}`),
    types: columns === 1 ? [''] : offsets.map(() => as),
    cells: (i) => offsets.map((o) => formatText(view, from + i * stride + o, as)),
    value: (i) => {
      const values = offsets.map((o) => formatValue(view, from + i * stride + o, as))
      return columns === 1 ? values[0] : values
    },
  }
}

function leafText(view: DataView, at: number, leaf: Leaf): string {
  return leaf.shape.offsets.map((o) => scalarText(view, at + leaf.byteOffset + o, leaf.shape.scalar)).join(', ')
}

function leafValue(view: DataView, at: number, leaf: Leaf): unknown {
  const values = leaf.shape.offsets.map((o) => {
    const value = readScalar(view, at + leaf.byteOffset + o, leaf.shape.scalar)
    return leaf.shape.scalar === 'bool' ? value !== 0 : jsonNumber(value)
  })
  return values.length === 1 ? values[0] : values
}

function leavesValue(view: DataView, at: number, leaves: readonly Leaf[]): unknown {
  if (leaves.length === 1 && leaves[0]!.path === '') return leafValue(view, at, leaves[0]!)
  return Object.fromEntries(leaves.map((leaf) => [leaf.path, leafValue(view, at, leaf)]))
}

function structuredElements(
  r: PreparedResource,
  from: number,
  stride: number,
  total: number,
  as: Format | undefined,
): Elements {
  const view = dataView(r)
  const what = `structured, ${total} of ${stride} bytes`
  const leaves = r.shape === undefined || as !== undefined ? [] : cachedLeaves(r.shape)
  if (leaves.length === 0) return plainElements(view, from, total * stride, stride, as ?? 'hex', what)
  return {
    what,
    total,
    heads: leaves.map((leaf) => leaf.path || leaf.shape.type),
    types: leaves.map((leaf) => (leaf.path === '' ? '' : leaf.shape.type)),
    cells: (i) => leaves.map((leaf) => leafText(view, from + i * stride, leaf)),
    value: (i) => leavesValue(view, from + i * stride, leaves),
  }
}

/** The mip and the slices, or depth slices, that a view shows, for printing. */
function shownTexels(view: TextureSrv | TextureUav) {
  const { resource } = view
  const inDepth = resource.dimension === 'texture3d'
  const mip = view.kind === 'srv' ? view.mostDetailedMip : view.mipSlice
  const part = subresource(resource, mip, inDepth ? 0 : view.firstArraySlice)!
  const firstDepth = inDepth && view.kind === 'uav' ? view.firstArraySlice : 0
  const slices = inDepth ? view.levels[0]!.depth : view.arraySize
  const is1d = resource.dimension === 'texture1d'
  const last = slices > 1 ? [inDepth ? 'z' : 'slice'] : []
  const axes = [...(is1d ? ['x'] : ['x', 'y']), ...last]
  const extents = [part.width, ...(is1d ? [] : [part.height]), ...(slices > 1 ? [slices] : [])].join(' x ')
  return { mip, part, inDepth, firstDepth, slices, axes, extents }
}

/** Texels of the most detailed mip of a view, the last coordinate (z or the slice, counted from the view's first) slowest. */
function textureElements(view: TextureSrv | TextureUav): Elements {
  const { format, resource } = view
  const { mip, part, inDepth, firstDepth, slices, axes, extents } = shownTexels(view)
  const perSlice = part.width * part.height
  const place = (i: number) => ({
    x: i % part.width,
    y: Math.floor((i % perSlice) / part.width),
    z: Math.floor(i / perSlice),
  })
  const components = (i: number): number[] => {
    const { x, y, z } = place(i)
    const shown = inDepth ? part : { ...part, byteOffset: part.byteOffset + z * resource.arrayPitch }
    const at = texelPlace(resource, shown, x, y, inDepth ? z + firstDepth : 0)
    return texelComponents(format, resource.storage, ...at)
  }
  return {
    what: `${view.dimension} ${format.name}, ${extents}${resource.mipLevels > 1 ? `, mip ${mip}` : ''}`,
    total: perSlice * slices,
    heads: [...axes, ...componentNames(format)],
    types: [],
    cells: (i) => {
      const { x, y, z } = place(i)
      const coordinates = axes.map((a) => (a === 'x' ? x : a === 'y' ? y : z))
      return [...coordinates.map(String), ...components(i).map((v) => componentText(format, v))]
    },
    value: (i) => components(i).map(jsonNumber),
  }
}

/** A constant buffer as one element with all its variables. */
function constantElements(r: PreparedResource, from: number, byteLength: number, as: Format | undefined): Elements {
  const leaves = r.shape === undefined || as !== undefined ? [] : cachedLeaves(r.shape)
  const fits = leaves.filter((leaf) => from + leaf.byteOffset + leaf.shape.byteLength <= r.resource!.byteLength)
  if (fits.length === 0)
    return plainElements(dataView(r), from, byteLength, 16, as ?? 'hex', `cbuffer, ${byteLength} bytes`)
  const view = dataView(r)
  return {
    what: `cbuffer, ${byteLength} bytes`,
    total: fits.length,
    heads: ['variable', 'type', 'value'],
    types: [],
    cells: (i) => [fits[i]!.path, fits[i]!.shape.type, leafText(view, from, fits[i]!)],
    value: (i) => ({ [fits[i]!.path]: leafValue(view, from, fits[i]!) }),
  }
}

function elementsOf(r: PreparedResource, as: Format | undefined): Elements | undefined {
  const { bound } = r
  if (bound.kind === 'sampler' || r.resource === undefined) return undefined
  if (bound.kind === 'cbv') return constantElements(r, bound.byteOffset, bound.byteLength, as)
  switch (bound.shape) {
    case 'structured':
      return structuredElements(r, bound.byteOffset, bound.stride, bound.elementCount, as)
    case 'raw': {
      const what = `raw, ${bound.byteLength} bytes`
      return plainElements(dataView(r), bound.byteOffset, bound.byteLength, formatBytes(as ?? 'hex'), as ?? 'hex', what)
    }
    case 'typed': {
      const { format, stride, byteOffset, elementCount } = bound
      const what = `typed ${format.name}, ${elementCount} elements`
      if (as !== undefined) return plainElements(dataView(r), byteOffset, bound.byteLength, stride, as, what)
      const components = (i: number): number[] => texelComponents(format, bound.storage, byteOffset + i * stride)
      return {
        what,
        total: elementCount,
        heads: componentNames(format),
        types: [],
        cells: (i) => components(i).map((v) => componentText(format, v)),
        value: (i) => components(i).map(jsonNumber),
      }
    }
    case 'texture':
      if (as === undefined && isReadable(bound.format)) return textureElements(bound)
      return plainElements(
        dataView(r),
        0,
        r.resource.byteLength,
        formatBytes(as ?? 'hex'),
        as ?? 'hex',
        'texture bytes',
      )
  }
}

/** Rows of wide elements: element, member, type, value. */
function onItsSide(e: Elements, first: number, count: number): Table {
  const rows = Array.from({ length: count }, (_, k) => {
    const cells = e.cells(first + k)
    return cells.map((cell, c) => [c === 0 ? String(first + k) : '', e.heads[c]!, e.types[c] ?? '', cell])
  })
  return { heads: ['', 'member', 'type', 'value'], rows: rows.flat() }
}

function counterText(r: PreparedResource): string {
  const { bound } = r
  const counted = bound.kind === 'uav' && bound.shape === 'structured' && bound.counter !== undefined
  return counted ? `, counter ${counterValue(bound.counter!)}` : ''
}

/** Elements of a resource as a table; undefined for samplers, which have none. */
export function printResource(r: PreparedResource, request: PrintRequest): Printed | undefined {
  const e = elementsOf(r, request.as)
  if (e === undefined) return undefined
  const first = Math.min(request.first ?? 0, e.total)
  // A constant buffer is small, and its variables are not elements of a kind.
  const limit = r.bound.kind === 'cbv' ? e.total : DEFAULT_COUNT
  const last = Math.min(request.last ?? first + limit - 1, e.total - 1)
  const count = Math.max(0, last - first + 1)
  const isTexel =
    r.bound.kind !== 'cbv' && r.bound.kind !== 'sampler' && r.bound.shape === 'texture' && request.as === undefined
  const numbered = !isTexel && !(r.bound.kind === 'cbv' && e.heads[0] === 'variable')
  const rows = Array.from({ length: count }, (_, k) => [
    ...(numbered ? [String(first + k)] : []),
    ...e.cells(first + k),
  ])
  const table: Table = {
    heads: numbered ? ['', ...e.heads] : e.heads,
    ...(e.types.length === 0 ? {} : { types: numbered ? ['', ...e.types] : e.types }),
    rows,
  }
  const isWide = numbered && tableLines(table)[0]!.length > MAX_WIDTH && e.heads.length > 1
  return {
    slot: printSlot(request.slot),
    label: r.label,
    what: `${e.what}${counterText(r)}`,
    table: isWide ? onItsSide(e, first, count) : table,
    values: Array.from({ length: count }, (_, k) => e.value(first + k)),
    first,
    count,
    total: e.total,
    isWhole: request.last !== undefined,
  }
}

/** Lines of what was printed: a title, the table, and how much was left out. */
export function printTable(p: Printed): string[] {
  const rest = p.total - p.first - p.count
  const more =
    rest > 0 && !p.isWhole ? [`  and ${rest} more (--print ${p.slot}:${p.first}-${p.total - 1} shows them)`] : []
  const none = p.count === 0 ? ['  nothing there'] : tableLines(p.table)
  return [`${p.label}: ${p.what}`, ...none, ...more]
}
