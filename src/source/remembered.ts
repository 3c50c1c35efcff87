/** Statements whose results are kept: a debugger needs few of them very often. */
const MOST = 256

/** A function of statements that keeps its last results: the source does not change. */
export function remembered<T>(answer: (statement: number) => T): (statement: number) => T {
  const known = new Map<number, T>()
  return (statement) => {
    const found = known.get(statement)
    if (found !== undefined) return found
    const made = answer(statement)
    // The oldest goes: maps keep the order in which keys came.
    if (known.size >= MOST) for (const oldest of known.keys()) if (known.delete(oldest)) break
    known.set(statement, made)
    return made
  }
}
