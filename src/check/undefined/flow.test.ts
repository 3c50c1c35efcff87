import { describe, expect, it } from 'vitest'
import { checkText, codesIn, foundIn, rawUav, structuredUav } from '../../../test/support/check-text.ts'
import { valueOrThrow } from '../../diagnostic/index.ts'
import { createBuffer, createCbv, createSrv, createUav } from '../../machine/index.ts'

const UNINITIALIZED = { detectors: ['uninitialized'] } as const

/** Eight threads of one group that run `body`; r3 is free for addresses: r3.x is the thread's own dword. */
const program = (body: string, declarations = ''): string => `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_constantbuffer CB0[1], immediateIndexed
dcl_uav_raw u0
dcl_input vThreadIDInGroupFlattened
dcl_temps 4
${declarations}
dcl_thread_group 8, 1, 1
ishl r3.x, vThreadIDInGroupFlattened.x, l(2)
${body}
ret`

const cbv = () => valueOrThrow(createCbv(new Uint32Array([1, 0, 3, 4])))
const run = async (body: string, declarations = '', options = {}) =>
  checkText(program(body, declarations), { u0: rawUav(256), b0: cbv() }, { ...UNINITIALIZED, ...options })
const found = async (body: string, declarations = ''): Promise<string[]> => foundIn(await run(body, declarations))

