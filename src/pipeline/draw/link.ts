import { type Diagnostic, diagnostic } from '../../diagnostic/index.ts'
import { type IoDeclaration, SYSTEM_VALUE_NUMBER } from '../../engine/index.ts'
import { FILE } from '../../isa/index.ts'
import type { RasterizerInputs } from '../geometry.ts'
import type { PipelineShader, SignatureRegister } from '../shader.ts'

/** How stages fit together: registers link by number and component, never by name (functional specification 4.4.3.2). */

const SV = SYSTEM_VALUE_NUMBER

/** Where the rasterizer finds position, distances and indices in what the last stage before it writes. */
export function rasterizerInputs(outputs: readonly IoDeclaration[], stream: number): RasterizerInputs {
  const own = outputs.filter((d) => d.file === FILE.output && d.stream === stream)
  const wordsOf = (systemValue: number): number[] =>
    own
      .filter((d) => d.systemValue === systemValue)
      .flatMap((d) => [0, 1, 2, 3].filter((c) => (d.mask & (1 << c)) !== 0).map((c) => d.register * 4 + c))
  const first = (systemValue: number): number => wordsOf(systemValue)[0] ?? -1
  return {
    position: own.find((d) => d.systemValue === SV.position)?.register ?? -1,
    clipDistances: wordsOf(SV.clipDistance),
    cullDistances: wordsOf(SV.cullDistance),
    viewportIndex: first(SV.viewportArrayIndex),
    renderTargetIndex: first(SV.renderTargetArrayIndex),
  }
}

/** Names that two stages give to the same register and that differ: allowed, and rarely meant. */
export function checkNames(
  from: PipelineShader,
  to: PipelineShader,
  outputs: readonly SignatureRegister[],
  inputs: readonly SignatureRegister[],
): Diagnostic[] {
  const found: Diagnostic[] = []
  for (const input of inputs) {
    const output = outputs.find((o) => o.register === input.register && (o.mask & input.mask) !== 0)
    if (output === undefined || input.systemValue !== 0 || output.systemValue !== 0) continue
    const same =
      output.semanticName.toUpperCase() === input.semanticName.toUpperCase() &&
      output.semanticIndex === input.semanticIndex
    if (same) continue
    const text = `v${input.register} is ${input.semanticName}${input.semanticIndex} in the ${to.loaded.declarations.stage.kind} shader and ${output.semanticName}${output.semanticIndex} in the ${from.loaded.declarations.stage.kind} shader`
    found.push(diagnostic('pipeline-linkage-name', text))
  }
  return found
}
