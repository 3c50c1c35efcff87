import { INSTRUCTIONS, type InstructionRow, PRECISE, SATURATE } from '../../../src/isa/index.ts'
import { FRAGMENT, SCRATCH, type Writer } from './writer.ts'

/** Rows with a meaning of their own that compute shaders can run. */
export const VALUE_ROWS: readonly InstructionRow[] = INSTRUCTIONS.filter(
  (row) => row.traits.kind === 'alu' && row.traits.semantics !== undefined && row.stages.includes('compute'),
)

const NONE_OLD = VALUE_ROWS.filter((row) => row.since.major === 4)

function rowsOf(w: Writer): readonly InstructionRow[] {
  return w.plan.rows ?? (w.plan.model.startsWith('4') ? NONE_OLD : VALUE_ROWS)
}

function maskOf(w: Writer, row: InstructionRow, isDouble: boolean): string {
  const { r } = w
  if (isDouble) return r.pick(['xy', 'zw', 'xyzw'])
  const pairs = row.traits.kind === 'alu' && row.traits.lanes === 'pairs'
  return pairs ? r.pick(['x', 'y', 'z', 'w', 'xy', 'xz', 'xw', 'yz', 'yw', 'zw']) : w.mask()
}

function controlsOf(w: Writer, row: InstructionRow): string {
  const saturates = row.controls.includes(SATURATE) && w.r.chance(0.2)
  const precise = row.controls.includes(PRECISE) && !w.plan.model.startsWith('4') && w.r.chance(0.1)
  return `${saturates ? '_sat' : ''}${precise ? ' [precise]' : ''}`
}

/** One of some rows, mostly of those that the plan prefers and that are not there yet. */
export function pickRow(w: Writer, known: readonly InstructionRow[]): InstructionRow {
  const missing = missingRows(w, known)
  const row = w.r.pick(missing.length > 0 && w.r.chance(0.7) ? missing : known)
  w.picked.add(row)
  return row
}

/** Rows that the plan prefers and the program does not have. */
export function missingRows(w: Writer, known: readonly InstructionRow[]): InstructionRow[] {
  return w.plan.preferred.filter((row) => !w.picked.has(row) && known.includes(row))
}

/** One value instruction with random operands. Two results may go to one register: the last in order stays. */
export function emitValue(w: Writer): void {
  const row = pickRow(w, rowsOf(w))
  const operands = row.operands.map((slot) =>
    slot.role === 'dest' ? w.destination(slot, maskOf(w, row, slot.type === 'f64')) : w.source(slot),
  )
  w.line(`${row.mnemonic}${controlsOf(w, row)} ${operands.join(', ')}`)
}

/** The value instructions that the plan prefers and the program has none of. */
export function emitMissingValues(w: Writer): void {
  while (missingRows(w, rowsOf(w)).length > 0) emitValue(w)
}

/** Comparisons make conditions that differ by thread; most other values are true everywhere. */
const COMPARISONS: readonly InstructionRow[] = VALUE_ROWS.filter(
  (row) =>
    row.operands.length === 3 &&
    row.operands[0]!.type === 'bits' &&
    row.operands[1]!.type !== 'bits' &&
    row.operands[1]!.type !== 'f64' &&
    row.since.major === 4 &&
    row.traits.kind === 'alu' &&
    row.traits.lanes === 'componentwise',
)

/** A condition in the scratch register: what follows the mnemonic of an instruction that tests it. */
export function emitTest(w: Writer): { readonly suffix: '_z' | '_nz'; readonly operand: string } {
  const { r } = w
  const suffix = r.chance(0.5) ? '_z' : '_nz'
  // Some conditions are the same in all threads, some are of no comparison at all.
  if (r.chance(0.05)) return { suffix, operand: `${w.constants(0, '1')}.x` }
  if (r.chance(0.05)) return { suffix, operand: w.one() }
  const row = r.pick(COMPARISONS)
  const [, a, b] = row.operands
  const left = w.source(a!)
  const right = w.source(b!)
  w.line(`${row.mnemonic} ${SCRATCH}.x, ${left}, ${right}`)
  return { suffix, operand: `${SCRATCH}.x` }
}

const [F0, F1, F2] = [0, 1, 2].map((n) => `r${FRAGMENT + n}`) as [string, string, string]

/** A loop of at most `turns` turns, counted in F2.w. */
function counted(w: Writer, turns: number, body: readonly string[]): void {
  w.line(`mov ${F2}.w, l(0)`)
  w.line('loop')
  w.line(`iadd ${F2}.w, ${F2}.w, l(1)`)
  w.line(`ult ${F2}.z, l(${turns}), ${F2}.w`)
  w.line(`breakc_nz ${F2}.z`)
  for (const text of body) w.line(text)
  w.line('endloop')
}

/** z = z * z + c until its square passes 4: threads leave one by one. */
function escaping(w: Writer): void {
  w.line(`mov ${F0}.xyzw, ${w.r.chance(0.5) ? 'l(0, 0, 0, 0)' : `${w.value()}.xyzw`}`)
  const c = w.value()
  counted(w, 1 + w.r.below(24), [
    `mul ${F1}.xy, ${F0}.xyxx, ${F0}.xyxx`,
    `add ${F1}.z, ${F1}.y, ${F1}.x`,
    `lt ${F1}.w, l(4.0), ${F1}.z`,
    `breakc_nz ${F1}.w`,
    `add ${F1}.x, ${F1}.x, -${F1}.y`,
    `mul ${F1}.y, ${F0}.y, ${F0}.x`,
    w.r.chance(0.5) ? `mad ${F0}.y, ${F1}.y, l(2.0), ${c}.y` : `add ${F1}.y, ${F1}.y, ${F1}.y`,
    w.r.chance(0.5) ? `add ${F0}.y, ${F1}.y, ${c}.y` : `add ${F0}.y, ${F0}.y, ${c}.y`,
    `add ${F0}.x, ${F1}.x, ${c}.x`,
  ])
}

