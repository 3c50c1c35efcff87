/** Render targets of tests: small, filled at random, read by the documented layout. */
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import { FORMATS, type Format } from '../../src/isa/formats/index.ts'
import { createTexture, type RenderTargetView, rtv, targetOffset, xorshift32 } from '../../src/machine/index.ts'
import { bitsOfElement, componentOf, componentValue, wordOf } from './exact-formats.ts'

export const RENDERABLE = FORMATS.filter((f) => f.capabilities.renderTarget !== 'none')

/** Numbers at the edges of formats, as float32. */
export const SPECIAL = [
  ...[NaN, Infinity, -Infinity, 0, -0, 2 ** -149, -(2 ** -130), 2 ** -126, 2 ** -24, 2 ** -14, 1, -1, 0.5, 0.2, -0.7],
  ...[1 - 2 ** -24, 1 + 2 ** -23, 2, -3, 127.5 / 255, 65504, 65519, 65536, -70000, 1e30, -3e38, 0.003, 0.0031308],
].map(Math.fround)

export type Random = () => number
/** Uniform in [0, 1), repeatable. */
export function randomFrom(seed: number): Random {
  let state = seed
  return () => {
    state = xorshift32(state)
    return (state >>> 0) / 2 ** 32
  }
}
export const pick = <T>(random: Random, list: readonly T[]): T => list[Math.floor(random() * list.length)]!

/** Two by two pixels. */
export function targetOf(format: Format): RenderTargetView {
  const t = valueOrThrow(createTexture({ dimension: 'texture2d', format: format.name, width: 2, height: 2 }))
  return valueOrThrow(rtv(t))
}

export const toWords = (values: readonly number[]): Int32Array => Int32Array.from(values, wordOf)

export function fillRandomly(view: RenderTargetView, random: Random): void {
  for (let i = 0; i < view.storage.byteLength; i++) view.storage.bytes[i] = Math.floor(random() * 256)
}

/** The four components of pixel (1, 1) by the documented layout; missing ones 0, 0, 0, 1. */
export function destinationOf(view: RenderTargetView): number[] {
  const at = targetOffset(view, 1, 1, 0, 0)
  return [0, 1, 2, 3].map((c) => {
    const component = componentOf(view.format, c)
    if (component === undefined) return c === 3 ? 1 : 0
    return componentValue(component, bitsOfElement(view.storage.bytes, at, component.bitOffset, component.bitCount))
  })
}
