import type { ValueOps } from '../../../isa/index.ts'
import { atomicResult, supportsAtomic } from '../../../isa/index.ts'
import {
  calculateLod,
  DEFAULT_SAMPLER,
  gatherTexels,
  loadElement,
  loadTexel,
  programmableOffset,
  resourceInfo,
  type SampleRequest,
  type Sampler,
  type Srv,
  samplePosition,
  sampleRequest,
  sampleTexture,
  storeElement,
  storeTexel,
  texelOffset,
  type Uav,
} from '../../../machine/index.ts'
import type { EffectItem, TexelRequest } from '../../ir/index.ts'
import { type TexelCoordinates, texelAxes } from '../../texel-axes.ts'
import type { FindingDetails, HostFindings } from '../report/host-findings.ts'

/**
 * Texel operations that code calls the host for: everything whose format, dimension or sampler has no code of its own.
 * Arguments of all lanes lie in scratch memory as words, after the mask; results are written behind them.
 */

/** What a call runs on: the views and samplers of the dispatch, by binding. */
export interface HostBindings {
  readonly views: readonly (Srv | Uav | undefined)[]
  readonly samplers: readonly (Sampler | undefined)[]
  /** Of the dispatch that is running. */
  readonly findings: HostFindings | undefined
}

const TEXEL = new Uint32Array(4)
const REQUEST: SampleRequest = sampleRequest()
const BITS = new Uint32Array(1)
const LOD = new Float32Array(2)
const LOD_WORDS = new Uint32Array(LOD.buffer)
const FLOAT = new Float32Array(BITS.buffer)

function floatOf(bits: number): number {
  BITS[0] = bits
  return FLOAT[0]!
}
function bitsOf(value: number): number {
  FLOAT[0] = value
  return BITS[0]!
}

/** The words of one lane's arguments. */
type Lane = (n: number) => number

/** What is wrong with the address of an access that is out of bounds. */
function outside(view: Srv | Uav, c: TexelCoordinates, defined: boolean): FindingDetails {
  const { x, mip = 0, sample = 0 } = c
  if (view.shape !== 'texture') return { reason: 'out-of-bounds', defined, address: x, limit: view.elementCount }
  const { levels, sampleCount } = view
  const texel = texelAxes(view, c)
  if (mip >= levels.length) return { reason: 'subresource', defined: true, address: mip, limit: levels.length, texel }
  if (sample >= sampleCount)
    return { reason: 'subresource', defined: false, address: sample, limit: sampleCount, texel }
  return { reason: 'out-of-bounds', defined, address: x, limit: levels[mip]!.width, texel }
}

function load(view: Srv | Uav | undefined, arg: Lane): FindingDetails | undefined {
  TEXEL.fill(0)
  if (view === undefined || (view.shape !== 'texture' && view.shape !== 'typed')) return undefined
  const isInside =
    view.shape === 'texture'
      ? loadTexel(view, arg(0), arg(1), arg(2), arg(3), arg(4), TEXEL, 0)
      : loadElement(view, arg(0), TEXEL, 0)
  return isInside ? undefined : outside(view, { x: arg(0), y: arg(1), z: arg(2), mip: arg(3), sample: arg(4) }, true)
}

function store(view: Srv | Uav | undefined, arg: Lane): FindingDetails | undefined {
  if (view === undefined || view.kind !== 'uav' || (view.shape !== 'texture' && view.shape !== 'typed'))
    return undefined
  for (let c = 0; c < 4; c++) TEXEL[c] = arg(3 + c)
  const isInside =
    view.shape === 'texture' ? storeTexel(view, arg(0), arg(1), arg(2), TEXEL, 0) : storeElement(view, arg(0), TEXEL, 0)
  return isInside
    ? undefined
    : outside(view, { x: arg(0), y: arg(1), z: arg(2), mip: undefined, sample: undefined }, true)
}

type WordNumbers = Pick<
  ValueOps<number>,
  'constant' | 'and' | 'or' | 'xor' | 'i32Add' | 'i32Equal' | 'i32Less' | 'u32Less' | 'select'
>

/** The operations that atomics are made of, on unsigned numbers. */
const NUMBERS: WordNumbers = {
  constant: (n) => n >>> 0,
  and: (a, b) => (a & b) >>> 0,
  or: (a, b) => (a | b) >>> 0,
  xor: (a, b) => (a ^ b) >>> 0,
  i32Add: (a, b) => (a + b) >>> 0,
  i32Equal: (a, b) => (a === b ? 0xffffffff : 0),
  i32Less: (a, b) => ((a | 0) < (b | 0) ? 0xffffffff : 0),
  u32Less: (a, b) => (a < b ? 0xffffffff : 0),
  select: (c, a, b) => (c !== 0 ? a : b),
}

/** Byte offset of the texel or element of an atomic in its view's storage; negative where there is none. */
function placeOf(view: Uav, arg: Lane): number {
  if (view.shape === 'texture') return texelOffset(view, arg(0), arg(1), arg(2), 0, 0)
  const stride = view.shape === 'typed' ? view.stride : 4
  return arg(0) < view.elementCount ? view.byteOffset + arg(0) * stride : -1
}

