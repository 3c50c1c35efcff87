import { type ByteFault, ByteReader } from '../bytes.ts'

const SIGNATURE = 'Microsoft C/C++ MSF 7.00\r\n\x1aDS\0\0\0'
/** Streams share no blocks; all together they are no longer than the file. A little slack for the directory's own. */
const MAX_GROWTH = 2

/** The streams of an MSF file (the container of a PDB); undefined and a fault where it does not hold together. */
interface MsfStreams {
  readonly streams: readonly Uint8Array[]
  readonly fault?: ByteFault
}

interface Layout {
  readonly reader: ByteReader
  readonly blockSize: number
}

/** The bytes of blocks put together, cut to `byteLength`. */
function gather(l: Layout, blocks: readonly number[], byteLength: number): Uint8Array {
  const { bytes } = l.reader
  const out = new Uint8Array(byteLength)
  for (let i = 0; i < blocks.length; i++) {
    const from = blocks[i]! * l.blockSize
    const count = Math.min(l.blockSize, byteLength - i * l.blockSize)
    if (!l.reader.claim(from, count, 'a block of a debug stream')) return out
    out.set(bytes.subarray(from, from + count), i * l.blockSize)
  }
  return out
}

const blockCount = (l: Layout, byteLength: number): number => Math.ceil(byteLength / l.blockSize)

/** Size of a stream that was deleted. */
const NO_STREAM = 0xffffffff

function readStreams(l: Layout, directory: Uint8Array): Uint8Array[] {
  const d = new ByteReader(directory)
  const sizes = d.dwords(4, d.u32(0, 'the number of debug streams'), 'the sizes of debug streams')
  const streams: Uint8Array[] = []
  let at = 4 + 4 * sizes.length
  let total = 0
  for (const stated of sizes) {
    const byteLength = stated === NO_STREAM ? 0 : stated
    total += byteLength
    if (total > MAX_GROWTH * l.reader.bytes.length) l.reader.fail('effort', 0, 0, 'the sizes of debug streams')
    const blocks = d.dwords(at, blockCount(l, byteLength), 'the blocks of a debug stream')
    if (l.reader.fault !== undefined || d.fault !== undefined) break
    streams.push(gather(l, blocks, byteLength))
    at += 4 * blocks.length
  }
  if (d.fault !== undefined) l.reader.fail('value', 0, 0, d.fault.what)
  return streams
}

/** Reads the frame of a PDB: a directory of streams, each a list of blocks. Layout as published with the PDB format. */
export function readMsf(bytes: Uint8Array): MsfStreams {
  const reader = new ByteReader(bytes)
  let signature = ''
  for (let i = 0; i < SIGNATURE.length; i++) signature += String.fromCharCode(reader.u8(i, 'the signature of the PDB'))
  if (signature !== SIGNATURE) reader.fail('value', 0, SIGNATURE.length, 'no PDB signature')
  const blockSize = reader.u32(32, 'the block size')
  const directoryLength = reader.u32(44, 'the length of the directory')
  const mapBlock = reader.u32(52, 'the block of the directory map')
  if (blockSize < 64 || blockSize > 65536) reader.fail('value', 32, 4, `a block size of ${blockSize}`)
  if (directoryLength > bytes.length) reader.fail('range', 44, directoryLength, 'the directory')
  if (reader.fault !== undefined) return { streams: [], fault: reader.fault }
  const layout = { reader, blockSize }
  const blocks = reader.dwords(mapBlock * blockSize, blockCount(layout, directoryLength), 'the directory map')
  const streams = readStreams(layout, gather(layout, blocks, directoryLength))
  return reader.fault === undefined ? { streams } : { streams: [], fault: reader.fault }
}
