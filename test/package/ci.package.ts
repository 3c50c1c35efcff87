import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { parseDocument } from 'yaml'
import { installPacked, ROOT, textOf } from './packed.ts'

const { folder, env } = installPacked()
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The YAML blocks of the page, by their first key. */
const BLOCKS = [...textOf('docs/ci.md').matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text]) => text!)

function parsed(text: string) {
  const document = parseDocument(text, { strict: true, uniqueKeys: true })
  expect([...document.errors, ...document.warnings]).toEqual([])
  return document.toJS()
}

/** Descriptions that a corpus of five has: the fourth does not leave what it should. */
beforeEach(() => {
  rmSync(join(folder, 'tests'), { recursive: true, force: true })
  mkdirSync(join(folder, 'tests'))
  const lines = ['cs_5_0', 'dcl_uav_raw u0', 'dcl_thread_group 1, 1, 1', 'store_raw u0.x, l(0), l(7)', 'ret', '']
  writeFileSync(join(folder, 'tests/seven.asm'), lines.join('\n'))
  for (let i = 0; i < 5; i++) {
    const check = [{ slot: 'u0', words: [i === 3 ? 8 : 7] }]
    const job = { shader: 'seven.asm', dispatch: [1, 1, 1], resources: [{ slot: 'u0', kind: 'raw', size: 4 }], check }
    writeFileSync(join(folder, `tests/${i}.job.json`), JSON.stringify(job))
  }
})

/** Runs a command as printed, as a CI does. */
function run(command: string, variables: Readonly<Record<string, string>> = {}) {
  return spawnSync('bash', ['-e', '-o', 'pipefail', '-c', command], {
    cwd: folder,
    env: { ...env, ...variables },
    encoding: 'utf8',
  })
}

const isHeddle = (command: string): boolean => command.startsWith('heddle')
const read = (path: string): string => readFileSync(join(folder, path), 'utf8')

describe('the page on CI', () => {
  it('has YAML that a parser takes', () => {
    expect(BLOCKS.length).toBe(4)
    for (const block of BLOCKS) expect(parsed(block)).toBeTypeOf('object')
  })

  it('GitHub: the matrix and its merge do what they say', () => {
    const { part, whole } = parsed(BLOCKS[1]!).jobs
    const [command] = part.steps.map((s: { run?: string }) => s.run ?? '').filter(isHeddle)
    const shards: number[] = part.strategy.matrix.shard
    const codes = shards.map((shard) => run(command.replaceAll(`$\{{ matrix.shard }}`, String(shard))).status)
    expect(codes).toEqual([0, 0, 0, 1])
    const [merge] = whole.steps.map((s: { run?: string }) => s.run ?? '').filter(isHeddle)
    expect(run(merge)).toMatchObject({ status: 1, stderr: '' })
    expect(read('run.xml')).toContain('<testsuite name="heddle run" tests="5" failures="1"')
  })

  it('GitLab: the parallel jobs and their merge do what they say', () => {
    const { part, whole } = parsed(BLOCKS[2]!)
    for (let i = 1; i <= part.parallel; i++) {
      const variables = { CI_NODE_INDEX: String(i), CI_NODE_TOTAL: String(part.parallel) }
      expect(run(part.script.find(isHeddle), variables).status).toBe(i === 4 ? 1 : 0)
    }
    expect(run(whole.script.find(isHeddle)).status).toBe(1)
    expect(read(whole.artifacts.reports.junit)).toContain('tests="5" failures="1"')
  })

  it('Kubernetes: the pods of the job do their part, and their reports merge', () => {
    const { spec } = parsed(BLOCKS[3]!)
    const [container] = spec.template.spec.containers
    const [shell, flag, command] = container.command
    mkdirSync(join(folder, 'reports'))
    const variables = Object.fromEntries(container.env.map((e: { name: string; value: string }) => [e.name, e.value]))
    expect(variables.JOB_COMPLETIONS).toBe(String(spec.completions))
    for (let i = 0; i < spec.completions; i++) {
      const text = command.replaceAll('/reports/', 'reports/')
      const ended = spawnSync(shell, [flag, text], {
        cwd: folder,
        env: { ...env, ...variables, JOB_COMPLETION_INDEX: String(i) },
      })
      expect(ended.status).toBe(0)
    }
    const [merge] = /^ {4}(heddle merge reports .*)$/m.exec(textOf('docs/ci.md'))!.slice(1)
    expect(run(merge!)).toMatchObject({ status: 0, stderr: '' })
    expect(read('check.xml')).toContain('<testsuite name="heddle check" tests="5" failures="0"')
  })
})

