import { describe, expect, it } from 'vitest'
import { parseProgram } from '../asm/index.ts'
import { type Outcome, ShaderError, valueOrThrow } from '../diagnostic/index.ts'
import { type DispatchOptions, type GroupCounts, matchBindings } from '../engine/index.ts'
import { createReferenceEngine } from '../engine/reference/index.ts'
import { type Bindings, createBuffer, createSrv, createUav, DEFAULT_SCHEDULE } from '../machine/index.ts'
import { createTimeLine, type SourcePlaces, type StopCondition, type TimeLine } from './index.ts'

const ENGINE = createReferenceEngine({})

function begin(
  text: string,
  bindings: Bindings = {},
  options: DispatchOptions & { groups?: GroupCounts } = {},
): Outcome<TimeLine> {
  const { groups = [1, 1, 1], ...dispatch } = options
  const loaded = valueOrThrow(ENGINE.load(valueOrThrow(parseProgram(text))))
  const matched = valueOrThrow(matchBindings(loaded.declarations, bindings))
  return createTimeLine({ engine: ENGINE, loaded, bindings: matched, groups, options: dispatch })
}

const lineOf = (...given: Parameters<typeof begin>): TimeLine => valueOrThrow(begin(...given))

const GROUP = [0, 0, 0] as const
const thread = (n: number) => ({ group: GROUP, thread: n })
/** By operand type of the token format: r#, and the operand type of vThreadIDInGroupFlattened. */
const TEMP = 0
const temp = (register: number, component = 0) => ({ file: TEMP, indices: [register], component })

const words = (...data: number[]) => valueOrThrow(createBuffer({ data: Uint32Array.from(data) }))

const COUNTER = `cs_5_0
dcl_uav_raw u0
dcl_temps 2
dcl_thread_group 1, 1, 1
mov r0.x, l(0)
loop
  uge r0.y, r0.x, l(5)
  breakc_nz r0.y
  iadd r1.x, r1.x, r0.x
  store_raw u0.x, l(0), r1.x
  iadd r0.x, r0.x, l(1)
endloop
ret
`

/** Thread 1 reads what thread 0 stored, with no barrier between them; waves have one lane. */
const RACE = `cs_5_0
dcl_uav_raw u0
dcl_input vThreadIDInGroupFlattened
dcl_temps 1
dcl_tgsm_raw g0, 16
dcl_thread_group 2, 1, 1
if_z vThreadIDInGroupFlattened.x
  store_raw g0.x, l(4), l(7)
else
  ld_raw r0.x, l(4), g0.xxxx
  store_raw u0.x, l(0), r0.x
endif
ret
`

const CALLS = `cs_5_0
dcl_uav_raw u0
dcl_temps 2
dcl_thread_group 1, 1, 1
mov r0.x, l(1)
call label0
iadd r0.x, r0.x, l(1)
ret
label label0
iadd r0.x, r0.x, l(10)
call label1
iadd r0.x, r0.x, l(20)
ret
label label1
iadd r0.x, r0.x, l(100)
ret
`

