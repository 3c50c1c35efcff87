import { DIMENSION_NUMBER } from '../../../isa/index.ts'
import type { ResolvedBindings, Srv, TexelView, TextureSrv, Uav, ViewLevel } from '../../../machine/index.ts'
import { storageOver } from '../../../machine/index.ts'
import type { GroupCounts } from '../../contract.ts'
import { type BindingUse, bitsOf, type Lowered } from '../../ir/index.ts'
import { type CopyKind, LEVEL, LEVEL_WORDS, type TexelBindings } from '../../texture/index.ts'
import { DESCRIPTOR, DESCRIPTOR_WORDS } from '../emit/descriptor-layout.ts'
import { HEADER, HEADER_WORDS } from '../emit/kernel-layout.ts'
import type { DecodedTextures } from './decoded/decoded-textures.ts'
import type { WasmMemory } from './memory.ts'
import type { Staging } from './staging.ts'

/**
 * The descriptor of a dispatch, all that code gets: header, a descriptor a binding, the words of constant buffers,
 * the immediate constant buffer.
 */

/** Mips that a texture has at most: of 16384 texels. */
const MAX_MIPS = 15

/** Words that the table of a binding's mips takes. */
function levelWords({ resource }: BindingUse): number {
  const isTexture = resource?.shape === 'typed' && resource.dimension !== DIMENSION_NUMBER.buffer
  return isTexture ? MAX_MIPS * LEVEL_WORDS : 0
}

/** Bytes of the descriptor. */
export function descriptorBytes(lowered: Lowered): number {
  const { uses } = lowered.bindings
  const ofBindings = uses.reduce((n, u) => n + DESCRIPTOR_WORDS + levelWords(u) + u.constantCount * 4, 0)
  return (HEADER_WORDS + ofBindings + lowered.declarations.immediateConstants.length) * 4
}

/** A view as its descriptor's words, and over the storage that the code sees. */
export interface StagedView {
  readonly fields: readonly number[]
  /** Words of its table of mips. */
  readonly levels: readonly number[]
  readonly view: Srv | Uav | undefined
}

const NO_VIEW: StagedView = { fields: [], levels: [], view: undefined }

/** The pitch from slice to slice, of depth or of an array. */
const slicePitchOf = (view: TexelView, level: ViewLevel): number =>
  view.dimension === 'texture3d' ? level.slicePitch : view.arrayPitch

/** A texture whose storage is at an address; the host reads `read`. */
function stagedTexture(view: TexelView, address: number, read: Srv | Uav): StagedView {
  const fields = new Array<number>(DESCRIPTOR_WORDS).fill(0)
  const [first] = view.levels as [ViewLevel, ...ViewLevel[]]
  fields[DESCRIPTOR.base] = address + first.byteOffset
  fields[DESCRIPTOR.sampleCount] = view.sampleCount
  fields[DESCRIPTOR.width] = first.width
  fields[DESCRIPTOR.height] = first.height
  fields[DESCRIPTOR.depth] = first.depth
  fields[DESCRIPTOR.rowPitch] = first.rowPitch
  fields[DESCRIPTOR.slicePitch] = slicePitchOf(view, first)
  fields[DESCRIPTOR.arraySize] = view.arraySize
  const levels = new Array<number>(view.levels.length * LEVEL_WORDS).fill(0)
  view.levels.forEach((level, n) => {
    const at = n * LEVEL_WORDS
    levels[at + LEVEL.offset] = level.byteOffset - first.byteOffset
    levels[at + LEVEL.rowPitch] = level.rowPitch
    levels[at + LEVEL.slicePitch] = slicePitchOf(view, level)
    levels[at + LEVEL.width] = level.width
    levels[at + LEVEL.height] = level.height
    levels[at + LEVEL.depth] = level.depth
    levels[at + LEVEL.begin] = address + level.byteOffset
    levels[at + LEVEL.pitch] = level.rowPitch
    levels[at + LEVEL.floatWidth] = bitsOf(level.width)
    levels[at + LEVEL.floatHeight] = bitsOf(level.height)
    levels[at + LEVEL.lastX] = level.width - 1
    levels[at + LEVEL.lastY] = level.height - 1
  })
  return { fields, levels, view: read }
}

