import { type DiagnosticSink, diagnostic } from '../../diagnostic/index.ts'
import { isObject, memberPath, show } from '../parse/fields.ts'
import { suggestion } from '../parse/suggest.ts'
import { scalarExpectation, writeScalar } from './scalars.ts'
import type { Shape } from './shape.ts'

/** Where values by name go, and where diagnostics about those that do not fit go. */
interface Target {
  readonly view: DataView
  readonly out: DiagnosticSink
}

function report(t: Target, path: string, message: string, notes: readonly string[] = []): void {
  t.out.push(diagnostic('job-out-of-range', message, { kind: 'path', path }, notes))
}

function writeNumbers(
  t: Target,
  shape: Extract<Shape, { kind: 'numbers' }>,
  value: unknown,
  path: string,
  at: number,
): void {
  const values = Array.isArray(value) ? (value.flat() as unknown[]) : [value]
  const count = shape.offsets.length
  if (values.length !== count) {
    const form = count === 1 ? 'one value' : `${count} values`
    const rows = shape.columns === count ? '' : `, row by row`
    report(t, path, `${shape.type} takes ${form}${rows}; ${show(value)} was given`)
    return
  }
  const wrong = values.findIndex((v, i) => !writeScalar(t.view, at + shape.offsets[i]!, shape.scalar, v))
  if (wrong < 0) return
  const place = Array.isArray(value) ? `${path}[${wrong}]` : path
  report(t, place, `${shape.type}: ${scalarExpectation(shape.scalar)} is expected; ${show(values[wrong])} was given`)
}

function writeArray(
  t: Target,
  shape: Extract<Shape, { kind: 'array' }>,
  value: unknown,
  path: string,
  at: number,
): void {
  if (!Array.isArray(value) || value.length > shape.count) {
    const given = Array.isArray(value) ? `${value.length} were given` : `${show(value)} was given`
    report(t, path, `an array of up to ${shape.count} ${shape.type} is expected; ${given}`)
    return
  }
  value.forEach((v, i) => {
    write(t, shape.element, v, `${path}[${i}]`, at + i * shape.stride)
  })
}

function writeStructure(
  t: Target,
  shape: Extract<Shape, { kind: 'structure' }>,
  value: unknown,
  path: string,
  at: number,
): void {
  if (!isObject(value)) {
    report(t, path, `an object with the members of ${shape.type} is expected; ${show(value)} was given`)
    return
  }
  for (const [name, v] of Object.entries(value)) {
    const field = shape.fields.find((f) => f.name === name)
    if (field !== undefined) {
      write(t, field.shape, v, memberPath(path, name), at + field.byteOffset)
      continue
    }
    const names = shape.fields.map((f) => f.name)
    const near = suggestion(name, names)
    const notes = near.length > 0 ? near : [`it has ${names.slice(0, 20).join(', ')}`]
    report(t, memberPath(path, name), `${shape.type} has no member ${name}`, notes)
  }
}

function write(t: Target, shape: Shape, value: unknown, path: string, at: number): void {
  if (shape.kind === 'numbers') writeNumbers(t, shape, value, path, at)
  else if (shape.kind === 'array') writeArray(t, shape, value, path, at)
  else writeStructure(t, shape, value, path, at)
}

/** Writes values of parsed JSON into `bytes` as a shape says; members that are not named stay as they are. */
export function writeByName(shape: Shape, value: unknown, path: string, bytes: Uint8Array, out: DiagnosticSink): void {
  write({ view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), out }, shape, value, path, 0)
}
