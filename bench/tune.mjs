// Code for the runtime as `heddle run --tune` sets it, where HEDDLE_TUNE=1 asks for it (docs/running.md): Node 24 packs pairs of vectors.
import { flagVariable } from './variables.mjs'

/**
 * Sets the switches of the runtime, once a process and before its first WebAssembly code, and says where that does nothing.
 * Answers whether code is to be made for pairs.
 */
export async function tune() {
  if (!flagVariable('HEDDLE_TUNE')) return false
  const { tuneRuntime } = await import('../dist/bin/tune.js')
  const { pairs, diagnostics } = await tuneRuntime()
  for (const d of diagnostics) console.error(d.message)
  return pairs
}
