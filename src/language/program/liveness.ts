/** Liveness of temporary registers: whose value some later statement may read. */
import { rowOfOpcode } from '../../isa/index.ts'
import { writtenComponents } from '../../program/index.ts'
import type { ShaderDocument } from '../document.ts'
import { perDocument } from '../per-document.ts'
import { flowGraph } from './graph.ts'
import { componentsRead, componentsWritten } from './reads.ts'
import { registerUses } from './uses.ts'

/** Bits of a statement: 4 a register, at the register's place in the order of first use. */
interface StatementBits {
  /** Pairs of register number and mask. */
  readonly reads: number[]
  readonly writes: number[]
}

interface Registers {
  readonly numberOf: ReadonlyMap<string, number>
  readonly bits: ReadonlyMap<number, StatementBits>
}

const registers = perDocument((d: ShaderDocument): Registers => {
  const numberOf = new Map<string, number>()
  const bits = new Map<number, StatementBits>()
  for (const use of registerUses(d)) {
    if (use.written.file.name !== 'temp') continue
    const number = numberOf.get(use.key) ?? numberOf.size
    numberOf.set(use.key, number)
    const own = bits.get(use.statement) ?? { reads: [], writes: [] }
    bits.set(use.statement, own)
    const [read, written] = [componentsRead(d, use), componentsWritten(use)]
    if (read !== 0) own.reads.push(number, read)
    if (written !== 0) own.writes.push(number, written)
  }
  return { numberOf, bits }
})

/** Takes the live components from behind a statement to before it. */
function stepBack(live: Uint8Array, own: StatementBits | undefined): void {
  if (own === undefined) return
  for (let i = 0; i < own.writes.length; i += 2) live[own.writes[i]!]! &= ~own.writes[i + 1]!
  for (let i = 0; i < own.reads.length; i += 2) live[own.reads[i]!]! |= own.reads[i + 1]!
}

/** Registers times blocks beyond this are not worth the memory: everything counts as live there. */
const MAX_BYTES = 64 * 2 ** 20

/** Live masks at the end of each block; undefined where that is not worked out. */
const liveAtEnds = perDocument((d: ShaderDocument): readonly Uint8Array[] | undefined => {
  const { blocks, predecessors, calleeEnds, callers } = flowGraph(d)
  const { numberOf, bits } = registers(d)
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
    for (let i = statements.length - 1; i >= 0; i--) stepBack(live, bits.get(statements[i]!))
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
  const number = registers(d).numberOf.get(key)
  if (ends === undefined || block === undefined || number === undefined) return undefined
  const live = ends[block]!.slice()
  const { statements } = flowGraph(d).blocks[block]!
  for (let i = statements.length - 1; statements[i]! > statement; i--)
    stepBack(live, registers(d).bits.get(statements[i]!))
  return live[number]
}

/** Whether a statement does nothing but write its destinations. */
function isPure(d: ShaderDocument, statement: number): boolean {
  const s = d.statements[statement]
  const traits = s?.kind === 'instruction' ? rowOfOpcode(s.opcode)?.traits : undefined
  return traits?.kind === 'alu' || traits?.kind === 'sample' || traits?.kind === 'load' || traits?.kind === 'gather'
}

/** Statements that write temporary registers alone, none of which anything reads afterwards. */
export const statementsWithoutEffect = perDocument((d: ShaderDocument): readonly number[] => {
  const ends = liveAtEnds(d)
  if (ends === undefined || !d.isWhole) return []
  const { bits } = registers(d)
  const found: number[] = []
  flowGraph(d).blocks.forEach((block, b) => {
    if (block.isUnreachable) return
    const live = ends[b]!.slice()
    for (let i = block.statements.length - 1; i >= 0; i--) {
      const at = block.statements[i]!
      const own = bits.get(at)
      if (own !== undefined && own.writes.length > 0 && isPure(d, at) && writesDead(d, at, own, live)) found.push(at)
      stepBack(live, own)
    }
  })
  return found.sort((a, b) => a - b)
})

function writesDead(d: ShaderDocument, statement: number, own: StatementBits, live: Uint8Array): boolean {
  const s = d.statements[statement]
  if (s?.kind !== 'instruction') return false
  const row = rowOfOpcode(s.opcode)!
  // A destination in another register file (o0) is an effect.
  const destinations = row.operands.flatMap((slot, i) => (slot.role === 'dest' ? [s.operands[i]!] : []))
  const writing = destinations.filter((o) => writtenComponents(o).length > 0)
  if (writing.length * 2 !== own.writes.length) return false
  for (let i = 0; i < own.writes.length; i += 2) if (live[own.writes[i]!]! & own.writes[i + 1]!) return false
  return true
}
