import { type Outcome, outcomeOf } from '../diagnostic/index.ts'
import { alignUp, ByteReader, ByteWriter } from './bytes.ts'
import { faultOutcome } from './fault.ts'

/** ILDN: the name of the file that holds the debug information of a shader. */
export interface DebugName {
  readonly flags: number
  readonly name: string
}

/** ILDN to its model: flags, length, the name with a zero, zeros up to a dword. */
export function decodeDebugName(data: Uint8Array, fourcc = 'ILDN'): Outcome<DebugName> {
  const reader = new ByteReader(data)
  const flags = reader.u16(0, 'the flags')
  const length = reader.u16(2, 'the length of the name')
  const name = reader.text(4, 'the name')
  if (name.length !== length) reader.fail('value', 2, 2, `a name of ${name.length} bytes where ${length} are stated`)
  if (reader.fault !== undefined) return faultOutcome(fourcc, reader.fault)
  return outcomeOf({ flags, name })
}

/** ILDN from its model. */
export function encodeDebugName(debugName: DebugName): Uint8Array {
  const out = new ByteWriter()
  out.u16(0, debugName.flags)
  out.u16(2, debugName.name.length)
  out.text(4, debugName.name)
  out.reserve(alignUp(out.length, 4))
  return out.finish()
}
