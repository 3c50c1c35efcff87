import { describe, expect, test } from 'vitest'
import { FunctionAssembler, V128 } from '../encode/assembler.ts'
import { deadVectors } from './dead-vectors.ts'

/** Zeros for what a function does with three vector locals, as the locals at each place. */
function zerosOf(body: (f: FunctionAssembler, locals: readonly [number, number, number]) => void): number[][] {
  const f = new FunctionAssembler(0)
  const locals = [f.local(V128), f.local(V128), f.local(V128)] as const
  body(f, locals)
  return deadVectors(f.trace).map((z) => [...z.locals])
}

describe('vectors that nothing reads any more', () => {
  test('are overwritten at the ends of arms and of iterations', () => {
    const zeros = zerosOf((f, [a, b]) => {
      f.loop((again) => {
        f.if(() => void f.set(a).get(a))
        f.set(b).get(b)
        f.br(again)
      })
    })
    // In the arm its own, at the end of the body all that every iteration writes before it reads it.
    expect(zeros).toEqual([[0], [0, 1]])
  })

  test('but not what the next iteration reads, or what is read behind the arm or the loop', () => {
    const zeros = zerosOf((f, [a, b, c]) => {
      f.block((end) => {
        f.loop((again) => {
          f.get(a).set(a)
          f.if(() => void f.set(b))
          f.get(b)
          f.set(c).br(end)
          f.br(again)
        })
      })
      f.get(c)
    })
    expect(zeros.flat()).not.toContain(0)
    expect(zeros.flat()).not.toContain(1)
  })

  test('a branch to the end of a block passes by what would write again', () => {
    const zeros = zerosOf((f, [a]) => {
      f.block((done) => {
        f.if(() => void f.set(a))
        f.br(done)
        f.set(a)
      })
      f.get(a)
    })
    expect(zeros).toEqual([])
  })

  test('an arm that writes in place of the other counts as a write, one alone does not', () => {
    const both = zerosOf((f, [a]) => {
      f.loop((again) => {
        f.if(
          () => void f.set(a),
          () => void f.set(a),
        )
        f.get(a).br(again)
      })
    })
    expect(both).toEqual([[0]])
    const one = zerosOf((f, [a]) => {
      f.loop((again) => {
        f.if(() => void f.set(a))
        f.get(a).br(again)
      })
    })
    expect(one).toEqual([])
  })
})
