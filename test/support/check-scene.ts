import type { Report } from '../../src/check/index.ts'
import { ShaderError, valueOrThrow } from '../../src/diagnostic/index.ts'
import { createReferenceEngine } from '../../src/engine/reference/index.ts'
import { type CheckDrawOptions, checkDraw } from '../../src/host/check.ts'
import { type Bindings, createBuffer } from '../../src/machine/index.ts'
import { bits, prepare, type Scene } from './draw-text.ts'

/** Draws of assembly text under the checker, for tests of `checkDraw`. */

const ENGINE = createReferenceEngine({})

export interface CheckedScene extends Omit<Scene, 'resources' | 'asBits'> {
  /** UAVs, for all stages. */
  readonly uavs?: Bindings
  /** SRVs and constant buffers of the pixel shader. */
  readonly pixelBindings?: Bindings
  /** Bytes of a stream output buffer. */
  readonly streamBytes?: number
}

export async function checkScene(scene: CheckedScene, options: CheckDrawOptions = {}): Promise<Report> {
  const { pipeline, resources, call } = prepare(scene)
  const words = Int32Array.from((scene.vertices ?? []).flatMap((v) => v.map(bits)))
  const buffer = valueOrThrow(createBuffer({ data: words.length === 0 ? new Int32Array(4) : words }))
  const stride = Math.max(16, (scene.vertices?.[0]?.length ?? 4) * 4)
  const { streamBytes } = scene
  const report = await checkDraw(
    ENGINE,
    valueOrThrow(pipeline),
    {
      unorderedAccess: scene.uavs ?? {},
      pixel: scene.pixelBindings ?? {},
      vertexBuffers: [{ buffer, stride }],
      renderTargets: resources.renderTargets,
      viewports: resources.viewports,
      ...(resources.depthStencil === undefined ? {} : { depthStencil: resources.depthStencil }),
      ...(streamBytes === undefined
        ? {}
        : { streamOutputBuffers: [{ buffer: valueOrThrow(createBuffer({ byteLength: streamBytes })) }] }),
    },
    call,
    options,
  )
  if (report.partial === 'refused') throw new ShaderError(report.diagnostics)
  return report
}

/** Codes of what a report found beside hints, with the stage, in alphabetical order. */
export function foundInDraw(report: Report): string[] {
  return report.findings
    .filter((f) => f.severity !== 'hint')
    .map((f) => `${f.stage}: ${f.code}`)
    .sort()
}
