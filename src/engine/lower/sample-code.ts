import type { Sampler, Srv, Uav } from '../../machine/index.ts'
import type { Builder } from './builder.ts'
import type { EffectItem, Value } from './value.ts'

type Texel = Extract<EffectItem, { kind: 'texel' }>

/** Code for a sample, or undefined where the host does it. */
export function expandSample(
  _o: Builder,
  _item: Texel,
  _view: Srv | Uav,
  _sampler: Sampler | undefined,
  _wanted: readonly boolean[],
): readonly (Value | undefined)[] | undefined {
  return undefined
}
