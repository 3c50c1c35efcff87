import { describe, expect, it } from 'vitest'
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import { FORMATS } from '../../src/isa/formats/index.ts'
import { createBuffer } from '../../src/machine/index.ts'
import {
  assemblePrimitives,
  type BoundVertexBuffer,
  createInputLayout,
  type DrawCall,
  fetchVertices,
  readSequence,
  topologyOf,
} from '../../src/pipeline/input/index.ts'
import type { InputElement } from '../../src/pipeline/state.ts'
import { amount } from '../support/amount.ts'
import { type ModelDraw, type ModelElement, type ModelSlot, modelDraw } from '../support/input-model.ts'
import { Random } from '../support/random/random.ts'

// Random draws through the input assembler and through the pseudocode of the functional specification.

const VERTEX_FORMATS = FORMATS.filter((f) => f.capabilities.resources.buffer !== 'none').map((f) => f.name)

const storageOf = (bytes: ArrayLike<number>) => valueOrThrow(createBuffer({ data: Uint8Array.from(bytes) }))

function bound(bytes: ArrayLike<number>, stride: number, offset: number): BoundVertexBuffer {
  const { storage, byteLength } = storageOf(bytes)
  return { storage, byteLength, stride, offset }
}

const TOPOLOGIES = [
  'POINTLIST',
  'LINELIST',
  'LINESTRIP',
  'TRIANGLELIST',
  'TRIANGLESTRIP',
  'LINELIST_ADJ',
  'LINESTRIP_ADJ',
  'TRIANGLELIST_ADJ',
  'TRIANGLESTRIP_ADJ',
]

function randomSlots(r: Random): (ModelSlot | undefined)[] {
  return Array.from({ length: 3 }, () => {
    if (r.chance(0.1)) return undefined
    const bytes = Uint8Array.from({ length: 1 + r.below(160) }, () => r.below(256))
    return { bytes, offset: r.chance(0.5) ? 0 : r.below(24), stride: r.chance(0.1) ? 0 : r.below(24) }
  })
}

function randomElements(r: Random): ModelElement[] {
  const classes = Array.from({ length: 3 }, () => ({ perInstance: r.chance(0.4), stepRate: r.below(4) }))
  return Array.from({ length: 1 + r.below(4) }, () => {
    const slot = r.below(3)
    const { perInstance, stepRate } = classes[slot]!
    const far = r.chance(0.05) ? 2 ** 32 - 2 - r.below(30) : r.below(16)
    return { format: r.pick(VERTEX_FORMATS), slot, byteOffset: far, perInstance, stepRate: perInstance ? stepRate : 0 }
  })
}

function randomIndices(r: Random): NonNullable<ModelDraw['indices']> {
  const wide = r.chance(0.5)
  const largest = wide ? 0xffffffff : 0xffff
  const values = Array.from({ length: 30 }, () => (r.chance(0.12) ? largest - (r.chance(0.7) ? 0 : 1) : r.below(12)))
  const array = wide ? Uint32Array.from(values) : Uint16Array.from(values)
  const bytes = r.chance(0.1) ? undefined : new Uint8Array(array.buffer)
  const start = r.chance(0.1) ? 2 ** (wide ? 30 : 31) - r.below(4) : r.below(8)
  return { bytes, offset: r.below(3) * (wide ? 4 : 2), start, wide }
}

function randomDraw(r: Random): ModelDraw {
  const patch = `${1 + r.below(32)}_CONTROL_POINT_PATCHLIST`
  const isIndexed = r.chance(0.6)
  return {
    topology: r.chance(0.15) ? patch : r.pick(TOPOLOGIES),
    elements: randomElements(r),
    slots: randomSlots(r),
    count: r.below(40),
    instanceCount: r.below(5),
    base: isIndexed && r.chance(0.3) ? -r.below(5) : r.below(6),
    startInstance: r.chance(0.3) ? r.below(5) : 0,
    ...(isIndexed ? { indices: randomIndices(r) } : {}),
    cutOnLists: r.chance(0.7),
  }
}

/** What our input assembler makes of a draw, as text of primitives. */
function assembled(d: ModelDraw): string[] {
  const t = valueOrThrow(topologyOf(d.topology))
  const elements = d.elements.map(
    (e, n): InputElement => ({
      semanticName: 'TEXCOORD',
      semanticIndex: n,
      format: e.format,
      inputSlot: e.slot,
      alignedByteOffset: e.byteOffset,
      ...(e.perInstance ? { inputSlotClass: 'PER_INSTANCE_DATA', instanceDataStepRate: e.stepRate } : {}),
    }),
  )
  const signature = elements.map((_, register) => ({
    semanticName: 'TEXCOORD',
    semanticIndex: register,
    register,
    mask: 15,
    stream: 0,
    systemValue: 0,
  }))
  const layout = valueOrThrow(createInputLayout(elements, signature))
  const buffers = d.slots.map((s) => (s === undefined ? undefined : bound(s.bytes, s.stride, s.offset)))
  const call: DrawCall =
    d.indices === undefined
      ? { vertexCount: d.count, startVertex: d.base }
      : { indexCount: d.count, startIndex: d.indices.start, baseVertex: d.base }
  const indices =
    d.indices?.bytes === undefined
      ? undefined
      : {
          ...storageOf(d.indices.bytes),
          offset: d.indices.offset,
          format: d.indices.wide ? ('R32_UINT' as const) : ('R16_UINT' as const),
        }
  const sequence = readSequence(call, indices, { cutActs: t.isStrip || d.cutOnLists })
  const p = assemblePrimitives(t, sequence)
  const out = new Int32Array(elements.length * 4)
  const into = { words: out, first: Int32Array.from(out.keys()) }
  const made: string[] = []
  for (let instance = 0; instance < d.instanceCount; instance++) {
    for (let i = 0; i < p.count; i++) {
      const vertices = [...p.vertices.subarray(i * p.verticesPerPrimitive, (i + 1) * p.verticesPerPrimitive)].map(
        (v) => {
          const id = sequence.ids[v]!
          const at = {
            vertices: Uint32Array.of(id + sequence.base),
            count: 1,
            instance,
            startInstance: d.startInstance,
          }
          fetchVertices(layout, buffers, at, into)
          return `${id}/${instance}: ${words(out)}`
        },
      )
      made.push(`${i}; ${vertices.join('; ')}`)
    }
  }
  return made
}

/** Words with one NaN for all, since formats of 16 bits and less may have any. */
const words = (list: ArrayLike<number>): string =>
  Array.from(list, (w) => ((w & 0x7fffffff) > 0x7f800000 ? 'NaN' : w >>> 0)).join()

describe('the input assembler and its model', () => {
  it('make the same primitives of random draws', () => {
    for (let seed = 1; seed <= amount(400, 1500); seed++) {
      const d = randomDraw(new Random(seed))
      const expected = modelDraw(d).map(
        (p) =>
          `${p.primitiveId}; ${p.vertices.map((v) => `${v.vertexId}/${v.instanceId}: ${words(v.words.flat())}`).join('; ')}`,
      )
      expect({ seed, made: assembled(d) }).toEqual({ seed, made: expected })
    }
  })
})
