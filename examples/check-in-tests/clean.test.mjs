import { readFileSync } from 'node:fs'
import { assemble, Device, srv, uav } from 'heddle'
import { check } from 'heddle/check'
import { checkMatchers } from 'heddle/check/vitest'
import { expect, test } from 'vitest'

expect.extend(checkMatchers)

test('the shader is free of races', async () => {
  const text = readFileSync(new URL('../check-missing-barrier/pick-best-fixed.asm', import.meta.url), 'latin1')
  const device = new Device()
  const errors = device.createBuffer({ stride: 4, data: new Uint32Array(256) })
  const best = device.createBuffer({ stride: 8, byteLength: 32 })
  const report = await check(device, assemble(text).value, { t0: srv(errors), u0: uav(best) }, [4, 1, 1])
  expect(report).toBeClean()
})
