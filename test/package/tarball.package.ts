import { spawnSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { installPacked, packedFiles, textOf } from './packed.ts'

const { files, unpackedSize } = packedFiles()
const PATHS: ReadonlySet<string> = new Set(files.map((f) => f.path))
const paths = [...PATHS]

/** What each kind of file is for; a file that no rule knows has no reason to be there. */
const RULES: readonly RegExp[] = [
  /^(?:package\.json|README\.md|LICENSE|CHANGELOG\.md)$/,
  /^man\/heddle\.1$/,
  /^schema\/job\.schema\.json$/,
  /^docs\/[\w-]+\.md$/,
  /^dist\/isa\.json$/,
  /^dist\/[\w/-]+\.(?:d\.ts|js)$/,
]

/** What the pages link to that only the repository has. */
const IN_REPOSITORY = /^(?:examples|bench|docs\/decisions|docs\/page\.md|docs\/architecture\.md|docs\/ir\.md)/

const importsIn = (path: string): string[] =>
  [...textOf(path).matchAll(/(?:\bfrom ?|\bimport ?\(?|\bnew URL\()['"](\.[^'"]+)['"]/g)].map(([, s]) => {
    const meant = normalize(join(dirname(path), s!))
    return path.endsWith('.d.ts') ? meant.replace(/\.(?:js|ts)$/, '.d.ts') : meant
  })

const linksIn = (path: string): string[] =>
  [...textOf(path).matchAll(/(?:\]\(|\bsrc=")(?![a-z]+:|#)([^)#"]+)/g)].map(([, to]) =>
    normalize(join(dirname(path), to!)),
  )

interface Manifest {
  readonly bin: Record<string, string>
  readonly exports: Record<string, string | Record<string, string>>
}

function doors(): string[] {
  const { bin, exports } = JSON.parse(textOf('package.json')) as Manifest
  const all = [...Object.values(bin), ...Object.values(exports)]
  return all.flatMap((door) => (typeof door === 'string' ? [door] : Object.values(door))).map(normalize)
}

/** Modules that are loaded by a path put together while running. */
const LOADED_BY_PATH = ['dist/bin/tune.js', 'dist/bin/draw-worker.js']

describe('what npm pack leaves', () => {
  it('is what the rules know', () => {
    expect(paths.filter((p) => !RULES.some((rule) => rule.test(p)))).toEqual([])
    expect(paths.filter((p) => /\.test\.|\.map$/.test(p))).toEqual([])
  })

  it('has every file that it exports, and every module that these import', () => {
    expect(doors().filter((d) => !PATHS.has(d))).toEqual([])
    const modules = paths.filter((p) => /^dist\/.*\.(?:js|d\.ts)$/.test(p))
    const missing = modules.flatMap((p) =>
      importsIn(p)
        .filter((to) => !PATHS.has(to))
        .map((to) => `${p}: ${to}`),
    )
    expect(missing).toEqual([])
  })

  it('has no module and no declaration that nothing names', () => {
    const named = new Set([...doors(), ...LOADED_BY_PATH])
    for (const p of paths.filter((p) => /^dist\/.*\.(?:js|d\.ts)$/.test(p)))
      for (const to of importsIn(p)) named.add(to)
    expect(paths.filter((p) => p.startsWith('dist/') && !named.has(p))).toEqual([])
  })

  it('has no source maps, and nothing that asks for one', () => {
    expect(paths.filter((p) => /\.(?:js|ts)$/.test(p) && textOf(p).includes('sourceMappingURL='))).toEqual([])
  })

  it('has the pages that lead on from README, and links that lead somewhere', () => {
    const pages = paths.filter((p) => p.startsWith('docs/'))
    const reached = new Set<string>()
    const visit = (path: string): void => {
      if (reached.has(path) || !PATHS.has(path)) return
      reached.add(path)
      if (path.endsWith('.md')) linksIn(path).forEach(visit)
    }
    visit('README.md')
    expect(pages.filter((p) => !reached.has(p))).toEqual([])
    const lost = paths
      .filter((p) => p.endsWith('.md'))
      .flatMap((p) =>
        linksIn(p)
          .filter((to) => !PATHS.has(to) && !IN_REPOSITORY.test(to))
          .map((to) => `${p}: ${to}`),
      )
    expect(lost).toEqual([])
  })

  it('stays below 10 MB', () => {
    expect(unpackedSize).toBeLessThan(10_000_000)
  })
})

describe('the package, installed in an empty folder', () => {
  const { folder, env } = installPacked()
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const run = (command: string, ...args: readonly string[]) =>
    spawnSync(command, args, { cwd: folder, env, encoding: 'utf8' })

  const LISTING = ['cs_5_0', 'dcl_uav_raw u0', 'dcl_thread_group 1, 1, 1', 'store_raw u0.x, l(0), l(7)', 'ret', '']

  it('has the command, which assembles, runs and checks', () => {
    writeFileSync(join(folder, 'seven.asm'), LISTING.join('\n'))
    expect(run('heddle', 'asm', 'seven.asm', '-o', 'seven.dxbc')).toMatchObject({ status: 0 })
    const ran = run('heddle', 'run', 'seven.dxbc', '--dispatch', '1', '--uav', 'u0=raw:4', '--print', 'u0')
    expect(ran).toMatchObject({ status: 0 })
    expect(ran.stdout).toContain('0x00000007')
    const checked = run('heddle', 'check', 'seven.dxbc', '--dispatch', '1', '--uav', 'u0=raw:4')
    expect(checked).toMatchObject({ status: 0 })
  })

  it('has its exports', () => {
    const names = Object.keys((JSON.parse(textOf('package.json')) as Manifest).exports)
    // Matchers for vitest need vitest; JSON needs another form of import.
    const modules = names.filter((n) => !n.endsWith('.json') && !n.includes('vitest')).map((n) => `heddle${n.slice(1)}`)
    const lines = modules.map((m) => `if (Object.keys(await import('${m}')).length === 0) throw new Error('${m}')`)
    writeFileSync(join(folder, 'imports.mjs'), lines.join('\n'))
    expect(run(process.execPath, 'imports.mjs')).toMatchObject({ status: 0, stderr: '' })
    expect(modules.length).toBeGreaterThan(5)
  })
})