describe('the action', () => {
  const action = parsed(textOf('action.yml'))
  const [install, heddle] = action.runs.steps

  it('names what it takes, and uses all of it', () => {
    expect(action.runs.using).toBe('composite')
    const used = JSON.stringify(action.runs)
      .match(/inputs\.\w+/g)!
      .map((s) => s.slice('inputs.'.length))
    expect(new Set(used)).toEqual(new Set(Object.keys(action.inputs)))
    // Inputs stand in the environment only: in a script they would be commands.
    for (const { run: script, shell } of action.runs.steps) {
      expect(shell).toBe('bash')
      expect(script).not.toContain(`$\{{`)
      expect(spawnSync('bash', ['-n', '-c', script]).status).toBe(0)
    }
    expect(install.run).toContain('npm run build')
  })

  it('runs the command as GitHub would', () => {
    const inputs = {
      VERB: 'run',
      FILES: 'tests/[1-3].job.json',
      ARGUMENTS: '-q --jobs 1',
      SHARD: '',
      JUNIT: 'a b.xml',
      SARIF: '',
    }
    const variables = Object.fromEntries(Object.entries(inputs).map(([name, value]) => [`HEDDLE_${name}`, value]))
    expect(Object.keys(heddle.env).sort()).toEqual(Object.keys(variables).sort())
    const ended = run(heddle.run, variables)
    expect(ended.status).toBe(1)
    expect(ended.stdout).toMatch(/^::error .*file=tests\/3\.job\.json/m)
    expect(read('a b.xml')).toContain('tests="3" failures="1"')
    const injected = run(heddle.run, {
      ...variables,
      HEDDLE_FILES: '$(touch injected)',
      HEDDLE_ARGUMENTS: '; touch injected',
    })
    expect(injected.status).toBe(2)
    expect(existsSync(join(folder, 'injected'))).toBe(false)
  })

  it('installs from a built copy of its repository', () => {
    const bin = join(folder, 'fake')
    mkdirSync(bin)
    cpSync(join(ROOT, 'package.json'), join(folder, 'source/package.json'))
    writeFileSync(
      join(bin, 'npm'),
      '#!/bin/sh\necho "$PWD: npm $*" >> "$LOG"\n[ "$1" = pack ] && echo heddle-0.1.0.tgz\nexit 0\n',
      { mode: 0o755 },
    )
    const variables = {
      LOG: join(folder, 'log'),
      PATH: `${bin}:${env.PATH}`,
      HEDDLE_PACKAGE: '',
      HEDDLE_SOURCE: join(folder, 'source'),
    }
    expect(run(install.run, variables).status).toBe(0)
    expect(run(install.run, { ...variables, HEDDLE_PACKAGE: 'tools/x.tgz' }).status).toBe(0)
    const calls = read('log')
      .trim()
      .split('\n')
      .map((line) => line.replace(`${folder}/`, '').replace(folder, '.'))
    expect(calls).toEqual([
      'source: npm ci --no-audit --no-fund',
      'source: npm run build',
      'source: npm pack --silent',
      'source: npm install --global --no-audit --no-fund heddle-0.1.0.tgz',
      '.: npm install --global --no-audit --no-fund tools/x.tgz',
    ])
  })
})
