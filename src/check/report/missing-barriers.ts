import { controlOf, rowOfOpcode, SYNC, SYNC_THREADS } from '../../isa/index.ts'
import { closedBy, openedBy, type Program } from '../../program/index.ts'
import type { Cause } from './one-cause.ts'
import type { ReportFinding } from './report.ts'
import { lineText } from './source-lines.ts'

/**
 * One missing barrier makes many pairs of statements race, in unrolled code above all: which pairs one barrier would order,
 * and where it would go.
 */

/** How control flow surrounds the statements of a program. */
interface Surroundings {
  /** By statement: the blocks around it, by the statement that opens them or their else. */
  readonly blocks: readonly (readonly number[])[]
  /** The end of each loop, by the statement that opens it. */
  readonly loops: ReadonlyMap<number, number>
  /** First statement at which some threads may have ended before; infinite where none can. */
  readonly firstExit: number
  /** Barriers that wait for threads. */
  readonly barriers: readonly number[]
}

function surroundingsOf(program: Program): Surroundings {
  const opened: number[] = []
  const blocks: number[][] = []
  const loops = new Map<number, number>()
  const barriers: number[] = []
  let firstExit = Number.POSITIVE_INFINITY
  program.statements.forEach((s, at) => {
    const traits = s.kind === 'instruction' ? rowOfOpcode(s.opcode)?.traits : undefined
    if (s.kind === 'instruction' && traits?.kind === 'sync' && (controlOf(s.controls, SYNC) & SYNC_THREADS) !== 0) {
      barriers.push(at)
    }
    const action = traits?.kind === 'flow' ? traits.action : undefined
    const kind = closedBy(action)
    if (kind !== undefined || action === 'else') {
      const start = opened.pop()
      if (kind === 'loop' && start !== undefined) loops.set(start, at)
    }
    blocks.push([...opened])
    if (openedBy(action) !== undefined || action === 'else') opened.push(at)
    const mayEnd = traits?.kind === 'flow' && action === 'ret' && (traits.conditional || opened.length > 0)
    if (mayEnd) firstExit = Math.min(firstExit, at)
  })
  return { blocks, loops, firstExit, barriers }
}

/** Statements between which a barrier would have to stand: after `low` and before `high`. */
interface Gap {
  readonly low: number
  readonly high: number
}

const FOLDED: ReadonlySet<string> = new Set(['check-race', 'check-race-atomic'])

/** The innermost loop around a race of different iterations, by the statement that opens it; undefined for other races. */
function loopOf(f: ReportFinding, around: Surroundings): number | undefined {
  if (!FOLDED.has(f.code) || f.other === undefined || f.acrossIterations !== true) return undefined
  const shared = common(around.blocks[f.site.statement]!, around.blocks[f.other.statement]!)
  return shared.findLast((block) => around.loops.has(block))
}

/** The gap of a race that a barrier between two statements would order; undefined for others. */
function gapOf(f: ReportFinding, around: Surroundings): Gap | undefined {
  if (!FOLDED.has(f.code) || f.other === undefined) return undefined
  const low = Math.min(f.site.statement, f.other.statement)
  const high = Math.max(f.site.statement, f.other.statement)
  // With a barrier between them the accesses are of different iterations of a loop.
  const isOrderedOnce = around.barriers.some((b) => b > low && b < high)
  return low === high || isOrderedOnce || loopOf(f, around) !== undefined ? undefined : { low, high }
}

/** What threads of one group share, by its barriers. */
const memoryOf = (f: ReportFinding): string => (f.memory?.space === 'tgsm' ? 'tgsm' : 'uav')

/** Groups of findings that one barrier would order: each group's gaps have a statement in common. */
function groupsOf(found: readonly (readonly [ReportFinding, Gap])[]): (readonly (readonly [ReportFinding, Gap])[])[] {
  const groups: (readonly [ReportFinding, Gap])[][] = []
  for (const pair of [...found].sort((a, b) => a[1].high - b[1].high)) {
    const [f, { low }] = pair
    const group = groups.find(
      ([first]) => low < first![1].high && first![0].code === f.code && memoryOf(first![0]) === memoryOf(f),
    )
    if (group === undefined) groups.push([pair])
    else group.push(pair)
  }
  return groups
}

