/** `heddle run` of frames: pictures, differences, messages with places, budgets. Pictures are worked out by hand. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inflateSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { halfBlocks, previewProtocol } from '../apps/cli/jobs/preview.ts'
import { decodePng } from '../src/host/png/index.ts'
import { heddle } from './support/cli.ts'
import { failedMutants } from './support/frame-mutations.ts'
import { signatureText } from './support/signature-text.ts'

const FOLDER = mkdtempSync(join(tmpdir(), 'heddle-frames-'))
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }))

const POSITION_IN = 'POSITION                 0   xy          0     NONE   float   xy  '
const POSITION_OUT = 'SV_Position              0   xyzw        0      POS   float   xyzw'
const TARGET = 'SV_Target                0   xyzw        0   TARGET   float   xyzw'

const VERTEX = [
  ...signatureText('Input', [POSITION_IN]),
  ...signatureText('Output', [POSITION_OUT]),
  'vs_5_0',
  'dcl_globalFlags refactoringAllowed',
  'dcl_input v0.xy',
  'dcl_output_siv o0.xyzw, position',
  'mov o0.xy, v0.xyxx',
  'mov o0.zw, l(0, 0, 0.500000, 1.000000)',
  'ret ',
].join('\n')

const PIXEL = [
  ...signatureText('Input', [POSITION_OUT.replace(/xyzw$/, '    ')]),
  ...signatureText('Output', [TARGET]),
  'ps_5_0',
  'dcl_globalFlags refactoringAllowed',
  'dcl_constantbuffer CB0[1], immediateIndexed',
  'dcl_output o0.xyzw',
  'mov o0.xyzw, cb0[0].xyzw',
  'ret ',
].join('\n')

/** The left half of a target of 4 x 2 pixels is drawn in one color, over a clear. */
function frame(format = 'R8G8B8A8_UNORM', change: Record<string, unknown> = {}) {
  return {
    version: 2,
    name: 'half',
    resources: {
      corners: { kind: 'buffer', floats: [-1, 1, 0, 1, -1, -1, -1, -1, 0, 1, 0, -1] },
      color: { kind: 'buffer', floats: [1, 0.5, 0, 1] },
      picture: { kind: 'texture2d', format, width: 4, height: 2 },
    },
    shaders: { place: { assembly: VERTEX }, paint: { assembly: PIXEL } },
    pipelines: {
      half: {
        ...{ vertex: 'place', pixel: 'paint', topology: 'TRIANGLELIST', depthStencil: { depthEnable: false } },
        inputLayout: [{ semanticName: 'POSITION', format: 'R32G32_FLOAT' }],
        bind: {
          vertexBuffers: [{ buffer: 'corners', stride: 8 }],
          pixel: { b0: 'color' },
          renderTargets: ['picture'],
        },
      },
    },
    commands: [
      { clear: 'picture', color: [0, 0, 1, 1] },
      { draw: 'half', vertexCount: 6 },
    ],
    expect: [{ resource: 'picture', compare: 'u8', file: 'half.bin' }],
    ...change,
  }
}

/** Sets a member of parsed JSON, named by steps such as `commands.1.vertexCount`; undefined removes it. */
function set(root: unknown, path: string, value: unknown): void {
  const steps = path.split('.')
  const last = steps.pop()!
  const parent = steps.reduce((at, step) => at[step] as Record<string, unknown>, root as Record<string, unknown>)
  if (value === undefined) delete parent[last]
  else parent[last] = value
}

const DRAWN = [255, 128, 0, 255]
const CLEARED = [0, 0, 255, 255]
const ROW = [...DRAWN, ...DRAWN, ...CLEARED, ...CLEARED]

function write(name: string, value: unknown): string {
  const path = join(FOLDER, name)
  writeFileSync(path, value instanceof Uint8Array ? value : JSON.stringify(value))
  return path
}

