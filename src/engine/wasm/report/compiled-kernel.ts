import type { EffectItem } from '../../ir/index.ts'
import type { Assertion } from '../emit/emit-settings.ts'
import type { ReportSite } from '../emit/kernel-layout.ts'

/** What compiling a program gives: the module, and what its runs and their findings are read with. */

/** Code for one program, and what its runs need. */
export interface CompiledKernel {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly lanes: number
  /** Where in the bytes the accesses of statements stand. */
  readonly statements: readonly { readonly from: number; readonly to: number; readonly statement: number }[]
  /** Bytes of scratch memory that one worker needs. */
  readonly scratchByteLength: number
  /** Texel items that call the host, by the number that the call passes. */
  readonly hostCalls: readonly HostCall[]
  /** What leaves records, and where in scratch memory they begin. */
  readonly sites: readonly ReportSite[]
  readonly reportOffset: number
  /** Imported functions are called, so that only the thread that has them can run the code. */
  readonly callsHost: boolean
  /** What code asserts, by the number it leaves where a claim fails. */
  readonly assertions: readonly Assertion[]
}
interface HostCall {
  readonly item: Extract<EffectItem, { kind: 'texel' }>
  /** v128 per word. */
  readonly width: number
}
