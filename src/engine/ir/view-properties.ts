import type { Builder } from './builder.ts'
import type { Value } from './value.ts'

/**
 * Properties of a bound view that code may read while it runs, as the immediate of a `descriptor` value. Where an engine keeps the
 * answers is its own business: the WebAssembly engine's layout is in `wasm/emit/descriptor-layout.ts`.
 */
const VIEW_PROPERTIES = [
  /** Address of the view's first byte (of a constant buffer: of its copy); 0 where nothing is bound. */
  'base',
  /** Bytes of a raw view. */
  'byteLength',
  /** Structures, typed elements, bytes; constants of a constant buffer. */
  'elementCount',
  /** Address of the hidden counter's word; 0 where there is none. */
  'counter',
  'sampleCount',
  /** Of the first mip of a texture, where code is made for its format. */
  'width',
  'height',
  'depth',
  'rowPitch',
  /** Bytes from one depth slice, or one array slice, to the next. */
  'slicePitch',
  'arraySize',
  /** Address of the table of mips. */
  'levels',
] as const
export type ViewProperty = (typeof VIEW_PROPERTIES)[number]

/** A property of the view at a binding. */
export const viewProperty = (o: Builder, binding: number, property: ViewProperty): Value =>
  o.make('descriptor', [], binding * VIEW_PROPERTIES.length + VIEW_PROPERTIES.indexOf(property))

/** The property that the immediate of a `descriptor` value names. */
export function propertyOf(imm: number): { readonly binding: number; readonly property: ViewProperty } {
  const n = VIEW_PROPERTIES.length
  return { binding: Math.floor(imm / n), property: VIEW_PROPERTIES[imm % n]! }
}
