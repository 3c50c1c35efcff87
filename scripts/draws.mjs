// The scenes of test/draws: `npm run draws [-- small|scene] [name...]` runs them through `heddle run` and prints statistics of each draw.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../test/draws/', import.meta.url))
const main = fileURLToPath(new URL('../dist/bin/main.js', import.meta.url))
const [first, ...rest] = process.argv.slice(2)
const size = first === 'small' ? 'small' : 'scene'
const wanted = first === undefined || first === 'small' || first === 'scene' ? rest : [first, ...rest]
const names = readdirSync(folder).filter((name) => existsSync(`${folder}${name}/${size}.json`))
const files = names.filter((n) => wanted.length === 0 || wanted.includes(n)).map((n) => `${folder}${n}/${size}.json`)
if (files.length === 0) {
  console.error(`no scene has such a name; there are ${names.join(', ')}`)
  process.exit(2)
}
const { status } = spawnSync(process.execPath, [main, 'run', '-v', '--max-time', '0', ...files], { stdio: 'inherit' })
process.exit(status ?? 2)
