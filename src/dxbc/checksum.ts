/** Bytes before the hashed part: the fourcc and the checksum itself. */
const HASHED_FROM = 20
const BLOCK = 64

/** MD5's additive constants: floor(2^32 * |sin(i + 1)|) (RFC 1321, 3.4). */
const ADD = new Int32Array(Array.from({ length: 64 }, (_, i) => Math.floor(Math.abs(Math.sin(i + 1)) * 2 ** 32) | 0))

/** The words of the block in work, little-endian. */
const M = new Int32Array(16)

/** What ends a step: the sum rotated, and the neighbor added. Shifts take the low 32 bits of a sum. */
function rotated(neighbor: number, sum: number, by: number): number {
  return (neighbor + ((sum << by) | (sum >>> (32 - by)))) | 0
}

/** MD5's 64 steps (RFC 1321, 3.4): four rounds, four steps a turn so that the registers need not be moved about. */
function compress(state: Int32Array, view: DataView, at: number): void {
  for (let i = 0; i < 16; i++) M[i] = view.getInt32(at + i * 4, true)
  // One by one: taken from a list they would be doubles to the compiler, which is three times as slow.
  let a = state[0]!
  let b = state[1]!
  let c = state[2]!
  let d = state[3]!
  for (let i = 0; i < 16; i += 4) {
    a = rotated(b, a + ((b & c) | (~b & d)) + ADD[i]! + M[i]!, 7)
    d = rotated(a, d + ((a & b) | (~a & c)) + ADD[i + 1]! + M[i + 1]!, 12)
    c = rotated(d, c + ((d & a) | (~d & b)) + ADD[i + 2]! + M[i + 2]!, 17)
    b = rotated(c, b + ((c & d) | (~c & a)) + ADD[i + 3]! + M[i + 3]!, 22)
  }
  for (let i = 16; i < 32; i += 4) {
    a = rotated(b, a + ((d & b) | (~d & c)) + ADD[i]! + M[(5 * i + 1) & 15]!, 5)
    d = rotated(a, d + ((c & a) | (~c & b)) + ADD[i + 1]! + M[(5 * i + 6) & 15]!, 9)
    c = rotated(d, c + ((b & d) | (~b & a)) + ADD[i + 2]! + M[(5 * i + 11) & 15]!, 14)
    b = rotated(c, b + ((a & c) | (~a & d)) + ADD[i + 3]! + M[(5 * i + 16) & 15]!, 20)
  }
  for (let i = 32; i < 48; i += 4) {
    a = rotated(b, a + (b ^ c ^ d) + ADD[i]! + M[(3 * i + 5) & 15]!, 4)
    d = rotated(a, d + (a ^ b ^ c) + ADD[i + 1]! + M[(3 * i + 8) & 15]!, 11)
    c = rotated(d, c + (d ^ a ^ b) + ADD[i + 2]! + M[(3 * i + 11) & 15]!, 16)
    b = rotated(c, b + (c ^ d ^ a) + ADD[i + 3]! + M[(3 * i + 14) & 15]!, 23)
  }
  for (let i = 48; i < 64; i += 4) {
    a = rotated(b, a + (c ^ (b | ~d)) + ADD[i]! + M[(7 * i) & 15]!, 6)
    d = rotated(a, d + (b ^ (a | ~c)) + ADD[i + 1]! + M[(7 * i + 7) & 15]!, 10)
    c = rotated(d, c + (a ^ (d | ~b)) + ADD[i + 2]! + M[(7 * i + 14) & 15]!, 15)
    b = rotated(c, b + (d ^ (c | ~a)) + ADD[i + 3]! + M[(7 * i + 21) & 15]!, 21)
  }
  state[0] = state[0]! + a
  state[1] = state[1]! + b
  state[2] = state[2]! + c
  state[3] = state[3]! + d
}

/** MD5 of `data` up to its last whole block, then of the blocks that `last` makes of the rest. */
function digestOf(data: Uint8Array, last: (rest: Uint8Array) => Uint8Array): Uint8Array {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
  const state = new Int32Array([0x67452301, 0xefcdab89 | 0, 0x98badcfe | 0, 0x10325476])
  const whole = data.length - (data.length % BLOCK)
  for (let at = 0; at < whole; at += BLOCK) compress(state, view, at)
  const ending = last(data.subarray(whole))
  const endingView = new DataView(ending.buffer)
  for (let at = 0; at < ending.length; at += BLOCK) compress(state, endingView, at)
  const digest = new Uint8Array(16)
  const digestView = new DataView(digest.buffer)
  state.forEach((word, i) => {
    digestView.setInt32(i * 4, word, true)
  })
  return digest
}

/** MD5 of some bytes (RFC 1321), by which debug data identifies files of source. */
export function md5(bytes: Uint8Array): Uint8Array {
  return digestOf(bytes, (rest) => {
    const last = new Uint8Array(rest.length >= BLOCK - 8 ? 2 * BLOCK : BLOCK)
    last.set(rest)
    last[rest.length] = 0x80
    const view = new DataView(last.buffer)
    view.setUint32(last.length - 8, (bytes.length * 8) >>> 0, true)
    view.setUint32(last.length - 4, Math.floor(bytes.length / 2 ** 29), true)
    return last
  })
}

/**
 * The 16 bytes that sign a container: MD5 over everything after the checksum field, with its own ending. Where MD5 puts
 * the 64-bit count of bits at the end of the last block, here the low 32 bits of the count stand at its start, and its
 * last dword is a quarter of the count with bit 0 set. `bytes` is the whole container; its own checksum is not read.
 */
export function computeChecksum(bytes: Uint8Array): Uint8Array {
  const data = bytes.subarray(HASHED_FROM)
  return digestOf(data, (rest) => {
    // A rest too long to share its block with both counts gets a block of its own.
    const alone = rest.length >= BLOCK - 8
    const last = new Uint8Array(alone ? 2 * BLOCK : BLOCK)
    const view = new DataView(last.buffer)
    last.set(rest, alone ? 0 : 4)
    last[rest.length + (alone ? 0 : 4)] = 0x80
    view.setUint32(last.length - BLOCK, (data.length * 8) >>> 0, true)
    view.setUint32(last.length - 4, ((data.length * 2) | 1) >>> 0, true)
    return last
  })
}

/** The checksum in a container; zeros where the bytes are too few. */
export function storedChecksum(bytes: Uint8Array): Uint8Array {
  const stored = new Uint8Array(16)
  stored.set(bytes.subarray(4, HASHED_FROM))
  return stored
}

/** A digest as 32 lower-case hex digits, in byte order. */
export function hexDigest(bytes: Uint8Array): string {
  return Array.from(bytes, (b) => b.toString(16).padStart(2, '0')).join('')
}
