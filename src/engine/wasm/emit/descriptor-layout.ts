import { propertyOf, type ViewProperty } from '../../ir/index.ts'

/** Where compiled code finds the properties of bound views: words of the descriptor that the engine writes for a dispatch. */

/** Words of the descriptor of one binding, at binding * DESCRIPTOR_WORDS. */
export const DESCRIPTOR_WORDS = 16
export const DESCRIPTOR: Readonly<Record<ViewProperty, number>> = {
  base: 0,
  byteLength: 1,
  elementCount: 2,
  counter: 3,
  sampleCount: 4,
  width: 5,
  height: 6,
  depth: 7,
  rowPitch: 8,
  slicePitch: 9,
  arraySize: 10,
  levels: 11,
}

/** Number of the word that has a property. */
export const descriptorWord = (binding: number, property: ViewProperty): number =>
  binding * DESCRIPTOR_WORDS + DESCRIPTOR[property]

/** Number of the word that a `descriptor` value is. */
export function wordOfProperty(imm: number): number {
  const { binding, property } = propertyOf(imm)
  return descriptorWord(binding, property)
}

/** Byte address of the table of sRGB codes' floats, one word each. */
export const SRGB_TABLE = 1024
