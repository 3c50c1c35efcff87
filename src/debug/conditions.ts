/** How each kind of condition is tested. */
import { assertNever } from '../diagnostic/index.ts'
import type { Declarations, GroupSite, MemoryEvent, Observer, WriteEvent } from '../engine/index.ts'
import { FILE, type RegisterFileName, rowOfOpcode } from '../isa/index.ts'
import type { SeenFinding } from './findings.ts'
import { lanesOf } from './lanes.ts'
import { accessesOf, touches } from './memory.ts'
import type {
  BarrierCondition,
  Clock,
  MemoryCondition,
  NumberCondition,
  RegisterCondition,
  StatementCondition,
  StopCondition,
} from './model.ts'
import { type ConditionTestFactory, lanesWhere, NO_LANES, type PossibleHit, possibleHit } from './watching.ts'
import { isInfinite, isNaNBits, writtenWord } from './words.ts'

/** What tests of conditions take beside the conditions. */
export interface ConditionContext {
  readonly declarations: Declarations
  readonly threadCount: number
  /** Findings that were reported in the statement before a clock. */
  findingsAt(clock: Clock): readonly SeenFinding[]
}

/** By index in `Program.statements`: 1 for those of a list; all where there is none. */
function statementTable({ program }: Declarations, statements: readonly number[] | undefined): Uint8Array {
  const table = new Uint8Array(program.statements.length)
  if (statements === undefined) return table.fill(1)
  for (const s of statements) if (s >= 0 && s < table.length) table[s] = 1
  return table
}

function statementTest(c: StatementCondition, { declarations }: ConditionContext): ConditionTestFactory {
  const table = statementTable(declarations, c.statements)
  return () => ({ before: (wave) => (table[wave.statement] === 1 ? lanesOf(wave.active) : NO_LANES) })
}

const groupHit = (site: GroupSite, statement: number, threadCount: number): PossibleHit => ({
  group: [site.groupX, site.groupY, site.groupZ],
  wave: 0,
  firstThread: 0,
  statement,
  lanes: Array.from({ length: threadCount }, (_, thread) => thread),
})

function barrierTest(c: BarrierCondition, { declarations, threadCount }: ConditionContext): ConditionTestFactory {
  const table = statementTable(declarations, c.statements)
  return (report) => {
    if (c.at === 'release') {
      return {
        observer: {
          release(e) {
            if (table[e.statement] === 1) report(groupHit(e, e.statement, threadCount))
          },
        },
      }
    }
    return {
      observer: {
        barrier({ wave }) {
          if (table[wave.statement] === 1)
            report(
              possibleHit(
                wave,
                lanesWhere(wave, () => true),
              ),
            )
        },
      },
    }
  }
}

const divergenceTest: ConditionTestFactory = (report) => ({
  observer: {
    branch({ wave, taken }) {
      const first = taken[0]
      for (let k = 1; k < wave.activeCount; k++) {
        if (taken[k] === first) continue
        report(
          possibleHit(
            wave,
            lanesWhere(wave, () => true),
          ),
        )
        return
      }
    },
  },
})

function memoryTest(c: MemoryCondition, { declarations }: ConditionContext): ConditionTestFactory {
  const counts = ({ access }: MemoryEvent): boolean =>
    c.access === 'any' || access === 'atomic' || (access === 'load') === (c.access === 'read')
  const table = statementTable(declarations, c.statements)
  return (report) => ({
    observer: {
      memory(e) {
        if (!counts(e) || table[e.wave.statement] === 0 || !touches(e, c.ranges)) return
        const found = new Set<number>()
        for (const a of accessesOf(e, c.ranges, declarations))
          if (c.access !== 'change' || a.isChange) found.add(a.lane)
        if (found.size > 0) report(possibleHit(e.wave, [...found]))
      },
    },
  })
}

const FILES_WRITTEN: Readonly<Record<WriteEvent['file'], RegisterFileName>> = {
  temp: 'temp',
  'indexable-temp': 'indexable-temp',
  output: 'output',
}

