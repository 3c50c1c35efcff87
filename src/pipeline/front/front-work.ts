import { findFormat } from '../../isa/formats/index.ts'
import { type Storage, storageOver } from '../../machine/index.ts'
import type { BoundIndexBuffer, BoundVertexBuffer } from '../input/index.ts'
import type { PartPlan, PartSource, StageState } from '../stages/index.ts'
import type { OutputBuffer, OutputWork } from './staged-output.ts'

/** What threads need to run the stages of a draw before the rasterizer, as plain data: buffers by their places in a memory that they share. */

/** What one thread runs parts with. */
export interface FrontWork {
  readonly state: StageState
  readonly source: PartSource
  readonly plan: PartPlan
  readonly output: OutputWork | undefined
  /** As `SharedShader.description`, by stage. */
  readonly shaders: Readonly<Partial<Record<FrontStage, unknown>>>
  /** Where the order of parts, the words of stream output and the slots of what parts write to it lie, and how many slots there are. */
  readonly place: FrontPlace
}

export const FRONT_STAGES = ['vertex', 'hull', 'domain', 'geometry'] as const
export type FrontStage = (typeof FRONT_STAGES)[number]

export interface FrontPlace {
  readonly order: number
  readonly outputWords: number
  readonly staged: number
  readonly slotCount: number
}

interface PlacedStorage {
  readonly at: number
  readonly length: number
}

const placed = ({ byteOffset, byteLength }: Storage): PlacedStorage => ({ at: byteOffset, length: byteLength })

/** Something with a storage, without it. */
type Placed<T> = Omit<T, 'storage'> & { readonly storage: PlacedStorage }

const placedBuffer = <T extends { readonly storage: Storage }>(b: T | undefined): Placed<T> | null =>
  b === undefined ? null : { ...b, storage: placed(b.storage) }

function bufferOf<T extends { readonly storage: Storage }>(
  b: Placed<T> | null,
  buffer: ArrayBufferLike,
): T | undefined {
  if (b === null) return undefined
  const { at, length } = b.storage
  return { ...b, storage: storageOver({ buffer, byteOffset: at }, length) } as unknown as T
}

/** The storages that all threads must see. */
export function storagesOf({ state, source, output }: Pick<FrontWork, 'state' | 'source' | 'output'>): Storage[] {
  const all = [...state.vertexBuffers, source.indexBuffer, ...(output?.buffers ?? [])]
  return all.flatMap((b) => (b === undefined ? [] : [b.storage]))
}

export function plainFront({ state, source, output, plan, shaders, place }: FrontWork): object {
  const { hull, geometry, inputLayout, vertexBuffers } = state
  const declared = hull && { stage: hull.stage, entries: hull.entries }
  return {
    plan,
    shaders,
    place,
    state: {
      ...state,
      hull: declared ?? null,
      geometry: geometry === undefined ? null : { stage: geometry.stage, uavs: [] },
      inputLayout: { elements: inputLayout.elements.map((e) => ({ ...e, format: e.format.name })) },
      vertexBuffers: vertexBuffers.map(placedBuffer),
    },
    source: { ...source, geometry: null, indexBuffer: placedBuffer(source.indexBuffer) },
    output: output === undefined ? null : { layout: output.layout, buffers: output.buffers.map(placedBuffer) },
  }
}

/** What `plainFront` gives, read again. */
interface PlainFront extends Pick<FrontWork, 'plan' | 'shaders' | 'place'> {
  readonly state: Omit<StageState, 'hull' | 'geometry' | 'inputLayout' | 'vertexBuffers'> & {
    readonly hull: StageState['hull'] | null
    readonly geometry: StageState['geometry'] | null
    readonly inputLayout: { readonly elements: readonly { readonly format: string }[] }
    readonly vertexBuffers: readonly (Placed<BoundVertexBuffer> | null)[]
  }
  readonly source: Omit<PartSource, 'geometry' | 'indexBuffer'> & {
    readonly indexBuffer: Placed<BoundIndexBuffer> | null
  }
  readonly output: {
    readonly layout: { readonly slots: readonly (OutputWork['layout']['slots'][number] | null)[] }
    readonly buffers: readonly (Placed<OutputBuffer> | null)[]
  } | null
}

export function frontOf(plain: object, buffer: ArrayBufferLike): FrontWork {
  const { state, source, output, plan, shaders, place } = plain as PlainFront
  const elements = state.inputLayout.elements.map((e) => ({ ...e, format: findFormat(e.format)! }))
  const geometry = state.geometry ?? undefined
  return {
    plan,
    shaders,
    place,
    state: {
      ...state,
      hull: state.hull ?? undefined,
      geometry,
      inputLayout: { elements } as unknown as StageState['inputLayout'],
      vertexBuffers: state.vertexBuffers.map((b) => bufferOf(b, buffer)),
    },
    source: { ...source, geometry, indexBuffer: bufferOf(source.indexBuffer, buffer) },
    output: output === null ? undefined : outputOf(output, buffer),
  }
}

function outputOf({ layout, buffers }: NonNullable<PlainFront['output']>, buffer: ArrayBufferLike): OutputWork {
  return {
    layout: { slots: layout.slots.map((s) => s ?? undefined), rasterizedStream: null },
    buffers: buffers.map((b) => bufferOf(b, buffer)),
  }
}
