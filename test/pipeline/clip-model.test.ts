import { describe, expect, it } from 'vitest'
import { amount } from '../support/amount.ts'
import { draw } from '../support/draw-text.ts'
import { Random } from '../support/random/random.ts'

// Triangles with corners before and behind the viewer, against a model that clips nothing: the place of a pixel, as x, y and w
// = 1, is a sum of the corners' homogeneous coordinates, and the pixel is inside where all three shares are positive.

const SIDE = 8

type Triple = readonly [number, number, number]

interface Corner {
  /** x, y, z and w. */
  readonly position: readonly [number, number, number, number]
  readonly attribute: number
}

function determinant([a, b, c]: readonly [Triple, Triple, Triple]): number {
  return a[0] * (b[1] * c[2] - b[2] * c[1]) - b[0] * (a[1] * c[2] - a[2] * c[1]) + c[0] * (a[1] * b[2] - a[2] * b[1])
}

/** The shares of three corners in a point of x, y and w, by Cramer's rule. */
function sharesOf(corners: readonly Corner[], point: Triple): number[] {
  const columns = corners.map(({ position: [x, y, , w] }): Triple => [x, y, w])
  const whole = determinant(columns as unknown as [Triple, Triple, Triple])
  return columns.map((_, i) => {
    const replaced = columns.map((column, k) => (k === i ? point : column))
    return determinant(replaced as unknown as [Triple, Triple, Triple]) / whole
  })
}

const sum = (shares: readonly number[], of: (i: number) => number): number =>
  shares.reduce((total, share, i) => total + share * of(i), 0)

/** What is to be seen at a pixel; undefined where a place that is off by a fiftieth of a pixel decides. */
function modelAt(corners: readonly Corner[], px: number, py: number) {
  const step = 2 / SIDE
  const shares = sharesOf(corners, [(px + 0.5) * step - 1, 1 - (py + 0.5) * step, 1])
  const along = [sharesOf(corners, [step, 0, 0]), sharesOf(corners, [0, step, 0])]
  const changes = shares.map((_, i) => (Math.abs(along[0]![i]!) + Math.abs(along[1]![i]!)) / 50)
  const change = (of: (i: number) => number): number => sum(changes, (i) => Math.abs(of(i))) + 1e-6
  const zOf = (i: number): number => corners[i]!.position[2]
  const wOf = (i: number): number => corners[i]!.position[3]
  const attributeOf = (i: number): number => corners[i]!.attribute
  const z = sum(shares, zOf)
  const nearEdge = shares.some((share, i) => Math.abs(share) < changes[i]! + 1e-6)
  if (nearEdge || Math.min(Math.abs(z), Math.abs(1 - z)) < change(zOf)) return undefined
  const total = sum(shares, () => 1)
  const inSpace = sum(shares, attributeOf) / total
  return {
    isInside: shares.every((share) => share > 0) && z > 0 && z < 1,
    inSpace,
    inSpaceError: (change(attributeOf) + change(() => inSpace)) / Math.abs(total) + 1e-4,
    onScreen: sum(shares, (i) => wOf(i) * attributeOf(i)),
    onScreenError: change((i) => wOf(i) * attributeOf(i)) + 1e-4,
  }
}

const PS =
  'ps_5_0\ndcl_input_ps linear v1.x\ndcl_input_ps linear_noperspective v2.x\ndcl_output o0.xyzw\nmov o0.x, l(1.0)\nmov o0.y, v1.x\nmov o0.zw, v2.xxxx\nret\n'

function cornersOf(random: Random): Corner[] {
  const within = (low: number, high: number): number => Math.fround(low + ((high - low) * random.below(4001)) / 4000)
  return [0, 1, 2].map(() => {
    const w = random.chance(0.4) ? within(-2, -0.01) : within(0.01, 3)
    // A position means the same at any size.
    const size = 2 ** (random.below(81) - 40)
    const position = [within(-3, 3), within(-3, 3), within(-1, 2), w].map((v) => v * size)
    return { position: position as unknown as Corner['position'], attribute: within(-2, 2) }
  })
}

describe('triangles around the viewer', () => {
  it('are seen where their homogeneous coordinates say, with attributes in space and on the screen', () => {
    const random = new Random(77)
    let behind = 0
    let compared = 0
    for (let n = 0; n < amount(60, 400); n++) {
      const corners = cornersOf(random)
      const vertices = corners.map(({ position, attribute: a }) => [...position, a, 0, 0, 0, a, 0, 0, 0])
      const made = draw({ vertices, width: SIDE, height: SIDE, ps: PS, state: { rasterizer: { cullMode: 'NONE' } } })
      for (let i = 0; i < SIDE * SIDE; i++) {
        const [x, y] = [i % SIDE, Math.floor(i / SIDE)]
        const model = modelAt(corners, x, y)
        if (model === undefined) continue
        const name = `${JSON.stringify(corners)} at ${x}, ${y}`
        expect(made.value(x, y, 0), name).toBe(model.isInside ? 1 : 0)
        if (!model.isInside) continue
        compared++
        if (corners.some((c) => c.position[3] < 0)) behind++
        expect(Math.abs(made.value(x, y, 1) - model.inSpace), name).toBeLessThan(model.inSpaceError)
        expect(Math.abs(made.value(x, y, 2) - model.onScreen), name).toBeLessThan(model.onScreenError)
      }
    }
    expect(Math.min(compared, behind * 2)).toBeGreaterThan(100)
  })
})
