import { Device } from 'heddle'
import { describe, expect, it } from 'vitest'
import { expectedHistogram, histogramOf, somePixels } from '../histogram.js'

describe('the histogram shader', () => {
  it('counts every pixel in the bin of its luma', async () => {
    const pixels = somePixels(5000)
    const { counts } = await histogramOf(new Device(), pixels)
    expect(counts).toEqual(expectedHistogram(pixels))
  })

  it('ends with the last pixel, though the last group has threads to spare', async () => {
    const white = new Uint8Array(1025 * 4).fill(255)
    const { counts, result } = await histogramOf(new Device({ undefinedPolicy: 'trap' }), white)
    expect(counts[255]).toBe(1025)
    expect(counts.reduce((sum, n) => sum + n)).toBe(1025)
    expect(result.stopped).toBeUndefined()
  })

  // A result that depends on the order of threads is a race, even if the usual order hides it.
  it.each([
    { waveWidth: 1, order: 'reverse', groupsInFlight: 1 },
    { waveWidth: 4, order: { seed: 1 }, groupsInFlight: 3 },
    { waveWidth: 64, order: { seed: 2 }, groupsInFlight: 2 },
  ])('gives the same counts under the schedule %o', async (schedule) => {
    const pixels = somePixels(3000)
    const { counts } = await histogramOf(new Device({ schedule }), pixels)
    expect(counts).toEqual(expectedHistogram(pixels))
  })
})
