/** G-buffers of the patterns: a floor, a wall and twelve balls, met by the ray through each texel. */
import type { Parts } from '../../../engine/index.ts'
import { eachInParts } from './parts.ts'
import { unorm8 } from './pictures.ts'
import type { Writer } from './writer.ts'

type Vector = readonly [number, number, number]

/** What a ray from the eye meets: how far away, the normal there, and which object (`NOTHING`, floor, wall, balls). */
interface Hit {
  readonly distance: number
  readonly normal: Vector
  readonly object: number
}

const NOTHING = -1
const FLOOR = 0
const WALL = 1
const FIRST_BALL = 2
const BALL_COUNT = 12
const FAR = 1000
/** Nearer hits are behind the eye or in it. */
const NEAREST = 0.1
/** Hits further than this are none. */
const FURTHEST = 900

interface Ball {
  readonly center: Vector
  readonly radius: number
}

const BALLS: readonly Ball[] = Array.from({ length: BALL_COUNT }, (_, i) => ({
  center: [((i % 4) - 1.5) * 2.2, -0.3 - 0.1 * (i % 3), 4.5 + Math.floor(i / 4) * 2.6],
  radius: 0.75 - 0.05 * (i % 5),
}))

function ballDistance(ball: Ball, x: number, y: number): number | undefined {
  const [cx, cy, cz] = ball.center
  const a = x * x + y * y + 1
  const b = x * cx + y * cy + cz
  const c = cx * cx + cy * cy + cz * cz - ball.radius * ball.radius
  const discriminant = b * b - a * c
  return discriminant <= 0 ? undefined : (b - Math.sqrt(discriminant)) / a
}

/** The nearest object along the ray (x, y, 1). */
function trace(x: number, y: number): Hit {
  let best: Hit = { distance: FAR, normal: [0, 0, 0], object: NOTHING }
  const take = (distance: number, normal: Vector, object: number): void => {
    if (distance > NEAREST && distance < best.distance) best = { distance, normal, object }
  }
  if (y < 0) take(-1.2 / y, [0, 1, 0], FLOOR)
  if (y > -0.6) take(14, [0, 0, -1], WALL)
  BALLS.forEach((ball, i) => {
    const s = ballDistance(ball, x, y)
    if (s === undefined) return
    const [cx, cy, cz] = ball.center
    take(s, [(x * s - cx) / ball.radius, (y * s - cy) / ball.radius, (s - cz) / ball.radius], FIRST_BALL + i)
  })
  return best.distance > FURTHEST ? { ...best, distance: FAR, object: NOTHING } : best
}

/** Extents of the texture, and of the view's half at distance 1. */
export interface GbufferOptions {
  readonly width: number
  readonly height: number
  readonly halfX: number
  readonly halfY: number
}

function eachRay(o: GbufferOptions, visit: (hit: Hit, x: number, y: number) => void): Parts {
  return eachInParts(o.height, o.width, (row) => {
    for (let column = 0; column < o.width; column++) {
      const x = (((column + 0.5) / o.width) * 2 - 1) * o.halfX
      const y = (1 - ((row + 0.5) / o.height) * 2) * o.halfY
      visit(trace(x, y), x, y)
    }
  })
}

const FLOOR_COLOR: Vector = [0.6, 0.58, 0.55]
const WALL_COLOR: Vector = [0.35, 0.4, 0.5]
const BALL_COLORS: readonly Vector[] = [
  [0.9, 0.2, 0.15],
  [0.2, 0.7, 0.3],
  [0.2, 0.35, 0.9],
  [0.95, 0.75, 0.25],
  [0.9, 0.9, 0.9],
]
/** The ball that shines by itself. */
const GLOWING = FIRST_BALL + 4

function colorOf(object: number): Vector {
  if (object === FLOOR) return FLOOR_COLOR
  return object === WALL ? WALL_COLOR : BALL_COLORS[(object - FIRST_BALL) % BALL_COLORS.length]!
}

/** RGBA8: color, and in alpha how much it shines. The floor has dark tiles. */
export function* writeAlbedo(w: Writer, o: GbufferOptions): Parts {
  yield* eachRay(o, (hit, x) => {
    if (hit.object === NOTHING) {
      w.u8(0, 0, 0, 0)
      return
    }
    const isDark = hit.object === FLOOR && (Math.floor(x * hit.distance + 100) + Math.floor(hit.distance)) % 2 !== 0
    const brightness = isDark ? 0.5 : 1
    w.u8(...colorOf(hit.object).map((c) => unorm8(c * brightness)), hit.object === GLOWING ? 128 : 0)
  })
}

/** Two SNORM16: the normal in octahedral form. */
export function* writeNormals(w: Writer, o: GbufferOptions): Parts {
  const code = (v: number): number => Math.floor(v * 32767 + 0.5)
  const signOf = (v: number): number => (v >= 0 ? 1 : -1)
  yield* eachRay(o, ({ normal }) => {
    const length = Math.abs(normal[0]) + Math.abs(normal[1]) + Math.abs(normal[2]) || 1
    const [x, y] = [normal[0] / length, normal[1] / length]
    if (normal[2] < 0) w.i16(code((1 - Math.abs(y)) * signOf(x)), code((1 - Math.abs(x)) * signOf(y)))
    else w.i16(code(x), code(y))
  })
}

/** RGBA8: roughness, metal, occlusion. */
export function* writeMaterial(w: Writer, o: GbufferOptions): Parts {
  yield* eachRay(o, ({ object }) => {
    const ball = object - FIRST_BALL
    if (object === NOTHING) w.u8(0, 0, 0, 0)
    else if (ball < 0) w.u8(150, 0, 255, 0)
    else w.u8(40 + ((ball * 53) % 160), ball % 3 === 0 ? 255 : 0, 255, 0)
  })
}

export function* writeDepth(w: Writer, o: GbufferOptions): Parts {
  yield* eachRay(o, (hit) => w.f32(hit.distance))
}
