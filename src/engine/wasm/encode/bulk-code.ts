import { FunctionAssembler } from './assembler.ts'
import { BULK, OP } from './opcodes.ts'
import { type WebAssemblyMemory, webAssembly } from './web-assembly.ts'
import { assembleModule, type FunctionBody, I32, type Signature } from './writer.ts'

/** The bulk instructions of WebAssembly as functions over the memory of an engine; places and lengths are bytes. */
export interface BulkCode {
  /** The two ranges may overlap. */
  readonly copy: (to: number, from: number, byteLength: number) => void
  readonly clear: (at: number, byteLength: number) => void
}

const signatureOf = (parameters: number): Signature => ({ params: new Array(parameters).fill(I32), results: [] })

function copyBody(): FunctionBody {
  const f = new FunctionAssembler(3)
  // The memories that it copies between.
  f.get(0).get(1).get(2).bulk(BULK.memoryCopy).op(0).op(0).op(OP.end)
  return { signature: signatureOf(3), locals: [], code: f.code.bytes(), exported: 'copy' }
}

function clearBody(): FunctionBody {
  const f = new FunctionAssembler(2)
  f.get(0).i32(0).get(1).bulk(BULK.memoryFill).op(0).op(OP.end)
  return { signature: signatureOf(2), locals: [], code: f.code.bytes(), exported: 'clear' }
}

/** V8 copies and fills arrays over shared memory element by element, which takes several times as long. */
export function bulkCodeOf(memory: WebAssemblyMemory): BulkCode | undefined {
  const wasm = webAssembly()
  if (wasm === undefined) return undefined
  try {
    const module = new wasm.Module(assembleModule([], [copyBody(), clearBody()], true))
    const { copy, clear } = new wasm.Instance(module, { env: { memory } }).exports
    return { copy, clear } as BulkCode
  } catch {
    // The host may have limits of its own.
    return undefined
  }
}