describe('heddle run with a frame', () => {
  it('draws and compares', async () => {
    write('half.bin', Uint8Array.from([...ROW, ...ROW]))
    const { status, stdout } = await heddle('run', '-v', write('half.job.json', frame()))
    expect(stdout).toContain('half: 1 draw, 1 other command')
    expect(stdout).toContain('draw half: iaVertices 6, iaPrimitives 2, vsInvocations 6')
    expect(stdout).toContain('psInvocations 4, samples passed 4')
    expect(stdout).toContain('as expected, 8 texels')
    expect(status).toBe(0)
  })

  it('gives interface pointers of a shader what the description says', async () => {
    const paint = PIXEL.replace(
      'mov o0.xyzw, cb0[0].xyzw\nret ',
      [
        'dcl_function_body fb0',
        'dcl_function_body fb1',
        'dcl_function_table ft0 = {fb0}',
        'dcl_function_table ft1 = {fb1}',
        'dcl_interface fp0[1][1] = {ft0, ft1}',
        'fcall fp0[0][0]',
        'ret ',
        'label fb0',
        'mov o0.xyzw, l(0, 0, 1.000000, 1.000000)',
        'ret ',
        'label fb1',
        'mov o0.xyzw, cb0[0].xyzw',
        'ret ',
      ].join('\n'),
    )
    const of = (table: number) => ({
      place: { assembly: VERTEX },
      paint: { assembly: paint, classInstances: { fp0: { table } } },
    })
    write('half.bin', Uint8Array.from([...ROW, ...ROW]))
    const right = await heddle('run', write('classes.job.json', frame(undefined, { shaders: of(1) })))
    expect([right.status, right.stderr]).toEqual([0, ''])
    expect((await heddle('run', write('classes.job.json', frame(undefined, { shaders: of(0) })))).status).toBe(1)
    const wrong = await heddle('run', write('classes.job.json', frame(undefined, { shaders: of(2) })))
    expect(wrong.status).toBe(2)
    expect(wrong.stderr).toMatch(/\$\.shaders\.paint\.classInstances.*ft2/)
  })

  it('says where a picture differs, how much, and leaves an image of it', async () => {
    const wrong = Uint8Array.from([...ROW, ...ROW])
    wrong[4 * 4 + 4 + 1] = 100
    write('off.bin', wrong)
    const file = write(
      'off.job.json',
      frame(undefined, { expect: [{ resource: 'picture', compare: 'u8', abs: 3, file: 'off.bin' }] }),
    )
    const { status, stdout } = await heddle('run', file)
    expect(status).toBe(1)
    expect(stdout).toContain('DIFFERENT, 1 of 8 texels')
    expect(stdout).toContain('greatest difference: 28 at (1, 1)')
    const image = decodePng(readFileSync(join(FOLDER, 'off.difference.png')))
    if ('reason' in image) throw new Error(image.reason)
    expect([...image.pixels.subarray(5 * 4, 6 * 4)]).toEqual([255, 0, 0, 255])
    // A third of the mean of the components elsewhere.
    expect([...image.pixels.subarray(0, 4)]).toEqual([43, 43, 43, 255])
  })

  it('has bounds for each component, and a fraction of texels that may differ', async () => {
    const near = Uint8Array.from([...ROW, ...ROW]).map((v, i) => (i % 4 === 1 && i < 8 ? v - 6 : v))
    write('near.bin', near)
    const run = async (check: object) =>
      (
        await heddle(
          'run',
          write(
            'near.job.json',
            frame(undefined, { expect: [{ resource: 'picture', compare: 'u8', file: 'near.bin', ...check }] }),
          ),
        )
      ).status
    expect(await run({ abs: 5 })).toBe(1)
    expect(await run({ abs: [0, 6, 0, 0] })).toBe(0)
    expect(await run({ abs: [6, 5, 6, 6] })).toBe(1)
    expect(await run({ outliers: 0.25 })).toBe(0)
    expect(await run({ outliers: 0.24 })).toBe(1)
  })

  it('records pictures, 16 bits deep where the format is, and reads them again', async () => {
    const file = write(
      'deep.job.json',
      frame('R16G16B16A16_UNORM', { expect: [{ resource: 'picture', png: 'deep.png' }] }),
    )
    expect((await heddle('run', file)).status).toBe(2)
    expect((await heddle('run', '--update', file)).stdout).toContain('recorded')
    const bytes = readFileSync(join(FOLDER, 'deep.png'))
    expect([...bytes.subarray(16, 26)]).toEqual([0, 0, 0, 4, 0, 0, 0, 2, 16, 6])
    expect((await heddle('run', file)).status).toBe(0)
    // PNG words have the high byte first: 0.5 is 32768 of 65535.
    const at = bytes.indexOf('IDAT')
    const rows = inflateSync(bytes.subarray(at + 4, at + 4 + bytes.readUInt32BE(at - 4)))
    expect(rows.length).toBe(2 * (1 + 4 * 8))
    const pixels = decodePng(bytes)
    if ('reason' in pixels) throw new Error(pixels.reason)
    expect([...pixels.pixels.subarray(0, 4)]).toEqual([65535, 32768, 0, 65535])
  })

  it('writes what --out and --preview ask for', async () => {
    write('half.bin', Uint8Array.from([...ROW, ...ROW]))
    const file = write('half.job.json', frame())
    const out = join(FOLDER, 'out.bin')
    const { status, stdout } = await heddle('run', file, '--out', `picture=${out}`, '--preview', 'picture')
    expect(status).toBe(0)
    expect([...readFileSync(out)]).toEqual([...ROW, ...ROW])
    expect(stdout).toContain('\x1b[38;2;255;128;0m\x1b[48;2;255;128;0m')
    const wrong = await heddle('run', file, '--preview', 'pictur')
    expect(wrong.status).toBe(2)
    expect(wrong.stderr).toContain("did you mean 'picture'")
  })

  it('gives every wrong field its place, all at once, with near names', async () => {
    const bad = frame()
    set(bad, 'pipelines.half.rasterizer', { cullMod: 'NONE' })
    set(bad, 'pipelines.half.topology', 'TRIANGLELIS')
    set(bad, 'commands.1.vertexCount', 1.5)
    set(bad, 'commands.2', { clera: 'picture', color: [0, 0, 0, 0] })
    const { status, stderr } = await heddle('run', write('bad.job.json', bad))
    expect(status).toBe(2)
    expect(stderr).toContain('$.pipelines.half.rasterizer.cullMod')
    expect(stderr).toContain("did you mean 'cullMode'")
    expect(stderr).toContain('$.pipelines.half.topology')
    expect(stderr).toContain('$.commands[1].vertexCount')
    expect(stderr).toContain("did you mean 'clear'")
    const names = frame(undefined, {
      commands: [
        { draw: 'hal', vertexCount: 3 },
        { clear: 'pictur', color: [0, 0, 0, 0] },
      ],
    })
    const named = await heddle('run', write('names.job.json', names))
    expect(named.stderr).toContain('$.commands[0].draw: error: there is no pipeline "hal"')
    expect(named.stderr).toContain("did you mean 'picture'")
    expect(named.status).toBe(2)
  })

  it('holds shaders against what is bound before anything runs', async () => {
    const unbound = frame()
    set(unbound, 'pipelines.half.bind.pixel', undefined)
    set(unbound, 'pipelines.half.inputLayout.0.semanticName', 'PLACE')
    const { status, stderr } = await heddle('run', write('unbound.job.json', unbound))
    expect(status).toBe(2)
    expect(stderr).toContain('POSITION')
    set(unbound, 'pipelines.half.inputLayout.0.semanticName', 'position')
    const missing = await heddle('run', write('unbound.job.json', unbound))
    expect(missing.status).toBe(2)
    expect(missing.stderr).toContain('b0 is declared by the pixel shader and nothing is bound there')
  })

  it('reaches no file outside of its folder', async () => {
    const outside = frame()
    set(outside, 'resources.color', { kind: 'buffer', init: { kind: 'file', path: '../color.bin' } })
    const { status, stderr } = await heddle('run', write('outside.job.json', outside))
    expect(status).toBe(2)
    expect(stderr).toContain('outside the folder')
  })

  it('refuses draws that are too large, and stops those that take too long', { timeout: 120_000 }, async () => {
    const huge = frame(undefined, { commands: [{ draw: 'half', vertexCount: 4294967295 }], expect: [] })
    const refused = await heddle('run', write('huge.job.json', huge))
    expect(refused.status).toBe(2)
    expect(refused.stderr).toMatch(/\$\.commands\[0\].*4294967295 vertices/)
    const long = frame(undefined, {
      commands: [{ draw: 'half', vertexCount: 6, instanceCount: 10_000_000 }],
      expect: [],
    })
    const stopped = await heddle('run', '--max-time', '0.3', write('long.job.json', long))
    expect(stopped.status).toBe(1)
    expect(stopped.stdout).toContain('its time is up, at $.commands[0]')
    expect(stopped.stderr).toMatch(/0\.3 s are up; draw half took .*vsInvocations \d+/)
  })

  it('stops the tessellation of a million patches', { timeout: 120_000 }, async () => {
    const path = fileURLToPath(new URL('../examples/drawing/tessellation.job.json', import.meta.url))
    const job = JSON.parse(readFileSync(path, 'utf8')) as { shaders: Record<string, unknown> }
    set(job, 'resources.indices', { kind: 'buffer', size: 16_000_000, init: { kind: 'patch-indices', n: 1000 } })
    set(job, 'commands.2.indexCount', 4_000_000)
    set(job, 'expect', [])
    set(job, '$schema', undefined)
    for (const [name, file] of Object.entries(job.shaders)) {
      job.shaders[name] = { assembly: readFileSync(join(path, '..', String(file)), 'latin1') }
    }
    const { status, stderr } = await heddle('run', '--max-time', '0.5', write('patches.job.json', job))
    expect(status).toBe(1)
    expect(stderr).toMatch(/its 0\.5 s are up/)
    // Long lists are drawn in parts: what was read until then is counted, not all of it.
    const read = Number(/iaPrimitives (\d+)/.exec(stderr)?.[1])
    expect(read).toBeGreaterThan(0)
    expect(read).toBeLessThan(1_000_000)
  })
})

