import type { Format } from '../../isa/formats/index.ts'
import { supportsAtomic } from '../../isa/index.ts'
import { outsideBits } from '../../machine/format/index.ts'
import {
  DEFAULT_SAMPLER,
  type Sampler,
  type Srv,
  samplePosition,
  type TexelView,
  type Uav,
} from '../../machine/index.ts'
import {
  type AccessAddress,
  type Builder,
  bitsOf,
  type EffectItem,
  type ExpandTexel,
  type MemorySpace,
  type Value,
  viewProperty,
} from '../ir/index.ts'
import type { CopyKind } from './decoded-views.ts'
import { expandGather, expandLod, expandSample } from './sample-code.ts'
import { reportUnbound } from './texel-checks.ts'
import { loadElementAt } from './texel-element.ts'
import { canEncode, encodeElement } from './texel-format.ts'
import { levelOf, texelAddress } from './texel-place.ts'

/** Expands texel items for the formats and samplers of bound views; `specialize` calls it for each item. */

type Texel = Extract<EffectItem, { kind: 'texel' }>

/** What a texel operation runs on. */
export interface TexelBindings {
  readonly views: readonly (Srv | Uav | undefined)[]
  readonly samplers: readonly (Sampler | undefined)[]
  /** Bindings whose texels are read from copies, and what those hold. */
  readonly decoded?: ReadonlyMap<number, CopyKind> | undefined
}

type Results = readonly (Value | undefined)[]

const formatOf = (view: Srv | Uav): Format | undefined => ('format' in view ? view.format : undefined)

/** An element of one or two bytes in a buffer: in bounds by its number, since its dword may end behind the view. */
function narrowAddress(
  o: Builder,
  space: Extract<MemorySpace, { kind: 'buffer' }>,
  x: Value,
  stride: number,
  returns: boolean,
): AccessAddress {
  const limit = viewProperty(o, space.binding, 'elementCount')
  const valid = o.u32Less(x, limit)
  const check = { reason: 'out-of-bounds', defined: !returns, bad: o.not(valid), address: x, limit } as const
  return { space, index: undefined, offset: o.i32Mul(x, o.constant(stride)), stride: 0, valid, checks: [check] }
}

/** The address of a typed access; undefined for views that have no texels. */
function addressOf(o: Builder, item: Texel, view: Srv | Uav, returns: boolean): AccessAddress | undefined {
  const { binding, writable, operation } = item.request
  const space = { kind: 'buffer', binding, writable } as const
  const [x, y, z] = item.args as readonly [Value, Value, Value]
  if (view.shape === 'typed') {
    if (view.stride >= 4) return { space, index: x, offset: o.constant(0), stride: view.stride }
    return narrowAddress(o, space, x, view.stride, returns)
  }
  if (view.shape !== 'texture') return undefined
  const isLoad = operation === 'load'
  const at = { x, y, z, mip: isLoad ? item.args[3] : undefined, sample: isLoad ? item.args[4] : undefined }
  return texelAddress(o, item.statement, view, space, at, returns)
}

/** What a component that the format has not got reads as, in bounds and out of them; undefined for one that it has. */
function missingBits(format: Format, i: number): number | undefined {
  const isThere = format.components.some((x) => x.name === 'rgba'[i] && x.encoding !== 'typeless')
  return isThere ? undefined : outsideBits(format, i)
}

/** Whether a zero dword, which is what reads out of bounds, does not decode to 0. */
function isBiased(format: Format, i: number): boolean {
  return format.components.some((x) => x.name === 'rgba'[i] && x.encoding === 'xr-bias')
}

function expandLoad(o: Builder, item: Texel, view: Srv | Uav, wanted: readonly boolean[]): Results | undefined {
  const format = formatOf(view)
  const address = addressOf(o, item, view, false)
  if (format === undefined || address === undefined) return undefined
  const valid = address.valid ?? o.u32Less(address.index!, viewProperty(o, item.request.binding, 'elementCount'))
  const missing = wanted.map((_, i) => missingBits(format, i))
  const stored = wanted.map((w, i) => w && missing[i] === undefined)
  const words = loadElementAt(o, item.statement, address, format, stored)
  return wanted.map((w, i) => {
    const [bits, v] = [missing[i], words[i]]
    if (!w || v === undefined) return w && bits !== undefined ? o.constant(bits) : undefined
    return isBiased(format, i) ? o.select(valid, v, o.constant(0)) : v
  })
}

