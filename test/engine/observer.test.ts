import { describe, expect, it } from 'vitest'
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import type { Observer } from '../../src/engine/index.ts'
import { createBuffer, createSrv, createTexture, createUav, type Schedule } from '../../src/machine/index.ts'
import { KERNEL_NAMES, outcomeOf, prepareKernel, readKernel } from '../support/kernel.ts'
import { runProgram, runText } from '../support/run-text.ts'

/** What observers are told, and that being watched changes nothing. */

const WAVES_OF_4: Schedule = { waveWidth: 4, order: 'forward', groupsInFlight: 1 }

const TEXT = `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_resource_raw t0
dcl_uav_structured u0, 8
dcl_input vThreadIDInGroupFlattened
dcl_temps 3
dcl_indexableTemp x0[2], 4
dcl_tgsm_raw g0, 32
dcl_thread_group 6, 1, 1
ishl r0.x, vThreadIDInGroupFlattened.x, l(2)
ld_raw r1.xz, r0.x, t0.xxyx
ilt r0.y, vThreadIDInGroupFlattened.x, l(2)
if_nz r0.y
  atomic_iadd g0, l(8), r1.x
endif
sync_g_t
and r2.x, vThreadIDInGroupFlattened.x, l(1)
mov x0[r2.x + 0].y, r0.x
store_structured u0.xy, vThreadIDInGroupFlattened.x, l(0), r1.xzxx
ret
`
/** Statement numbers of the text above. */
const AT = { shift: 8, load: 9, less: 10, if: 11, atomic: 12, sync: 14, mov: 16, store: 17 }

/** Runs the text with an observer that copies what it is told. */
function watch(observer: Observer, options = {}) {
  const source = valueOrThrow(createBuffer({ data: Uint32Array.from({ length: 6 }, (_, i) => 10 + i) }))
  const out = valueOrThrow(createBuffer({ byteLength: 40, stride: 8 }))
  const bindings = { t0: createSrv(source, { raw: true }), u0: createUav(out) }
  const run = runText(TEXT, bindings, { schedule: WAVES_OF_4, observer, ...options })
  return { run, out, source }
}

