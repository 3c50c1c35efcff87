// Makes the reference of the public face from its docstrings: npm run docs:api, then open site/index.html.
// typedoc works with TypeScript 6 at most, and the package is built with 7: it gets the one installed as typescript-6.

import { readFileSync } from 'node:fs'
import { register } from 'node:module'
import { fileURLToPath } from 'node:url'

const hook = `export const resolve = (name, context, next) => next(name === 'typescript' ? 'typescript-6' : name, context)`
register(`data:text/javascript,${encodeURIComponent(hook)}`, import.meta.url)

const root = fileURLToPath(new URL('../', import.meta.url))
const { name, exports } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))
/** Doors by their file in src, without its ending. */
const doors = new Map(
  Object.entries(exports).flatMap(([key, e]) =>
    typeof e === 'string' ? [] : [[e.types.replace('./dist/', '').replace('.d.ts', ''), name + key.slice(1)]],
  ),
)

const { Application } = await import('typedoc')
const app = await Application.bootstrap({
  name: 'Heddle',
  entryPoints: [...doors.keys()].map((file) => `${root}src/${file}.ts`),
  tsconfig: `${root}tsconfig.build.json`,
  // Types are checked by TypeScript 7.
  skipErrorChecking: true,
  readme: `${root}README.md`,
  excludePrivate: true,
  excludeInternal: true,
  // Types that no door exports; api/*.txt list them.
  validation: { notExported: false, invalidLink: true, invalidPath: false },
  gitRevision: 'main',
  disableSources: true,
  out: `${root}site`,
})
const project = await app.convert()
if (project === undefined) process.exit(1)
for (const module of project.children ?? []) module.name = doors.get(module.name) ?? module.name
app.validate(project)
await app.generateOutputs(project)
process.exit(app.logger.hasErrors() ? 1 : 0)
