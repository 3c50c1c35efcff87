/** Words longer than this are not compared: nobody mistypes that much. */
const MAX_LENGTH = 64

/** Insertions, deletions and replacements from one word to the other. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1
      next.push(Math.min(next[j - 1]! + 1, row[j]! + 1, row[j - 1]! + same))
    }
    row = next
  }
  return row[b.length]!
}

/** The note "did you mean", where a known word is near the given one. */
export function suggestion(word: string, known: Iterable<string>): string[] {
  if (word.length === 0 || word.length > MAX_LENGTH) return []
  let best: string | undefined
  let least = Math.max(1, Math.floor(word.length / 3)) + 1
  for (const k of known) {
    const d = editDistance(word.toLowerCase(), k.toLowerCase())
    if (d < least) {
      least = d
      best = k
    }
  }
  return best === undefined ? [] : [`did you mean "${best}"?`]
}
