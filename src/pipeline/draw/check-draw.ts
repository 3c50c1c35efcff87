/** What is bound for a draw, held against limits and against itself, before anything runs (functional specification 5.3.9, 15, 17). */
import {
  appendAll,
  checkArguments,
  type Diagnostic,
  diagnostic,
  type Expectation,
  numberFrom,
  showValue,
  wholeFrom,
} from '../../diagnostic/index.ts'
import { parseSlot } from '../../machine/index.ts'
import { MAX_VERTEX_STRIDE } from '../input/index.ts'
import { checkOutputMerger } from '../merge/index.ts'
import type { Pipeline } from './description.ts'
import { type DrawResources, SHADER_STAGES } from './resources.ts'

const MAX_VIEWPORTS = 16
const MAX_TARGETS = 8
const MAX_STREAM_BUFFERS = 4
const MAX_VERTEX_BUFFERS = 32
/** UAVs and render targets of a draw together. */
const MAX_OUTPUTS = 64
const LEAST = -32768
const MOST = 32767

const problem = (path: string, text: string, notes: readonly string[] = []): Diagnostic =>
  diagnostic('pipeline-draw', text, { kind: 'path', path }, notes)

function tooMany(found: Diagnostic[], path: string, list: readonly unknown[], most: number): void {
  if (list.length > most) found.push(problem(path, `there are ${list.length} ${path}; ${most} are allowed`))
}

/** Whether every field of an entry is as expected: nearly always so, and found without texts. */
function allFit(entry: object, fields: Readonly<Record<string, Expectation>>): boolean {
  const given = entry as Readonly<Record<string, unknown>>
  for (const name in fields) if (fields[name]!(given[name]) !== undefined) return false
  return true
}

/** Fields of the entries of a list, all of which must be there; entries may be missing. */
function checkEntries(
  found: Diagnostic[],
  path: string,
  list: readonly (object | undefined)[],
  fields: Readonly<Record<string, Expectation>>,
): void {
  list.forEach((entry, i) => {
    if (entry === undefined || allFit(entry, fields)) return
    const known = Object.fromEntries(Object.entries(entry).filter(([name]) => Object.hasOwn(fields, name)))
    for (const d of checkArguments('pipeline-draw', `${path}[${i}]`, known, fields, Object.keys(fields))) {
      const field = d.place?.kind === 'path' ? d.place.path : ''
      found.push({ ...d, place: { kind: 'path', path: `${path}[${i}].${field}` } })
    }
  })
}

const EDGE = numberFrom(LEAST, MOST)
const EXTENT = numberFrom(0, MOST - LEAST)
const DEPTH = numberFrom(0, 1)
const VIEWPORT_FIELDS = {
  topLeftX: EDGE,
  topLeftY: EDGE,
  width: EXTENT,
  height: EXTENT,
  minDepth: DEPTH,
  maxDepth: DEPTH,
}
const anInt = wholeFrom(-(2 ** 31), 2 ** 31 - 1)
const SCISSOR_FIELDS = { left: anInt, top: anInt, right: anInt, bottom: anInt }
const aByteOffset = wholeFrom(0, 2 ** 32 - 1)
const VERTEX_BUFFER_FIELDS = { stride: wholeFrom(0, MAX_VERTEX_STRIDE), offset: aByteOffset }
const STREAM_BUFFER_FIELDS = { filled: aByteOffset }

/** Viewports within the range of 16.8 fixed point, depth in order (15.6). */
function checkViewports(found: Diagnostic[], r: DrawResources): void {
  tooMany(found, 'viewports', r.viewports, MAX_VIEWPORTS)
  tooMany(found, 'scissors', r.scissors, MAX_VIEWPORTS)
  checkEntries(found, 'viewports', r.viewports, VIEWPORT_FIELDS)
  checkEntries(found, 'scissors', r.scissors, SCISSOR_FIELDS)
  r.viewports.forEach((v, i) => {
    if (Object.values(v).some((n) => typeof n !== 'number')) return
    const tooFar = (side: string, end: number): void => {
      if (end > MOST) found.push(problem(`viewports[${i}]`, `${side} is ${end}; it must be at most ${MOST}`))
    }
    tooFar('topLeftX + width', v.topLeftX + v.width)
    tooFar('topLeftY + height', v.topLeftY + v.height)
    if (v.minDepth > v.maxDepth) {
      found.push(problem(`viewports[${i}]`, `minDepth ${v.minDepth} is above maxDepth ${v.maxDepth}`))
    }
  })
}

