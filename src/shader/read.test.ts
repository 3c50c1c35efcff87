/** A container without a program, given to everything that takes compiled shaders. */
import { expect, it } from 'vitest'
import { disassembleOutcome } from '../asm/index.ts'
import { ShaderError } from '../diagnostic/index.ts'
import { makeDxbc, writeDxbc } from '../dxbc/index.ts'
import { check } from '../host/check.ts'
import { Device } from '../host/device.ts'
import { runJob } from '../host/job.ts'
import { readShader } from './index.ts'

const BYTES = writeDxbc(makeDxbc([{ fourcc: 'PRIV', data: new Uint8Array(4) }]))

it('is one code, whoever reads it', async () => {
  const device = new Device({ engine: 'reference' })
  const refused = (() => {
    try {
      device.createShader(BYTES)
      return []
    } catch (e) {
      return e instanceof ShaderError ? e.diagnostics : []
    }
  })()
  const report = await check(device, BYTES, {}, [1])
  const job = await runJob(
    { shader: { file: 'a.dxbc' }, dispatch: [1, 1, 1], resources: [] },
    { readFile: () => BYTES, writeFile: () => undefined },
  )
  const found = [readShader(BYTES), disassembleOutcome(BYTES), { diagnostics: refused }, report, job]
  expect(found.map(({ diagnostics }) => diagnostics.map((d) => d.code))).toEqual(found.map(() => ['shader-no-code']))
})

it('says what there is in its place', () => {
  const notes = (...fourccs: string[]): readonly string[] | undefined => {
    const bytes = writeDxbc(makeDxbc(fourccs.map((fourcc) => ({ fourcc, data: new Uint8Array(4) }))))
    return readShader(bytes).diagnostics[0]?.notes
  }
  expect(notes('PRIV')).toEqual([])
  expect(notes('ISG1', 'DXIL', 'RTS0')).toEqual([
    expect.stringMatching(/^it has DXIL: .*Shader Model 6/),
    'it has RTS0: a root signature',
  ])
})
