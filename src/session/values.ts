/** Values of the source as trees of texts, part by part. */
import type { Change, Thread } from '../debug/index.ts'
import { FILE } from '../isa/index.ts'
import {
  childCount,
  childrenOf,
  readPlace,
  type SourceValue,
  type SourceVariable,
  sourceTypeText,
  type ValueState,
  type WordPlace,
  wordsOf,
} from '../source/index.ts'
import { bitsOfText, colorText, doubleText, guessText, NOT_AVAILABLE, type WordFormat, wordText } from './format.ts'
import { printReference, SHARED_SPACE } from './spaces.ts'
import { byteOffsetIn, type StateSource, sharedOffset, viewOfOperand } from './state.ts'

/** A value with its parts, as trees of variables show it. */
export interface ValueNode {
  readonly name: string
  readonly value: string
  readonly type?: string
  /** The expression that gives it. */
  readonly expression?: string
  /** Numbered parts (`[0]`), which are read in pages, and named ones. */
  readonly indexedCount: number
  readonly namedCount: number
  /** Reads much: shown when it is asked for. */
  readonly isLazy?: boolean
  /** Where it lies in memory, as `u0+0x30`. */
  readonly memory?: string
  /** What it is to its function. */
  readonly kind?: SourceVariable['kind']
  children(start: number, count: number): readonly ValueNode[]
  /** The changes that give it a value; a text says why there are none. */
  assign?(text: string): readonly Change[] | string
}

/** A leaf: a name and a text. */
export const textNode = (name: string, value: string, type?: string): ValueNode => ({
  name,
  value,
  ...(type === undefined ? {} : { type }),
  indexedCount: 0,
  namedCount: 0,
  children: () => [],
})

/** A node of nodes that are there already. */
export function listNode(name: string, value: string, nodes: readonly ValueNode[], isIndexed = false): ValueNode {
  return {
    name,
    value,
    indexedCount: isIndexed ? nodes.length : 0,
    namedCount: isIndexed ? 0 : nodes.length,
    children: (start, count) => nodes.slice(start, start + count),
  }
}

/** Where values are read: a moment, and a thread of it. */
export interface ValueReader {
  readonly source: StateSource
  readonly state: ValueState
  readonly thread: Thread
  readonly format?: WordFormat | undefined
  /** Registers have no types of their own: what they hold is guessed from the bits. */
  readonly isUntyped?: boolean
  /** Bound views by the operand that names them: how many elements a buffer has. */
  readonly elementCount: (value: SourceValue) => number
}

function scalarTexts(r: ValueReader, value: SourceValue): readonly string[] {
  const { type } = value
  const words = wordsOf(value).map((place) => place && readPlace(r.state, r.thread.thread, place))
  if (!('scalar' in type)) return []
  if (type.scalar === 'double') {
    return Array.from({ length: words.length / 2 }, (_, i) => doubleText(words[2 * i], words[2 * i + 1]))
  }
  const guess = r.format === undefined && r.isUntyped === true
  return words.map((w) => (guess && w !== undefined ? guessText(w) : wordText(w, type.scalar, r.format)))
}

/** Parts of long values that a summary shows. */
const SHOWN_PARTS = 4

/** A value in one line. */
export function valueText(r: ValueReader, value: SourceValue, depth = 0): string {
  const { type } = value
  switch (type.kind) {
    case 'scalar':
      return scalarTexts(r, value)[0] ?? NOT_AVAILABLE
    case 'vector': {
      const texts = scalarTexts(r, value)
      if (texts.every((t) => t === NOT_AVAILABLE)) return NOT_AVAILABLE
      const color =
        r.format === 'c' ? colorText(wordsOf(value).map((p) => p && readPlace(r.state, r.thread.thread, p))) : undefined
      return color ?? `(${texts.map((t) => (t === NOT_AVAILABLE ? '?' : t)).join(', ')})`
    }
    case 'matrix': {
      const texts = scalarTexts(r, value).map((t) => (t === NOT_AVAILABLE ? '?' : t))
      const rows = Array.from({ length: type.rows }, (_, i) => texts.slice(i * type.columns, (i + 1) * type.columns))
      return `(${rows.map((row) => `(${row.join(', ')})`).join(', ')})`
    }
    case 'array': {
      const count = childCount(value)
      return `${sourceTypeText(type)}${depth > 0 ? '' : partsText(r, value, count, '[', ']')}`
    }
    case 'structure':
      return depth > 1 ? type.name : partsText(r, value, type.members.length, '{', '}', depth)
    case 'object': {
      const count = r.elementCount(value)
      return type.element === undefined ? type.name : `${type.name} of ${count} elements`
    }
    case 'unknown':
      return 'of a type that the debug data does not describe'
  }
}

function partsText(r: ValueReader, value: SourceValue, count: number, open: string, close: string, depth = 0): string {
  const shown = childrenOf(value, 0, Math.min(count, SHOWN_PARTS))
  const texts = shown.map((c) =>
    open === '{' ? `${c.name} = ${valueText(r, c, depth + 1)}` : valueText(r, c, depth + 1),
  )
  return `${open === '[' ? ' ' : ''}${open}${texts.join(', ')}${count > shown.length ? ', …' : ''}${close}`
}

