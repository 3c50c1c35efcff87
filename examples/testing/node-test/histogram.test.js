import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Device, ShaderError, uav } from 'heddle'
import { expectedHistogram, histogramOf, histogramShader, somePixels } from '../histogram.js'

test('counts every pixel in the bin of its luma', async () => {
  const pixels = somePixels(2000)
  const { counts, result } = await histogramOf(new Device(), pixels)
  assert.deepEqual(counts, expectedHistogram(pixels))
  assert.equal(result.undefinedCount, 0)
})

test('a binding of the wrong kind is refused before anything runs', async () => {
  const device = new Device()
  const bins = device.createBuffer({ byteLength: 1024, stride: 4 })
  const dispatch = device.dispatch(device.createShader(histogramShader), { u0: uav(bins) }, [1, 1, 1])
  await assert.rejects(dispatch, (e) => {
    assert.ok(e instanceof ShaderError)
    assert.match(e.message, /u0/)
    return true
  })
})
