/** Mutations of valid frames, for a test and a script: whatever a description says, running it answers, in time and with places. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { hasErrors } from '../../src/diagnostic/index.ts'
import { createReferenceEngine } from '../../src/engine/reference/index.ts'
import { createHost } from '../../src/host/node/job-host.ts'
import { type JobHost, parseDescription, runFrameOn } from '../../src/job/index.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

export interface BaseFrame {
  readonly name: string
  readonly value: unknown
  readonly host: JobHost
}

/** A host that writes nothing. */
function readingHost(folder: string): JobHost {
  return { ...createHost({ folder }), writeFile: () => undefined }
}

function frameAt(folder: string, file: string): BaseFrame {
  return { name: file, value: JSON.parse(readFileSync(join(folder, file), 'utf8')), host: readingHost(folder) }
}

/** The small scenes, and the examples of drawing. */
export function baseFrames(): BaseFrame[] {
  const draws = join(ROOT, 'test/draws')
  const examples = join(ROOT, 'examples/drawing')
  const scenes = readdirSync(draws, { withFileTypes: true }).filter((e) => e.isDirectory())
  const jobs = readdirSync(examples).filter((f) => f.endsWith('.job.json'))
  return [...scenes.map((e) => frameAt(join(draws, e.name), 'small.json')), ...jobs.map((f) => frameAt(examples, f))]
}

/** Random numbers of a seed (xorshift32). */
export function randomOf(seed: number): (below: number) => number {
  let x = seed >>> 0 || 1
  return (below) => {
    x ^= x << 13
    x ^= x >>> 17
    x = (x ^ (x << 5)) >>> 0
    return x % below
  }
}

/** Numbers that are small, or at and beyond limits: what lies between would only take memory and time. */
const NUMBERS = [0, -1, 1, 1.5, 2, 3, 4, 16, 17, 31, 128, 0xffff, 2 ** 31, 0xffffffff, 2 ** 32, 2 ** 40, 1e308, -0]
const TEXTS = [
  '',
  'vb',
  'ib',
  'rt0',
  'ds',
  'picture',
  'depth',
  'main',
  'x',
  'R32_UINT',
  'R8G8B8A8_UNORM',
  'BC7_UNORM',
  'D32_FLOAT',
]
const WORDS = [
  'NONE',
  'ALWAYS',
  'ZERO',
  'LINELIST',
  'POINTLIST',
  '3_CONTROL_POINT_PATCHLIST',
  'APPEND',
  'b0',
  't0',
  '__proto__',
  '../x',
]
const OTHERS = [null, true, false, [], {}, [1, 2, 3, 4], { kind: 'zero' }, { resource: 'picture' }, { buffer: 'vb' }]
const VALUES: readonly unknown[] = [...NUMBERS, ...TEXTS, ...WORDS, ...OTHERS]

type Step = string | number

/** Every place of a JSON value; long lists of numbers count once. */
function places(v: unknown, path: readonly Step[] = []): (readonly Step[])[] {
  if (typeof v !== 'object' || v === null) return [path]
  const isLong = Array.isArray(v) && v.length > 8
  const inner = Object.entries(v)
    .slice(0, isLong ? 2 : undefined)
    .flatMap(([k, child]) => places(child, [...path, Array.isArray(v) ? Number(k) : k]))
  return [path, ...inner]
}

function parentOf(root: unknown, path: readonly Step[]): Record<Step, unknown> {
  let at = root as Record<Step, unknown>
  for (const step of path.slice(0, -1)) at = at[step] as Record<Step, unknown>
  return at
}

/** A copy with one to three places changed, removed, doubled, or swapped with another. */
export function mutate(base: unknown, random: (below: number) => number): unknown {
  const copy = structuredClone(base)
  for (let n = 1 + random(3); n > 0; n--) {
    const all = places(copy).filter((p) => p.length > 0)
    const path = all[random(all.length)]!
    const [parent, last] = [parentOf(copy, path), path.at(-1)!]
    const kind = random(8)
    if (kind === 0 && Array.isArray(parent)) parent.splice(Number(last), 1)
    else if (kind === 0) delete parent[last]
    else if (kind === 1 && !Array.isArray(parent)) parent[`${last}x`] = parent[last]
    else if (kind === 2 && Array.isArray(parent)) parent.push(parent[Number(last)])
    else if (kind === 3) {
      const other = all[random(all.length)]!
      parent[last] = structuredClone(parentOf(copy, other)[other.at(-1)!])
    } else if (kind === 4 && typeof parent[last] === 'number') parent[last] = Number(parent[last]) * 2 - 1
    // A copy: a value that a later mutation changed would be another one in the next mutant, or hold itself.
    else parent[last] = structuredClone(VALUES[random(VALUES.length)])
  }
  return copy
}

/** Milliseconds that a mutated frame may run; checking and the end of a part of the work come on top. */
const BUDGET = 60
/** Milliseconds after which a frame counts as one that does not stop. */
const WATCHDOG = 30_000

/** Runs a frame; a sentence where it does not answer as it should. */
export async function problemOf(value: unknown, host: JobHost): Promise<string | undefined> {
  const start = performance.now()
  const { value: parsed, diagnostics } = parseDescription(value)
  if (parsed === undefined) {
    if (!hasErrors(diagnostics)) return 'no value, and no error'
    return diagnostics.some((d) => d.place === undefined)
      ? `without a place: ${JSON.stringify(diagnostics)}`
      : undefined
  }
  if (parsed.kind !== 'frame') return undefined
  const report = await runFrameOn(parsed.frame, host, createReferenceEngine({}), { maxMilliseconds: BUDGET })
  const took = performance.now() - start
  if (took > WATCHDOG) return `it took ${took.toFixed(0)} ms`
  if (report.run !== undefined) return undefined
  if (!hasErrors(report.diagnostics)) return 'refused, and no error'
  const homeless = report.diagnostics.filter((d) => d.severity === 'error' && d.place === undefined)
  return homeless.length === 0 ? undefined : `without a place: ${JSON.stringify(homeless)}`
}

export interface MutationFailure {
  readonly base: string
  readonly index: number
  readonly problem: string
  readonly value: unknown
}

/** Mutates every base in turn, `count` mutants in all; gives those that failed. */
export async function failedMutants(
  seed: number,
  count: number,
  onDone?: (done: number) => void,
): Promise<MutationFailure[]> {
  const bases = baseFrames()
  const failures: MutationFailure[] = []
  for (let index = 0; index < count; index++) {
    const base = bases[index % bases.length]!
    // Each mutant has random numbers of its own, so that one can be run again alone.
    const value = mutate(base.value, randomOf(Math.imul(seed, 0x9e3779b1) + index * 0x85ebca6b))
    try {
      const problem = await problemOf(value, base.host)
      if (problem !== undefined) failures.push({ base: base.name, index, problem, value })
    } catch (e) {
      failures.push({ base: base.name, index, problem: (e as Error).stack ?? String(e), value })
    }
    onDone?.(index + 1)
  }
  return failures
}