describe('registers that nothing wrote', () => {
  it('matter where they are stored, branched on, or used as address or index', async () => {
    expect(await found('store_raw u0.x, r3.x, r0.x')).toEqual(['check-uninitialized-temp@1'])
    expect(await found('if_nz r0.x\nendif')).toEqual(['check-uninitialized-temp@1'])
    expect(await found('store_raw u0.x, r0.x, l(1)')).toEqual(['check-uninitialized-temp@1'])
    expect(await found('ld_raw r1.x, r0.w, u0.xxxx')).toEqual(['check-uninitialized-temp@1'])
    expect(await found('mov x0[r0.x + 0].x, l(1)', 'dcl_indexableTemp x0[2], 4')).toEqual([
      'check-uninitialized-temp@1',
    ])
    expect(await found('atomic_iadd u0, l(0), r0.x')).toEqual(['check-uninitialized-temp@1'])
    expect(await found('switch r0.x\ncase l(1)\nbreak\nendswitch')).toEqual(['check-uninitialized-temp@1'])
  })

  it('do not matter where they are only computed with', async () => {
    expect(await found('add r1.xyzw, r0.xyzw, l(1,1,1,1)\nmul r1.x, r1.x, r1.y')).toEqual([])
  })

  it('are reported where they were read first and where they were used', async () => {
    const report = await run('add r1.x, r0.y, l(1)\nmov r2.z, r1.x\nstore_raw u0.x, r3.x, r2.z')
    expect(foundIn(report)).toEqual(['check-uninitialized-temp@1'])
    expect(report.findings[0]).toMatchObject({ other: { instruction: 3, access: 'store' }, count: 8 })
    expect(report.findings[0]!.message).toBe('r0.y is read before anything wrote it, and the value is stored to u0')
  })

  it('are followed by component: what was written is defined', async () => {
    expect(await found('mov r0.xz, l(1,0,1,0)\nstore_raw u0.x, r3.x, r0.z')).toEqual([])
    expect(await found('mov r0.xz, l(1,0,1,0)\nstore_raw u0.x, r3.x, r0.y')).toEqual(['check-uninitialized-temp@2'])
    expect(await found('mov r0.xy, l(1,2,0,0)\nstore_raw u0.xy, r3.x, r0.xyzw')).toEqual([])
    expect(await found('dp3 r1.x, r0.xyzw, r0.xyzw\nstore_raw u0.x, r3.x, r1.x')).toEqual([
      'check-uninitialized-temp@1',
    ])
    expect(await found('mov r0.xyz, l(1,2,3,0)\ndp3 r1.x, r0.xyzw, r0.xyzw\nstore_raw u0.x, r3.x, r1.x')).toEqual([])
  })

  it('are followed by lane: a value written in one branch is undefined in the others', async () => {
    const branch = (rest: string): string => `if_z vThreadIDInGroupFlattened.x\nmov r0.x, l(1)\n${rest}`
    expect(await found(branch('endif\nstore_raw u0.x, r3.x, r0.x'))).toEqual(['check-uninitialized-temp@4'])
    expect(await found(branch('else\nmov r0.x, l(2)\nendif\nstore_raw u0.x, r3.x, r0.x'))).toEqual([])
    expect(await found(branch('store_raw u0.x, r3.x, r0.x\nendif'))).toEqual([])
    const report = await run(branch('endif\nstore_raw u0.x, r3.x, r0.x'))
    expect(report.findings[0]).toMatchObject({ count: 7, site: { threadFlattened: 1 } })
  })

  it('are followed in waves of every width', async () => {
    const body = 'if_z vThreadIDInGroupFlattened.x\nmov r0.x, l(1)\nendif\nstore_raw u0.x, r3.x, r0.x'
    const text = program(body).replace('dcl_thread_group 8, 1, 1', 'dcl_thread_group 96, 1, 1')
    for (const waveWidth of [1, 4, 16, 64] as const) {
      const schedule = { waveWidth, order: 'forward', groupsInFlight: 1 } as const
      const report = await checkText(text, { u0: rawUav(512), b0: cbv() }, { ...UNINITIALIZED, schedule })
      expect([waveWidth, report.findings[0]?.count]).toEqual([waveWidth, 95])
    }
  })

  it('movc takes only what it selects', async () => {
    const select = (condition: string, a: string, b: string): Promise<string[]> =>
      found(`mov r1.x, l(5)\nmovc r2.x, ${condition}, ${a}, ${b}\nstore_raw u0.x, r3.x, r2.x`)
    expect(await select('l(-1)', 'r1.x', 'r0.x')).toEqual([])
    expect(await select('l(0)', 'r1.x', 'r0.x')).toEqual(['check-uninitialized-temp@2'])
    expect(await select('cb0[0].y', 'r0.x', 'r1.x')).toEqual([])
    expect(await select('r0.x', 'r1.x', 'r1.x')).toEqual([])
    expect(await select('r0.x', 'r1.x', 'l(6)')).toEqual(['check-uninitialized-temp@2'])
  })

  it('bit operations follow bits', async () => {
    const atFirst = ['check-uninitialized-temp@1']
    const store = 'store_raw u0.x, r3.x, r1.x'
    expect(await found(`xor r1.x, r0.x, r0.x\n${store}`)).toEqual([])
    expect(await found(`xor r1.x, r0.x, r0.y\n${store}`)).toEqual(atFirst)
    expect(await found(`and r1.x, r0.x, l(0)\n${store}`)).toEqual([])
    expect(await found(`and r1.x, r0.x, l(1)\n${store}`)).toEqual(atFirst)
    expect(await found(`or r1.x, r0.x, l(-1)\n${store}`)).toEqual([])
    expect(await found(`imul null, r1.x, r0.x, l(0)\n${store}`)).toEqual([])
    expect(await found(`mul r1.x, r0.x, l(0)\n${store}`)).toEqual(atFirst)
    expect(await found(`ushr r1.x, r0.x, l(31)\nishl r1.x, r1.x, l(1)\nand r1.x, r1.x, l(1)\n${store}`)).toEqual([])
    expect(await found(`mov r1.x, l(0)\nbfi r1.x, l(8), l(0), r0.x, r1.x\nushr r1.x, r1.x, l(8)\n${store}`)).toEqual([])
    const insert = (offset: number, base: string): string => `bfi r1.x, l(16), l(${offset}), l(77), ${base}\n`
    expect(await found(`${insert(0, 'r0.x')}${insert(16, 'r1.x')}${store}`)).toEqual([])
    expect(await found(`${insert(0, 'r0.x')}${store}`)).toEqual(atFirst)
    expect(await found(`uge r1.x, r0.x, l(0)\n${store}`)).toEqual([])
  })

  it('a condition with a bit that is surely set holds', async () => {
    expect(await found('or r1.x, r0.x, l(4)\nif_nz r1.x\nendif')).toEqual([])
    expect(await found('and r1.x, r0.x, l(4)\nif_nz r1.x\nendif')).toEqual(['check-uninitialized-temp@1'])
  })

  it('follows calls and loops', async () => {
    const call = `call label0\nstore_raw u0.x, r3.x, r0.x\nret\nlabel label0\nmov r0.x, l(1)`
    expect(await found(call)).toEqual([])
    expect(await found(call.replace('mov r0.x', 'mov r0.y'))).toEqual(['check-uninitialized-temp@2'])
    const loop = (first: string): string =>
      `mov r1.x, l(0)\n${first}\nloop\nuge r1.y, r1.x, l(3)\nbreakc_nz r1.y\niadd r0.x, r0.x, r1.x\niadd r1.x, r1.x, l(1)\nendloop\nstore_raw u0.x, r3.x, r0.x`
    expect(await found(loop('mov r0.x, l(0)'))).toEqual([])
    expect(await found(loop('nop'))).toEqual(['check-uninitialized-temp@6'])
  })

  it('texels that a format does not keep do not matter', async () => {
    const text = (format: string) => {
      const u0 = valueOrThrow(createUav(valueOrThrow(createBuffer({ byteLength: 256 })), { format }))
      return checkText(
        program('mov r0.x, l(1)\nstore_uav_typed u0.xyzw, vThreadIDInGroupFlattened.xxxx, r0.xyzw').replace(
          'dcl_uav_raw u0',
          'dcl_uav_typed_buffer (uint,uint,uint,uint) u0',
        ),
        { u0, b0: cbv() },
        UNINITIALIZED,
      ).then(foundIn)
    }
    expect(await text('R32_UINT')).toEqual([])
    expect(await text('R8G8_UINT')).toEqual(['check-uninitialized-temp@2'])
  })
})

