/** What preparing a frame needs and builds up: everything described, by name. */
import type { Diagnostic, DiagnosticCode, DiagnosticCollector } from '../../diagnostic/index.ts'
import { diagnostic, type Outcome } from '../../diagnostic/index.ts'
import type { Engine, LoadedShader } from '../../engine/index.ts'
import type { Buffer, Texture, Uav } from '../../machine/index.ts'
import type { Pipeline, PipelineShader } from '../../pipeline/index.ts'
import type { JobHost } from '../host.ts'
import type { LoadedJobShader } from '../run/shader.ts'
import type { Shape } from '../values/shape.ts'
import type { ComputePipeline, FrameJob, FrameResource, GraphicsPipeline } from './model.ts'

export interface PreparedFrameShader {
  readonly source: LoadedJobShader
  readonly loaded: LoadedShader
  readonly named: PipelineShader
}

export interface PreparedFrameResource {
  readonly name: string
  readonly path: string
  readonly described: FrameResource
  readonly resource: Buffer | Texture
  /** Variables of the constant buffer, or one structure, where reflection describes them. */
  readonly shape?: Shape
}

export type PreparedFramePipeline =
  | { readonly kind: 'compute'; readonly described: ComputePipeline; readonly shader: PreparedFrameShader }
  | { readonly kind: 'graphics'; readonly described: GraphicsPipeline; readonly pipeline: Pipeline }

export interface Preparation {
  readonly frame: FrameJob
  readonly host: JobHost
  readonly engine: Engine
  readonly out: DiagnosticCollector
  readonly shaders: Map<string, PreparedFrameShader>
  readonly resources: Map<string, PreparedFrameResource>
  readonly pipelines: Map<string, PreparedFramePipeline>
  /** Unordered access views with a counter: it has its initial value when the frame begins, and keeps it from command to command. */
  readonly counted: Map<string, Uav>
}

export function report(
  out: DiagnosticCollector,
  code: DiagnosticCode,
  path: string,
  message: string,
  notes: readonly string[] = [],
): undefined {
  out.push(diagnostic(code, message, { kind: 'path', path }, notes))
  return undefined
}

const withoutPoint = (message: string): string => message.replace(/\.$/, '')

/** A finding at a place of the description, with what it is about. */
export function placed(d: Diagnostic, path: string, what = ''): Diagnostic {
  const message = `${what === '' ? '' : `${what}: `}${withoutPoint(d.message)}`
  return { ...d, message, place: { kind: 'path', path } }
}

/** The value of an outcome; what was found goes to the place given. Undefined with errors. */
export function take<T>(out: DiagnosticCollector, outcome: Outcome<T>, path: string, what = ''): T | undefined {
  for (const d of outcome.diagnostics) out.push(placed(d, path, what))
  return outcome.ok ? outcome.value : undefined
}
