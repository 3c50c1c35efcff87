/**
 * The fault suite: puts faults into the kernels one at a time, finds out by many runs which of them misbehave, and
 * prints which of those the checker finds. `npx tsx scripts/mutants.ts [kernel...] [--missed] [--list]`.
 */

import { judge, type Verdict } from '../test/faults/judge.ts'
import { mutantsOf } from '../test/faults/mutate.ts'
import { KERNEL_NAMES, readKernel } from '../test/support/kernel.ts'

const args = process.argv.slice(2)
const names = args.filter((a) => !a.startsWith('--'))
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
  for (const mutant of mutantsOf(name, readKernel(name).program)) {
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
