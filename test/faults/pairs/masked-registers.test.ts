/** Reads past an array in registers, a constant buffer or the immediate constants: what they give matters where it is used. */

import { describe, expect, it } from 'vitest'
import { valueOrThrow } from '../../../src/diagnostic/index.ts'
import { type Cbv, createBuffer, createCbv } from '../../../src/machine/index.ts'
import { checkText, foundIn, rawUav } from '../../support/check-text.ts'
import { checkSample, findingsOf, findingsWithout, type Pair, pairs, type Sample } from './pair.ts'

/** How 16 threads read a value of one file: the index of a thread is its own number, and 8 to 15 are past the end. */
interface File extends Omit<Sample, 'body'> {
  readonly before: string
  readonly read: string
  readonly code: string
}

const INDEX = 'mov r0.x, vThreadIDInGroupFlattened.x'
const INSIDE = 'ult r0.y, vThreadIDInGroupFlattened.x, l(8)'
const SHARED = 'dcl_tgsm_raw g0, 64'

const constants = (): { b0: Cbv } => ({ b0: valueOrThrow(createCbv(valueOrThrow(createBuffer({ byteLength: 128 })))) })

const FILES: Readonly<Record<string, File>> = {
  'an array in registers': {
    declarations: `dcl_indexableTemp x0[8], 4\n${SHARED}`,
    before: `${[0, 1, 2, 3, 4, 5, 6, 7].map((n) => `mov x0[${n}].x, l(${n})`).join('\n')}\n${INDEX}`,
    read: 'x0[r0.x + 0].x',
    code: 'check-bounds-indexable-temp',
  },
  'a constant buffer': {
    declarations: `dcl_constantbuffer CB0[8], dynamicIndexed\n${SHARED}`,
    bindings: constants,
    before: INDEX,
    read: 'cb0[r0.x + 0].x',
    code: 'check-bounds-constant-buffer',
  },
  'the immediate constants': {
    declarations: `dcl_immediateConstantBuffer { ${[0, 1, 2, 3, 4, 5, 6, 7].map((n) => `{ ${n}, 0, 0, 0}`).join(', ')} }\n${SHARED}`,
    before: INDEX,
    read: 'icb[r0.x + 0].x',
    code: 'check-bounds-immediate-constants',
  },
  'a constant buffer that is not bound': {
    declarations: `dcl_constantbuffer CB0[16], dynamicIndexed\n${SHARED}`,
    // Threads below 8 read of b0, the others of b1, where nothing is bound.
    bindings: constants,
    before: 'ushr r0.x, vThreadIDInGroupFlattened.x, l(3)',
    read: 'cb[r0.x + 0][0].x',
    code: 'check-unbound',
  },
}

const STORE = 'store_raw u0.x, r7.x, r2.x //@use'

