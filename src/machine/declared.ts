import { type Diagnostic, diagnostic, type Severity } from '../diagnostic/index.ts'
import { MAX_SLOT_INDEX, printSlot, type ResolvedBindings, type SlotRegister, slotKey } from './bindings.ts'
import type { Sampler } from './sampler.ts'
import type { Cbv, Srv, Uav, ViewDimension } from './view.ts'

/** What a typed resource is declared to return (the words of `dcl_resource` and `dcl_uav_typed`). */
export type DeclaredReturn = 'unorm' | 'snorm' | 'sint' | 'uint' | 'float' | 'mixed' | 'double'

/** The slots of one declaration: one slot, or a range of Shader Model 5.1. */
interface DeclaredSlots {
  readonly register: SlotRegister
  readonly first: number
  /** Slots of the range; Infinity for an unbounded one. */
  readonly count: number
  readonly space: number
  /** The HLSL name, where reflection knows it. */
  readonly name?: string
}

/** What a shader declares of its slots, in the machine's words; engines make it from a program. */
export type DeclaredBinding = DeclaredSlots &
  (
    | {
        readonly shape: 'typed'
        readonly dimension: 'buffer' | ViewDimension
        /** By component; the first one decides. */
        readonly returns: readonly DeclaredReturn[]
      }
    | { readonly shape: 'raw' }
    | {
        readonly shape: 'structured'
        /** Bytes. */
        readonly stride: number
        /** The shader uses the hidden counter. */
        readonly counter?: boolean
      }
    | {
        readonly shape: 'constants'
        /** Constants of 16 bytes declared; 0 when not known. */
        readonly constantCount: number
      }
    | { readonly shape: 'sampler'; readonly comparison: boolean }
  )

function describeDeclared(d: DeclaredBinding): string {
  switch (d.shape) {
    case 'typed':
      return d.dimension === 'buffer'
        ? `a typed buffer of ${d.returns[0]} elements`
        : `a ${d.dimension} that returns ${d.returns[0]}`
    case 'raw':
      return 'a raw buffer'
    case 'structured':
      return `a structured buffer with a stride of ${d.stride} bytes`
    case 'constants':
      return `a constant buffer of ${d.constantCount} constants`
    case 'sampler':
      return d.comparison ? 'a comparison sampler' : 'a sampler that does not compare'
  }
}

function describeView(v: Srv | Uav): string {
  switch (v.shape) {
    case 'typed':
      return `a typed buffer view of ${v.format.name}`
    case 'raw':
      return 'a raw buffer view'
    case 'structured':
      return `a structured buffer view with a stride of ${v.stride} bytes`
    case 'texture':
      return `a ${v.dimension} view of ${v.format.name}`
  }
}

/** Register type that a declared return type stands for; `mixed` and `double` say nothing of the first component. */
function resultOfReturn(r: DeclaredReturn | undefined): 'float' | 'uint' | 'sint' | undefined {
  switch (r) {
    case 'unorm':
    case 'snorm':
    case 'float':
      return 'float'
    case 'uint':
    case 'sint':
      return r
    case 'mixed':
    case 'double':
    case undefined:
      return undefined
  }
}

/** Whether a view is what its slot declares. */
function viewFits(d: DeclaredBinding, v: Srv | Uav): boolean {
  switch (d.shape) {
    case 'raw':
      return v.shape === 'raw'
    case 'structured':
      return v.shape === 'structured' && v.stride === d.stride
    case 'typed': {
      if (v.shape !== (d.dimension === 'buffer' ? 'typed' : 'texture')) return false
      if (v.shape === 'texture' && v.dimension !== d.dimension) return false
      const wanted = resultOfReturn(d.returns[0])
      return wanted === undefined || wanted === (v as { format: { result: string } }).format.result
    }
    case 'constants':
    case 'sampler':
      return false
  }
}

type Bound = Srv | Uav | Cbv | Sampler
/** What to say of one bound slot: the difference and its weight, or nothing. */
type Finding = { readonly given: string; readonly severity?: Severity } | undefined

function compareBound(d: DeclaredBinding, bound: Bound): Finding {
  switch (bound.kind) {
    case 'srv':
    case 'uav': {
      if (!viewFits(d, bound)) return { given: describeView(bound) }
      const counts = bound.kind === 'uav' && bound.shape === 'structured' && bound.counter !== undefined
      if (d.shape === 'structured' && d.counter === true && !counts) return { given: 'one without a hidden counter' }
      return undefined
    }
    case 'cbv':
      // Reads past the bound size are defined to give 0: worth saying, not worth refusing.
      if (d.shape !== 'constants') return { given: 'a constant buffer' }
      return bound.constantCount >= d.constantCount
        ? undefined
        : { given: `one of ${bound.constantCount}; the rest reads 0`, severity: 'warning' }
    case 'sampler':
      if (d.shape !== 'sampler' || d.comparison === (bound.reduction === 'comparison')) return undefined
      return { given: bound.reduction === 'comparison' ? 'a comparison sampler' : 'a sampler that does not compare' }
  }
}

function slotLabel(d: DeclaredBinding, index: number): string {
  return printSlot({ register: d.register, index, space: d.space })
}

/** Slots of a declaration with something bound, in order. Looks at what is bound, so unbounded ranges cost nothing. */
function boundSlots(d: DeclaredBinding, bound: ResolvedBindings): [number, Bound][] {
  const from = slotKey(d.first, d.space)
  const to = slotKey(Math.min(d.first + d.count - 1, MAX_SLOT_INDEX), d.space)
  const found: [number, Bound][] = []
  for (const [key, value] of bound[d.register]) {
    if (key >= from && key <= to) found.push([key - from + d.first, value])
  }
  return found.sort((a, b) => a[0] - b[0])
}

/**
 * What is bound against what a shader declares, before anything runs. Differences are errors that name the slot, what was
 * declared and what was given; a declaration with nothing bound is a warning, because Direct3D defines it (7.18.17).
 */
export function checkBindings(declared: readonly DeclaredBinding[], bound: ResolvedBindings): Diagnostic[] {
  const found: Diagnostic[] = []
  for (const d of declared) {
    const slots = boundSlots(d, bound)
    const named = d.name === undefined ? '' : ` (${d.name})`
    for (const [index, value] of slots) {
      const finding = compareBound(d, value)
      if (finding === undefined) continue
      const slot = slotLabel(d, index)
      const message = `${slot}${named} is declared as ${describeDeclared(d)}; ${finding.given} was given.`
      found.push(
        diagnostic('machine-binding-mismatch', message, { kind: 'path', path: slot }, [], finding.severity ?? 'error'),
      )
    }
    if (slots.length > 0) continue
    const slot = slotLabel(d, d.first)
    const message = `${slot}${named} is declared as ${describeDeclared(d)}; nothing is bound to it.`
    found.push(diagnostic('machine-binding-missing', message, { kind: 'path', path: slot }))
  }
  return found
}