/** Textures that lie in an engine's memory, where they stay: draws bind the same views again and again. */
const PLACED = new WeakMap<Srv | Uav, StagedView>()

function stageView(
  given: Srv | Uav,
  memory: WasmMemory,
  stores: Stores,
  copy: CopyKind | undefined,
): StagedView | undefined {
  const isBlocks = given.shape === 'texture' && given.format.layout !== 'linear'
  if (given.kind === 'srv' && given.shape === 'texture' && (copy !== undefined || isBlocks)) {
    return stageDecoded(given, stores, copy === 'codes')
  }
  const placed = PLACED.get(given)
  if (placed !== undefined && memory.owns(given.storage.buffer)) return placed
  const made = stageAnew(given, memory, stores)
  const stays = given.shape === 'texture' && memory.owns(given.storage.buffer)
  if (made !== undefined && stays) PLACED.set(given, made)
  return made
}

/** A texture of which code reads a decoded copy. The host reads the texture itself. */
function stageDecoded(view: TextureSrv, { staging, decoded }: Stores, isOfCodes: boolean): StagedView | undefined {
  const copy = decoded.stage(view, isOfCodes)
  if (copy === undefined) return undefined
  staging.use(copy.release)
  return stagedTexture(copy.view, copy.view.storage.byteOffset, view)
}

function stageAnew(view: Srv | Uav, memory: WasmMemory, { staging }: Stores): StagedView | undefined {
  const { storage } = view
  const byteLength = storage.words.length * 4
  const address = staging.stage(storage.buffer, storage.byteOffset, byteLength, view.kind === 'uav')
  if (address === undefined) return undefined
  const here = memory.owns(storage.buffer)
    ? view
    : { ...view, storage: storageOver({ buffer: memory.memory.buffer, byteOffset: address }, storage.byteLength) }
  if (view.shape === 'texture') return stagedTexture(view, address, here)
  const fields = new Array<number>(DESCRIPTOR_WORDS).fill(0)
  fields[DESCRIPTOR.base] = address + view.byteOffset
  fields[DESCRIPTOR.byteLength] = view.byteLength
  fields[DESCRIPTOR.elementCount] = view.elementCount
  if (view.kind === 'uav' && view.shape === 'structured' && view.counter !== undefined) {
    const { words, index } = view.counter
    const counters = staging.stage(words.buffer, words.byteOffset, words.byteLength, true)
    if (counters === undefined) return undefined
    fields[DESCRIPTOR.counter] = counters + index * 4
  }
  return { fields, levels: [], view: here }
}

/** Where views find room: copies of a dispatch, and decoded textures that are kept. */
export interface Stores {
  readonly staging: Staging
  readonly decoded: DecodedTextures
}

/** All views of a dispatch in the engine's memory; undefined where it has no room. */
export function stageViews(
  { views, decoded }: TexelBindings,
  memory: WasmMemory,
  stores: Stores,
): StagedView[] | undefined {
  const staged: StagedView[] = []
  for (const [n, view] of views.entries()) {
    const made = view === undefined ? NO_VIEW : stageView(view, memory, stores, decoded?.get(n))
    if (made === undefined) return undefined
    staged.push(made)
  }
  return staged
}

interface DescriptorParts {
  readonly lowered: Lowered
  readonly views: readonly StagedView[]
  readonly bindings: ResolvedBindings
  readonly groups: GroupCounts
  /** Instructions that a wave may execute in loops. */
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
  words[HEADER.budget] = parts.budget
  uses.forEach((use, n) => {
    const d = HEADER_WORDS + n * DESCRIPTOR_WORDS
    if (use.register === 'b') at = copyConstants(words, d, at, use, bindings)
    else {
      const { fields, levels } = parts.views[n]!
      words.set(fields, d)
      words.set(levels, at)
      words[d + DESCRIPTOR.levels] = words.byteOffset + at * 4
      at += levelWords(use)
    }
  })
  words[HEADER.immediateConstants] = words.byteOffset + at * 4
  words.set(lowered.declarations.immediateConstants, at)
}
