import { FILE, rowOfOpcode } from '../../../isa/index.ts'
import { POISON_WORD, slotKey } from '../../../machine/index.ts'
import { componentAt, modifiedWord, type Operand, type OperandIndex } from '../../../program/index.ts'
import { type Declarations, hasRanges } from '../../declarations.ts'
import type { RegisterAccess, WaveSite } from '../../observer.ts'
import { blockOf, slotOf } from '../../register-layout.ts'
import type { Columns } from '../compile/columns.ts'
import type { Code } from '../compile/compile.ts'
import { immediateWord } from '../compile/operand.ts'
import { numberOps } from '../number-ops.ts'
import { type Dispatch, type Group, MAX_ENTRIES, type ObservedWave, READY, setMask, type Wave } from './state.ts'

/** Words of the uniforms of a dispatch, by column. */
function fillColumn(I: Int32Array, column: number, width: number, value: number): void {
  I.fill(value, column, column + width)
}

function uniformWord(d: Dispatch, uniform: Columns['uniforms'] extends Map<string, infer U> ? U : never): number {
  if (uniform.kind === 'this') return d.thisWords[uniform.index * 4 + uniform.component] ?? 0
  const bound = d.cbvs.get(uniform.slot)
  const word = uniform.constant * 4 + uniform.component
  return bound !== undefined && word < bound.wordCount ? bound.words[bound.first + word]! : 0
}

/** A wave of a group with its registers; used for one group after the other. */
export function createWave(d: Dispatch, code: Code, group: Group, wave: number, threads: Threads): Wave {
  const { columns } = code
  const { width } = columns
  const I = new Int32Array(columns.size)
  for (const [bits, column] of columns.constants) fillColumn(I, column, width, bits)
  for (const uniform of columns.uniforms.values()) fillColumn(I, uniform.column, width, uniformWord(d, uniform))
  const firstThread = wave * width
  const laneCount = Math.min(width, threads.count - firstThread)
  const w: Wave = {
    group,
    dispatch: d,
    wave,
    firstThread,
    laneCount,
    I,
    F: new Float32Array(I.buffer),
    pc: 0,
    statement: 0,
    status: READY,
    low: 0,
    high: 0,
    lanes: new Int32Array(width),
    activeCount: 0,
    full: false,
    endedLow: 0,
    endedHigh: 0,
    storeLow: -1,
    storeHigh: -1,
    emitCounts: new Int32Array(0),
    emitted: [],
    frames: [],
    depth: 0,
    callDepth: 0,
    steps: 0,
    stepsAtMask: 0,
    sliceEnd: 0,
    laneSteps: new Float64Array(width),
    waitStatement: 0,
    waitFlags: 0,
    offsets: new Int32Array(MAX_ENTRIES),
    texels: new Uint32Array(MAX_ENTRIES),
    rowSlots: [],
    observed: undefined,
    quiet: false,
  }
  for (let l = 0; l < laneCount; l++) {
    const flat = firstThread + l
    I[columns.threadIdInGroup + l] = flat % threads.x
    I[columns.threadIdInGroup + width + l] = Math.floor(flat / threads.x) % threads.y
    I[columns.threadIdInGroup + 2 * width + l] = Math.floor(flat / (threads.x * threads.y))
    I[columns.flattened + l] = flat
  }
  return w
}

/** Size of a thread group. */
export interface Threads {
  readonly x: number
  readonly y: number
  readonly z: number
  readonly count: number
}

/** Bits of the lanes 0 to count - 1. */
export function laneBits(count: number): { readonly low: number; readonly high: number } {
  // Masks are signed words: of 31 lanes the subtraction would leave their range.
  const below = (n: number): number => ((1 << n) - 1) | 0
  const low = count >= 32 ? -1 : below(count)
  const high = count >= 64 ? -1 : count > 32 ? below(count - 32) : 0
  return { low, high }
}

/** Registers without a value, nothing executed yet. */
export function resetWave(w: Wave, columns: Columns): void {
  // r#, x# and o# come first and have no initial value: 0 here, or a word that shows (rule 14 of the semantics).
  w.I.fill(w.dispatch.policy === 'poison' ? POISON_WORD | 0 : 0, 0, columns.threadId)
  w.pc = 0
  w.status = READY
  w.depth = 0
  w.callDepth = 0
  w.endedLow = 0
  w.endedHigh = 0
  w.steps = 0
  w.stepsAtMask = 0
  w.laneSteps.fill(0)
}

/** Makes all lanes active. */
export function activateAll(w: Wave): void {
  w.low = 0
  w.high = 0
  w.activeCount = 0
  const { low, high } = laneBits(w.laneCount)
  setMask(w, low, high)
}

/** Makes a wave ready for its group's next place in the grid: registers 0 or poison, all lanes active. */
export function startWave(w: Wave, columns: Columns, threads: Threads): void {
  const { I, group, laneCount } = w
  const { width } = columns
  resetWave(w, columns)
  const at = [group.groupX, group.groupY, group.groupZ]
  const size = [threads.x, threads.y, threads.z]
  for (let axis = 0; axis < 3; axis++) {
    const id = columns.threadId + axis * width
    const inGroup = columns.threadIdInGroup + axis * width
    fillColumn(I, columns.groupId + axis * width, width, at[axis]!)
    for (let l = 0; l < laneCount; l++) I[id + l] = Math.imul(at[axis]!, size[axis]!) + I[inGroup + l]!
  }
  activateAll(w)
}

const NUMBERS = numberOps({ denormals: 'keep' })

/** Register values for observers, worked out from operands one lane at a time. */
interface Reader {
  readonly w: Wave
  readonly d: Declarations
  readonly columns: Columns
}

