/** Resources that a draw both reads and writes, or writes in two ways: Direct3D unbinds one of them, here the draw is refused (5.3.9.4). */
import { type Diagnostic, diagnostic } from '../../diagnostic/index.ts'
import type { Declarations } from '../../engine/index.ts'
import {
  printSlot,
  type SlotRegister,
  type Srv,
  type Storage,
  slotOfKey,
  type TargetView,
  type Uav,
} from '../../machine/index.ts'
import type { Pipeline } from './description.ts'
import { type DrawResources, resolvedOf, SHADER_STAGES } from './resources.ts'

/** Registers of a declaration, in their space. */
type RegisterRange = Pick<Declarations['constantBuffers'][number], 'first' | 'last' | 'space'>

/** From the first up to, not including, the second. */
type Range = readonly [from: number, to: number]

/** A part of a resource that a draw uses, with the name that people have for it. */
interface Use {
  readonly name: string
  readonly storage: Storage
  readonly mips: Range
  readonly slices: Range
  /** Bytes of a buffer. */
  readonly bytes: Range
}

const ALL: Range = [0, Number.POSITIVE_INFINITY]
const overlap = (a: Range, b: Range): boolean => a[0] < b[1] && b[0] < a[1]
const samePart = (a: Use, b: Use): boolean =>
  a.storage === b.storage && overlap(a.mips, b.mips) && overlap(a.slices, b.slices)

const wholeBuffer = (name: string, storage: Storage): Use => ({ name, storage, mips: ALL, slices: ALL, bytes: ALL })

function ofView(name: string, v: Srv | Uav): Use {
  const { storage } = v
  if (v.shape !== 'texture') {
    return { name, storage, mips: ALL, slices: ALL, bytes: [v.byteOffset, v.byteOffset + v.byteLength] }
  }
  const first = v.kind === 'srv' ? v.mostDetailedMip : v.mipSlice
  // All depth slices of a Texture3D are one subresource.
  const slices: Range = v.dimension === 'texture3d' ? ALL : [v.firstArraySlice, v.firstArraySlice + v.arraySize]
  return { name, storage, mips: [first, first + v.levels.length], slices, bytes: ALL }
}

function ofTarget(name: string, v: TargetView): Use {
  const { storage, mipSlice, firstArraySlice, arraySize, byteOffset } = v
  if (v.resource.kind === 'buffer') {
    return { name, storage, mips: ALL, slices: ALL, bytes: [byteOffset, byteOffset + v.rowPitch] }
  }
  const slices: Range = v.dimension === 'texture3d' ? ALL : [firstArraySlice, firstArraySlice + arraySize]
  return { name, storage, mips: [mipSlice, mipSlice + 1], slices, bytes: ALL }
}

const nameOf = (register: SlotRegister, key: number): string => printSlot(slotOfKey(register, key))

/** Calls with the storage of everything that the stages that run read, and the input assembler. */
function eachRead(p: Pipeline, r: DrawResources, read: (storage: Storage) => void): void {
  for (const stage of SHADER_STAGES) {
    const bound = p[stage] === undefined ? undefined : resolvedOf(r, stage).value
    if (bound === undefined) continue
    for (const v of bound.t.values()) read(v.storage)
    for (const v of bound.b.values()) read(v.storage)
  }
  for (const b of r.vertexBuffers) if (b !== undefined) read(b.storage)
  if (r.indexBuffer !== undefined) read(r.indexBuffer.storage)
}

/** Calls with the storage of everything that a draw writes. */
function eachWrite(r: DrawResources, write: (storage: Storage) => void): void {
  for (const v of r.renderTargets) if (v !== undefined) write(v.storage)
  if (r.depthStencil !== undefined) write(r.depthStencil.storage)
  const uavs = resolvedOf(r, 'unorderedAccess').value?.u
  if (uavs !== undefined && uavs.size > 0) for (const v of uavs.values()) write(v.storage)
  for (const b of r.streamOutputBuffers) if (b !== undefined) write(b.storage)
}

/** Bound views that ranges of registers have: Direct3D unbinds what conflicts, which a shader that does not declare it never sees. */
function declared<T>(
  register: SlotRegister,
  bound: ReadonlyMap<number, T>,
  ranges: readonly RegisterRange[],
): [number, T][] {
  return [...bound].filter(([key]) => {
    const { index, space } = slotOfKey(register, key)
    return ranges.some((range) => range.space === space && index >= range.first && index <= range.last)
  })
}

