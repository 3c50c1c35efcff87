import { always, type Builder, type EffectItem, type TexelRequest } from '../ir/index.ts'

/** Findings about texel items that come before any address is known; `texel-code.ts` and `sample-code.ts` leave them. */

type Texel = Extract<EffectItem, { kind: 'texel' }>

/** How findings name what an operation does to its view. */
const ACCESS = {
  load: 'load',
  store: 'store',
  atomic: 'atomic',
  sample: 'load',
  gather: 'load',
  lod: 'load',
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
