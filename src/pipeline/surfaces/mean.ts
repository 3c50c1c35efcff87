import type { Format, FormatComponent } from '../../isa/formats/index.ts'
import type { Storage } from '../../machine/index.ts'
import { createElement, elementReader, elementWriter, fieldsOf } from '../merge/index.ts'

/** Means of elements of one format: what generated mips store. */

/**
 * Collects weighted elements and stores their mean. UNORM and SNORM are averaged exactly, halves away from zero; sRGB and
 * float components as numbers, sRGB in linear space.
 */
export interface Mean {
  add(byteOffset: number, weight: number): void
  /** Stores sum / `total` and begins anew; `total` is the sum of the weights. */
  store(byteOffset: number, total: number): void
}

/** The integer that a normalized component counts as in units of its scale; undefined for others. */
function normalizedScale({ encoding, bitCount }: FormatComponent): number | undefined {
  if (encoding === 'unorm') return 2 ** bitCount - 1
  return encoding === 'snorm' ? 2 ** (bitCount - 1) - 1 : undefined
}

/** Halves away from zero; exact while both are integers below 2^52. */
function roundedQuotient(sum: number, total: number): number {
  const magnitude = Math.floor((2 * Math.abs(sum) + total) / (2 * total))
  return sum < 0 ? -magnitude : magnitude
}

/** Sums of float components are doubles, rounded once. */
export function createMean(format: Format, from: Storage, to: Storage): Mean {
  const element = createElement()
  const read = elementReader(format, from)
  const write = elementWriter(format, to)
  const fields = fieldsOf(format).map((f) => ({ component: f.component, scale: normalizedScale(f.source) }))
  const sums = new Float64Array(4)
  const { floats } = element
  return {
    add(byteOffset, weight) {
      read(byteOffset, element)
      for (const { component: c, scale } of fields) {
        // The float32 nearest to code / scale is within 2^-24 of it, so rounding gives the code back.
        const v = floats[c]!
        sums[c] = sums[c]! + (scale === undefined ? v : Math.round(v * scale)) * weight
      }
    },
    store(byteOffset, total) {
      for (const { component: c, scale } of fields) {
        // code / scale as float32 again; the conversion of the format gives the code.
        floats[c] = scale === undefined ? sums[c]! / total : roundedQuotient(sums[c]!, total) / scale
        if (Number.isNaN(floats[c]!)) element.bits[c] = 0x7fc00000
        sums[c] = 0
      }
      write(byteOffset, element)
    },
  }
}
