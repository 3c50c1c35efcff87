import {
  DIMENSION_NUMBER,
  FILE,
  offsetAxisCount,
  operandFor,
  type Traits,
  texelCoordinateCount,
} from '../../../isa/index.ts'
import { codecOf, outsideBits } from '../../../machine/format/index.ts'
import { placeInBlock, texelOffset, type Uav } from '../../../machine/index.ts'
import { componentAt } from '../../../program/index.ts'
import type { ResourceDeclaration } from '../../declarations.ts'
import { findRange } from '../../declarations.ts'
import { texelAxes } from '../../texel-axes.ts'
import { type AccessSite, report, undefinedWord } from '../run/report.ts'
import type { ViewSlot, Wave } from '../run/state.ts'
import { viewReference } from '../run/view-slot.ts'
import { DROPPED, keepPages, type Locator, memoryEvent, UNDEFINED } from './access.ts'
import { writeResults } from './destination.ts'
import { withoutHelpers } from './helper-lanes.ts'
import { complete, evaluateColumns, operandOf, resultColumns, statusResult } from './memory.ts'
import { sourceValue } from './operand.ts'
import { type Op, refuse, type Statement, siteOf } from './statement.ts'

/** Loads and stores of typed buffers and textures, with the conversions of their formats. */

type LoadTraits = Extract<Traits, { kind: 'load' }>

/** The declaration of a typed t# or u# operand; undefined after a complaint. */
export function typedDeclaration(s: Statement, operand: number): ResourceDeclaration | undefined {
  const o = s.instruction.operands[operand]!
  const { uavs, resources } = s.context.declarations
  const id = o.indices[0]?.kind === 'immediate' ? o.indices[0].value : -1
  const found = findRange<ResourceDeclaration>(o.type === FILE.uav ? uavs : resources, id)
  if (found?.shape === 'typed') return found
  // A register computed through a this pointer has no declaration of its own: the instruction's extension says its kind.
  const extended = s.instruction.extended.find((e) => e.kind === 'resource-dimension')
  if (found === undefined && extended !== undefined) {
    const register = { id, first: 0, last: 0, space: 0, statement: s.index }
    return { ...register, shape: 'typed', dimension: extended.dimension, returnTypes: 0, stride: 0, sampleCount: 0 }
  }
  refuse(s, operand, 'the register is not declared as a typed buffer or a texture')
  return undefined
}

/** Immediate texel offsets of the instruction, in x, y, z. */
export function immediateOffsets(s: Statement): readonly [number, number, number] {
  const e = s.instruction.extended.find((x) => x.kind === 'sample-offset')
  return e === undefined ? [0, 0, 0] : [e.u, e.v, e.w]
}

/** Columns of an address: x, y, z, then mip and sample; undefined ones count as 0. */
interface TexelAddress {
  readonly x: number
  readonly y: number | undefined
  readonly z: number | undefined
  readonly mip: number | undefined
  readonly sample: number | undefined
}

interface TypedAccess {
  readonly site: AccessSite
  readonly address: TexelAddress
  readonly offsets: readonly [number, number, number]
  /** Atomics return an undefined value where they are out of bounds. */
  readonly returns: boolean
}

/** Byte offset of the texel or element of a lane in its storage; DROPPED or UNDEFINED out of bounds, after a report. */
function texelOf(w: Wave, a: TypedAccess, slot: ViewSlot | undefined, l: number, at: TexelPlace): void {
  const { I } = w
  const { address, offsets, site } = a
  const x = (I[address.x + l]! + offsets[0]) >>> 0
  const y = address.y === undefined ? 0 : (I[address.y + l]! + offsets[1]) >>> 0
  const z = address.z === undefined ? 0 : (I[address.z + l]! + offsets[2]) >>> 0
  at.byteOffset = DROPPED
  if (slot === undefined) {
    report(w, site, l, { reason: 'unbound', address: x, limit: 0, defined: true })
    return
  }
  const { view } = slot
  if (view.shape === 'texture') {
    const mip = address.mip === undefined ? 0 : I[address.mip + l]! >>> 0
    const sample = address.sample === undefined ? 0 : I[address.sample + l]! >>> 0
    at.byteOffset = texelOffset(view, x, y, z, mip, sample)
    at.inBlock = placeInBlock(view, x, y)
    if (at.byteOffset >= 0) return
    const { levels, sampleCount } = view
    if (sample >= sampleCount || a.returns) at.byteOffset = UNDEFINED
    const axes = texelAxes(view, { x, y, z, mip, sample })
    if (mip >= levels.length)
      report(w, site, l, { reason: 'subresource', address: mip, limit: levels.length, defined: true, texel: axes })
    else if (sample >= sampleCount)
      report(w, site, l, { reason: 'subresource', address: sample, limit: sampleCount, defined: false, texel: axes })
    else
      report(w, site, l, {
        reason: 'out-of-bounds',
        address: x,
        limit: levels[mip]!.width,
        defined: !a.returns,
        texel: axes,
      })
  } else if (x < slot.count) {
    at.byteOffset = slot.byteOffset + x * (view.shape === 'typed' ? view.stride : 4)
    at.inBlock = 0
  } else {
    if (a.returns) at.byteOffset = UNDEFINED
    report(w, site, l, { reason: 'out-of-bounds', address: x, limit: slot.count, defined: !a.returns })
  }
}
interface TexelPlace {
  byteOffset: number
  inBlock: number
}
const PLACE: TexelPlace = { byteOffset: 0, inBlock: 0 }

