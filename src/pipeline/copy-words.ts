import type { ElementKernels, Words } from '../engine/index.ts'

/** Copies the words of an array from one up to, not including, another to a place in another array, by code where it reaches both. */
export function copyWords(
  kernels: ElementKernels | undefined,
  to: Words,
  at: number,
  from: Words,
  first: number,
  end: number,
): void {
  if (kernels?.copy(to, at, from, first, end) !== true) to.set(from.subarray(first, end), at)
}
