import { MAX_RESOURCE_BYTE_LENGTH } from '../../machine/index.ts'
import type { Contents } from '../model.ts'
import { SCALAR_BYTES, SCALAR_TYPES, type ScalarType, scalarExpectation, writeScalar } from '../values/scalars.ts'
import { type Fields, memberPath, show } from './fields.ts'

const U32_MAX = 0xffffffff
export const CONTENTS_KINDS = [
  'zero',
  'fill-u32',
  'lcg-u32',
  'lcg-f32',
  'ramp-u32',
  'ramp-f32',
  'words',
  'floats',
  'values',
  'texels',
  'structures',
  'hex',
  'file',
  'png',
] as const

/** Stands for contents that were refused: it has a length, so that no size is reported as missing. */
export const WRONG: Contents = { kind: 'bytes', bytes: new Uint8Array(), path: '' }

/** How many values there are in arrays nested as deep as one likes: counted before anything is made of them. */
function countValues(value: unknown): number {
  if (!Array.isArray(value)) return 1
  let count = 0
  for (const v of value) count += countValues(v)
  return count
}

/** Where a value stands that does not fit. */
interface Mismatch {
  readonly path: string
  readonly value: unknown
}

/** Writes values in order; the first that does not fit, with its path, ends it. */
function writeValues(
  value: unknown,
  write: (v: unknown) => boolean,
  path: (inner: string) => string,
): Mismatch | undefined {
  if (!Array.isArray(value)) return write(value) ? undefined : { path: path(''), value }
  for (let i = 0; i < value.length; i++) {
    const wrong = writeValues(value[i], write, (inner) => path(`[${i}]${inner}`))
    if (wrong !== undefined) return wrong
  }
  return undefined
}

/** Values of one type as bytes; or the first one that does not fit. */
export function valueBytes(f: Fields, name: string, type: ScalarType): Uint8Array | undefined {
  const list = f.list(name)
  if (list === undefined) return undefined
  const size = SCALAR_BYTES[type]
  const byteLength = countValues(list) * size
  if (byteLength > MAX_RESOURCE_BYTE_LENGTH) {
    f.report('job-size', name, `${byteLength} bytes are more than a resource holds (${MAX_RESOURCE_BYTE_LENGTH})`)
    return undefined
  }
  const bytes = new Uint8Array(byteLength)
  const view = new DataView(bytes.buffer)
  let at = 0
  const write = (v: unknown): boolean => {
    const fits = writeScalar(view, at, type, v)
    at += size
    return fits
  }
  const wrong = writeValues(list, write, (inner) => `${name}${inner}`)
  if (wrong === undefined) return bytes
  f.report('job-out-of-range', wrong.path, `${scalarExpectation(type)} is expected; ${show(wrong.value)} was given`)
  return undefined
}

export function bytesContents(f: Fields, name: string, type: ScalarType): Contents {
  const bytes = f.require(name, valueBytes(f, name, type)) ?? new Uint8Array()
  return { kind: 'bytes', bytes, path: memberPath(f.path, name) }
}

function hexContents(f: Fields): Contents {
  const text = f.require('data', f.text('data')) ?? ''
  const bytes = bytesOfHex(text)
  if (bytes !== undefined) return { kind: 'bytes', bytes, path: memberPath(f.path, 'data') }
  f.report('job-out-of-range', 'data', 'pairs of hexadecimal digits are expected, two a byte')
  return WRONG
}

function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const letter = (code | 0x20) - 0x61
  return letter >= 0 && letter < 6 ? letter + 10 : -1
}

/** Bytes of hexadecimal digits with space anywhere; undefined for anything else, or half a byte. */
function bytesOfHex(text: string): Uint8Array | undefined {
  const bytes = new Uint8Array(text.length >> 1)
  let digits = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 0x20 || (code >= 0x09 && code <= 0x0d)) continue
    const digit = hexDigit(code)
    if (digit < 0) return undefined
    bytes[digits >> 1] = (bytes[digits >> 1]! << 4) | digit
    digits++
  }
  return digits % 2 === 0 ? bytes.subarray(0, digits >> 1) : undefined
}

