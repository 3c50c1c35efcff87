import { describe, expect, it } from 'vitest'
import { isClean } from '../../src/check/index.ts'
import type { Diagnostic } from '../../src/diagnostic/index.ts'
import { checkDescription } from '../../src/host/check.ts'
import { runFrame } from '../../src/host/job.ts'

// Types of components (float, sint, uint) on both sides of a link: vertex data and inputs, stages, outputs and targets.

type Type = 'float' | 'int' | 'uint'

const row = (name: string, mask: string, register: number, value: string, type: Type, used = mask): string =>
  `// ${name.padEnd(20)}     0   ${mask.padEnd(4)}        ${register} ${value.padStart(8)}  ${type.padStart(6)}   ${used}`

/** A signature as the listing has it. */
const signature = (title: string, rows: readonly string[]): string =>
  [
    `// ${title} signature:`,
    '//',
    '// Name                 Index   Mask Register SysValue  Format   Used',
    '// -------------------- ----- ------ -------- -------- ------- ------',
    ...rows,
    '//\n',
  ].join('\n')

const POSITION = row('SV_Position', 'xyzw', 0, 'POS', 'float')

/** A point at the center of the one pixel; o1 has the type given, v1 of the input another. */
const vertexShader = (input: Type, output: Type): string =>
  `${signature('Input', [row('VALUE', 'x', 0, 'NONE', input)])}${signature('Output', [POSITION, row('VALUE', 'x', 1, 'NONE', output)])}vs_5_0
dcl_input v0.x
dcl_output_siv o0.xyzw, position
dcl_output o1.x
mov o0.xyzw, l(0,0,0,1.0)
mov o1.x, v0.x
ret`

const pixelShader = (input: Type, output: Type): string =>
  `${signature('Input', [POSITION.replace(/xyzw$/, ''), row('VALUE', 'x', 1, 'NONE', input)])}${signature('Output', [row('SV_Target', 'xyzw', 0, 'TARGET', output)])}ps_5_0
dcl_input_ps constant v1.x
dcl_output o0.xyzw
mov o0.xyzw, v1.xxxx
ret`

interface Types {
  readonly data?: string
  readonly vertexInput?: Type
  readonly vertexOutput?: Type
  readonly pixelInput?: Type
  readonly pixelOutput?: Type
  readonly target?: string
  readonly word: number
  readonly policy?: string
  readonly writeMask?: number
}

function frame(t: Types) {
  const { data = 'R32_UINT', vertexInput = 'uint', vertexOutput = 'uint', pixelInput = 'uint', writeMask } = t
  const { pixelOutput = 'uint', target = 'R32_UINT', word, policy } = t
  return {
    version: 2,
    resources: {
      value: { kind: 'buffer', words: [word] },
      picture: { kind: 'texture2d', format: target, width: 1, height: 1 },
    },
    shaders: {
      vertex: { assembly: vertexShader(vertexInput, vertexOutput) },
      pixel: { assembly: pixelShader(pixelInput, pixelOutput) },
    },
    pipelines: {
      point: {
        ...{ vertex: 'vertex', pixel: 'pixel', topology: 'POINTLIST', depthStencil: { depthEnable: false } },
        inputLayout: [{ semanticName: 'VALUE', format: data }],
        ...(writeMask === undefined ? {} : { blend: { renderTarget: [{ renderTargetWriteMask: writeMask }] } }),
        bind: { vertexBuffers: [{ buffer: 'value', stride: 4 }], renderTargets: ['picture'] },
      },
    },
    commands: [{ draw: 'point', vertexCount: 1 }],
    ...(policy === undefined ? {} : { policy }),
  }
}

async function run(types: Types) {
  const { run: ran, diagnostics } = await runFrame(frame(types))
  const { storage } = ran!.prepared.resources.get('picture')!.resource
  const codes = diagnostics.filter((d: Diagnostic) => d.severity !== 'hint').map((d: Diagnostic) => d.code)
  const { stopped, undefinedCount } = ran!
  return { word: storage.words[0]!, codes, stopped, undefinedCount }
}

const ONE = 0x3f800000
const MISMATCH = ['pipeline-output-type']

