/** The shaders that a description names: where a frame uses them, and a text in the place of one. */
import type { FramePipeline } from './frame/index.ts'
import type { ShaderSource } from './model.ts'
import type { Description } from './parse/parse-description.ts'

/** A pipeline of a frame with a shader, and the stage in its draws; dispatches have no stage. */
export interface ShaderUse {
  readonly pipeline: string
  readonly stage?: string
}

/** A shader of a description. */
export interface DescribedShader {
  readonly source: ShaderSource
  /** Of a frame; undefined where the description is one dispatch. */
  readonly uses?: readonly ShaderUse[]
}

function usesIn(pipeline: FramePipeline, shader: string): readonly ShaderUse[] {
  const { name } = pipeline
  if (pipeline.kind === 'compute') return pipeline.shader.name === shader ? [{ pipeline: name }] : []
  return Object.entries(pipeline.shaders).flatMap(([stage, at]) =>
    at?.name === shader ? [{ pipeline: name, stage }] : [],
  )
}

/** All shaders that a description names, in its order. */
export function shadersOf(description: Description): readonly DescribedShader[] {
  if (description.kind === 'job') return [{ source: description.job.shader }]
  const { shaders, pipelines } = description.frame
  return shaders.map(({ name, source }) => ({ source, uses: pipelines.flatMap((p) => usesIn(p, name)) }))
}

const LISTED = /\.(?:dxbc|cso|fxo|dxo|dxasm|dxbcasm|asm|txt)$/i

/** Paths below one folder, written alike. */
const plainPath = (path: string): string => path.replaceAll('\\', '/').replace(/^(?:\.\/)+/, '')

/** Whether a description in the folder of `file` names it, or the compiled shader or listing of the same name. */
export function namesShader({ file: named }: ShaderSource, file: string): boolean {
  if (named === undefined) return false
  const [a, b] = [plainPath(named), plainPath(file)]
  return a === b || (LISTED.test(a) && LISTED.test(b) && a.replace(LISTED, '') === b.replace(LISTED, ''))
}

function withText({ file: _file, ...source }: ShaderSource, assembly: string): ShaderSource {
  return { ...source, assembly }
}

/** The description with a text in place of a shader: of the only one of a job, of those of a frame that name the file. */
export function withShaderText(description: Description, file: string, text: string): Description {
  if (description.kind === 'job') {
    const { job } = description
    return { kind: 'job', job: { ...job, shader: withText(job.shader, text) } }
  }
  const { frame } = description
  const shaders = frame.shaders.map((s) =>
    namesShader(s.source, file) ? { ...s, source: withText(s.source, text) } : s,
  )
  return { kind: 'frame', frame: { ...frame, shaders } }
}