function texelContents(f: Fields): Contents {
  const path = memberPath(f.path, 'data')
  const list = f.require('data', f.list('data')) ?? []
  const texels: number[][] = []
  list.forEach((item, i) => {
    const components = Array.isArray(item) ? item : [item]
    const fits = components.length >= 1 && components.length <= 4 && components.every((c) => typeof c === 'number')
    if (fits) texels.push(components)
    else
      f.report(
        'job-wrong-type',
        `data[${i}]`,
        `one to four components of a texel are expected; ${show(item)} was given`,
      )
  })
  return { kind: 'texels', texels, path }
}

function fileContents(f: Fields): Contents {
  const file = f.require('path', f.text('path')) ?? ''
  const byteOffset = f.whole('byteOffset', 0, Number.MAX_SAFE_INTEGER) ?? 0
  const byteLength = f.whole('byteLength', 0, MAX_RESOURCE_BYTE_LENGTH)
  const base = { kind: 'file', file, byteOffset, path: memberPath(f.path, 'path') } as const
  return byteLength === undefined ? base : { ...base, byteLength }
}

function generatorContents(f: Fields, kind: 'fill-u32' | 'lcg-u32' | 'lcg-f32' | 'ramp-u32' | 'ramp-f32'): Contents {
  switch (kind) {
    case 'fill-u32':
      return { kind, value: f.require('value', f.whole('value', 0, U32_MAX)) ?? 0 }
    case 'lcg-u32':
      return { kind, seed: f.require('seed', f.whole('seed', 0, U32_MAX)) ?? 0 }
    case 'lcg-f32': {
      const seed = f.require('seed', f.whole('seed', 0, U32_MAX)) ?? 0
      return { kind, seed, lo: f.require('lo', f.number('lo')) ?? 0, hi: f.require('hi', f.number('hi')) ?? 0 }
    }
    case 'ramp-u32':
      return { kind, start: f.whole('start', 0, U32_MAX) ?? 0, step: f.whole('step', -0x80000000, U32_MAX) ?? 1 }
    case 'ramp-f32':
      return { kind, start: f.number('start') ?? 0, step: f.number('step') ?? 1 }
  }
}

/** Contents of a known kind, from their other fields. */
export function contentsOfKind(f: Fields, kind: (typeof CONTENTS_KINDS)[number]): Contents {
  switch (kind) {
    case 'zero':
      return { kind }
    case 'words':
      return bytesContents(f, 'data', 'u32')
    case 'floats':
      return bytesContents(f, 'data', 'f32')
    case 'values': {
      const type = f.require('type', f.word('type', SCALAR_TYPES))
      if (type !== undefined) return bytesContents(f, 'data', type)
      f.ignore('data')
      return WRONG
    }
    case 'texels':
      return texelContents(f)
    case 'structures':
      return { kind, items: f.require('data', f.list('data')) ?? [], path: memberPath(f.path, 'data') }
    case 'hex':
      return hexContents(f)
    case 'file':
      return fileContents(f)
    case 'png':
      return { kind, file: f.require('path', f.text('path')) ?? '', path: memberPath(f.path, 'path') }
    default:
      return generatorContents(f, kind)
  }
}

/** Contents from an object with a `kind`; zeros where it is absent. */
export function parseContents(f: Fields | undefined): Contents {
  if (f === undefined) return { kind: 'zero' }
  const kind = f.require('kind', f.word('kind', CONTENTS_KINDS))
  if (kind === undefined) return WRONG
  const contents = contentsOfKind(f, kind)
  f.done()
  return contents
}

/** Whether contents say of themselves how many bytes a buffer has (structures do, with the buffer's stride). */
export function hasOwnLength(contents: Contents): boolean {
  return ['bytes', 'texels', 'structures', 'variables', 'guess', 'file'].includes(contents.kind)
}
