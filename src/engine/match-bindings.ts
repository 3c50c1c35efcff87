import {
  collectDiagnostics,
  type Diagnostic,
  DiagnosticCollector,
  diagnostic,
  failure,
  hasErrors,
  type Outcome,
  outcomeOf,
  valueOrThrow,
} from '../diagnostic/index.ts'
import { DIMENSION_NUMBER, RESOURCE_DIMENSION, RETURN_TYPE, wordOf } from '../isa/index.ts'
import {
  type Bindings,
  type Cbv,
  printSlot,
  type ResolvedBindings,
  resolveBindings,
  type Sampler,
  type SlotRegister,
  type Srv,
  slotKey,
  type Uav,
  type ViewDimension,
} from '../machine/index.ts'
import {
  type ConstantBufferDeclaration,
  type Declarations,
  type RegisterRange,
  type ResourceDeclaration,
  rangeLength,
  type SamplerDeclaration,
  type UavDeclaration,
} from './declarations.ts'

/**
 * What is bound, held against what a program declares, before anything runs. A difference that makes results undefined
 * in Direct3D is an error that names the slot, what is declared and what was given.
 */

const VIEW_DIMENSIONS: Readonly<Record<number, ViewDimension>> = {
  [DIMENSION_NUMBER.texture1d]: 'texture1d',
  [DIMENSION_NUMBER.texture1darray]: 'texture1darray',
  [DIMENSION_NUMBER.texture2d]: 'texture2d',
  [DIMENSION_NUMBER.texture2darray]: 'texture2darray',
  [DIMENSION_NUMBER.texture2dms]: 'texture2dms',
  [DIMENSION_NUMBER.texture2dmsarray]: 'texture2dmsarray',
  [DIMENSION_NUMBER.texture3d]: 'texture3d',
  [DIMENSION_NUMBER.texturecube]: 'texturecube',
  [DIMENSION_NUMBER.texturecubearray]: 'texturecubearray',
}

/** Numbers of RETURN_TYPE. */
const RETURNS_UNORM = 1
const RETURNS_SNORM = 2
const RETURNS_SINT = 3
const RETURNS_UINT = 4
const RETURNS_FLOAT = 5

type Slotted = { readonly name: string }

function mismatch(slot: Slotted, message: string, notes: readonly string[] = []): Diagnostic {
  const text = `${slot.name}: ${message}`
  return diagnostic('machine-binding-mismatch', text, { kind: 'path', path: slot.name }, notes)
}

/** A view in words: `a structured buffer of 16-byte structures`, `a texture2d of R8G8B8A8_UNORM`. */
function describeView(view: Srv | Uav): string {
  switch (view.shape) {
    case 'raw':
      return 'a raw view of a buffer'
    case 'structured':
      return `a structured view with a stride of ${view.stride} bytes`
    case 'typed':
      return `a typed buffer of ${view.format.name}`
    case 'texture':
      return `a ${view.dimension} of ${view.format.name}`
  }
}

function describeDeclaration(d: ResourceDeclaration): string {
  if (d.shape === 'raw') return 'a raw buffer'
  if (d.shape === 'structured') return `a structured buffer with a stride of ${d.stride} bytes`
  const type = wordOf(RETURN_TYPE, d.returnTypes & 15)
  return `a ${wordOf(RESOURCE_DIMENSION, d.dimension)} that returns ${type}`
}

/** What a declared return type reads as; undefined for `mixed` and what the format does not define. */
function resultOfReturnType(returnType: number): 'float' | 'uint' | 'sint' | undefined {
  switch (returnType) {
    case RETURNS_UNORM:
    case RETURNS_SNORM:
    case RETURNS_FLOAT:
      return 'float'
    case RETURNS_SINT:
      return 'sint'
    case RETURNS_UINT:
      return 'uint'
    default:
      return undefined
  }
}

function shapeMismatch(d: ResourceDeclaration, view: Srv | Uav): boolean {
  if (d.shape === 'raw') return view.shape !== 'raw'
  if (d.shape === 'structured') return view.shape !== 'structured' || view.stride !== d.stride
  if (d.dimension === DIMENSION_NUMBER.buffer) return view.shape !== 'typed'
  return view.shape !== 'texture' || view.dimension !== VIEW_DIMENSIONS[d.dimension]
}

