import { HALF_PIXEL, SUBPIXELS } from './fixed-point.ts'
import type { PixelRect, QuadSink } from './primitive.ts'

/**
 * Coverage of aliased lines by the diamond rule (functional specification 3.4.3, figure LineRast): a pixel is lit where the
 * line, walked from its start to its end, leaves the pixel's diamond. The diamond is open at its upper sides and closed at
 * its lower ones with the bottom corner; for y-major lines its right corner belongs to it too.
 */

/** A bound of the parameter of a line: `numerator / denominator`, denominator positive. */
interface Bound {
  numerator: number
  denominator: number
  isOpen: boolean
}

/** Compares two bounds; exact, since products have at most 51 bits. */
const compare = (a: Bound, b: Bound): number => a.numerator * b.denominator - b.numerator * a.denominator

interface Range {
  low: Bound
  high: Bound
}

/** Limits a range of the parameter to where `start + slope * t` is below 128, or at most 128. */
function limit(range: Range, start: number, slope: number, isOpen: boolean): boolean {
  const rest = HALF_PIXEL - start
  if (slope === 0) return isOpen ? rest > 0 : rest >= 0
  const bound: Bound =
    slope > 0 ? { numerator: rest, denominator: slope, isOpen } : { numerator: -rest, denominator: -slope, isOpen }
  const side = slope > 0 ? 'high' : 'low'
  const order = compare(bound, range[side])
  const isTighter = slope > 0 ? order < 0 : order > 0
  if (isTighter) range[side] = bound
  else if (order === 0 && isOpen) range[side] = { ...range[side], isOpen: true }
  return true
}

/** True where a point lies in the diamond around the origin. */
function inDiamond(u: number, v: number, isYMajor: boolean): boolean {
  if (isYMajor && u === HALF_PIXEL && v === 0) return true
  return -u - v < HALF_PIXEL && u - v < HALF_PIXEL && -u + v <= HALF_PIXEL && u + v <= HALF_PIXEL
}

/** True where the line from (u0, v0) to (u1, v1), in 1/256 pixel from the pixel's center, leaves its diamond. */
function exitsDiamond(u0: number, v0: number, u1: number, v1: number): boolean {
  const du = u1 - u0
  const dv = v1 - v0
  const isYMajor = Math.abs(dv) > Math.abs(du)
  if (inDiamond(u1, v1, isYMajor)) return false
  if (inDiamond(u0, v0, isYMajor)) return true
  if (isYMajor && passesRightCorner(u0, v0, du, dv)) return true
  const range: Range = {
    low: { numerator: 0, denominator: 1, isOpen: false },
    high: { numerator: 1, denominator: 1, isOpen: false },
  }
  const inside =
    limit(range, -u0 - v0, -du - dv, true) &&
    limit(range, u0 - v0, du - dv, true) &&
    limit(range, -u0 + v0, -du + dv, false) &&
    limit(range, u0 + v0, du + dv, false)
  if (!inside) return false
  const order = compare(range.low, range.high)
  return order < 0 || (order === 0 && !range.low.isOpen && !range.high.isOpen)
}

function passesRightCorner(u0: number, v0: number, du: number, dv: number): boolean {
  const onLine = (HALF_PIXEL - u0) * dv === -v0 * du
  const inside = dv > 0 ? v0 <= 0 && v0 + dv >= 0 : v0 >= 0 && v0 + dv <= 0
  return onLine && inside
}

const MASKS = new Uint32Array(4)

/** Pixels of an aliased line; every sample of a lit pixel is covered. */
export function coverLine(
  x0: number,
  y0: number,
  x1: number,
  y1: number,
  allSamples: number,
  bounds: PixelRect,
  sink: QuadSink,
): void {
  if (x0 === x1 && y0 === y1) return
  const lit = Math.abs(x1 - x0) >= Math.abs(y1 - y0) ? pixelsByColumn : pixelsByRow
  const quads = new Map<number, Uint32Array>()
  lit(x0, y0, x1, y1, bounds, (px, py) => {
    const key = (py >> 1) * 0x10000 + (px >> 1)
    const masks = quads.get(key) ?? new Uint32Array(4)
    masks[(px & 1) | ((py & 1) << 1)] = allSamples
    quads.set(key, masks)
  })
  for (const key of [...quads.keys()].sort((a, b) => a - b)) {
    MASKS.set(quads.get(key)!)
    sink((key % 0x10000) * 2, Math.floor(key / 0x10000) * 2, MASKS)
  }
}

type PixelSink = (x: number, y: number) => void

function testPixel(
  line: readonly [number, number, number, number],
  px: number,
  py: number,
  bounds: PixelRect,
  sink: PixelSink,
): void {
  if (px < bounds.left || px >= bounds.right || py < bounds.top || py >= bounds.bottom) return
  const cx = px * SUBPIXELS + HALF_PIXEL
  const cy = py * SUBPIXELS + HALF_PIXEL
  if (exitsDiamond(line[0] - cx, line[1] - cy, line[2] - cx, line[3] - cy)) sink(px, py)
}

/** x-major lines: in each column only rows next to the line can be lit. */
function pixelsByColumn(x0: number, y0: number, x1: number, y1: number, bounds: PixelRect, sink: PixelSink): void {
  const first = Math.max(bounds.left, Math.floor(Math.min(x0, x1) / SUBPIXELS) - 1)
  const last = Math.min(bounds.right - 1, Math.floor(Math.max(x0, x1) / SUBPIXELS) + 1)
  for (let px = first; px <= last; px++) {
    const at = y0 + ((y1 - y0) * (px * SUBPIXELS + HALF_PIXEL - x0)) / (x1 - x0)
    const row = Math.floor(at / SUBPIXELS)
    for (let py = row - 1; py <= row + 1; py++) testPixel([x0, y0, x1, y1], px, py, bounds, sink)
  }
}

function pixelsByRow(x0: number, y0: number, x1: number, y1: number, bounds: PixelRect, sink: PixelSink): void {
  const first = Math.max(bounds.top, Math.floor(Math.min(y0, y1) / SUBPIXELS) - 1)
  const last = Math.min(bounds.bottom - 1, Math.floor(Math.max(y0, y1) / SUBPIXELS) + 1)
  for (let py = first; py <= last; py++) {
    const at = x0 + ((x1 - x0) * (py * SUBPIXELS + HALF_PIXEL - y0)) / (y1 - y0)
    const column = Math.floor(at / SUBPIXELS)
    for (let px = column - 1; px <= column + 1; px++) testPixel([x0, y0, x1, y1], px, py, bounds, sink)
  }
}