/** Finds the texels of the active lanes: one entry a row in `w.offsets`. */
export function createTexelLocator(s: Statement, operand: number, access: TypedAccess): Locator | undefined {
  const view = viewReference(s, operand)
  if (view === undefined) return undefined
  const space = s.instruction.operands[operand]!.type === FILE.uav ? 'uav' : 'srv'
  const locate = (w: Wave): void => {
    for (let k = 0; k < w.activeCount; k++) {
      const l = w.lanes[k]!
      const slot = view.of(w, l, access.site)
      w.rowSlots[k] = slot
      texelOf(w, access, slot, l, PLACE)
      w.offsets[k] = PLACE.byteOffset
      w.texels[k] = PLACE.inBlock
    }
  }
  return { site: access.site, space, width: 1, locate, view, tgsmFirst: 0 }
}

/** Words of the address of a typed access: as many as the declared dimension has, then the mip, which stands in .w. */
export function addressWords(s: Statement, operand: number, dimension: number, hasMip: boolean, sample: number) {
  const count = texelCoordinateCount(dimension)
  if (count === undefined) {
    refuse(s, operand, `resource dimension ${dimension} has no texel addresses`)
    return undefined
  }
  const zero = s.recorder.ops.constant(0)
  return [
    ...[0, 1, 2].map((c) => (c < count ? sourceValue(s, operand, c) : zero)),
    hasMip ? sourceValue(s, operand, 3) : zero,
    sample < 0 ? zero : sourceValue(s, sample, 0),
  ]
}

function offsetsFor(s: Statement, dimension: number): readonly [number, number, number] {
  const axes = offsetAxisCount(dimension)
  const [u, v, w] = immediateOffsets(s)
  return [axes > 0 ? u : 0, axes > 1 ? v : 0, axes > 2 ? w : 0]
}

export function texelAddress(columns: readonly number[]): TexelAddress {
  return { x: columns[0]!, y: columns[1]!, z: columns[2]!, mip: columns[3]!, sample: columns[4]! }
}

const TEXEL = new Uint32Array(4)

/** What a lane reads that has no texel: a missing component has its value out of bounds too, unless nothing is bound. */
function readNothing(w: Wave, byteOffset: number, slot: ViewSlot | undefined): void {
  TEXEL.fill(byteOffset === UNDEFINED ? undefinedWord(w) : 0)
  const isPoison = byteOffset === UNDEFINED && w.dispatch.policy === 'poison'
  if (slot !== undefined && 'format' in slot.view && !isPoison) TEXEL[3] = outsideBits(slot.view.format, 3)
}

/** Texels decoded to the columns that the swizzle of the resource names. */
function decodeRows(
  locator: Locator,
  columns: readonly number[],
  components: readonly number[],
  observed: boolean,
): Op {
  return (w) => {
    locator.locate(w)
    const { I, lanes, activeCount, offsets, rowSlots, texels } = w
    for (let k = 0; k < activeCount; k++) {
      const l = lanes[k]!
      const byteOffset = offsets[k]!
      const view = rowSlots[k]?.view
      if (byteOffset < 0) readNothing(w, byteOffset, rowSlots[k])
      else if (view !== undefined && 'format' in view) {
        codecOf(view.format).decode(view.storage, byteOffset, texels[k]!, TEXEL, 0)
      }
      for (let i = 0; i < columns.length; i++) I[columns[i]! + l] = TEXEL[components[i]!]! | 0
      if (observed && w.observed !== undefined) w.observed.values.set(TEXEL, k * 4)
    }
    if (observed) memoryEvent(w, locator, texelBytes(w), 4)
  }
}

