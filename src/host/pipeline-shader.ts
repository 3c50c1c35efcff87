import { valueOrThrow } from '../diagnostic/index.ts'
import { type DxbcContainer, decodeSignature, isSignatureFourcc, type SignatureFourcc } from '../dxbc/index.ts'
import type { LoadedShader } from '../engine/index.ts'
import type { PipelineShader, SignatureRegister } from '../pipeline/index.ts'

/** Shaders of pipelines: a loaded program with the names that its container's signatures give to registers. */

const INPUT: readonly SignatureFourcc[] = ['ISGN', 'ISG1']
const OUTPUT: readonly SignatureFourcc[] = ['OSGN', 'OSG5', 'OSG1']
const PATCH: readonly SignatureFourcc[] = ['PCSG', 'PSG1']

function registersOf(container: DxbcContainer, wanted: readonly SignatureFourcc[]): SignatureRegister[] {
  for (const { fourcc, data } of container.chunks) {
    if (!isSignatureFourcc(fourcc) || !wanted.includes(fourcc)) continue
    return valueOrThrow(decodeSignature(data, fourcc)).elements.map((e) => ({
      semanticName: e.name,
      semanticIndex: e.semanticIndex,
      register: e.register,
      mask: e.mask,
      stream: e.stream ?? 0,
      systemValue: e.systemValue,
    }))
  }
  return []
}

/** Throws ShaderError where a signature cannot be read. Without a container there are no names. */
export function pipelineShader(loaded: LoadedShader, container: DxbcContainer | undefined): PipelineShader {
  if (container === undefined) {
    return { loaded, inputSignature: [], outputSignature: [], patchConstantSignature: [] }
  }
  return {
    loaded,
    inputSignature: registersOf(container, INPUT),
    outputSignature: registersOf(container, OUTPUT),
    patchConstantSignature: registersOf(container, PATCH),
  }
}
