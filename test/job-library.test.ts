import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { runFrame, runJob } from '../src/host/job.ts'
import { createHost } from '../src/host/node/job-host.ts'
import { memoryHost } from './support/jobs.ts'

const FOLDER = fileURLToPath(new URL('./kernels/', import.meta.url))
const TEXT = readFileSync(`${FOLDER}scan.small.json`, 'utf8')

describe('a run description from the library', () => {
  it.each(['reference', 'wasm'] as const)('runs on %s with files of Node', async (engine) => {
    const report = await runJob(TEXT, createHost({ folder: FOLDER }), { engine })
    expect(report.engine).toBe(engine)
    expect(report.run?.checks.map((c) => c.passed)).toEqual(report.run?.checks.map(() => true))
    expect(report.run?.checks.length).toBeGreaterThan(0)
    expect(report.run?.prepared.resources[0]?.resource?.storage.bytes.length).toBeGreaterThan(0)
  })

  it('is data as well as text, with files from anywhere', async () => {
    const report = await runJob(JSON.parse(TEXT), memoryHost())
    expect(report.run?.checks.every((c) => c.passed)).toBe(true)
  })

  it('says what is wrong instead of throwing', async () => {
    const codes = async (description: unknown) => (await runJob(description)).diagnostics.map((d) => d.code)
    expect(await codes('{')).toEqual(['job-json'])
    expect(await codes(7)).toEqual(['job-wrong-type'])
    expect(await codes(TEXT)).toContain('job-file')
    expect(await codes({ ...JSON.parse(TEXT), engine: 'constructor' })).toEqual(['job-engine'])
  })
})

describe('a frame from the library', () => {
  const folder = fileURLToPath(new URL('./draws/streamout/', import.meta.url))

  it('runs, with what its commands left', async () => {
    const report = await runFrame(readFileSync(`${folder}small.json`, 'utf8'), createHost({ folder }))
    expect(report.run?.checks.map((c) => c.passed)).toEqual([true])
    expect(report.run?.prepared.resources.get('so0')?.resource.byteLength).toBe(24000)
  })

  it('says what is wrong instead of throwing', async () => {
    const codes = async (description: unknown) => (await runFrame(description)).diagnostics.map((d) => d.code)
    expect(await codes('{')).toEqual(['job-json'])
    expect(await codes({ version: 2 })).toEqual(['job-missing-field'])
    expect(await codes(TEXT)).toContain('job-command')
    expect(await codes(readFileSync(`${folder}small.json`, 'utf8'))).toContain('job-file')
  })
})
