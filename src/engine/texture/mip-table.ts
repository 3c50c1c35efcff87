/**
 * The table of a texture's mips that expanded texel code reads and the engine fills before a dispatch: for each mip so many
 * words, its byte offset from the view's base and what the properties of the view have of the first one.
 */
export const LEVEL_WORDS = 8
export const LEVEL = { offset: 0, rowPitch: 1, slicePitch: 2, width: 4, height: 5, depth: 6 } as const