/** Pairs of one file; `finds` counts the eight threads that read past its end. */
function idioms({ before, read, code, ...common }: File): Record<string, Pair> {
  const body = (text: string): string => `${before}\n${INSIDE}\n${text}`
  const pair = (faulty: string, silent: string | readonly string[], finds: readonly string[]): Pair => ({
    ...common,
    faulty: body(faulty),
    silent: [silent].flat().map(body),
    finds,
  })
  const loaded = `mov r2.x, ${read} //@load`
  return {
    'is stored, or selected away by movc': pair(
      `${loaded}\n${STORE}`,
      [
        `${loaded}\nmovc r2.x, r0.y, r2.x, l(0)\n${STORE}`,
        `movc r2.x, r0.y, ${read}, l(0)\n${STORE}`,
        `if_nz r0.y\n  ${loaded}\n  ${STORE}\nendif`,
      ],
      [`${code} load use x8`],
    ),
    'is selected by the wrong side of movc': pair(
      `movc r2.x, r0.y, l(0), ${read} //@load\n${STORE}`,
      `not r0.z, r0.y\nmovc r2.x, r0.z, l(0), ${read}\n${STORE}`,
      [`${code} load use x8`],
    ),
    'is masked by and': pair(
      `and r2.x, ${read}, l(255) //@load\n${STORE}`,
      [`and r2.x, ${read}, r0.y\n${STORE}`, `and r2.x, r0.y, ${read}\n${STORE}`],
      [`${code} load use x8`],
    ),
    'is masked by a condition that is one thread off': pair(
      `uge r0.z, l(8), vThreadIDInGroupFlattened.x\nmovc r2.x, r0.z, ${read}, l(0) //@load\n${STORE}`,
      `uge r0.z, l(7), vThreadIDInGroupFlattened.x\nmovc r2.x, r0.z, ${read}, l(0)\n${STORE}`,
      [`${code} load use x1`],
    ),
    'goes over the register that it is combined with': pair(
      `mov r2.x, l(1)\niadd r2.x, r2.x, ${read} //@load\n${STORE}`,
      [
        `mov r2.x, l(1)\nmovc r2.x, r0.y, ${read}, r2.x\n${STORE}`,
        // What the register held before, which nothing wrote, is selected away where the read is inside.
        `movc r2.x, r0.y, ${read}, r2.x\nif_nz r0.y\n  ${STORE}\nendif`,
      ],
      [`${code} load use x8`],
    ),
    'goes over its own index': pair(
      `mov r0.x, ${read} //@load\nmov r2.x, r0.x\n${STORE}`,
      `mov r0.x, ${read}\nmovc r2.x, r0.y, r0.x, l(0)\n${STORE}`,
      [`${code} load use x8`],
    ),
    'in four components is one access': pair(
      `mov r2.xyzw, ${read.replace(/x$/, 'xxxx')} //@load\niadd r2.xy, r2.xyxx, r2.zwzz\niadd r2.x, r2.x, r2.y\n${STORE}`,
      `mov r2.xyzw, ${read.replace(/x$/, 'xxxx')}\niadd r2.xy, r2.xyxx, r2.zwzz\nand r2.x, r2.x, r0.y\n${STORE}`,
      [`${code} load use x8`],
    ),
    'decides a branch': pair(
      `${loaded}\nif_nz r2.x //@branch\n  store_raw u0.x, r7.x, l(1)\nendif`,
      `${loaded}\nand r2.x, r2.x, r0.y\nif_nz r2.x\n  store_raw u0.x, r7.x, l(1)\nendif`,
      [`${code} load branch x8`],
    ),
    'is an address': pair(
      `${loaded}\nand r2.x, r2.x, l(60)\nld_raw r2.x, r2.x, u1.xxxx //@address\n${STORE}`,
      `${loaded}\nand r2.x, r2.x, r0.y\nand r2.x, r2.x, l(60)\nld_raw r2.x, r2.x, u1.xxxx\n${STORE}`,
      [`${code} load address x8`],
    ),
    'is a value that is stored as it is': pair(
      `store_raw u0.x, r7.x, ${read} //@store`,
      `if_nz r0.y\n  store_raw u0.x, r7.x, ${read}\nendif`,
      [`${code} store store x8`],
    ),
    'is what an atomic takes': pair(
      `atomic_iadd u1, l(0), ${read} //@atomic`,
      `and r2.x, r0.y, ${read}\natomic_iadd u1, l(0), r2.x`,
      [`${code} atomic atomic x8`],
    ),
    'goes through shared memory first': pair(
      `store_raw g0.x, r7.x, ${read} //@load\nsync_g_t\nld_raw r2.x, r7.x, g0.xxxx\n${STORE}`,
      [
        `store_raw g0.x, r7.x, ${read}\nsync_g_t\nld_raw r2.x, r7.x, g0.xxxx\nand r2.x, r2.x, r0.y\n${STORE}`,
        `store_raw g0.x, r7.x, ${read}\nstore_raw g0.x, r7.x, l(1)\nld_raw r2.x, r7.x, g0.xxxx\n${STORE}`,
      ],
      [`${code} load use x8`],
    ),
    'is added up in shared memory': pair(
      `store_raw g0.x, r7.x, l(1)\natomic_iadd g0, r7.x, ${read} //@load\nld_raw r2.x, r7.x, g0.xxxx\n${STORE}`,
      `store_raw g0.x, r7.x, l(1)\nand r3.x, ${read}, r0.y\natomic_iadd g0, r7.x, r3.x\nld_raw r2.x, r7.x, g0.xxxx\n${STORE}`,
      [`${code} load use x8`],
    ),
    'matters at once as an address or a condition of its own statement': pair(
      `ld_raw r2.x, ${read}, u1.xxxx //@load\nif_nz ${read} //@branch\n  nop\nendif`,
      `and r2.x, ${read}, r0.y\nand r2.x, r2.x, l(4)\nld_raw r2.x, r2.x, u1.xxxx\nif_nz r2.x\n  nop\nendif`,
      [`${code} branch x8`, `${code} load x8`],
    ),
  }
}

for (const [name, file] of Object.entries(FILES)) describe(`a read past ${name}`, () => pairs(idioms(file)))