function registerTest({ place, mask, access }: RegisterCondition): ConditionTestFactory {
  const components = mask ?? 1 << place.component
  const [register = 0, element = 0] = place.indices
  const isOfFile = (e: WriteEvent): boolean => FILE[FILES_WRITTEN[e.file]] === place.file
  return (report) => ({
    observer: {
      write(e) {
        const written = e.mask & components
        if (written === 0 || e.register !== register || !isOfFile(e)) return
        const isIndexed = e.file === 'indexable-temp'
        const lanes = lanesWhere(e.wave, (k) => {
          if (isIndexed && e.elements[k] !== element) return false
          if (access === 'write') return true
          for (let c = 0; c < 4; c++) {
            if (((written >> c) & 1) === 1 && writtenWord(e, place.file, c, k) !== e.before[k * 4 + c]) return true
          }
          return false
        })
        if (lanes.length > 0) report(possibleHit(e.wave, lanes))
      },
    },
  })
}

function numberTest(c: NumberCondition, { declarations }: ConditionContext): ConditionTestFactory {
  const { statements } = declarations.program
  const isSought = (bits: number): boolean =>
    (c.number !== 'infinity' && isNaNBits(bits)) || (c.number !== 'nan' && isInfinite(bits))
  return (report) => {
    /** By lane: a source of the statement under way was such a number. */
    const hadOne = new Uint8Array(64)
    const note: Observer['instruction'] = (wave) => {
      hadOne.fill(0)
      const s = statements[wave.statement]
      const row = s?.kind === 'instruction' ? rowOfOpcode(s.opcode) : undefined
      if (s?.kind !== 'instruction' || row === undefined) return
      for (const [operand, slot] of row.operands.entries()) {
        if (slot.role === 'dest' || slot.type !== 'f32' || s.operands[operand] === undefined) continue
        for (let k = 0; k < wave.activeCount; k++) {
          const lane = wave.lanes[k]!
          for (let p = 0; p < 4; p++) if (isSought(wave.registers.source(operand, p, lane))) hadOne[lane] = 1
        }
      }
    }
    const write = (e: WriteEvent): void => {
      const s = statements[e.wave.statement]
      const operand = s?.kind === 'instruction' ? s.operands[e.operand] : undefined
      const type = s?.kind === 'instruction' ? rowOfOpcode(s.opcode)?.operands[e.operand]?.type : undefined
      if (operand === undefined || type !== 'f32') return
      const lanes = lanesWhere(e.wave, (k) => {
        if (e.elements[k]! < 0 || (c.produced !== false && hadOne[e.wave.lanes[k]!] === 1)) return false
        for (let n = 0; n < 4; n++) {
          if (((e.mask >> n) & 1) === 1 && isSought(writtenWord(e, operand.type, n, k))) return true
        }
        return false
      })
      if (lanes.length > 0) report(possibleHit(e.wave, lanes))
    }
    return { observer: c.produced === false ? { write } : { instruction: note, write } }
  }
}

/** The test of a condition. */
export function testOf(c: StopCondition, context: ConditionContext): ConditionTestFactory {
  switch (c.kind) {
    case 'statement':
      return statementTest(c, context)
    case 'memory':
      return memoryTest(c, context)
    case 'register':
      return registerTest(c)
    case 'finding':
      return () => ({
        at: (clock) =>
          context
            .findingsAt(clock)
            .filter(({ finding }) => c.codes === undefined || c.codes.includes(finding.code))
            .map(({ finding, hit }) => ({ ...hit, finding })),
      })
    case 'number':
      return numberTest(c, context)
    case 'barrier':
      return barrierTest(c, context)
    case 'divergence':
      return divergenceTest
    case 'group-end':
      return (report) => ({ observer: { groupEnd: (site) => report(groupHit(site, -1, context.threadCount)) } })
    default:
      return assertNever(c)
  }
}
