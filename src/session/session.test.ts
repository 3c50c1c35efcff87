import { describe, expect, it } from 'vitest'
import { amount } from '../../test/support/amount.ts'
import { memoryHost } from '../../test/support/jobs.ts'
import { assemblySession, kernelSession } from '../../test/support/sessions.ts'
import { debug } from '../host/index.ts'
import { parseDescription } from '../job/index.ts'
import { codesOf, elementNamed, fileNamed, scopesOf, spaceNamed, stateDigest, statementOfInstruction } from './index.ts'
import type { DebugSession } from './session.ts'

/** Each thread stores 10 * thread + 7 at 4 * thread, the odd ones 1 more. */
const PROGRAM = `imul null, r0.x, vThreadIDInGroupFlattened.x, l(10)
iadd r0.x, r0.x, l(7)
and r0.y, vThreadIDInGroupFlattened.x, l(1)
if_nz r0.y
  iadd r0.x, r0.x, l(1)
endif
ishl r0.z, vThreadIDInGroupFlattened.x, l(2)
store_raw u0.x, r0.z, r0.x
ret`

const at = (session: DebugSession, instruction: number) => {
  const statement = statementOfInstruction(session.run, instruction)
  return { kind: 'statements', statements: [statement!] } as const
}

const words = (session: DebugSession): readonly number[] => {
  const { bytes } = spaceNamed(session.run, 'u0', [0, 0, 0])!
  return [...new Uint32Array(bytes.slice(0, 16).buffer)]
}

describe('a session', () => {
  it('shows the same state at each clock, from either side', async () => {
    const session = await kernelSession('reduce')
    const count = amount(12, 40)
    const seen: number[] = []
    for (let i = 0; i < count; i++) {
      seen.push(stateDigest(session.run))
      await session.step({ direction: 'forward', unit: 'any' })
    }
    for (let i = count - 1; i >= 0; i--) {
      await session.step({ direction: 'backward', unit: 'any' })
      expect(stateDigest(session.run), `clock ${i}`).toBe(seen[i])
    }
    expect(new Set(seen).size).toBe(count)
  })

  it('stops at statements for the lanes for which a condition holds, and looks at the first of them', async () => {
    const session = await assemblySession(PROGRAM)
    const b = session.add('7', at(session, 7), { condition: 'r0.y' })
    const stop = await session.continue('forward')
    expect(stop).toMatchObject({ reason: 'breakpoint', breakpoints: [b] })
    expect(session.focus).toEqual({ group: [0, 0, 0], thread: 1 })
    expect(stop.stop.hits[0]?.lanes).toEqual([1, 3])
    expect(session.evaluate('r0.x').value?.node.value).toBe('18')
    expect(session.evaluate('r0.x@3').value?.node.value).toBe('38')
    expect((await session.continue('forward')).reason).toBe('end')
    expect(words(session)).toEqual([7, 18, 27, 38])
    const back = await session.continue('backward')
    expect([back.reason, back.stop.clock]).toEqual(['breakpoint', stop.stop.clock])
  })

  it('counts hits from the start of the recording', async () => {
    const session = await kernelSession('reduce')
    session.add('0', at(session, 0), { hitCondition: '3' })
    const stop = await session.continue('forward')
    // Waves of 32 threads execute the first instruction one after the other.
    expect([stop.reason, session.focus.thread]).toEqual(['breakpoint', 64])
    expect((await session.continue('forward')).reason).toBe('end')
  })

  it('looks at a thread that still runs, where the one before has ended', async () => {
    const session = await assemblySession(PROGRAM, 64)
    // Wave 0 has executed all of its ten instructions, the ones in the block for half of its lanes.
    await session.goTo(10)
    expect(session.focus.thread).toBe(32)
  })

  it('prints log messages for each lane and goes on', async () => {
    const session = await assemblySession(PROGRAM)
    session.add('7', at(session, 7), { logMessage: 'r0 is {r0.x}, {asint(r0.x) / 0x10}' })
    const stop = await session.continue('forward')
    expect(stop.reason).toBe('end')
    expect(stop.logs).toEqual([7, 18, 27, 38].map((n) => `r0 is ${n}, ${Math.floor(n / 16)}`))
  })

  it('stops behind stores to a range, in both directions at the same moment', async () => {
    const session = await assemblySession(PROGRAM)
    const { resource } = spaceNamed(session.run, 'u0', [0, 0, 0])!
    const range = { space: 'resource', resource: resource!, byteOffset: 8, byteLength: 4 } as const
    session.add('u0+8', { kind: 'memory', range, access: 'write' })
    const stop = await session.continue('forward')
    expect([stop.reason, session.focus.thread, words(session)[2]]).toEqual(['data', 2, 27])
    await session.goTo(1000)
    expect((await session.continue('backward')).stop.clock).toBe(stop.stop.clock)
    expect((await session.continue('backward')).reason).toBe('start')
  })

  it('assigns to registers: the run goes on with them', async () => {
    const session = await assemblySession(PROGRAM)
    session.add('7', at(session, 7))
    await session.continue('forward')
    const changes = session.evaluateFor({ group: [0, 0, 0], thread: 2 }, 'r0.x').value?.node.assign?.('1000')
    expect(changes).toHaveLength(1)
    await session.change(changes as Exclude<typeof changes, string | undefined>)
    await session.continue('forward')
    expect(words(session)).toEqual([7, 18, 1000, 38])
    await session.goTo(0)
    await session.goTo(1000)
    expect(words(session)).toEqual([7, 18, 1000, 38])
  })

  it('stops at what the detectors find', async () => {
    const session = await assemblySession('mov r0.x, l(64)\nstore_raw u0.x, r0.x, r0.x\nret')
    session.add('bounds', { kind: 'filter', filter: 'bounds' })
    const stop = await session.continue('forward')
    expect(stop.reason).toBe('finding')
    expect(stop.findings[0]?.code).toBe('check-bounds-raw')
    expect(codesOf('bounds')).toContain('check-bounds-raw')
  })

  it('has scopes of variables, registers, lanes, memory and the wave', async () => {
    const session = await kernelSession('reduce')
    await session.goTo(300)
    const scopes = scopesOf(session.run, session.focus)
    const names = ['Locals', 'Registers', 'All lanes', 'Constants', 'Resources', 'Groupshared', 'Wave']
    expect(scopes.map((s) => s.name)).toEqual(names)
    const values = scopes[4]!.node.children(0, 1)[0]!
    expect([values.name, values.indexedCount]).toEqual(['values', 10000])
    // Contents of t0: the generator's numbers, read by the page.
    const page = values.children(9990, 100)
    expect(page.map((n) => n.name)).toEqual(Array.from({ length: 10 }, (_, i) => `[${9990 + i}]`))
    expect(page[0]?.memory).toBe(`t0+0x${(9990 * 4).toString(16)}`)
  })

  it('refuses frames without a draw or a dispatch with a diagnostic', async () => {
    const job = {
      version: 2,
      resources: { color: { kind: 'texture2d', format: 'R8G8B8A8_UNORM', width: 4, height: 4 } },
      commands: [{ clear: 'color', color: [0, 0, 0, 1] }],
    }
    const { value, diagnostics } = parseDescription(job)
    expect(diagnostics).toEqual([])
    const opened = await debug(value!, memoryHost())
    expect(opened.diagnostics.map((d) => d.code)).toEqual(['session-frame'])
  })
})

