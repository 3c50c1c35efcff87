// A shader under test: its results, and that it is clean. After `npm run build`: npx vitest run --root examples/check-in-tests
import { readFileSync } from 'node:fs'
import { assemble, Device, srv, uav } from 'heddle'
import { check } from 'heddle/check'
import { checkMatchers } from 'heddle/check/vitest'
import { expect, it } from 'vitest'

expect.extend(checkMatchers)

const GROUPS = 4
const THREADS = 64

function setUp(name) {
  const text = readFileSync(new URL(`../check-missing-barrier/${name}.asm`, import.meta.url), 'latin1')
  const device = new Device({ engine: 'reference' })
  const errors = Uint32Array.from({ length: GROUPS * THREADS }, (_, i) => (i * 7919) % 1009)
  const best = device.createBuffer({ byteLength: GROUPS * 8, stride: 8 })
  const bindings = { t0: srv(device.createBuffer({ data: errors, stride: 4 })), u0: uav(best) }
  return { device, shader: assemble(text).value, errors, best, bindings }
}

it('picks the least error of each group, and is clean', async () => {
  const { device, shader, errors, best, bindings } = setUp('pick-best-fixed')
  expect(await check(device, shader, bindings, [GROUPS, 1, 1])).toBeClean()
  const least = Array.from({ length: GROUPS }, (_, g) => Math.min(...errors.subarray(g * THREADS, (g + 1) * THREADS)))
  expect([...best.read()].filter((_, i) => i % 2 === 0)).toEqual(least)
})

it('is not clean without its barriers, though waves of 32 give the right result', async () => {
  const { device, shader, bindings } = setUp('pick-best')
  const report = await check(device, shader, bindings, [GROUPS, 1, 1])
  expect(report).not.toBeClean()
  expect(report.findings.map((f) => f.code)).toContain('check-race')
})
