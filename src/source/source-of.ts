import { DiagnosticCollector, type Outcome, outcomeOf } from '../diagnostic/index.ts'
import { reflect } from '../dxbc/index.ts'
import { gatherDeclarations } from '../engine/index.ts'
import type { Shader } from '../shader/index.ts'
import { listingMap } from './listing-map.ts'
import type { SourceMap } from './model.ts'

/** What a map is made with. */
export interface SourceOptions {
  /** The bytes of a PDB that stands beside the shader, used where the container has no debug data itself. */
  readonly database?: Uint8Array | undefined
}

/**
 * What the source says of a shader. There is always a map: without debug data, or where it is broken (which diagnostics
 * say), the listing stands for the source.
 */
export function sourceOf(shader: Shader, _options: SourceOptions = {}): Outcome<SourceMap> & { value: SourceMap } {
  const found = new DiagnosticCollector()
  const declarations = gatherDeclarations(shader.program)
  const reflection = reflect(shader.container).value
  const value = listingMap(shader.program, reflection, declarations.value)
  return { ...outcomeOf(value, found.finish()), value }
}
