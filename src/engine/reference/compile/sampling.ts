import { diagnostic } from '../../../diagnostic/index.ts'
import {
  controlOf,
  DIMENSION_NUMBER,
  type OperandPurpose,
  operandFor,
  SATURATE,
  saturate,
  type Traits,
} from '../../../isa/index.ts'
import {
  calculateLod,
  DEFAULT_SAMPLER,
  gatherTexels,
  programmableOffset,
  type SampleRequest,
  type Sampler,
  sampleRequest,
  sampleTexture,
  type TextureSrv,
} from '../../../machine/index.ts'
import { componentAt } from '../../../program/index.ts'
import { type AccessSite, report } from '../run/report.ts'
import type { Wave } from '../run/state.ts'
import { type SamplerReference, samplerReference, type ViewReference, viewReference } from '../run/view-slot.ts'
import { writeResults } from './destination.ts'
import { complete, type EvaluatedColumns, evaluateColumns, operandOf, resultColumns, statusResult } from './memory.ts'
import { sourceValue } from './operand.ts'
import { completeInQuads, reportDivergence } from './quads.ts'
import { type Op, type Statement, siteOf } from './statement.ts'
import { immediateOffsets, typedDeclaration } from './typed.ts'

/** sample_*, gather4_* and their feedback forms: operands to a SampleRequest, the machine samples. */

type SampleTraits = Extract<Traits, { kind: 'sample' }>
type GatherTraits = Extract<Traits, { kind: 'gather' }>

const REQUEST: SampleRequest = sampleRequest()
const TEXEL = new Uint32Array(4)

/** A named part of the request and the column its value stands in. */
type FloatField = Exclude<
  keyof SampleRequest,
  'derivatives' | 'implicit' | 'compare' | 'codes' | 'plainLevel' | 'offsetX' | 'offsetY' | 'offsetZ'
>
interface FieldColumn {
  readonly field: FloatField
  readonly column: number
}

interface Plan {
  readonly evaluated: EvaluatedColumns
  readonly fields: readonly FieldColumn[]
  readonly view: ViewReference
  readonly sampler: SamplerReference
  readonly site: AccessSite
  readonly offsets: readonly [number, number, number]
  /** Derivatives come from the quad's coordinates. */
  readonly quads?: boolean
  /** Columns of a programmable offset. */
  readonly programmable: readonly number[]
}

/** Operand and component of each field that a form of instruction has. */
function fieldSources(s: Statement): [FloatField, number, number][] {
  const address = operandOf(s, 'address', 0)
  const fields: [FloatField, number, number][] = [
    ['x', address, 0],
    ['y', address, 1],
    ['z', address, 2],
    ['w', address, 3],
  ]
  const add = (purpose: OperandPurpose, ...parts: [FloatField, number][]): void => {
    const operand = operandFor(s.row, purpose)
    if (operand >= 0) for (const [field, component] of parts) fields.push([field, operand, component])
  }
  add('reference', ['reference', 0])
  add('lod', ['lod', 0])
  add('lod-bias', ['bias', 0])
  add('lod-clamp', ['lodClamp', 0])
  add('x-derivatives', ['ddxX', 0], ['ddxY', 1], ['ddxZ', 2])
  add('y-derivatives', ['ddyX', 0], ['ddyY', 1], ['ddyZ', 2])
  return fields
}

function plan(s: Statement, programmableOperand: number): Plan | undefined {
  const resource = operandOf(s, 'resource')
  const samplerOperand = operandOf(s, 'sampler')
  const declared = typedDeclaration(s, resource)
  const sources = fieldSources(s)
  const words = sources.map(([, operand, component]) => sourceValue(s, operand, component))
  const offset =
    programmableOperand < 0 ? [] : [sourceValue(s, programmableOperand, 0), sourceValue(s, programmableOperand, 1)]
  const evaluated = evaluateColumns(s, [...words, ...offset])
  const view = viewReference(s, resource)
  const sampler = samplerReference(s, samplerOperand)
  if (declared === undefined || evaluated === undefined || view === undefined || sampler === undefined) return undefined
  if (declared.dimension === DIMENSION_NUMBER.buffer) {
    s.context.diagnostics.push(
      diagnostic('engine-operand', 'a buffer cannot be sampled', {
        kind: 'statement',
        index: s.index,
        operand: resource,
      }),
    )
    return undefined
  }
  return {
    evaluated,
    fields: sources.map(([field], i) => ({ field, column: evaluated.columns[i]! })),
    view,
    sampler,
    site: siteOf(s, resource, 'load', 'srv'),
    offsets: immediateOffsets(s),
    programmable: evaluated.columns.slice(words.length),
  }
}

/** The request of one lane. */
function fillRequest(w: Wave, p: Plan, lane: number): void {
  const { fields } = p
  for (let i = 0; i < fields.length; i++) REQUEST[fields[i]!.field] = w.F[fields[i]!.column + lane]!
  if (p.quads === true) fillQuadDerivatives(w, p, lane)
  const [u, v, z] = p.offsets
  const [pu, pv] = p.programmable
  REQUEST.offsetX = pu === undefined ? u : programmableOffset(w.I[pu + lane]!)
  REQUEST.offsetY = pv === undefined ? v : programmableOffset(w.I[pv + lane]!)
  REQUEST.offsetZ = z
}