describe('reads of several registers', () => {
  const [array, table] = [FILES['an array in registers']!, FILES['the immediate constants']!]
  const both = {
    declarations: `${array.declarations}\n${table.declarations!.replace(SHARED, '')}`,
  }
  const body = (text: string): string => `${array.before}\n${INSIDE}\n${text}`

  it('are told apart where one of them is selected', async () => {
    const chosen = (condition: string): string =>
      body(`movc r2.x, ${condition}, x0[r0.x + 0].x, icb[r0.x + 0].x //@load\n${STORE}`)
    expect(await findingsOf({ ...both, body: chosen('l(1)') })).toEqual([`${array.code} load use x8`])
    expect(await findingsOf({ ...both, body: chosen('l(0)') })).toEqual([`${table.code} load use x8`])
    expect(await findingsOf({ ...both, body: chosen('vThreadIDInGroupFlattened.x') })).toEqual([
      `${array.code} load use x8`,
    ])
  })

  it('are each found where both matter, and a suppression of one leaves the other', async () => {
    const sample = { ...both, body: body(`iadd r2.x, x0[r0.x + 0].x, icb[r0.x + 0].x //@load\n${STORE}`) }
    const all = [`${table.code} load use x8`, `${array.code} load use x8`]
    expect(await findingsOf(sample)).toEqual(all)
    expect(await findingsWithout(sample, array.code, 'load')).toEqual([all[0]])
    expect(await findingsWithout(sample, table.code, 'load')).toEqual([all[1]])
    expect(await findingsWithout(sample, table.code, 'use')).toEqual(all)
  })

  it('whose result was not used are a hint, with the thread and the index of the first', async () => {
    const { report } = await checkSample({ ...array, body: body('mov r2.x, x0[r0.x + 0].x') })
    expect(report.findings.map((f) => [f.code, f.severity, f.site.threadFlattened])).toEqual([[array.code, 'hint', 8]])
    expect(report.findings[0]!.message).toContain('index 8, of 8')
    expect(report.findings[0]!.notes).toContain('nothing that this run leaves or decides depends on the result')
  })

  it('with negative indices and addresses say so', async () => {
    const past = async (sample: Sample): Promise<(string | undefined)[]> => {
      const { report } = await checkSample(sample)
      return report.findings.flatMap((f) => [f.message, f.memory?.text])
    }
    for (const file of [array, table, FILES['a constant buffer']!]) {
      const [message] = await past({
        ...file,
        body: `${file.before}\nmov r0.x, l(-3)\nmov r2.x, ${file.read}\n${STORE}`,
      })
      expect(message).toContain('has index -3, of 8')
    }
    expect(await past({ body: 'store_raw g0.x, l(-4), l(1)' })).toEqual([
      'a store to g0 at byte -4 lies past its 256 bytes',
      'g0 byte -4',
    ])
  })

  it('the thread named is the one whose value matters', async () => {
    const last = 'ieq r0.y, vThreadIDInGroupFlattened.x, l(15)'
    const { report } = await checkSample({
      ...table,
      body: `${table.before}\n${last}\nmovc r2.x, r0.y, icb[r0.x + 0].x, l(0)\n${STORE}`,
    })
    const [f] = report.findings
    expect([f?.site.threadFlattened, f?.other?.threadFlattened, f?.count]).toEqual([15, 15, 1])
    expect(f?.message).toContain('index 15, of 8')
  })

  it('an index that is itself read past its array matters at once', async () => {
    const nested = (index: string): string =>
      body(`and r0.z, r0.x, l(7)\nmovc r2.x, r0.y, x0[x0[${index} + 0].x + 0].x, l(0) //@load\n${STORE}`)
    expect(await findingsOf({ ...array, body: nested('r0.x') })).toEqual([`${array.code} load x8`])
    expect(await findingsOf({ ...array, body: nested('r0.z') })).toEqual([])
  })

  it('a range of constant buffers that is left is reported at once: hardware takes whatever lies there', async () => {
    const text = (last: number): string => `cs_5_1
dcl_globalFlags refactoringAllowed
dcl_constantbuffer CB0[0:${last}][1], immediateIndexed, space=0
dcl_uav_raw U0[0:0], space=0
dcl_input vThreadIDInGroupFlattened
dcl_temps 1
dcl_thread_group 4, 1, 1
mov r0.x, vThreadIDInGroupFlattened.x
ult r0.y, r0.x, l(2)
movc r0.z, r0.y, CB0[r0.x + 0][0].x, l(0) { nonuniform }
ishl r0.x, r0.x, l(2)
store_raw U0[0].x, r0.x, r0.z
ret`
    const { b0 } = constants()
    const run = async (last: number): Promise<string[]> =>
      foundIn(await checkText(text(last), { b0, b1: b0, b2: b0, b3: b0, u0: rawUav(64) }))
    expect(await run(3)).toEqual([])
    expect(await run(1)).toEqual(['check-bounds-range@2'])
  })
})