describe('an output and a render target of other types', () => {
  /** Output, target, what the output holds, what is stored of it, and the pattern of the policy poison. */
  const cases: readonly [Type, string, word: number, stored: number, poison: number][] = [
    ['float', 'R32_UINT', ONE, ONE, 0xdeadbeef],
    ['float', 'R32_SINT', ONE, ONE, 0xdeadbeef],
    // As an unsigned integer the bits are far beyond 255, and stores of integers clamp.
    ['float', 'R8G8B8A8_UINT', ONE, 0xffffffff, 0xefefefef],
    ['uint', 'R32_FLOAT', 5, 5, 0xdeadbeef],
    // The bits of 1.0.
    ['int', 'R8G8B8A8_UNORM', ONE, 0xffffffff, 0xefefefef],
    ['int', 'R32_UINT', 0xffffffff, 0xffffffff, 0xdeadbeef],
    // -1 is the greatest unsigned integer.
    ['int', 'R8G8B8A8_UINT', 0xffffffff, 0xffffffff, 0xefefefef],
    ['uint', 'R8G8B8A8_SINT', 0x80000000, 0x80808080, 0xefefefef],
  ]
  it.each(cases)('%s to %s', async (pixelOutput, target, word, stored, poison) => {
    const types = { pixelOutput, target, word }
    expect(await run(types)).toEqual({ word: stored, codes: MISMATCH, stopped: undefined, undefinedCount: 1 })
    expect((await run({ ...types, policy: 'poison' })).word).toBe(poison)
    const trapped = await run({ ...types, policy: 'trap' })
    expect(trapped).toEqual({ word: 0, codes: MISMATCH, stopped: 'trap', undefinedCount: 1 })
  })

  it.each(['report', 'poison', 'trap'])('the same types store the value, under the policy %s', async (policy) => {
    const fine = { codes: [], stopped: undefined, undefinedCount: 0 }
    expect(await run({ word: 7, policy })).toEqual({ word: 7, ...fine })
    const unorm = { pixelOutput: 'float', target: 'R8G8B8A8_UNORM', word: ONE, policy } as const
    expect(await run(unorm)).toEqual({ word: 0xffffffff, ...fine })
    const sint = { pixelOutput: 'int', target: 'R32_SINT', word: 0xfffffffe, policy } as const
    expect(await run(sint)).toEqual({ word: 0xfffffffe, ...fine })
  })

  it('counts each pixel; the first one traps', async () => {
    const two = (policy: string) => {
      const one = frame({ pixelOutput: 'float', word: ONE, policy })
      return { ...one, commands: [...one.commands, ...one.commands] }
    }
    const count = async (policy: string) => (await runFrame(two(policy))).run!.undefinedCount
    expect(await count('report')).toBe(2)
    expect(await count('trap')).toBe(1)
  })

  it('a target that is not written is left alone', async () => {
    const types = { pixelOutput: 'float', word: ONE, writeMask: 0, policy: 'trap' } as const
    expect(await run(types)).toEqual({ word: 0, codes: [], stopped: undefined, undefinedCount: 0 })
  })

  it('is a finding of heddle check, with its draw', async () => {
    const report = await checkDescription(frame({ pixelOutput: 'float', word: ONE }))
    expect(report.findings.map((f) => [f.stage, f.code, f.command?.path])).toEqual([
      ['pixel', 'pipeline-output-type', '$.commands[0]'],
    ])
    expect(report.findings[0]!.message).toContain('o0 of the pixel shader is float and render target 0 is R32_UINT')
    expect(isClean(report)).toBe(false)
    expect(isClean(await checkDescription(frame({ word: 7 })))).toBe(true)
  })
})

