/**
 * The fault suite: puts faults into the kernels one at a time, finds out by many runs which of them misbehave, and
 * prints which of those the checker finds. Then puts in two faults at once, and two undefined values of different threads,
 * and prints whether both are found, and whether suppressing the findings of one hides the other.
 * `npx tsx scripts/mutants.ts [kernel...] [--missed] [--list] [--pairs N]`: N pairs of faults a kernel, 24 without it.
 */

import { judge, type Verdict } from '../test/faults/judge.ts'
import { mutantsOf } from '../test/faults/mutate.ts'
import { judgeTwoFaults, lanesOf, type TwoFaults, twoFaultsOf } from '../test/faults/two-faults.ts'
import { KERNEL_NAMES, readKernel } from '../test/support/kernel.ts'

const args = process.argv.slice(2)
const pairsAt = args.indexOf('--pairs')
const pairCount = pairsAt < 0 ? 24 : Number(args[pairsAt + 1])
const names = args.filter((a, i) => !a.startsWith('--') && (pairsAt < 0 || i !== pairsAt + 1))
const kernels = names.length > 0 ? names : KERNEL_NAMES

function line(v: Verdict): string {
  const { kernel, kind, statement, before, after } = v.mutant
  const proof = v.proof === undefined ? '' : ` (${v.proof})`
  return `${kernel} ${statement} ${kind}: ${before} -> ${after}\n    ${v.truth}${proof}; ${v.codes.join(' ') || 'nothing reported'}`
}

interface Row {
  misbehaves: number
  found: number
  rightCode: number
  rightLine: number
  other: number
  otherFound: number
  equivalent: number
  equivalentFound: number
}

const rows = new Map<string, Row>()
const rowOf = (key: string): Row => {
  let row = rows.get(key)
  if (row === undefined) {
    row = {
      misbehaves: 0,
      found: 0,
      rightCode: 0,
      rightLine: 0,
      other: 0,
      otherFound: 0,
      equivalent: 0,
      equivalentFound: 0,
    }
    rows.set(key, row)
  }
  return row
}

function count(row: Row, v: Verdict): void {
  if (v.truth === 'misbehaves') {
    row.misbehaves++
    row.found += v.found ? 1 : 0
    row.rightCode += v.rightCode ? 1 : 0
    row.rightLine += v.rightLine ? 1 : 0
  } else if (v.truth === 'other-result') {
    row.other++
    row.otherFound += v.found ? 1 : 0
  } else {
    row.equivalent++
    row.equivalentFound += v.found ? 1 : 0
  }
}

function print(key: string, row: Row): void {
  const total = row.misbehaves + row.other + row.equivalent
  const cells = [
    total,
    row.misbehaves,
    row.found,
    row.rightCode,
    row.rightLine,
    row.other,
    row.otherFound,
    row.equivalent,
    row.equivalentFound,
  ]
  console.log(key.padEnd(30) + cells.map((n) => String(n).padStart(11)).join(''))
}

const all: Verdict[] = []
for (const name of kernels) {
  const mutants = mutantsOf(name, readKernel(name).program)
  console.error(`${name}: ${mutants.length} mutants`)
  for (const mutant of mutants) {
    const v = await judge(mutant)
    all.push(v)
    for (const key of [`kernel ${name}`, `kind ${mutant.kind}`, 'all']) count(rowOf(key), v)
    const missed = v.truth === 'misbehaves' && !v.rightLine
    if (args.includes('--list') || (missed && args.includes('--missed'))) console.log(line(v))
  }
}
console.log(
  ''.padEnd(30) +
    ['mutants', 'misbehave', 'found', 'right code', 'right line', 'other', '..found', 'equivalent', '..found']
      .map((h) => h.padStart(11))
      .join(''),
)
for (const [key, row] of rows) print(key, row)

/** Judges programs with two faults and prints how many there are of each verdict. */
async function printTwo(title: string, of: (kernel: string) => readonly TwoFaults[]): Promise<void> {
  const counts = new Map<string, number>()
  let hidden = 0
  for (const name of kernels) {
    const all = of(name)
    console.error(`${name}: ${all.length} of ${title}`)
    for (const faults of all) {
      const v = await judgeTwoFaults(faults)
      counts.set(v.found, (counts.get(v.found) ?? 0) + 1)
      hidden += v.hidden.length
      const { first, second } = faults
      const isMissed = (v.found !== 'both' && v.found !== 'not-judged') || v.hidden.length > 0
      if (isMissed && args.includes('--missed')) {
        const what = [first, second].map((m) => `${m.kind} at ${m.statement} (${m.before})`).join(' and ')
        console.log(`${name} ${what}\n    found ${v.found}${v.hidden.map((h) => `; hidden: ${h}`).join('')}`)
      }
    }
  }
  const parts = [...counts].map(([verdict, n]) => `${verdict} ${n}`)
  console.log(`${title}: ${parts.join(', ')}; findings that a suppression of the other fault hides: ${hidden}`)
}

await printTwo('two faults at once', (name) => twoFaultsOf(name, pairCount))
await printTwo('two undefined values of different threads', lanesOf)
