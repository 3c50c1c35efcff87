/** Waves and groups as debuggers see them: live, made once for each and kept beside them. */
import { FILE } from '../../../isa/index.ts'
import type { FrameState, GroupState, LaneSet, RegisterPlace, WaveState } from '../../inspection.ts'
import type { RegisterAccess } from '../../observer.ts'
import { type RegisterBlock, slotOf } from '../../register-layout.ts'
import type { Columns } from '../compile/columns.ts'
import type { Code } from '../compile/compile.ts'
import { ENDED, type Frame, type Group, WAITING, type Wave } from './state.ts'

const NOTHING: RegisterAccess = { temp: () => 0, indexableTemp: () => 0, output: () => 0, source: () => 0 }

/** System values by operand type, each with its first column. */
function systemColumn(c: Columns, file: number): number | undefined {
  switch (file) {
    case FILE['thread-id']:
      return c.threadId
    case FILE['thread-group-id']:
      return c.groupId
    case FILE['thread-id-in-group']:
      return c.threadIdInGroup
    default:
      return undefined
  }
}

function blockColumn(
  first: number,
  blocks: readonly RegisterBlock[],
  { file, indices, component }: RegisterPlace,
  width: number,
): number | undefined {
  const block = blocks.find((b) => b.file === file)
  if (block === undefined) return undefined
  const [a, b] = indices
  const register = (block.byVertex ? b : a) ?? block.firstRegister
  const slot = slotOf(block, block.byVertex ? (a ?? 0) : 0, register, component)
  return slot < 0 ? undefined : first + slot * width
}

/** The column that holds a component of a register; undefined where the shader does not declare it. */
function columnOf(c: Columns, place: RegisterPlace): number | undefined {
  const { file, indices, component } = place
  const [first = 0, second = 0] = indices
  if (file === FILE.temp) return first < c.tempCount ? c.temps + (first * 4 + component) * c.width : undefined
  if (file === FILE['indexable-temp']) {
    const x = c.indexableTemps.get(first)
    return x === undefined || second >= x.count ? undefined : x.first + (second * 4 + component) * c.width
  }
  if (file === FILE['thread-id-in-group-flattened']) return component === 0 ? c.flattened : undefined
  const system = component < 3 ? systemColumn(c, file) : undefined
  if (system !== undefined) return system + component * c.width
  return (
    blockColumn(c.outputs, c.layout.outputs.blocks, place, c.width) ??
    blockColumn(c.inputs, c.layout.inputs.blocks, place, c.width)
  )
}

function frameState(frame: Frame, statements: Int32Array): FrameState {
  const others = frame.pending.reduce((all, p) => ({ low: all.low | p.low, high: all.high | p.high }), {
    low: frame.otherLow,
    high: frame.otherHigh,
  })
  const call = frame.returnTo < 0 ? undefined : statements[frame.returnTo - 1]
  return { call, joins: { low: frame.joinLow, high: frame.joinHigh }, others }
}

/** A class: an object with accessors for each wave would have a shape of its own. */
class ReferenceWaveState implements WaveState {
  readonly #w: Wave
  readonly #code: Code

  constructor(w: Wave, code: Code) {
    this.#w = w
    this.#code = code
  }

  get group(): GroupState {
    return stateOfGroup(this.#w.group, this.#code)
  }
  get wave(): number {
    return this.#w.wave
  }
  get firstThread(): number {
    return this.#w.firstThread
  }
  get laneCount(): number {
    return this.#w.laneCount
  }
  get statement(): number {
    const { statements } = this.#code
    return statements[Math.min(this.#w.pc, statements.length - 1)]!
  }
  get status(): WaveState['status'] {
    const { status } = this.#w
    return status === ENDED ? 'ended' : status === WAITING ? 'waiting' : 'ready'
  }
  get barrier(): number | undefined {
    return this.#w.status === WAITING ? this.#w.waitStatement : undefined
  }
  get active(): LaneSet {
    return { low: this.#w.low, high: this.#w.high }
  }
  get ended(): LaneSet {
    return { low: this.#w.endedLow, high: this.#w.endedHigh }
  }
  get callDepth(): number {
    return this.#w.callDepth
  }
  get registers(): RegisterAccess {
    return this.#w.observed?.site.registers ?? NOTHING
  }

  frames(): readonly FrameState[] {
    return this.#w.frames.slice(0, this.#w.depth).map((f) => frameState(f, this.#code.statements))
  }

  register(place: RegisterPlace, lane: number): number | undefined {
    const column = columnOf(this.#code.columns, place)
    return column === undefined || lane >= this.#w.laneCount ? undefined : this.#w.I[column + lane]
  }

  setRegister(place: RegisterPlace, lane: number, bits: number): boolean {
    const column = columnOf(this.#code.columns, place)
    if (column === undefined || lane >= this.#w.laneCount) return false
    this.#w.I[column + lane] = bits
    return true
  }
}

class ReferenceGroupState implements GroupState {
  readonly #group: Group
  readonly #code: Code

  constructor(group: Group, code: Code) {
    this.#group = group
    this.#code = code
  }

  get group(): number {
    return this.#group.group
  }
  get position(): GroupState['position'] {
    const { groupX, groupY, groupZ } = this.#group
    return [groupX, groupY, groupZ]
  }
  get epoch(): number {
    return this.#group.epoch
  }
  get tgsm(): Int32Array {
    return this.#group.tgsm
  }
  get waves(): readonly WaveState[] {
    return this.#group.waves.map((w) => stateOfWave(w, this.#code))
  }
}

const WAVES = new WeakMap<Wave, WaveState>()
const GROUPS = new WeakMap<Group, GroupState>()

export function stateOfWave(w: Wave, code: Code): WaveState {
  let state = WAVES.get(w)
  if (state === undefined) WAVES.set(w, (state = new ReferenceWaveState(w, code)))
  return state
}

export function stateOfGroup(group: Group, code: Code): GroupState {
  let state = GROUPS.get(group)
  if (state === undefined) GROUPS.set(group, (state = new ReferenceGroupState(group, code)))
  return state
}
