/**
 * Random programs on the WebAssembly engine against the reference engine, word for word.
 *
 *     npm run differential -- [count] [first seed] [options]
 *
 * `--keep` keeps denormals, `--fma` fuses mad, `--round` rounds to minimum precision. `--width 1|2|4` and `--threads N`
 * choose the engine; default: every width in turn, one thread. With several, workers take part in every dispatch of
 * several groups. `--findings` compares diagnostics too. `--assert` makes code hold values against what the compiler takes
 * for granted: a claim that fails is a difference. `--shrink` makes failures small, `--text` prints their programs;
 * each prints its seed and the command that replays it. `--corpus` runs the compute shaders of the corpus and the kernels
 * instead. `--stages` runs random shaders of single graphics stages, `--draws` random frames of several draws; their
 * findings are always compared; with `--fast` they have that precision, and are compared with exact ones too. `--coverage` says in the end what the frames were made of.
 * `--scenes` runs the scenes of `test/draws` in random states and sizes, as large as frames of games, against numbers.
 * `--draws` with `--browser` runs the frames in headless Chromium, with `--threads N` in a worker of a page.
 */
import { parseArgs } from 'node:util'
import type { Engine, LoadOptions } from '../src/engine/index.ts'
import { createReferenceEngine } from '../src/engine/reference/index.ts'
import { vectorRunCounts } from '../src/engine/wasm/flow/vector-runs.ts'
import { sharedCounts } from '../src/pipeline/index.ts'
import '../test/support/verify-passes.ts'
import { computeShaders } from '../test/support/corpus-programs.ts'
import { type Comparison, compareOn, isRacy, shrink } from '../test/support/differential.ts'
import { type CorpusVerdict, compareShader } from '../test/support/differential-corpus.ts'
import { optionsOf, type RandomProgram, randomProgram } from '../test/support/random-program.ts'
import { BRIEF_MS, countSharedDispatches, createSharingEngine } from '../test/support/sharing.ts'
import { workerModule } from '../test/support/worker-module.ts'
import { runFramesInBrowser } from './differential-browser.ts'
import { runFrames, runStages } from './differential-draws.ts'
import { runScenes } from './differential-scenes.ts'

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    keep: { type: 'boolean', default: false },
    fma: { type: 'boolean', default: false },
    round: { type: 'boolean', default: false },
    width: { type: 'string' },
    threads: { type: 'string', default: '1' },
    findings: { type: 'boolean', default: false },
    pairs: { type: 'boolean', default: false },
    assert: { type: 'boolean', default: false },
    shrink: { type: 'boolean', default: false },
    text: { type: 'boolean', default: false },
    corpus: { type: 'boolean', default: false },
    draws: { type: 'boolean', default: false },
    scenes: { type: 'boolean', default: false },
    stages: { type: 'boolean', default: false },
    fast: { type: 'boolean', default: false },
    browser: { type: 'boolean', default: false },
    coverage: { type: 'boolean', default: false },
  },
})
const count = Number(positionals[0] ?? 10_000)
const first = Number(positionals[1] ?? 1)
const threads = Number(options.threads)
const load: LoadOptions = {
  ...(options.keep ? { denormals: 'keep' as const } : {}),
  ...(options.fma ? { fma: 'always' as const } : {}),
  ...(options.round ? { minPrecision: 'round' as const } : {}),
}

/** What a run costs, whatever else the machine does. */
const processorSeconds = (): number => Math.round(process.cpuUsage().user / 1e6)

const WIDTHS = [1, 2, 4] as const
type Width = (typeof WIDTHS)[number]
const LANES = { 1: 4, 2: 8, 4: 16 } as const
const widthOf = (seed: number): Width =>
  options.width === undefined ? WIDTHS[seed % 3]! : (Number(options.width) as Width)

const reference = createReferenceEngine({})
let engines = new Map<string, Engine>()
/** What workers do their part of draws with. */
const module = threads > 1 && (options.draws || options.scenes) ? await workerModule() : undefined
/** Each engine has a memory of its own; new ones now and then keep the process small. */
function engineOf(width: Width, alwaysDecodes = false, shortRuns = width === 2 || alwaysDecodes): Engine {
  const key = `${width} ${alwaysDecodes} ${shortRuns}`
  // Of programs so short few have runs of the usual length.
  const settings = { width, threads, pairs: options.pairs, assertions: options.assert, shortRuns }
  // Half of the frames begin in baseline code.
  const more = { alwaysDecodes, baselineMs: alwaysDecodes ? BRIEF_MS : 0, workerModule: module }
  const engine = engines.get(key) ?? createSharingEngine({ ...settings, ...more })
  engines.set(key, engine)
  return engine
}
function renewEngines(): void {
  for (const engine of engines.values()) engine.dispose?.()
  engines = new Map()
}

const flags = ['draws', 'fast', 'stages', 'keep', 'fma', 'round', 'findings', 'pairs', 'assert'] as const
function replay(seed: number): string {
  const given = flags.filter((f) => options[f]).map((f) => ` --${f}`)
  return `npm run differential -- 1 ${seed} --width ${widthOf(seed)} --threads ${threads}${given.join('')} --text --shrink`
}

