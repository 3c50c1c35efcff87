import type { RasterizerInputs } from '../geometry.ts'
import type { RasterizerState, Viewport } from '../state.ts'
import {
  type ClipContext,
  type ClipPlanes,
  clipLine,
  clipPlanes,
  clipTriangle,
  isCulledByDistance,
  keepsPoint,
} from './clip.ts'
import { snap } from './fixed-point.ts'
import type { ScreenPrimitive } from './primitive.ts'

/** From assembled primitives to primitives on the screen: cull distances, clipping, division, viewport, facing and bias. */

const { fround } = Math

/** How many steps of a depth format one unit of DepthBias is (15.10). */
export type DepthBiasUnit = { readonly kind: 'unorm'; readonly bits: number } | { readonly kind: 'float' }

/** Without a depth buffer the bias counts in steps of 24 bits. */
export const NO_DEPTH_BUFFER: DepthBiasUnit = { kind: 'unorm', bits: 24 }

export interface SetupState {
  readonly rasterizer: RasterizerState
  readonly viewports: readonly Viewport[]
  readonly biasUnit: DepthBiasUnit
  readonly inputs: RasterizerInputs
  readonly clip: ClipContext
}

/** Primitives that reached the clipper and that left it (CInvocations and CPrimitives, 20.4.7). */
export interface ClipCounts {
  clipperInvocations: number
  clipperPrimitives: number
}

export type PrimitiveSink = (primitive: ScreenPrimitive) => void

const EMPTY_VIEWPORT: Viewport = { topLeftX: 0, topLeftY: 0, width: 0, height: 0, minDepth: 0, maxDepth: 0 }
const MAX_VIEWPORTS = 16

interface ScreenVertex {
  readonly vertex: number
  /** Pixels, float32. */
  readonly px: number
  readonly py: number
  readonly x: number
  readonly y: number
  readonly z: number
  readonly w: number
}

/** Sets up primitives of a draw one by one. */
export class PrimitiveSetup {
  readonly state: SetupState
  readonly counts: ClipCounts = { clipperInvocations: 0, clipperPrimitives: 0 }
  readonly #planes = new Map<number, ClipPlanes>()

  constructor(state: SetupState) {
    this.state = state
  }

  /** Hands what is left of a primitive to the sink. `vertices` begin with the leading vertex. */
  add(vertices: readonly number[], primitiveId: number, sink: PrimitiveSink): void {
    const { inputs, clip } = this.state
    this.counts.clipperInvocations++
    if (inputs.position < 0) return
    const words = clip.vertices
    if (isCulledByDistance(words, vertices, inputs.cullDistances, inputs.clipDistances)) return
    if (vertices.some((v) => !this.#isFinite(v))) return
    const leading = vertices[0]!
    const viewportIndex = inputs.viewportIndex < 0 ? 0 : words.bits(leading, inputs.viewportIndex) >>> 0
    const renderTargetIndex = inputs.renderTargetIndex < 0 ? 0 : words.bits(leading, inputs.renderTargetIndex) >>> 0
    const used = viewportIndex < MAX_VIEWPORTS ? viewportIndex : 0
    const viewport = this.state.viewports[used] ?? EMPTY_VIEWPORT
    // A distance that is negative nowhere cuts nothing, and one that is infinite everywhere could not be interpolated.
    const clipDistances = inputs.clipDistances.filter((word) => vertices.some((v) => words.float(v, word) < 0))
    const common = { leading, viewport, viewportIndex, renderTargetIndex, primitiveId, clipDistances }
    const planes = this.#planesOf(used, viewport)
    if (vertices.length === 1) this.#addPoint(leading, planes, common, sink)
    else if (vertices.length === 2) this.#addLine([leading, vertices[1]!], planes, common, sink)
    else this.#addTriangle([leading, vertices[1]!, vertices[2]!], planes, common, sink)
  }

  #planesOf(index: number, viewport: Viewport): ClipPlanes {
    const known = this.#planes.get(index)
    if (known !== undefined) return known
    const made = clipPlanes(viewport, this.state.rasterizer.depthClipEnable)
    this.#planes.set(index, made)
    return made
  }

  /** NaN drops a primitive, and so do infinities here (15.4). */
  #isFinite(vertex: number): boolean {
    const { floats } = this.state.clip.vertices
    const at = this.state.clip.vertices.at(vertex) + this.state.clip.position
    for (let i = 0; i < 4; i++) if (!Number.isFinite(floats[at + i]!)) return false
    return true
  }

