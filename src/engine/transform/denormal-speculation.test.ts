import { describe, expect, it } from 'vitest'
import { irProgram } from '../../../test/support/ir-program.ts'
import { runPartsAtOnce } from '../next-task.ts'
import { FACTOR, PRODUCT, planSpeculation, TERM } from './denormal-speculation.ts'

/** A machine on which a flush is three operations and a check two. */
const COSTS = {
  flush: 3,
  check: 2,
  test: 2,
  iterations: 8,
  minRatio: 1,
  minFlushes: 2,
  maxFlushes: 9,
  maxFlushesOfInnermost: 12,
}

/** Flushes that are left out and values that are checked instead, by name; undefined where there is no plan. */
function planOf(text: string) {
  const { root, values } = irProgram(text)
  const plan = runPartsAtOnce(
    planSpeculation(root.items, {
      isVarying: (v) => v.op !== 'constant',
      isFlushed: () => false,
      costs: COSTS,
    }),
  )
  if (plan === undefined) return undefined
  const nameOf = new Map([...values].map(([name, v]) => [v, name]))
  return {
    elided: [...plan.elided].map((v) => nameOf.get(v)),
    checks: Object.fromEntries([...plan.checks].map(([v, exponent]) => [nameOf.get(v), exponent])),
  }
}

/** A loop whose body multiplies and adds, as the meanings of the rows make it: with a flush of every result. */
const loop = (body: string): string => `
  v0 = load [uav 0, offset 0x0 stride 0] 0 of 0 @1
  loop L0 cost 3 @2 {
    v1 = phi 0x3f800000, v9
    ${body}
    v8 = f32Less v9, 0x3f800000
    if v8 {
      break L0
    } else {
    }
  }`

describe('flushes that checks replace', () => {
  it('are none in code without loops', () => {
    expect(
      planOf(
        'v0 = threadInGroup.0\nv1 = f32Mul v0, v0\nv2 = flushDenormal v1\nv3 = f32Add v2, v2\nv4 = flushDenormal v3',
      ),
    ).toBeUndefined()
  })

  it('sums of multiples of a large power of two need none, nor a check in the loop', () => {
    // v1 begins at 1 and gains v3, an integer: everything is a multiple of 2^-23, so no sum is denormal.
    const plan = planOf(loop('v2 = f32Floor v0\nv3 = flushDenormal v2\nv4 = f32Add v1, v3\nv9 = flushDenormal v4'))
    expect(plan).toEqual({ elided: ['v3', 'v9'], checks: {} })
  })

  it('a product is checked, or the factors that it is made of', () => {
    // A factor that is at least 2^-51 gives, times another one, at least 2^-102.
    const plan = planOf(loop('v2 = f32Mul v1, v1\nv3 = flushDenormal v2\nv4 = f32Add v3, v0\nv9 = flushDenormal v4'))
    expect(plan?.elided).toEqual(['v3', 'v9'])
    for (const exponent of Object.values(plan!.checks)) expect([FACTOR, PRODUCT]).toContain(exponent)
  })

  it('a sum that is a factor needs no check in the loop where its terms are computed once', () => {
    // Multiples of 2^-51 have a difference of at least 2^-51, whose square is at least 2^-102.
    const terms = `
      v0 = load [uav 0, offset 0x0 stride 0] 0 of 0 @1
      v5 = load [uav 1, offset 0x0 stride 0] 0 of 0 @1
      loop L0 cost 3 @2 {
        v1 = phi 0x3f800000, v9
        v2 = f32Sub v0, v5
        v3 = flushDenormal v2
        v4 = f32Mul v3, v3
        v6 = flushDenormal v4
        v7 = f32Add v1, v6
        v9 = flushDenormal v7
        v8 = f32Less v9, 0x3f800000
        if v8 {
          break L0
        } else {
        }
      }`
    expect(planOf(terms)).toEqual({ elided: ['v3', 'v6', 'v9'], checks: { v0: TERM, v5: TERM } })
  })

  it('a sum that is a factor is checked itself where its terms change', () => {
    const plan = planOf(loop('v2 = f32Sub v1, v0\nv3 = flushDenormal v2\nv4 = f32Mul v3, v3\nv9 = flushDenormal v4'))
    expect(plan?.checks).toMatchObject({ v2: FACTOR })
  })

  it('are kept where they are fewer than pay for the test at the end', () => {
    expect(planOf(loop('v9 = flushDenormal v1'))).toBeUndefined()
  })

  it('are kept behind the last loop, where a check would put what the loops computed at stake for a single flush', () => {
    const body = 'v2 = f32Floor v0\nv3 = flushDenormal v2\nv4 = f32Add v1, v3\nv9 = flushDenormal v4'
    const product = 'v20 = load [uav 1, offset 0x0 stride 0] 0 of 0 @1\nv21 = f32Mul v20, v20\nv22 = flushDenormal v21'
    const branch = `v30 = f32Less v0, 0x3f800000\nif v30 {\n${product}\n} else {\n}`
    for (const behind of [product, branch]) {
      expect(planOf(`${loop(body)}\n${behind}`)).toEqual({ elided: ['v3', 'v9'], checks: {} })
    }
    // Before a loop the same product is checked.
    expect(planOf(`${product}\n${loop(body)}`)?.elided).toContain('v22')
    // What is known without a check needs no flush there either.
    const integer = 'v20 = f32Floor v0\nv21 = flushDenormal v20'
    expect(planOf(`${loop(body)}\n${integer}`)?.elided).toContain('v21')
  })

  it('may be more where no loop holds another', () => {
    const flushes = (count: number): string =>
      Array.from({ length: count }, (_, n) => `v${20 + n} = f32Mul v1, v1\nv${40 + n} = flushDenormal v${20 + n}`).join(
        '\n',
      )
    const sums = (count: number): string =>
      Array.from({ length: count }, (_, n) => `v${60 + n} = f32Add v${n === 0 ? 1 : 59 + n}, v${40 + n}`).join('\n')
    const body = `${flushes(10)}\n${sums(10)}\nv9 = flushDenormal v69`
    const inner =
      'loop L1 cost 1 @3 {\nv10 = phi 0x0, v11\nv11 = i32Add v10, 0x1\nv12 = i32Less v11, 0x4\nif v12 {\nbreak L1\n} else {\n}\n}'
    expect(planOf(loop(body))?.elided).toHaveLength(11)
    expect(planOf(loop(`${inner}\n${body}`))).toBeUndefined()
  })
})