describe('indexable temporaries', () => {
  const declare = 'dcl_indexableTemp x0[4], 4'
  it('are followed by element, with fixed and computed indices', async () => {
    const write = 'mov r1.x, l(2)\nmov x0[1].x, l(5)\nmov x0[r1.x + 0].x, l(6)\n'
    expect(await found(`${write}mov r0.x, x0[1].x\nstore_raw u0.x, r3.x, r0.x`, declare)).toEqual([])
    expect(await found(`${write}mov r0.x, x0[r1.x + 0].x\nstore_raw u0.x, r3.x, r0.x`, declare)).toEqual([])
    expect(await found(`${write}mov r0.x, x0[r1.x + 1].x\nstore_raw u0.x, r3.x, r0.x`, declare)).toEqual([
      'check-uninitialized-indexable-temp@4',
    ])
    expect(await found(`${write}mov r0.x, x0[0].x\nstore_raw u0.x, r3.x, r0.x`, declare)).toEqual([
      'check-uninitialized-indexable-temp@4',
    ])
  })
})

describe('indices that are elements themselves', () => {
  it('are read as the machine reads them', async () => {
    const declare = 'dcl_indexableTemp x0[4], 4\ndcl_indexableTemp x1[2], 4'
    const set = 'mov x1[1].x, l(3)\nmov x0[3].y, l(5)\n'
    const read = (index: string): string => `${set}mov r0.x, x0[${index}].y\nstore_raw u0.x, r3.x, r0.x`
    expect(await found(read('x1[1].x + 0'), declare)).toEqual([])
    expect(await found(read('x1[1].x + -1'), declare)).toEqual(['check-uninitialized-indexable-temp@3'])
    // The index, which nothing wrote, and the element that it names.
    const both = ['check-uninitialized-indexable-temp@3', 'check-uninitialized-indexable-temp@3']
    expect(await found(read('x1[0].x + 0'), declare)).toEqual(both)
  })
})

