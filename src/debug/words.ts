import type { WriteEvent } from '../engine/index.ts'

/** A word that a write left, of component `component`, for a row of its active lanes. */
export function writtenWord(e: WriteEvent, file: number, component: number, row: number): number {
  const { registers, lanes } = e.wave
  const lane = lanes[row]!
  switch (e.file) {
    case 'temp':
      return registers.temp(e.register, component, lane)
    case 'indexable-temp':
      return registers.indexableTemp(e.register, e.elements[row]!, component, lane)
    case 'output':
      return registers.output(file, e.register, component, lane)
  }
}

export const isNaNBits = (bits: number): boolean => (bits & 0x7fffffff) > 0x7f800000
export const isInfinite = (bits: number): boolean => (bits & 0x7fffffff) === 0x7f800000
