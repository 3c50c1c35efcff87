// The examples as their users would run them: each one that is a project is copied to a folder of its own, gets its
// dependencies as links (no network is needed), and runs `npm test`; the run descriptions of the others are run.
// Needs the build. Usage: node scripts/run-examples.mjs
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const EXAMPLES = join(ROOT, 'examples')
const CLI = join(ROOT, 'dist/bin/main.js')

if (!existsSync(CLI)) {
  console.error('the build is missing: npm run build')
  process.exit(2)
}

/** Where a dependency of an example is: this package itself, or one that the repository has installed. */
function sourceOf(name) {
  return name === 'heddle' ? ROOT : join(ROOT, 'node_modules', name)
}

/** The files that a package puts on the path, by command. */
function commandsOf(name) {
  const { bin = {} } = JSON.parse(readFileSync(join(sourceOf(name), 'package.json'), 'utf8'))
  return Object.entries(typeof bin === 'string' ? { [name]: bin } : bin)
}

/** What `npm install` would make, as links: packages, and their commands. */
function linkDependencies(folder) {
  const { dependencies = {}, devDependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const modules = join(folder, 'node_modules')
  mkdirSync(join(modules, '.bin'), { recursive: true })
  for (const name of Object.keys({ ...dependencies, ...devDependencies })) {
    symlinkSync(sourceOf(name), join(modules, name), 'junction')
    for (const [command, file] of commandsOf(name)) {
      const script = `#!/bin/sh\nexec "${process.execPath}" "${join(sourceOf(name), file)}" "$@"\n`
      writeFileSync(join(modules, '.bin', command), script, { mode: 0o755 })
    }
  }
}

function runProject(example) {
  const folder = mkdtempSync(join(tmpdir(), 'heddle-example-'))
  try {
    cpSync(join(EXAMPLES, example), folder, { recursive: true, filter: (path) => !path.endsWith('node_modules') })
    linkDependencies(folder)
    return (
      spawnSync('npm', ['test'], { cwd: folder, stdio: 'inherit', shell: process.platform === 'win32' }).status === 0
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function runDescriptions(example) {
  const jobs = readdirSync(join(EXAMPLES, example), { recursive: true }).filter((f) => f.endsWith('.job.json'))
  if (jobs.length === 0) return true
  const paths = jobs.map((f) => join(EXAMPLES, example, f))
  return spawnSync(process.execPath, [CLI, 'run', ...paths], { stdio: 'inherit' }).status === 0
}

const names = readdirSync(EXAMPLES, { withFileTypes: true })
  .filter((e) => e.isDirectory())
  .map((e) => e.name)
const failed = names.filter((name) => {
  console.log(`\nexample ${name}`)
  return !(existsSync(join(EXAMPLES, name, 'package.json')) ? runProject(name) : runDescriptions(name))
})
console.log(failed.length === 0 ? `\n${names.length} examples ran` : `\nexamples that failed: ${failed.join(', ')}`)
process.exit(names.length === 0 || failed.length > 0 ? 1 : 0)