describe('a time line', () => {
  it('stands at any clock, and ends as the run does', async () => {
    const buffer = words(99)
    const line = lineOf(COUNTER, { u0: createUav(buffer, { raw: true }) })
    expect([line.clock, line.end, line.result]).toEqual([0, undefined, undefined])
    // mov and loop, five turns of 6, the last of 2, then endloop without a lane, and ret.
    expect(await line.goTo(1000)).toEqual({ reason: 'end', clock: 36, hits: [] })
    expect([line.end, line.next, line.result?.threadInstructionCount]).toEqual([36, undefined, 35])
    expect(buffer.storage.words[0]).toBe(0 + 1 + 2 + 3 + 4)
    await line.goTo(0)
    expect(buffer.storage.words[0]).toBe(99)
    expect(line.result).toBeUndefined()
    expect(await line.step('backward', { unit: 'any' })).toMatchObject({ reason: 'start', clock: 0 })
  })

  it('finds the values of registers at a moment, by conditions on them', async () => {
    const line = lineOf(COUNTER, { u0: createUav(words(0), { raw: true }) })
    const isSix: StopCondition = { kind: 'statement', when: ({ wave, lane }) => wave.register(temp(1), lane) === 6 }
    const stop = await line.run('forward', [isSix])
    expect(stop).toMatchObject({ reason: 'condition', hits: [{ lanes: [0], before: stop.clock }] })
    const effects = await line.effects()
    expect(effects!.registers).toEqual([{ place: temp(1), lane: 0, original: 3, value: 6 }])
    expect(line.clock).toBe(stop.clock)
  })

  it('stops behind changes of memory, in both directions at the same clocks', async () => {
    const buffer = words(0)
    const line = lineOf(COUNTER, { u0: createUav(buffer, { raw: true }) })
    const change: StopCondition = {
      kind: 'memory',
      ranges: [{ space: 'resource', resource: buffer, byteOffset: 0, byteLength: 4 }],
      access: 'change',
    }
    const stops = async (direction: 'forward' | 'backward'): Promise<number[][]> => {
      const found: number[][] = []
      for (;;) {
        const stop = await line.run(direction, [change])
        if (stop.reason !== 'condition') return found
        found.push([stop.clock, buffer.storage.words[0]!])
      }
    }
    const forward = await stops('forward')
    // Sums 1, 3, 6 and 10; the first store leaves the 0 that was there. A turn takes six statements.
    expect(forward).toEqual([12, 18, 24, 30].map((clock, i) => [clock, [1, 3, 6, 10][i]!]))
    expect(await stops('backward')).toEqual(forward.reverse())
  })

  it('counts hits from the start, whichever way it runs', async () => {
    const line = lineOf(COUNTER, { u0: createUav(words(0), { raw: true }) })
    await line.goTo(Number.MAX_SAFE_INTEGER)
    const add = line.source.loaded.declarations.program.statements.length - 4
    const third: StopCondition = { kind: 'statement', statements: [add], hits: { kind: 'equal', count: 3 } }
    const back = await line.run('backward', [third])
    expect(line.groups[0]!.waves[0]!.register(temp(0), 0)).toBe(2)
    expect(back.hits[0]!.count).toBe(3)
    await line.goTo(0)
    expect((await line.run('forward', [third])).clock).toBe(back.clock)
  })
})

describe('steps', () => {
  const at = (line: TimeLine) => line.next!.statement

  it('go into calls, over them and out of them, and back', async () => {
    const line = lineOf(CALLS, { u0: createUav(words(0), { raw: true }) })
    const step = (direction: 'forward' | 'backward', depth: 'in' | 'over' | 'out') =>
      line.step(direction, { unit: 'lane', thread: thread(0), depth })
    const first = at(line)
    await step('forward', 'in')
    await step('forward', 'over')
    expect(at(line)).toBe(first + 2)
    await step('backward', 'over')
    expect(at(line)).toBe(first + 1)
    await step('forward', 'in')
    // Behind `ret` and the label.
    expect([at(line), line.laneOf(thread(0))!.wave.callDepth]).toEqual([first + 5, 1])
    await step('forward', 'out')
    expect(at(line)).toBe(first + 2)
    await step('backward', 'in')
    // The ret of the subroutine, and from there back to its call.
    expect([at(line), line.laneOf(thread(0))!.wave.callDepth]).toEqual([first + 8, 1])
    await step('backward', 'out')
    expect(at(line)).toBe(first + 1)
    expect(await step('forward', 'out')).toMatchObject({ reason: 'group', clock: line.end })
  })

  it('by lines go to where a lane goes on that waits for others, whatever line those are in', async () => {
    const text = `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_input vThreadIDInGroupFlattened
dcl_temps 1
dcl_thread_group 2, 1, 1
if_z vThreadIDInGroupFlattened.x
mov r0.x, l(1)
endif
mov r0.x, l(2)
ret
`
    const line = lineOf(text)
    const first = at(line)
    // The body and what follows are one line.
    const source: SourcePlaces = { placeOf: (s) => ({ line: s === first ? 1 : 2, inlined: [] }) }
    await line.goTo(1)
    expect(await line.step('forward', { unit: 'lane', thread: thread(1), source })).toMatchObject({ reason: 'reached' })
    const stop = line.clock
    expect(line.laneOf(thread(1))!.wave.active.low & 2).toBe(2)
    await line.goTo(stop + 1)
    await line.step('backward', { unit: 'lane', thread: thread(1), source })
    expect(line.clock).toBe(stop)
  })

  it('go by lines and inlined calls, to where lines begin', async () => {
    const line = lineOf(CALLS, { u0: createUav(words(0), { raw: true }) })
    const first = at(line)
    // Line 1: mov and call; line 2: the add behind it; the subroutine: line 10 for its add and call, 11 inlined, 12 no line.
    const places: Readonly<Record<number, [line: number, inlined: string[]]>> = {
      ...{ [first]: [1, []], [first + 1]: [1, []], [first + 2]: [2, []], [first + 3]: [3, []] },
      ...{ [first + 5]: [10, []], [first + 6]: [10, []], [first + 7]: [11, ['square']] },
    }
    const source: SourcePlaces = {
      placeOf(statement) {
        const place = places[statement]
        return place && { line: place[0], inlined: place[1] }
      },
    }
    const visit = async (direction: 'forward' | 'backward', depth: 'in' | 'over' | 'out') => {
      const seen: number[] = []
      for (;;) {
        const stop = await line.step(direction, { unit: 'lane', thread: thread(0), depth, source })
        if (stop.reason !== 'reached') return seen
        seen.push(at(line) - first)
      }
    }
    expect(await visit('forward', 'over')).toEqual([2, 3])
    expect(await visit('backward', 'over')).toEqual([3, 2, 0])
    expect(await visit('forward', 'in')).toEqual([5, 7, 2, 3])
    expect(await visit('backward', 'in')).toEqual([3, 2, 7, 5, 0])
  })

  it('of a lane stop where its group ends', async () => {
    const line = lineOf(COUNTER, { u0: createUav(words(0), { raw: true }) }, { groups: [2, 1, 1] })
    await line.goTo(35)
    expect(await line.step('forward', { unit: 'lane', thread: thread(0) })).toMatchObject({
      reason: 'group',
      clock: 36,
    })
    const second = { group: [1, 0, 0] as const, thread: 0 }
    expect(await line.step('backward', { unit: 'lane', thread: second })).toMatchObject({ reason: 'start', clock: 0 })
  })
})

