import { type CopyBox, canCopy } from '../../../src/pipeline/surfaces/index.ts'
import { Random } from '../random/random.ts'
import { formatOf } from './formats.ts'
import type { FrameCommand, FrameTexture, RandomFrame, SurfaceCommand } from './model.ts'
import { MEMORY_WORDS } from './templates.ts'

/** Random commands on whole resources between the draws of a frame: resolves, copies, mips, and clears of views. */

type Shape = Omit<RandomFrame, 'pipelines' | 'commands'>
type Extents = readonly [width: number, height: number, depth: number]

/** Whether a texture has several samples: those that are copied to have one. */
const hasSamples = (f: Shape, t: FrameTexture): boolean => t.of === 'target' && f.sampleCount > 1
const mipsOf = (f: Shape, t: FrameTexture): number => (hasSamples(f, t) ? 1 : f.kind.mipLevels)
const nameOf = (f: Shape, t: FrameTexture): string => f.pictures[t.picture]!

function extentsOf({ kind, width, height, arraySize }: Shape, mip: number): Extents {
  const of = (n: number): number => Math.max(1, (n << kind.mipSlice) >> mip)
  const isVolume = kind.dimension === 'texture3d'
  return [of(width), kind.dimension === 'texture1d' ? 1 : of(height), isVolume ? of(arraySize) : 1]
}

const slicesOf = (f: Shape): number => (f.kind.dimension === 'texture3d' ? 1 : f.arraySize)

function boxOf(r: Random, [width, height, depth]: Extents): Required<CopyBox> {
  const range = (size: number): [number, number] => {
    const first = r.chance(0.4) ? 0 : r.below(size)
    return [first, first + 1 + r.below(size - first)]
  }
  const [[left, right], [top, bottom], [front, back]] = [range(width), range(height), range(depth)]
  return { left, right, top, bottom, front, back }
}

/** A box of one texture to a place of another where it fits; of several samples, and between mips now and then, all of a mip. */
function regionOf(r: Random, f: Shape, from: FrameTexture, to: FrameTexture): SurfaceCommand | undefined {
  const [a, b] = [r.below(mipsOf(f, from)), r.below(mipsOf(f, to))]
  const place = (t: FrameTexture, mip: number) => ({ ...t, mip, slice: r.below(slicesOf(f)) })
  const [source, target] = [place(from, a), place(to, b)]
  if (hasSamples(f, from)) return { kind: 'copy-region', from: source, to: { ...target, x: 0, y: 0, z: 0 } }
  const box = boxOf(r, extentsOf(f, a))
  const sizes: Extents = [box.right - box.left, box.bottom - box.top, box.back - box.front]
  const room = extentsOf(f, b).map((n, i) => n - sizes[i]!)
  if (room.some((n) => n < 0)) return undefined
  const [x, y, z] = room.map((n) => r.below(n + 1)) as [number, number, number]
  return { kind: 'copy-region', from: { ...source, box }, to: { ...target, x, y, z } }
}

/** A copy of a whole texture to another of its family, or of a region to one of the same bits. */
function copyOf(r: Random, f: Shape, all: readonly FrameTexture[]): SurfaceCommand | undefined {
  const from = r.pick(all)
  const alike = all.filter((t) => hasSamples(f, t) === hasSamples(f, from))
  const fitting = alike.filter((t) => canCopy(formatOf(nameOf(f, t)), formatOf(nameOf(f, from))))
  const to = r.pick(fitting)
  const isSame = to.of === from.of && to.picture === from.picture
  const { family } = formatOf(nameOf(f, to))
  if (r.chance(0.4) && !isSame && family === formatOf(nameOf(f, from)).family) return { kind: 'copy', from, to }
  return regionOf(r, f, from, to)
}