describe('inputs of other types get the bits as they are', () => {
  it('vertex data', async () => {
    const given = await run({ data: 'R32_FLOAT', word: ONE })
    expect(given).toEqual({ word: ONE, codes: ['pipeline-input-type'], stopped: undefined, undefinedCount: 0 })
    expect((await run({ data: 'R32_UINT', word: ONE })).codes).toEqual([])
    // A difference in sign alone is a hint.
    expect((await run({ data: 'R32_SINT', word: ONE })).codes).toEqual([])
  })

  it('what the stage before wrote', async () => {
    const given = await run({ vertexOutput: 'float', word: ONE })
    expect(given).toEqual({ word: ONE, codes: ['pipeline-linkage-type'], stopped: undefined, undefinedCount: 0 })
    expect((await run({ vertexOutput: 'int', word: ONE })).codes).toEqual([])
    const report = await checkDescription(frame({ vertexOutput: 'float', word: ONE }))
    expect(report.findings.map((f) => [f.stage, f.code])).toEqual([['pixel', 'pipeline-linkage-type']])
  })
})

type Description = ReturnType<typeof frame>

/** Codes of a frame, with hints. */
async function codesOf(description: unknown): Promise<string[]> {
  return (await runFrame(description)).diagnostics.map((d: Diagnostic) => d.code)
}

const withPipeline = (d: Description, change: object): unknown => ({
  ...d,
  pipelines: { point: { ...d.pipelines.point, ...change } },
})
const VIEWPORTS = [{ width: 1, height: 1 }]

describe('outputs that nothing takes', () => {
  const base = frame({ word: 7 })
  const { bind } = base.pipelines.point

  it('a color without its render target', async () => {
    const lost = withPipeline(
      {
        ...base,
        resources: { ...base.resources, picture: { kind: 'texture2d', format: 'RGBA8', width: 1, height: 1 } },
      },
      {},
    )
    expect(await codesOf(lost)).toEqual(['machine-format-unknown'])
    const none = withPipeline(base, { bind: { ...bind, renderTargets: [], viewports: VIEWPORTS } })
    expect(await codesOf(none)).toEqual(['pipeline-output-unbound'])
    expect(await codesOf(base)).toEqual([])
    // A hint: it may well be meant.
    expect(isClean(await checkDescription(none))).toBe(true)
  })

  it('a depth without a depth buffer', async () => {
    const writes = base.shaders.pixel.assembly.replace('mov o0', 'dcl_output oDepth\nmov oDepth, l(0)\nmov o0')
    const deep = { ...base, shaders: { ...base.shaders, pixel: { assembly: writes } } }
    expect(await codesOf(deep)).toEqual(['pipeline-output-unbound'])
    const buffer = { kind: 'texture2d', format: 'D32_FLOAT', width: 1, height: 1 }
    const bound = withPipeline(deep, { bind: { ...bind, depthStencil: 'depth' } }) as Description
    expect(await codesOf({ ...bound, resources: { ...deep.resources, depth: buffer } })).toEqual([])
  })
})

describe('dual source blending', () => {
  const blend = { renderTarget: [{ blendEnable: true, srcBlend: 'ONE', destBlend: 'SRC1_COLOR' }] }
  const base = frame({ pixelOutput: 'float', target: 'R8G8B8A8_UNORM', word: ONE })
  const withSecond = base.shaders.pixel.assembly.replace(
    'mov o0',
    'dcl_output o1.xyzw\nmov o1.xyzw, l(1.0,1.0,1.0,1.0)\nmov o0',
  )

  it('needs both outputs', async () => {
    expect(await codesOf(withPipeline(base, { blend }))).toEqual(['pipeline-undefined'])
    const both = { ...base, shaders: { ...base.shaders, pixel: { assembly: withSecond } } }
    expect(await codesOf(withPipeline(both, { blend }))).toEqual([])
  })
})

describe('a system value that one side alone has', () => {
  it('is left undefined', async () => {
    const base = frame({
      vertexOutput: 'float',
      pixelInput: 'float',
      pixelOutput: 'float',
      target: 'R32_FLOAT',
      word: ONE,
    })
    const vertex = vertexShader('uint', 'float')
      .replace(
        'VALUE                    0   x           1     NONE',
        'SV_ClipDistance          0   x           1  CLIPDST',
      )
      .replace('dcl_output o1.x', 'dcl_output_siv o1.x, clip_distance')
    expect(vertex).toContain('CLIPDST')
    expect(await codesOf({ ...base, shaders: { ...base.shaders, vertex: { assembly: vertex } } })).toEqual([
      'pipeline-linkage-system-value',
    ])
    expect(await codesOf(base)).toEqual([])
  })
})
