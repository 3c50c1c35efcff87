import type { RasterizerState } from '../state.ts'

/** Depth bias of triangles (15.10). */

const { fround } = Math

/** How many steps of a depth format one unit of DepthBias is. */
export type DepthBiasUnit = { readonly kind: 'unorm'; readonly bits: number } | { readonly kind: 'float' }

/** Without a depth buffer the bias counts in steps of 24 bits. */
export const NO_DEPTH_BUFFER: DepthBiasUnit = { kind: 'unorm', bits: 24 }

interface DepthBiasState {
  readonly rasterizer: Pick<RasterizerState, 'depthBias' | 'depthBiasClamp' | 'slopeScaledDepthBias'>
  readonly biasUnit: DepthBiasUnit
}

/** A triangle on the screen, in 1/256 pixel. */
interface ScreenTriangle {
  readonly x: Int32Array
  readonly y: Int32Array
  readonly area2: number
}

const LARGEST = new Float32Array(1)
const LARGEST_BITS = new Uint32Array(LARGEST.buffer)
/** A step of the mantissa of float32 numbers, by their exponent. */
const MANTISSA_STEPS = Float64Array.from({ length: 256 }, (_, exponent) => 2 ** (exponent - 127 - 23))

/** The least depth above 0 of a UNORM format, as a float32: a step of the bias (15.10). */
export const unormStep = (bits: number): number => fround(1 / (2 ** bits - 1))

function stepOf(unit: DepthBiasUnit, z: Float64Array): number {
  if (unit.kind === 'unorm') return unormStep(unit.bits)
  const largest = Math.max(Math.abs(z[0]!), Math.abs(z[1]!), Math.abs(z[2]!))
  if (largest === 0) return 0
  LARGEST[0] = largest
  return MANTISSA_STEPS[LARGEST_BITS[0]! >>> 23]!
}

/** The larger of |dz/dx| and |dz/dy| in units of depth a pixel; 0 for a triangle of no area. */
function maxSlope({ x, y, area2 }: ScreenTriangle, z: Float64Array): number {
  if (area2 === 0) return 0
  const dz1 = z[1]! - z[0]!
  const dz2 = z[2]! - z[0]!
  const dx = (dz1 * (y[2]! - y[0]!) - dz2 * (y[1]! - y[0]!)) / area2
  const dy = (dz2 * (x[1]! - x[0]!) - dz1 * (x[2]! - x[0]!)) / area2
  return fround(Math.max(Math.abs(dx), Math.abs(dy)) * 256)
}

/** Adds the bias to the depths of a triangle's vertices: it comes before interpolation. */
export function addDepthBias(
  z: Float64Array,
  { rasterizer, biasUnit }: DepthBiasState,
  triangle: ScreenTriangle,
): void {
  const { depthBias, depthBiasClamp, slopeScaledDepthBias } = rasterizer
  let bias = fround(fround(depthBias) * stepOf(biasUnit, z))
  if (slopeScaledDepthBias !== 0) {
    bias = fround(bias + fround(fround(slopeScaledDepthBias) * maxSlope(triangle, z)))
  }
  if (depthBiasClamp > 0) bias = Math.min(bias, fround(depthBiasClamp))
  else if (depthBiasClamp < 0) bias = Math.max(bias, fround(depthBiasClamp))
  for (let i = 0; i < 3; i++) z[i] = fround(z[i]! + bias)
}