function viewClearOf(r: Random, f: Shape, of: FrameTexture): SurfaceCommand | undefined {
  const { capabilities, result } = formatOf(nameOf(f, of))
  if (hasSamples(f, of) || capabilities.typedUavStore === 'none') return undefined
  const as = result === 'float' && r.chance(0.5) ? 'float' : 'uint'
  const value = (): number => (as === 'float' ? r.pick([0, 0.25, 1, -1, 300]) : r.next() >>> 0)
  return {
    kind: 'clear-view',
    texture: of,
    as,
    mip: r.below(mipsOf(f, of)),
    values: [value(), value(), value(), value()],
  }
}

function bytesOf(r: Random, f: Shape): SurfaceCommand {
  // The memory that shaders share, or a buffer of stream output.
  const buffer = (): number => r.below(5) - 1
  const lengthOf = (n: number): number => (n < 0 ? MEMORY_WORDS * 4 : f.streamBytes)
  const [from, to] = [buffer(), buffer()]
  const length = 1 + r.below(Math.min(lengthOf(from), lengthOf(to)))
  const left = r.below(lengthOf(from) - length + 1)
  return { kind: 'copy-bytes', from, to, left, right: left + length, x: r.below(lengthOf(to) - length + 1) }
}

function surfaceCommand(r: Random, f: Shape): SurfaceCommand | undefined {
  const all: readonly FrameTexture[] = f.pictures.flatMap((_, picture) => [
    { of: 'target' as const, picture },
    { of: 'spare' as const, picture },
  ])
  const texture = r.pick(all)
  const { capabilities } = formatOf(nameOf(f, texture))
  switch (r.below(8)) {
    case 0:
      return bytesOf(r, f)
    case 1:
      return { kind: 'copy-count', number: r.below(8), word: r.below(MEMORY_WORDS) }
    case 2:
      return viewClearOf(r, f, texture)
    case 3:
      if (capabilities.generateMips === 'none' || mipsOf(f, texture) === 1) return undefined
      return { kind: 'mips', texture }
    case 4:
    case 5:
      if (f.sampleCount > 1) {
        if (capabilities.resolve === 'none') return undefined
        return { kind: 'resolve', picture: texture.picture, from: r.below(f.arraySize), to: r.below(f.arraySize) }
      }
  }
  return copyOf(r, f, all)
}

/** Mips of textures of a size, of which the one that is drawn to is the last, or there are more. */
export function mipLevelsOf(r: Random, { kind, width, height, arraySize }: Shape): number {
  const [w, h, d] = extentsOf({ kind, width, height, arraySize } as Shape, 0)
  const most = Math.floor(Math.log2(Math.max(w, h, d))) + 1
  return Math.min(most, kind.mipSlice + 1 + r.pick([0, 0, 0, 1, 2, 9]))
}

/** Commands with some of the whole resources between them, in some frames. */
export function withSurfaceCommands(f: Shape, commands: readonly FrameCommand[]): FrameCommand[] {
  const r = new Random(f.seed ^ 0x6a09e667)
  if (!r.chance(0.5)) return [...commands]
  const some = (): FrameCommand[] => Array.from({ length: 1 + r.below(3) }, () => surfaceCommand(r, f) ?? []).flat()
  return [...commands.flatMap((c) => (c.kind === 'draw' && r.chance(0.7) ? [...some(), c] : [c])), ...some()]
}

/** A texture that a draw to targets can read: a flat one of floats. */
export function sourceOf(r: Random, f: Shape, targets: readonly ({ readonly picture: number } | undefined)[]) {
  if (f.kind.dimension !== 'texture2d') return undefined
  const isDrawnTo = (picture: number): boolean => targets.some((t) => t?.picture === picture)
  const free = f.pictures.flatMap((name, picture): FrameTexture[] => {
    if (formatOf(name).result !== 'float') return []
    const isFree = !isDrawnTo(picture) && f.sampleCount === 1
    return [{ of: 'spare', picture }, ...(isFree ? [{ of: 'target', picture } as const] : [])]
  })
  return free.length === 0 ? undefined : r.pick(free)
}
