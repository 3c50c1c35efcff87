import { type Builder, constantOf, type Label, type LoopPhi, type Value } from '../ir/index.ts'
import { extreme, runningMean } from './filter-code.ts'
import { producesNoDenormal } from './normalized-filters.ts'
import type { Linear } from './sample-address.ts'
import type { Line } from './sample-gradients.ts'
import type { TapContext } from './tap-context.ts'

/**
 * Samples along a line of anisotropy: a loop over the taps of the lane that has most, as sampleLine of machine/sampling has them.
 * Lanes with fewer keep what they have.
 */

type Sampled = (Value | undefined)[]

const HALF = 0x3f000000

/** Where tap `i` of so many stands; the only one stands where the sample does. */
function tapContext(c: TapContext, i: Value, taps: Value, line: Line): TapContext {
  const { o } = c
  const half = o.constant(HALF)
  const t = o.f32Sub(o.f32Div(o.f32Add(o.i32ToF32(i), half), o.i32ToF32(taps)), half)
  const isOne = o.i32Equal(taps, o.constant(1))
  const [u, v] = c.coordinates as [Value, Value]
  const along = (at: Value, whole: Value): Value => o.select(isOne, at, o.f32Add(at, o.f32Mul(whole, t)))
  return { ...c, coordinates: [along(u, line.u), along(v, line.v)] }
}

/** The first value, or what comes of those before it and of it. */
function fold(c: TapContext, i: Value, total: Value, value: Value): Value {
  const { o } = c
  const { reduction } = c.sampler
  const isCompared = c.compare !== undefined
  const isModerate = isCompared || producesNoDenormal(c.view.format, c.sampler)
  const folded =
    !isCompared && (reduction === 'minimum' || reduction === 'maximum')
      ? extreme(o, total, value, reduction === 'minimum')
      : runningMean(o, total, value, o.i32ToF32(o.i32Add(i, o.constant(1))), isModerate)
  return o.select(o.i32Equal(i, o.constant(0)), value, folded)
}

/** Samples the taps of a line where the filter is linear. `sample` gives the components of a tap, constants among them. */
export function sampleLine(c: TapContext, linear: Linear, line: Line, sample: (at: TapContext) => Sampled): Sampled {
  const { o } = c
  const one = o.constant(1)
  const taps = linear === true ? line.taps : o.select(maskOf(o, linear), line.taps, one)
  const label: Label = { id: c.statement, loop: true, phis: [] }
  let headerPhis: readonly LoopPhi[] = []
  let constants: Sampled = []
  const zero = o.constant(0)
  const body = o.inside(true, () => {
    const i = o.phi()
    const totals = [0, 1, 2, 3].map(() => o.phi())
    const isLeft = o.i32Less(i, taps)
    const taken = o.inside(false, () => {})
    const otherwise = o.inside(false, () => o.push({ kind: 'break', label, args: totals }))
    o.push({ kind: 'if', condition: o.make('anyLane', [isLeft]), taken, otherwise, phis: [] })
    const values = sample(tapContext(c, i, taps, line))
    constants = values.map((v) => (v !== undefined && constantOf(v) !== undefined ? v : undefined))
    const next = values.map((v, n) =>
      v === undefined || constants[n] !== undefined
        ? totals[n]!
        : o.select(isLeft, fold(c, i, totals[n]!, v), totals[n]!),
    )
    headerPhis = [
      { value: i, init: zero, next: o.i32Add(i, one) },
      ...totals.map((value, n) => ({ value, init: zero, next: next[n] ?? value })),
    ]
  })
  for (const _ of [0, 1, 2, 3]) label.phis.push(o.phi())
  // An iteration costs a thread no instruction.
  o.push({ kind: 'loop', label, headerPhis, body, cost: 0, statement: c.statement })
  return label.phis.map((phi, n) => (c.compare === undefined && !c.wanted[n] ? undefined : (constants[n] ?? phi)))
}

const maskOf = (o: Builder, linear: boolean | Value): Value =>
  typeof linear === 'boolean' ? o.constant(linear ? 0xffffffff : 0) : linear