/** The word before goes to TEXEL. */
function atomic(request: TexelRequest, view: Srv | Uav | undefined, arg: Lane): FindingDetails | undefined {
  TEXEL[0] = 0
  if (view === undefined || view.kind !== 'uav') return undefined
  const byteOffset = placeOf(view, arg)
  if (byteOffset < 0)
    return outside(view, { x: arg(0), y: arg(1), z: arg(2), mip: undefined, sample: undefined }, !request.returns)
  if ('format' in view) {
    if (!supportsAtomic(view.format.capabilities.typedUavAtomic, request.atomic!))
      return { reason: 'format', defined: false, address: 0, limit: 0 }
  }
  const { words } = view.storage
  const at = byteOffset >> 2
  const shared = new Int32Array(words.buffer, words.byteOffset, words.length)
  for (;;) {
    const before = Atomics.load(shared, at) >>> 0
    const after = atomicResult(NUMBERS as ValueOps<number>, request.atomic!, before, arg(3), arg(4))
    if (Atomics.compareExchange(shared, at, before | 0, after | 0) >>> 0 !== before) continue
    TEXEL[0] = before
    return undefined
  }
}

function fillRequest(request: TexelRequest, arg: Lane): void {
  const isImplicit = request.lod === 'derivatives' || request.lod === 'bias'
  const derivatives = isImplicit || request.lod === 'gradients'
  Object.assign(REQUEST, sampleRequest({ derivatives, compare: request.compare }))
  REQUEST.implicit = isImplicit
  REQUEST.x = floatOf(arg(0))
  REQUEST.y = floatOf(arg(1))
  REQUEST.z = floatOf(arg(2))
  REQUEST.w = floatOf(arg(3))
  REQUEST.offsetX = request.offset[0]
  REQUEST.offsetY = request.offset[1]
  REQUEST.offsetZ = request.offset[2]
  let n = 4
  const next = (): number => floatOf(arg(n++))
  if (request.computedOffset) {
    REQUEST.offsetX = programmableOffset(arg(n++))
    REQUEST.offsetY = programmableOffset(arg(n++))
  }
  if (request.lod === 'explicit') REQUEST.lod = next()
  if (request.lod === 'bias') REQUEST.bias = next()
  if (derivatives) {
    REQUEST.ddxX = next()
    REQUEST.ddxY = next()
    REQUEST.ddxZ = next()
    REQUEST.ddyX = next()
    REQUEST.ddyY = next()
    REQUEST.ddyZ = next()
  }
  if (request.compare) REQUEST.reference = next()
  if (request.clamp) REQUEST.lodClamp = next()
}

function sample(request: TexelRequest, view: Srv | Uav | undefined, sampler: Sampler | undefined, arg: Lane): void {
  TEXEL.fill(0)
  if (view === undefined || view.shape !== 'texture' || view.kind !== 'srv') return
  fillRequest(request, arg)
  const state = sampler ?? DEFAULT_SAMPLER
  if (request.operation === 'lod') {
    calculateLod(view, state, REQUEST, LOD, 0)
    TEXEL.set(LOD_WORDS)
  } else if (request.operation === 'gather') gatherTexels(view, state, REQUEST, request.component, TEXEL, 0)
  else sampleTexture(view, state, REQUEST, TEXEL, 0)
}

function query(request: TexelRequest, view: Srv | Uav | undefined, arg: Lane): void {
  TEXEL.fill(0)
  if (view === undefined || view.shape !== 'texture') return
  if (request.operation === 'resinfo') resourceInfo(view, arg(0), TEXEL, 0)
  else {
    const [x, y] = samplePosition(view.sampleCount, arg(0))
    TEXEL[0] = bitsOf(x)
    TEXEL[1] = bitsOf(y)
  }
}

/** Performs the operation of one lane; answers what is wrong with it. */
function performLane(request: TexelRequest, bindings: HostBindings, arg: Lane): FindingDetails | undefined {
  const view = bindings.views[request.binding]
  switch (request.operation) {
    case 'load':
      return load(view, arg)
    case 'store':
      return store(view, arg)
    case 'atomic':
      return atomic(request, view, arg)
    case 'sample':
    case 'lod':
    case 'gather': {
      const sampler = request.sampler === undefined ? undefined : bindings.samplers[request.sampler]
      sample(request, view, sampler, arg)
      return undefined
    }
    case 'resinfo':
    case 'samplepos':
      query(request, view, arg)
      return undefined
    default:
      return request.operation satisfies never
  }
}

/** Performs a call: `words` is the whole memory, `at` the word of the mask; `lanes` words make a row. */
export function performTexel(
  item: Extract<EffectItem, { kind: 'texel' }>,
  bindings: HostBindings,
  words: Uint32Array,
  at: number,
  lanes: number,
): void {
  const { request, args, results } = item
  const place = at + (1 + args.length + results.length) * lanes
  for (let l = 0; l < lanes; l++) {
    if (words[at + l] === 0) continue
    const details = performLane(request, bindings, (n) => (n < args.length ? words[at + (1 + n) * lanes + l]! : 0))
    for (let r = 0; r < results.length; r++) words[at + (1 + args.length + r) * lanes + l] = TEXEL[r]!
    if (details === undefined) continue
    const group = [words[place + 1]!, words[place + 2]!, words[place + 3]!] as const
    bindings.findings?.add(words, item, details, { firstThread: words[place]!, group, lane: l })
  }
}