describe('thread group shared memory', () => {
  const declare = 'dcl_tgsm_structured g0, 8, 8'
  const load = 'ld_structured r0.xy, vThreadIDInGroupFlattened.x, l(0), g0.xyxx\nstore_raw u0.x, r3.x, '

  it('is followed by dword', async () => {
    expect(await found(`${load}r0.x`, declare)).toEqual(['check-uninitialized-tgsm@1'])
    const half = 'store_structured g0.x, vThreadIDInGroupFlattened.x, l(0), l(1)\nsync_g_t\n'
    expect(await found(`${half}${load}r0.x`, declare)).toEqual([])
    expect(await found(`${half}${load}r0.y`, declare)).toEqual(['check-uninitialized-tgsm@3'])
  })

  it('hands undefined values on', async () => {
    const body = `store_structured g0.x, vThreadIDInGroupFlattened.x, l(0), r1.x\nsync_g_t\n${load}r0.x`
    const report = await run(body, declare)
    expect(foundIn(report)).toEqual(['check-uninitialized-temp@1'])
    expect(report.findings[0]!.other?.instruction).toBe(4)
  })

  it('atomics on what nothing wrote give undefined sums, an exchange defines', async () => {
    const raw = 'dcl_tgsm_raw g0, 32'
    const read = '\nsync_g_t\nld_raw r0.x, l(0), g0.xxxx\nstore_raw u0.x, r3.x, r0.x'
    expect(await found(`atomic_iadd g0, l(0), l(1)${read}`, raw)).toEqual(['check-uninitialized-tgsm@1'])
    expect(await found(`imm_atomic_exch r1.x, g0, l(0), l(1)${read}`, raw)).toEqual([])
    expect(await found(`atomic_and g0, l(0), l(0)${read}`, raw)).toEqual([])
    expect(await found('imm_atomic_exch r1.x, g0, l(0), l(1)\nstore_raw u0.x, r3.x, r1.x', raw)).toEqual([
      'check-uninitialized-tgsm@1',
    ])
  })

  it('is undefined again in the next group', async () => {
    const body = `if_z cb0[0].y\nendif\nieq r1.x, vThreadGroupID.x, l(0)\nif_nz r1.x\nstore_structured g0.x, vThreadIDInGroupFlattened.x, l(0), l(1)\nendif\nsync_g_t\n${load}r0.x`
    const text = program(body, declare).replace('dcl_temps', 'dcl_input vThreadGroupID.x\ndcl_temps')
    const check = (groups: readonly [number, number, number]) =>
      checkText(text, { u0: rawUav(256), b0: cbv() }, { ...UNINITIALIZED, groups }).then(foundIn)
    expect(await check([1, 1, 1])).toEqual([])
    expect(await check([2, 1, 1])).toEqual(['check-uninitialized-tgsm@8'])
  })
})

describe('contents of UAVs', () => {
  const body = 'ld_raw r0.x, r3.x, u0.xxxx\niadd r0.x, r0.x, l(1)\nstore_raw u0.x, r3.x, r0.x'
  it('are reported on request alone', async () => {
    expect(await found(body)).toEqual([])
    expect(foundIn(await run(body, '', { uninitializedUavs: true }))).toEqual(['check-uninitialized-uav@1'])
    const written = `store_raw u0.x, r3.x, l(1)\n${body}`
    expect(foundIn(await run(written, '', { uninitializedUavs: true }))).toEqual([])
  })
})