describe('frames with something changed', () => {
  it('are refused with a place or run within their budget', { timeout: 120_000 }, async () => {
    expect(await failedMutants(20_26, 60)).toEqual([])
  })
})

describe('a preview', () => {
  it('has the means of the pixels that a cell covers', () => {
    const image = { width: 2, height: 2, pixels: Uint8Array.from([...DRAWN, ...CLEARED, ...CLEARED, ...CLEARED]) }
    expect(halfBlocks(image, 1)).toEqual(['\x1b[38;2;64;32;191m\u2580\x1b[0m'])
    expect(halfBlocks(image, 2)).toEqual([
      '\x1b[38;2;255;128;0m\x1b[48;2;0;0;255m\u2580\x1b[49m\x1b[38;2;0;0;255m\x1b[48;2;0;0;255m\u2580\x1b[49m\x1b[0m',
    ])
  })

  it('uses the protocols of terminals that have one, never in a pipe', () => {
    expect(previewProtocol(true, { KITTY_WINDOW_ID: '1' })).toBe('kitty')
    expect(previewProtocol(true, { TERM_PROGRAM: 'iTerm.app' })).toBe('iterm')
    expect(previewProtocol(true, { TERM: 'xterm-256color' })).toBe('blocks')
    expect(previewProtocol(false, { KITTY_WINDOW_ID: '1' })).toBe('blocks')
  })
})
