import { MAX_RESOURCE_BYTE_LENGTH } from '../machine/index.ts'
import { type Fields, memberPath, show } from './fields.ts'
import type { Contents } from './model.ts'
import { SCALAR_BYTES, SCALAR_TYPES, type ScalarType, scalarExpectation, writeScalar } from './scalars.ts'

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

/** Stands for contents that were complained of: it has a length, so that no size is missed. */
const WRONG: Contents = { kind: 'bytes', bytes: new Uint8Array(), path: '' }

/** Values in arrays nested as deep as one likes, in order, each with its path. */
function flatten(value: unknown, path: string, out: (v: unknown, path: string) => void): void {
  if (!Array.isArray(value)) {
    out(value, path)
    return
  }
  value.forEach((v, i) => {
    flatten(v, `${path}[${i}]`, out)
  })
}

/** Values of one type as bytes; complains of the first that does not fit. */
export function valueBytes(f: Fields, name: string, type: ScalarType): Uint8Array | undefined {
  const list = f.list(name)
  if (list === undefined) return undefined
  const values: unknown[] = []
  const paths: string[] = []
  flatten(list, memberPath(f.path, name), (v, path) => {
    values.push(v)
    paths.push(path)
  })
  const size = SCALAR_BYTES[type]
  const bytes = new Uint8Array(values.length * size)
  const view = new DataView(bytes.buffer)
  const wrong = values.findIndex((v, i) => !writeScalar(view, i * size, type, v))
  if (wrong < 0) return bytes
  const inside = paths[wrong]!.slice(f.path.length + 1)
  f.complain('job-value', inside, `${scalarExpectation(type)} is expected; ${show(values[wrong])} was given`)
  return undefined
}

function bytesContents(f: Fields, name: string, type: ScalarType): Contents {
  const bytes = f.require(name, valueBytes(f, name, type)) ?? new Uint8Array()
  return { kind: 'bytes', bytes, path: memberPath(f.path, name) }
}

function hexContents(f: Fields): Contents {
  const text = f.require('data', f.text('data')) ?? ''
  const digits = text.replace(/\s+/g, '')
  if (!/^(?:[0-9a-f]{2})*$/i.test(digits)) {
    f.complain('job-value', 'data', 'pairs of hexadecimal digits are expected, two a byte')
    return WRONG
  }
  const bytes = Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
  return { kind: 'bytes', bytes, path: memberPath(f.path, 'data') }
}

function texelContents(f: Fields): Contents {
  const path = memberPath(f.path, 'data')
  const list = f.require('data', f.list('data')) ?? []
  const texels: number[][] = []
  list.forEach((item, i) => {
    const components = Array.isArray(item) ? item : [item]
    const fits = components.length >= 1 && components.length <= 4 && components.every((c) => typeof c === 'number')
    if (fits) texels.push(components)
    else f.complain('job-type', `data[${i}]`, `one to four components of a texel are expected; ${show(item)} was given`)
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

function contentsOfKind(f: Fields, kind: (typeof CONTENTS_KINDS)[number]): Contents {
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
