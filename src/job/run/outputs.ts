import { type Diagnostic, diagnostic } from '../../diagnostic/index.ts'
import type { JobHost } from '../host.ts'
import type { OutputRequest } from '../model.ts'
import { bySlot } from '../parse/parse-slot.ts'
import { textureToImage } from '../values/image.ts'
import type { PreparedResource } from './resources.ts'
import type { JobReport } from './run-job.ts'

/** What a request writes: an image for `.png`, else the bytes of the resource. A sentence where that cannot be. */
function outputBytes(r: PreparedResource, request: OutputRequest, host: JobHost): Uint8Array | string {
  if (!/\.png$/i.test(request.file)) return r.resource?.storage.bytes ?? 'there are no contents'
  const { bound } = r
  if (bound.kind === 'sampler' || bound.kind === 'cbv' || bound.shape !== 'texture') {
    return `${r.label} is no texture; images are written of textures`
  }
  if (host.encodePng === undefined) return 'this host writes no PNG images'
  const image = textureToImage(bound.resource, bound.format, request.mip, request.slice)
  return typeof image === 'string' ? image : host.encodePng(image)
}

/** Writes the files of a job, with `flagHost` those that the command line names. Gives what went wrong. */
export function writeOutputs(report: JobReport, host: JobHost, flagHost: JobHost): Diagnostic[] {
  const prepared = report.run?.prepared
  if (prepared === undefined) return []
  const resourceOf = bySlot(prepared.resources)
  return prepared.job.outputs.flatMap((request) => {
    const r = resourceOf(request.slot)
    if (r === undefined) return []
    const place = { kind: 'path', path: request.path } as const
    const bytes = outputBytes(r, request, host)
    if (typeof bytes === 'string') return [diagnostic('job-image', `cannot write ${request.file}: ${bytes}`, place)]
    const to = request.path.startsWith('$') ? host : flagHost
    const failure = to.writeFile(request.file, bytes)
    return failure === undefined
      ? []
      : [diagnostic('job-file', `cannot write ${request.file}: ${failure.reason}`, place, failure.notes)]
  })
}
