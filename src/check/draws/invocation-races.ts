import type { Batch, MemoryEvent } from '../../engine/index.ts'
import type { CheckContext, Detector } from '../context.ts'
import { registerText } from '../detectors/bounds.ts'
import type { MemoryPlace, Site } from '../report/finding.ts'
import { memoryPlace } from '../report/memory-place.ts'

/**
 * Races between invocations of one draw on UAVs: Direct3D orders none of them, but for accesses to one pixel (or one of its
 * samples) through rasterizer ordered views. The tables are shared by the stages of the draw.
 */

/** An invocation that touched a UAV. */
interface Invocation {
  readonly name: string
  readonly stage: string
  /** What rasterizer ordered views order: invocations with the same pixel and sample; undefined outside pixel shaders. */
  readonly pixel: string | undefined
}

interface Access {
  readonly by: Invocation
  readonly statement: number
  readonly kind: 'load' | 'store' | 'atomic'
  /** Through a rasterizer ordered view. */
  readonly ordered: boolean
  /** Bits loaded or stored: a race of equal stores is reported as a hint. */
  readonly value: string
}

/** What was last done to a piece of memory; two readers, so that a writer who is one of them still meets the other. */
interface Cell {
  store: Access | undefined
  atomic: Access | undefined
  load: Access | undefined
  otherLoad: Access | undefined
}

/** Pieces of memory by resource and place. */
interface DrawMemory {
  readonly cells: Map<object, Map<number, Cell>>
  count: number
}

export const newDrawMemory = (): DrawMemory => ({ cells: new Map(), count: 0 })

/** About what a cell takes with its accesses and the names of their invocations. */
const CELL_BYTES = 400

function cellOf(m: DrawMemory, resource: object, place: number): Cell {
  let ofResource = m.cells.get(resource)
  if (ofResource === undefined) m.cells.set(resource, (ofResource = new Map()))
  let cell = ofResource.get(place)
  if (cell === undefined) {
    cell = { store: undefined, atomic: undefined, load: undefined, otherLoad: undefined }
    ofResource.set(place, cell)
    m.count++
  }
  return cell
}

/** Whether nothing orders two accesses of which one is a plain store. */
function isRace(a: Access, b: Access | undefined): b is Access {
  if (b === undefined || a.by === b.by) return false
  const isOrdered = a.ordered && b.ordered && a.by.pixel !== undefined && a.by.pixel === b.by.pixel
  return !isOrdered
}

/** The accesses of a cell that a further one can race with. */
function rivals(cell: Cell, kind: Access['kind']): readonly (Access | undefined)[] {
  return kind === 'store' ? [cell.store, cell.atomic, cell.load, cell.otherLoad] : [cell.store]
}

function remember(cell: Cell, access: Access): void {
  if (access.kind !== 'load') cell[access.kind] = access
  else if (cell.load?.by !== access.by) {
    cell.otherLoad = cell.load
    cell.load = access
  }
}

/** Helper pixels and discarded ones store nothing, and what they load reaches nothing. */
function hasEffects(batch: Batch, invocation: number): boolean {
  const { quads } = batch
  return quads === undefined || (quads.helpers[invocation] === 0 && quads.discarded[invocation] === 0)
}

export function detectInvocationRaces(context: CheckContext, stage: string, memory: DrawMemory): Detector {
  const { sink, declarations } = context
  const orderedViews = new Set(declarations.uavs.filter((u) => u.rasterizerOrdered).map((u) => u.id))
  let invocations: (Invocation | undefined)[] = []

  const invocationAt = (batch: Batch, lane: number, at: number): Invocation =>
    (invocations[lane] ??= { name: batch.describe(at), stage, pixel: batch.quads?.pixelOf(at) })

  const siteOf = (a: Access): Site => ({
    statement: a.statement,
    group: [0, 0, 0],
    thread: 0,
    invocation: a.by.name,
    stage: a.by.stage,
    access: a.kind,
  })

  const report = (event: MemoryEvent, access: Access, other: Access, place: MemoryPlace): void => {
    const isSame = access.kind === 'store' && other.kind === 'store' && access.value === other.value
    const code = isSame ? 'check-race-same-value' : 'check-race-invocations'
    if (sink.known(code, access.statement, other.statement, event.register)) return
    const name = registerText(event.space, event.register, declarations)
    const samePixel = access.by.pixel !== undefined && access.by.pixel === other.by.pixel
    const advice = samePixel
      ? 'both are of one pixel: a rasterizer ordered view (RasterizerOrderedBuffer, RasterizerOrderedTexture2D and so on) orders them'
      : 'give each invocation a place of its own, or use atomics'
    sink.add({
      code,
      severity: isSame ? 'hint' : 'error',
      message: isSame
        ? `invocations of the draw store the same value to one place of ${name}`
        : `two invocations of the draw access one place of ${name}, and nothing orders them`,
      site: siteOf(access),
      other: siteOf(other),
      memory: place,
      notes: [advice],
    })
  }

  const onRow = (event: MemoryEvent, row: number, batch: Batch): void => {
    const { wave, width, valuesPerRow, byteOffsets, values } = event
    const view = event.views === undefined ? event.view : event.views[row]
    const lane = wave.lanes[row]!
    if (view === undefined || view.kind === 'cbv' || !hasEffects(batch, wave.firstThread + lane)) return
    const { resource } = view
    const granule = context.granuleOf(resource)
    for (let i = 0; i < width; i++) {
      const byteOffset = byteOffsets[row * width + i]!
      if (byteOffset < 0) continue
      const first = row * valuesPerRow + i
      const value = valuesPerRow > width ? values.subarray(first, first + valuesPerRow).join(' ') : `${values[first]}`
      const by = invocationAt(batch, lane, wave.firstThread + lane)
      const ordered = orderedViews.has(event.register)
      const access: Access = { by, statement: wave.statement, kind: event.access, ordered, value }
      const end = byteOffset + event.byteLength
      for (let at = Math.floor(byteOffset / granule); at * granule < end; at++) {
        const cell = cellOf(memory, resource, at)
        const other = rivals(cell, access.kind).find((o) => isRace(access, o))
        if (other !== undefined) report(event, access, other, memoryPlace(event, byteOffset))
        remember(cell, access)
      }
    }
  }

  return {
    observer: {
      groupBegin() {
        invocations = []
      },
      memory(event) {
        const { batch, activeCount } = event.wave
        if (batch === undefined || event.space !== 'uav') return
        for (let row = 0; row < activeCount; row++) onRow(event, row, batch)
      },
    },
    byteLength: () => memory.count * CELL_BYTES,
  }
}
