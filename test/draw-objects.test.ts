import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

// Objects that draws make list their members: V8 makes a new map for a member added behind a spread, and compiles whatever reads the object
// again (CONTRIBUTING.md). Those of the rooms that draws run through are listed here, by why they stay.

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const ROOMS = ['src/pipeline', 'src/engine/wasm/run']

const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  'once for a shader or a variant of it': [
    'src/engine/wasm/run/engine.ts ...arithmeticOf ...fast ...fusing ...made ...made.value ...maps',
    'src/engine/wasm/run/kernel.ts ...options ...s',
    'src/engine/wasm/run/stages/stage-shader.ts ...builderOptions ...maps',
  ],
  'once for a pipeline': [
    'src/pipeline/draw/pixel-shader-of.ts ...pixel',
    'src/pipeline/input/layout.ts ...d',
    'src/pipeline/pixels/link-inputs.ts ...source',
  ],
  'once for a program, where its code is made': [
    'src/pipeline/merge/approximate-sums.ts ...BETWEEN ...b ...inner',
    'src/pipeline/pixels/approximate/approximate-runs.ts ...SAME',
    'src/pipeline/pixels/approximate/fast-runs.ts ...UNBOUNDED ...primitive ...quad ...row',
    'src/pipeline/pixels/jobs/depth-jobs.ts ...samples',
    'src/pipeline/pixels/inputs.ts ...ofPrimitive ...pixels',
    'src/pipeline/pixels/rows-of-quads.ts ...others ...planes',
  ],
  'once for the module': ['src/pipeline/pixels/quads.ts ...QUAD_MEMORY.found'],
  'findings and results, which callers read': [
    'src/engine/wasm/run/stages/batch-execution.ts ...result',
    'src/engine/wasm/run/engine.ts ...result',
    'src/engine/wasm/run/stages/joined-execution.ts ...place ...result ...this.finish',
    'src/pipeline/draw/draw.ts ...d ...result',
    'src/pipeline/streams/stream-output.ts ...d',
  ],
  'only replaces members': [
    'src/engine/wasm/run/decoded/decoded-textures.ts ...copy.allocation ...copy.view ...s ...view',
    'src/engine/wasm/run/descriptor.ts ...view',
    'src/pipeline/front/front-work.ts ...b ...e ...source ...state',
    'src/pipeline/front/staged-output.ts ...points',
    'src/pipeline/front/worker.ts ...tiles',
    'src/pipeline/input/fetch.ts ...at',
    'src/pipeline/merge/blend.ts ...t',
    'src/pipeline/pixels/sample-tests.ts ...given',
    'src/pipeline/pixels/stage.ts ...linkage',
    'src/pipeline/raster/cover-line.ts ...range',
    'src/pipeline/stages/draw-parts.ts ...arrays',
    'src/pipeline/stages/hull-stage.ts ...input.places',
    'src/pipeline/stages/tessellation-stage.ts ...places',
    'src/pipeline/tiles/band-tiles.ts ...WHOLE',
    'src/pipeline/tiles/pixel-setup.ts ...given ...s ...view',
    'src/pipeline/tiles/plain-text.ts ...value',
    'src/pipeline/tiles/raster-stage.ts ...p',
    'src/pipeline/tiles/tile-work.ts ...given',
    'src/pipeline/tiles/waiting-triangles.ts ...box',
  ],
  'once for a draw, a stage or an edge of it, which has not been measured alone': [
    'src/engine/wasm/run/engine.ts ... ...prepared.value',
    'src/engine/wasm/run/pipeline.ts ...texels',
    'src/engine/wasm/run/stages/shared-entries.ts ...seen',
    'src/pipeline/draw/draw.ts ...own ...r.bindings ...r.unorderedAccess',
    'src/pipeline/draw/pixel-setup-of.ts ...sampleMasks',
    'src/pipeline/front/worker.ts ...ends',
    'src/pipeline/raster/cover-conservatively.ts ...e',
    'src/pipeline/stage-runner.ts ... ...columns',
    'src/pipeline/surfaces/clear.ts ... ...row',
  ],
}

/** Programs of quads, which are kept for their state, and checks and defaults of pipelines. */
const NOT_OF_DRAWS =
  /(?:-(?:program|words)|\/(?:depth-bounds|joined-quads|triangle-quads|tested-jobs|column-code|resolve-state|check-\w+))\.ts$/

