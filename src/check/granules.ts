import type { ResolvedBindings } from '../machine/index.ts'

/** The granule in which each resource is watched: the smallest texel of its views, at most 4 bytes. */
export function granules(bindings: ResolvedBindings): Map<object, number> {
  const found = new Map<object, number>()
  for (const view of [...bindings.u.values(), ...bindings.t.values()]) {
    const bytes = 'format' in view ? view.format.blockByteLength : 4
    found.set(view.resource, Math.min(found.get(view.resource) ?? 4, bytes, 4))
  }
  return found
}
