/** What a run left, kept in the worker: the page requests the rows and images that it shows. */

import { encodePng } from '../../../src/host/png/index.ts'
import { type Format, findFormat } from '../../../src/isa/formats/index.ts'
import {
  componentNames,
  eachTexel,
  type FrameReport,
  isReadable,
  type JobReport,
  type PreparedFrameResource,
  type PreparedResource,
  printResource,
  shownFormat,
  type Table,
  texelComponents,
  textureToImage,
  withoutCurve,
  writtenResources,
} from '../../../src/job/index.ts'
import { type Buffer, createSrv, subresource, type Texture } from '../../../src/machine/index.ts'
import type { BufferPixels, PixelKind, RowRequest, RunOutput, TexelImage } from '../model/run.ts'

/** An output with everything that tables and images of it need. */
interface KeptOutput {
  readonly shown: RunOutput
  readonly resource: Buffer | Texture
  readonly printed: PreparedResource | undefined
  /** Of a texture of a frame: what its texels are shown by. */
  readonly format: Format | undefined
}

/** Texels beyond this are too many for a page. */
const MAX_IMAGE_TEXELS = 4096 * 4096

let kept: readonly KeptOutput[] = []

const isTexture = (resource: Buffer | Texture): resource is Texture => resource.kind === 'texture'

function keep(
  printed: PreparedResource | undefined,
  resource: Buffer | Texture,
  label: string,
  isWritten: boolean,
  id: number,
  format?: Format,
): KeptOutput {
  const text = printed && printResource(printed, { slot: printed.slot, path: '', first: 0, last: 0 })
  const shown: RunOutput = {
    id,
    label,
    what: text?.what ?? `${resource.byteLength} bytes`,
    isTexture: isTexture(resource),
    elementCount: text?.total ?? 0,
    isWritten,
  }
  return { shown, resource, printed, format }
}

/** A resource of a frame as one that is bound to a slot, which is what tables are made of. */
function asBound(
  { name, resource, described, shape }: PreparedFrameResource,
  format: Format | undefined,
): PreparedResource | undefined {
  const stride = described.kind === 'buffer' ? described.stride : undefined
  const view = isTexture(resource)
    ? createSrv(resource, { format: (format ?? shownFormat(resource.format)).name })
    : createSrv(resource, stride === undefined ? { raw: true } : { stride })
  if (view.value === undefined) return undefined
  const slot = { register: 't', index: 0, space: 0 } as const
  return { slot, path: '', label: name, bound: view.value, resource, ...(shape === undefined ? {} : { shape }) }
}

/** Keeps what a job left; forgets what the run before left. */
export function keepJob(report: JobReport): readonly RunOutput[] {
  const resources = report.run?.prepared.resources ?? []
  const written = (r: PreparedResource): boolean => r.bound.kind === 'uav'
  const ordered = [...resources.filter(written), ...resources.filter((r) => !written(r))]
  kept = ordered.flatMap((r, id) => (r.resource === undefined ? [] : [keep(r, r.resource, r.label, written(r), id)]))
  return kept.map((k) => k.shown)
}

/** The format that texels are shown by: of textures without one of their own that of the view by which they were written. */
function formatToShow(own: Format, ofView: string | undefined): Format {
  const shown = shownFormat(own)
  const typed = isReadable(shown) || ofView === undefined ? undefined : findFormat(ofView)
  return typed === undefined ? shown : shownFormat(typed)
}

/** Keeps what a frame left, what its last commands drew to first. */
export function keepFrame(report: FrameReport): readonly RunOutput[] {
  const prepared = report.run?.prepared
  if (prepared === undefined) {
    kept = []
    return []
  }
  const written = writtenResources(prepared.frame)
  const all = [...prepared.resources.values()]
  const ordered = [
    ...[...written.keys()].flatMap((name) => prepared.resources.get(name) ?? []),
    ...all.filter((r) => !written.has(r.name)),
  ]
  kept = ordered.map((r, id) => {
    const format = isTexture(r.resource) ? formatToShow(r.resource.format, written.get(r.name)) : undefined
    return keep(asBound(r, format), r.resource, r.name, written.has(r.name), id, format)
  })
  return kept.map((k) => k.shown)
}

