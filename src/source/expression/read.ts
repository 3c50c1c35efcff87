/** Reads what names stand for: variables, their members and elements, registers, texels. */
import type { RegisterFile } from '../../isa/index.ts'
import type { SourceValue, WordPlace } from '../model.ts'
import { readPlace } from '../state.ts'
import { type ScalarType, sourceTypeText } from '../type.ts'
import { childNamed, childrenOf, wordsOf } from '../value.ts'
import { type ComputedValue, type ExpressionValue, wordCount } from './computed.ts'
import { fail } from './fault.ts'
import type { ExpressionContext } from './names.ts'
import { namedType } from './parse.ts'
import { registerText } from './registers-in.ts'
import type { Span } from './tree.ts'

/** Whose words are read. */
export type LaneOfState = Pick<ExpressionContext, 'state' | 'lane'>

function read(
  context: LaneOfState,
  scalar: ScalarType,
  rows: number,
  columns: number,
  places: readonly (WordPlace | undefined)[],
): ComputedValue {
  const { state, lane } = context
  const words = places.map((p) => (p === undefined ? undefined : readPlace(state, lane, p)))
  return { kind: 'computed', scalar, rows, columns, words, places, lane }
}

/** The value of a variable or of a part of one. */
export function load(value: SourceValue, context: LaneOfState): ExpressionValue {
  const { type } = value
  switch (type.kind) {
    case 'scalar':
      return read(context, type.scalar, 1, 1, wordsOf(value))
    case 'vector':
      return read(context, type.scalar, 1, type.count, wordsOf(value))
    case 'matrix':
      return read(context, type.scalar, type.rows, type.columns, wordsOf(value))
    default:
      return { kind: 'tree', value, lane: context.lane }
  }
}

/** Files whose components are whole numbers by themselves. */
const WHOLE: ReadonlySet<string> = new Set([
  ...['thread-id', 'thread-group-id', 'thread-id-in-group', 'thread-id-in-group-flattened', 'gs-instance-id'],
  ...['input-primitive-id', 'output-control-point-id', 'fork-instance-id', 'join-instance-id'],
  ...['input-coverage-mask', 'output-coverage-mask', 'cycle-counter', 'inner-coverage', 'output-stencil-ref'],
])

/** A register's four components. Registers have no type; those that are not whole numbers by themselves are read as floats. */
export function loadRegister(
  file: RegisterFile,
  indices: readonly number[],
  context: LaneOfState,
  span: Span,
): ComputedValue {
  const places = [0, 1, 2, 3].map((component): WordPlace => ({ kind: 'register', file: file.name, indices, component }))
  const value = read(context, WHOLE.has(file.name) ? 'uint' : 'float', 1, 4, places)
  if (value.words.every((w) => w === undefined)) {
    fail('source-unavailable', `the program has no register ${registerText(file, indices)} here`, span)
  }
  return value
}

const SWIZZLE = /^(?:[xyzw]{1,4}|[rgba]{1,4})$/
const COMPONENTS = 'xyzw'
const COLORS = 'rgba'
const ELEMENTS = /^(?:_m[0-3][0-3]|_[1-4][1-4]){1,4}$/

/** Components of a value by number, as a vector. */
export function pick(v: ComputedValue, at: readonly number[]): ComputedValue {
  const size = wordCount(v.scalar)
  const of = <T>(list: readonly T[]): T[] => at.flatMap((i) => list.slice(i * size, (i + 1) * size))
  const { places, ...rest } = v
  const value = { ...rest, rows: 1, columns: at.length, words: of(v.words) }
  return places === undefined ? value : { ...value, places: of(places) }
}

function elementNumbers(name: string, v: ComputedValue, span: Span): readonly number[] {
  return [...name.matchAll(/_m([0-3])([0-3])|_([1-4])([1-4])/g)].map((m) => {
    const row = m[1] === undefined ? Number(m[3]) - 1 : Number(m[1])
    const column = m[2] === undefined ? Number(m[4]) - 1 : Number(m[2])
    if (row >= v.rows || column >= v.columns) {
      fail('source-type', `a matrix of ${v.rows} rows and ${v.columns} columns has no ${m[0]}`, span)
    }
    return row * v.columns + column
  })
}

