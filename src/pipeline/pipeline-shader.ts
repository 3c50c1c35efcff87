/** Shaders of pipelines: a loaded program with the names that its container's signatures give to registers. */
import { appendAll, type Diagnostic, failure, hasErrors, type Outcome, outcomeOf } from '../diagnostic/index.ts'
import { type DxbcContainer, decodeSignature, isSignatureFourcc, type SignatureFourcc } from '../dxbc/index.ts'
import type { LoadedShader } from '../engine/index.ts'
import type { ComponentType, PipelineShader, SignatureRegister } from './shader.ts'

const INPUT: readonly SignatureFourcc[] = ['ISGN', 'ISG1']
const OUTPUT: readonly SignatureFourcc[] = ['OSGN', 'OSG5', 'OSG1']
const PATCH: readonly SignatureFourcc[] = ['PCSG', 'PSG1']

/** By COMPONENT_TYPE. */
const TYPES: readonly (ComponentType | undefined)[] = [undefined, 'uint', 'sint', 'float']

function registersOf(
  container: DxbcContainer,
  wanted: readonly SignatureFourcc[],
  found: Diagnostic[],
): SignatureRegister[] {
  for (const { fourcc, data } of container.chunks) {
    if (!isSignatureFourcc(fourcc) || !wanted.includes(fourcc)) continue
    const signature = decodeSignature(data, fourcc)
    appendAll(found, signature.diagnostics)
    return (signature.value?.elements ?? []).map((e) => ({
      semanticName: e.name,
      semanticIndex: e.semanticIndex,
      register: e.register,
      mask: e.mask,
      stream: e.stream ?? 0,
      systemValue: e.systemValue,
      type: TYPES[e.componentType],
    }))
  }
  return []
}

/** No value where a signature cannot be read. Without a container there are no names. */
export function pipelineShader(loaded: LoadedShader, container: DxbcContainer | undefined): Outcome<PipelineShader> {
  if (container === undefined) {
    const value = { loaded, inputSignature: [], outputSignature: [], patchConstantSignature: [] }
    return outcomeOf(value)
  }
  const diagnostics: Diagnostic[] = []
  const value: PipelineShader = {
    loaded,
    inputSignature: registersOf(container, INPUT, diagnostics),
    outputSignature: registersOf(container, OUTPUT, diagnostics),
    patchConstantSignature: registersOf(container, PATCH, diagnostics),
  }
  return hasErrors(diagnostics) ? failure(diagnostics) : outcomeOf(value, diagnostics)
}
