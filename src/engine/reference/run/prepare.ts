import { type Cbv, DEFAULT_DISPATCH_LIMITS, type ResolvedBindings, type Srv, type Uav } from '../../../machine/index.ts'
import type { ClassBinding } from '../../class-instances.ts'
import type { ClassInstance, DispatchOptions } from '../../contract.ts'
import type { Findings } from '../../findings.ts'
import type { Code } from '../compile/compile.ts'
import type { CbvSlot, Clock, Dispatch, ViewSlot } from './state.ts'
import { makeViewSlot } from './view-slot.ts'

/** What dispatches and stages of draws share: bindings resolved for code, and what a halt says. */

function cbvSlot(view: Cbv): CbvSlot {
  const { storage, byteOffset, byteLength } = view
  const words = new Int32Array(storage.buffer, storage.byteOffset, storage.words.length)
  // A rest of 1 to 3 bytes counts as a word: the storage is padded with zeros.
  return { view, words, first: byteOffset >> 2, wordCount: Math.ceil(byteLength / 4) }
}

function thisWords(instances: ReadonlyMap<number, ClassInstance>, count: number): Int32Array {
  const words = new Int32Array(count * 4)
  for (const [pointer, i] of instances) {
    words.set([i.constantBuffer ?? 0, i.constantOffset ?? 0, i.texture ?? 0, i.sampler ?? 0], pointer * 4)
  }
  return words
}

export interface Prepared {
  readonly code: Code
  readonly bindings: ResolvedBindings
  readonly options: DispatchOptions
  readonly classes: ClassBinding
  readonly findings: Findings
}

export function createDispatch(p: Prepared, clock: Clock = { statements: 0 }): Dispatch {
  const { code, bindings, options } = p
  const viewCache = new Map<Srv | Uav, ViewSlot>()
  const slotOf = (view: Srv | Uav | undefined): ViewSlot | undefined => {
    if (view === undefined) return undefined
    const slot = viewCache.get(view) ?? makeViewSlot(view)
    viewCache.set(view, slot)
    return slot
  }
  return {
    bindings,
    views: code.viewSlots.map((s) => slotOf(s.file === 'u' ? bindings.u.get(s.key) : bindings.t.get(s.key))),
    samplers: code.samplerSlots.map((s) => bindings.s.get(s.key)),
    cbvs: new Map([...bindings.b].map(([key, view]) => [key, cbvSlot(view)])),
    instances: p.classes.instances,
    thisWords: thisWords(p.classes.instances, p.classes.pointerCount),
    viewCache,
    policy: options.undefinedPolicy ?? 'report',
    observer: options.observer,
    pages: undefined,
    findings: p.findings,
    maxInstructionsPerThread: options.maxInstructionsPerThread ?? DEFAULT_DISPATCH_LIMITS.maxInstructionsPerThread,
    threadInstructions: 0,
    clock,
  }
}
