/** Where a member of a description stands in its text, for editors: paths as diagnostics have them, `$.commands[3].pipeline`. */
import type { TextPlace } from '../../diagnostic/index.ts'
import { type Cursor, nameOf, placeAt, readJson, readValue, skipSpace } from './json.ts'

const STEP = /\.([A-Za-z_$][\w$]*)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/y

type Step = string | number

/** The names and indices of a path, as far as they can be read. */
function stepsOf(path: string): readonly Step[] {
  const steps: Step[] = []
  STEP.lastIndex = path.startsWith('$') ? 1 : 0
  for (let found = STEP.exec(path); found !== null; found = STEP.exec(path)) {
    const [, name, index, quoted] = found
    steps.push(index === undefined ? (name ?? (JSON.parse(quoted!) as string)) : Number(index))
  }
  return steps
}

/** Moves from the start of a container to the start of one of its values; false where there is no such value. */
function enter(c: Cursor, step: Step): boolean {
  const isList = typeof step === 'number'
  if (skipSpace(c) !== (isList ? '[' : '{')) return false
  const end = isList ? ']' : '}'
  c.at++
  for (let index = 0; skipSpace(c) !== end; index++) {
    const key = isList ? index : nameOf(c)
    if (!isList) {
      skipSpace(c)
      c.at++
    }
    skipSpace(c)
    if (key === step) return true
    readValue(c, 0)
    if (skipSpace(c) === ',') c.at++
  }
  return false
}

/**
 * The value that a path leads to, on the line where it begins; of what is not there, the value that should have it. Undefined
 * where the text is not JSON.
 */
export function placeInJson(text: string, path: string): TextPlace | undefined {
  if (!readJson(text).ok) return undefined
  const c: Cursor = { text, at: text.startsWith('\ufeff') ? 1 : 0 }
  skipSpace(c)
  let start = c.at
  for (const step of stepsOf(path)) {
    c.at = start
    if (!enter(c, step)) break
    start = c.at
  }
  c.at = start
  readValue(c, 0)
  const place = placeAt(text, start)
  const untilLineEnd = place.sourceLine.length - place.column + 1
  return { ...place, length: Math.max(1, Math.min(c.at - start, untilLineEnd)) }
}
