import {
  controlOf,
  DIMENSION_NUMBER,
  FILE,
  RESINFO_RETURN,
  SAMPLEINFO_RETURN,
  type Traits,
} from '../../../isa/index.ts'
import {
  bufferInfo,
  checkAccessMapped,
  resourceInfo,
  sampleInfo,
  samplePosition,
  type TexelView,
} from '../../../machine/index.ts'
import { componentAt } from '../../../program/index.ts'
import { findRange, type ResourceDeclaration } from '../../declarations.ts'
import { report } from '../run/report.ts'
import type { ViewSlot, Wave } from '../run/state.ts'
import { viewReference } from '../run/view-slot.ts'
import { maskedComponents, writeResults } from './destination.ts'
import type { Value } from './graph.ts'
import { complete, evaluateColumns, operandOf, resultColumns } from './memory.ts'
import { sourceValue } from './operand.ts'
import { compileLod } from './sampling.ts'
import { type Op, refuse, type Statement, siteOf } from './statement.ts'

/** resinfo, bufinfo, sampleinfo, samplepos and check_access_fully_mapped: what views are, not what they hold. */

type QueryTraits = Extract<Traits, { kind: 'query' }>

/** Values of the RESINFO_RETURN and SAMPLEINFO_RETURN controls. */
const RETURN_RECIPROCAL = 1
const RETURN_UINT = 2
const SAMPLEINFO_UINT = 1

const WORDS = new Uint32Array(4)
const FLOAT_BITS = new Uint32Array(1)
const FLOATS = new Float32Array(FLOAT_BITS.buffer)

function bitsOf(value: number): number {
  FLOATS[0] = value
  return FLOAT_BITS[0]!
}

/** Components of resinfo's answer that `_rcpfloat` turns over: sizes that the dimension has, not array sizes. */
function reciprocalComponents(dimension: number): number {
  switch (dimension) {
    case DIMENSION_NUMBER.texture1d:
    case DIMENSION_NUMBER.texture1darray:
      return 1
    case DIMENSION_NUMBER.texture3d:
      return 3
    default:
      return 2
  }
}

/** Answers of one lane as four words of WORDS; `argument` is the mip or sample number. */
type QueryFunction = (w: Wave, slot: ViewSlot | undefined, argument: number) => void

function texture(slot: ViewSlot | undefined): TexelView | undefined {
  return slot?.view.shape === 'texture' ? slot.view : undefined
}

function resinfo(returns: number, dimension: number): QueryFunction {
  const turned = reciprocalComponents(dimension)
  return (_w, slot, mip) => {
    const view = texture(slot)
    WORDS.fill(0)
    if (view !== undefined) resourceInfo(view, mip, WORDS, 0)
    if (returns === RETURN_UINT) return
    for (let i = 0; i < 4; i++) {
      WORDS[i] = bitsOf(returns === RETURN_RECIPROCAL && i < turned ? 1 / WORDS[i]! : WORDS[i]!)
    }
  }
}

const bufinfo: QueryFunction = (_w, slot) => {
  WORDS.fill(slot === undefined ? 0 : bufferInfo(slot.view))
}

function sampleinfo(returns: number): QueryFunction {
  return (_w, slot) => {
    const view = texture(slot)
    const count = view === undefined ? 0 : sampleInfo(view)
    WORDS.fill(0)
    WORDS[0] = returns === SAMPLEINFO_UINT ? count : bitsOf(count)
  }
}

const samplepos: QueryFunction = (_w, slot, sample) => {
  const view = texture(slot)
  WORDS.fill(0)
  if (view === undefined) return
  const [x, y] = samplePosition(view.sampleCount, sample)
  WORDS[0] = bitsOf(x)
  WORDS[1] = bitsOf(y)
}

function queryFunctionOf(s: Statement, query: QueryTraits['query'], dimension: number): QueryFunction {
  switch (query) {
    case 'resinfo':
      return resinfo(controlOf(s.instruction.controls, RESINFO_RETURN), dimension)
    case 'bufinfo':
      return bufinfo
    case 'sampleinfo':
      return sampleinfo(controlOf(s.instruction.controls, SAMPLEINFO_RETURN))
    default:
      return samplepos
  }
}

