import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { createReferenceEngine } from '../src/engine/reference/index.ts'
import { createHost } from '../src/host/node/job-host.ts'
import { jobTemplate, loadShader, parseFrame, parseJob, prepareFrame, prepareJob } from '../src/job/index.ts'
import { heddle } from './support/cli.ts'
import { companionFrame } from './support/companions.ts'
import { CORPUS_FOLDER, corpusFiles } from './support/corpus.ts'
import { memoryHost } from './support/jobs.ts'

const folder = mkdtempSync(join(tmpdir(), 'heddle-init-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const copy = (name: string, as: string): string => {
  const path = join(folder, as)
  writeFileSync(path, readFileSync(join(CORPUS_FOLDER, `${name}.dxbc`)))
  return path
}

describe('heddle init', () => {
  it('writes a description that runs at once, with names and sizes', async () => {
    const shader = join(folder, 'blur.dxbc')
    writeFileSync(shader, readFileSync(new URL('kernels/blur.dxbc', import.meta.url)))
    const { status, stdout } = await heddle('init', shader)
    const target = join(folder, 'blur.job.json')
    expect([status, stdout]).toEqual([0, `${target} was written; heddle run ${target} runs it\n`])
    const job = JSON.parse(readFileSync(target, 'utf8'))
    // blur.hlsl: [numthreads(16, 16, 1)], 4 groups along each axis that has threads.
    expect([job.shader, job.dispatch, job.group]).toEqual(['blur.dxbc', [4, 4, 1], [16, 16, 1]])
    expect(job.resources.map((r: { slot: string; kind: string }) => `${r.slot} ${r.kind}`)).toEqual([
      't0 texture2d',
      'u0 texture2d',
      'b0 cbuffer',
    ])
    expect(job.resources[2].values).toMatchObject({ extent: [64, 64], radius: 4 })
    expect((await heddle('run', target, '-q')).status).toBe(0)
  })

  it('does not write over a file unless it is asked to, and prints JSON', async () => {
    const shader = copy('cs/raw_access', 'raw.dxbc')
    expect((await heddle('init', shader)).status).toBe(0)
    const again = await heddle('init', shader)
    expect([again.status, again.stderr]).toEqual([2, expect.stringContaining('--force writes it anew')])
    expect((await heddle('init', shader, '--force')).status).toBe(0)
    const { stdout } = await heddle('init', shader, '--json', '--force')
    expect(JSON.parse(stdout)).toMatchObject([{ file: shader, description: { shader: 'raw.dxbc' } }])
  })

  it('names the stage of a shader that cannot be dispatched', async () => {
    const { status, stderr } = await heddle('init', copy('ps/empty', 'pixel.dxbc'))
    expect([status, stderr]).toEqual([2, expect.stringContaining('this is a pixel shader')])
  })
})

describe('frames', () => {
  const scene = (name: string, stage: string): string =>
    fileURLToPath(new URL(`draws/${name}/${stage}.dxbc`, import.meta.url))
  /** Of each scene the stages that it has. */
  const scenes: readonly [string, readonly string[], draws: string][] = [
    ['grid', ['vs', 'ps'], 'iaPrimitives 1'],
    ['tess', ['vs', 'hs', 'ds', 'ps'], 'hsInvocations 1'],
    ['billboards', ['vs', 'gs', 'ps'], 'gsInvocations 3'],
    ['shadow', ['vs'], 'iaPrimitives 1'],
  ]
  it.each(scenes)('of the shaders of %s run at once', async (name, stages, draws) => {
    const output = join(folder, `${name}.job.json`)
    const files = stages.map((s) => scene(name, s))
    const made = await heddle('init', ...files, '--output', output)
    expect([made.status, made.stderr]).toEqual([0, ''])
    expect(made.stdout).toContain(`${output} was written`)
    const { status, stdout, stderr } = await heddle('run', '-v', '--allow-outside', output)
    expect([status, stderr]).toEqual([0, ''])
    expect(stdout).toContain(draws)
  })

  it('have a vertex shader, and one shader of each stage', async () => {
    const twice = await heddle('init', scene('grid', 'vs'), scene('tess', 'vs'), '--json')
    expect([twice.status, twice.stderr]).toEqual([2, expect.stringContaining('two vertex shaders are given')])
  })

  it('have formats by the types of the signatures, and places that make a triangle', async () => {
    const { stdout } = await heddle('init', scene('grid', 'vs'), scene('grid', 'ps'), '--json')
    const [{ description }] = JSON.parse(stdout)
    const [pipeline] = Object.values<{ inputLayout: { semanticName: string; format: string }[] }>(description.pipelines)
    expect(pipeline!.inputLayout[0]).toEqual({ semanticName: 'POSITION', format: 'R32G32B32_FLOAT' })
    const places = description.resources.vertices.floats.map((v: number[]) => v.slice(0, 3))
    expect(places).toEqual([
      [-0.8, -0.8, 0.5],
      [-0.8, 0.8, 0.5],
      [0.8, -0.8, 0.5],
    ])
  })
})

describe('descriptions made from the corpus', () => {
  const engine = createReferenceEngine({})
  const host = createHost({ folder: CORPUS_FOLDER })

  it('are complete and can be prepared, for every compute shader', () => {
    const wrong: string[] = []
    let count = 0
    for (const { name } of corpusFiles()) {
      if (!name.startsWith('cs/')) continue
      const shader = loadShader({ file: `${name}.dxbc`, entry: 'main', profile: 'cs_5_0', path: '' }, host).value
      if (shader === undefined) continue
      const made = jobTemplate(shader, name, `${name}.dxbc`)
      const job = made.value === undefined ? undefined : parseJob(made.value)
      const prepared = job?.value === undefined ? undefined : prepareJob(job.value, host, engine)
      if (prepared?.value !== undefined) count++
      for (const d of [made, job, prepared].flatMap((outcome) => outcome?.diagnostics ?? []))
        if (d.severity === 'error' && d.code !== 'engine-stage') wrong.push(`${name}: ${d.message}`)
    }
    expect(wrong).toEqual([])
    expect(count).toBeGreaterThan(150)
  })

  it('are complete and can be prepared, for every graphics shader with stages around it', () => {
    const wrong: string[] = []
    let count = 0
    for (const { name } of corpusFiles()) {
      const made = /^(?:vs|hs|ds|gs|ps)\//.test(name) ? companionFrame(name) : undefined
      if (made === undefined) continue
      count++
      const parsed = parseFrame(made.job)
      const prepared = parsed.value === undefined ? parsed : prepareFrame(parsed.value, memoryHost(made.files), engine)
      const found = [...parsed.diagnostics, ...prepared.diagnostics]
      const errors = found.filter((d) => d.severity === 'error').map((d) => `${d.code}: ${d.message}`)
      if (errors.length > 0) wrong.push(`${name}: ${errors.join('; ')}`)
    }
    expect(wrong).toEqual([])
    expect(count).toBeGreaterThan(280)
  })

  it('have class instances for interfaces, and a resource for each element of an array that is written', () => {
    const classes = companionFrame('ps/class_linkage.zi')!.job.shaders
    expect(classes).toMatchObject({ pixel: { file: 'own.dxbc', classInstances: { fp0: 'gAmb', fp1: 'gNo' } } })
    const { pipelines } = companionFrame('ps/desc_arrays.zi')!.job as {
      pipelines: Record<string, { bind: { unorderedAccess: Record<string, string | { resource: string }> } }>
    }
    const [pipeline] = Object.values(pipelines)
    const views = Object.values(pipeline!.bind.unorderedAccess)
    const names = views.map((v) => (typeof v === 'string' ? v : v.resource))
    expect(new Set(names).size).toBe(names.length)
    expect(names.length).toBeGreaterThan(4)
  })
})