/** What the shaders that run declare and have bound, and what the input assembler has. */
function readsOf(p: Pipeline, r: DrawResources): Use[] {
  const found: Use[] = []
  for (const stage of SHADER_STAGES) {
    const shader = p[stage]
    const bound = shader === undefined ? undefined : resolvedOf(r, stage).value
    if (shader === undefined || bound === undefined) continue
    const { resources, constantBuffers } = shader.loaded.declarations
    for (const [key, v] of declared('t', bound.t, resources)) {
      found.push(ofView(`${nameOf('t', key)} of the ${stage} shader`, v))
    }
    for (const [key, v] of declared('b', bound.b, constantBuffers)) {
      found.push(wholeBuffer(`${nameOf('b', key)} of the ${stage} shader`, v.storage))
    }
  }
  r.vertexBuffers.forEach((b, i) => {
    if (b !== undefined) found.push(wholeBuffer(`vertex buffer ${i}`, b.storage))
  })
  if (r.indexBuffer !== undefined) found.push(wholeBuffer('the index buffer', r.indexBuffer.storage))
  return found
}

interface Written {
  readonly use: Use
  readonly kind: 'target' | 'uav' | 'stream'
  /** Read-only depth-stencil views may be read at the same time. */
  readonly excludesReads: boolean
}

function writesOf(r: DrawResources): Written[] {
  const found: Written[] = []
  const add = (kind: Written['kind'], use: Use, excludesReads = true): void =>
    void found.push({ use, kind, excludesReads })
  r.renderTargets.forEach((v, i) => {
    if (v !== undefined) add('target', ofTarget(`render target ${i}`, v))
  })
  const { depthStencil: d } = r
  // A view that is read-only in one plane may be read there; which plane a shader reads is not looked at.
  if (d !== undefined) add('target', ofTarget('the depth buffer', d), !(d.readOnlyDepth || d.readOnlyStencil))
  for (const [key, v] of resolvedOf(r, 'unorderedAccess').value?.u ?? []) add('uav', ofView(nameOf('u', key), v))
  r.streamOutputBuffers.forEach((b, i) => {
    if (b !== undefined) add('stream', wholeBuffer(`stream output buffer ${i}`, b.storage))
  })
  return found
}

/** Storages of everything that a draw reads or writes. */
export function storagesOf(p: Pipeline, r: DrawResources): Storage[] {
  const found: Storage[] = []
  const add = (storage: Storage): void => void found.push(storage)
  eachRead(p, r, add)
  eachWrite(r, add)
  return found
}

const hazard = (text: string): Diagnostic =>
  diagnostic('pipeline-hazard', text, undefined, ['bind a copy for one of them, or draw twice'])

/** Whether a storage is written that something else of the draw uses too: only then have parts to be compared. */
function sharesStorage(p: Pipeline, r: DrawResources): boolean {
  // A draw writes few resources: a list is searched as fast as a set, and is made for each draw.
  const written: Storage[] = []
  let isShared = false
  eachWrite(r, (storage) => {
    isShared ||= written.includes(storage)
    written.push(storage)
  })
  eachRead(p, r, (storage) => {
    isShared ||= written.includes(storage)
  })
  return isShared
}

/** Conflicts between what a draw reads and writes. Two targets, and two stream output buffers, are compared elsewhere. */
export function checkHazards(p: Pipeline, r: DrawResources): Diagnostic[] {
  if (!sharesStorage(p, r)) return []
  const found: Diagnostic[] = []
  const writes = writesOf(r)
  for (const read of readsOf(p, r)) {
    const other = writes.find((w) => w.excludesReads && samePart(w.use, read))
    if (other !== undefined)
      found.push(hazard(`${read.name} and ${other.use.name} are the same resource: a draw cannot read what it writes.`))
  }
  writes.forEach(({ use: a, kind }, i) => {
    for (const { use: b, kind: other } of writes.slice(0, i)) {
      if (kind === other && kind !== 'uav') continue
      if (samePart(a, b) && overlap(a.bytes, b.bytes))
        found.push(hazard(`${b.name} and ${a.name} are the same resource: a draw cannot write it in two ways.`))
    }
  })
  return found
}
