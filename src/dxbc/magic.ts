import { latin1 } from './bytes.ts'

/** True for bytes that begin as a DXBC container does; anything else may be assembly text. */
export function isContainer(bytes: Uint8Array): boolean {
  return bytes.length >= 4 && latin1(bytes.subarray(0, 4)) === 'DXBC'
}

/** Bytes of a container header: magic, checksum, version, size, number of chunks. */
export const CONTAINER_HEADER_BYTES = 32
