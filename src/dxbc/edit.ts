import type { DxbcChunk, DxbcContainer } from './container.ts'

/** The first part with one of the fourccs, in the order of the offset table. */
export function findChunk(container: DxbcContainer, ...fourccs: readonly string[]): DxbcChunk | undefined {
  return container.chunks.find((chunk) => fourccs.includes(chunk.fourcc))
}

/** The part that holds the program: SHEX, or SHDR up to Shader Model 4.1. */
export function findCodeChunk(container: DxbcContainer): DxbcChunk | undefined {
  return findChunk(container, 'SHEX', 'SHDR')
}

/**
 * The container with the data of the first part called `fourcc` replaced, or with such a part added at the end. The
 * result is signed when written: a stored checksum belonged to the old bytes.
 */
export function replaceChunk(container: DxbcContainer, fourcc: string, data: Uint8Array): DxbcContainer {
  const at = container.chunks.findIndex((chunk) => chunk.fourcc === fourcc)
  const chunks =
    at < 0
      ? [...container.chunks, { fourcc, data }]
      : container.chunks.map((chunk, i) => (i === at ? { ...chunk, data } : chunk))
  const order = container.storageOrder
  const storageOrder = at < 0 && order !== undefined ? [...order, chunks.length - 1] : order
  return {
    ...container,
    checksum: { kind: 'computed' },
    chunks,
    ...(storageOrder === undefined ? {} : { storageOrder }),
  }
}

/** The container without the parts called so. Signed when written, if any part went. */
export function stripChunks(container: DxbcContainer, fourccs: readonly string[]): DxbcContainer {
  const kept = container.chunks.map((chunk, i) => ({ chunk, i })).filter(({ chunk }) => !fourccs.includes(chunk.fourcc))
  if (kept.length === container.chunks.length) return container
  const { storageOrder, ...rest } = container
  const moved = new Map(kept.map(({ i }, index) => [i, index]))
  const order = storageOrder?.flatMap((i) => moved.get(i) ?? [])
  return {
    ...rest,
    checksum: { kind: 'computed' },
    chunks: kept.map(({ chunk }) => chunk),
    ...(order === undefined ? {} : { storageOrder: order }),
  }
}
