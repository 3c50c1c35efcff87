import {
  type AtomicOperation,
  controlOf,
  DIMENSION_NUMBER,
  FILE,
  type OperandPurpose,
  type OperandRole,
  offsetAxisCount,
  operandFor,
  RESINFO_RETURN,
  SAMPLEINFO_RETURN,
  SATURATE,
  saturate,
  texelCoordinateCount,
} from '../../isa/index.ts'
import { componentAt, type Operand, writeMask } from '../../program/index.ts'
import { type TexelRequest, type Value, type ViewProperty, viewProperty } from '../ir/index.ts'
import { readWord } from './operand.ts'
import { bindingOf, commit, emitStatus, type Operation, readSource } from './sources-and-results.ts'
import { quadDifference, rasterizerPosition, rasterizerSamples, readsNeighbors } from './stage-effects.ts'
import type { Translation } from './translation.ts'
import { Unsupported } from './unsupported.ts'

/** Typed accesses, samples, gathers and queries as whole texel items; `operation.ts` calls it. */

/** Operands of a texture instruction, found by role and name of their slots. */
class Operands {
  readonly t: Translation
  readonly op: Operation

  constructor(t: Translation, op: Operation) {
    this.t = t
    this.op = op
  }

  /** The first operand of a role. */
  operand(role: OperandRole): Operand | undefined {
    return this.op.instruction.operands[this.op.row.operands.findIndex((slot) => slot.role === role)]
  }
  operandFor(purpose: OperandPurpose): Operand | undefined {
    return this.op.instruction.operands[operandFor(this.op.row, purpose)]
  }
  #words(n: number, count: number): Value[] {
    const slot = this.op.row.operands[n]
    if (slot === undefined) return []
    return Array.from({ length: count }, (_, c) => readSource(this.t, slot, this.op.instruction.operands[n]!, c))
  }
  /** `count` words of an operand, with its modifiers; none where the row does not have it. */
  words(purpose: OperandPurpose, count: number): Value[] {
    return this.#words(operandFor(this.op.row, purpose), count)
  }
  /** `count` words of the first value. */
  source(count: number): Value[] {
    return this.#words(
      this.op.row.operands.findIndex((slot) => slot.role === 'source'),
      count,
    )
  }
}

const DEFAULT_TEXEL_REQUEST = {
  sampler: undefined,
  lod: undefined,
  compare: false,
  clamp: false,
  component: 0,
  offset: [0, 0, 0],
  computedOffset: false,
  atomic: undefined,
  returns: false,
} as const

/** Texel offsets of the instruction's extended token. */
function offsetOf(op: Operation): readonly [number, number, number] {
  const offset = op.instruction.extended.find((e) => e.kind === 'sample-offset')
  return offset?.kind === 'sample-offset' ? [offset.u, offset.v, offset.w] : [0, 0, 0]
}

function push(t: Translation, op: Operation, request: TexelRequest, args: readonly Value[], count: number): Value[] {
  const results = Array.from({ length: count }, (_, i) => t.builder.result(i))
  t.builder.push({ kind: 'texel', statement: op.statement, request, args, results })
  return results
}

/** Writes the components that a resource operand's swizzle picks of four results. */
function deliver(t: Translation, op: Operation, dest: Operand, resource: Operand, results: readonly Value[]): void {
  if (dest.type === FILE.null) return
  const sat = op.row.controls.includes(SATURATE) && controlOf(op.instruction.controls, SATURATE) === 1
  const mask = writeMask(dest)
  commit(
    t,
    [0, 1, 2, 3]
      .filter((c) => (mask >> c) & 1)
      .map((c) => {
        const word = results[componentAt(resource, c)]!
        return [dest, c, sat ? saturate(t.builder, 'f32', [word])[0]! : word]
      }),
  )
}

function dimensionOf(t: Translation, binding: number, op: Operation): number {
  const { resource } = t.bindings.uses[binding]!
  if (resource?.shape !== 'typed' || texelCoordinateCount(resource.dimension) === undefined) {
    throw new Unsupported('the resource has no texel addresses', op.statement)
  }
  return resource.dimension
}

