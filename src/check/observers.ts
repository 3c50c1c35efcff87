import type { Observer } from '../engine/index.ts'

type Callback = (event: never) => void

/** Calls each of several callbacks; the common short cases without a loop. */
function all(callbacks: readonly Callback[]): Callback {
  const [a, b, c, d] = callbacks
  if (callbacks.length === 1) return a!
  if (callbacks.length === 2) {
    return (event) => {
      a!(event)
      b!(event)
    }
  }
  if (callbacks.length === 3) {
    return (event) => {
      a!(event)
      b!(event)
      c!(event)
    }
  }
  if (callbacks.length === 4) {
    return (event) => {
      a!(event)
      b!(event)
      c!(event)
      d!(event)
    }
  }
  return (event) => {
    for (const f of callbacks) f(event)
  }
}

const EVENTS = [
  'begin',
  'end',
  'groupBegin',
  'groupEnd',
  'instruction',
  'write',
  'memory',
  'branch',
  'barrier',
  'release',
  'undefined',
] as const satisfies readonly (keyof Observer)[]

/** One observer of several. Events that none of them handles are left out, so that engines do no work for them. */
export function combineObservers(observers: readonly Observer[]): Observer {
  const combined: Record<string, Callback> = {}
  for (const name of EVENTS) {
    const callbacks = observers.map((o) => o[name] as Callback | undefined).filter((f) => f !== undefined)
    if (callbacks.length > 0) combined[name] = all(callbacks)
  }
  return combined as Observer
}
