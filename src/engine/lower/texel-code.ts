import type { Format } from '../../isa/formats/index.ts'
import type { Sampler, Srv, TexelView, Uav } from '../../machine/index.ts'
import type { Builder } from './builder.ts'
import { constantOf } from './facts.ts'
import type { ExpandTexel } from './optimise.ts'
import { expandSample } from './sample-code.ts'
import { reportUnbound, texelChecks } from './texel-checks.ts'
import { canDecode, canEncode, decodeElement, dwordsOf, encodeElement } from './texel-format.ts'
import { type AccessAddress, DESCRIPTOR, DESCRIPTOR_WORDS, type EffectItem, type Value } from './value.ts'

type Texel = Extract<EffectItem, { kind: 'texel' }>

/** What a texel operation runs on. */
export interface TexelBindings {
  readonly views: readonly (Srv | Uav | undefined)[]
  readonly samplers: readonly (Sampler | undefined)[]
}

export function descriptorWord(o: Builder, binding: number, word: keyof typeof DESCRIPTOR): Value {
  return o.make('descriptor', [], binding * DESCRIPTOR_WORDS + DESCRIPTOR[word])
}

/** Textures that code addresses: one sample a texel, no clamp of mips. */
export function isPlain(view: TexelView): boolean {
  return view.sampleCount === 1 && view.minLod === 0 && !view.dimension.startsWith('texturecube')
}

/** Byte offset of a texel of the first mip, and whether it is in bounds; z counts slices. */
export function texelPlace(
  o: Builder,
  view: TexelView,
  binding: number,
  x: Value,
  y: Value,
  z: Value,
): { readonly offset: Value; readonly valid: Value } {
  const word = (name: keyof typeof DESCRIPTOR): Value => descriptorWord(o, binding, name)
  const rows = view.dimension !== 'texture1d' && view.dimension !== 'texture1darray'
  const slice =
    view.dimension === 'texture1darray'
      ? y
      : view.dimension === 'texture1d' || view.dimension === 'texture2d'
        ? undefined
        : z
  let offset = o.i32Mul(x, o.constant(view.format.blockByteLength))
  let valid = o.u32Less(x, word('width'))
  if (rows) {
    offset = o.i32Add(offset, o.i32Mul(y, word('rowPitch')))
    valid = o.and(valid, o.u32Less(y, word('height')))
  }
  if (slice !== undefined) {
    offset = o.i32Add(offset, o.i32Mul(slice, word('slicePitch')))
    const count = view.dimension === 'texture3d' ? word('depth') : word('arraySize')
    valid = o.and(valid, o.u32Less(slice, count))
  }
  return { offset, valid }
}

/** The address of a typed access; undefined where the host has to find it. `mip` is the fourth argument of a load. */
function addressOf(o: Builder, item: Texel, view: Srv | Uav, mip: Value | undefined): AccessAddress | undefined {
  const { binding, writable } = item.request
  const space = { kind: 'buffer', binding, writable } as const
  const [x, y, z] = item.args as readonly [Value, Value, Value]
  if (view.shape === 'typed') return { space, index: x, offset: o.constant(0), stride: view.stride }
  if (view.shape !== 'texture' || !isPlain(view)) return undefined
  const place = texelPlace(o, view, binding, x, y, z)
  const checks = texelChecks(o, item, view, !item.request.returns)
  if (mip === undefined || constantOf(mip) === 0) return { space, index: undefined, stride: 0, ...place, checks }
  if (view.levels.length > 1) return undefined
  const valid = o.and(place.valid, o.i32Equal(mip, o.constant(0)))
  return { space, index: undefined, stride: 0, offset: place.offset, valid, checks }
}

/** Loads the wanted dwords at an address. */
export function loadDwords(
  o: Builder,
  statement: number,
  address: AccessAddress,
  dwords: readonly number[],
): (n: number) => Value {
  // A load that nobody wants may still be out of bounds.
  if (dwords.length === 0 && constantOf(address.valid ?? address.offset) === 0xffffffff) return () => o.constant(0)
  const results = dwords.map((_, i) => o.result(i))
  o.push({ kind: 'load', statement, address, components: dwords, dwords, results })
  return (n) => results[dwords.indexOf(n)] ?? o.constant(0)
}

const formatOf = (view: Srv | Uav): Format | undefined => ('format' in view ? view.format : undefined)

function expandLoad(
  o: Builder,
  item: Texel,
  view: Srv | Uav,
  wanted: readonly boolean[],
): (Value | undefined)[] | undefined {
  const format = formatOf(view)
  if (format === undefined || !canDecode(format)) return undefined
  const sample = item.args[4]
  if (sample !== undefined && constantOf(sample) !== 0) return undefined
  const address = addressOf(o, item, view, item.args[3])
  if (address === undefined) return undefined
  const valid = address.valid ?? o.u32Less(address.index!, descriptorWord(o, item.request.binding, 'elementCount'))
  const dword = loadDwords(o, item.statement, address, dwordsOf(format, wanted))
  const components = format.components.map((c) => c.name)
  const zero = o.constant(0)
  // Out of bounds every component is 0: stored ones decode a zero dword to it, a missing alpha has to be told.
  return decodeElement(o, format, dword, wanted).map((v, i) =>
    v === undefined || components.includes('rgba'[i] as 'r') || i < 3 ? v : o.select(valid, v, zero),
  )
}

function expandStore(o: Builder, item: Texel, view: Srv | Uav): (Value | undefined)[] | undefined {
  const format = formatOf(view)
  if (format === undefined || !canEncode(format)) return undefined
  const address = addressOf(o, item, view, undefined)
  if (address === undefined) return undefined
  const values = encodeElement(o, format, item.args.slice(3, 7))
  o.push({ kind: 'store', statement: item.statement, address, values })
  return []
}

function expandAtomic(
  o: Builder,
  item: Texel,
  view: Srv | Uav,
  wanted: readonly boolean[],
): (Value | undefined)[] | undefined {
  const format = formatOf(view)
  if (format === undefined || format.capabilities.typedUavAtomic !== 'all') return undefined
  const address = addressOf(o, item, view, undefined)
  if (address === undefined) return undefined
  const results = wanted.includes(true) ? [o.result(0)] : []
  const [value, compare] = [item.args[3]!, item.args[4]]
  o.push({
    kind: 'atomic',
    statement: item.statement,
    address,
    operation: item.request.atomic!,
    value,
    compare,
    results,
  })
  return results
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
    switch (request.operation) {
      case 'load':
        return expandLoad(o, item, view, wanted)
      case 'store':
        return expandStore(o, item, view)
      case 'atomic':
        return expandAtomic(o, item, view, wanted)
      case 'sample': {
        const sampler = request.sampler === undefined ? undefined : bindings.samplers[request.sampler]
        return expandSample(o, item, view, sampler, wanted)
      }
      default:
        return undefined
    }
  }
}