describe('bounds', () => {
  const bounds = async (text: string, bindings = {}): Promise<Awaited<ReturnType<typeof checkText>>> =>
    checkText(text, { u0: structuredUav(8, 4), b0: cbv(), ...bindings }, { detectors: ['bounds'] })
  const structured = (body: string): string => program(body).replace('dcl_uav_raw u0', 'dcl_uav_structured u0, 8')

  it('reports each kind by a code of its own', async () => {
    const codes = async (
      body: string,
      shape: 'raw' | 'structured' = 'structured',
      declarations = '',
    ): Promise<string[]> =>
      shape === 'structured'
        ? foundIn(await bounds(structured(body)))
        : foundIn(await bounds(program(body, declarations), { u0: rawUav(16) }))
    expect(await codes('store_structured u0.x, l(4), l(0), l(1)')).toEqual(['check-bounds-structure-index@1'])
    expect(await codes('store_structured u0.x, l(3), l(0), l(1)')).toEqual([])
    expect(await codes('store_structured u0.xy, l(0), l(4), l(1,1,1,1)')).toEqual(['check-bounds-structure-offset@1'])
    expect(await codes('store_structured u0.xy, l(9), l(4), l(1,1,1,1)')).toEqual(['check-bounds-structure-offset@1'])
    expect(await codes('store_structured u0.x, l(0), l(2), l(1)')).toEqual(['check-misaligned@1'])
    expect(await codes('store_raw u0.xy, l(12), l(1,1,1,1)', 'raw')).toEqual(['check-bounds-raw@1'])
    expect(await codes('store_raw u0.x, l(12), l(1)', 'raw')).toEqual([])
    expect(await codes('store_raw g0.x, l(32), l(1)', 'raw', 'dcl_tgsm_raw g0, 32')).toEqual(['check-bounds-tgsm@1'])
    expect(await codes('mov r0.x, l(2)\nmov x0[r0.x + 0].x, l(1)', 'raw', 'dcl_indexableTemp x0[2], 4')).toEqual([
      'check-bounds-indexable-temp@2',
    ])
  })

  it('a structure of shared memory left behind, with literal and computed offsets and in atomics', async () => {
    const tgsm = async (body: string): Promise<string[]> =>
      foundIn(await bounds(program(body, 'dcl_tgsm_structured g0, 8, 4'), { u0: rawUav(16) }))
    const code = (n: number): string => `check-bounds-tgsm-structure@${n}`
    expect(await tgsm('store_structured g0.xy, l(0), l(0), l(1,1,1,1)')).toEqual([])
    expect(await tgsm('store_structured g0.xy, l(0), l(4), l(1,1,1,1)')).toEqual([code(1)])
    expect(await tgsm('mov r0.x, l(8)\nstore_structured g0.x, l(1), r0.x, l(1)')).toEqual([code(2)])
    expect(await tgsm('mov r0.x, l(4)\nstore_structured g0.x, l(1), r0.x, l(1)')).toEqual([])
    expect(await tgsm('ld_structured r0.x, l(0), l(4), g0.yyyy\nstore_raw u0.x, l(0), r0.x')).toEqual([code(1)])
    expect(
      await tgsm('ld_structured r0.x, l(0), l(4), g0.yyyy\nand r0.x, r0.x, l(0)\nstore_raw u0.x, l(0), r0.x'),
    ).toEqual([])
    expect(await tgsm('atomic_iadd g0, l(0, 12, 0, 0), l(1)')).toEqual([code(1)])
    expect(await tgsm('store_structured g0.x, l(3), l(8), l(1)')).toEqual(['check-bounds-tgsm@1'])
  })

  it('says what Direct3D makes of it', async () => {
    const report = await bounds(structured('store_structured u0.xy, l(0), l(4), l(1,1,1,1)'))
    expect(report.findings[0]!.notes[0]).toBe('Direct3D: the contents of the whole UAV are undefined')
    expect(report.findings[0]!.severity).toBe('error')
    expect((await bounds(structured('store_structured u0.x, l(4), l(0), l(1)'))).findings[0]!.severity).toBe('warning')
  })

  it('a load that gives 0 counts where the 0 matters', async () => {
    const t0 = valueOrThrow(createSrv(valueOrThrow(createBuffer({ byteLength: 16, stride: 4 }))))
    const text = (rest: string): string =>
      structured(`ld_structured r0.x, vThreadIDInGroupFlattened.x, l(0), t0.xxxx\n${rest}`).replace(
        'dcl_uav_structured',
        'dcl_resource_structured t0, 4\ndcl_uav_structured',
      )
    const stored = await bounds(text('store_structured u0.x, l(0), l(0), r0.x'), { t0 })
    expect(foundIn(stored)).toEqual(['check-bounds-structure-index@1'])
    expect(stored.findings[0]!.other?.instruction).toBe(2)
    const selected = 'ult r1.x, vThreadIDInGroupFlattened.x, l(4)\nmovc r0.x, r1.x, r0.x, l(7)\n'
    const masked = await bounds(text(`${selected}store_structured u0.x, l(0), l(0), r0.x`), { t0 })
    expect([foundIn(masked), codesIn(masked)]).toEqual([[], ['check-bounds-structure-index']])
  })

  it('constants past what is bound', async () => {
    const read = 'mov r0.x, l(1)\nmov r0.y, cb0[r0.x + 0].x'
    const text = (rest: string): string =>
      structured(`${read}\n${rest}`).replace('CB0[1], immediateIndexed', 'CB0[4], dynamicIndexed')
    expect(foundIn(await bounds(text('store_structured u0.x, l(0), l(0), r0.y')))).toEqual([
      'check-bounds-constant-buffer@2',
    ])
    const unused = await bounds(text('nop'))
    expect([foundIn(unused), codesIn(unused)]).toEqual([[], ['check-bounds-constant-buffer']])
  })

  it('slots with nothing bound', async () => {
    expect(foundIn(await bounds(structured('store_structured u0.x, l(0), l(0), l(1)'), { u0: null }))).toEqual([
      'check-unbound@1',
    ])
  })
})
