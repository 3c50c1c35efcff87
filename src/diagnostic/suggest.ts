/** The known word that a mistyped one was meant to be, for the notes of every room. */

/** Words longer than this are not compared: they are no typing errors. */
const MAX_LENGTH = 48

/** Edit distance (insert, delete, replace, swap neighbors), or `limit + 1` where it is more than `limit`. */
function distance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    let least = i
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      let cost = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (same ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, before[j - 2]! + 1)
      next.push(cost)
      least = Math.min(least, cost)
    }
    if (least > limit) return limit + 1
    before = row
    row = next
  }
  return row[b.length]!
}

/** The candidate most like `word`, where one is close enough to have been meant; case does not count. */
export function closest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length === 0 || word.length > MAX_LENGTH) return undefined
  const wanted = word.toLowerCase()
  let limit = Math.max(1, Math.floor(word.length / 3))
  let best: string | undefined
  for (const candidate of candidates) {
    const d = distance(wanted, candidate.toLowerCase(), limit)
    if (d > limit) continue
    best = candidate
    limit = d - 1
    if (limit < 0) break
  }
  return best
}

/** The note `did you mean ...?`, where there is something close. */
export function didYouMean(word: string, candidates: Iterable<string>): readonly string[] {
  const best = closest(word, candidates)
  return best === undefined ? [] : [`did you mean '${best}'?`]
}
