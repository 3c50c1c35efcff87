/** The commands of a frame in the job format, one object each. */

import { present } from '../../diagnostic/index.ts'
import { MAX_GROUPS_PER_DIMENSION, MAX_RESOURCE_BYTE_LENGTH } from '../../machine/index.ts'
import type { CopyBox } from '../../pipeline/index.ts'
import type { Fields } from '../parse/fields.ts'
import { triple } from '../parse/parse.ts'
import { suggestion } from '../parse/suggest.ts'
import { writeScalar } from '../values/scalars.ts'
import type { FrameCommand, FrameCounts, NameAt, SubresourceAt } from './model.ts'
import { nameField, parseBindings, parseTarget } from './parse-bindings.ts'
import { parseFrameContents } from './parse-contents.ts'
import { parseFour } from './parse-state.ts'

const MAX_WORD = 0xffffffff
const MAX_MIP = 31

function count(f: Fields, name: string, otherwise: number): number {
  return f.whole(name, 0, MAX_WORD) ?? otherwise
}

interface ArgumentsAt {
  readonly buffer: NameAt
  readonly byteOffset: number
  readonly indexed: boolean
}

function indirectArguments(f: Fields, canBeIndexed: boolean): ArgumentsAt | undefined {
  const o = f.object('indirect')
  if (o === undefined) return undefined
  const buffer = o.require('buffer', nameField(o, 'buffer'))
  const byteOffset = o.whole('byteOffset', 0, MAX_RESOURCE_BYTE_LENGTH) ?? 0
  const indexed = canBeIndexed ? (o.flag('indexed') ?? false) : false
  o.done()
  return buffer === undefined ? undefined : { buffer, byteOffset, indexed }
}

/** How many vertices: one of vertexCount, indexCount, indirect and auto. */
function parseCounts(f: Fields): FrameCounts {
  const given = ['vertexCount', 'indexCount', 'indirect', 'auto'].filter((name) => f.has(name))
  if (given.length !== 1) {
    const what = given.length === 0 ? 'none was given' : `${given.join(' and ')} were given`
    f.report(
      'job-missing-field',
      given[1] ?? '',
      `one of vertexCount, indexCount, indirect and auto is expected; ${what}`,
    )
  }
  const indirect = indirectArguments(f, true)
  if (indirect !== undefined) return { kind: 'indirect', ...indirect }
  if (f.has('auto')) {
    if (f.flag('auto') === false)
      f.report('job-out-of-range', 'auto', 'true is expected; leave it out where counts are given')
    return { kind: 'auto' }
  }
  const instances = { instanceCount: count(f, 'instanceCount', 1), startInstance: count(f, 'startInstance', 0) }
  if (f.has('indexCount')) {
    const baseVertex = f.whole('baseVertex', -0x80000000, 0x7fffffff) ?? 0
    const startIndex = count(f, 'startIndex', 0)
    return { kind: 'indices', indexCount: count(f, 'indexCount', 0), startIndex, baseVertex, ...instances }
  }
  return {
    kind: 'vertices',
    vertexCount: count(f, 'vertexCount', 0),
    startVertex: count(f, 'startVertex', 0),
    ...instances,
  }
}

/** A resource by name, or a mip and slice of it. */
function placeField(f: Fields, name: string): { at: SubresourceAt; fields: Fields | undefined } | undefined {
  if (typeof f.raw(name) === 'string')
    return { at: { resource: nameField(f, name)!, mip: 0, slice: 0 }, fields: undefined }
  const o = f.object(name)
  const resource = o?.require('resource', nameField(o, 'resource'))
  if (o === undefined || resource === undefined) return undefined
  const at = { resource, mip: o.whole('mip', 0, MAX_MIP) ?? 0, slice: count(o, 'slice', 0) }
  return { at, fields: o }
}

function boxField(f: Fields): CopyBox | undefined {
  const o = f.object('box')
  if (o === undefined) return undefined
  const side = (name: string): number | undefined => o.whole(name, 0, MAX_WORD)
  const box = {
    left: o.require('left', side('left')) ?? 0,
    right: o.require('right', side('right')) ?? 0,
    ...present({ top: side('top'), bottom: side('bottom'), front: side('front'), back: side('back') }),
  }
  o.done()
  return box
}

function parseCopy(f: Fields): FrameCommand | undefined {
  const o = f.object('copy')
  if (o === undefined) return undefined
  const from = o.require('from', placeField(o, 'from'))
  const to = o.require('to', placeField(o, 'to'))
  const box = from?.fields === undefined ? undefined : boxField(from.fields)
  const at = { x: 0, y: 0, z: 0 }
  if (to?.fields !== undefined) {
    for (const axis of ['x', 'y', 'z'] as const) at[axis] = count(to.fields, axis, 0)
  }
  from?.fields?.done()
  to?.fields?.done()
  o.done()
  if (from === undefined || to === undefined) return undefined
  const base = { kind: 'copy', path: f.path, from: from.at.resource, to: to.at.resource } as const
  if (from.fields === undefined && to.fields === undefined) return base
  const source = { mip: from.at.mip, slice: from.at.slice, ...present({ box }) }
  return { ...base, region: { source, destination: { mip: to.at.mip, slice: to.at.slice, ...at } } }
}

function parseResolve(f: Fields): FrameCommand | undefined {
  const o = f.object('resolve')
  if (o === undefined) return undefined
  const from = o.require('from', placeField(o, 'from'))
  const to = o.require('to', placeField(o, 'to'))
  const format = o.text('format')
  from?.fields?.done()
  to?.fields?.done()
  o.done()
  if (from === undefined || to === undefined) return undefined
  return { kind: 'resolve', path: f.path, from: from.at, to: to.at, ...present({ format }) }
}

