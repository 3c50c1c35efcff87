import { afterEach, describe, expect, test, vi } from 'vitest'
import { valueOrThrow } from '../../diagnostic/index.ts'
import type { SharedWork, WorkThread } from '../../engine/index.ts'
import {
  createDsv,
  createRtv,
  createTexture,
  createUav,
  type Memory,
  srv,
  type Texture,
  type TextureOptions,
  xorshift32,
} from '../../machine/index.ts'
import { parsePlain } from '../tiles/index.ts'
import {
  clearDepthStencil,
  clearRenderTarget,
  clearUnorderedAccessUint,
  generateMips,
  resolveTexture,
  runWorkerRows,
  type SharedRows,
} from './index.ts'
import { rowParts } from './shared-rows.ts'

/** Clears, resolves and mips whose rows another thread takes leave what one thread leaves. */

/** What the other thread does: all rows, every second part of them, or it takes parts and is lost. */
type Other = 'all' | 'some' | 'lost'

interface Threads {
  readonly work: SharedWork
  readonly memory: Memory
  readonly taskCount: () => number
}

function threadsOf(other: Other): Threads {
  const buffer = new SharedArrayBuffer(1 << 20)
  let end = 0
  const memory: Memory = {
    shared: true,
    allocate(byteLength) {
      const byteOffset = end
      end += Math.ceil(byteLength / 64) * 64
      return { buffer, byteOffset }
    },
  }
  const thread: WorkThread = {
    isWorker: true,
    memory,
    buffer: () => buffer,
    reaches: (s) => s.buffer === buffer,
    join: () => undefined,
  }
  let taskCount = 0
  const work: SharedWork = {
    thread,
    sharesAll: true,
    readyCount: 1,
    addUnsharedTime() {},
    begin(text) {
      taskCount++
      const { rows } = parsePlain(text) as { rows: SharedRows }
      const taken = new Int32Array(buffer, rows.taken, 1)
      if (other === 'all') runWorkerRows(thread, rows, () => {})
      else if (other === 'some') {
        // The last part alone.
        const parts = Math.ceil((rows.rowCount - rows.first) / rows.rowsAtOnce)
        runWorkerRows(thread, { ...rows, first: rows.first + (parts - 1) * rows.rowsAtOnce }, () => {})
      }
      // Where it is lost it takes a part and does nothing to it.
      if (other !== 'all') Atomics.store(taken, 0, 1 << 16)
      const lostCount = other === 'lost' ? 1 : 0
      return { threadCount: 1, isShort: lostCount > 0, end: () => ({ texts: [], lostCount }) }
    },
  }
  return { work, memory, taskCount: () => taskCount }
}

function filled(o: Partial<TextureOptions> & { format: string }, memory?: Memory): Texture {
  const own = memory === undefined ? {} : { memory }
  const made = valueOrThrow(createTexture({ dimension: 'texture2d', width: 13, height: 37, ...o, ...own }))
  let state = 99
  for (let i = 0; i < made.byteLength; i++) made.storage.bytes[i] = (state = xorshift32(state)) >>> 5
  return made
}

/** Does something to textures, and answers the one that is written. */
type Command = (memory: Memory | undefined, work: SharedWork | undefined) => Texture

const COMMANDS: Readonly<Record<string, Command>> = {
  'clear of slices': (memory, work) => {
    const t = filled({ format: 'R8G8B8A8_UNORM', arraySize: 3, mipLevels: 2 }, memory)
    clearRenderTarget(valueOrThrow(createRtv(t, { mipSlice: 1 })), [0.2, 0.4, 0.6, 1], { sharedWork: work })
    return t
  },
  'clear of a pattern of 16 bytes': (memory, work) => {
    const t = filled({ format: 'R32G32B32A32_FLOAT' }, memory)
    clearRenderTarget(valueOrThrow(createRtv(t)), [0.2, 0.4, 0.6, 1], { sharedWork: work })
    return t
  },
  'clear of stencil alone': (memory, work) => {
    const t = filled({ format: 'D24_UNORM_S8_UINT' }, memory)
    clearDepthStencil(valueOrThrow(createDsv(t)), { stencil: 7 }, { sharedWork: work })
    return t
  },
  'clear of a volume': (memory, work) => {
    const t = filled({ format: 'R16G16_UINT', dimension: 'texture3d', depth: 5 }, memory)
    clearUnorderedAccessUint(valueOrThrow(createUav(t)), [1, 2, 3, 4], { sharedWork: work })
    return t
  },
  'resolve of bytes': (memory, work) => resolved('R8G8B8A8_UNORM', 4, memory, work),
  'resolve of floats': (memory, work) => resolved('R16G16B16A16_FLOAT', 8, memory, work),
  mips: (memory, work) => {
    const t = filled({ format: 'R8G8B8A8_UNORM_SRGB', arraySize: 2, mipLevels: 4 }, memory)
    generateMips(valueOrThrow(srv(t)), work)
    return t
  },
  'mips of a volume': (memory, work) => {
    const t = filled({ format: 'R8G8_UNORM', dimension: 'texture3d', depth: 5, mipLevels: 3 }, memory)
    generateMips(valueOrThrow(srv(t)), work)
    return t
  },
}

