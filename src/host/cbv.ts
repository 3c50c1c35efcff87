/** Constant buffers from plain data, from buffers, and by the names that a shader has for their variables. */
import {
  type Diagnostic,
  diagnostic,
  type Failure,
  failure,
  isRecord,
  type Outcome,
  showValue,
  valueOrThrow,
} from '../diagnostic/index.ts'
import { type DxbcContainer, findChunk, type Reflection, readDxbc, reflect } from '../dxbc/index.ts'
import type { DeviceShader } from '../engine/index.ts'
import { constantsShape, defaultValues, writeByName } from '../job/index.ts'
import { type Buffer, type Cbv, type CbvOptions, createCbv, type InitialData, type Slot } from '../machine/index.ts'

/** Values of a constant buffer's variables, as run descriptions have them: numbers, lists, structures by member. */
export type ConstantValues = Readonly<Record<string, unknown>>

/** What can say which variables a constant buffer has. */
export type ShaderWithNames = DeviceShader | Uint8Array

const REFLECTIONS = new WeakMap<object, Reflection>()

function containerOf(shader: unknown): DxbcContainer | undefined {
  if (shader instanceof Uint8Array) return readDxbc(shader).value
  return isRecord(shader) ? (shader as unknown as DeviceShader).container : undefined
}

function reflectionOf(shader: ShaderWithNames): Reflection | undefined {
  const known = REFLECTIONS.get(shader)
  if (known !== undefined) return known
  const container = containerOf(shader)
  if (container === undefined || findChunk(container, 'RDEF') === undefined) return undefined
  const { value } = reflect(container)
  REFLECTIONS.set(shader, value)
  return value
}

function fail(message: string, notes: readonly string[] = []): Failure {
  return failure([diagnostic('machine-argument', message, undefined, notes)])
}

function cbvByName(shader: ShaderWithNames, name: string, values: ConstantValues): Outcome<Cbv> {
  const reflection = reflectionOf(shader)
  if (reflection === undefined) {
    return fail('the shader describes no constant buffers: it was stripped, or made from a Program', [
      'give cbv the bytes of the buffer, or the container of a shader that was not stripped',
    ])
  }
  const resource = reflection.resources.find((r) => r.register === 'cb' && r.name === name)
  const slot: Slot | undefined = resource && { register: 'b', index: resource.slot, space: resource.space }
  const shape = slot && constantsShape(reflection, slot)
  if (slot === undefined || shape === undefined) {
    const known = reflection.resources.filter((r) => r.register === 'cb').map((r) => r.name)
    return fail(`the shader has no constant buffer ${showValue(name)}`, [`it has ${known.join(', ') || 'none'}`])
  }
  const bytes = new Uint8Array(Math.ceil(shape.byteLength / 16) * 16)
  for (const v of defaultValues(reflection, slot)) bytes.set(v.defaultValue!, v.byteOffset)
  const diagnostics: Diagnostic[] = []
  writeByName(shape, values, name, bytes, diagnostics)
  return diagnostics.length > 0 ? failure(diagnostics) : createCbv(bytes)
}

/**
 * A constant buffer view: of a buffer, of plain data, which is copied, or by name: `cbv(shader, 'Params', { count: 3 })`
 * lays the values out as the shader's reflection says. Variables that are not named have their initial values, or 0.
 */
export function cbv(source: Buffer | InitialData, options?: CbvOptions): Outcome<Cbv>
export function cbv(shader: ShaderWithNames, name: string, values: ConstantValues): Outcome<Cbv>
export function cbv(
  source: Buffer | InitialData | DeviceShader,
  nameOrOptions?: string | CbvOptions,
  values?: ConstantValues,
): Outcome<Cbv> {
  if (typeof nameOrOptions === 'string') {
    return cbvByName(source as ShaderWithNames, nameOrOptions, isRecord(values) ? values : {})
  }
  return createCbv(source as Buffer | InitialData, nameOrOptions)
}

/** As `cbv`; throws ShaderError where there cannot be such a view. */
export function cbvOrThrow(source: Buffer | InitialData, options?: CbvOptions): Cbv
export function cbvOrThrow(shader: ShaderWithNames, name: string, values: ConstantValues): Cbv
export function cbvOrThrow(
  source: Buffer | InitialData | DeviceShader,
  nameOrOptions?: string | CbvOptions,
  values?: ConstantValues,
): Cbv {
  if (typeof nameOrOptions !== 'string') return valueOrThrow(cbv(source as Buffer | InitialData, nameOrOptions))
  return valueOrThrow(cbv(source as ShaderWithNames, nameOrOptions, values ?? {}))
}
