import { present } from '../../diagnostic/index.ts'
import { MAX_RESOURCE_BYTE_LENGTH, MAX_STRUCTURE_STRIDE } from '../../machine/index.ts'
import type { Contents, JobCheck } from '../model.ts'
import { atMostOne, type Fields, memberPath } from './fields.ts'
import { parseContents, valueBytes } from './parse-contents.ts'
import { slotField } from './parse-slot.ts'

const COMPARES = ['exact', 'f32', 'f16', 'f64', 'u8', 'lists', 'counter'] as const

/** Expected contents: a file, contents with a kind, or words or floats; undefined where none are given. */
function parseExpected(f: Fields): Contents | undefined {
  if (!atMostOne(f, 'expected contents', ['file', 'init', 'words', 'floats'])) return undefined
  const file = f.text('file')
  if (file !== undefined) return { kind: 'file', file, byteOffset: 0, path: memberPath(f.path, 'file') }
  const words = valueBytes(f, 'words', 'u32')
  if (words !== undefined) return { kind: 'bytes', bytes: words, path: memberPath(f.path, 'words') }
  const floats = valueBytes(f, 'floats', 'f32')
  if (floats !== undefined) return { kind: 'bytes', bytes: floats, path: memberPath(f.path, 'floats') }
  const init = f.object('init')
  return init === undefined ? undefined : parseContents(init)
}

function tolerance(f: Fields, name: string, most: number): number {
  const value = f.number(name) ?? 0
  if (value >= 0 && value <= most) return value
  const range = most === 1 ? 'from 0 to 1' : '0 or more'
  f.report('job-out-of-range', name, `a number ${range} is expected; ${value} was given`)
  return 0
}

function counterOf(f: Fields): { counter?: number } {
  return present({ counter: f.whole('counter', 0, 0xffffffff) })
}

function listsCheck(f: Fields): JobCheck | undefined {
  const slot = slotField(f, 'slot', 'tu', 'a check')
  const heads = f.require('heads', slotField(f, 'heads', 'tu', 'the heads of lists'))
  const nodes = f.require('nodes', slotField(f, 'nodes', 'tu', 'the nodes of lists'))
  const stride = f.require('stride', f.whole('stride', 8, MAX_STRUCTURE_STRIDE)) ?? 8
  if (stride % 4 !== 0) f.report('job-out-of-range', 'stride', `a multiple of 4 is expected; ${stride} was given`)
  const expected = parseExpected(f)
  const counter = counterOf(f)
  if (heads === undefined || nodes === undefined) return undefined
  const base = { kind: 'lists', slot: slot ?? heads, path: f.path, heads, nodes, stride } as const
  return { ...base, ...present({ expected }), ...counter }
}

function contentsCheck(
  f: Fields,
  compare: Exclude<(typeof COMPARES)[number], 'lists' | 'counter'>,
): JobCheck | undefined {
  const slot = f.require('slot', slotField(f, 'slot', 'tu', 'a check'))
  const float = compare.startsWith('f')
  const bounds = {
    abs: compare === 'exact' ? 0 : tolerance(f, 'abs', Number.MAX_VALUE),
    rel: float ? tolerance(f, 'rel', Number.MAX_VALUE) : 0,
    ulps: float ? tolerance(f, 'ulps', Number.MAX_VALUE) : 0,
    outliers: tolerance(f, 'outliers', 1),
  }
  const part = present({
    byteOffset: f.whole('byteOffset', 0, MAX_RESOURCE_BYTE_LENGTH),
    byteLength: f.whole('byteLength', 0, MAX_RESOURCE_BYTE_LENGTH),
  })
  const expected = parseExpected(f)
  const counter = counterOf(f)
  if (slot === undefined) return undefined
  return { kind: 'contents', slot, path: f.path, compare, ...bounds, ...part, ...present({ expected }), ...counter }
}

/** One check; undefined, after complaints, where it cannot be made. */
export function parseCheck(f: Fields): JobCheck | undefined {
  f.ignore('part', 'comment')
  const compare = f.word('compare', COMPARES) ?? (f.has('compare') ? undefined : 'exact')
  if (compare === undefined) return undefined
  let check: JobCheck | undefined
  if (compare === 'lists') check = listsCheck(f)
  else if (compare === 'counter') {
    const slot = f.require('slot', slotField(f, 'slot', 'u', 'a check of a counter'))
    const { counter } = counterOf(f)
    f.require('counter', counter)
    check = slot === undefined ? undefined : { kind: 'counter', slot, path: f.path, counter: counter ?? 0 }
  } else check = contentsCheck(f, compare)
  f.done()
  return check
}