describe('an observer', () => {
  it('is told of every statement of every wave, with its active lanes', () => {
    const seen: string[] = []
    watch({
      instruction: (w) => seen.push(`${w.wave}:${w.statement}:${Array.from(w.lanes.slice(0, w.activeCount)).join('')}`),
    })
    expect(seen.filter((s) => s.includes(`:${AT.load}:`))).toEqual([`0:${AT.load}:0123`, `1:${AT.load}:01`])
    // Only threads 0 and 1 enter the branch; the second wave jumps over it.
    expect(seen.filter((s) => s.includes(`:${AT.atomic}:`))).toEqual([`0:${AT.atomic}:01`])
  })

  it('is told of the beginning, the groups and the end', () => {
    const seen: string[] = []
    const out = valueOrThrow(createBuffer({ byteLength: 48, stride: 8 }))
    const observer: Observer = {
      begin: (e) => seen.push(`begin ${e.groups} ${e.threads} ${e.waveWidth}`),
      groupBegin: (g) => seen.push(`group ${g.group} at ${g.groupX},${g.groupY},${g.groupZ}`),
      groupEnd: (g) => seen.push(`done ${g.group}`),
      end: () => seen.push('end'),
    }
    runText(TEXT, { u0: createUav(out) }, { schedule: WAVES_OF_4, observer, groups: [1, 2, 1] })
    expect(seen).toEqual(['begin 1,2,1 6,1,1 4', 'group 0 at 0,0,0', 'done 0', 'group 1 at 0,1,0', 'done 1', 'end'])
  })

  it('is told of loads: the bytes of the resource and the words', () => {
    const seen: unknown[] = []
    const { source } = watch({
      memory: (e) => {
        if (e.wave.statement !== AT.load) return
        const entries = e.width * e.wave.activeCount
        seen.push({
          access: e.access,
          space: e.space,
          operand: e.operand,
          register: e.register,
          width: e.width,
          resource: e.view !== undefined && 'resource' in e.view ? e.view.resource : undefined,
          byteOffsets: Array.from(e.byteOffsets.slice(0, entries)).map((n) => (n < 0 ? -1 : n)),
          values: Array.from(e.values.slice(0, entries)),
        })
      },
    })
    const common = { access: 'load', space: 'srv', operand: 2, register: 0, width: 2, resource: source }
    expect(seen).toEqual([
      // r1.x takes the first dword, r1.z the second.
      { ...common, byteOffsets: [0, 4, 4, 8, 8, 12, 12, 16], values: [10, 11, 11, 12, 12, 13, 13, 14] },
      { ...common, byteOffsets: [16, 20, 20, -1], values: [14, 15, 15, 0] },
    ])
  })

  it('may be given a callback while the dispatch runs where its property was there when it began', () => {
    const seen: number[] = []
    const observer: { -readonly [K in keyof Observer]: Observer[K] | undefined } = { write: undefined }
    observer.instruction = (w) => {
      if (w.statement === AT.less && w.wave === 0) observer.write = (e) => seen.push(e.wave.statement)
    }
    watch(observer as Observer)
    // Of the first wave from its comparison on, of the second, which runs when the first waits, everything.
    const afterBarrier = [AT.mov - 1, AT.mov]
    expect(seen).toEqual([AT.less, AT.shift, AT.load, AT.less, ...afterBarrier, ...afterBarrier])
  })

  it('is told of atomics with what was there and what is', () => {
    const seen: unknown[] = []
    watch({
      memory: (e) => {
        if (e.space !== 'tgsm') return
        const n = e.wave.activeCount
        seen.push([
          e.access,
          Array.from(e.byteOffsets.slice(0, n)),
          Array.from(e.originals.slice(0, n)),
          Array.from(e.values.slice(0, n)),
        ])
      },
    })
    expect(seen).toEqual([['atomic', [8, 8], [0, 10], [10, 21]]])
  })

  it('is told of stores, also of those that are dropped', () => {
    const seen: unknown[] = []
    watch({
      memory: (e) => {
        if (e.access !== 'store') return
        const entries = e.width * e.wave.activeCount
        seen.push([
          Array.from(e.byteOffsets.slice(0, entries)).map((n) => (n < 0 ? -1 : n)),
          Array.from(e.values.slice(0, entries)),
        ])
      },
    })
    // Five structures of 8 bytes are bound: thread 5's is dropped.
    expect(seen).toEqual([
      [
        [0, 4, 8, 12, 16, 20, 24, 28],
        [10, 11, 11, 12, 12, 13, 13, 14],
      ],
      [
        [32, 36, -1, -1],
        [14, 15, 15, 0],
      ],
    ])
  })

  it('is told what a store replaces', () => {
    const out = valueOrThrow(createBuffer({ data: Uint32Array.from({ length: 10 }, (_, i) => 50 + i), stride: 8 }))
    const seen: number[][] = []
    const memory: Observer['memory'] = (e) => {
      if (e.access === 'store') seen.push(Array.from(e.originals.slice(0, e.width * e.wave.activeCount)))
    }
    runText(TEXT, { u0: createUav(out) }, { schedule: WAVES_OF_4, observer: { memory } })
    expect(seen).toEqual([
      [50, 51, 52, 53, 54, 55, 56, 57],
      [58, 59, 0, 0],
    ])
  })

  it('is told what a typed store replaces, decoded', () => {
    const text = `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_uav_typed_texture2d (float,float,float,float) u0
dcl_thread_group 1, 1, 1
store_uav_typed u0.xyzw, l(1, 0, 0, 0), l(1.0, 0, 0, 0)
ret
`
    const data = Uint8Array.of(0, 0, 0, 0, 255, 0, 255, 0)
    const texture = valueOrThrow(
      createTexture({ dimension: 'texture2d', format: 'R8G8B8A8_UNORM', width: 2, height: 1, data }),
    )
    const seen: number[][] = []
    const memory: Observer['memory'] = (e) => seen.push(Array.from(e.originals.slice(0, 4)))
    runText(text, { u0: createUav(texture) }, { observer: { memory } })
    // 1.0 and 0.0 as bits.
    expect(seen).toEqual([[0x3f800000, 0, 0x3f800000, 0]])
  })

  it('is told what a write to a register replaces, also of an element that the same statement can no longer name', () => {
    const text = `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_input vThreadIDInGroupFlattened
dcl_temps 1
dcl_indexableTemp x0[4], 4
dcl_thread_group 2, 1, 1
mov x0[2].x, l(7)
mov x0[3].x, l(8)
iadd r0.x, vThreadIDInGroupFlattened.x, l(2)
udiv r0.x, x0[r0.x + 0].x, l(9), l(4)
ret
`
    const seen: unknown[] = []
    const write: Observer['write'] = (e) =>
      seen.push([e.file, Array.from(e.elements.slice(0, 2)), e.before[0], e.before[4]])
    runText(text, {}, { observer: { write } })
    expect(seen.slice(3)).toEqual([
      ['temp', [0, 0], 2, 3],
      ['indexable-temp', [2, 3], 7, 8],
    ])
  })

  it('is told of what is undefined or dropped, thread by thread', () => {
    const seen: unknown[] = []
    watch({
      undefined: (e) =>
        seen.push([e.wave.statement, e.reason, e.access, e.wave.firstThread + e.lane, e.address, e.limit, e.defined]),
    })
    expect(seen).toEqual([
      [AT.load, 'out-of-bounds', 'load', 5, 24, 24, true],
      [AT.store, 'out-of-bounds', 'store', 5, 5, 5, true],
    ])
  })

  it('is told of branches and barriers', () => {
    const branches: unknown[] = []
    const barriers: string[] = []
    watch({
      branch: (e) => branches.push([e.wave.statement, Array.from(e.taken.slice(0, e.wave.activeCount))]),
      barrier: (e) =>
        barriers.push(`wave ${e.wave.wave} at ${e.wave.statement} flags ${e.flags} epoch ${e.wave.epoch}`),
      release: (e) => barriers.push(`release ${e.statement} epoch ${e.epoch}`),
    })
    expect(branches).toEqual([
      [AT.if, [1, 1, 0, 0]],
      [AT.if, [0, 0]],
    ])
    expect(barriers).toEqual([
      `wave 0 at ${AT.sync} flags 3 epoch 0`,
      `wave 1 at ${AT.sync} flags 3 epoch 0`,
      `release ${AT.sync} epoch 1`,
    ])
  })

  it('is told of written registers, whose values it can read', () => {
    const seen: unknown[] = []
    watch({
      write: (e) => {
        const { wave } = e
        if (wave.statement === AT.shift) {
          const lanes = Array.from(wave.lanes.slice(0, wave.activeCount))
          seen.push([e.file, e.register, e.mask, lanes.map((l) => wave.registers.temp(0, 0, l))])
        }
        if (wave.statement === AT.mov) {
          const elements = Array.from(e.elements.slice(0, wave.activeCount))
          seen.push([e.file, e.register, e.mask, elements, wave.registers.indexableTemp(0, 1, 1, 1)])
        }
      },
    })
    expect(seen).toEqual([
      ['temp', 0, 1, [0, 4, 8, 12]],
      ['temp', 0, 1, [16, 20]],
      ['indexable-temp', 0, 2, [0, 1, 0, 1], 4],
      ['indexable-temp', 0, 2, [0, 1], 20],
    ])
  })

  it('can read the sources of a statement before it runs', () => {
    const seen: number[] = []
    watch({
      instruction: (w) => {
        if (w.statement === AT.store)
          for (let k = 0; k < w.activeCount; k++) seen.push(w.registers.source(3, 1, w.lanes[k]!))
      },
    })
    expect(seen).toEqual([11, 12, 13, 14, 15, 0])
  })

  it.each(KERNEL_NAMES.filter((n) => !n.startsWith('raymarch')))('changes nothing: %s', (name) => {
    const kernel = readKernel(name)
    const plain = prepareKernel(kernel)
    runProgram(kernel.program, plain.bindings, { groups: kernel.dispatch })
    const watched = prepareKernel(kernel)
    let count = 0
    const hear = (): void => {
      count++
    }
    const observer: Observer = {
      instruction: hear,
      write: hear,
      memory: hear,
      branch: hear,
      barrier: hear,
      release: hear,
      undefined: hear,
    }
    runProgram(kernel.program, watched.bindings, { groups: kernel.dispatch, observer })
    expect(count).toBeGreaterThan(0)
    expect(outcomeOf(kernel, watched)).toEqual(outcomeOf(kernel, plain))
  })
})
