import { diagnostic, failure, type Outcome } from '../diagnostic/index.ts'
import type { ByteFault } from './bytes.ts'

/** What is wrong, as the end of a sentence. */
function describe(fault: ByteFault): string {
  switch (fault.reason) {
    case 'range':
      return `${fault.what} would need ${fault.byteLength} bytes at ${fault.byteOffset}, which is not inside the part`
    case 'unterminated-string':
      return `${fault.what} has no terminating zero`
    case 'effort':
      return `the same bytes are named too often; reading stopped at ${fault.what}`
    case 'cycle':
    case 'depth':
    case 'value':
      return `found ${fault.what}`
  }
}

/** The outcome of a decoder that stopped at a fault: no value, one error with its place in the chunk. */
export function faultOutcome<T>(fourcc: string, fault: ByteFault): Outcome<T> {
  const place = { kind: 'bytes', chunk: fourcc, byteOffset: fault.byteOffset, byteLength: fault.byteLength } as const
  return failure([diagnostic('dxbc-chunk-decode', `In ${fourcc}, ${describe(fault)}.`, place)])
}
