/** A part of a draw that is short enough to be written down moment by moment: few primitives, and few pixels of them. */
import type { PixelPlace } from '../../../src/engine/index.ts'
import type { DrawCall, ScissorRect } from '../../../src/pipeline/index.ts'
import { drawAtOnce } from '../draw-text.ts'
import type { PreparedDraw } from '../frames/index.ts'
import type { Random } from '../random/random.ts'
import { copyDrawMemory, momentsOfDraw } from './draw-moments.ts'

/** Vertices of a part are a multiple of this: whole primitives of all topologies, patches of one to four points among them. */
const WHOLE_PRIMITIVES = 12
const SIZES = [16, 8, 4, 2] as const
/** Pixels that are tried: how many statements one takes may differ by a hundred times. */
const TRIES = 32
const SCISSORS = 16
const NOTHING: ScissorRect = { left: 0, top: 0, right: 0, bottom: 0 }

/** The call with fewer instances, or with fewer vertices of one instance, from a random one on; undefined where there are no fewer. */
function halved(call: DrawCall, random: Random): DrawCall | undefined {
  const { instanceCount = 1, startInstance = 0 } = call
  if (instanceCount > 1) {
    const count = Math.ceil(instanceCount / 2)
    return { ...call, instanceCount: count, startInstance: startInstance + random.below(instanceCount - count + 1) }
  }
  const all = 'indexCount' in call ? call.indexCount : call.vertexCount
  const count = Math.ceil(all / 2 / WHOLE_PRIMITIVES) * WHOLE_PRIMITIVES
  if (count >= all) return undefined
  const skipped = random.below(Math.floor((all - count) / WHOLE_PRIMITIVES) + 1) * WHOLE_PRIMITIVES
  return 'indexCount' in call
    ? { ...call, indexCount: count, startIndex: (call.startIndex ?? 0) + skipped }
    : { ...call, vertexCount: count, startVertex: (call.startVertex ?? 0) + skipped }
}

/** The draw with the pixels of a rectangle alone, of those that its own scissor rectangles let through. */
function within(draw: PreparedDraw, area: ScissorRect): PreparedDraw {
  const { pipeline, resources } = draw
  const isOwn = pipeline.rasterizer.scissorEnable
  const scissors = Array.from({ length: SCISSORS }, (_, i): ScissorRect => {
    const own = isOwn ? (resources.scissors[i] ?? NOTHING) : area
    return {
      left: Math.max(own.left, area.left),
      top: Math.max(own.top, area.top),
      right: Math.min(own.right, area.right),
      bottom: Math.min(own.bottom, area.bottom),
    }
  })
  const rasterizer = { ...pipeline.rasterizer, scissorEnable: true }
  return { ...draw, pipeline: { ...pipeline, rasterizer }, resources: { ...resources, scissors } }
}

/** Whether a draw has no more moments than can be written down; memory stays as it was. */
function isShort(draw: PreparedDraw, most: number): boolean {
  const reset = copyDrawMemory(draw.resources)
  const known = momentsOfDraw(draw, most)
  reset()
  return known !== undefined
}

/** The pixels that a draw's pixel shader runs for. */
function pixelsOf(draw: PreparedDraw): PixelPlace[] {
  const found = new Map<string, PixelPlace>()
  const reset = copyDrawMemory(draw.resources)
  const { engine, pipeline, resources, call, options } = draw
  drawAtOnce(engine, pipeline, resources, call, {
    ...options,
    observerOf: () => ({
      instruction: ({ batch, firstThread, lanes, activeCount }) => {
        const quads = batch?.quads
        if (quads?.place === undefined) return
        for (let k = 0; k < activeCount; k++) {
          const place = quads.place(firstThread + lanes[k]!)
          found.set(`${place.x} ${place.y}`, place)
        }
      },
    }),
  })
  reset()
  return [...found.values()]
}

/** A random part of a draw of at most `most` statements; undefined where all that were tried have more. */
export function cornerOfDraw(draw: PreparedDraw, random: Random, most: number): PreparedDraw | undefined {
  let part = draw
  // Half of the moments are for pixels.
  while (!isShort(within(part, NOTHING), most / 2)) {
    const call = halved(part.call, random)
    if (call === undefined) return undefined
    part = { ...part, call }
  }
  const pixels = pixelsOf(part)
  if (pixels.length === 0) return isShort(part, most) ? part : undefined
  for (let tries = TRIES; tries > 0; tries--) {
    const { x, y } = random.pick(pixels)
    for (const size of SIZES) {
      const [left, top] = [x - (x % size), y - (y % size)]
      const corner = within(part, { left, top, right: left + size, bottom: top + size })
      if (isShort(corner, most)) return corner
    }
  }
  return undefined
}