function shapeNotes(d: ResourceDeclaration, view: Srv | Uav): string[] {
  if (d.shape === 'raw') return ['give the view the option raw: true']
  if (d.shape === 'structured') return [`give the buffer, or the view, the stride ${d.stride}`]
  const dimension = VIEW_DIMENSIONS[d.dimension]
  if (dimension === undefined) return ['give the view a format']
  return view.shape === 'texture' ? [`give the view the option dimension: '${dimension}'`] : ['bind a texture']
}

function checkView(slot: Slotted, d: ResourceDeclaration, view: Srv | Uav): Diagnostic[] {
  if (shapeMismatch(d, view)) {
    const text = `the shader declares ${describeDeclaration(d)}, ${describeView(view)} was given`
    return [mismatch(slot, text, shapeNotes(d, view))]
  }
  const found: Diagnostic[] = []
  if (view.shape === 'typed' || view.shape === 'texture') {
    const wanted = resultOfReturnType(d.returnTypes & 15)
    if (wanted !== undefined && view.format.result !== wanted) {
      const text = `the shader declares that it returns ${wordOf(RETURN_TYPE, d.returnTypes & 15)}, the format ${view.format.name} gives ${view.format.result}`
      // Drivers pass the bits on where only the sign differs, and applications rely on it.
      const isSignedness = wanted !== 'float' && view.format.result !== 'float'
      found.push(isSignedness ? { ...mismatch(slot, text), severity: 'warning' } : mismatch(slot, text))
    }
  }
  if (view.shape === 'texture' && d.sampleCount !== 0 && view.sampleCount !== d.sampleCount) {
    const text = `the shader declares a texture of ${d.sampleCount} samples, one of ${view.sampleCount} was given`
    found.push(mismatch(slot, text))
  }
  return found
}

function checkUav(slot: Slotted, d: UavDeclaration, view: Uav): Diagnostic[] {
  const found = checkView(slot, d, view)
  if (hasErrors(found)) return found
  if (d.counter && view.shape === 'structured' && view.counter === undefined) {
    found.push(
      mismatch(slot, 'the shader uses the hidden counter, the view was made without one', [
        "give the view the option counter: 'counter' (RWStructuredBuffer) or counter: 'append'",
      ]),
    )
  }
  if ((view.shape === 'typed' || view.shape === 'texture') && d.atomics !== 'none') {
    const { typedUavAtomic } = view.format.capabilities
    const fits = typedUavAtomic === 'all' || (typedUavAtomic === 'exchange' && d.atomics === 'exchange')
    if (!fits) {
      const text = `the shader executes atomics on it, which ${view.format.name} does not have; R32_UINT and R32_SINT do`
      found.push(mismatch(slot, text))
    }
  }
  return found
}

function checkConstants(slot: Slotted, d: ConstantBufferDeclaration, view: Cbv): Diagnostic[] {
  if (view.byteLength >= d.constantCount * 16) return []
  const text = `${slot.name}: ${view.byteLength} bytes are bound of the ${d.constantCount * 16} that the shader declares; the rest reads 0`
  return [diagnostic('machine-binding-mismatch', text, { kind: 'path', path: slot.name }, [], 'hint')]
}

function checkSampler(slot: Slotted, d: SamplerDeclaration, sampler: Sampler): Diagnostic[] {
  const compares = sampler.reduction === 'comparison'
  if (d.comparison === compares) return []
  const words = (c: boolean): string => (c ? 'a comparison sampler' : 'a sampler that does not compare')
  return [mismatch(slot, `the shader declares ${words(d.comparison)}, ${words(compares)} was given`)]
}

/** Missing slots that are named one by one; of longer ranges only that nothing at all is bound. */
const NAMED_MISSING = 16

function missing(register: SlotRegister, range: RegisterRange, index: number): Diagnostic {
  const name = printSlot({ register, index, space: range.space })
  const text = `${name}: the shader declares the slot and nothing is bound to it`
  return diagnostic('machine-binding-missing', text, { kind: 'path', path: name }, [
    'loads give 0, stores and atomics do nothing',
  ])
}

