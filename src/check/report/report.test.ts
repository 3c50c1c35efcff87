import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { checkText, rawUav } from '../../../test/support/check-text.ts'
import { corpusFiles } from '../../../test/support/corpus.ts'
import { prepareKernel, readKernel } from '../../../test/support/kernel.ts'
import { statementLister } from '../../asm/index.ts'
import { valueOrThrow } from '../../diagnostic/index.ts'
import { findCodeChunk, readDxbcOrThrow, reflect } from '../../dxbc/index.ts'
import { gatherDeclarations } from '../../engine/index.ts'
import { createReferenceEngine } from '../../engine/reference/index.ts'
import { decodeProgram } from '../../program/index.ts'
import { shaderFacts } from '../../shader/index.ts'
import { check } from '../check.ts'
import { checkMatchers } from '../vitest.ts'
import { reportsToJunit } from './junit.ts'
import { placeText } from './names.ts'
import { renderReport, valueText } from './render.ts'
import { isClean } from './report.ts'
import { reportsToSarif } from './sarif.ts'
import { linesOf } from './source-lines.ts'
import { parseSuppression, parseSuppressionFile } from './suppressions.ts'

const RACE = `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_uav_raw u0
dcl_input vThreadIDInGroupFlattened
dcl_temps 1
dcl_thread_group 8, 1, 1
store_raw u0.x, l(4), vThreadIDInGroupFlattened.x
ret`

describe('names of memory', () => {
  it('are those of the reflection: element, field and component', () => {
    const file = corpusFiles().find((f) => f.name === 'kernels/oit')!
    const reflection = reflect(readDxbcOrThrow(file.bytes)).value
    const declarations = valueOrThrow(gatherDeclarations(readKernel('oit').program))
    const at = (register: number, byteOffset: number, stride?: number): string =>
      placeText(
        { space: 'uav', register, byteOffset, viewByteOffset: 0, ...(stride === undefined ? {} : { stride }) },
        declarations,
        reflection,
      )
    const names = reflection.resources.filter((r) => r.register === 'u').map((r) => r.name)
    const fields = reflection.resources
      .find((r) => r.register === 'u' && r.slot === 0)!
      .element!.members!.map((m) => m.name)
    expect(at(0, 12 * 5 + 8, 12)).toBe(`${names[0]}[5].${fields[2]} (u0)`)
    expect(at(0, 0, 12)).toBe(`${names[0]}[0].${fields[0]} (u0)`)
    expect(at(1, 16)).toBe(`${names[1]} byte 16 (u1)`)
  })

  it('go down to components of vectors and matrices', () => {
    const declarations = valueOrThrow(gatherDeclarations(readKernel('copy').program))
    const type = (t: string, elements?: number) => ({
      name: '$Element',
      type: t,
      byteOffset: 0,
      byteLength: 64,
      used: true,
      ...(elements ? { elements } : {}),
    })
    const at = (element: ReturnType<typeof type>, byteOffset: number): string =>
      placeText({ space: 'uav', register: 0, byteOffset, viewByteOffset: 0, stride: 64 }, declarations, {
        buffers: [],
        inputs: [],
        outputs: [],
        patchConstants: [],
        resources: [
          {
            name: 'things',
            type: 'UAV',
            register: 'u',
            slot: 0,
            count: 1,
            space: 0,
            dimension: 'r/w',
            format: 'struct',
            stride: 64,
            element,
          },
        ],
      })
    expect(at(type('float4'), 72)).toBe('things[1].z (u0)')
    expect(at(type('float4x4'), 20)).toBe('things[0]._m11 (u0)')
    expect(at(type('float4x4'), 8)).toBe('things[0]._m20 (u0)')
    expect(at(type('row_major float4x4'), 8)).toBe('things[0]._m02 (u0)')
    expect(at(type('float2', 4), 20)).toBe('things[0][2].y (u0)')
  })
})

describe('reports', () => {
  it('are plain data that survive JSON', async () => {
    const report = await checkText(RACE, { u0: rawUav(64) })
    expect(JSON.parse(JSON.stringify(report))).toEqual(report)
    expect(isClean(report)).toBe(false)
  })

  it('render both accesses with their lines, threads and values', async () => {
    const text = renderReport(await checkText(RACE, { u0: rawUav(64) }))
    expect(text).toBe(`error: two threads write the same memory, with no barrier between them (7 times) [check-race]
  memory: u0 byte 4
  first:  thread (0, 0, 0) of group (0, 0, 0) writes 0
      0: store_raw u0.x, l(4), vThreadIDInGroupFlattened.x
  second: thread (1, 0, 0) of group (0, 0, 0) writes 1
      0: store_raw u0.x, l(4), vThreadIDInGroupFlattened.x
1 error (1 x 1 x 1 groups of 8 x 1 x 1 threads, 16 instructions)`)
  })

  it('give SARIF relative paths and file URIs', async () => {
    const report = await checkText(RACE, { u0: rawUav(64) })
    const uri = (file: string): unknown =>
      JSON.parse(JSON.stringify(reportsToSarif([{ file, report }], '1.2.3'))).runs[0].results[0].locations[0]
        .physicalLocation.artifactLocation.uri
    expect(['./a b.json', 'x\\y.json', 'C:\\x.hlsl', '/t/x.json'].map(uri)).toEqual([
      'a%20b.json',
      'x/y.json',
      'file:///C:/x.hlsl',
      'file:///t/x.json',
    ])
  })

  it('show values as people use them', () => {
    expect([5, 0xffffffff, 0x3f800000, 0xdeadbeef].map(valueText)).toEqual([
      '5',
      '-1',
      '0x3f800000 (1 as a float)',
      '0xdeadbeef (-6.259853e+18 as a float)',
    ])
  })

  it('say why nothing ran, and never reject', async () => {
    const engine = createReferenceEngine({})
    const garbage = await check(engine, new Uint8Array([1, 2, 3]), {}, [1, 1, 1])
    expect([garbage.partial, garbage.diagnostics.length > 0, isClean(garbage)]).toEqual(['refused', true, false])
    const kernel = readKernel('copy')
    const wrong = await check(engine, kernel.program, { ...prepareKernel(kernel).bindings, u0: rawUav(64) }, [1, 1, 1])
    expect(wrong.partial).toBe('refused')
    const huge = await check(engine, kernel.program, prepareKernel(kernel).bindings, [70000, 1, 1])
    expect([huge.partial, huge.diagnostics[0]?.code]).toEqual(['refused', 'machine-dispatch-size'])
    expect(reportsToJunit([{ file: 'a&b.json', report: huge }])).toContain('<error type="refused"')
  })

  it('take a device as well as an engine, and its shaders', async () => {
    const kernel = readKernel('copy')
    const engine = createReferenceEngine({})
    const loaded = valueOrThrow(engine.load(kernel.program, { listing: statementLister(kernel.program) }))
    const report = await check({ engine }, { loaded }, prepareKernel(kernel).bindings, kernel.dispatch)
    expect(isClean(report)).toBe(true)
  })
})