describe('findings', () => {
  const schedule = { waveWidth: 1, order: 'forward', groupsInFlight: 1 } as const

  it('of a race lead to both of its accesses', async () => {
    const line = lineOf(RACE, { u0: createUav(words(0), { raw: true }) }, { schedule })
    const [race] = (await line.findings()).filter((f) => f.code === 'check-race')
    expect(line.clock).toBe(0)
    expect(race).toMatchObject({ thread: thread(1), other: { thread: 0 }, memory: { space: 'tgsm', byteOffset: 4 } })
    const other = await line.otherMoment(race!)
    await line.goTo(race!.before)
    expect(line.next).toMatchObject({ wave: 1, statement: race!.statement })
    await line.goTo(other!)
    expect(line.next).toMatchObject({ wave: 0, statement: race!.other!.statement })
    expect(other).toBeLessThan(race!.before)
  })

  it('stop runs of either direction, with those that were known and those that were not', async () => {
    const line = lineOf(RACE, { u0: createUav(words(0), { raw: true }) }, { schedule })
    const races: StopCondition = { kind: 'finding', codes: ['check-race'] }
    const first = await line.run('forward', [races])
    expect(first).toMatchObject({ reason: 'condition', hits: [{ finding: { code: 'check-race' }, wave: 1 }] })
    expect((await line.run('forward', [races])).reason).toBe('end')
    expect((await line.run('backward', [races])).clock).toBe(first.clock)
    await line.goTo(0)
    expect((await line.run('forward', [races])).clock).toBe(first.clock)
  })
})

describe('numbers', () => {
  it('that are not finite stop where they are produced', async () => {
    const text = `cs_5_0
dcl_temps 2
dcl_thread_group 4, 1, 1
dcl_input vThreadIDInGroupFlattened
mov r0.x, l(1.0)
utof r0.y, vThreadIDInGroupFlattened.x
div r1.x, r0.x, r0.y
add r1.y, r1.x, r0.x
add r1.z, r1.x, -r1.x
ret
`
    const line = lineOf(text)
    const infinity = await line.run('forward', [{ kind: 'number', number: 'infinity' }])
    expect(infinity).toMatchObject({ clock: 3, hits: [{ lanes: [0], before: 2 }] })
    // The infinity plus one is no news; with `produced: false` it is.
    expect((await line.run('forward', [{ kind: 'number', number: 'infinity' }])).reason).toBe('end')
    await line.goTo(3)
    expect((await line.run('forward', [{ kind: 'number', number: 'infinity', produced: false }])).clock).toBe(4)
    expect((await line.run('forward', [{ kind: 'number', number: 'nan' }])).clock).toBe(5)
  })
})

