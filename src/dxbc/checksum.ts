/** Bytes before the hashed part: the fourcc and the checksum itself. */
const HASHED_FROM = 20
const BLOCK = 64

/** MD5's additive constants: floor(2^32 * |sin(i + 1)|) (RFC 1321, 3.4). */
const ADD = new Int32Array(Array.from({ length: 64 }, (_, i) => Math.floor(Math.abs(Math.sin(i + 1)) * 2 ** 32) | 0))
const ROTATE = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21] as const
/** Round r reads the block's words in the order `STEP[r] * i + START[r]`. */
const STEP = [1, 5, 3, 7] as const
const START = [0, 1, 5, 0] as const

function compress(state: Int32Array, view: DataView, at: number): void {
  let a = state[0]!
  let b = state[1]!
  let c = state[2]!
  let d = state[3]!
  for (let i = 0; i < 64; i++) {
    const round = i >> 4
    const f =
      round === 0 ? (b & c) | (~b & d) : round === 1 ? (d & b) | (~d & c) : round === 2 ? b ^ c ^ d : c ^ (b | ~d)
    const word = (STEP[round]! * i + START[round]!) & 15
    const sum = (a + f + ADD[i]! + view.getInt32(at + word * 4, true)) | 0
    const by = ROTATE[round * 4 + (i & 3)]!
    a = d
    d = c
    c = b
    b = (b + ((sum << by) | (sum >>> (32 - by)))) | 0
  }
  state[0] = state[0]! + a
  state[1] = state[1]! + b
  state[2] = state[2]! + c
  state[3] = state[3]! + d
}

/**
 * The 16 bytes that sign a container: MD5 over everything after the checksum field, with its own ending. Where MD5 puts
 * the 64-bit count of bits at the end of the last block, here the low 32 bits of the count stand at its start, and its
 * last dword is a quarter of the count with bit 0 set. `bytes` is the whole container; its own checksum is not read.
 */
export function computeChecksum(bytes: Uint8Array): Uint8Array {
  const data = bytes.subarray(HASHED_FROM)
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
  const state = new Int32Array([0x67452301, 0xefcdab89 | 0, 0x98badcfe | 0, 0x10325476])
  const whole = data.length - (data.length % BLOCK)
  for (let at = 0; at < whole; at += BLOCK) compress(state, view, at)
  const rest = data.subarray(whole)
  // A rest too long to share its block with both counts gets a block of its own.
  const alone = rest.length >= BLOCK - 8
  const last = new Uint8Array(alone ? 2 * BLOCK : BLOCK)
  const lastView = new DataView(last.buffer)
  last.set(rest, alone ? 0 : 4)
  last[rest.length + (alone ? 0 : 4)] = 0x80
  lastView.setUint32(last.length - BLOCK, (data.length * 8) >>> 0, true)
  lastView.setUint32(last.length - 4, ((data.length * 2) | 1) >>> 0, true)
  for (let at = 0; at < last.length; at += BLOCK) compress(state, lastView, at)
  const digest = new Uint8Array(16)
  const digestView = new DataView(digest.buffer)
  state.forEach((word, i) => {
    digestView.setInt32(i * 4, word, true)
  })
  return digest
}

/** The checksum that a container carries; zeros where the bytes are too few. */
export function storedChecksum(bytes: Uint8Array): Uint8Array {
  const stored = new Uint8Array(16)
  stored.set(bytes.subarray(4, HASHED_FROM))
  return stored
}

/** A digest as 32 lower-case hex digits, in byte order. */
export function hexDigest(bytes: Uint8Array): string {
  return Array.from(bytes, (b) => b.toString(16).padStart(2, '0')).join('')
}
