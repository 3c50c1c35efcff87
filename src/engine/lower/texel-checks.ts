import type { TextureSrv, TextureUav } from '../../machine/index.ts'
import type { Builder } from './builder.ts'
import { constantOf } from './facts.ts'
import { always, indexCheck } from './reports.ts'
import { type Check, DESCRIPTOR, DESCRIPTOR_WORDS, type EffectItem, type TexelRequest, type Value } from './value.ts'

/** What may be wrong with typed accesses, samples and queries. */

type Texel = Extract<EffectItem, { kind: 'texel' }>

/** Width of a mip, which findings give as the limit whatever coordinate is out of bounds. */
function widthOf(o: Builder, binding: number, mip: Value | undefined): Value {
  const width = o.make('descriptor', [], binding * DESCRIPTOR_WORDS + DESCRIPTOR.width)
  if (mip === undefined || constantOf(mip) === 0) return width
  return o.make('u32Max', [o.shiftRightLogical(width, mip), o.constant(1)])
}

/**
 * What a texel address that is not in bounds is told as: a mip or sample that is not there (the result is undefined for
 * samples, 22.4.7), else a coordinate. `defined` says of coordinates that Direct3D says what happens.
 */
export function texelChecks(o: Builder, item: Texel, view: TextureSrv | TextureUav, defined: boolean): Check[] {
  const checks: Check[] = []
  const { binding, operation } = item.request
  const [mip, sample] = operation === 'load' ? item.args.slice(3, 5) : []
  if (mip !== undefined && constantOf(mip) !== 0) {
    checks.push(indexCheck(o, 'subresource', true, mip, o.constant(view.levels.length)))
  }
  if (sample !== undefined && constantOf(sample) !== 0) {
    checks.push(indexCheck(o, 'subresource', false, sample, o.constant(view.sampleCount)))
  }
  const [address, limit] = [item.args[0]!, widthOf(o, binding, mip)]
  return [...checks, { reason: 'out-of-bounds', defined, bad: always(o), address, limit }]
}

/** How findings name what an operation does to its view. */
const ACCESS = {
  load: 'load',
  store: 'store',
  atomic: 'atomic',
  sample: 'load',
  gather: 'load',
  resinfo: 'other',
  samplepos: 'other',
} as const satisfies Record<TexelRequest['operation'], Extract<EffectItem, { kind: 'report' }>['access']>

/** An operation on a slot that nothing is bound to: loads, samples and queries give 0, the others do nothing. */
export function reportUnbound(o: Builder, { statement, request, args }: Texel): void {
  const access = ACCESS[request.operation]
  const isAccess = ['load', 'store', 'atomic'].includes(request.operation)
  const zero = o.constant(0)
  const address = isAccess ? args[0]! : zero
  const check = { reason: 'unbound', defined: true, bad: always(o), address, limit: zero } as const
  o.push({ kind: 'report', statement, operand: undefined, access, check, weight: 1, unbound: undefined })
}