/** A product that shrinks until it is zero: where denormals are flushed that comes earlier. */
function decay(w: Writer): void {
  w.line(`mov ${F0}.xyzw, ${w.value()}.${w.swizzle()}`)
  const factor = w.r.chance(0.5) ? `l(${w.r.pick(['0.5', '0.001', '0.9999', '1e-10', '-0.25'])})` : w.one()
  counted(w, 1 + w.r.below(40), [
    `mul ${F0}.x, ${F0}.x, ${factor}`,
    `eq ${F1}.x, ${F0}.x, l(0.0)`,
    `breakc_nz ${F1}.x`,
    `add ${F0}.yz, ${F0}.yyzz, ${F0}.xxxx`,
    `mov ${F0}.w, ${F2}.w`,
  ])
}

/** Accumulators of vectors, as a matrix product has them. */
function sum(w: Writer): void {
  w.line(`mov ${F0}.xyzw, ${w.r.chance(0.5) ? 'l(0, 0, 0, 0)' : w.literal()}`)
  w.line(`mov ${F1}.xyzw, ${w.value()}.${w.swizzle()}`)
  const other = w.value()
  counted(w, 1 + w.r.below(12), [
    `mad ${F0}.xyzw, ${F1}.xyzw, ${other}.${w.swizzle()}, ${F0}.xyzw`,
    w.r.pick([`mul ${F1}.xyzw, ${F1}.xyzw, ${w.literal()}`, `add ${F1}.xyz, ${F1}.xyzx, ${w.literal()}`]),
  ])
}

/** Differences of neighbors: denormal where both stand at the foot of the normal range. */
function difference(w: Writer): void {
  const a = w.value()
  w.line(`mul ${F1}.xyzw, ${a}.xyzw, ${w.r.pick(['l(1.0000001)', 'l(0.9999999)', 'l(1.5)'])}`)
  w.line(`add ${F0}.xyzw, ${F1}.xyzw, -${a}.xyzw`)
  w.line(`mad ${F0}.xy, ${F0}.xyxx, ${w.value()}.xyzw, ${w.literal()}`)
}

/** A vector divided by its length; half of them in a loop, where code is tried without its flushes. */
function normalize(w: Writer): void {
  const a = w.value()
  if (w.r.chance(0.5)) {
    w.line(`mov ${F0}.xyzw, ${a}.${w.swizzle()}`)
    counted(w, 1 + w.r.below(3), [
      `dp${w.r.pick([2, 3, 4])} ${F1}.x, ${F0}.xyzw, ${F0}.xyzw`,
      `rsq ${F1}.x, ${F1}.x`,
      `mul ${F0}.xyzw, ${F0}.xyzw, ${F1}.xxxx`,
      `mad ${F0}.xyzw, ${a}.xyzw, ${w.literal()}, ${F0}.xyzw`,
    ])
    return
  }
  w.line(`dp${w.r.pick([2, 3, 4])} ${F1}.x, ${a}.xyzw, ${a}.xyzw`)
  w.line(`${w.r.pick(['rsq', 'sqrt'])} ${F1}.x, ${F1}.x`)
  w.line(`mul ${F0}.xyzw, ${a}.xyzw, ${F1}.xxxx`)
  w.line(`div ${F0}.zw, ${F0}.zzzw, ${F1}.xxxx`)
}

/** Denormals made by bits, through everything that must flush them and everything that must not. */
function bits(w: Writer): void {
  w.line(`and ${F0}.xyzw, ${w.value()}.xyzw, l(0x807fffff, 0x007fffff, 0x80ffffff, 0x00ffffff)`)
  const kind = w.r.below(6)
  if (kind === 0) w.line(`max ${F0}.xyzw, ${F0}.xyzw, ${w.value()}.${w.swizzle()}`)
  if (kind === 1) w.line(`add ${F0}.xy, ${F0}.xyxx, l(0x80000000)`)
  if (kind === 2) w.line(`movc ${F0}.xyzw, ${w.value()}.xyzw, -${F0}.wzyx, |${F0}.xyzw|`)
  if (kind === 3) w.line(`mul ${F0}.xyzw, ${F0}.xyzw, l(2.0, 1.0, 8388608.0, 0.5)`)
  if (kind === 4) w.line(`ge ${F0}.xyzw, ${F0}.xyzw, ${F0}.yxwz`)
  if (kind === 5) w.line(`mov_sat ${F0}.xyz, ${F0}.xyzx`)
}

const FRAGMENTS = [escaping, decay, sum, difference, normalize, bits]

/** A piece of float code as shaders have it; its result goes to a value register. */
export function emitFragment(w: Writer): void {
  w.r.pick(FRAGMENTS)(w)
  w.line(`mov ${w.value()}.${w.mask()}, ${F0}.xyzw`)
}
