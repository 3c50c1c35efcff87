import type { DxbcContainer } from './container.ts'

const PRIME_LOW = 0x1b3
/** The FNV-1 64-bit offset basis, 0xcbf29ce484222325. */
export const FNV_BASIS = { high: 0xcbf29ce4, low: 0x84222325 } as const

/**
 * FNV-1, 64 bits (multiply, then xor), as 16 lower-case hex digits. `start` is 0 for the names that 3Dmigoto gives to
 * shader files, or FNV_BASIS for the hash as published. 64-bit products are done in 16-bit parts: the prime is
 * 2^40 + 0x1b3, so `h * prime` is `h * 0x1b3` plus the low 24 bits of `h` moved up by 40.
 */
export function fnv1Hash64(bytes: Uint8Array, start: { readonly high: number; readonly low: number } = ZERO): string {
  let a = start.low & 0xffff
  let b = start.low >>> 16
  let c = start.high & 0xffff
  let d = start.high >>> 16
  for (let i = 0; i < bytes.length; i++) {
    const p0 = a * PRIME_LOW
    const p1 = b * PRIME_LOW + (p0 >>> 16)
    const p2 = c * PRIME_LOW + (p1 >>> 16) + ((a << 8) & 0xffff)
    const p3 = d * PRIME_LOW + (p2 >>> 16) + (a >>> 8) + ((b << 8) & 0xffff)
    a = (p0 & 0xffff) ^ bytes[i]!
    b = p1 & 0xffff
    c = p2 & 0xffff
    d = p3 & 0xffff
  }
  return [d, c, b, a].map((word) => word.toString(16).padStart(4, '0')).join('')
}

const ZERO = { high: 0, low: 0 } as const

/** The chunks of 3Dmigoto's bytecode hash: programs and signatures, without debug data, names and statistics. */
const HASHED_CHUNKS: readonly string[] = ['SHDR', 'SHEX', 'ISGN', 'ISG1', 'PCSG', 'PSG1', 'OSGN', 'OSG5', 'OSG1']

/** The polynomial of CRC-32C (Castagnoli), its bits in reverse. */
const CRC32C = 0x82f63b78

const CRC_TABLE: readonly number[] = Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ CRC32C : crc >>> 1
  return crc >>> 0
})

/**
 * The hash by which 3Dmigoto names shaders with `shader_hash = bytecode`, as 16 lower-case hex digits: the CRC-32C of the
 * data of the code and signature chunks, one after another in the order of the container. Undefined where that is 0: then
 * 3Dmigoto takes its other hash.
 */
export function bytecodeHash({ chunks }: Pick<DxbcContainer, 'chunks'>): string | undefined {
  let crc = 0xffffffff
  for (const { fourcc, data } of chunks) {
    if (!HASHED_CHUNKS.includes(fourcc)) continue
    for (const byte of data) crc = (crc >>> 8) ^ CRC_TABLE[(crc ^ byte) & 0xff]!
  }
  const hash = ~crc >>> 0
  return hash === 0 ? undefined : hash.toString(16).padStart(16, '0')
}
