/** The tarball of `npm pack`: its files, and a project that has it installed. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../../', import.meta.url))

interface PackedFile {
  readonly path: string
  readonly size: number
}

interface Packed {
  readonly filename: string
  readonly unpackedSize: number
  readonly files: readonly PackedFile[]
}

function npmPack(...args: readonly string[]): Packed {
  const { status, stdout, stderr } = spawnSync('npm', ['pack', '--json', ...args], { cwd: ROOT, encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  return (JSON.parse(stdout) as Packed[])[0]!
}

export const packedFiles = (): Packed => npmPack('--dry-run')

export const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

interface Installed {
  readonly folder: string
  /** The environment with the commands of the project, as `npm run` and `npx` have it. */
  readonly env: NodeJS.ProcessEnv
}

/** An empty project into which the tarball was unpacked. Its dependencies are links, so that no network is needed. */
export function installPacked(): Installed {
  const folder = mkdtempSync(join(tmpdir(), 'heddle-installed-'))
  const { filename } = npmPack('--pack-destination', folder)
  const modules = join(folder, 'node_modules')
  mkdirSync(join(modules, 'heddle'), { recursive: true })
  mkdirSync(join(modules, '.bin'))
  const { status, stderr } = spawnSync(
    'tar',
    ['-xzf', join(folder, filename), '-C', join(modules, 'heddle'), '--strip-components=1'],
    { encoding: 'utf8' },
  )
  if (status !== 0) throw new Error(stderr)
  const manifest = JSON.parse(readFileSync(join(modules, 'heddle/package.json'), 'utf8'))
  for (const name of Object.keys(manifest.dependencies))
    symlinkSync(join(ROOT, 'node_modules', name), join(modules, name))
  symlinkSync('../heddle/dist/bin/main.js', join(modules, '.bin/heddle'))
  const path = `${join(modules, '.bin')}:${process.env.PATH}`
  const { NO_COLOR: _, ...environment } = process.env
  return { folder, env: { ...environment, PATH: path } }
}
