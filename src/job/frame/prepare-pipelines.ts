import { createPipeline, type PipelineShader } from '../../pipeline/index.ts'
import { memberPath } from '../parse/fields.ts'
import type { GraphicsPipeline, GraphicsStage, NameAt } from './model.ts'
import { GRAPHICS_STAGES } from './model.ts'
import { type Preparation, type PreparedFramePipeline, placed, report } from './preparation.ts'

/** Where the description has what a finding of the pipeline is about. */
function pathOf(described: GraphicsPipeline, path: string): string {
  const stage = GRAPHICS_STAGES.find((s) => s === path)
  if (stage !== undefined) return described.shaders[stage]?.path ?? described.path
  const isJobFormat = described.shaders.vertex?.path === memberPath(described.path, 'vertex')
  return isJobFormat && path !== '' ? `${described.path}.${path}` : described.path
}

function prepareGraphics(p: Preparation, described: GraphicsPipeline): PreparedFramePipeline | undefined {
  const stages: Partial<Record<GraphicsStage, PipelineShader>> = {}
  for (const [stage, shader] of Object.entries(described.shaders) as [GraphicsStage, NameAt][]) {
    const loaded = p.shaders.get(shader.name)
    if (loaded === undefined) return undefined
    stages[stage] = loaded.named
  }
  const { vertex, ...others } = stages
  if (vertex === undefined) return undefined
  const { topology, inputLayout, rasterizer, depthStencil, blend, sampleMask, streamOutput, cutOnLists, precision } =
    described
  const rules = { cutOnLists, precision }
  const state = { topology, inputLayout, rasterizer, depthStencil, blend, sampleMask, streamOutput, ...rules }
  const made = createPipeline({ vertex, ...others, ...state })
  for (const d of made.diagnostics) {
    p.out.push(placed(d, pathOf(described, d.place?.kind === 'path' ? d.place.path : ''), described.name))
  }
  if (!made.ok) return undefined
  return { kind: 'graphics', described, pipeline: made.value }
}

/** Makes every pipeline that can be made. Each is a part: shaders may be loaded once more, for another precision. */
export function* preparePipelines(p: Preparation): Generator<void, void> {
  for (const described of p.frame.pipelines) {
    yield
    if (described.kind === 'graphics') {
      const made = prepareGraphics(p, described)
      if (made !== undefined) p.pipelines.set(described.name, made)
      continue
    }
    const shader = p.shaders.get(described.shader.name)
    if (shader === undefined) continue
    const { kind } = shader.loaded.declarations.stage
    if (kind === 'compute') p.pipelines.set(described.name, { kind: 'compute', described, shader })
    else
      report(
        p.out,
        'pipeline-stage',
        described.shader.path,
        `the shader is a ${kind} shader; a compute shader goes here`,
      )
  }
}
