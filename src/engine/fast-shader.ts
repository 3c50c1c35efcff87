import type { Outcome } from '../diagnostic/index.ts'
import type { LoadedShader, LoadOptions } from './contract.ts'
import type { Declarations } from './declarations.ts'

/** Calls a function once, and gives what it answered from then on. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/**
 * What an engine adds to a pixel shader that it loads without a wish about denormals: the same program with denormals kept and fast samples, loaded
 * when it is wanted. One that discards samples exactly: a threshold shows more of what samples differ by than of attributes.
 */
export function shaderForFast(
  { stage, hasDiscard }: Declarations,
  options: LoadOptions,
  load: (options: LoadOptions) => Outcome<LoadedShader>,
): Pick<LoadedShader, 'forFast'> {
  if (stage.kind !== 'pixel' || options.denormals !== undefined) return {}
  const { fma, minPrecision, listing } = options
  const sampling = hasDiscard ? 'exact' : 'fast'
  return { forFast: once(() => load({ denormals: 'keep', sampling, fma, minPrecision, listing }).value) }
}
