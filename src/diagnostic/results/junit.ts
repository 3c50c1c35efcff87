/** JUnit XML of test cases: the checker and `heddle run` give their reports to a CI by it. */
import type { ShardMark } from './shard.ts'

export interface JunitCase {
  readonly className: string
  readonly name: string
  readonly file: string
  readonly seconds?: number
  /** Absent where the case passed. An error is a case that did not start. */
  readonly problem?: {
    readonly kind: 'failure' | 'error'
    readonly type: string
    readonly message: string
    readonly text: string
  }
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Text for XML: characters that it cannot hold are left out. */
function xmlText(text: string): string {
  return [...text]
    .filter((c) => c >= ' ' || c === '\n' || c === '\t')
    .map((c) => ENTITIES[c] ?? c)
    .join('')
}

const timeText = (seconds: number | undefined): string => (seconds === undefined ? '' : ` time="${seconds.toFixed(3)}"`)

function caseText({ className, name, file, seconds, problem }: JunitCase): string {
  const names = `classname="${xmlText(className)}" name="${xmlText(name)}" file="${xmlText(file)}"`
  const head = `    <testcase ${names}${timeText(seconds)}>`
  if (problem === undefined) return `${head}</testcase>`
  const { kind, type, message, text } = problem
  const inside = `<${kind} type="${xmlText(type)}" message="${xmlText(message)}">${xmlText(text)}</${kind}>`
  return `${head}\n      ${inside}\n    </testcase>`
}

function markText(mark: ShardMark | undefined): string {
  if (mark === undefined) return ''
  const lines = Object.entries(mark).map(
    ([key, value]) => `      <property name="heddle.${key}" value="${xmlText(String(value))}"/>`,
  )
  return `    <properties>\n${lines.join('\n')}\n    </properties>\n`
}

/** One suite of test cases. Its time is that of the cases together. */
export function junitXml(suite: string, cases: readonly JunitCase[], mark?: ShardMark): string {
  const count = (kind: 'failure' | 'error'): number => cases.filter((c) => c.problem?.kind === kind).length
  const known = cases.flatMap((c) => c.seconds ?? [])
  const time = timeText(known.length === 0 ? undefined : known.reduce((a, b) => a + b, 0))
  const counts = `tests="${cases.length}" failures="${count('failure')}" errors="${count('error')}"${time}`
  const lines = markText(mark) + cases.map((c) => `${caseText(c)}\n`).join('')
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites ${counts}>\n  <testsuite name="${xmlText(suite)}" ${counts}>\n${lines}  </testsuite>\n</testsuites>\n`
}