/** Registers of one kind, and what is checked of those that something is bound to. */
interface Side<D extends RegisterRange, T> {
  readonly register: SlotRegister
  readonly check: (slot: Slotted, declaration: D, bound: T) => Diagnostic[]
}

const RESOURCES: Side<ResourceDeclaration, Srv> = { register: 't', check: checkView }
const UAVS: Side<UavDeclaration, Uav> = { register: 'u', check: checkUav }
const CONSTANTS: Side<ConstantBufferDeclaration, Cbv> = { register: 'b', check: checkConstants }
const SAMPLERS: Side<SamplerDeclaration, Sampler> = { register: 's', check: checkSampler }

/** Registers of a range that something is bound to, found from the shorter side: a range may be without end. */
function boundRegisters<T>(bound: ReadonlyMap<number, T>, range: RegisterRange): number[] {
  const length = rangeLength(range)
  if (length <= NAMED_MISSING) {
    return Array.from({ length }, (_, i) => range.first + i).filter((n) => bound.has(slotKey(n, range.space)))
  }
  const base = slotKey(0, range.space)
  return [...bound.keys()]
    .map((key) => key - base)
    .filter((n) => n >= range.first && n <= range.last && slotKey(n, range.space) === base + n)
}

/** Whether a range is one register with what fits it: nearly all are, and are passed without lists and names. */
function isSoundSingle<D extends RegisterRange, T>(
  { check }: Side<D, T>,
  range: D,
  all: ReadonlyMap<number, T>,
): boolean {
  if (range.first !== range.last) return false
  const bound = all.get(slotKey(range.first, range.space))
  return bound !== undefined && check(ANY_SLOT, range, bound).length === 0
}

const ANY_SLOT: Slotted = { name: '' }

function checkSide<D extends RegisterRange, T>(
  found: DiagnosticCollector,
  side: Side<D, T>,
  ranges: readonly D[],
  bound: ReadonlyMap<number, T>,
): void {
  for (const range of ranges) {
    if (isSoundSingle(side, range, bound)) continue
    const registers = boundRegisters(bound, range)
    for (const n of registers) {
      const name = printSlot({ register: side.register, index: n, space: range.space })
      found.pushAll(side.check({ name }, range, bound.get(slotKey(n, range.space))!))
    }
    if (rangeLength(range) > NAMED_MISSING) {
      if (registers.length === 0) found.push(missing(side.register, range, range.first))
      continue
    }
    for (let n = range.first; n <= range.last; n++) {
      if (!registers.includes(n)) found.push(missing(side.register, range, n))
    }
  }
}

/**
 * Holds resolved bindings against declarations. Errors: kind, stride, dimension, return type, samples, counter, atomics,
 * comparison. Warnings: declared slots with nothing bound. Slots that are bound and not declared are ignored, as
 * Direct3D does; class instances may use them.
 */
export function matchResolvedBindings(d: Declarations, bindings: ResolvedBindings): Diagnostic[] {
  const found = new DiagnosticCollector()
  checkSide(found, RESOURCES, d.resources, bindings.t)
  checkSide(found, UAVS, d.uavs, bindings.u)
  checkSide(found, CONSTANTS, d.constantBuffers, bindings.b)
  checkSide(found, SAMPLERS, d.samplers, bindings.s)
  return found.finish()
}

/** Bindings by slot name, resolved and matched; a value only where nothing is wrong. */
export function matchBindings(d: Declarations, bindings: Bindings): Outcome<ResolvedBindings> {
  return matchResolved(d, resolveBindings(bindings))
}

/** The same of bindings that have been resolved. */
export function matchResolved(d: Declarations, resolved: Outcome<ResolvedBindings>): Outcome<ResolvedBindings> {
  if (!resolved.ok) return failure(resolved.diagnostics)
  const found = matchResolvedBindings(d, resolved.value)
  if (found.length === 0 && resolved.diagnostics.length === 0) return resolved
  const diagnostics = collectDiagnostics(resolved.diagnostics, found)
  return hasErrors(diagnostics) ? failure(diagnostics) : outcomeOf(resolved.value, diagnostics)
}

/** As `matchBindings`; throws ShaderError where anything is wrong. */
export function matchBindingsOrThrow(d: Declarations, bindings: Bindings): ResolvedBindings {
  return valueOrThrow(matchBindings(d, bindings))
}