/** What fails stays what it was while a program shrinks: an error with its message, or a word. */
const kindOf = (text: string): string => (text.startsWith('threw') ? text : text.replace(/ .*/, '').replace(/\[.*/, ''))

async function small(p: RandomProgram, seed: number, text: string, comparison: Comparison): Promise<RandomProgram> {
  return shrink(p, async (candidate) => {
    const verdict = await compareOn(comparison, candidate, seed)
    if (verdict.kind !== 'differs' || kindOf(verdict.text) !== kindOf(text)) return false
    return !(await isRacy(reference, candidate, seed, load))
  })
}

async function report(p: RandomProgram, seed: number, text: string, comparison: Comparison): Promise<void> {
  const shape = `${p.threads.join('x')} threads, ${p.groups.join('x')} groups`
  console.log(
    `seed ${seed}, ${widthOf(seed)} vectors per word, ${threads} threads of the host, ${shape}: ${text.slice(0, 400)}`,
  )
  console.log(`  replay: ${replay(seed)}`)
  const shown = options.shrink ? await small(p, seed, text, comparison) : p
  const verdict = await compareOn(comparison, shown, seed)
  if (options.shrink && 'text' in verdict) console.log(`  shrunk: ${verdict.text.slice(0, 400)}`)
  if (options.text || options.shrink) console.log(shown.text)
}

async function runSeeds(): Promise<number> {
  const counts = { equal: 0, 'too-long': 0, 'not-compiled': 0, differs: 0 }
  const notCompiled = new Map<string, number>()
  for (let seed = first; seed < first + count; seed++) {
    if (seed % 64 === 63) renewEngines()
    const p = randomProgram(seed, optionsOf(seed))
    const comparison = {
      reference,
      engine: engineOf(widthOf(seed), false, seed % 4 !== 0),
      load,
      findings: options.findings,
    }
    const verdict = await compareOn(comparison, p, seed)
    counts[verdict.kind]++
    if (verdict.kind === 'not-compiled') notCompiled.set(verdict.text, (notCompiled.get(verdict.text) ?? 0) + 1)
    if (verdict.kind === 'differs') await report(p, seed, verdict.text, comparison)
    if ((seed - first + 1) % 1000 === 0)
      console.log(
        `${seed - first + 1} of ${count} run, ${counts.differs} differ, ${processorSeconds()} s of the processor`,
      )
  }
  for (const [text, n] of notCompiled) console.log(`not compiled, ${n} programs: ${text.slice(0, 300)}`)
  console.log(
    `${counts.equal} of ${count} programs equal, ${counts.differs} differ, ${counts['not-compiled']} not compiled, ${counts['too-long']} too long`,
  )
  return counts.differs
}

const WORDS: Readonly<Record<CorpusVerdict['kind'], string>> = {
  equal: 'equal',
  differs: 'DIFFERS',
  'not-compiled': 'not compiled',
  'too-long': 'does not end with any of the seeds',
  racy: 'racy: its result depends on the order of its threads',
  'equal-in-order': 'racy, and equal in the same order',
  'cannot-run': 'cannot run',
}

/** Every width in turn; a shader is equal where it is at all of them. */
async function runCorpus(): Promise<number> {
  const shaders = computeShaders()
  const counts: Record<CorpusVerdict['kind'], number> = {
    equal: 0,
    differs: 0,
    'not-compiled': 0,
    'too-long': 0,
    racy: 0,
    'equal-in-order': 0,
    'cannot-run': 0,
  }
  const widths = options.width === undefined ? WIDTHS : [Number(options.width) as Width]
  for (const { name, program } of shaders) {
    let verdict: CorpusVerdict = { kind: 'equal' }
    for (const width of widths) {
      verdict = await compareShader(
        { reference, engine: engineOf(width), lanes: LANES[width], load, findings: options.findings },
        program,
      )
      if (verdict.kind !== 'equal' && verdict.kind !== 'equal-in-order') break
    }
    renewEngines()
    counts[verdict.kind]++
    if (verdict.kind !== 'equal') {
      console.log(`${name}: ${WORDS[verdict.kind]}${'text' in verdict ? `: ${verdict.text.slice(0, 300)}` : ''}`)
    }
  }
  console.log(
    `${counts.equal} of ${shaders.length} compute shaders equal, ${counts.differs} differ, ${counts.racy + counts['equal-in-order']} racy (${counts['equal-in-order']} of them equal in the same order), ${counts['not-compiled']} not compiled, ${counts['too-long']} without end, ${counts['cannot-run']} cannot run`,
  )
  return counts.differs
}

const shared = countSharedDispatches()
const begin = performance.now()
const { shrink: shrinks, text, coverage, fast } = options
const ofDraws = { count, first, load, widthOf, engineOf, renewEngines, replay, shrink: shrinks, text, fast, coverage }

function runAll(): Promise<number> {
  if (options.draws && options.browser) return runFramesInBrowser({ count, first, threads })
  if (options.scenes) return runScenes({ count, first, threads, workerModule: module })
  if (options.draws) return runFrames(ofDraws)
  if (options.stages) return runStages(ofDraws)
  return options.corpus ? runCorpus() : runSeeds()
}
const differ = await runAll()
renewEngines()
const { rolled, skipped, always } = vectorRunCounts
console.log(`${rolled} runs as loops over vectors, ${skipped} chunks that vectors skip, ${always} that none does`)
console.log(`${Math.round((performance.now() - begin) / 1000)} s, ${processorSeconds()} s of the processor`)
if (threads > 1 && !options.browser) {
  const { draws, tilesOfWorkers, fronts, partsOfWorkers, bands } = sharedCounts
  console.log(
    options.draws || options.scenes
      ? `${draws} draws were shared with workers, which ran ${tilesOfWorkers} of their tiles; ${fronts} from their vertices on, ${partsOfWorkers} parts by workers; ${bands} by bands`
      : `${shared()} dispatches were shared with workers`,
  )
}
process.exitCode = differ === 0 ? 0 : 1
