import { type Diagnostic, diagnostic } from '../../diagnostic/index.ts'
import { runPartsAtOnce } from '../../engine/index.ts'
import { canCast, type Format } from '../../isa/formats/index.ts'
import { resolveFormat, type Subresource, subresource, type Texture } from '../../machine/index.ts'
import { type RowEngine, rowParts } from './shared-rows.ts'

/** ResolveSubresource (functional specification 5.6.6): the mean of the samples of every pixel. */

/** One mip of one array slice; both 0 when left out. */
export interface SubresourcePlace {
  readonly mip?: number | undefined
  readonly arraySlice?: number | undefined
}

const refuse = (text: string): Diagnostic[] => [diagnostic('pipeline-resolve', text)]

/** The format of the call: that of the typed texture where none is named. */
function formatOf(destination: Texture, source: Texture): Format {
  return destination.format.typeless ? source.format : destination.format
}

function checkTexture(texture: Texture, format: Format, what: string): Diagnostic[] {
  const { format: own } = texture
  if (own.typeless ? canCast(own, format, false) : own === format) return []
  return refuse(`The ${what} is ${own.name}; a resolve as ${format.name} needs that format or its typeless family.`)
}

function check(
  destination: Texture,
  to: Subresource,
  source: Texture,
  from: Subresource,
  format: Format,
): Diagnostic[] {
  if (source.sampleCount === 1 || destination.sampleCount !== 1) {
    return refuse(
      `A resolve goes from several samples to one; the source has ${source.sampleCount} and the destination ${destination.sampleCount}.`,
    )
  }
  if (to.width !== from.width || to.height !== from.height || to.depth !== 1) {
    const [a, b] = [from, to].map((s) => `${s.width}x${s.height}`)
    return refuse(`The source is ${a} and the destination ${b} texels; a resolve does not stretch.`)
  }
  if (format.capabilities.resolve === 'none') return refuse(`${format.name} cannot be resolved.`)
  return [...checkTexture(destination, format, 'destination'), ...checkTexture(source, format, 'source')]
}

/** Pixels that one thread resolves in a millisecond, about. */
const PIXELS_OF_A_MILLISECOND = 200_000

/**
 * Resolves one subresource into another; answers what was wrong. `format` decides how typeless textures are read; `engine` takes part in
 * large ones.
 */
export const resolveTexture = (...resolve: Parameters<typeof resolveParts>): Diagnostic[] =>
  runPartsAtOnce(resolveParts(...resolve))

/** As `resolveTexture`, part by part. */
export function* resolveParts(
  destination: Texture,
  destinationPlace: SubresourcePlace,
  source: Texture,
  sourcePlace: SubresourcePlace,
  format?: string | number,
  engine: RowEngine = {},
): Generator<void, Diagnostic[]> {
  const named = format === undefined ? undefined : resolveFormat(format)
  if (named !== undefined && named.value === undefined) return [...named.diagnostics]
  const used = named?.value ?? formatOf(destination, source)
  const to = subresource(destination, destinationPlace.mip ?? 0, destinationPlace.arraySlice ?? 0)
  const from = subresource(source, sourcePlace.mip ?? 0, sourcePlace.arraySlice ?? 0)
  if (to === undefined || from === undefined) {
    return refuse(`The ${to === undefined ? 'destination' : 'source'} has no such mip and slice.`)
  }
  const wrong = check(destination, to, source, from, used)
  if (wrong.length > 0) return wrong
  const places = (s: Subresource) => ({ byteOffset: s.byteOffset, rowPitch: s.rowPitch })
  yield* rowParts(
    {
      kind: 'resolve',
      format: used.name,
      sampleCount: source.sampleCount,
      width: to.width,
      from: places(from),
      to: places(to),
    },
    [source.storage, destination.storage],
    to.height,
    (to.width * to.height) / PIXELS_OF_A_MILLISECOND,
    engine,
  )
  return []
}
