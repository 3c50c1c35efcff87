/**
 * Liveness of temporary registers: whose value something later depends on. What is read by statements that have no effect
 * themselves does not count.
 */
import { rowOfOpcode, type Traits } from '../../isa/index.ts'
import { writeMask } from '../../program/index.ts'
import type { ShaderDocument } from '../document.ts'
import { perDocument } from '../per-document.ts'
import { type FlowGraph, flowGraph } from './graph.ts'
import { statementRegisters } from './statement-registers.ts'
import { phaseNumbers, tempKey } from './uses.ts'

/** The temporary registers of a text, and what each statement reads and writes of them. */
interface Registers {
  /** Their numbers, in the order of first use. */
  readonly numberOf: ReadonlyMap<string, number>
  /** The place in `uses` where those of each statement begin; one more at the end. */
  readonly starts: Int32Array
  /** The number of a register, shifted by 8, with the masks that are read and, shifted by 4, written. */
  readonly uses: readonly number[]
  /** 1 for statements that do nothing but write temporary registers. */
  readonly isPure: Uint8Array
}

const PURE: ReadonlySet<Traits['kind']> = new Set(['alu', 'sample', 'load', 'gather'])

/** Whether a statement does nothing but write temporary registers; a destination in another file (o0) is an effect. */
function writesAlone(d: ShaderDocument, statement: number, temps: number): boolean {
  const s = d.statements[statement]
  const row = temps > 0 && s?.kind === 'instruction' ? rowOfOpcode(s.opcode) : undefined
  if (s?.kind !== 'instruction' || row === undefined || !PURE.has(row.traits.kind)) return false
  let destinations = 0
  for (let i = 0; i < s.operands.length; i++) {
    if (row.operands[i]?.role === 'dest' && writeMask(s.operands[i]!) !== 0) destinations++
  }
  return destinations === temps
}

const registers = perDocument((d: ShaderDocument): Registers => {
  const numberOf = new Map<string, number>()
  const starts = new Int32Array(d.statements.length + 1)
  const uses: number[] = []
  const isPure = new Uint8Array(d.statements.length)
  const phases = phaseNumbers(d)
  let inPhase = new Map<number, number>()
  statementRegisters(d).forEach(({ temps }, at) => {
    if (phases[at] !== phases[at - 1]) inPhase = new Map()
    let written = 0
    for (let i = 0; i < temps.length; i += 2) {
      let number = inPhase.get(temps[i]!)
      if (number === undefined) {
        number = numberOf.size
        inPhase.set(temps[i]!, number)
        numberOf.set(tempKey(temps[i]!, phases[at]!), number)
      }
      uses.push((number << 8) | temps[i + 1]!)
      if ((temps[i + 1]! & 0xf0) !== 0) written++
    }
    starts[at + 1] = uses.length
    if (writesAlone(d, at, written)) isPure[at] = 1
  })
  return { numberOf, starts, uses, isPure }
})

/** Whether a statement does nothing but write temporary registers of which nothing is live behind it. */
function isDead(live: Uint8Array, { starts, uses, isPure }: Registers, statement: number): boolean {
  if (isPure[statement] === 0) return false
  for (let i = starts[statement]!; i < starts[statement + 1]!; i++) {
    if ((live[uses[i]! >> 8]! & (uses[i]! >> 4)) !== 0) return false
  }
  return true
}

/** Takes the live components from behind a statement that calls nothing to before it. */
function stepBack(live: Uint8Array, own: Registers, statement: number): void {
  if (isDead(live, own, statement)) return
  const { starts, uses } = own
  const [first, end] = [starts[statement]!, starts[statement + 1]!]
  for (let i = first; i < end; i++) live[uses[i]! >> 8]! &= ~(uses[i]! >> 4)
  for (let i = first; i < end; i++) live[uses[i]! >> 8]! |= uses[i]! & 15
}

/** Adds live components to others; true where they were not all there. */
function unite(all: Uint8Array, more: Uint8Array): boolean {
  let grows = false
  for (let r = 0; r < all.length; r++) {
    const united = all[r]! | more[r]!
    grows ||= united !== all[r]
    all[r] = united
  }
  return grows
}

/** Registers times blocks beyond this are not worth the memory: everything counts as live there. */
const MAX_BYTES = 64 * 2 ** 20

