/** How each kind of condition looks. */
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
import { type LookerFactory, lanesWhere, NO_LANES, type Sight, sightOf } from './watching.ts'
import { isInfinite, isNaNBits, writtenWord } from './words.ts'

/** What looking for conditions takes beside the conditions. */
export interface Surroundings {
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

function statementLooker(c: StatementCondition, { declarations }: Surroundings): LookerFactory {
  const table = statementTable(declarations, c.statements)
  return () => ({ before: (wave) => (table[wave.statement] === 1 ? lanesOf(wave.active) : NO_LANES) })
}

const groupSight = (site: GroupSite, statement: number, threadCount: number): Sight => ({
  group: [site.groupX, site.groupY, site.groupZ],
  wave: 0,
  firstThread: 0,
  statement,
  lanes: Array.from({ length: threadCount }, (_, thread) => thread),
})

function barrierLooker(c: BarrierCondition, { declarations, threadCount }: Surroundings): LookerFactory {
  const table = statementTable(declarations, c.statements)
  return (see) => {
    if (c.at === 'release') {
      return {
        observer: {
          release(e) {
            if (table[e.statement] === 1) see(groupSight(e, e.statement, threadCount))
          },
        },
      }
    }
    return {
      observer: {
        barrier({ wave }) {
          if (table[wave.statement] === 1)
            see(
              sightOf(
                wave,
                lanesWhere(wave, () => true),
              ),
            )
        },
      },
    }
  }
}

const divergenceLooker: LookerFactory = (see) => ({
  observer: {
    branch({ wave, taken }) {
      const first = taken[0]
      for (let k = 1; k < wave.activeCount; k++) {
        if (taken[k] === first) continue
        see(
          sightOf(
            wave,
            lanesWhere(wave, () => true),
          ),
        )
        return
      }
    },
  },
})

function memoryLooker(c: MemoryCondition, { declarations }: Surroundings): LookerFactory {
  const counts = ({ access }: MemoryEvent): boolean =>
    c.access === 'any' || access === 'atomic' || (access === 'load') === (c.access === 'read')
  const table = statementTable(declarations, c.statements)
  return (see) => ({
    observer: {
      memory(e) {
        if (!counts(e) || table[e.wave.statement] === 0 || !touches(e, c.ranges)) return
        const found = new Set<number>()
        for (const a of accessesOf(e, c.ranges, declarations))
          if (c.access !== 'change' || a.isChange) found.add(a.lane)
        if (found.size > 0) see(sightOf(e.wave, [...found]))
      },
    },
  })
}

const FILES_WRITTEN: Readonly<Record<WriteEvent['file'], RegisterFileName>> = {
  temp: 'temp',
  'indexable-temp': 'indexable-temp',
  output: 'output',
}

function registerLooker({ place, mask, access }: RegisterCondition): LookerFactory {
  const components = mask ?? 1 << place.component
  const [register = 0, element = 0] = place.indices
  const isOfFile = (e: WriteEvent): boolean => FILE[FILES_WRITTEN[e.file]] === place.file
  return (see) => ({
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
        if (lanes.length > 0) see(sightOf(e.wave, lanes))
      },
    },
  })
}

function numberLooker(c: NumberCondition, { declarations }: Surroundings): LookerFactory {
  const { statements } = declarations.program
  const strikes = (bits: number): boolean =>
    (c.number !== 'infinity' && isNaNBits(bits)) || (c.number !== 'nan' && isInfinite(bits))
  return (see) => {
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
          for (let p = 0; p < 4; p++) if (strikes(wave.registers.source(operand, p, lane))) hadOne[lane] = 1
        }
      }
    }
    const write = (e: WriteEvent): void => {
      const s = statements[e.wave.statement]
      const operand = s?.kind === 'instruction' ? s.operands[e.operand] : undefined
      const type = s?.kind === 'instruction' ? rowOfOpcode(s.opcode)?.operands[e.operand]?.type : undefined
      if (operand === undefined || type !== 'f32') return
      const lanes = lanesWhere(e.wave, (k) => {
        if (e.elements[k]! < 0 || (c.born !== false && hadOne[e.wave.lanes[k]!] === 1)) return false
        for (let n = 0; n < 4; n++) {
          if (((e.mask >> n) & 1) === 1 && strikes(writtenWord(e, operand.type, n, k))) return true
        }
        return false
      })
      if (lanes.length > 0) see(sightOf(e.wave, lanes))
    }
    return { observer: c.born === false ? { write } : { instruction: note, write } }
  }
}

/** What makes a condition look. */
export function lookerOf(c: StopCondition, around: Surroundings): LookerFactory {
  switch (c.kind) {
    case 'statement':
      return statementLooker(c, around)
    case 'memory':
      return memoryLooker(c, around)
    case 'register':
      return registerLooker(c)
    case 'finding':
      return () => ({
        at: (clock) =>
          around
            .findingsAt(clock)
            .filter(({ finding }) => c.codes === undefined || c.codes.includes(finding.code))
            .map(({ finding, sight }) => ({ ...sight, finding })),
      })
    case 'number':
      return numberLooker(c, around)
    case 'barrier':
      return barrierLooker(c, around)
    case 'divergence':
      return divergenceLooker
    case 'group-end':
      return (see) => ({ observer: { groupEnd: (site) => see(groupSight(site, -1, around.threadCount)) } })
    default:
      return assertNever(c)
  }
}
