import { appendAll, type Diagnostic } from '../../../diagnostic/index.ts'
import { DEFAULT_SCHEDULE } from '../../../machine/index.ts'
import type { Batch, EntryLayout, StageExecution } from '../../batch.ts'
import type { DispatchResult, LoadedShader, Stop } from '../../contract.ts'
import { haltDiagnostics } from '../../run-execution.ts'
import type { Code } from '../compile/compile.ts'
import { createDispatch, type Prepared } from './prepare.ts'
import { runWave } from './scheduler.ts'
import { type Dispatch, ENDED, GIVES_WAY, type Group, isHalt, READY, settleSteps, type Wave } from './state.ts'
import { activateAll, createWave, observeWave, resetWave } from './wave.ts'

/** Runs batches of a graphics stage on the reference engine, wave by wave in ascending order. */

/** One entry of a shader with the wave that runs its invocations. */
interface EntryRunner {
  readonly code: Code
  readonly dispatch: Dispatch
  readonly group: Group
  readonly wave: Wave
}

function newGroup(dispatch: Dispatch): Group {
  return {
    dispatch,
    threads: [1, 1, 1],
    group: 0,
    groupX: 0,
    groupY: 0,
    groupZ: 0,
    tgsm: new Int32Array(0),
    batch: undefined,
    waves: [],
    epoch: 0,
  }
}

function newRunner(shader: LoadedShader, code: Code, prepared: Omit<Prepared, 'code'>): EntryRunner {
  const dispatch = createDispatch({ code, ...prepared })
  const group = newGroup(dispatch)
  const { width } = code.columns
  const wave = createWave(dispatch, code, group, 0, { x: width, y: 1, z: 1, count: width })
  if (dispatch.observer !== undefined) wave.observed = observeWave(wave, shader.declarations, code.columns)
  if (shader.declarations.stage.kind === 'geometry') {
    wave.emitted = Array.from({ length: width }, () => [])
    wave.emitCounts = new Int32Array(width)
  }
  return { code, dispatch, group, wave }
}

/** Gives the lanes of a wave to the invocations from `first` on. */
function fillWave(r: EntryRunner, batch: Batch, first: number, laneCount: number): void {
  const { wave: w, code } = r
  const { columns } = code
  w.firstThread = first
  w.laneCount = laneCount
  resetWave(w, columns)
  activateAll(w)
  const { inputs, width, layout } = columns
  for (let slot = 0; slot < layout.inputs.slotCount; slot++) {
    const from = slot * batch.capacity + first
    w.I.set(batch.inputs.subarray(from, from + laneCount), inputs + slot * width)
  }
  if (batch.keepsOutputs === true) presetOutputs(r, batch)
  w.storeLow = -1
  w.storeHigh = -1
  if (batch.quads !== undefined) maskHelpers(w, batch.quads.helpers)
  if (w.emitted.length > 0) {
    w.emitCounts.fill(0)
    for (const events of w.emitted) events.length = 0
  }
}

function presetOutputs(r: EntryRunner, batch: Batch): void {
  const { wave: w, code } = r
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
function takeOutputs(r: EntryRunner, batch: Batch): void {
  const { wave: w, code } = r
  const { outputs, width, layout } = code.columns
  for (let slot = 0; slot < layout.outputs.slotCount; slot++) {
    const from = outputs + slot * width
    batch.outputs.set(w.I.subarray(from, from + w.laneCount), slot * batch.capacity + w.firstThread)
  }
  const { streams } = batch
  if (streams === undefined) return
  for (let l = 0; l < w.laneCount; l++) {
    for (const event of w.emitted[l]!) {
      if (event.kind === 'vertex') streams.vertex(w.firstThread + l, event.stream, event.words)
      else streams.cut(w.firstThread + l, event.stream)
    }
  }
}

function runToEnd(r: EntryRunner, observed: boolean): void {
  const { wave: w } = r
  while (w.status !== ENDED) {
    if (w.status === GIVES_WAY) w.status = READY
    runWave(w, r.code, observed)
  }
}

/**
 * Lanes that run together. Where a shader has effects on memory, invocations must happen one after the other, whatever the
 * width of a wave, or results would depend on it: one lane at a time, or one quad (section 9 of the pipeline's notes).
 */
function lanesTogether(shader: LoadedShader, width: number): number {
  const { stage, uavs } = shader.declarations
  if (uavs.length === 0) return width
  return stage.kind === 'pixel' ? 4 : 1
}

/** A shader of a draw, ready to run batches; `codes` are its entries'. */
export function createStageExecution(
  shader: LoadedShader,
  codes: readonly Code[],
  prepared: Omit<Prepared, 'code'>,
): StageExecution {
  const runners = codes.map((code) => newRunner(shader, code, prepared))
  const layouts = codes.map((code): EntryLayout => code.columns.layout)
  const { options, findings } = prepared
  const halted: Diagnostic[] = []
  let stopped: Stop | undefined
  const observed = options.observer !== undefined
  options.observer?.begin?.({
    groups: [1, 1, 1],
    threads: [1, 1, 1],
    waveWidth: (options.schedule ?? DEFAULT_SCHEDULE).waveWidth,
  })
  const runBatch = (r: EntryRunner, batch: Batch): void => {
    const step = Math.min(r.code.columns.width, lanesTogether(shader, r.code.columns.width))
    r.group.batch = batch
    for (let first = 0; first < batch.count; first += step) {
      fillWave(r, batch, first, Math.min(step, batch.count - first))
      if (observed) options.observer?.groupBegin?.(r.group)
      runToEnd(r, observed)
      if (observed) options.observer?.groupEnd?.(r.group)
      takeOutputs(r, batch)
    }
  }
  return {
    engine: shader.engine,
    layouts,
    run(batch) {
      if (stopped !== undefined) return stopped
      const runner = runners[batch.entry]!
      try {
        runBatch(runner, batch)
      } catch (e) {
        if (!isHalt(e)) throw e
        settleSteps(runner.wave)
        stopped = e.halt
        appendAll(halted, haltDiagnostics(e.halt, shader, e.statement, runner.dispatch.maxInstructionsPerThread))
      }
      return stopped
    },
    result(): DispatchResult {
      const result = {
        diagnostics: [...halted, ...findings.diagnostics(shader.declarations.program, shader.options.listing)],
        undefinedCount: findings.undefinedCount,
        threadInstructionCount: runners.reduce((sum, r) => sum + r.dispatch.threadInstructions, 0),
      }
      return stopped === undefined ? result : { stopped, ...result }
    },
  }
}
