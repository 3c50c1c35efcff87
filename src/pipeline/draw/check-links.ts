/** Registers between stages: what one reads and the one before it does not write, and names that differ (4.4.3.2). */
import { type DiagnosticCollector, diagnostic } from '../../diagnostic/index.ts'
import type { EntryDeclaration, IoDeclaration } from '../../engine/index.ts'
import { FILE } from '../../isa/index.ts'
import { componentsText, type PipelineShader } from '../shader.ts'
import type { PipelineDescription } from './description.ts'
import { checkSignatures, GENERATED } from './link.ts'

type Kinds = readonly EntryDeclaration['kind'][]

const outputsOf = (s: PipelineShader, kinds: Kinds): readonly IoDeclaration[] =>
  s.loaded.declarations.entries.filter((e) => kinds.includes(e.kind)).flatMap((e) => e.outputs)
const inputsOf = (s: PipelineShader, ...files: number[]): readonly IoDeclaration[] =>
  s.loaded.declarations.entries.flatMap((e) => e.inputs).filter((i) => files.includes(i.file))

/** Registers that one stage reads and the stage before it does not write. `letter` is how the reader names them. */
function checkRegisters(
  from: PipelineShader,
  to: PipelineShader,
  outputs: readonly IoDeclaration[],
  inputs: readonly IoDeclaration[],
  letter: string,
  found: DiagnosticCollector,
): void {
  const [writer, reader] = [from, to].map((s) => s.loaded.declarations.stage.kind)
  const seen = new Set<number>()
  for (const input of inputs) {
    const mask = outputs.filter((o) => o.register === input.register).reduce((m, o) => m | o.mask, 0)
    const missing = input.mask & ~mask
    if (missing === 0 || GENERATED.has(input.systemValue) || seen.has(input.register)) continue
    seen.add(input.register)
    const written =
      mask === 0 ? `has no output o${input.register}` : `writes o${input.register}.${componentsText(mask)} alone`
    const text = `the ${reader} shader reads ${letter}${input.register}.${componentsText(missing)}, and the ${writer} shader ${written}; it reads 0`
    found.push(diagnostic('pipeline-linkage-missing', text, { kind: 'path', path: reader! }))
  }
}

/** All links but the one to the pixel shader, which the rasterizer makes. */
export function checkLinks(d: PipelineDescription, found: DiagnosticCollector): void {
  const { vertex, hull, domain, geometry } = d
  const afterVertex = hull ?? geometry
  if (afterVertex !== undefined) {
    const reads = inputsOf(afterVertex, FILE.input, ...(hull === undefined ? [] : [FILE['input-control-point']]))
    checkRegisters(vertex, afterVertex, outputsOf(vertex, ['main']), reads, 'v', found)
    found.pushAll(checkSignatures(vertex, afterVertex, vertex.outputSignature, afterVertex.inputSignature))
  }
  if (hull !== undefined && domain !== undefined) {
    const points = outputsOf(hull, ['control-point'])
    // Without a control point phase the points of the vertex shader pass through.
    const passes = points.length === 0
    const [from, outputs] = passes ? [vertex, outputsOf(vertex, ['main'])] : [hull, points]
    checkRegisters(from, domain, outputs, inputsOf(domain, FILE['input-control-point']), 'vcp', found)
    const constants = outputsOf(hull, ['fork', 'join'])
    checkRegisters(hull, domain, constants, inputsOf(domain, FILE['patch-constant']), 'vpc', found)
    found.pushAll(checkSignatures(from, domain, from.outputSignature, domain.inputSignature))
    found.pushAll(checkSignatures(hull, domain, hull.patchConstantSignature, domain.patchConstantSignature))
  }
  if (domain !== undefined && geometry !== undefined) {
    checkRegisters(domain, geometry, outputsOf(domain, ['main']), inputsOf(geometry, FILE.input), 'v', found)
    found.pushAll(checkSignatures(domain, geometry, domain.outputSignature, geometry.inputSignature))
  }
  const last = geometry ?? domain ?? vertex
  if (d.pixel !== undefined) found.pushAll(checkSignatures(last, d.pixel, last.outputSignature, d.pixel.inputSignature))
}
