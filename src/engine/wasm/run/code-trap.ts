import { diagnostic, ShaderError } from '../../../diagnostic/index.ts'
import { withNamedPlaces } from '../../../program/index.ts'
import type { LoadedShader } from '../../contract.ts'
import type { CompiledKernel } from '../report/compiled-kernel.ts'

/** What a dispatch says whose code trapped: a defect of the compiler, since code checks its addresses. */

/** Where in a module the host was when it threw, as V8 and SpiderMonkey write it into a stack. */
const MODULE_OFFSET = /wasm-function\[\d+\]:0x([0-9a-f]+)/

function statementOf(error: Error, { statements }: CompiledKernel): number | undefined {
  const offset = MODULE_OFFSET.exec(error.stack ?? '')?.[1]
  if (offset === undefined) return undefined
  const at = Number.parseInt(offset, 16)
  return statements.find((s) => s.from <= at && at < s.to)?.statement
}

/** The error of a dispatch whose code threw; `thrown` is absent where it did so on another thread. */
export function codeTrap(
  thrown: unknown,
  kernel: CompiledKernel,
  { declarations, options }: LoadedShader,
): ShaderError {
  const error = thrown instanceof Error ? thrown : undefined
  const statement = error === undefined ? undefined : statementOf(error, kernel)
  const why = error === undefined ? 'on another thread of the host' : `(${error.message})`
  const text = `the compiled code trapped ${why}`
  const place = statement === undefined ? undefined : ({ kind: 'statement', index: statement } as const)
  const found = [
    diagnostic('engine-code-trap', text, place, [
      'what the dispatch had written until then stays: the contents of its UAVs are undefined, other resources are as they were unless the defect reached them',
      "dispatch it with `engine: 'reference'`, and report the program",
    ]),
  ]
  return new ShaderError(withNamedPlaces(found, declarations.program, options.listing))
}
