import { didYouMean } from '../asm/parse/suggest.ts'

/** Slots and numbers are all near each other: nothing is guessed for them. */
const MIN_LENGTH = 3

/** The note "did you mean", where a known word is near the given one. */
export function suggestion(word: string, known: Iterable<string>): readonly string[] {
  return word.length < MIN_LENGTH ? [] : didYouMean(word, known)
}