/** The analysis: what is live at the end of each block, and in front of the first block of each function that is called. */
class Liveness {
  readonly ends: readonly Uint8Array[]
  readonly #own: Registers
  readonly #graph: FlowGraph
  readonly #entries: ReadonlyMap<number, Uint8Array>
  /** The first blocks of the functions that a statement calls. */
  readonly #callees = new Map<number, number[]>()
  readonly #due: number[]
  readonly #isDue: Uint8Array

  constructor(own: Registers, graph: FlowGraph) {
    const { blocks, callers } = graph
    this.#own = own
    this.#graph = graph
    const none = (): Uint8Array => new Uint8Array(own.numberOf.size)
    this.ends = blocks.map(none)
    this.#entries = new Map([...callers.keys()].map((block) => [block, none()]))
    for (const [block, from] of callers) {
      for (const call of from) this.#callees.set(call, [...(this.#callees.get(call) ?? []), block])
    }
    this.#due = blocks.map((_, i) => i)
    this.#isDue = new Uint8Array(blocks.length).fill(1)
    this.#run()
  }

  #make(block: number): void {
    if (this.#isDue[block] === 1) return
    this.#isDue[block] = 1
    this.#due.push(block)
  }

  #run(): void {
    const { blocks, predecessors, callers, blockOf } = this.#graph
    const live = new Uint8Array(this.#own.numberOf.size)
    for (let block = this.#due.pop(); block !== undefined; block = this.#due.pop()) {
      this.#isDue[block] = 0
      live.set(this.ends[block]!)
      const { statements } = blocks[block]!
      for (let i = statements.length - 1; i >= 0; i--) this.stepBack(live, statements[i]!)
      for (const p of predecessors[block]!) if (unite(this.ends[p]!, live)) this.#make(p)
      const entry = this.#entries.get(block)
      if (entry === undefined || !unite(entry, live)) continue
      for (const call of callers.get(block)!) this.#make(blockOf.get(call)!)
    }
  }

  /**
   * Takes the live components from behind a statement to before it. What is live behind a call is live where the function
   * ends, for all calls of it together, and what is live where it begins is live before the call.
   */
  stepBack(live: Uint8Array, statement: number): void {
    const callees = this.#callees.get(statement)
    if (callees === undefined) {
      stepBack(live, this.#own, statement)
      return
    }
    const { calleeEnds, mayPass } = this.#graph
    for (const end of calleeEnds.get(statement) ?? []) if (unite(this.ends[end]!, live)) this.#make(end)
    if (!mayPass(statement)) live.fill(0)
    for (const callee of callees) unite(live, this.#entries.get(callee)!)
    stepBack(live, this.#own, statement)
  }
}

/** What is live in a document; undefined where that is not worked out. */
const livenessOf = perDocument((d: ShaderDocument): Liveness | undefined => {
  const graph = flowGraph(d)
  const own = registers(d)
  return own.numberOf.size * graph.blocks.length > MAX_BYTES ? undefined : new Liveness(own, graph)
})

/** Components of a temporary register that something behind a statement depends on; undefined where that is not known. */
export function liveAfter(d: ShaderDocument, statement: number, key: string): number | undefined {
  const liveness = livenessOf(d)
  const block = flowGraph(d).blockOf.get(statement)
  const number = registers(d).numberOf.get(key)
  if (liveness === undefined || block === undefined || number === undefined) return undefined
  const live = liveness.ends[block]!.slice()
  const { statements } = flowGraph(d).blocks[block]!
  for (let i = statements.length - 1; statements[i]! > statement; i--) liveness.stepBack(live, statements[i]!)
  return live[number]
}

/** Statements that write temporary registers alone, of which nothing that has an effect depends. */
export const statementsWithoutEffect = perDocument((d: ShaderDocument): readonly number[] => {
  const liveness = d.isWhole ? livenessOf(d) : undefined
  if (liveness === undefined) return []
  const own = registers(d)
  const found: number[] = []
  flowGraph(d).blocks.forEach((block, b) => {
    if (block.isUnreachable) return
    const live = liveness.ends[b]!.slice()
    for (let i = block.statements.length - 1; i >= 0; i--) {
      const at = block.statements[i]!
      if (isDead(live, own, at)) found.push(at)
      liveness.stepBack(live, at)
    }
  })
  return found.sort((a, b) => a - b)
})
