import { FILE } from '../../isa/index.ts'
import type { PipelineShader } from '../shader.ts'
import type { PipelineDescription } from './description.ts'

/** The pixel shader of a pipeline, which may keep denormals with the precision `fast`. */

/**
 * Whether all that a shader writes are colors of floats: coverage, depth, memory and whole numbers must not depend on a value below
 * 2^-126. What it discards is its own: it may depend on the last bits of an attribute, too.
 */
function writesColorsAlone({ loaded, outputSignature }: PipelineShader): boolean {
  const { uavs, entries } = loaded.declarations
  const isColor = entries.every(({ outputs }) => outputs.every(({ file }) => file === FILE.output))
  const isFloat = outputSignature.every(({ type }) => type === undefined || type === 'float')
  return uavs.length === 0 && isColor && isFloat
}

export function pixelShaderOf({ pixel, precision, blend }: PipelineDescription): PipelineShader | undefined {
  const isExact = precision !== 'fast' || blend?.alphaToCoverageEnable === true
  if (pixel === undefined || isExact || !writesColorsAlone(pixel)) return pixel
  const loaded = pixel.loaded.forFast?.()
  return loaded === undefined ? pixel : { ...pixel, loaded }
}
