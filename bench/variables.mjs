// The HEDDLE_* variables of the environment that measurements and scripts read, and the numbers of scripts' arguments. One that is
// not understood ends the process with what was found and what was expected: it never counts as another value.

/** Ends the process. */
function refuse(what, found, expected) {
  console.error(`${what} is "${found}"; it must be ${expected}`)
  process.exit(2)
}

/** The text of a variable; undefined where it is not set or empty. */
const textOf = (name) => (process.env[name] === '' ? undefined : process.env[name])

function parseNumber(what, text, { least = 1, most = Number.MAX_SAFE_INTEGER, isWhole = true }) {
  const value = Number(text)
  const isGood = text.trim() !== '' && value >= least && value <= most && (!isWhole || Number.isSafeInteger(value))
  if (isGood) return value
  const kind = isWhole ? 'a whole number' : 'a number'
  const limits = most === Number.MAX_SAFE_INTEGER ? `from ${least}` : `from ${least} to ${most}`
  return refuse(what, text, `${kind} ${limits}`)
}

/** A number; whole and from 1 where nothing else is said. */
export function numberVariable(name, fallback, limits = {}) {
  const text = textOf(name)
  return text === undefined ? fallback : parseNumber(name, text, limits)
}

/** Numbers with commas between them. */
export const numbersVariable = (name, fallback, limits = {}) =>
  textOf(name)
    ?.split(',')
    .map((text) => parseNumber(name, text, limits)) ?? fallback

/** Names with commas between them, each one of those that are known; undefined where the variable is not set. */
export function namesVariable(name, known) {
  const names = textOf(name)?.split(',')
  const unknown = names?.find((n) => !known.includes(n))
  return unknown === undefined
    ? names
    : refuse(name, unknown, `one or more of ${known.join(', ')}, with commas between them`)
}

/** One of the values that are known; undefined where the variable is not set. */
export function choiceVariable(name, known) {
  const text = textOf(name)
  return text === undefined || known.includes(text) ? text : refuse(name, text, known.join(' or '))
}

/** 1 for yes; 0, or nothing, for no. */
export const flagVariable = (name) => choiceVariable(name, ['0', '1']) === '1'

/** Any text, as a path; undefined where the variable is not set. */
export const textVariable = textOf

/** A number among the arguments of a script; whole and from 0 where nothing else is said. */
export const numberArgument = (what, text, fallback, limits = {}) =>
  text === undefined ? fallback : parseNumber(what, text, { least: 0, ...limits })