it('means the file that has most of its last folders in common with a path', () => {
  const files = ['S:\\a\\common.hlsl', 'S:\\b\\common.hlsl', 'S:\\main.hlsl'].map((name) => ({ name }))
  const named = (path: string): number | undefined => fileNamed(files, path)
  expect(['s:/A/common.hlsl', '/home/me/b/common.hlsl', 'common.hlsl', 'x/MAIN.hlsl'].map(named)).toEqual([0, 1, 0, 2])
  expect([named('/home/me/b/other.hlsl'), named('on.hlsl'), named('')]).toEqual([undefined, undefined, undefined])
})

it('reads what is bound by its register where nothing names it', async () => {
  const session = await assemblySession(PROGRAM)
  await session.goTo(1000)
  expect(session.evaluate('u0[2] + 1').value?.node.value).toBe('28')
  const [resources] = scopesOf(session.run, session.focus)
  expect(resources?.node.children(0, 4).map((n) => [n.name, n.value])).toEqual([
    ['u0', 'RWByteAddressBuffer of 16 elements'],
  ])
})

it('names shared memory by its register and by elements', async () => {
  // Structures of 8 bytes.
  const session = await kernelSession('reduce')
  const byteOffsets = ['g[3]', 'g0[3]', 'g0+0x8', 'g0'].map((text) => elementNamed(session.run, text)?.byteOffset)
  expect(byteOffsets).toEqual([24, 24, 8, 0])
  expect(elementNamed(session.run, 'g[100000]')).toBeUndefined()
  expect(elementNamed(session.run, 'g7[0]')).toBeUndefined()
})

it('shows a register by what its bits look like, and what functions make of it by their types', async () => {
  const session = await assemblySession('mov r0.x, l(1.0)\nmov r0.y, l(63)\nret')
  await session.goTo(2)
  const shown = (text: string): string => {
    const node = session.evaluate(text).value!.node
    return `${node.value} ${node.type}`
  }
  expect(shown('r0.x')).toBe('1.0 register')
  expect(shown('asint(r0.x)')).toBe('1065353216 int')
  expect(shown('asuint(r0.xy).x')).toBe('1065353216 uint')
  expect(shown('r0.y')).toBe('63 register')
  expect(shown('asint(r0.y)')).toBe('63 int')
})
