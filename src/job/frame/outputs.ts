/** Files that a frame writes: images of textures, bytes of anything. */
import { type Diagnostic, diagnostic } from '../../diagnostic/index.ts'
import { subresource } from '../../machine/index.ts'
import type { JobHost } from '../host.ts'
import { imageOf } from './check-frame.ts'
import type { FrameOutput } from './model.ts'
import type { PreparedFrameResource } from './preparation.ts'
import type { FrameReport } from './run-frame.ts'

/** Bytes of a file, or a sentence where there can be none. */
function outputBytes(of: PreparedFrameResource, o: FrameOutput, host: JobHost): Uint8Array | string {
  const { resource } = of
  if (/\.png$/i.test(o.file)) {
    const image = imageOf(of, o.mip, o.slice)
    if (typeof image === 'string') return image
    return host.encodePng?.(image) ?? 'this host writes no PNG images'
  }
  if (resource.kind === 'buffer' || (o.mip === 0 && o.slice === 0)) return resource.storage.bytes
  const part = subresource(resource, o.mip, o.slice)
  if (part === undefined) return `${of.name} has no mip ${o.mip} of slice ${o.slice}`
  return resource.storage.bytes.subarray(part.byteOffset, part.byteOffset + part.byteLength)
}

/** Writes the files of a frame, with `flagHost` those that the command line names. Gives what went wrong. */
export function writeFrameOutputs(report: FrameReport, host: JobHost, flagHost: JobHost): Diagnostic[] {
  const prepared = report.run?.prepared
  return (prepared?.frame.outputs ?? []).flatMap((o) => {
    const place = { kind: 'path', path: o.path } as const
    const bytes = outputBytes(prepared!.resources.get(o.resource.name)!, o, host)
    if (typeof bytes === 'string') return [diagnostic('job-image', `cannot write ${o.file}: ${bytes}`, place)]
    const failure = (o.path.startsWith('$') ? host : flagHost).writeFile(o.file, bytes)
    return failure === undefined
      ? []
      : [diagnostic('job-file', `cannot write ${o.file}: ${failure.reason}`, place, failure.notes)]
  })
}
