/** Scalars of the variables of an SDBG part. */
import type { DebugTables } from '../dxbc/index.ts'

/**
 * Rows of the scalars by the row of the variable that they are parts of, and by their place in it. Compilers leave out scalars that
 * nothing uses (corpus: gs/emit_cut.v9), so that those of a variable are not in a row.
 */
export type ScalarRows = ReadonlyMap<number, ReadonlyMap<number, number>>

const NO_ROWS: ReadonlyMap<number, number> = new Map()

export function scalarRows({ scalars }: Pick<DebugTables, 'scalars'>): ScalarRows {
  const found = new Map<number, Map<number, number>>()
  scalars.forEach(({ scopeVariable, offset }, row) => {
    const own = found.get(scopeVariable)
    if (own === undefined) found.set(scopeVariable, new Map([[offset, row]]))
    else if (!own.has(offset)) own.set(offset, row)
  })
  return found
}

/** Places in a variable with the rows of its scalars. */
export const scalarsIn = (rows: ScalarRows, variable: number): ReadonlyMap<number, number> =>
  rows.get(variable) ?? NO_ROWS
