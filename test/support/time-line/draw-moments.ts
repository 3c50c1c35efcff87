/** Every moment of a draw, written down while the draw itself runs, statement by statement: nothing is copied and run again. */
import { combineObservers, type Finding, watchDrawFindings } from '../../../src/check/index.ts'
import {
  type Batch,
  type BatchExecution,
  type Engine,
  type EntryLayout,
  type GroupState,
  indexableTempsOf,
  isOfBatches,
  type LoadedShader,
  type MemoryEvent,
  type Observer,
  type RegisterPlace,
} from '../../../src/engine/index.ts'
import { FILE } from '../../../src/isa/index.ts'
import type { Bindings, ResolvedBindings, Storage } from '../../../src/machine/index.ts'
import type { DrawResources, DrawResult } from '../../../src/pipeline/index.ts'
import { drawAtOnce } from '../draw-text.ts'
import type { PreparedDraw } from '../frames/index.ts'
import { type DigestOf, mix, wholeDigest } from './digest.ts'

export interface DrawMoment {
  readonly batch: number
  readonly next: string | undefined
  readonly digest: number
  readonly statement: number
  readonly callDepth: number
  /** Of the wave that is next. */
  readonly wave: number
  readonly firstInvocation: number
  /** Invocations that are active in the wave that is next. */
  readonly invocations: readonly number[]
  /** Bytes that the statement before it accessed. */
  readonly accesses: readonly DrawAccess[]
}

export interface DrawAccess {
  readonly resource: object
  readonly at: number
  readonly end: number
  readonly access: MemoryEvent['access']
  readonly invocation: number
}

/** A change by the user in a batch, at a clock that counts from its begin: other changes may make other batches longer. */
export interface DrawChange {
  readonly batch: number
  readonly clock: number
  readonly make: (groups: readonly GroupState[]) => void
}

export interface DrawFound {
  readonly before: number
  readonly stage: string
  readonly finding: Finding
}

export interface DrawMoments {
  readonly result: DrawResult
  readonly moments: readonly DrawMoment[]
  /** The state at the end of each batch that executes something, and what it was made of. */
  readonly ends: ReadonlyMap<number, DrawMoment>
  /** Of each batch. */
  readonly stages: readonly string[]
  readonly layouts: readonly EntryLayout[]
  readonly findings: readonly DrawFound[]
}

/** What a draw writes beside the memory of its shaders. */
export function targetsOf({ renderTargets, depthStencil, streamOutputBuffers }: DrawResources): Storage[] {
  return [...renderTargets, depthStencil, ...streamOutputBuffers].flatMap((v) => (v === undefined ? [] : [v.storage]))
}

const viewsOf = (b: Bindings) =>
  Object.values(b)
    .flat()
    .flatMap((given) => {
      const view = given === undefined || given === null ? undefined : 'diagnostics' in given ? given.value : given
      return view?.kind === 'uav' ? [view] : []
    })

/** Everything that a draw writes: targets, streams, unordered access. */
export const storagesOfDraw = (resources: DrawResources): Storage[] => [
  ...new Set([...targetsOf(resources), ...viewsOf(resources.unorderedAccess).map((v) => v.storage)]),
]

/** Copies what a draw writes; puts it back when called. */
export function copyDrawMemory(resources: DrawResources): () => void {
  const uavs = viewsOf(resources.unorderedAccess)
  const storages = storagesOfDraw(resources)
  const bytes = storages.map((s) => s.bytes.slice())
  const counters = uavs.flatMap((v) => (v.shape === 'structured' && v.counter !== undefined ? [v.counter] : []))
  const counts = counters.map((c) => c.words[c.index]!)
  const filled = resources.streamOutputBuffers.map((b) => b?.filled)
  return () => {
    storages.forEach((s, i) => {
      s.bytes.set(bytes[i]!)
    })
    counters.forEach((c, i) => {
      c.words[c.index] = counts[i]!
    })
    resources.streamOutputBuffers.forEach((b, i) => {
      if (b !== undefined) b.filled = filled[i]!
    })
  }
}

/** The registers of an entry: temps, arrays, inputs and outputs. */
function placesOfEntry({ declarations: d }: LoadedShader, entry: number, layout: EntryLayout): RegisterPlace[] {
  const places: RegisterPlace[] = []
  const add = (file: number, indices: readonly number[]): void => {
    for (let component = 0; component < 4; component++) places.push({ file, indices, component })
  }
  for (let r = 0; r < d.tempCount; r++) add(FILE.temp, [r])
  for (const { register, count } of indexableTempsOf(d, d.entries[entry]!)) {
    for (let i = 0; i < count; i++) add(FILE['indexable-temp'], [register, i])
  }
  for (const b of [...layout.inputs.blocks, ...layout.outputs.blocks]) {
    for (let v = 0; v < b.vertexCount; v++) {
      for (let r = 0; r < b.registerCount; r++) {
        const register = b.firstRegister + r
        add(b.file, b.byVertex ? [v, register] : [register])
      }
    }
  }
  return places
}

/** What targets hold. They change between batches alone. */
export const targetWords = (targets: readonly Storage[]): number => targets.reduce((d, s) => mix(d, s.words), 0)

/** Digests of the moments of one batch beside what targets hold at it; the same for a draw that runs and for a time line of the batch. */
export const batchDigest = (
  loaded: LoadedShader,
  bindings: ResolvedBindings,
  entry: number,
  layout: EntryLayout,
): DigestOf => wholeDigest(bindings, placesOfEntry(loaded, entry, layout))