/** x, y, z of a typed access; those that the dimension does not have are 0. */
function coordinatesOf(t: Translation, address: Operand, dimension: number): Value[] {
  const count = texelCoordinateCount(dimension)!
  return [0, 1, 2].map((c) => (c < count ? readWord(t, address, c) : t.builder.constant(0)))
}

function load(t: Translation, op: Operation, o: Operands): void {
  const resource = o.operand('resource')!
  const binding = bindingOf(t, resource)
  const writable = resource.type === FILE.uav
  const dimension = dimensionOf(t, binding, op)
  const address = o.op.instruction.operands[op.row.operands.findIndex((s) => s.role === 'address')]!
  const zero = t.builder.constant(0)
  const { traits } = op.row
  const multisample = traits.kind === 'load' && traits.multisample
  const hasMip = !writable && !multisample && dimension !== DIMENSION_NUMBER.buffer
  const offset = offsetOf(op).map((n, axis) => (axis < offsetAxisCount(dimension) ? n : 0))
  const place = coordinatesOf(t, address, dimension).map((v, axis) =>
    t.builder.i32Add(v, t.builder.constant(offset[axis]!)),
  )
  const request: TexelRequest = { ...DEFAULT_TEXEL_REQUEST, operation: 'load', writable, binding }
  const args = [
    ...place,
    hasMip ? readWord(t, address, 3) : zero,
    ...(multisample ? o.words('sample-index', 1) : [zero]),
  ]
  const results = push(t, op, request, args, 4)
  deliver(t, op, o.operand('dest')!, resource, results)
  emitStatus(t, o.operandFor('status'))
}

function store(t: Translation, op: Operation, o: Operands): void {
  const memory = o.operand('memory')!
  const address = o.operand('address')!
  const binding = bindingOf(t, memory)
  const request: TexelRequest = { ...DEFAULT_TEXEL_REQUEST, operation: 'store', writable: true, binding }
  const coordinates = coordinatesOf(t, address, dimensionOf(t, binding, op))
  push(t, op, request, [...coordinates, ...o.source(4)], 0)
}

interface TypedAtomic {
  readonly operation: AtomicOperation
  readonly binding: number
  readonly address: Operand
  readonly value: Value
  /** Of compare and exchange. */
  readonly compare: Value | undefined
  readonly results: Value[]
}

/** An atomic on a typed UAV. */
export function emitTypedAtomic(t: Translation, op: Operation, atomic: TypedAtomic): void {
  const { operation, binding, address, value, compare, results } = atomic
  const coordinates = coordinatesOf(t, address, dimensionOf(t, binding, op))
  const { traits } = op.row
  const returns = traits.kind === 'atomic' && traits.returnsOriginal
  const request: TexelRequest = {
    ...DEFAULT_TEXEL_REQUEST,
    operation: 'atomic',
    writable: true,
    binding,
    atomic: operation,
    returns,
  }
  const args = [...coordinates, value, ...(compare === undefined ? [] : [compare])]
  t.builder.push({ kind: 'texel', statement: op.statement, request, args, results })
}

/** Differences of the quad's coordinates: the upper row and the left column serve all four lanes (16.8). */
function quadDerivatives(t: Translation, coordinates: readonly Value[]): Value[] {
  const o = t.builder
  const difference =
    (axis: 'x' | 'y') =>
    (v: Value): Value => {
      const [first, second] = quadDifference({ axis, precision: 'coarse' })
      return o.f32Sub(o.make('quadSwizzle', [v], second), o.make('quadSwizzle', [v], first))
    }
  const axes = coordinates.slice(0, 3)
  return [...axes.map(difference('x')), ...axes.map(difference('y'))]
}

