import { readFileSync } from 'node:fs'
import { cbv, srv, uav } from 'heddle'

const BINS = 256
const PIXELS_PER_THREAD = 4

/** The compiled shader; shaders/histogram.hlsl is its source. */
export const histogramShader = new Uint8Array(readFileSync(new URL('shaders/histogram.dxbc', import.meta.url)))

/** Runs the shader over RGBA pixels on a device: the counts by luma, and what the dispatch had to say. */
export async function histogramOf(device, pixels) {
  const count = pixels.length / 4
  const source = device.createBuffer({ data: pixels })
  const bins = device.createBuffer({ byteLength: BINS * 4 })
  const groups = Math.ceil(count / (BINS * PIXELS_PER_THREAD))
  const result = await device.dispatch(
    device.createShader(histogramShader),
    {
      t0: srv(source, { format: 'R8G8B8A8_UINT' }),
      u0: uav(bins, { format: 'R32_UINT' }),
      b0: cbv(Uint32Array.of(count, PIXELS_PER_THREAD)),
    },
    [groups, 1, 1],
  )
  return { counts: bins.read('u32'), result }
}

/** What the shader should find, in plain JavaScript. */
export function expectedHistogram(pixels) {
  const counts = new Uint32Array(BINS)
  for (let i = 0; i < pixels.length; i += 4) {
    counts[(pixels[i] * 54 + pixels[i + 1] * 183 + pixels[i + 2] * 19) >> 8]++
  }
  return counts
}

/** Pixels that look random and are the same every time. */
export function somePixels(count) {
  const pixels = new Uint8Array(count * 4)
  for (let i = 0, x = 1; i < pixels.length; i++) {
    x = (Math.imul(x, 1664525) + 1013904223) >>> 0
    pixels[i] = x >>> 24
  }
  return pixels
}
