/** Values of the source as trees of texts, part by part. */
import type { Change, Thread } from '../debug/index.ts'
import { FILE } from '../isa/index.ts'
import {
  type ComputedValue,
  childCount,
  childrenOf,
  NOT_AVAILABLE,
  readValue,
  type ScalarType,
  type SourceValue,
  type SourceVariable,
  sourceTypeText,
  valueText as sourceValueText,
  type ValueFormat,
  type ValueState,
  type WordPlace,
  wordsOf,
} from '../source/index.ts'
import { bitsOfText, guessText } from './format.ts'
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
  /** Why words of it have no value: `never written`, `zw never written`. */
  readonly noValue?: string
  /** Reads much: shown when it is requested. */
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
  readonly format?: ValueFormat | undefined
  /** Registers have no types of their own: what they hold is guessed from the bits. */
  readonly isUntyped?: boolean
  /** Bound views by the operand that names them: how many elements a buffer has. */
  readonly elementCount: (value: SourceValue) => number
}

/** Whether all words of a value are those of registers. */
export const isOfRegister = ({ places }: ComputedValue): boolean =>
  places?.every((p) => p?.kind === 'register' && p.file !== 'constant-buffer') ?? false

/** Whether all words of a value are constants. */
export const isOfConstants = ({ places }: ComputedValue): boolean =>
  places?.every((p) => p?.kind === 'register' && p.file === 'constant-buffer') ?? false

/** A scalar, vector or matrix in one line: registers by what their bits look like, everything else by its type. */
function computedText(r: ValueReader, value: ComputedValue): string {
  const { words } = value
  if (words.every((w) => w === undefined)) return NOT_AVAILABLE
  const isGuessed = r.isUntyped === true && r.format === undefined
  if (!isGuessed) return sourceValueText(value, r.format)
  const texts = words.map((w) => (w === undefined ? NOT_AVAILABLE : guessText(w)))
  return texts.length === 1 ? texts[0]! : `(${texts.join(', ')})`
}

const COMPONENTS = 'xyzw'

/** `x`, or `_m01` of a matrix: the component with a number, row by row. */
export const componentName = ({ rows, columns }: Pick<ComputedValue, 'rows' | 'columns'>, i: number): string =>
  rows === 1 ? COMPONENTS[i]! : `_m${Math.floor(i / columns)}${i % columns}`

/** Which components of a value have none, and why. */
function noValueText(r: ValueReader, value: ComputedValue): string | undefined {
  const { noValue } = r.state
  const { places, rows, columns, scalar } = value
  if (noValue === undefined || places === undefined) return undefined
  const size = scalar === 'double' ? 2 : 1
  const whys = Array.from({ length: rows * columns }, (_, i) =>
    places.slice(i * size, (i + 1) * size).reduce<string | undefined>((why, p) => {
      return why ?? (p && noValue(value.lane ?? r.thread.thread, p))
    }, undefined),
  )
  const distinct = [...new Set(whys)]
  if (distinct.length === 1) return distinct[0]
  const nameOf = (i: number): string => {
    const p = places[i]
    // Of a swizzle of a register, the register's own component.
    return r.isUntyped === true && p?.kind === 'register' ? COMPONENTS[p.component]! : componentName(value, i)
  }
  const namesOf = (why: string): string =>
    whys.flatMap((w, i) => (w === why ? [nameOf(i)] : [])).join(rows === 1 ? '' : ' ')
  return distinct.flatMap((why) => (why === undefined ? [] : [`${namesOf(why)} ${why}`])).join(', ')
}

/** The text of a value, with what nothing has written. */
export const shownValue = ({ value, noValue }: Pick<ValueNode, 'value' | 'noValue'>): string =>
  noValue === undefined ? value : `${value} (${noValue})`

/** A node of words that were read or computed. */
export function wordNode(
  r: ValueReader,
  name: string,
  value: ComputedValue,
  format: ValueFormat | undefined,
  parts: readonly ValueNode[],
): ValueNode {
  const shape = value.rows > 1 ? `${value.rows}x${value.columns}` : value.columns > 1 ? `${value.columns}` : ''
  const first = value.places?.[0]
  const memory = referenceOf(r, first)
  const noValue = noValueText(r, value)
  return {
    name,
    value: computedText({ ...r, format }, value),
    type: r.isUntyped === true ? 'register' : `${value.scalar}${shape}`,
    expression: name,
    indexedCount: 0,
    namedCount: parts.length,
    ...(noValue === undefined ? {} : { noValue }),
    ...(memory === undefined ? {} : { memory }),
    children: (start, count) => parts.slice(start, start + count),
  }
}

/** The words of a scalar, vector or matrix; undefined for what is made of parts. */
function computedOf(r: ValueReader, value: SourceValue): ComputedValue | undefined {
  const read = readValue(value, { state: r.state, lane: r.thread.thread })
  return read.kind === 'computed' ? read : undefined
}

/** Parts of long values that a summary shows. */
const SHOWN_PARTS = 4

/** A value in one line. */
function nodeText(r: ValueReader, value: SourceValue, depth = 0): string {
  const { type } = value
  switch (type.kind) {
    case 'scalar':
    case 'vector':
    case 'matrix': {
      const words = computedOf(r, value)
      return words === undefined ? NOT_AVAILABLE : computedText(r, words)
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
    open === '{' ? `${c.name} = ${nodeText(r, c, depth + 1)}` : nodeText(r, c, depth + 1),
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
const numbersIn = (text: string): string[] =>
  text
    .replace(/ \([^()]*(?:written|undefined)\)$/, '')
    .split(/[\s,()]+/)
    .filter((t) => t !== '')

/** The changes that give the words at some places a value, or why there are none. */
export function assignment(
  r: ValueReader,
  name: string,
  scalar: ScalarType,
  places: readonly (WordPlace | undefined)[],
  text: string,
): readonly Change[] | string {
  if (scalar === 'double') return 'a double cannot be assigned here'
  const texts = numbersIn(text)
  if (texts.length !== places.length) {
    return `${places.length === 1 ? 'one number is' : `${places.length} numbers are`} expected, ${texts.length} given`
  }
  const changes: Change[] = []
  for (const [i, place] of places.entries()) {
    if (place === undefined) return `${name} is not available here`
    const bits = bitsOfText(texts[i]!, r.isUntyped === true ? undefined : scalar)
    if (bits === undefined) return `${texts[i]} is no ${r.isUntyped === true ? 'number' : scalar}`
    const change = wordChange(r, place, bits)
    if (typeof change === 'string') return change
    changes.push(change)
  }
  return changes
}

function assignTo(r: ValueReader, value: SourceValue, text: string): readonly Change[] | string {
  const { type } = value
  if (!('scalar' in type)) return `${value.path} is of type ${sourceTypeText(type)}: assign to its parts`
  return assignment(r, value.path, type.scalar, wordsOf(value), text)
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
  const words = 'scalar' in type ? computedOf(r, value) : undefined
  const noValue = words && noValueText(r, words)
  return {
    name: value.name,
    value: nodeText(r, value),
    type: sourceTypeText(type),
    expression: value.path,
    indexedCount: isIndexed ? count : 0,
    namedCount: isIndexed ? 0 : count,
    ...(noValue === undefined ? {} : { noValue }),
    ...(endless ? { isLazy: true } : {}),
    ...(memory === undefined ? {} : { memory }),
    ...(kind === undefined ? {} : { kind }),
    children: (start, wanted) => {
      const own = childrenOf(value, start, Math.max(0, Math.min(wanted, count - start)))
      return own.map((c) => valueNode(r, c))
    },
    assign: (text) => assignTo(r, value, text),
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
