/**
 * The table of a texture's mips that expanded texel code reads and the engine fills before a dispatch: for each mip so many
 * words, its byte offset from the view's base and what the properties of the view have of the first one; then, for filters
 * of rows, the address of its first texel, sizes as floats, and the numbers of the last texels.
 */
export const LEVEL_WORDS = 16
export const LEVEL = {
  offset: 0,
  rowPitch: 1,
  slicePitch: 2,
  width: 4,
  height: 5,
  depth: 6,
  begin: 8,
  pitch: 9,
  floatWidth: 10,
  floatHeight: 11,
  lastX: 12,
  lastY: 13,
} as const
