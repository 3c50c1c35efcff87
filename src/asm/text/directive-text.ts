/**
 * Directives of the dialect `lossless`: lines that begin with a point and say what the listing of fxc has no text for.
 * Described in docs/lossless-dialect.md; printed by `lossless/`, read by `parse/` (those inside the code) and `lossless/`.
 */
export const LOSSLESS_MARK = '.lossless'
export const LOSSLESS_VERSION = 1

/** Inside the code. */
export const CODE_DIRECTIVE = {
  /** The tokens of a statement. */
  tokens: '.tokens',
  /** Class and dwords of custom data. */
  customData: '.customdata',
  /** The version token, instead of a profile. */
  version: '.version',
  /** The length token, where it is not the length of the program. */
  length: '.length',
  /** Bytes of the chunk behind the program. */
  rest: '.rest',
} as const

/** Around the code. */
export const CONTAINER_DIRECTIVE = {
  /** A file that is no container: its bytes. */
  bytes: '.bytes',
  checksum: '.checksum',
  containerVersion: '.container',
  chunk: '.chunk',
  end: '.end',
  /** Chunk numbers in the order in which they are stored. */
  storage: '.storage',
  /** Bytes before a chunk. */
  gap: '.gap',
  /** Bytes behind the last chunk, and behind the container. */
  tail: '.tail',
  trailing: '.trailing',
} as const

/** How a chunk is written: its model, the program, or its bytes. */
export const CHUNK_FORM = { model: 'model', code: 'code', bytes: 'bytes' } as const
