import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { passesSelfTest } from '../apps/cli/self-test.ts'
import { tuningOf } from '../apps/cli/tune.ts'
import type { Engine } from '../src/engine/index.ts'
import { createReferenceEngine } from '../src/engine/reference/index.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** V8 13 and later, on x64, have the pass that tuning turns on. */
const canTune = process.arch === 'x64' && Number.parseInt(process.versions.v8, 10) >= 13

/** Flags hold for a whole process, so each run has one of its own. */
function run(args: readonly string[], env: Record<string, string> = {}) {
  const options = { cwd: ROOT, encoding: 'utf8', env: { ...process.env, ...env } } as const
  const main = join(ROOT, 'apps/cli/main.ts')
  const kernel = join(ROOT, 'test/kernels/matmul.small.json')
  return spawnSync(process.execPath, ['--import', 'tsx', main, ...args, kernel], options)
}

function expectTuned(stderr: string): void {
  if (canTune) expect(stderr).toBe('')
  else expect(stderr.match(/nothing to tune in Node v.* \[tune-no-effect\]/g)).toHaveLength(1)
}

describe('the test that tuning begins with', () => {
  test('sees one wrong bit: an engine that keeps denormals does not pass', async () => {
    const reference = createReferenceEngine({})
    const keeps: Engine = { ...reference, load: (p, options) => reference.load(p, { ...options, denormals: 'keep' }) }
    expect(await passesSelfTest(() => reference)).toBe(true)
    expect(await passesSelfTest(() => keeps)).toBe(false)
  })

  test('where it is not passed, that is reported and code is not run', async () => {
    const { failed, pairs, diagnostics } = await tuningOf(true, async () => false)
    expect({ failed, pairs }).toEqual({ failed: true, pairs: false })
    expect(diagnostics.map((d) => d.code)).toEqual(['tune-self-test'])
  })
})

describe('tuning the runtime', () => {
  test('run --tune gives what it must, and says where there is nothing to tune', () => {
    const { status, stdout, stderr } = run(['run', '--tune'])
    expect(stdout).toContain('as expected')
    expect(status).toBe(0)
    expectTuned(stderr)
  })

  test('HEDDLE_TUNE=1 is the same; without either nothing is reported', () => {
    expectTuned(run(['run'], { HEDDLE_TUNE: '1' }).stderr)
    expect(run(['run']).stderr).toBe('')
  })

  test('the reference engine has nothing to do with it', () => {
    const { status, stderr } = run(['run', '--tune', '--engine', 'reference'])
    expect([status, stderr]).toEqual([0, ''])
  })

  test('--fma takes its three modes', () => {
    expect(run(['run', '--fma', 'allow']).status).toBe(0)
    const wrong = run(['run', '--fma', 'sometimes'])
    expect(wrong.status).toBe(2)
    expect(wrong.stderr).toContain('--fma')
  })
})
