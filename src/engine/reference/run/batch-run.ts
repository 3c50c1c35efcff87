import type { Diagnostic } from '../../../diagnostic/index.ts'
import { DEFAULT_SCHEDULE } from '../../../machine/index.ts'
import type { Batch } from '../../batch.ts'
import type { LoadedShader, Stop } from '../../contract.ts'
import type { Code } from '../compile/compile.ts'
import { createDispatch, type Prepared } from './prepare.ts'
import { beginSlice, mostSteps, stepWave, TIME_SLICE } from './scheduler.ts'
import { type Clock, type Dispatch, type EmittedEvent, ENDED, type Group, READY, type Wave } from './state.ts'
import { activateAll, createWave, observeWave, resetWave } from './wave.ts'

/** Runs batches of a graphics stage, one wave of invocations after the other in ascending order. */

/** One entry of a shader with the wave that runs its invocations. */
interface EntryRun {
  readonly code: Code
  readonly dispatch: Dispatch
  readonly group: Group
  readonly wave: Wave
}

/** What an invocation of a geometry shader emitted. */
export interface BatchEvent {
  readonly invocation: number
  readonly event: EmittedEvent
}

/** Why an execution ended before its last batch. */
export interface BatchStop {
  readonly stopped: Stop
  readonly diagnostics: readonly Diagnostic[]
}

/** The batch under way, and where it stands: plain data, so that it can stop between any two statements. */
export interface BatchRun {
  readonly entries: readonly EntryRun[]
  readonly observedRun: boolean
  /** Invocations that run together at the most, whatever the width of a wave. */
  readonly mostLanes: number
  batch: Batch | undefined
  /** Invocations of the batch that have ended; the wave runs those that follow. */
  done: number
  /** What they emitted; passed to the batch's streams when all have ended. */
  emitted: BatchEvent[]
  /** Set where nothing more runs. */
  end: BatchStop | undefined
}

function newGroup(dispatch: Dispatch, waves: readonly Wave[]): Group {
  return {
    dispatch,
    threads: [1, 1, 1],
    group: 0,
    groupX: 0,
    groupY: 0,
    groupZ: 0,
    tgsm: new Int32Array(0),
    batch: undefined,
    waves,
    epoch: 0,
  }
}

function newEntry(shader: LoadedShader, code: Code, prepared: Omit<Prepared, 'code'>, clock: Clock): EntryRun {
  const dispatch = createDispatch({ code, ...prepared }, clock)
  const waves: Wave[] = []
  const group = newGroup(dispatch, waves)
  const { width } = code.columns
  const wave = createWave(dispatch, code, group, 0, { x: width, y: 1, z: 1, count: width })
  waves.push(wave)
  if (dispatch.observer !== undefined) wave.observed = observeWave(wave, shader.declarations, code.columns)
  if (shader.declarations.stage.kind === 'geometry') {
    wave.emitted = Array.from({ length: width }, () => [])
    wave.emitCounts = new Int32Array(width)
  }
  return { code, dispatch, group, wave }
}

/**
 * Lanes that run together. Where a shader has effects on memory, its invocations run one after the other, or results would
 * depend on the width of a wave: one lane at a time, of pixel shaders one quad.
 */
function mostLanesOf({ declarations: { stage, uavs } }: LoadedShader): number {
  if (uavs.length === 0) return Number.POSITIVE_INFINITY
  return stage.kind === 'pixel' ? 4 : 1
}

/** A shader that waits for its first batch; `codes` are its entries'. */
export function createBatchRun(
  shader: LoadedShader,
  codes: readonly Code[],
  prepared: Omit<Prepared, 'code'>,
): BatchRun {
  const { observer, schedule = DEFAULT_SCHEDULE } = prepared.options
  const clock: Clock = { statements: 0 }
  const entries = codes.map((code) => newEntry(shader, code, prepared, clock))
  observer?.begin?.({ groups: [1, 1, 1], threads: [1, 1, 1], waveWidth: schedule.waveWidth })
  return {
    entries,
    observedRun: observer !== undefined,
    mostLanes: mostLanesOf(shader),
    batch: undefined,
    done: 0,
    emitted: [],
    end: undefined,
  }
}

/** The entry whose batch is under way; undefined where the run waits for the next batch. */
export function currentEntry(r: BatchRun): EntryRun | undefined {
  return r.batch === undefined || r.done >= r.batch.count ? undefined : r.entries[r.batch.entry]!
}

export function startBatch(r: BatchRun, batch: Batch): void {
  r.batch = batch
  r.done = 0
  r.emitted = []
  r.entries[batch.entry]!.group.batch = batch
  startNextWave(r)
}