describe('changes', () => {
  it('are left out while changes before them keep their thread from running then, and made again when it does', async () => {
    const buffer = words(0)
    const schedule = { ...DEFAULT_SCHEDULE, groupsInFlight: 1 }
    const line = lineOf(COUNTER, { u0: createUav(buffer, { raw: true }) }, { groups: [2, 1, 1], schedule })
    const value = (): number => buffer.storage.words[0]!
    await line.goTo(Number.MAX_SAFE_INTEGER)
    const end = line.clock
    // The second group begins in the middle: it sums up 0 to 4 again, from 100 on.
    await line.goTo(end / 2 + 1)
    const second = { group: [1, 0, 0] as const, thread: 0 }
    await line.change({ kind: 'register', thread: second, place: temp(1), bits: 100 })
    await line.goTo(Number.MAX_SAFE_INTEGER)
    expect([line.clock, value()]).toEqual([end, 110])
    // The first group counts from 0 once more, and runs at that clock.
    await line.goTo(end / 2 - 4)
    await line.change({ kind: 'register', thread: thread(0), place: temp(0), bits: 0 })
    await line.goTo(Number.MAX_SAFE_INTEGER)
    expect([line.clock > end, value()]).toEqual([true, 10])
    const { clock } = line
    expect([await line.changesMade(), line.clock]).toEqual([[true, false], clock])
    await line.dropChange(line.changes[0]!)
    // What is known of a change ends with the change before it; asking goes over the run, and comes back.
    await line.goTo(0)
    expect([await line.changesMade(), line.clock]).toEqual([[true], 0])
    await line.goTo(Number.MAX_SAFE_INTEGER)
    expect([line.clock, value()]).toEqual([end, 110])
  })

  it('of memory and registers happen again whenever their clock is passed, until they are dropped', async () => {
    const buffer = words(0)
    const line = lineOf(COUNTER, { u0: createUav(buffer, { raw: true }) })
    await line.goTo(2)
    await line.change({ kind: 'register', thread: thread(0), place: temp(1), bits: 100 })
    await line.goTo(Number.MAX_SAFE_INTEGER)
    expect(buffer.storage.words[0]).toBe(110)
    const range = { space: 'resource', resource: buffer, byteOffset: 0, byteLength: 4 } as const
    await line.change({ kind: 'memory', range, bytes: Uint8Array.of(1, 2, 3, 4) })
    expect(buffer.storage.words[0]).toBe(0x04030201)
    await line.goTo(0)
    expect(buffer.storage.words[0]).toBe(0)
    await line.goTo(Number.MAX_SAFE_INTEGER)
    expect(buffer.storage.words[0]).toBe(0x04030201)
    for (const change of [...line.changes]) await line.dropChange(change)
    expect([line.clock, buffer.storage.words[0]]).toEqual([36, 10])
  })

  it('of inputs, and of what is not there, are refused', async () => {
    const input = words(5)
    const text = COUNTER.replace('dcl_temps', 'dcl_resource_raw t0\ndcl_temps')
    const line = lineOf(text, { u0: createUav(words(0), { raw: true }), t0: createSrv(input, { raw: true }) })
    const range = { space: 'resource', resource: input, byteOffset: 0, byteLength: 4 } as const
    const bytes = new Uint8Array(4)
    await expect(line.change({ kind: 'memory', range, bytes })).rejects.toThrow(ShaderError)
    await expect(line.change({ kind: 'register', thread: thread(9), place: temp(0), bits: 0 })).rejects.toThrow(
      'thread 9',
    )
    await expect(line.change({ kind: 'register', thread: thread(0), place: temp(7), bits: 0 })).rejects.toThrow(
      'declare',
    )
    expect(line.changes).toEqual([])
  })
})