/** sample_info and sample_pos of the render target (22.4.21, 22.4.22). */
function compileRasterizerQuery(s: Statement, query: QueryTraits['query'], operand: number): Op {
  const address = operandOf(s, 'address')
  const argument = address < 0 ? s.recorder.ops.constant(0) : sourceValue(s, address, 0)
  const { columns, result } = resultColumns(s, 0)
  const evaluated = evaluateColumns(s, [argument])
  const write = writeResults(s, [result])
  if (evaluated === undefined) return () => {}
  const o = s.instruction.operands[operand]!
  const components = [0, 1, 2, 3].filter((c) => result.values[c] !== undefined).map((c) => componentAt(o, c))
  const asInteger = controlOf(s.instruction.controls, SAMPLEINFO_RETURN) === SAMPLEINFO_UINT
  const column = evaluated.columns[0]!
  const rows: Op = (w) => {
    const { sampleCount, samplePosition: positionOf } = w.group.batch!.quads!
    for (let k = 0; k < w.activeCount; k++) {
      const l = w.lanes[k]!
      WORDS.fill(0)
      if (query === 'sampleinfo') WORDS[0] = asInteger ? sampleCount : bitsOf(sampleCount)
      else
        positionOf(w.I[column + l]! >>> 0).forEach((v, i) => {
          WORDS[i] = bitsOf(v)
        })
      for (let i = 0; i < columns.length; i++) w.I[columns[i]! + l] = WORDS[components[i]!]! | 0
    }
  }
  return complete(s, evaluated.compute, [rows, write])
}

function compileViewQuery(s: Statement, query: QueryTraits['query']): Op {
  const resource = operandOf(s, 'resource')
  const o = s.instruction.operands[resource]!
  if (o.type === FILE.rasterizer) return compileRasterizerQuery(s, query, resource)
  if (o.type !== FILE.resource && o.type !== FILE.uav) {
    refuse(s, resource, 'only resources and the rasterizer have properties to read')
    return () => {}
  }
  const { uavs, resources } = s.context.declarations
  const id = o.indices[0]?.kind === 'immediate' ? o.indices[0].value : -1
  const declared = findRange<ResourceDeclaration>(o.type === FILE.uav ? uavs : resources, id)
  const address = operandOf(s, 'address')
  const argument = address < 0 ? s.recorder.ops.constant(0) : sourceValue(s, address, 0)
  const view = viewReference(s, resource)
  const { columns, result } = resultColumns(s, 0)
  const evaluated = evaluateColumns(s, [argument])
  const write = writeResults(s, [result])
  if (view === undefined || evaluated === undefined) return () => {}
  const answer = queryFunctionOf(s, query, declared?.dimension ?? DIMENSION_NUMBER.texture2d)
  const site = siteOf(s, resource, 'other', o.type === FILE.uav ? 'uav' : 'srv')
  const components = [0, 1, 2, 3].filter((c) => result.values[c] !== undefined).map((c) => componentAt(o, c))
  const column = evaluated.columns[0]!
  const rows: Op = (w) => {
    for (let k = 0; k < w.activeCount; k++) {
      const l = w.lanes[k]!
      const slot = view.of(w, l, site)
      if (slot === undefined) report(w, site, l, { reason: 'unbound', address: 0, limit: 0, defined: true })
      answer(w, slot, w.I[column + l]! >>> 0)
      for (let i = 0; i < columns.length; i++) w.I[columns[i]! + l] = WORDS[components[i]!]! | 0
    }
  }
  return complete(s, evaluated.compute, [rows, write])
}

/** The status word of a feedback instruction to all ones or 0. */
function compileFullyMapped(s: Statement): Op {
  const status = sourceValue(s, 1, 0)
  if (status === undefined) return () => {}
  const { ops } = s.recorder
  const mapped = ops.i32Equal(status, ops.constant(checkAccessMapped(0xffffffff)))
  const components = maskedComponents(s.instruction.operands[0]!)
  const values: (Value | undefined)[] = [0, 1, 2, 3].map((c) => (components.includes(c) ? mapped : undefined))
  const write = writeResults(s, [{ operand: 0, values }])
  return complete(s, [], [write])
}

export function compileQuery(s: Statement, traits: QueryTraits): Op {
  switch (traits.query) {
    case 'fully-mapped':
      return compileFullyMapped(s)
    case 'lod':
      return compileLod(s)
    default:
      return compileViewQuery(s, traits.query)
  }
}