export const withTargets = (digest: number, targets: number): number => mix(digest, [targets])

/** The stages of a draw with what is bound to them, as its own run begins them. */
export function stagesThatBegin(
  draw: PreparedDraw,
): { stage: string; loaded: LoadedShader; bindings: ResolvedBindings }[] {
  const found: { stage: string; loaded: LoadedShader; bindings: ResolvedBindings }[] = []
  const noting: Engine = {
    ...draw.engine,
    begin(loaded, bindings, invocations, options) {
      found.push({ stage: loaded.declarations.stage.kind, loaded, bindings })
      return draw.engine.begin(loaded, bindings, invocations, options)
    },
  }
  const reset = copyDrawMemory(draw.resources)
  drawAtOnce(noting, draw.pipeline, draw.resources, draw.call, draw.options)
  reset()
  return found
}

function noteAccesses(accesses: DrawAccess[], e: MemoryEvent): void {
  if (e.space !== 'uav' && e.space !== 'srv') return
  for (let row = 0; row < e.wave.activeCount; row++) {
    const view = e.views === undefined ? e.view : e.views[row]
    if (view === undefined || !('resource' in view)) continue
    const invocation = e.wave.firstThread + e.wave.lanes[row]!
    for (let i = 0; i < e.width; i++) {
      const at = e.byteOffsets[row * e.width + i]!
      const { resource } = view
      if (at >= 0) accesses.push({ resource, at, end: at + e.byteLength, access: e.access, invocation })
    }
  }
}

/** Runs a draw and writes its moments down; undefined where there are more than `most`. Memory is left as the draw leaves it. */
export function momentsOfDraw(
  draw: PreparedDraw,
  most: number,
  changes: readonly DrawChange[] = [],
): DrawMoments | undefined {
  const moments: DrawMoment[] = []
  const ends = new Map<number, DrawMoment>()
  const stages: string[] = []
  const layouts: EntryLayout[] = []
  const findings: DrawFound[] = []
  const targets = targetsOf(draw.resources)
  /** Digest of the moment that was written down last. */
  let state = 0
  const watch = watchDrawFindings(stagesThatBegin(draw), (finding, { stage }) => {
    findings.push({ before: moments.length - 1, stage, finding })
  })
  const stepping: Engine = {
    ...draw.engine,
    begin(loaded, bindings, invocations, options = {}) {
      let accesses: DrawAccess[] = []
      const noting: Observer = { memory: (e) => noteAccesses(accesses, e) }
      const detectors = watch.observerOf(loaded.declarations.stage.kind)
      const observer = detectors === undefined ? noting : combineObservers([noting, detectors])
      const begun = draw.engine.begin(loaded, bindings, invocations, { ...options, observer })
      if (begun.value === undefined || !isOfBatches(begun.value)) return begun
      const inner = begun.value
      let digest: DigestOf = () => 0
      let targetsNow = 0
      const note = (): DrawMoment => {
        const groups = inner.inspect!()
        state = digest(groups)
        const own = { batch: stages.length - 1, digest: withTargets(state, targetsNow), accesses }
        accesses = []
        return { ...own, ...nextOf(inner, groups) }
      }
      const execution: BatchExecution = {
        engine: inner.engine,
        layouts: inner.layouts,
        get progress() {
          return inner.progress
        },
        start(batch: Batch) {
          stages.push(loaded.declarations.stage.kind)
          const layout = inner.layouts[batch.entry]!
          layouts.push(layout)
          digest = batchDigest(loaded, bindings, batch.entry, layout)
          targetsNow = targetWords(targets)
          inner.start(batch)
        },
        run() {
          const first = moments.length
          while (inner.next!() !== undefined) {
            for (const c of changes)
              if (c.batch === stages.length - 1 && c.clock === moments.length - first) c.make(inner.inspect!())
            if (moments.length <= most) moments.push(note())
            const result = inner.step!(1)
            if (result !== undefined) return result
          }
          if (moments.length > first) ends.set(stages.length - 1, note())
          return undefined
        },
        stop: (why) => inner.stop(why),
        finish: () => inner.finish(),
        dispose: () => inner.dispose(),
      }
      return { ...begun, value: execution } as typeof begun
    },
  }
  const { pipeline, resources, call, options } = draw
  const result = drawAtOnce(stepping, pipeline, resources, call, options)
  watch.finish()
  // At the end of the draw all of it has been merged.
  const last = [...ends].at(-1)
  if (last !== undefined) ends.set(last[0], { ...last[1], digest: withTargets(state, targetWords(targets)) })
  return moments.length > most ? undefined : { result, moments, ends, stages, layouts, findings }
}

/** What comes next in an execution, and who executes it. */
function nextOf(
  inner: BatchExecution,
  groups: readonly GroupState[],
): Omit<DrawMoment, 'batch' | 'digest' | 'accesses'> {
  const next = inner.next!()
  const wave = next && groups.flatMap((g) => g.waves).find((w) => w.wave === next.wave)
  const isActive = (l: number): boolean =>
    ((l < 32 ? wave!.active.low >>> l : wave!.active.high >>> (l - 32)) & 1) === 1
  const lanes = wave === undefined ? [] : Array.from({ length: wave.laneCount }, (_, l) => l).filter(isActive)
  return {
    next: next === undefined ? undefined : JSON.stringify(next),
    statement: next?.statement ?? -1,
    callDepth: wave?.callDepth ?? 0,
    wave: next?.wave ?? -1,
    firstInvocation: wave?.firstThread ?? -1,
    invocations: lanes.map((l) => l + wave!.firstThread),
  }
}