describe('what cannot be done', () => {
  it('is a clock that is none', () => {
    const line = lineOf(COUNTER, { u0: createUav(words(0), { raw: true }) })
    expect(() => line.goTo(-1)).toThrow('whole number')
    expect(() => line.goTo(1.5)).toThrow('whole number')
  })

  it('is an engine that cannot go back', () => {
    const { value: line } = begin(COUNTER, { u0: createUav(words(0), { raw: true }) })
    const engine = {
      ...ENGINE,
      begin: (...given: Parameters<typeof ENGINE.begin>) => {
        const begun = ENGINE.begin(...given)
        const { value: e } = begun
        if (e === undefined) return begun
        const plain = { progress: e.progress, run: e.run.bind(e), stop: e.stop.bind(e), dispose: e.dispose.bind(e) }
        return { ...begun, value: plain }
      },
    }
    const refused = createTimeLine({ ...line!.source, engine })
    expect(refused.diagnostics.map((d) => d.code)).toEqual(['debug-engine'])
  })

  it('is a run that was canceled: backwards it stays where it was', async () => {
    const line = lineOf(COUNTER, { u0: createUav(words(0), { raw: true }) })
    await line.goTo(20)
    const signal = AbortSignal.abort()
    expect(await line.run('backward', [{ kind: 'divergence' }], { signal })).toMatchObject({
      reason: 'canceled',
      clock: 20,
    })
    expect(await line.run('forward', [{ kind: 'divergence' }], { signal })).toMatchObject({
      reason: 'canceled',
      clock: 20,
    })
    const history = await line.history({ space: 'tgsm', byteOffset: 0, byteLength: 4 }, { signal })
    expect([history, line.clock]).toEqual([undefined, 20])
  })

  it('is to go on after a condition threw: the time line stays whole', async () => {
    const line = lineOf(COUNTER, { u0: createUav(words(0), { raw: true }) })
    const throwing: StopCondition = {
      kind: 'divergence',
      when: () => {
        throw new Error('of the user')
      },
    }
    const bad: StopCondition = { ...throwing, kind: 'register', place: temp(1), access: 'write' }
    await expect(line.run('forward', [bad])).rejects.toThrow('of the user')
    expect((await line.goTo(Number.MAX_SAFE_INTEGER)).clock).toBe(36)
    await expect(line.run('backward', [bad])).rejects.toThrow('of the user')
    expect(line.clock).toBe(36)
  })

  it('is a history without room', async () => {
    const { value: line } = begin(COUNTER, { u0: createUav(words(0), { raw: true }) })
    const small = valueOrThrow(createTimeLine(line!.source, { maxIndexBytes: 1000 }))
    const resource = [...line!.source.bindings.u.values()][0]!.resource
    const range = { space: 'resource', resource, byteOffset: 0, byteLength: 4 } as const
    await expect(small.history(range)).rejects.toThrow('1000 bytes')
    expect(small.clock).toBe(0)
  })
})

describe('a recording', () => {
  it('takes room for what a run and its user write, not for what is bound', async () => {
    const buffer = valueOrThrow(createBuffer({ byteLength: 2 ** 23 }))
    for (let i = 0; i < 2 ** 21; i++) buffer.storage.words[i] = Math.imul(i, 2654435761)
    const before = buffer.storage.bytes.slice()
    const line = lineOf(COUNTER, { u0: createUav(buffer, { raw: true }) })
    const far = 2 ** 22
    await line.goTo(7)
    const range = { space: 'resource', resource: buffer, byteOffset: far, byteLength: 4 } as const
    await line.change({ kind: 'memory', range, bytes: Uint8Array.of(1, 2, 3, 4) })
    await line.goTo(Number.MAX_SAFE_INTEGER)
    // 0 + 1 + 2 + 3 + 4 is what the loop leaves.
    expect([buffer.storage.words[0], buffer.storage.words[far / 4]]).toEqual([10, 0x04030201])
    expect(line.size.checkpointBytes).toBeGreaterThan(2 * 4096)
    expect(line.size.checkpointBytes).toBeLessThan(2 ** 16)
    await line.goTo(0)
    expect(Buffer.compare(buffer.storage.bytes, before)).toBe(0)
    line.dispose()
  })
})