/** What is no code, and may have any brackets. */
const COMMENT = /\/\*[\s\S]*?\*\/|\/\/[^\n]*/
const STRING = /'(?:[^'\\\n]|\\.)*'/
const TEMPLATE = /`(?:[^`\\$]|\\.|\$(?!\{)|\$\{[^`}]*\})*`/
const PATTERN = /(?<=[(=:,] ?)\/(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\//
const NO_CODE = new RegExp([COMMENT, STRING, TEMPLATE, PATTERN].map((p) => p.source).join('|'), 'g')

const blanked = (text: string): string => text.replace(NO_CODE, (s) => s.replace(/[^\n]/g, ' '))

/** The expressions that objects of a text are spread from; those of patterns, arrays and calls are left out. */
function objectSpreads(given: string): string[] {
  const text = blanked(given)
  const open: { readonly bracket: string; readonly spreads: string[] }[] = []
  const found: string[] = []
  for (let i = 0; i < text.length; i++) {
    const c = text[i]!
    if ('([{'.includes(c)) open.push({ bracket: c, spreads: [] })
    else if (')]}'.includes(c)) {
      const { spreads } = open.pop() ?? { spreads: [] }
      // A pattern stands before what it takes apart, or before its type.
      if (!/^(?: = |: |\) =>)/.test(text.slice(i + 1, i + 6))) found.push(...spreads)
    } else if (text.startsWith('...', i)) {
      const inner = open.at(-1)
      if (inner?.bracket === '{') inner.spreads.push(/^\.\.\.[\w.#]*/.exec(text.slice(i))![0])
      i += 2
    }
  }
  return found
}

const sources = ROOMS.flatMap((room) =>
  readdirSync(join(ROOT, room), { recursive: true, withFileTypes: true })
    .filter((e) => e.isFile() && e.name.endsWith('.ts') && !e.name.endsWith('.test.ts'))
    .map((e) => join(e.parentPath, e.name)),
)

/**
 * Functions that become properties where they are made: V8 makes these in the old generation, where they keep all that they see, dead or not,
 * up to the next collection of everything. Functions with a name of their own, methods and arguments are made like other objects.
 */
function functionProperties(given: string): string[] {
  const text = blanked(given)
  const found: string[] = []
  let open = ''
  const depthAt: string[] = []
  for (let i = 0; i < text.length; i++) {
    if ('([{'.includes(text[i]!)) open += text[i]
    else if (')]}'.includes(text[i]!)) open = open.slice(0, -1)
    depthAt[i] = open
  }
  const isFunction = String.raw`(?:async )?(?:\([^()]*\)(?:: [^=;,(){}]+)?|\w+) =>`
  const assigned = new RegExp(String.raw`[\w\])]\.(#?\w+) (?:\?\?)?= ${isFunction}`, 'g')
  for (const { index, 1: name } of text.matchAll(assigned)) if (depthAt[index]!.includes('{')) found.push(name!)
  const member = new RegExp(String.raw`(?<=[{,]\s*)(\w+): ${isFunction}`, 'g')
  for (const { index, 1: name } of text.matchAll(member))
    if (isInFunction(text, depthAt[index]!, index)) found.push(name!)
  const getter = /(?<=,\s*)get (\w+)\(\) \{/g
  for (const { index, 1: name } of text.matchAll(getter)) if (depthAt[index]!.endsWith('{')) found.push(name!)
  return found
}

/** Tables of a module are made once. Parameters stand in parentheses, and members of types end their lines without a comma. */
const isInFunction = (text: string, open: string, at: number): boolean =>
  open.length > 1 && open.endsWith('{') && !/=> [\w.<>[\]| ]+$/.test(text.slice(at, text.indexOf('\n', at)))

const FUNCTIONS: Readonly<Record<string, readonly string[]>> = {
  'once for an engine': [
    'src/engine/wasm/run/engine.ts heartbeat',
    'src/engine/wasm/run/workers/spawn.ts hasEnded',
    'src/engine/wasm/run/workers/spawn.ts terminate',
    'src/pipeline/pool.ts acquire',
  ],
  'once for a program, where its code is made': [
    'src/engine/wasm/run/kernel.ts returnsWord',
    ...[
      'add',
      'blendFactor',
      'destination',
      'extreme',
      'multiply',
      'number',
      'scaled',
      'source',
      'source1',
      'subtract',
    ].map((name) => `src/pipeline/merge/approximate-sums.ts ${name}`),
    'src/pipeline/merge/approximate-store.ts blendFactor',
    'src/pipeline/merge/approximate-store.ts scaled',
    'src/pipeline/pixels/approximate/approximate-codes.ts store',
    'src/pipeline/pixels/approximate/approximate-runs.ts inputOf',
    'src/pipeline/pixels/approximate/approximate-runs.ts scaledInputOf',
    'src/pipeline/pixels/approximate/fast-runs.ts float',
    'src/pipeline/pixels/rows-of-quads.ts word',
  ],
}

it('finds functions that become properties, and no others', () => {
  const text = `
const TABLE = { LESS: (a, b) => a < b }
interface Given {
  readonly isLost: () => boolean
}
class Stage {
  readonly #take = (p: number): void => this.add(p)
  constructor(o: Given, isLost: () => boolean) {
    this.#compile = () => o
    this.flush ??= (x: number): void => o.add(x)
    const named = (): number => 1
    this.#named = named
    this.#sum = o.list.map((x) => x)
    run({ named, add: (x: number): number => x, method() {} }, (x) => x)
    return { named, get count() { return 1 }, end: async () => 2 }
  }
  get count(): number {
    return 1
  }
}
`
  expect(functionProperties(text)).toEqual(['#compile', 'flush', 'add', 'end', 'count'])
})

it('draws make no functions as properties, but for those that are listed', () => {
  const found = sources
    .filter((path) => !NOT_OF_DRAWS.test(path))
    .flatMap((path) => functionProperties(readFileSync(path, 'utf8')).map((name) => `${relative(ROOT, path)} ${name}`))
  expect([...new Set(found)].sort()).toEqual(Object.values(FUNCTIONS).flat().sort())
})

it('draws make no objects by spreads, but for those that are listed', () => {
  const found = sources
    .filter((path) => !NOT_OF_DRAWS.test(path))
    .flatMap((path) => objectSpreads(readFileSync(path, 'utf8')).map((spread) => `${relative(ROOT, path)} ${spread}`))
  const allowed = Object.values(ALLOWED).flatMap((lines) =>
    lines.flatMap((line) => {
      const [path, ...spreads] = line.split(' ')
      return spreads.map((spread) => `${path} ${spread}`)
    }),
  )
  expect([...new Set(found)].sort()).toEqual(allowed.sort())
})

it('spreads are found in objects alone', () => {
  const text = `const made = { ...one, x: [...two], y: f(...three), z: { ...four.five } }
const { a, ...rest } = made // { ...comment }
const take = ({ b, ...others }: Made) => ({ ...others, text: '{ ...no }' })
const chosen = is ? { ...first } : { ...second }
`
  expect(objectSpreads(text)).toEqual(['...four.five', '...one', '...others', '...first', '...second'])
})
