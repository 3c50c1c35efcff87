/** A command line up to the cursor as words, as shells read them: quotes and backslashes are taken off. */

/** The words; the last is the one under the cursor, empty behind a space. */
export function wordsOfLine(line: string): string[] {
  const words: string[] = []
  let word: string | undefined
  let quote = ''
  for (let i = 0; i < line.length; i++) {
    const c = line[i]!
    if (c === '\\' && quote !== "'") {
      i++
      word = (word ?? '') + (line[i] ?? '')
    } else if (quote !== '') {
      if (c === quote) quote = ''
      else word = (word ?? '') + c
    } else if (c === '"' || c === "'") {
      quote = c
      word ??= ''
    } else if (/\s/.test(c)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else word = (word ?? '') + c
  }
  return [...words, word ?? '']
}