function sample(t: Translation, op: Operation, o: Operands): void {
  const { traits } = op.row
  if (traits.kind !== 'sample') return
  const isImplicit = traits.lod === 'derivatives' || traits.lod === 'bias'
  if (isImplicit && t.declarations.stage.kind !== 'pixel') {
    throw new Unsupported(`${op.row.mnemonic} needs derivatives, which only pixel shaders have`, op.statement)
  }
  const resource = o.operand('resource')!
  const request: TexelRequest = {
    ...DEFAULT_TEXEL_REQUEST,
    operation: 'sample',
    writable: false,
    binding: bindingOf(t, resource),
    sampler: bindingOf(t, o.operand('sampler')!),
    lod: traits.lod,
    compare: traits.comparison,
    clamp: traits.clamp,
    offset: offsetOf(op),
  }
  if (isImplicit) readsNeighbors(t, o.operand('address')!)
  const coordinates = o.words('coordinates', 4)
  const args = [
    ...coordinates,
    ...o.words('lod', 1),
    ...o.words('lod-bias', 1),
    ...(isImplicit ? quadDerivatives(t, coordinates) : []),
    ...o.words('x-derivatives', 3),
    ...o.words('y-derivatives', 3),
    ...o.words('reference', 1),
    ...o.words('lod-clamp', 1),
  ]
  deliver(t, op, o.operand('dest')!, resource, push(t, op, request, args, 4))
  emitStatus(t, o.operandFor('status'))
}

function gather(t: Translation, op: Operation, o: Operands): void {
  const { traits } = op.row
  if (traits.kind !== 'gather') return
  const resource = o.operand('resource')!
  const sampler = o.operand('sampler')!
  const request: TexelRequest = {
    ...DEFAULT_TEXEL_REQUEST,
    operation: 'gather',
    writable: false,
    binding: bindingOf(t, resource),
    sampler: bindingOf(t, sampler),
    compare: traits.comparison,
    component: componentAt(sampler, 0),
    offset: offsetOf(op),
    computedOffset: traits.programmableOffset,
  }
  const args = [...o.words('coordinates', 4), ...o.words('texel-offset', 2), ...o.words('reference', 1)]
  deliver(t, op, o.operand('dest')!, resource, push(t, op, request, args, 4))
  emitStatus(t, o.operandFor('status'))
}

const UINT = 2
const RECIPROCAL = 1

/** Components that `rcpfloat` takes the reciprocal of: sizes that the dimension has. */
function reciprocalComponents(dimension: number): number {
  if (dimension === DIMENSION_NUMBER.texture1d || dimension === DIMENSION_NUMBER.texture1darray) return 1
  return dimension === DIMENSION_NUMBER.texture3d ? 3 : 2
}

function resinfo(t: Translation, op: Operation, o: Operands): void {
  const b = t.builder
  const resource = o.operand('resource')!
  const request: TexelRequest = {
    ...DEFAULT_TEXEL_REQUEST,
    operation: 'resinfo',
    writable: resource.type === FILE.uav,
    binding: bindingOf(t, resource),
  }
  const turned = reciprocalComponents(t.bindings.uses[request.binding]!.resource!.dimension)
  const sizes = push(t, op, request, o.words('mip-level', 1), 4)
  const type = controlOf(op.instruction.controls, RESINFO_RETURN)
  const one = b.constant(0x3f800000)
  const results = sizes.map((size, c) => {
    if (type === UINT) return size
    const float = b.u32ToF32(size)
    // rcpfloat takes reciprocals of sizes, not of array sizes or mip counts (22.4.14).
    return type === RECIPROCAL && c < turned ? b.f32Div(one, float) : float
  })
  deliver(t, op, o.operand('dest')!, resource, results)
}