/** Vertex, index and stream output buffers (8.4, 8.6, 14). */
function checkBuffers(found: Diagnostic[], p: Pipeline, r: DrawResources, isIndexed: boolean): void {
  tooMany(found, 'vertexBuffers', r.vertexBuffers, MAX_VERTEX_BUFFERS)
  tooMany(found, 'streamOutputBuffers', r.streamOutputBuffers, MAX_STREAM_BUFFERS)
  checkEntries(found, 'vertexBuffers', r.vertexBuffers, VERTEX_BUFFER_FIELDS)
  checkEntries(found, 'streamOutputBuffers', r.streamOutputBuffers, STREAM_BUFFER_FIELDS)
  const missing = (path: string, text: string): void => {
    found.push(diagnostic('machine-binding-missing', text, { kind: 'path', path }, [], 'hint'))
  }
  const unbound = p.inputLayout.elements.filter((e) => r.vertexBuffers[e.slot] === undefined)
  for (const slot of unbound.length === 0 ? [] : new Set(unbound.map((e) => e.slot))) {
    missing(
      `vertexBuffers[${slot}]`,
      `the input layout reads slot ${slot} and no vertex buffer is bound to it; its elements read 0`,
    )
  }
  const { indexBuffer } = r
  if (indexBuffer === undefined) {
    if (isIndexed) missing('indexBuffer', 'the draw is indexed and no index buffer is bound; all indices are 0')
  } else if (indexBuffer.format !== 'R16_UINT' && indexBuffer.format !== 'R32_UINT') {
    found.push(
      problem(
        'indexBuffer.format',
        `the index format is ${showValue(indexBuffer.format)}; R16_UINT and R32_UINT are allowed`,
      ),
    )
  } else {
    const size = indexBuffer.format === 'R16_UINT' ? 2 : 4
    const { offset } = indexBuffer
    if (aByteOffset(offset) !== undefined || offset % size !== 0) {
      const text = `the offset is ${showValue(offset)}; it must be a multiple of the ${size} bytes of an index`
      found.push(problem('indexBuffer.offset', text))
    }
  }
  r.streamOutputBuffers.forEach((b, i) => {
    if (b === undefined) return
    if (aByteOffset(b.filled) === undefined && b.filled % 4 !== 0) {
      found.push(
        problem(`streamOutputBuffers[${i}].offset`, `writing begins at byte ${b.filled}; it must be a multiple of 4`),
      )
    }
    const first = r.streamOutputBuffers.findIndex((o) => o?.storage === b.storage)
    if (first < i) {
      const text = `stream output slots ${first} and ${i} write to the same buffer`
      found.push(diagnostic('pipeline-hazard', text, { kind: 'path', path: `streamOutputBuffers[${i}]` }))
    }
  })
  p.streamOutput?.slots.forEach((slot, i) => {
    if (slot === undefined || r.streamOutputBuffers[i] !== undefined) return
    missing(
      `streamOutputBuffers[${i}]`,
      `stream output slot ${i} is declared and no buffer is bound; its stream writes nothing`,
    )
  })
}

/** UAVs are one set for all stages, numbered on from the render targets (5.3.9). */
function checkUavSlots(found: Diagnostic[], r: DrawResources): void {
  const targetCount = r.renderTargets.reduce((n, v, i) => (v === undefined ? n : i + 1), 0)
  for (const name of Object.keys(r.unorderedAccess)) {
    const slot = parseSlot(name)
    const path = `unorderedAccess.${name}`
    if (slot === undefined || slot.register !== 'u') {
      found.push(problem(path, `${name} is no UAV slot; u0 to u63 are`))
    } else if (slot.space === 0 && slot.index < targetCount) {
      const text = `${name} is the slot of render target ${slot.index}; ${targetCount} are bound, so UAVs begin at u${targetCount}`
      found.push(diagnostic('pipeline-view', text, { kind: 'path', path }))
    } else if (slot.space === 0 && slot.index >= MAX_OUTPUTS) {
      found.push(problem(path, `${name} is beyond the ${MAX_OUTPUTS} slots of render targets and UAVs`))
    }
  }
  for (const stage of SHADER_STAGES) {
    for (const name of Object.keys(r.bindings[stage] ?? {})) {
      if (parseSlot(name)?.register !== 'u') continue
      const text = `${name} is bound to the ${stage} shader alone; UAVs of a draw are one set for all stages`
      found.push(problem(`${stage}.${name}`, text, ['name it in unorderedAccess']))
    }
  }
}

/** Targets of a forced sample count: no depth buffer, one sample unless the count is 1 (3.5.6.2). */
function checkForcedTargets(found: Diagnostic[], p: Pipeline, r: DrawResources): void {
  const { forcedSampleCount } = p.rasterizer
  if (forcedSampleCount === 0) return
  if (r.depthStencil !== undefined) {
    const text = `forcedSampleCount is ${forcedSampleCount} and a depth buffer is bound; with a forced count none may be (3.5.6.2)`
    found.push(diagnostic('pipeline-view', text, { kind: 'path', path: 'depthStencil' }))
  }
  r.renderTargets.forEach((v, i) => {
    if (v === undefined || v.sampleCount === 1 || forcedSampleCount === 1) return
    const text = `forcedSampleCount is ${forcedSampleCount} and render target ${i} has ${v.sampleCount} samples; it must have one (3.5.6.2)`
    found.push(diagnostic('pipeline-view', text, { kind: 'path', path: `renderTargets[${i}]` }))
  })
}

/** What is wrong with the targets of a draw, whatever else it is given. */
export function checkTargets(p: Pipeline, r: DrawResources): Diagnostic[] {
  const found: Diagnostic[] = []
  tooMany(found, 'renderTargets', r.renderTargets, MAX_TARGETS)
  checkForcedTargets(found, p, r)
  if (p.rasterizedStream >= 0) appendAll(found, checkOutputMerger(r.renderTargets, r.depthStencil, p.blend))
  return found
}

/** What is wrong with what a draw is given beside its targets; hints and warnings among it do not stop it. */
export function checkDraw(p: Pipeline, r: DrawResources, isIndexed: boolean): Diagnostic[] {
  const found: Diagnostic[] = []
  checkViewports(found, r)
  checkBuffers(found, p, r, isIndexed)
  checkUavSlots(found, r)
  if (!allFit(r, NUMBER_FIELDS)) {
    const { stencilReference } = r
    appendAll(found, checkArguments('pipeline-draw', 'a draw', { stencilReference }, NUMBER_FIELDS))
  }
  if (!allFit(r.blendFactor, FACTOR_FIELDS)) checkEntries(found, 'blendFactor', [{ ...r.blendFactor }], FACTOR_FIELDS)
  return found
}

const NUMBER_FIELDS = { stencilReference: aByteOffset }
const A_NUMBER: Expectation = (v) => (typeof v === 'number' ? undefined : 'a number')
const FACTOR_FIELDS = { 0: A_NUMBER, 1: A_NUMBER, 2: A_NUMBER, 3: A_NUMBER }