function indexValue(r: Reader, index: OperandIndex | undefined, lane: number): number {
  if (index?.kind === 'immediate') return index.value
  if (index?.kind === 'relative') return registerWord(r, index.register, 0, lane) >>> 0
  if (index?.kind === 'relative-plus') return (registerWord(r, index.register, 0, lane) + index.offset) >>> 0
  return -1
}

function constantWord(r: Reader, o: Operand, component: number, lane: number): number {
  const ranged = hasRanges(r.d.program)
  const space = r.d.constantBuffers.find((c) => c.id === indexValue(r, o.indices[0], lane))?.space ?? 0
  const register = indexValue(r, o.indices[ranged ? 1 : 0], lane)
  const bound = r.w.dispatch.cbvs.get(slotKey(register, ranged ? space : 0))
  const word = indexValue(r, o.indices[ranged ? 2 : 1], lane) * 4 + component
  return bound !== undefined && word < bound.wordCount ? bound.words[bound.first + word]! : 0
}

function registerWord(r: Reader, o: Operand, position: number, lane: number): number {
  const { columns, w } = r
  const { width } = columns
  const c = componentAt(o, position)
  const at = (first: number): number => w.I[first + c * width + lane] ?? 0
  switch (o.type) {
    case FILE.temp:
      return at(columns.temps + indexValue(r, o.indices[0], lane) * 4 * width)
    case FILE['indexable-temp']: {
      const x = columns.indexableTemps.get(indexValue(r, o.indices[0], lane))
      const element = indexValue(r, o.indices[1], lane)
      return x === undefined || element >= x.count ? 0 : at(x.first + element * 4 * width)
    }
    case FILE.immediate32:
    case FILE.immediate64:
      return immediateWord(o, position) | 0
    case FILE['constant-buffer']:
      return constantWord(r, o, c, lane)
    case FILE['immediate-constant-buffer']:
      return (r.d.immediateConstants[indexValue(r, o.indices[0], lane) * 4 + c] ?? 0) | 0
    case FILE['thread-id']:
      return at(columns.threadId)
    case FILE['thread-group-id']:
      return at(columns.groupId)
    case FILE['thread-id-in-group']:
      return at(columns.threadIdInGroup)
    case FILE['thread-id-in-group-flattened']:
      return w.firstThread + lane
    case FILE['this-pointer']:
      return w.dispatch.thisWords[indexValue(r, o.indices[0], lane) * 4 + c] ?? 0
    default:
      return inputWord(r, o, c, lane)
  }
}

/** A word of a stage's inputs; 0 for what is no input. */
function inputWord(r: Reader, o: Operand, component: number, lane: number): number {
  const { columns, w } = r
  const block = blockOf(columns.layout.inputs, o.type)
  if (block === undefined) return 0
  const at = o.indices.map((index) => indexValue(r, index, lane))
  const register = at[block.byVertex ? 1 : 0] ?? block.firstRegister
  const slot = slotOf(block, block.byVertex ? (at[0] ?? 0) : 0, register, component)
  return slot < 0 ? 0 : w.I[columns.inputs + slot * columns.width + lane]!
}

function registerAccess(r: Reader): RegisterAccess {
  const { columns, w, d } = r
  return {
    temp: (register, component, lane) =>
      register < columns.tempCount ? w.I[columns.temps + (register * 4 + component) * columns.width + lane]! : 0,
    indexableTemp(register, index, component, lane) {
      const x = columns.indexableTemps.get(register)
      return x === undefined || index >= x.count ? 0 : w.I[x.first + (index * 4 + component) * columns.width + lane]!
    },
    output(file, register, component, lane) {
      const block = blockOf(columns.layout.outputs, file)
      const slot = block === undefined ? -1 : slotOf(block, 0, register, component)
      return slot < 0 ? 0 : w.I[columns.outputs + slot * columns.width + lane]!
    },
    source(operand, component, lane) {
      const statement = d.program.statements[w.statement]
      if (statement?.kind !== 'instruction') return 0
      const o = statement.operands[operand]
      const slot = rowOfOpcode(statement.opcode)?.operands[operand]
      if (o === undefined || slot === undefined) return 0
      const word = registerWord(r, o, component, lane)
      return modifiedWord(NUMBERS, slot.type, o.modifier, component, word)
    },
  }
}

/** Makes a wave show itself to observers: its site reads the wave as it is at the time. */
export function observeWave(w: Wave, d: Declarations, columns: Columns): ObservedWave {
  const registers = registerAccess({ w, d, columns })
  const site: WaveSite = {
    get group() {
      return w.group.group
    },
    get groupX() {
      return w.group.groupX
    },
    get groupY() {
      return w.group.groupY
    },
    get groupZ() {
      return w.group.groupZ
    },
    wave: w.wave,
    // Waves of a draw run one part of a batch after the other.
    get firstThread() {
      return w.firstThread
    },
    get laneCount() {
      return w.laneCount
    },
    get batch() {
      return w.group.batch
    },
    get statement() {
      return w.statement
    },
    get callDepth() {
      return w.callDepth
    },
    lanes: w.lanes,
    get activeCount() {
      return w.activeCount
    },
    get epoch() {
      return w.group.epoch
    },
    registers,
  }
  const values = new Int32Array(MAX_ENTRIES)
  const originals = new Int32Array(MAX_ENTRIES)
  const access: ObservedWave['access'] = {
    wave: site,
    operand: 0,
    access: 'load',
    space: 'uav',
    register: 0,
    view: undefined,
    views: undefined,
    width: 1,
    byteLength: 4,
    byteOffsets: w.offsets,
    values,
    valuesPerRow: 1,
    originals,
  }
  return { site, values, originals, taken: new Int32Array(columns.width), access }
}
