/** Every moment of a draw, written down while the draw itself runs, statement by statement: nothing is copied and run again. */
import {
  type Batch,
  type BatchExecution,
  type Engine,
  type EntryLayout,
  indexableTempsOf,
  isOfBatches,
  type LoadedShader,
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
  readonly firstInvocation: number
  /** Invocations that are active in the wave that is next. */
  readonly invocations: readonly number[]
  /** Bytes that the statement before it stored. */
  readonly stores: readonly { readonly resource: object; readonly at: number; readonly end: number }[]
}

export interface DrawMoments {
  readonly result: DrawResult
  readonly moments: readonly DrawMoment[]
  /** The state at the end of each batch that executes something, and what it was made of. */
  readonly ends: ReadonlyMap<number, DrawMoment>
  /** Of each batch. */
  readonly stages: readonly string[]
  readonly layouts: readonly EntryLayout[]
}

/** What a draw writes beside the memory of its shaders. */
export function targetsOf({ renderTargets, depthStencil, streamOutputBuffers }: DrawResources): Storage[] {
  return [...renderTargets, depthStencil, ...streamOutputBuffers].flatMap((v) => (v === undefined ? [] : [v.storage]))
}

/** What a draw writes: targets, streams, unordered access. Puts it back when called. */
export function copyDrawMemory(resources: DrawResources): () => void {
  const views = (b: Bindings) =>
    Object.values(b)
      .flat()
      .flatMap((given) => {
        const view = given === undefined || given === null ? undefined : 'diagnostics' in given ? given.value : given
        return view?.kind === 'uav' ? [view] : []
      })
  const uavs = views(resources.unorderedAccess)
  const storages = [...new Set([...targetsOf(resources), ...uavs.map((v) => v.storage)])]
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

/** Digests of the moments of one batch; the same for a draw that runs and for a time line of the batch. */
export function batchDigest(
  loaded: LoadedShader,
  bindings: ResolvedBindings,
  entry: number,
  layout: EntryLayout,
  targets: readonly Storage[],
): DigestOf {
  const of = wholeDigest(bindings, placesOfEntry(loaded, entry, layout))
  return (groups) => targets.reduce((d, s) => mix(d, s.words), of(groups))
}

/** Runs a draw and writes its moments down; undefined where there are more than `most`. Memory is left as the draw leaves it. */
export function momentsOfDraw(draw: PreparedDraw, most: number): DrawMoments | undefined {
  const moments: DrawMoment[] = []
  const ends = new Map<number, DrawMoment>()
  const stages: string[] = []
  const layouts: EntryLayout[] = []
  const targets = targetsOf(draw.resources)
  const stepping: Engine = {
    ...draw.engine,
    begin(loaded, bindings, invocations, options = {}) {
      let stores: { resource: object; at: number; end: number }[] = []
      const observer: Observer = {
        memory: (e) => {
          if (e.access === 'load' || e.space !== 'uav') return
          for (let row = 0; row < e.wave.activeCount; row++) {
            const view = e.views === undefined ? e.view : e.views[row]
            for (let i = 0; i < e.width; i++) {
              const at = e.byteOffsets[row * e.width + i]!
              if (view?.kind === 'uav' && at >= 0) stores.push({ resource: view.resource, at, end: at + e.byteLength })
            }
          }
        },
      }
      const begun = draw.engine.begin(loaded, bindings, invocations, { ...options, observer })
      if (begun.value === undefined || !isOfBatches(begun.value)) return begun
      const inner = begun.value
      let digest: DigestOf = () => 0
      const note = (): DrawMoment => {
        const batch = stages.length - 1
        const groups = inner.inspect!()
        const next = inner.next!()
        const wave = next && groups.flatMap((g) => g.waves).find((w) => w.wave === next.wave)
        const isActive = (l: number): boolean =>
          ((l < 32 ? wave!.active.low >>> l : wave!.active.high >>> (l - 32)) & 1) === 1
        const lanes = wave === undefined ? [] : Array.from({ length: wave.laneCount }, (_, l) => l).filter(isActive)
        const moment: DrawMoment = {
          ...{ batch, digest: digest(groups), stores },
          next: next === undefined ? undefined : JSON.stringify(next),
          statement: next?.statement ?? -1,
          callDepth: wave?.callDepth ?? 0,
          firstInvocation: wave?.firstThread ?? -1,
          invocations: lanes.map((l) => l + wave!.firstThread),
        }
        stores = []
        return moment
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
          digest = batchDigest(loaded, bindings, batch.entry, layout, targets)
          inner.start(batch)
        },
        run() {
          const first = moments.length
          while (inner.next!() !== undefined) {
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
  return moments.length > most ? undefined : { result, moments, ends, stages, layouts }
}
