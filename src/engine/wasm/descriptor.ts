import type { ResolvedBindings, Srv, Uav } from '../../machine/index.ts'
import { storageOver } from '../../machine/index.ts'
import type { GroupCounts } from '../contract.ts'
import type { BindingUse } from '../lower/bindings.ts'
import type { Lowered } from '../lower/translate.ts'
import { DESCRIPTOR, DESCRIPTOR_WORDS } from '../lower/value.ts'
import { HEADER, HEADER_WORDS } from './emitter.ts'
import type { WasmMemory } from './memory.ts'
import type { Staging } from './staging.ts'

/**
 * The descriptor of a dispatch, all that code is told: header, a descriptor a binding, the words of constant buffers,
 * the immediate constant buffer.
 */

/** Bytes of the descriptor. */
export function descriptorBytes(lowered: Lowered): number {
  const { uses } = lowered.bindings
  const constants = uses.reduce((n, u) => n + u.constantCount * 16, 0)
  return (
    (HEADER_WORDS + uses.length * DESCRIPTOR_WORDS) * 4 + constants + lowered.declarations.immediateConstants.length * 4
  )
}

/** A view as its descriptor's words, and over the storage that the code sees. */
interface StagedView {
  readonly fields: readonly number[]
  readonly view: Srv | Uav | undefined
}

const NO_VIEW: StagedView = { fields: [], view: undefined }

function stageView(view: Srv | Uav, memory: WasmMemory, staging: Staging): StagedView | undefined {
  const { storage } = view
  const byteLength = storage.words.length * 4
  const address = staging.stage(storage.buffer, storage.byteOffset, byteLength, view.kind === 'uav')
  if (address === undefined) return undefined
  const here = memory.owns(storage.buffer)
    ? view
    : { ...view, storage: storageOver({ buffer: memory.memory.buffer, byteOffset: address }, storage.byteLength) }
  const fields = new Array<number>(DESCRIPTOR_WORDS).fill(0)
  if (view.shape === 'texture') {
    const level = view.levels[0]!
    fields[DESCRIPTOR.base] = address + level.byteOffset
    fields[DESCRIPTOR.sampleCount] = view.sampleCount
    fields[DESCRIPTOR.width] = level.width
    fields[DESCRIPTOR.height] = level.height
    fields[DESCRIPTOR.depth] = level.depth
    fields[DESCRIPTOR.rowPitch] = level.rowPitch
    fields[DESCRIPTOR.slicePitch] = view.dimension === 'texture3d' ? level.slicePitch : view.arrayPitch
    fields[DESCRIPTOR.arraySize] = view.arraySize
    return { fields, view: here }
  }
  fields[DESCRIPTOR.base] = address + view.byteOffset
  fields[DESCRIPTOR.byteLength] = view.byteLength
  fields[DESCRIPTOR.elementCount] = view.elementCount
  if (view.kind === 'uav' && view.shape === 'structured' && view.counter !== undefined) {
    const { words, index } = view.counter
    const counters = staging.stage(words.buffer, words.byteOffset, words.byteLength, true)
    if (counters === undefined) return undefined
    fields[DESCRIPTOR.counter] = counters + index * 4
  }
  return { fields, view: here }
}

/** All views of a dispatch in the engine's memory; undefined where it has no room. */
export function stageViews(
  views: readonly (Srv | Uav | undefined)[],
  memory: WasmMemory,
  staging: Staging,
): StagedView[] | undefined {
  const staged: StagedView[] = []
  for (const view of views) {
    const made = view === undefined ? NO_VIEW : stageView(view, memory, staging)
    if (made === undefined) return undefined
    staged.push(made)
  }
  return staged
}

export interface DescriptorParts {
  readonly lowered: Lowered
  readonly views: readonly StagedView[]
  readonly bindings: ResolvedBindings
  readonly groups: GroupCounts
  /** Turns of loops that a wave may make. */
  readonly budget: number
}

/** Copies a constant buffer's words, with zeros up to what the code may name; answers the word after them. */
function copyConstants(words: Uint32Array, d: number, at: number, use: BindingUse, bindings: ResolvedBindings): number {
  const view = bindings.b.get(use.key)
  const count = use.constantCount * 4
  words.fill(0, at, at + count)
  words[d + DESCRIPTOR.base] = words.byteOffset + at * 4
  if (view !== undefined) {
    const wordCount = Math.min(Math.ceil(view.byteLength / 4), count)
    const from = new Uint32Array(view.storage.buffer, view.storage.byteOffset + view.byteOffset, wordCount)
    words.set(from, at)
    words[d + DESCRIPTOR.elementCount] = Math.ceil(wordCount / 4)
  }
  return at + count
}

/** Writes the descriptor into its words. */
export function fillDescriptor(words: Uint32Array, parts: DescriptorParts): void {
  const { lowered, bindings, groups } = parts
  const { uses } = lowered.bindings
  let at = HEADER_WORDS + uses.length * DESCRIPTOR_WORDS
  words.fill(0, 0, at)
  words[HEADER.groupsX] = groups[0]
  words[HEADER.groupsY] = groups[1]
  words[HEADER.budget] = Math.min(parts.budget, 0x7fffffff)
  uses.forEach((use, n) => {
    const d = HEADER_WORDS + n * DESCRIPTOR_WORDS
    if (use.register === 'b') at = copyConstants(words, d, at, use, bindings)
    else words.set(parts.views[n]!.fields, d)
  })
  words[HEADER.immediateConstants] = words.byteOffset + at * 4
  words.set(lowered.declarations.immediateConstants, at)
}
