/** Outputs of the pixel shader, held against what takes them: render targets, blending, the depth buffer (16.9, 17.6). */
import { type Diagnostic, diagnostic } from '../../diagnostic/index.ts'
import { FILE } from '../../isa/index.ts'
import type { RenderTargetView } from '../../machine/index.ts'
import { isDualSource, targetBlend } from '../merge/index.ts'
import { type ComponentType, componentsText } from '../shader.ts'
import type { Pipeline } from './description.ts'
import type { DrawResources } from './resources.ts'

/** Components that the pixel shader declares of each o#. */
function outputMasks(p: Pipeline): Map<number, number> {
  const masks = new Map<number, number>()
  const outputs = p.pixel?.loaded.declarations.entries[0]?.outputs ?? []
  for (const { file, register, mask } of outputs) {
    if (file === FILE.output) masks.set(register, (masks.get(register) ?? 0) | mask)
  }
  return masks
}

/** A render target whose format has values of another type than the output that is written to it. */
interface OutputMismatch {
  readonly target: number
  readonly output: ComponentType
  readonly view: RenderTargetView
}

/** Targets that get bits of another type: undefined in Direct3D. Targets that nothing is written to are none. */
export function mismatchedOutputs(p: Pipeline, targets: DrawResources['renderTargets']): OutputMismatch[] {
  const declared = outputMasks(p)
  return (p.pixel?.outputSignature ?? []).flatMap(({ register, type }) => {
    const view = targets[register]
    if (view === undefined || type === undefined || !declared.has(register)) return []
    const isWritten = (targetBlend(p.blend, register).renderTargetWriteMask & 15) !== 0
    return isWritten && view.format.result !== type ? [{ target: register, output: type, view }] : []
  })
}

function mismatchText({ target, output, view }: OutputMismatch): string {
  const { name, result } = view.format
  return `o${target} of the pixel shader is ${output} and render target ${target} is ${name}, whose values are ${result}. Direct3D leaves undefined what is written; Heddle stores the bits as ${result}`
}

const DEPTH_FILES: ReadonlyMap<number, string> = new Map([
  [FILE['output-depth'], 'oDepth'],
  [FILE['output-depth-greater-equal'], 'oDepthGE'],
  [FILE['output-depth-less-equal'], 'oDepthLE'],
  [FILE['output-stencil-ref'], 'oStencilRef'],
])

const unbound = (path: string, text: string): Diagnostic =>
  diagnostic('pipeline-output-unbound', text, { kind: 'path', path })

/** Outputs that nothing takes: allowed, and rarely meant. */
function checkUnbound(p: Pipeline, r: DrawResources, declared: ReadonlyMap<number, number>): Diagnostic[] {
  const isDual = isDualSource(targetBlend(p.blend, 0))
  const colors = [...declared.keys()].flatMap((n) => {
    if (r.renderTargets[n] !== undefined || (isDual && n === 1)) return []
    const text = `the pixel shader writes o${n}, and no render target ${n} is bound; what it writes is dropped`
    return [unbound(`renderTargets[${n}]`, text)]
  })
  if (r.depthStencil !== undefined) return colors
  const outputs = p.pixel?.loaded.declarations.entries[0]?.outputs ?? []
  const depths = outputs.flatMap(({ file }) => {
    const name = DEPTH_FILES.get(file)
    if (name === undefined) return []
    const text = `the pixel shader writes ${name}, and no depth buffer is bound; what it writes is dropped`
    return [unbound('depthStencil', text)]
  })
  return [...colors, ...depths]
}

/** Both sources of dual source blending come from the pixel shader (17.6). */
function checkDualSource(p: Pipeline, r: DrawResources, declared: ReadonlyMap<number, number>): Diagnostic[] {
  if (r.renderTargets[0] === undefined || !isDualSource(targetBlend(p.blend, 0))) return []
  return [0, 1].flatMap((n) => {
    const missing = 15 & ~(declared.get(n) ?? 0)
    if (missing === 0 || (n === 0 && missing !== 15)) return []
    const what = missing === 15 ? `o${n}` : `o${n}.${componentsText(missing)}`
    const text = `dual source blending reads o0 and o1, and the pixel shader has no ${what}. Direct3D leaves the result undefined; Heddle reads 0`
    return [diagnostic('pipeline-undefined', text, { kind: 'path', path: 'pixel' })]
  })
}

/** What is wrong with the outputs of the pixel shader for the targets of a draw; nothing of it stops the draw. */
export function checkOutputs(p: Pipeline, r: DrawResources): Diagnostic[] {
  if (p.pixel === undefined || p.rasterizedStream < 0) return []
  const declared = outputMasks(p)
  const mismatches = mismatchedOutputs(p, r.renderTargets).map((m) =>
    diagnostic('pipeline-output-type', mismatchText(m), { kind: 'path', path: `renderTargets[${m.target}]` }),
  )
  return [...mismatches, ...checkUnbound(p, r, declared), ...checkDualSource(p, r, declared)]
}