/** Blocks around both of two statements. */
function common(a: readonly number[], b: readonly number[]): readonly number[] {
  const end = a.findIndex((block, n) => b[n] !== block)
  return end < 0 ? a : a.slice(0, end)
}

const ADVICE = {
  tgsm: 'GroupMemoryBarrierWithGroupSync, sync_g_t',
  uav: 'DeviceMemoryBarrierWithGroupSync, sync_uglobal_t',
} as const

const NOT_ALL_PASS =
  'not all threads of the group may pass between them, so no barrier fits there: move one of the accesses to where all do'

/** The note that says where a barrier would go; where control flow may diverge, that none fits. */
function adviceFor(gap: Gap, tgsm: boolean, around: Surroundings, textOf: (statement: number) => string): string {
  const shared = common(around.blocks[gap.low]!, around.blocks[gap.high]!)
  let before = gap.high
  while (before > gap.low && around.blocks[before]!.length !== shared.length) before--
  const isSplit = before <= gap.low || shared.some((block) => !around.loops.has(block)) || around.firstExit < before
  if (isSplit) return NOT_ALL_PASS
  const where = barrierText(tgsm, textOf(before))
  return shared.length === 0 ? where : `${where}, if all threads of the group run every iteration`
}

const barrierText = (tgsm: boolean, before: string): string =>
  `a barrier (${ADVICE[tgsm ? 'tgsm' : 'uav']}) before ${before} would order them`

/** Races of different iterations, by their loop: a barrier at its end orders them all. */
function missingInLoops(
  findings: readonly ReportFinding[],
  around: Surroundings,
  textOf: (statement: number) => string,
): Cause[] {
  const groups = new Map<string, { readonly loop: number; readonly findings: ReportFinding[] }>()
  for (const f of findings) {
    const loop = loopOf(f, around)
    if (loop === undefined) continue
    const key = `${loop} ${f.code} ${memoryOf(f)}`
    const known = groups.get(key)
    if (known === undefined) groups.set(key, { loop, findings: [f] })
    else known.findings.push(f)
  }
  return [...groups.values()].map(({ loop, findings: members }) => {
    const end = around.loops.get(loop)!
    const isSplit = around.blocks[loop]!.some((block) => !around.loops.has(block)) || around.firstExit < end
    const where = `${barrierText(memoryOf(members[0]!) === 'tgsm', textOf(end))}, if all threads of the group run every iteration`
    return {
      findings: members,
      notes: ['the accesses are of different iterations of the loop', isSplit ? NOT_ALL_PASS : where],
    }
  })
}

/** Races by the barrier that would order them, each with a note on where it would go. */
export function missingBarriers(
  findings: readonly ReportFinding[],
  program: Program,
  lineOf: (statement: number) => Parameters<typeof lineText>[0],
): Cause[] {
  if (!findings.some((f) => FOLDED.has(f.code))) return []
  const around = surroundingsOf(program)
  const pairs = findings.flatMap((f) => {
    const gap = gapOf(f, around)
    return gap === undefined ? [] : [[f, gap] as const]
  })
  const textOf = (statement: number): string => lineText(lineOf(statement))
  const inOrder = groupsOf(pairs).map((group): Cause => {
    const members = group.map(([f]) => f)
    const low = group.reduce((n, [, g]) => Math.max(n, g.low), 0)
    const high = group.reduce((n, [, g]) => Math.min(n, g.high), Number.POSITIVE_INFINITY)
    const isTgsm = memoryOf(members[0]!) === 'tgsm'
    return { findings: members, notes: [adviceFor({ low, high }, isTgsm, around, textOf)] }
  })
  return [...inOrder, ...missingInLoops(findings, around, textOf)]
}
