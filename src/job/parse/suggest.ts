import { didYouMean } from '../../diagnostic/index.ts'

/** Slots and numbers are all near each other: nothing is guessed for them. */
const MIN_LENGTH = 3
const MAX_NAMED = 4

/**
 * The note "did you mean", where a known word is near the given one, or else the known words that have it in them:
 * LINEAR stands in MIN_MAG_MIP_LINEAR, which is far from it by letters.
 */
export function suggestion(word: string, known: Iterable<string>): readonly string[] {
  if (word.length < MIN_LENGTH) return []
  const words = [...known]
  const near = didYouMean(word, words)
  if (near.length > 0) return near
  const parts = word
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((p) => p !== '')
  const containing = words.filter((w) => parts.every((p) => w.toLowerCase().split('_').includes(p)))
  // The shortest has the fewest letters that were not given.
  const named = containing.sort((a, b) => a.length - b.length).slice(0, MAX_NAMED)
  return parts.length === 0 || named.length === 0
    ? abbreviated(word, words)
    : [`did you mean ${named.map((w) => `'${w}'`).join(' or ')}?`]
}

/** The shortest words that begin with the given one: `tex` for texture1d, texture2d and texture3d. */
function abbreviated(word: string, words: readonly string[]): readonly string[] {
  const longer = words.filter((w) => w.toLowerCase().startsWith(word.toLowerCase()))
  const named = longer.sort((a, b) => a.length - b.length).slice(0, MAX_NAMED)
  return named.length === 0 ? [] : [`did you mean ${named.map((w) => `'${w}'`).join(' or ')}?`]
}