/** lod: the level of detail that a sample would use (22.5.6). */
function levelOfDetail(t: Translation, op: Operation, o: Operands): void {
  if (t.declarations.stage.kind !== 'pixel') {
    throw new Unsupported(`${op.row.mnemonic} needs derivatives, which only pixel shaders have`, op.statement)
  }
  const resource = o.operand('resource')!
  const request: TexelRequest = {
    ...DEFAULT_TEXEL_REQUEST,
    operation: 'lod',
    writable: false,
    binding: bindingOf(t, resource),
    sampler: bindingOf(t, o.operand('sampler')!),
    lod: 'derivatives',
  }
  readsNeighbors(t, o.operand('address')!)
  const coordinates = o.words('coordinates', 4)
  const args = [...coordinates, ...quadDerivatives(t, coordinates)]
  deliver(t, op, o.operand('dest')!, resource, push(t, op, request, args, 4))
}

/** Leaves a finding where a query names a slot without a view: views that are bound have an address. */
function reportNothing(t: Translation, resource: Operand, base: Value): void {
  const zero = t.builder.constant(0)
  const bad = t.builder.i32Equal(base, zero)
  t.report(resource, { reason: 'unbound', defined: true, bad, address: zero, limit: zero })
}

/** The place of a sample of a texture. */
function samplePosition(t: Translation, op: Operation, o: Operands, resource: Operand): void {
  const request: TexelRequest = {
    ...DEFAULT_TEXEL_REQUEST,
    operation: 'samplepos',
    writable: false,
    binding: bindingOf(t, resource),
  }
  deliver(t, op, o.operand('dest')!, resource, push(t, op, request, o.words('sample-index', 1), 4))
}

function query(t: Translation, op: Operation, o: Operands): void {
  const { traits } = op.row
  if (traits.kind !== 'query') return
  const b = t.builder
  const zero = b.constant(0)
  const resource = o.operand('resource')
  const property = (name: ViewProperty): Value => viewProperty(b, bindingOf(t, resource!), name)
  switch (traits.query) {
    case 'resinfo':
      resinfo(t, op, o)
      return
    case 'bufinfo': {
      // One number in every component: 22.4.1 gives the result to all components of the mask.
      reportNothing(t, resource!, property('base'))
      const count = property('elementCount')
      deliver(t, op, o.operand('dest')!, resource!, [count, count, count, count])
      return
    }
    case 'sampleinfo': {
      if (resource!.type !== FILE.resource && resource!.type !== FILE.rasterizer) break
      if (resource!.type === FILE.resource) reportNothing(t, resource!, property('base'))
      const count = resource!.type === FILE.resource ? property('sampleCount') : rasterizerSamples(t)
      const asFloat = controlOf(op.instruction.controls, SAMPLEINFO_RETURN) === 0
      const x = asFloat ? b.u32ToF32(count) : count
      deliver(t, op, o.operand('dest')!, resource!, [x, zero, zero, zero])
      return
    }
    case 'samplepos': {
      if (resource!.type === FILE.rasterizer) {
        deliver(t, op, o.operand('dest')!, resource!, rasterizerPosition(t, o.words('sample-index', 1)[0]!))
        return
      }
      if (resource!.type !== FILE.resource) break
      samplePosition(t, op, o, resource!)
      return
    }
    case 'fully-mapped': {
      const status = o.source(1)[0]!
      const mapped = b.i32Equal(status, b.constant(0xffffffff))
      const dest = o.operand('dest')!
      const mask = writeMask(dest)
      commit(
        t,
        [0, 1, 2, 3].filter((c) => (mask >> c) & 1).map((c) => [dest, c, mapped]),
      )
      return
    }
    case 'lod':
      levelOfDetail(t, op, o)
      return
    default:
      traits.query satisfies never
      return
  }
  throw new Unsupported(`${op.row.mnemonic} is not compiled`, op.statement)
}

/** Typed loads and stores, samples, gathers and queries. */
export function emitTexelOperation(t: Translation, op: Operation): void {
  const o = new Operands(t, op)
  switch (op.row.traits.kind) {
    case 'load':
      load(t, op, o)
      return
    case 'store':
      store(t, op, o)
      return
    case 'sample':
      sample(t, op, o)
      return
    case 'gather':
      gather(t, op, o)
      return
    default:
      query(t, op, o)
      return
  }
}