/** Bytes of an element that is no whole dword. */
function narrowBytes(format: Format): 1 | 2 | undefined {
  const { blockByteLength } = format
  return blockByteLength === 1 || blockByteLength === 2 ? blockByteLength : undefined
}

function expandStore(o: Builder, item: Texel, view: Srv | Uav): Results | undefined {
  const format = formatOf(view)
  const address = addressOf(o, item, view, false)
  if (format === undefined || address === undefined || !canEncode(format)) return undefined
  const values = encodeElement(o, format, item.args.slice(3, 7))
  o.push({ kind: 'store', statement: item.statement, address, values, bytes: narrowBytes(format) })
  return []
}

function expandAtomic(o: Builder, item: Texel, view: Srv | Uav, wanted: readonly boolean[]): Results | undefined {
  const format = formatOf(view)
  const { atomic } = item.request
  if (format === undefined || atomic === undefined) return undefined
  if (!supportsAtomic(format.capabilities.typedUavAtomic, atomic)) return undefined
  const address = addressOf(o, item, view, item.request.returns)
  if (address === undefined) return undefined
  const results = wanted.includes(true) ? [o.result(0)] : []
  const [value, compare] = [item.args[3]!, item.args[4]]
  o.push({ kind: 'atomic', statement: item.statement, address, operation: atomic!, value, compare, results })
  return results
}

/** Sizes of a mip by the view's dimension (22.4.14); cube arrays report their number of cubes. */
function sizesOf(o: Builder, view: TexelView, binding: number, statement: number, mip: Value): Value[] {
  const level = levelOf(o, statement, binding, mip)
  const zero = o.constant(0)
  const slices = viewProperty(o, binding, 'arraySize')
  switch (view.dimension) {
    case 'texture1d':
      return [level.width, zero, zero]
    case 'texture1darray':
      return [level.width, slices, zero]
    case 'texture2d':
    case 'texture2dms':
    case 'texturecube':
      return [level.width, level.height, zero]
    case 'texture2darray':
    case 'texture2dmsarray':
      return [level.width, level.height, slices]
    case 'texturecubearray':
      return [level.width, level.height, o.u32Div(slices, o.constant(6))]
    case 'texture3d':
      return [level.width, level.height, level.depth]
    default:
      return view.dimension satisfies never
  }
}

function expandResinfo(o: Builder, item: Texel, view: Srv | Uav): Results {
  const zero = o.constant(0)
  if (view.shape !== 'texture') return [zero, zero, zero, zero]
  const count = o.constant(view.levels.length)
  const valid = o.u32Less(item.args[0]!, count)
  const sizes = sizesOf(o, view, item.request.binding, item.statement, o.and(item.args[0]!, valid))
  return [...sizes.map((s) => o.and(s, valid)), count]
}

/** The place of a sample from the pixel's center, one of few. */
function expandSamplePosition(o: Builder, item: Texel, view: Srv | Uav): Results {
  const zero = o.constant(0)
  const count = view.shape === 'texture' ? view.sampleCount : 0
  const position = [zero, zero]
  for (let n = 0; n < count; n++) {
    const isSample = o.i32Equal(item.args[0]!, o.constant(n))
    samplePosition(count, n).forEach((place, axis) => {
      position[axis] = o.select(isSample, o.constant(bitsOf(place)), position[axis]!)
    })
  }
  return [...position, zero, zero]
}

/** Code for texel operations on known views, where their formats, dimensions and samplers have any. */
export function texelExpander(bindings: TexelBindings): ExpandTexel {
  return (o, item, wanted) => {
    const { request } = item
    const view = bindings.views[request.binding]
    // Nothing bound: loads give 0, stores do nothing.
    if (view === undefined) {
      reportUnbound(o, item)
      return wanted.map(() => o.constant(0))
    }
    const sampler = (request.sampler === undefined ? undefined : bindings.samplers[request.sampler]) ?? DEFAULT_SAMPLER
    switch (request.operation) {
      case 'load':
        return expandLoad(o, item, view, wanted)
      case 'store':
        return expandStore(o, item, view)
      case 'atomic':
        return expandAtomic(o, item, view, wanted)
      case 'sample':
        return expandSample(o, item, view, sampler, bindings.decoded?.get(request.binding), wanted)
      case 'gather':
        return expandGather(o, item, view, sampler, wanted)
      case 'lod':
        return expandLod(o, item, view, sampler)
      case 'resinfo':
        return expandResinfo(o, item, view)
      case 'samplepos':
        return expandSamplePosition(o, item, view)
      default:
        return request.operation satisfies never
    }
  }
}