/** Gives the wave to the invocations that follow those that have ended. */
export function placeWave(r: BatchRun, { wave: w, code }: EntryRun, batch: Batch): void {
  w.firstThread = r.done
  w.laneCount = Math.min(r.mostLanes, code.columns.width, batch.count - r.done)
}

function startNextWave(r: BatchRun): void {
  const { batch } = r
  const e = currentEntry(r)
  if (e === undefined || batch === undefined) return
  placeWave(r, e, batch)
  fillWave(e, batch)
  e.dispatch.observer?.groupBegin?.(e.group)
  beginSlice(e.wave, TIME_SLICE)
}

function fillWave(e: EntryRun, batch: Batch): void {
  const { wave: w, code } = e
  const { columns } = code
  resetWave(w, columns)
  activateAll(w)
  const { inputs, width, layout } = columns
  for (let slot = 0; slot < layout.inputs.slotCount; slot++) {
    const from = slot * batch.capacity + w.firstThread
    w.I.set(batch.inputs.subarray(from, from + w.laneCount), inputs + slot * width)
  }
  if (batch.keepsOutputs === true) presetOutputs(e, batch)
  w.storeLow = -1
  w.storeHigh = -1
  if (batch.quads !== undefined) maskHelpers(w, batch.quads.helpers)
  if (w.emitted.length > 0) {
    w.emitCounts.fill(0)
    for (const events of w.emitted) events.length = 0
  }
}

function presetOutputs({ wave: w, code }: EntryRun, batch: Batch): void {
  const { outputs, width, layout } = code.columns
  for (let slot = 0; slot < layout.outputs.slotCount; slot++) {
    const from = slot * batch.capacity + w.firstThread
    w.I.set(batch.outputs.subarray(from, from + w.laneCount), outputs + slot * width)
  }
}

function maskHelpers(w: Wave, helpers: Uint8Array): void {
  for (let l = 0; l < w.laneCount; l++) {
    if (helpers[w.firstThread + l] === 0) continue
    if (l < 32) w.storeLow &= ~(1 << l)
    else w.storeHigh &= ~(1 << (l - 32))
  }
}

/** Copies what a wave left to the batch. */
function takeOutputs(r: BatchRun, { wave: w, code }: EntryRun, batch: Batch): void {
  const { outputs, width, layout } = code.columns
  for (let slot = 0; slot < layout.outputs.slotCount; slot++) {
    const from = outputs + slot * width
    batch.outputs.set(w.I.subarray(from, from + w.laneCount), slot * batch.capacity + w.firstThread)
  }
  if (w.emitted.length === 0) return
  for (let l = 0; l < w.laneCount; l++) {
    for (const event of w.emitted[l]!) r.emitted.push({ invocation: w.firstThread + l, event })
  }
}

/** The wave at the cursor does not go on: its slice is over, or its invocations have ended and others are next. */
function passOn(r: BatchRun, e: EntryRun, batch: Batch): void {
  const { wave: w } = e
  if (w.status !== ENDED) {
    w.status = READY
    beginSlice(w, TIME_SLICE)
    return
  }
  e.dispatch.observer?.groupEnd?.(e.group)
  takeOutputs(r, e, batch)
  r.done += w.laneCount
  if (r.done < batch.count) startNextWave(r)
  else writeStreams(r, batch)
}

function writeStreams(r: BatchRun, { streams }: Batch): void {
  for (const { invocation, event } of r.emitted) {
    if (event.kind === 'vertex') streams?.vertex(invocation, event.stream, event.words)
    else streams?.cut(invocation, event.stream)
  }
  r.emitted = []
}

/** Runs until the batch has ended or the time has come. */
export function advanceBatch(r: BatchRun, time: number): void {
  const isLimited = time !== Number.POSITIVE_INFINITY
  for (let e = currentEntry(r); e !== undefined; e = currentEntry(r)) {
    stepWave(e.wave, e.code, r.observedRun, mostSteps(r.observedRun))
    if (e.wave.status !== READY) passOn(r, e, r.batch!)
    if (isLimited && performance.now() >= time) return
  }
}

/** Executes up to `count` statements, each of one wave, up to the first before which it is to stop. */
export function stepBatch(r: BatchRun, count: number, stopsBefore?: (w: Wave) => boolean): void {
  let left = count
  for (let e = currentEntry(r); e !== undefined && left > 0; e = currentEntry(r)) {
    if (stopsBefore?.(e.wave) === true) return
    left -= stepWave(e.wave, e.code, r.observedRun, stopsBefore === undefined ? left : 1)
    if (e.wave.status !== READY) passOn(r, e, r.batch!)
  }
}