function resolved(format: string, sampleCount: number, memory?: Memory, work?: SharedWork): Texture {
  const from = filled({ format, sampleCount, mipLevels: 1 }, memory)
  const to = filled({ format, mipLevels: 1 }, memory)
  resolveTexture(to, {}, from, {}, undefined, work && { sharedWork: work })
  return to
}

const bytesOf = (t: Texture): number[] => Array.from(t.storage.bytes.subarray(0, t.byteLength))

describe.each(Object.entries(COMMANDS))('%s', (_, command) => {
  test.each<Other>(['all', 'some', 'lost'])('leaves what one thread leaves where another takes %s', (other) => {
    const { work, memory, taskCount } = threadsOf(other)
    const want = bytesOf(command(undefined, undefined))
    expect(bytesOf(command(memory, work))).toEqual(want)
    expect(taskCount()).toBeGreaterThan(0)
  })
})

describe('rows part by part', () => {
  afterEach(() => {
    vi.restoreAllMocks()
  })

  /** Each look at the clock is so many milliseconds behind the one before. */
  function slowBy(milliseconds: number): void {
    let now = 0
    vi.spyOn(performance, 'now').mockImplementation(() => (now += milliseconds))
  }

  const task = (t: Texture) => {
    const { byteOffset, rowPitch, slicePitch } = t.mips[0]!
    return {
      ...({ kind: 'fill', byteOffset, rowPitch, slicePitch, height: t.height } as const),
      ...{ rowBytes: t.width * 4, pattern: [1, 2, 3, 4], mask: null },
    }
  }
  const LONG = 160

  test.each<Other>(['all', 'some', 'lost'])('are what all at once are where another thread takes %s', (other) => {
    slowBy(0)
    const want = filled({ format: 'R8G8B8A8_UNORM', mipLevels: 2 })
    expect([...rowParts(task(want), [want.storage], want.height, LONG, {}, LONG)]).toHaveLength(1)
    const { work, memory, taskCount } = threadsOf(other)
    const t = filled({ format: 'R8G8B8A8_UNORM', mipLevels: 2 }, memory)
    // Three rows of 37 are 16 of 160 milliseconds at the most.
    expect([...rowParts(task(t), [t.storage], t.height, LONG, { sharedWork: work })]).toHaveLength(13)
    expect(bytesOf(t)).toEqual(bytesOf(want))
    expect(taskCount()).toBe(12)
  })

  test('end early where a fill takes longer than it should, on one thread', () => {
    const want = filled({ format: 'R8G8B8A8_UNORM', mipLevels: 1 })
    const t = filled({ format: 'R8G8B8A8_UNORM', mipLevels: 1 })
    slowBy(0)
    const usual = [...rowParts(task(want), [want.storage], want.height, 2, {}, 2)].length
    slowBy(3)
    // Eight looks of 3 milliseconds: three of them are 8 milliseconds and more.
    const slow = [...rowParts(task(t), [t.storage], t.height, 2, {}, 2)].length
    expect([usual, slow]).toEqual([1, 3])
    expect(bytesOf(t)).toEqual(bytesOf(want))
  })

  test('leave what comes behind the last part that was carried out', () => {
    const t = filled({ format: 'R8G8B8A8_UNORM', mipLevels: 1 })
    const before = bytesOf(t)
    const parts = rowParts(task(t), [t.storage], t.height, LONG, {})
    parts.next()
    const { rowPitch } = t.mips[0]!
    expect(bytesOf(t).slice(3 * rowPitch)).toEqual(before.slice(3 * rowPitch))
    expect(bytesOf(t).slice(0, 8)).toEqual([1, 2, 3, 4, 1, 2, 3, 4])
  })
})
