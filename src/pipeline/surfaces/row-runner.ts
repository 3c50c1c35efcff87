/** Does something to rows of a surface, from the first up to the second; rows do not depend on each other. */
export type RowRunner = (from: number, to: number) => void
