/** The state of a run of thread groups as plain data; an execution takes it and goes back to it. */
import { diagnostic, ShaderError } from '../../../diagnostic/index.ts'
import { contentsByteLength, fitsContents, restoreContents, saveContents } from '../../../machine/index.ts'
import type { ExecutionSnapshot } from '../../contract.ts'
import type { FindingsState } from '../../findings.ts'
import type { Columns } from '../compile/columns.ts'
import type { Code } from '../compile/compile.ts'
import { type Cursor, type GridRun, type Slot, waveOrder } from './scheduler.ts'
import type { Frame, Wave } from './state.ts'

/** Fields of a wave that are numbers or flags and change while it runs. */
const WAVE_FIELDS = [
  ...(['pc', 'statement', 'status', 'low', 'high', 'activeCount', 'full', 'endedLow', 'endedHigh'] as const),
  ...(['storeLow', 'storeHigh', 'depth', 'callDepth', 'steps', 'stepsAtMask', 'sliceEnd'] as const),
  ...(['waitStatement', 'waitFlags'] as const),
] as const

type WaveFields = Pick<Wave, (typeof WAVE_FIELDS)[number]>

export interface WaveSnapshot {
  readonly fields: WaveFields
  /** The columns of registers; the others hold constants, and values inside a statement. */
  readonly words: Int32Array
  readonly lanes: Int32Array
  readonly laneSteps: Float64Array
  /** Open blocks and calls. */
  readonly frames: readonly Frame[]
}

interface SlotSnapshot {
  readonly group: number
  readonly groupX: number
  readonly groupY: number
  readonly groupZ: number
  readonly epoch: number
  readonly next: number
  readonly tgsm: Int32Array
  readonly waves: readonly WaveSnapshot[]
}

export interface GridSnapshot extends ExecutionSnapshot {
  readonly engine: 'reference'
  /** What the snapshot fits: words of a wave's columns, and statements of the code. */
  readonly columnWords: number
  readonly statementCount: number
  readonly total: number
  readonly cursor: Cursor
  /** By index of `GridRun.slots`; undefined for slots that hold no group. */
  readonly slots: readonly (SlotSnapshot | undefined)[]
  readonly threadInstructions: number
  readonly findings: FindingsState
  readonly clock: number
}

function copyFields(from: WaveFields, to: WaveFields): WaveFields {
  for (const field of WAVE_FIELDS) Object.assign(to, { [field]: from[field] })
  return to
}

function copyFrame(frame: Frame): Frame {
  return { ...frame, targets: frame.targets.slice(), pending: [...frame.pending] }
}

export function saveWave(w: Wave, { registerWords }: Columns): WaveSnapshot {
  return {
    fields: copyFields(w, {} as WaveFields),
    words: w.I.slice(0, registerWords),
    lanes: w.lanes.slice(),
    laneSteps: w.laneSteps.slice(),
    frames: w.frames.slice(0, w.depth).map(copyFrame),
  }
}

export function restoreWave(w: Wave, saved: WaveSnapshot): void {
  copyFields(saved.fields, w)
  w.I.set(saved.words)
  w.lanes.set(saved.lanes)
  w.laneSteps.set(saved.laneSteps)
  for (const [i, frame] of saved.frames.entries()) w.frames[i] = copyFrame(frame)
}

function saveSlot({ group, next }: Slot, columns: Columns): SlotSnapshot {
  const { groupX, groupY, groupZ, epoch, tgsm, waves } = group
  return {
    group: group.group,
    groupX,
    groupY,
    groupZ,
    epoch,
    next,
    tgsm: tgsm.slice(),
    waves: waves.map((w) => saveWave(w, columns)),
  }
}

function restoreSlot(r: GridRun, slot: Slot, saved: SlotSnapshot): void {
  const { group } = slot
  group.group = saved.group
  group.groupX = saved.groupX
  group.groupY = saved.groupY
  group.groupZ = saved.groupZ
  group.epoch = saved.epoch
  group.tgsm.set(saved.tgsm)
  for (const [i, wave] of saved.waves.entries()) restoreWave(group.waves[i]!, wave)
  slot.order = waveOrder(r, group)
  slot.next = saved.next
}

export const waveBytes = (w: WaveSnapshot): number =>
  w.words.byteLength +
  w.lanes.byteLength +
  w.laneSteps.byteLength +
  w.frames.reduce((n, f) => n + f.targets.byteLength, 0)

const slotBytes = (s: SlotSnapshot | undefined): number =>
  s === undefined ? 0 : s.tgsm.byteLength + s.waves.reduce((n, w) => n + waveBytes(w), 0)

const statementCountOf = (code: Code): number => code.ops.length

/** What a run consists of now. Pages of resources that are as in `before` are shared with it. */
export function saveGrid(r: GridRun, before: GridSnapshot | undefined): GridSnapshot {
  const { cursor, dispatch, code, total } = r
  const used = new Set(cursor.inFlight)
  const slots = r.slots.map((slot, i) => (used.has(i) ? saveSlot(slot, code.columns) : undefined))
  const contents = dispatch.pages?.save() ?? saveContents(dispatch.bindings, before?.contents)
  const ownByteLength = slots.reduce((n, s) => n + slotBytes(s), 0)
  return {
    engine: 'reference',
    columnWords: code.columns.size,
    statementCount: statementCountOf(code),
    total,
    cursor: { ...cursor, inFlight: [...cursor.inFlight] },
    slots,
    threadInstructions: dispatch.threadInstructions,
    clock: dispatch.clock.statements,
    findings: dispatch.findings.save(),
    contents,
    ownByteLength,
    byteLength: ownByteLength + contentsByteLength(contents, before?.contents),
  }
}

function requireFit(r: GridRun, snapshot: ExecutionSnapshot): asserts snapshot is GridSnapshot {
  const s = snapshot as Partial<GridSnapshot>
  const { code, total, slots, dispatch } = r
  const fits =
    s.engine === 'reference' &&
    s.columnWords === code.columns.size &&
    s.statementCount === statementCountOf(code) &&
    s.total === total &&
    s.slots?.length === slots.length &&
    s.contents !== undefined &&
    fitsContents(dispatch.bindings, s.contents)
  if (fits) return
  throw doesNotFit('the snapshot is of another shader, other options, groups or bindings than the execution')
}

/** What is thrown where a snapshot cannot be taken or gone back to. */
export function doesNotFit(text: string): ShaderError {
  return new ShaderError([diagnostic('engine-snapshot', text)])
}

/** Makes a run what it was when a snapshot was taken. */
export function restoreGrid(r: GridRun, snapshot: ExecutionSnapshot): GridSnapshot {
  requireFit(r, snapshot)
  const { cursor, dispatch } = r
  const { inFlight, ...rest } = snapshot.cursor
  Object.assign(cursor, rest)
  cursor.inFlight.splice(0, cursor.inFlight.length, ...inFlight)
  for (const [i, saved] of snapshot.slots.entries()) if (saved !== undefined) restoreSlot(r, r.slots[i]!, saved)
  dispatch.threadInstructions = snapshot.threadInstructions
  dispatch.clock.statements = snapshot.clock
  dispatch.findings.restore(snapshot.findings)
  if (dispatch.pages === undefined) restoreContents(dispatch.bindings, snapshot.contents)
  else dispatch.pages.restore(snapshot.contents)
  return snapshot
}