const find = (id: number): KeptOutput | undefined => kept.find((k) => k.shown.id === id)

/** Elements of an output as rows of texts. */
export function rowsOf({ id, first, count, as }: RowRequest): Table | undefined {
  const { printed } = find(id) ?? {}
  if (printed === undefined) return undefined
  const last = first + Math.max(1, count) - 1
  return printResource(printed, { slot: printed.slot, path: '', first, last, ...(as && { as }) })?.table
}

/** The bytes of an output, or a PNG file of it; a sentence where there is none. */
export function contentsOf(id: number, asPng: boolean): Uint8Array | string {
  const { resource, format } = find(id) ?? {}
  if (resource === undefined) return 'the run is gone: run again'
  if (!asPng || !isTexture(resource)) return resource.storage.bytes.slice()
  const image = textureToImage(resource, format ?? shownFormat(resource.format), 0, 0)
  return typeof image === 'string' ? image : encodePng(image)
}

const COMPONENTS: Readonly<Record<PixelKind, string>> = { f32: 'r', f32x4: 'rgba', u32: 'r', rgba8: 'rgba' }

/** Bytes as rows of pixels; what the last row has no bytes for is no number. */
export function pixelsOf(bytes: Uint8Array, { kind, width }: BufferPixels): TexelImage | string {
  const components = COMPONENTS[kind]
  const scale = kind === 'rgba8' ? 255 : 1
  const size = kind === 'rgba8' ? 1 : 4
  const count = Math.floor(bytes.length / size / components.length)
  const height = Math.ceil(count / width)
  if (!Number.isSafeInteger(width) || width < 1) return 'a picture has at least one pixel in a row'
  if (count === 0) return 'there are not enough bytes for a pixel'
  if (width * height > MAX_IMAGE_TEXELS) return 'the buffer is too large to be shown; save its bytes'
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const values = new Float64Array(width * height * components.length).fill(Number.NaN)
  for (let i = 0; i < count * components.length; i++) {
    const at = i * size
    const value = size === 1 ? bytes[at]! : kind === 'u32' ? view.getUint32(at, true) : view.getFloat32(at, true)
    values[i] = value / scale
  }
  return { width, height, components, isFraction: kind === 'rgba8', values }
}

/** A mip of a slice, or a buffer as pixels, as numbers; a sentence where it is no image. */
export function imageOf(id: number, mip: number, slice: number, pixels?: BufferPixels): TexelImage | string {
  const { resource, format: chosen } = find(id) ?? {}
  if (resource?.kind === 'buffer' && pixels !== undefined)
    return pixelsOf(resource.storage.bytes.subarray(0, resource.byteLength), pixels)
  if (resource === undefined || !isTexture(resource)) return 'the run is gone: run again'
  const part = subresource(resource, mip, slice)
  const format = withoutCurve(chosen ?? shownFormat(resource.format))
  if (part === undefined) return `the texture has no mip ${mip} of slice ${slice}`
  if (resource.sampleCount !== 1) return 'a multisample texture is no image; resolve it to look at it'
  if (!isReadable(format)) return `texels of ${format.name} have no components`
  if (part.width * part.height > MAX_IMAGE_TEXELS) return 'the texture is too large to be shown; save its bytes'
  const names = componentNames(format)
  const count = part.width * part.height
  const values = new Float64Array(count * names.length)
  eachTexel(resource, mip, slice, (at, inBlock, index) => {
    if (index >= count) return
    const texel = texelComponents(format, resource.storage, at, inBlock)
    for (let c = 0; c < names.length; c++) values[index * names.length + c] = texel[c]!
  })
  const isFraction = /NORM|D16|D24/.test(format.name)
  return { width: part.width, height: part.height, components: names.join(''), isFraction, values }
}