/** Differences of the quad's coordinates: the upper row and the left column serve all four lanes (coarse, 16.8). */
function fillQuadDerivatives(w: Wave, p: Plan, lane: number): void {
  const first = lane & ~3
  const difference = (field: number, other: number): number => {
    const column = p.fields[field]!.column
    return Math.fround(w.F[column + first + other]! - w.F[column + first]!)
  }
  REQUEST.implicit = true
  REQUEST.ddxX = difference(0, 1)
  REQUEST.ddxY = difference(1, 1)
  REQUEST.ddxZ = difference(2, 1)
  REQUEST.ddyX = difference(0, 2)
  REQUEST.ddyY = difference(1, 2)
  REQUEST.ddyZ = difference(2, 2)
}

/** Resets what a form of instruction does not set. */
function beginRequest(fields: Partial<SampleRequest>): void {
  Object.assign(REQUEST, sampleRequest(fields))
}

/** A lane's texture and sampler, or undefined: an unbound texture samples 0. */
function textureOf(w: Wave, p: Plan, lane: number): TextureSrv | undefined {
  const view = p.view.of(w, lane, p.site)?.view
  if (view === undefined) {
    report(w, p.site, lane, { reason: 'unbound', address: 0, limit: 0, defined: true })
    return undefined
  }
  return view.shape === 'texture' && view.kind === 'srv' ? view : undefined
}

function compileAccess(s: Statement, p: Plan, access: (view: TextureSrv, sampler: Sampler) => void, begin: Op): Op {
  const { columns, result } = resultColumns(s, 0)
  const resource = s.instruction.operands[operandOf(s, 'resource')]!
  const components = [0, 1, 2, 3].filter((c) => result.values[c] !== undefined).map((c) => componentAt(resource, c))
  const saturates = s.row.controls.includes(SATURATE) && controlOf(s.instruction.controls, SATURATE) !== 0
  const values = saturates
    ? result.values.map((v) => (v === undefined ? v : saturate(s.recorder.ops, 'f32', [v])[0]))
    : result.values
  const write = writeResults(s, [{ ...result, values }, ...statusResult(s)])
  const rows: Op = (w) => {
    begin(w)
    for (let k = 0; k < w.activeCount; k++) {
      const l = w.lanes[k]!
      const view = textureOf(w, p, l)
      TEXEL.fill(0)
      if (view !== undefined) {
        fillRequest(w, p, l)
        access(view, p.sampler.of(w, l, p.site) ?? DEFAULT_SAMPLER)
      }
      for (let i = 0; i < columns.length; i++) w.I[columns[i]! + l] = TEXEL[components[i]!]! | 0
    }
  }
  const whole = p.quads === true ? completeInQuads : complete
  return whole(s, p.evaluated.compute, [rows, write])
}

/** sample_l, sample_d, sample_c_lz; those that need a quad's derivatives have no meaning in a compute shader. */
export function compileSample(s: Statement, traits: SampleTraits): Op {
  const quads = traits.lod === 'derivatives' || traits.lod === 'bias'
  if (quads && s.context.declarations.stage.kind !== 'pixel') {
    s.context.diagnostics.push(
      diagnostic(
        'engine-instruction',
        `${s.row.mnemonic} takes its level of detail from neighboring pixels, which a ${s.context.declarations.stage.kind} shader does not have`,
        { kind: 'statement', index: s.index },
      ),
    )
    return () => {}
  }
  const p = plan(s, -1)
  if (p === undefined) return () => {}
  const derivatives = quads || traits.lod === 'gradients'
  const access = (view: TextureSrv, sampler: Sampler): void => sampleTexture(view, sampler, REQUEST, TEXEL, 0)
  const divergence = quads ? reportDivergence(s, operandOf(s, 'address', 0)) : undefined
  const codes = s.context.options.sampling === 'fast'
  const plainLevel = traits.lod === 'derivatives' && operandFor(s.row, 'lod-clamp') < 0
  const begin: Op = (w) => {
    beginRequest({ derivatives, compare: traits.comparison, codes, plainLevel })
    divergence?.(w)
  }
  return compileAccess(s, quads ? { ...p, quads } : p, access, begin)
}

const LOD = new Float32Array(2)
const LOD_WORDS = new Uint32Array(LOD.buffer)

/** lod: the level of detail that a sample would use, clamped and not (22.4.15). */
export function compileLod(s: Statement): Op {
  const p = plan(s, -1)
  if (p === undefined) return () => {}
  const divergence = reportDivergence(s, operandOf(s, 'address', 0))
  const begin: Op = (w) => {
    beginRequest({ derivatives: true })
    divergence(w)
  }
  const access = (view: TextureSrv, sampler: Sampler): void => {
    calculateLod(view, sampler, REQUEST, LOD, 0)
    TEXEL[0] = LOD_WORDS[0]!
    TEXEL[1] = LOD_WORDS[1]!
  }
  return compileAccess(s, { ...p, quads: true }, access, begin)
}

/** gather4 and its forms; the sampler's selected component chooses the component of the texels. */
export function compileGather(s: Statement, traits: GatherTraits): Op {
  const p = plan(s, operandFor(s.row, 'texel-offset'))
  if (p === undefined) return () => {}
  const component = componentAt(s.instruction.operands[operandOf(s, 'sampler')]!, 0)
  const begin: Op = () => beginRequest({ compare: traits.comparison })
  return compileAccess(s, p, (view, sampler) => gatherTexels(view, sampler, REQUEST, component, TEXEL, 0), begin)
}