/** Bytes of a texel of the first view in use. */
function texelBytes(w: Wave): number {
  const view: Uav | ViewSlot['view'] | undefined = w.rowSlots.slice(0, w.activeCount).find((x) => x !== undefined)?.view
  return view !== undefined && 'format' in view ? view.format.blockByteLength : 4
}

/** ld, ldms, ld_uav_typed and their feedback forms. */
export function compileTypedLoad(s: Statement, traits: LoadTraits): Op {
  const resource = operandOf(s, 'resource')
  const address = operandOf(s, 'address', 0)
  const declared = typedDeclaration(s, resource)
  if (declared === undefined) return () => {}
  const uav = s.instruction.operands[resource]!.type === FILE.uav
  const buffer = declared.dimension === DIMENSION_NUMBER.buffer
  const sample = operandFor(s.row, 'sample-index')
  const { columns, result } = resultColumns(s, 0)
  const hasMip = !uav && !buffer && !traits.multisample
  const words = addressWords(s, address, declared.dimension, hasMip, sample)
  const evaluated = words === undefined ? undefined : evaluateColumns(s, words)
  if (evaluated === undefined) return () => {}
  const access: TypedAccess = {
    site: siteOf(s, resource, 'load', uav ? 'uav' : 'srv'),
    address: texelAddress(evaluated.columns),
    offsets: offsetsFor(s, declared.dimension),
    returns: false,
  }
  const locator = createTexelLocator(s, resource, access)
  const components = [0, 1, 2, 3]
    .filter((c) => result.values[c] !== undefined)
    .map((c) => componentAt(s.instruction.operands[resource]!, c))
  const write = writeResults(s, [result, ...statusResult(s)])
  if (locator === undefined) return () => {}
  return complete(s, evaluated.compute, [decodeRows(locator, columns, components, s.context.observed), write])
}

const ORIGINAL = new Uint32Array(4)

/** What a texel holds before a store, as four words; 0 where there is none. */
function keepTexel(to: Int32Array, row: number, view: ViewSlot['view'] | undefined, byteOffset: number): void {
  ORIGINAL.fill(0)
  if (byteOffset >= 0 && view !== undefined && 'format' in view) {
    codecOf(view.format).decode(view.storage, byteOffset, 0, ORIGINAL, 0)
  }
  to.set(ORIGINAL, row * 4)
}

/** Four words. */
const MOST_TEXEL_BYTES = 16

function encodeRows(locator: Locator, values: readonly number[], observed: boolean): Op {
  return (w) => {
    locator.locate(w)
    if (observed && w.dispatch.pages !== undefined) keepPages(w, locator, MOST_TEXEL_BYTES)
    const { I, lanes, activeCount, offsets, rowSlots } = w
    for (let k = 0; k < activeCount; k++) {
      const l = lanes[k]!
      for (let i = 0; i < 4; i++) TEXEL[i] = I[values[i]! + l]!
      if (observed && w.observed !== undefined) w.observed.values.set(TEXEL, k * 4)
      const view = rowSlots[k]?.view
      if (observed && w.observed !== undefined) keepTexel(w.observed.originals, k, view, offsets[k]!)
      if (offsets[k]! < 0 || view === undefined || !('format' in view)) continue
      codecOf(view.format).encode?.(view.storage, offsets[k]!, TEXEL, 0)
    }
    if (observed) memoryEvent(w, locator, texelBytes(w), 4)
  }
}

/** store_uav_typed: always all four components; out of bounds nothing is written. */
export function compileTypedStore(s: Statement): Op {
  const memory = operandOf(s, 'memory')
  const address = operandOf(s, 'address', 0)
  const value = operandOf(s, 'source', 0)
  const declared = typedDeclaration(s, memory)
  if (declared === undefined) return () => {}
  const words = addressWords(s, address, declared.dimension, false, -1)
  const evaluated =
    words === undefined
      ? undefined
      : evaluateColumns(s, [...words, ...[0, 1, 2, 3].map((c) => sourceValue(s, value, c))])
  if (evaluated === undefined) return () => {}
  const access: TypedAccess = {
    site: siteOf(s, memory, 'store', 'uav'),
    address: texelAddress(evaluated.columns),
    offsets: [0, 0, 0],
    returns: false,
  }
  const locator = createTexelLocator(s, memory, access)
  if (locator === undefined) return () => {}
  return complete(s, evaluated.compute, [
    withoutHelpers(s, encodeRows(locator, evaluated.columns.slice(5), s.context.observed)),
  ])
}
