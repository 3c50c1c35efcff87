import { type Diagnostic, diagnostic } from '../../diagnostic/index.ts'
import { type IoDeclaration, SYSTEM_VALUE_NUMBER } from '../../engine/index.ts'
import { FILE } from '../../isa/index.ts'
import type { RasterizerInputs } from '../geometry.ts'
import { type PipelineShader, type SignatureRegister, sameSemantic } from '../shader.ts'

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

/** Values that come from the pipeline and not from the stage before. */
export const GENERATED: ReadonlySet<number> = new Set([
  ...[SV.vertexId, SV.primitiveId, SV.instanceId, SV.isFrontFace, SV.sampleIndex],
])

const stageName = (s: PipelineShader): string => s.loaded.declarations.stage.kind
const nameOf = (r: SignatureRegister): string => `${r.semanticName}${r.semanticIndex}`

/** Whether the code of a shader reads what its signature names: declarations that are not used are left out of the code. */
function isRead(shader: PipelineShader, input: SignatureRegister): boolean {
  const declared = shader.loaded.declarations.entries.flatMap((e) => e.inputs)
  return declared.some((d) => d.register === input.register && (d.mask & input.mask) !== 0)
}

function typeMismatch(from: PipelineShader, to: PipelineShader, output: SignatureRegister, input: SignatureRegister) {
  const text = `v${input.register} (${nameOf(input)}) is ${input.type} in the ${stageName(to)} shader and ${output.type} in the ${stageName(from)} shader; the bits are passed on as they are`
  const isSignedness = input.type !== 'float' && output.type !== 'float'
  const place = { kind: 'path', path: stageName(to) } as const
  return diagnostic('pipeline-linkage-type', text, place, [], isSignedness ? 'hint' : 'warning')
}

/** How two stages describe the registers that they share: system values, types and names, which are rarely meant to differ. */
export function checkSignatures(
  from: PipelineShader,
  to: PipelineShader,
  outputs: readonly SignatureRegister[],
  inputs: readonly SignatureRegister[],
): Diagnostic[] {
  const found: Diagnostic[] = []
  for (const input of inputs) {
    const output = outputs.find((o) => o.register === input.register && (o.mask & input.mask) !== 0)
    if (output === undefined || GENERATED.has(input.systemValue)) continue
    const texts = `${nameOf(input)} in the ${stageName(to)} shader and ${nameOf(output)} in the ${stageName(from)} shader`
    if (output.systemValue !== input.systemValue) {
      // Only the rasterizer has a use for what the stage before it calls a system value; elsewhere the name is ignored.
      if (stageName(to) !== 'pixel' || !isRead(to, input)) continue
      const text = `v${input.register} is ${texts}, of which one is a system value that the other is not. Direct3D leaves that undefined; Heddle passes on the bits`
      found.push(diagnostic('pipeline-linkage-system-value', text, { kind: 'path', path: stageName(to) }))
      continue
    }
    const { type } = output
    if (type !== undefined && input.type !== undefined && type !== input.type && isRead(to, input)) {
      found.push(typeMismatch(from, to, output, input))
    }
    if (input.systemValue !== 0 || sameSemantic(input, output.semanticName, output.semanticIndex)) continue
    found.push(diagnostic('pipeline-linkage-name', `v${input.register} is ${texts}`))
  }
  return found
}