/** A place in memory of a word, where it has an address. */
function referenceOf({ source }: ValueReader, place: WordPlace | undefined): string | undefined {
  if (place?.kind !== 'memory') return undefined
  if (place.file === 'tgsm') {
    const at = sharedOffset(source.declarations, place.indices[0] ?? 0, place.address)
    return at < 0 ? undefined : printReference({ space: SHARED_SPACE, byteOffset: at })
  }
  const view = viewOfOperand(source, place.file, place.indices)
  const byteOffset = view === undefined ? -1 : byteOffsetIn(view, place.address)
  const slot = place.indices.at(-1) ?? 0
  return byteOffset < 0
    ? undefined
    : printReference({ space: `${place.file === 'uav' ? 'u' : 't'}${slot}`, byteOffset })
}

/** The change that writes a word. */
function wordChange(r: ValueReader, place: WordPlace, bits: number): Change | string {
  if (place.kind === 'literal') return 'it is a constant in the code'
  if (place.kind === 'register') {
    const { indices, component, file } = place
    if (file === 'constant-buffer') return 'constants decide the whole run and cannot be changed in it'
    return { kind: 'register', thread: r.thread, place: { file: FILE[file], indices, component }, bits }
  }
  const bytes = new Uint8Array(Uint32Array.of(bits).buffer)
  if (place.file === 'tgsm') {
    const byteOffset = sharedOffset(r.source.declarations, place.indices[0] ?? 0, place.address)
    if (byteOffset < 0) return 'it lies outside of shared memory'
    const { group } = r.thread
    return { kind: 'memory', range: { space: 'tgsm', group, byteOffset, byteLength: 4 }, bytes }
  }
  const view = viewOfOperand(r.source, place.file, place.indices)
  const byteOffset = view === undefined ? -1 : byteOffsetIn(view, place.address)
  if (view === undefined || byteOffset < 0) return 'it has no address in a buffer'
  return { kind: 'memory', range: { space: 'resource', resource: view.resource, byteOffset, byteLength: 4 }, bytes }
}

/** Numbers of a text: `3`, `(1, 2, 3)`, `1 2 3`. */
const numbersIn = (text: string): string[] => text.split(/[\s,()]+/).filter((t) => t !== '')

/** The changes that give a scalar, vector or matrix a value, or why there are none. */
export function assignment(r: ValueReader, value: SourceValue, text: string): readonly Change[] | string {
  const { type } = value
  if (!('scalar' in type)) return `${value.path} is of type ${sourceTypeText(type)}: assign to its parts`
  if (type.scalar === 'double') return 'a double cannot be assigned here'
  const places = wordsOf(value)
  const texts = numbersIn(text)
  if (texts.length !== places.length) {
    return `${places.length === 1 ? 'one number' : `${places.length} numbers`} expected, ${texts.length} given`
  }
  const changes: Change[] = []
  for (const [i, place] of places.entries()) {
    if (place === undefined) return `${value.path} is not available here`
    const bits = bitsOfText(texts[i]!, r.isUntyped === true ? undefined : type.scalar)
    if (bits === undefined) return `${texts[i]} is no ${type.scalar}`
    const change = wordChange(r, place, bits)
    if (typeof change === 'string') return change
    changes.push(change)
  }
  return changes
}

/** A value of the source as a tree. */
export function valueNode(reader: ValueReader, value: SourceValue): ValueNode {
  const { type } = value
  const { kind } = value as Partial<SourceVariable>
  const r: ValueReader = kind === 'register' ? { ...reader, isUntyped: true } : reader
  const endless = type.kind === 'object' && type.element !== undefined
  const count = endless ? r.elementCount(value) : childCount(value)
  const isIndexed = endless || type.kind === 'array'
  const first = 'scalar' in type ? wordsOf(value)[0] : endless ? undefined : firstPlace(value)
  const memory = referenceOf(r, first)
  return {
    name: value.name,
    value: valueText(r, value),
    type: sourceTypeText(type),
    expression: value.path,
    indexedCount: isIndexed ? count : 0,
    namedCount: isIndexed ? 0 : count,
    ...(endless ? { isLazy: true } : {}),
    ...(memory === undefined ? {} : { memory }),
    ...(kind === undefined ? {} : { kind }),
    children: (start, wanted) => {
      const own = childrenOf(value, start, Math.max(0, Math.min(wanted, count - start)))
      return own.map((c) => valueNode(r, c))
    },
    assign: (text) => assignment(r, value, text),
  }
}

/** The first word of a structure or an array that lies in memory. */
function firstPlace(value: SourceValue): WordPlace | undefined {
  let inner: SourceValue | undefined = value
  for (let depth = 0; inner !== undefined && depth < 16; depth++) {
    if ('scalar' in inner.type) return wordsOf(inner)[0]
    inner = childrenOf(inner, 0, 1)[0]
  }
  return undefined
}
