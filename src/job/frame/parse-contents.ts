/** Contents of a frame's resources: those of version 1 and the patterns, in either notation. */
import { present } from '../../diagnostic/index.ts'
import type { Fields } from '../parse/fields.ts'
import { bytesContents, CONTENTS_KINDS, contentsOfKind, WRONG } from '../parse/parse-contents.ts'
import type { FrameContents } from './model.ts'
import { PATTERN_NAMES, type Pattern, type PatternName, patternParameters } from './patterns/index.ts'

function isPattern(kind: string): kind is PatternName {
  return (PATTERN_NAMES as readonly string[]).includes(kind)
}

function parsePattern(f: Fields, name: PatternName): Pattern {
  const given = patternParameters(name).map((p) => {
    const value = p.isWhole ? f.whole(p.name, p.least, p.most) : f.number(p.name)
    f.require(p.name, value)
    return [p.name, value ?? p.least] as const
  })
  return { kind: 'pattern', name, parameters: present(Object.fromEntries(given)), path: f.path }
}

/** Contents from an object with a `kind`; zeros where it is absent. */
export function parseFrameContents(f: Fields | undefined): FrameContents {
  if (f === undefined) return { kind: 'zero' }
  const kind = f.require('kind', f.word('kind', [...CONTENTS_KINDS, ...PATTERN_NAMES]))
  if (kind === undefined) return WRONG
  const contents = isPattern(kind) ? parsePattern(f, kind) : contentsOfKind(f, kind)
  f.done()
  return contents
}

/** Kinds of Direct3D's notation that have other fields than those of the job format. */
const VALUE_KINDS = {
  words: { field: 'words', type: 'u32' },
  f32: { field: 'values', type: 'f32' },
} as const
const VALUE_KIND_NAMES = ['words', 'f32'] as const
const PLAIN_KINDS = ['zero', 'fill-u32', 'lcg-u32', 'lcg-f32'] as const

/** As `parseFrameContents`, of the notation with Direct3D's own names. */
export function parseSceneContents(f: Fields | undefined): FrameContents {
  if (f === undefined) return { kind: 'zero' }
  const kind = f.require('kind', f.word('kind', [...PLAIN_KINDS, ...VALUE_KIND_NAMES, ...PATTERN_NAMES]))
  if (kind === undefined) return WRONG
  const contents =
    kind === 'words' || kind === 'f32'
      ? bytesContents(f, VALUE_KINDS[kind].field, VALUE_KINDS[kind].type)
      : isPattern(kind)
        ? parsePattern(f, kind)
        : contentsOfKind(f, kind)
  f.done()
  return contents
}
