import { FunctionAssembler } from './assembler.ts'
import { BULK, OP } from './opcodes.ts'
import { type WebAssemblyMemory, webAssembly } from './web-assembly.ts'
import { assembleModule, I32, type Signature } from './writer.ts'

/** Copies so many bytes to a place in the memory of an engine from another one; they may overlap. */
export type CopyBytes = (to: number, from: number, byteLength: number) => void

/** The bulk instruction of WebAssembly as a function: V8 copies arrays over shared memory word by word, which takes several times as long. */
export function copyCodeOf(memory: WebAssemblyMemory): CopyBytes | undefined {
  const wasm = webAssembly()
  if (wasm === undefined) return undefined
  const f = new FunctionAssembler(3)
  // The memories that it copies between.
  f.get(0).get(1).get(2).bulk(BULK.memoryCopy).op(0).op(0).op(OP.end)
  const signature: Signature = { params: [I32, I32, I32], results: [] }
  const body = { signature, locals: [], code: f.code.bytes(), exported: 'copy' }
  try {
    const module = new wasm.Module(assembleModule([], [body], true))
    return new wasm.Instance(module, { env: { memory } }).exports['copy'] as CopyBytes
  } catch {
    // The host may have limits of its own.
    return undefined
  }
}
