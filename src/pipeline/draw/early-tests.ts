/** When depth and stencil are tested: before the pixel shader or after it (functional specification 16.12). */
import { FILE } from '../../isa/index.ts'
import type { Pipeline } from './description.ts'

/** Whether depth and stencil are tested, and written, before the shader: by declaration, or because nothing shows it (16.12). */
export function testsEarly(p: Pipeline): boolean {
  const d = p.pixel?.loaded.declarations
  if (d === undefined) return true
  if (d.stage.kind === 'pixel' && d.stage.forceEarlyDepthStencil) return true
  const outputs = d.entries[0]!.outputs.map((o) => o.file)
  const replaces = outputs.some(
    (f) =>
      f === FILE['output-depth'] ||
      f === FILE['output-depth-greater-equal'] ||
      f === FILE['output-depth-less-equal'] ||
      f === FILE['output-stencil-ref'],
  )
  if (replaces || d.uavs.length > 0) return false
  // Samples that pass are counted after discard, the coverage output and alpha to coverage.
  return !d.hasDiscard && !outputs.includes(FILE['output-coverage-mask']) && !p.blend.alphaToCoverageEnable
}