  /** Division and viewport, float32, left to right (15.6). */
  #project(vertex: number, viewport: Viewport): ScreenVertex {
    const { floats } = this.state.clip.vertices
    const at = this.state.clip.vertices.at(vertex) + this.state.clip.position
    const w = floats[at + 3]!
    const { topLeftX, topLeftY, width, height, minDepth, maxDepth } = viewport
    const nx = fround(floats[at]! / w)
    const ny = fround(floats[at + 1]! / w)
    const nz = fround(floats[at + 2]! / w)
    const px = fround(fround(fround(fround(nx + 1) * width) * 0.5) + topLeftX)
    const py = fround(fround(fround(fround(1 - ny) * height) * 0.5) + topLeftY)
    const z = fround(minDepth + fround(nz * fround(maxDepth - minDepth)))
    return { vertex, px, py, x: snap(px), y: snap(py), z, w }
  }

  #addPoint(vertex: number, planes: ClipPlanes, common: Common, sink: PrimitiveSink): void {
    if (!keepsPoint(this.state.clip, vertex, planes)) return
    this.counts.clipperPrimitives++
    const v = this.#project(vertex, common.viewport)
    sink(screenPrimitive('point', [v, v, v], 0, true, 0, common))
  }

  #addLine(line: readonly [number, number], planes: ClipPlanes, common: Common, sink: PrimitiveSink): void {
    const clipped = clipLine(this.state.clip, line, planes)
    if (clipped === undefined) return
    this.counts.clipperPrimitives++
    const a = this.#project(clipped[0], common.viewport)
    const b = this.#project(clipped[1], common.viewport)
    sink(screenPrimitive('line', [a, b, b], 0, true, 0, common))
  }

  #addTriangle(triangle: readonly [number, number, number], planes: ClipPlanes, common: Common, sink: PrimitiveSink) {
    const { vertices, original } = clipTriangle(this.state.clip, triangle, planes)
    if (vertices.length < 3) return
    this.counts.clipperPrimitives += vertices.length - 2
    const projected = vertices.map((v) => this.#project(v, common.viewport))
    for (let i = 1; i + 1 < projected.length; i++) {
      const corners = [projected[0]!, projected[i]!, projected[i + 1]!] as const
      // Of the fan's inner edges none is an edge of the triangle.
      const first = i === 1 && original[0]! ? 1 : 0
      const middle = original[i]! ? 2 : 0
      const last = i + 2 === projected.length && original[i + 1]! ? 4 : 0
      this.#addScreenTriangle(corners, first | middle | last, common, sink)
    }
  }

  #addScreenTriangle(
    corners: readonly [ScreenVertex, ScreenVertex, ScreenVertex],
    originalEdges: number,
    common: Common,
    sink: PrimitiveSink,
  ): void {
    const [a, b, c] = corners
    const { rasterizer } = this.state
    const area2 = (b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y)
    // A triangle of no area is back facing (15.11.1).
    const isFrontFacing = rasterizer.frontCounterClockwise ? area2 < 0 : area2 > 0
    if (rasterizer.cullMode === (isFrontFacing ? 'FRONT' : 'BACK')) return
    const biased = this.#biased(corners, area2)
    sink(screenPrimitive('triangle', biased, area2, isFrontFacing, originalEdges, common))
  }

  /** Depth bias (15.10), added to each vertex before interpolation. */
  #biased(
    corners: readonly [ScreenVertex, ScreenVertex, ScreenVertex],
    area2: number,
  ): readonly [ScreenVertex, ScreenVertex, ScreenVertex] {
    const { rasterizer, biasUnit } = this.state
    const { depthBias, depthBiasClamp, slopeScaledDepthBias } = rasterizer
    if (depthBias === 0 && slopeScaledDepthBias === 0) return corners
    let bias = fround(depthBias * unitOf(biasUnit, corners))
    if (slopeScaledDepthBias !== 0) {
      bias = fround(bias + fround(fround(slopeScaledDepthBias) * maxSlope(corners, area2)))
    }
    if (depthBiasClamp > 0) bias = Math.min(bias, fround(depthBiasClamp))
    else if (depthBiasClamp < 0) bias = Math.max(bias, fround(depthBiasClamp))
    const [a, b, c] = corners
    const move = (v: ScreenVertex): ScreenVertex => ({ ...v, z: fround(v.z + bias) })
    return [move(a), move(b), move(c)]
  }
}

interface Common {
  readonly leading: number
  readonly viewport: Viewport
  readonly viewportIndex: number
  readonly renderTargetIndex: number
  readonly primitiveId: number
  readonly clipDistances: readonly number[]
}

const BITS = new DataView(new ArrayBuffer(4))

function unitOf(unit: DepthBiasUnit, corners: readonly ScreenVertex[]): number {
  if (unit.kind === 'unorm') return 1 / (2 ** unit.bits - 1)
  const largest = corners.reduce((most, v) => Math.max(most, Math.abs(v.z)), 0)
  if (largest === 0) return 0
  BITS.setFloat32(0, largest)
  const exponent = (BITS.getUint32(0) >>> 23) - 127
  return 2 ** (exponent - 23)
}

/** The larger of |dz/dx| and |dz/dy| in units of depth a pixel; 0 for a triangle of no area. */
function maxSlope(corners: readonly [ScreenVertex, ScreenVertex, ScreenVertex], area2: number): number {
  if (area2 === 0) return 0
  const [a, b, c] = corners
  const dz1 = b.z - a.z
  const dz2 = c.z - a.z
  const dx = (dz1 * (c.y - a.y) - dz2 * (b.y - a.y)) / area2
  const dy = (dz2 * (b.x - a.x) - dz1 * (c.x - a.x)) / area2
  return fround(Math.max(Math.abs(dx), Math.abs(dy)) * 256)
}

function screenPrimitive(
  kind: ScreenPrimitive['kind'],
  corners: readonly [ScreenVertex, ScreenVertex, ScreenVertex],
  area2: number,
  isFrontFacing: boolean,
  originalEdges: number,
  common: Common,
): ScreenPrimitive {
  const [a, b, c] = corners
  return {
    kind,
    vertices: [a.vertex, b.vertex, c.vertex],
    x: [a.x, b.x, c.x],
    y: [a.y, b.y, c.y],
    unsnapped: [a.px, a.py, b.px, b.py, c.px, c.py],
    z: [a.z, b.z, c.z],
    w: [a.w, b.w, c.w],
    area2,
    isFrontFacing,
    originalEdges,
    ...common,
  }
}
