/** The workbench of VS Code for browsers, as the package code-server has it: fetched once from the registry of npm. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Of VS Code 1.100, the first version that the extension says it runs in. */
const PACKAGE = 'code-server@4.100.3'
const FOLDER = fileURLToPath(new URL('../../build/workbench', import.meta.url))

/** The folder with `out` and `extensions` of VS Code; HEDDLE_WORKBENCH names an unpacked package of code-server. */
export function workbenchFolder(): string {
  const unpacked = process.env.HEDDLE_WORKBENCH ?? join(FOLDER, 'package')
  const found = join(unpacked, 'lib/vscode')
  if (existsSync(join(found, 'out/nls.messages.js'))) return found
  if (process.env.HEDDLE_WORKBENCH !== undefined) throw new Error(`${found} has no workbench of VS Code`)
  mkdirSync(FOLDER, { recursive: true })
  const packed = execFileSync('npm', ['pack', PACKAGE, '--silent'], { cwd: FOLDER, encoding: 'utf8' }).trim()
  execFileSync('tar', ['xzf', packed.split('\n').at(-1)!], { cwd: FOLDER })
  return found
}