const COLOR = 'red, green, blue, alpha'

/** Four words, each as contents of buffers have them: whole numbers, or bits in hexadecimal. */
function fourWords(f: Fields, name: string): [number, number, number, number] | undefined {
  const given = f.raw(name)
  const view = new DataView(new ArrayBuffer(16))
  const isList = Array.isArray(given) && given.length === 4
  if (!isList || !given.every((value, i) => writeScalar(view, i * 4, 'u32', value))) {
    const text = `4 words are expected: ${COLOR}; ${JSON.stringify(given)} was given`
    f.report('job-wrong-type', name, text)
    return undefined
  }
  const word = (i: number): number => view.getUint32(i * 4, true)
  return [word(0), word(1), word(2), word(3)]
}

function parseClear(f: Fields): FrameCommand | undefined {
  const target = parseTarget(f, 'clear')
  const given = ['color', 'floats', 'uints'].filter((name) => f.has(name))
  if (given.length !== 1) {
    const text = 'one of color (a render target), floats and uints (an unordered access view) is expected'
    f.report('job-missing-field', given[1] ?? 'color', text)
  }
  const name = given[0] ?? 'color'
  const color = (name === 'uints' ? fourWords(f, name) : parseFour(f, name, COLOR)) ?? [0, 0, 0, 0]
  const as = name === 'floats' ? 'float' : name === 'uints' ? 'uint' : 'target'
  return target === undefined ? undefined : { kind: 'clear', path: f.path, target, color, as }
}

function parseClearDepthStencil(f: Fields): FrameCommand | undefined {
  const target = parseTarget(f, 'clearDepthStencil')
  const values = present({ depth: f.number('depth'), stencil: f.whole('stencil', 0, 0xff) })
  if (!f.has('depth') && !f.has('stencil'))
    f.report('job-missing-field', 'depth', 'depth, stencil or both are expected')
  return target === undefined ? undefined : { kind: 'clearDepthStencil', path: f.path, target, ...values }
}

function parseDraw(f: Fields): FrameCommand | undefined {
  const pipeline = nameField(f, 'draw')
  const counts = parseCounts(f)
  const bindings = parseBindings(f.object('bind'))
  return pipeline === undefined ? undefined : { kind: 'draw', path: f.path, pipeline, counts, bindings }
}

function parseDispatch(f: Fields): FrameCommand | undefined {
  const pipeline = nameField(f, 'dispatch')
  const indirect = indirectArguments(f, false)
  const groups = f.has('indirect') ? undefined : f.require('groups', triple(f, 'groups', 0, MAX_GROUPS_PER_DIMENSION))
  if (f.has('indirect') && f.has('groups'))
    f.report('job-out-of-range', 'groups', 'groups or indirect is expected; both were given')
  const bindings = parseBindings(f.object('bind'))
  if (pipeline === undefined) return undefined
  return { kind: 'dispatch', path: f.path, pipeline, groups: indirect ?? groups ?? [0, 0, 0], bindings }
}

function parseWrite(f: Fields): FrameCommand | undefined {
  const resource = nameField(f, 'write')
  const byteOffset = f.whole('byteOffset', 0, MAX_RESOURCE_BYTE_LENGTH) ?? 0
  const place = { mip: f.whole('mip', 0, MAX_MIP) ?? 0, slice: count(f, 'slice', 0) }
  f.require('init', f.raw('init'))
  const contents = parseFrameContents(f.object('init'))
  return resource === undefined ? undefined : { kind: 'write', path: f.path, resource, byteOffset, ...place, contents }
}

function parseGenerateMips(f: Fields): FrameCommand | undefined {
  const resource = nameField(f, 'generateMips')
  return resource === undefined ? undefined : { kind: 'generateMips', path: f.path, resource }
}

function parseCopyCount(f: Fields): FrameCommand | undefined {
  const o = f.object('copyStructureCount')
  if (o === undefined) return undefined
  const from = o.require('from', nameField(o, 'from'))
  const to = o.require('to', nameField(o, 'to'))
  const byteOffset = o.whole('byteOffset', 0, MAX_RESOURCE_BYTE_LENGTH) ?? 0
  o.done()
  return from && to && { kind: 'copyStructureCount', path: f.path, from, to, byteOffset }
}

const COMMANDS: Readonly<Record<string, (f: Fields) => FrameCommand | undefined>> = {
  draw: parseDraw,
  dispatch: parseDispatch,
  clear: parseClear,
  clearDepthStencil: parseClearDepthStencil,
  copy: parseCopy,
  resolve: parseResolve,
  generateMips: parseGenerateMips,
  copyStructureCount: parseCopyCount,
  write: parseWrite,
}

/** One command: the object has one of the names of the commands; undefined, after complaints, where it cannot be read. */
export function parseCommand(f: Fields): FrameCommand | undefined {
  f.ignore('comment')
  const known = Object.keys(COMMANDS)
  const given = known.filter((name) => f.has(name))
  const [name] = given
  if (name === undefined || given.length > 1) {
    const what = name === undefined ? 'none was given' : `${given.join(' and ')} were given`
    const near = name === undefined ? f.names().flatMap((n) => suggestion(n, known)) : []
    f.report('job-missing-field', given[1] ?? '', `one of ${known.join(', ')} is expected; ${what}`, near)
    return undefined
  }
  const command = COMMANDS[name]!(f)
  f.done()
  return command
}