describe('toBeClean', () => {
  it('passes clean reports and shows the findings of others', async () => {
    expect.extend(checkMatchers)
    const kernel = readKernel('copy')
    const clean = await check(
      createReferenceEngine({}),
      kernel.program,
      prepareKernel(kernel).bindings,
      kernel.dispatch,
    )
    expect(clean).toBeClean()
    const faulty = await checkText(RACE, { u0: rawUav(64) })
    expect(faulty).not.toBeClean()
    expect(() => expect(faulty).toBeClean()).toThrow(/with no barrier between them/)
    expect(() => expect(Promise.resolve(clean)).toBeClean()).toThrow(/await it/)
  })
})

describe('suppressions', () => {
  it('are codes, codes at instructions, codes at source lines', () => {
    expect(parseSuppression('check-race')).toEqual({ code: 'check-race' })
    expect(parseSuppression('check-race@12')).toEqual({ code: 'check-race', instruction: 12 })
    expect(parseSuppression('check-race@C:/a b.hlsl:7')).toEqual({
      code: 'check-race',
      source: { file: 'C:/a b.hlsl', line: 7 },
    })
    for (const wrong of ['', 'check-race@', 'check-rice', '@4', 'check-race@x']) {
      expect(parseSuppression(wrong)).toMatchObject({ code: 'check-suppression' })
    }
  })

  it('stand in files by report', () => {
    const { suppressions, diagnostics } = parseSuppressionFile(
      '# all\ncheck-race\n[a.b]\n  check-race@3  # one\n[]\ncheck-x\n',
    )
    expect(suppressions).toEqual([{ code: 'check-race' }, { code: 'check-race', instruction: 3, report: 'a.b' }])
    expect(diagnostics.map((d) => d.place)).toMatchObject([{ kind: 'text', line: 6 }])
  })
})

describe('reports of shaders with debug information', () => {
  const file = corpusFiles().find((f) => f.name === 'cs/real_light_cull.zi')!
  const container = readDxbcOrThrow(file.bytes)
  const { debug } = shaderFacts(container)
  const program = valueOrThrow(decodeProgram(findCodeChunk(container)!.data))

  it('show the line of HLSL under the statement', () => {
    const hlsl = readFileSync(file.path.replace('.zi.dxbc', '.hlsl'), 'utf8').split('\n')
    const line = linesOf(program, statementLister(program), debug).lineOf(program.statements.length - 1)
    expect(line.source?.text).toBe(hlsl[line.source!.line - 1]!.trim())
    const site = { ...line, group: [0, 0, 0], thread: [0, 0, 0], threadFlattened: 0, access: 'load' } as const
    const finding = { code: 'check-race', severity: 'error', message: 'm', count: 1, site, notes: [] } as const
    const stats = { groups: [1, 1, 1], threads: [1, 1, 1], threadInstructions: 0, shadowByteLength: 0 } as const
    const text = renderReport({
      findings: [finding],
      diagnostics: [],
      stats: { ...stats, droppedFindings: 0, suppressed: 0, detectors: [] },
    })
    const [, , statement, source] = text.split('\n')
    expect(statement).toContain(`ret  (S:\\cs\\real_light_cull.hlsl:${line.source!.line})`)
    expect(source).toBe(`        | ${line.source!.text}`)
  })

  it('name shared memory as HLSL does', () => {
    const declarations = valueOrThrow(gatherDeclarations(program))
    const at = (register: number, byteOffset: number): string =>
      placeText({ space: 'tgsm', register, byteOffset }, declarations, undefined, debug)
    expect([at(3, 12), at(4, 20), at(0, 0)]).toEqual(['list[3] (g3)', 'planes[1] byte 4 (g4)', 'zMin byte 0 (g0)'])
    const plain = placeText({ space: 'tgsm', register: 3, byteOffset: 12 }, declarations, undefined)
    expect(plain).toBe('g3[3]')
  })
})
