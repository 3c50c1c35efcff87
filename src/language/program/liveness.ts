/** Liveness of temporary registers: whose value some later statement may read. */
import { rowOfOpcode, type Traits } from '../../isa/index.ts'
import { writeMask } from '../../program/index.ts'
import type { ShaderDocument } from '../document.ts'
import { perDocument } from '../per-document.ts'
import { flowGraph } from './graph.ts'
import { componentsRead, componentsWritten } from './reads.ts'
import { registerUses } from './uses.ts'

/** The temporary registers of a text, and what each statement reads and writes of them. */
interface Registers {
  /** Their numbers, in the order of first use. */
  readonly numberOf: ReadonlyMap<string, number>
  /** The place in `uses` where those of each statement begin; one more at the end. */
  readonly starts: Int32Array
  /** The number of a register, shifted by 8, with the masks that are read and, shifted by 4, written. */
  readonly uses: readonly number[]
}

const registers = perDocument((d: ShaderDocument): Registers => {
  const numberOf = new Map<string, number>()
  const starts = new Int32Array(d.statements.length + 1)
  const uses: number[] = []
  let statement = 0
  for (const use of registerUses(d)) {
    while (statement < use.statement) starts[++statement] = uses.length
    if (use.written.file.name !== 'temp') continue
    let number = numberOf.get(use.key)
    if (number === undefined) {
      number = numberOf.size
      numberOf.set(use.key, number)
    }
    const masks = componentsRead(d, use) | (componentsWritten(use) << 4)
    if (masks !== 0) uses.push((number << 8) | masks)
  }
  starts.fill(uses.length, statement + 1)
  return { numberOf, starts, uses }
})

/** Takes the live components from behind a statement to before it. */
function stepBack(live: Uint8Array, { starts, uses }: Registers, statement: number): void {
  const [first, end] = [starts[statement]!, starts[statement + 1]!]
  for (let i = first; i < end; i++) live[uses[i]! >> 8]! &= ~(uses[i]! >> 4)
  for (let i = first; i < end; i++) live[uses[i]! >> 8]! |= uses[i]! & 15
}

/** Registers times blocks beyond this are not worth the memory: everything counts as live there. */
const MAX_BYTES = 64 * 2 ** 20

/** Live masks at the end of each block; undefined where that is not worked out. */
const liveAtEnds = perDocument((d: ShaderDocument): readonly Uint8Array[] | undefined => {
  const { blocks, predecessors, calleeEnds, callers } = flowGraph(d)
  const own = registers(d)
  const { numberOf } = own
  // What a subroutine reads and leaves is known across calls alone: there everything may be read.
  const isCalled = calleeEnds.size > 0 || callers.size > 0
  if (isCalled || numberOf.size * blocks.length > MAX_BYTES) return undefined
  const ends = blocks.map(() => new Uint8Array(numberOf.size))
  const due = blocks.map((_, i) => i)
  const isDue = new Uint8Array(blocks.length).fill(1)
  const live = new Uint8Array(numberOf.size)
  for (let block = due.pop(); block !== undefined; block = due.pop()) {
    isDue[block] = 0
    live.set(ends[block]!)
    const { statements } = blocks[block]!
    for (let i = statements.length - 1; i >= 0; i--) stepBack(live, own, statements[i]!)
    for (const p of predecessors[block]!) {
      const end = ends[p]!
      let grows = false
      for (let r = 0; r < live.length; r++) {
        const more = end[r]! | live[r]!
        grows ||= more !== end[r]
        end[r] = more
      }
      if (!grows || isDue[p] === 1) continue
      isDue[p] = 1
      due.push(p)
    }
  }
  return ends
})

/** Components of a temporary register that some statement behind this one may read; undefined where that is not known. */
export function liveAfter(d: ShaderDocument, statement: number, key: string): number | undefined {
  const ends = liveAtEnds(d)
  const block = flowGraph(d).blockOf.get(statement)
  const own = registers(d)
  const number = own.numberOf.get(key)
  if (ends === undefined || block === undefined || number === undefined) return undefined
  const live = ends[block]!.slice()
  const { statements } = flowGraph(d).blocks[block]!
  for (let i = statements.length - 1; statements[i]! > statement; i--) stepBack(live, own, statements[i]!)
  return live[number]
}

const PURE: ReadonlySet<Traits['kind']> = new Set(['alu', 'sample', 'load', 'gather'])

/** Statements that write temporary registers alone, none of which anything reads afterwards. */
export const statementsWithoutEffect = perDocument((d: ShaderDocument): readonly number[] => {
  const ends = d.isWhole ? liveAtEnds(d) : undefined
  if (ends === undefined) return []
  const own = registers(d)
  const found: number[] = []
  flowGraph(d).blocks.forEach((block, b) => {
    if (block.isUnreachable) return
    const live = ends[b]!.slice()
    for (let i = block.statements.length - 1; i >= 0; i--) {
      const at = block.statements[i]!
      if (writesDead(d, at, own, live)) found.push(at)
      stepBack(live, own, at)
    }
  })
  return found.sort((a, b) => a - b)
})

/** Whether a statement does nothing but write temporary registers, of which nothing is live behind it. */
function writesDead(d: ShaderDocument, statement: number, { starts, uses }: Registers, live: Uint8Array): boolean {
  let written = 0
  for (let i = starts[statement]!; i < starts[statement + 1]!; i++) {
    const mask = (uses[i]! >> 4) & 15
    if ((live[uses[i]! >> 8]! & mask) !== 0) return false
    if (mask !== 0) written++
  }
  const s = d.statements[statement]
  const row = written > 0 && s?.kind === 'instruction' ? rowOfOpcode(s.opcode) : undefined
  if (s?.kind !== 'instruction' || row === undefined || !PURE.has(row.traits.kind)) return false
  // A destination in another register file (o0) is an effect.
  const destinations = s.operands.filter((o, i) => row.operands[i]?.role === 'dest' && writeMask(o) !== 0)
  return destinations.length === written
}
