import { FILE } from '../isa/index.ts'
import type { Operand } from '../program/index.ts'
import type { EntryDeclaration, IoDeclaration } from './stage-declarations.ts'

/** Where the words of inputs and outputs lie when a stage runs: what the pipeline fills and reads, and engines run on. */

/** Where the words of one register file lie in a batch: `[vertex][register][component]`, dense. */
export interface RegisterBlock {
  readonly file: number
  /** Vertices or control points; 1 where the registers have one index. */
  readonly vertexCount: number
  /** True where registers are named with the vertex first. */
  readonly byVertex: boolean
  readonly firstRegister: number
  readonly registerCount: number
  /** First slot of the block; a slot is one word of every invocation. */
  readonly firstSlot: number
  /** Components declared of each register, by register from `firstRegister`. */
  readonly masks: readonly number[]
}

/** The words that an entry's invocations read, or those they leave. */
export interface RegisterLayout {
  readonly blocks: readonly RegisterBlock[]
  readonly slotCount: number
}

/** The slot of a word, or -1 where the layout does not have it. */
export function slotOf(block: RegisterBlock, vertex: number, register: number, component: number): number {
  const r = register - block.firstRegister
  if (r < 0 || r >= block.registerCount || vertex < 0 || vertex >= block.vertexCount) return -1
  return block.firstSlot + (vertex * block.registerCount + r) * 4 + component
}

export function blockOf(layout: RegisterLayout, file: number): RegisterBlock | undefined {
  return layout.blocks.find((b) => b.file === file)
}

/** The layout of declared registers, a block for each register file in ascending order of their numbers. */
export function layoutOf(declared: readonly IoDeclaration[]): RegisterLayout {
  const blocks: RegisterBlock[] = []
  let slotCount = 0
  for (const file of [...new Set(declared.map((d) => d.file))].sort((a, b) => a - b)) {
    const own = declared.filter((d) => d.file === file)
    const firstRegister = own.reduce((least, d) => Math.min(least, d.register), own[0]!.register)
    const registerCount = own.reduce((most, d) => Math.max(most, d.register), 0) - firstRegister + 1
    const declaredVertices = own.reduce((most, d) => Math.max(most, d.vertexCount), 0)
    const vertexCount = Math.max(1, declaredVertices)
    const masks = Array.from({ length: registerCount }, (_, r) =>
      own.filter((d) => d.register === firstRegister + r).reduce((m, d) => m | d.mask, 0),
    )
    blocks.push({
      file,
      vertexCount,
      byVertex: declaredVertices > 0,
      firstRegister,
      registerCount,
      firstSlot: slotCount,
      masks,
    })
    slotCount += vertexCount * registerCount * 4
  }
  return { blocks, slotCount }
}

/** Registers of one entry of a shader. */
export interface EntryLayout {
  readonly inputs: RegisterLayout
  readonly outputs: RegisterLayout
}

/** Layouts that have been made: every draw needs those of its shaders. */
const LAYOUTS = new WeakMap<EntryDeclaration, EntryLayout>()

export function entryLayout(entry: EntryDeclaration): EntryLayout {
  const known = LAYOUTS.get(entry)
  if (known !== undefined) return known
  const made = { inputs: layoutOf(entry.inputs), outputs: layoutOf(entry.outputs) }
  LAYOUTS.set(entry, made)
  return made
}

/** True for operands that name one attribute and nothing computed: their derivatives are defined in any flow (16.8). */
export const isPlainInput = (o: Operand): boolean =>
  o.type === FILE.input && o.indices.every((index) => index.kind === 'immediate')
