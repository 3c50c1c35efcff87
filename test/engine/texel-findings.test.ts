import { describe, expect, it } from 'vitest'
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import {
  type Bindings,
  createBuffer,
  createSrv,
  createTexture,
  createUav,
  type TextureOptions,
} from '../../src/machine/index.ts'
import { checkText } from '../support/check-text.ts'
import { compareEngines } from '../support/engines.ts'
import { runText } from '../support/run-text.ts'

/** What findings say of texels that are not there: all coordinates, all extents, and which is outside; both engines alike. */

const texture = (options: Partial<TextureOptions>) =>
  valueOrThrow(
    createTexture({
      dimension: 'texture2d',
      width: 4,
      format: 'R32_UINT',
      ...options,
    } as TextureOptions),
  )

const program = (declaration: string, body: string): string => `cs_5_0
dcl_globalFlags refactoringAllowed
${declaration}
dcl_uav_raw u9
dcl_temps 2
dcl_thread_group 1, 1, 1
${body}
store_raw u9.xyzw, l(0), r0.xyzw
ret`

interface Case {
  readonly what: string
  readonly declaration: string
  readonly body: string
  readonly bind: () => Bindings
  readonly text: string
}

const srv = (options: Partial<TextureOptions>) => (): Bindings => ({ t0: valueOrThrow(createSrv(texture(options))) })
const uav = (options: Partial<TextureOptions>) => (): Bindings => ({ u0: valueOrThrow(createUav(texture(options))) })
const load = (coordinates: string): string => `ld r0.xyzw, l(${coordinates}), t0.xyzw`
const store = (coordinates: string): string =>
  `mov r0.xyzw, l(0, 0, 0, 0)\nstore_uav_typed u0.xyzw, l(${coordinates}), r0.xyzw`
const T = (dimension: string): string => `dcl_resource_${dimension} (uint,uint,uint,uint) t0`
const U = (dimension: string): string => `dcl_uav_typed_${dimension} (uint,uint,uint,uint) u0`

const CASES: readonly Case[] = [
  {
    what: 'y of a load',
    declaration: T('texture2d'),
    body: load('0, 1, 0, 0'),
    bind: srv({ width: 2, height: 1 }),
    text: 'a load from t0 at (0, 1) lies outside 2 x 1, in y',
  },
  {
    what: 'x and y of a load, x negative',
    declaration: T('texture2d'),
    body: load('-3, 7, 0, 0'),
    bind: srv({ width: 4, height: 5 }),
    text: 'a load from t0 at (-3, 7) lies outside 4 x 5, in x and y',
  },
  {
    what: 'a slice of a load',
    declaration: T('texture2darray'),
    body: load('1, 2, 3, 0'),
    bind: srv({ width: 4, height: 4, arraySize: 3 }),
    text: 'a load from t0 at (1, 2, 3) lies outside 4 x 4 with 3 slices, in slice',
  },
  {
    what: 'a slice of rows',
    declaration: T('texture1darray'),
    body: load('1, 2, 0, 0'),
    bind: srv({ dimension: 'texture1d', width: 4, arraySize: 2 }),
    text: 'a load from t0 at (1, 2) lies outside 4 with 2 slices, in slice',
  },
  {
    what: 'z of a volume',
    declaration: T('texture3d'),
    body: load('1, 2, -1, 0'),
    bind: srv({ dimension: 'texture3d', width: 4, height: 4, depth: 2 }),
    text: 'a load from t0 at (1, 2, -1) lies outside 4 x 4 x 2, in z',
  },
  {
    what: 'a mip',
    declaration: T('texture2d'),
    body: load('1, 0, 0, 2'),
    bind: srv({ width: 4, height: 4, mipLevels: 2 }),
    text: 'a load from t0 at (1, 0), mip 2, lies outside 2 x 2 with 2 mips, in mip',
  },
  {
    what: 'y in a mip',
    declaration: T('texture2d'),
    body: load('1, 2, 0, 1'),
    bind: srv({ width: 4, height: 4, mipLevels: 2 }),
    text: 'a load from t0 at (1, 2), mip 1, lies outside 2 x 2 with 2 mips, in y',
  },
  {
    what: 'a sample',
    declaration: 'dcl_resource_texture2dms(4) (uint,uint,uint,uint) t0',
    body: 'ldms r0.xyzw, l(1, 2, 0, 0), t0.xyzw, l(4)',
    bind: srv({ width: 4, height: 4, sampleCount: 4 }),
    text: 'a load from t0 at (1, 2), sample 4, lies outside 4 x 4 with 4 samples, in sample',
  },
  {
    what: 'y of a store',
    declaration: U('texture2d'),
    body: store('1, -1, 0, 0'),
    bind: uav({ width: 4, height: 2 }),
    text: 'a store to u0 at (1, -1) lies outside 4 x 2, in y',
  },
  {
    what: 'a slice of a store',
    declaration: U('texture2darray'),
    body: store('1, 1, 2, 2'),
    bind: uav({ width: 4, height: 2, arraySize: 2 }),
    text: 'a store to u0 at (1, 1, 2) lies outside 4 x 2 with 2 slices, in slice',
  },
  {
    what: 'z of an atomic',
    declaration: U('texture3d'),
    body: 'mov r0.xyzw, l(0, 0, 0, 0)\natomic_iadd u0, l(1, 1, 9, 0), l(1)',
    bind: uav({ dimension: 'texture3d', width: 4, height: 2, depth: 2 }),
    text: 'an atomic on u0 at (1, 1, 9) lies outside 4 x 2 x 2, in z',
  },
  {
    what: 'the only coordinate',
    declaration: T('texture1d'),
    body: load('4, 0, 0, 0'),
    bind: srv({ dimension: 'texture1d', width: 4 }),
    text: 'a load from t0 at (4) lies outside 4',
  },
  {
    what: 'an element of a buffer',
    declaration: T('buffer'),
    body: load('-1, 0, 0, 0'),
    bind: () => ({
      t0: valueOrThrow(createSrv(valueOrThrow(createBuffer({ byteLength: 16 })), { format: 'R32_UINT' })),
    }),
    text: 'a load from t0 at -1 lies outside the view, which ends at 4',
  },
]

const output = (): Bindings => ({
  u9: valueOrThrow(createUav(valueOrThrow(createBuffer({ byteLength: 16 })), { raw: true })),
})

describe.each(CASES)('$what', ({ declaration, body, bind, text }) => {
  const source = program(declaration, body)
  it('is said by the reference engine, and by compiled code in the same words', async () => {
    expect(runText(source, { ...bind(), ...output() }).diagnostics.map((d) => d.message)).toEqual([text])
    expect(await compareEngines(source, bind)).toEqual([])
  })

  it('is said by the checker', async () => {
    const [finding] = (await checkText(source, { ...bind(), ...output() })).findings
    const expected = text.replace('at -1 lies outside the view, which ends at 4', 'names element -1 of 4')
    expect(finding!.message.startsWith(expected)).toBe(true)
  })
})