function swizzled(v: ComputedValue, name: string, span: Span): ComputedValue {
  if (v.rows > 1 && ELEMENTS.test(name)) return pick(v, elementNumbers(name, v, span))
  if (v.rows > 1 || !SWIZZLE.test(name)) {
    const hint = v.rows > 1 ? 'elements of a matrix are _m00 or _11' : 'components are x, y, z and w'
    fail('source-type', `.${name} is no component of this value`, span, hint)
  }
  const letters = COMPONENTS.includes(name[0]!) ? COMPONENTS : COLORS
  const at = Array.from(name, (letter) => letters.indexOf(letter))
  const beyond = at.find((i) => i >= v.columns)
  if (beyond !== undefined) {
    const text = `a value of ${v.columns} ${v.columns === 1 ? 'component' : 'components'} has no .${letters[beyond]}`
    fail('source-type', text, span)
  }
  return pick(v, at)
}

/** A member of a structure, components of a vector, elements of a matrix. */
export function member(of: ExpressionValue, name: string, context: LaneOfState, span: Span): ExpressionValue {
  if (of.kind === 'computed') return swizzled(of, name, span)
  const found = childNamed(of.value, name)
  if (found !== undefined) return load(found, { ...context, lane: of.lane })
  const { type } = of.value
  const members = type.kind === 'structure' ? childrenOf(of.value).map((c) => c.name) : []
  const note =
    members.length === 0 ? 'give an element in brackets first' : `members are ${members.slice(0, 16).join(', ')}`
  return fail('source-name', `${sourceTypeText(type)} has no member ${name}`, span, note)
}

/** The element type in the name of a texture: `Texture2D<float4>`. */
function texelType(name: string) {
  return namedType(/<(?:[us]norm )?(\w+)>/.exec(name)?.[1] ?? '') ?? { scalar: 'float', rows: 1, columns: 4 }
}

function texel(
  value: SourceValue & { readonly binding?: unknown },
  coordinates: readonly number[],
  context: LaneOfState,
  span: Span,
): ComputedValue {
  const { binding } = value as { binding?: { file: string; indices: readonly number[] } }
  const file = binding?.file
  if (binding === undefined || (file !== 'resource' && file !== 'uav')) {
    return fail('source-type', `${sourceTypeText(value.type)} has no elements`, span)
  }
  const { scalar, columns } = texelType(sourceTypeText(value.type))
  const { indices } = binding
  const places = Array.from({ length: columns }, (_, component): WordPlace => {
    return { kind: 'memory', file, indices, address: { kind: 'texel', coordinates, component } }
  })
  return read(context, scalar as ScalarType, 1, columns, places)
}

/** An element of an array, a row of a matrix, a component of a vector, a texel. */
export function element(
  of: ExpressionValue,
  indices: readonly number[],
  context: LaneOfState,
  span: Span,
): ExpressionValue {
  const at = indices[0]!
  if (of.kind === 'computed') {
    const count = of.rows > 1 ? of.rows : of.columns
    if (at < 0 || at >= count) fail('source-type', `index ${at} is not among the ${count} of this value`, span)
    const row = Array.from({ length: of.columns }, (_, i) => at * of.columns + i)
    return pick(of, of.rows > 1 ? row : [at])
  }
  const { type } = of.value
  const own = { ...context, lane: of.lane }
  if (type.kind === 'object' && type.element === undefined) return texel(of.value, indices, own, span)
  const found = childNamed(of.value, at)
  if (found !== undefined) return load(found, own)
  const text =
    type.kind === 'array'
      ? `index ${at} is outside of ${sourceTypeText(type)}`
      : `${sourceTypeText(type)} has no elements`
  return fail('source-type', text, span)
}
