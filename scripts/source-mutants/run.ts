/**
 * Runs a test program over the source as it is and over mutants of it, one at a time: that shows that tests notice when a
 * check is missing.
 *
 * A test program (checks.ts) ends with exit code 0 where all is well, and with 1 after a line that says what is not. Each
 * mutant is bundled with the test program, one file being replaced, and runs in a process of its own.
 */
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type BuildContext, context } from 'esbuild'

/** One change of the source: `find` stands exactly once in the file. */
export interface SourceMutant {
  /** Path from the project's folder. */
  readonly file: string
  readonly find: string
  readonly replace: string
  /** What goes wrong with it. */
  readonly why: string
  /** A part of the names of checks that notice it: they run first. */
  readonly noticedBy: string
}

export interface MutantRun {
  /** The test program, as a path from the project's folder. */
  readonly entry: string
  readonly mutants: readonly SourceMutant[]
}

/** How a run ended: `survived` is what must not be; `broken` says that the mutant is no program. */
interface Verdict {
  readonly kind: 'killed' | 'survived' | 'broken'
  readonly text: string
}

const ROOT = resolve(import.meta.dirname, '../..')

/** The text of a mutant's file; throws where its `find` does not stand there exactly once. */
export async function mutated({ file, find, replace }: SourceMutant): Promise<string> {
  const text = await readFile(join(ROOT, file), 'utf8')
  const count = text.split(find).length - 1
  if (count !== 1) throw new Error(`${file} has ${count} places with the text of a mutant, not 1:\n${find}`)
  if (find === replace) throw new Error(`a mutant of ${file} changes nothing:\n${find}`)
  return text.replace(find, () => replace)
}

/** Checks take about a quarter of it where nothing is wrong. */
const PROCESSOR_SECONDS = 60
/** For checks that wait for ever. */
const LIMIT_MS = 1_800_000

/**
 * Ends a program that does not end by itself, by its time on the processor: that of the clock depends on what else runs. In
 * a thread of its own, since the first may never leave a loop.
 */
const PROCESSOR_LIMIT = `import { Worker as LimitWorker } from 'node:worker_threads'
new LimitWorker(
  'setInterval(() => process.cpuUsage().user > ${PROCESSOR_SECONDS}e6 && process.kill(process.pid, "SIGKILL"), 1000)',
  { eval: true },
).unref()`

/** The file that a bundle has in another form. */
interface Replaced {
  path: string
  text: string
  isUsed: boolean
}

/** Makes the test program again and again; files that have not changed are not parsed again. */
class Bundler {
  readonly #context: BuildContext
  readonly #replaced: Replaced

  private constructor(made: BuildContext, replaced: Replaced) {
    this.#context = made
    this.#replaced = replaced
  }

  static async create({ entry, mutants }: MutantRun, outfile: string): Promise<Bundler> {
    const replaced: Replaced = { path: '', text: '', isUsed: false }
    const paths = mutants.map(({ file }) => join(ROOT, file).replace(/\W/g, '\\$&'))
    const filter = new RegExp(`^(?:${[...new Set(paths)].join('|')})$`)
    const made = await context({
      entryPoints: [join(ROOT, entry)],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      logLevel: 'silent',
      banner: { js: PROCESSOR_LIMIT },
      plugins: [
        {
          name: 'mutant',
          setup: (build) =>
            build.onLoad({ filter }, ({ path }) => {
              if (path !== replaced.path) return undefined
              replaced.isUsed = true
              return { contents: replaced.text, loader: 'ts' }
            }),
        },
      ],
    })
    return new Bundler(made, replaced)
  }

  /** The test program with a mutant; without one, as it is. */
  async bundle(mutant?: SourceMutant): Promise<void> {
    const path = mutant === undefined ? '' : join(ROOT, mutant.file)
    const text = mutant === undefined ? '' : await mutated(mutant)
    Object.assign(this.#replaced, { path, text, isUsed: false })
    await this.#context.rebuild()
    if (mutant !== undefined && !this.#replaced.isUsed) throw new Error(`no check uses ${mutant.file}`)
  }

  dispose(): Promise<void> {
    return this.#context.dispose()
  }
}

interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly output: string
}

function run(file: string, args: readonly string[]): Promise<Ended> {
  return new Promise((done) => {
    const child = spawn(process.execPath, [file, ...args], { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    const collect = (data: Buffer): void => {
      if (output.length < 20_000) output += data.toString()
    }
    child.stdout.on('data', collect)
    child.stderr.on('data', collect)
    const timer = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS)
    child.on('close', (code, signal) => {
      clearTimeout(timer)
      done({ code, signal, output })
    })
  })
}

const firstLine = (text: string): string => text.trim().split('\n')[0] ?? ''
/** What a program says that lacks a name or a member that the mutant took away. */
const NO_PROGRAM = /ReferenceError|SyntaxError|is not a function|is not defined/

function judge({ code, signal, output }: Ended): Verdict {
  if (signal === 'SIGKILL') return { kind: 'killed', text: 'does not end' }
  if (NO_PROGRAM.test(output)) return { kind: 'broken', text: firstLine(output.slice(output.search(NO_PROGRAM))) }
  if (code === 0) return { kind: 'survived', text: '' }
  if (code === 1) return { kind: 'killed', text: firstLine(output) }
  return { kind: 'killed', text: `ended with ${code}: ${firstLine(output)}` }
}

/** Runs the test program over the source, where it must pass, and over every mutant, whose results are printed. */
async function runMutants(
  options: MutantRun,
  tell: (mutant: SourceMutant, verdict: Verdict, milliseconds: number) => void,
): Promise<void> {
  const { entry, mutants } = options
  // All texts are looked for before anything runs: a list that no longer fits has to be corrected first.
  const texts = await Promise.allSettled(mutants.map(mutated))
  const misfits = texts.flatMap((t) => (t.status === 'rejected' ? [String(t.reason)] : []))
  if (misfits.length > 0) throw new Error(misfits.join('\n'))
  const folder = await mkdtemp(join(tmpdir(), 'heddle-mutants-'))
  const file = join(folder, 'test.mjs')
  const bundler = await Bundler.create(options, file)
  try {
    await bundler.bundle()
    const plain = await run(file, [])
    if (plain.code !== 0) throw new Error(`${entry} fails without any mutant: ${plain.output}`)
    for (const mutant of mutants) {
      const begin = performance.now()
      await bundler.bundle(mutant)
      tell(mutant, judge(await run(file, [mutant.noticedBy])), performance.now() - begin)
    }
  } finally {
    await bundler.dispose()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Runs mutants and prints a line for each, those that survive with their change; answers the exit code. */
export async function reportMutants(options: MutantRun): Promise<number> {
  const counts = { killed: 0, survived: 0, broken: 0 }
  await runMutants(options, ({ file, find, replace, why }, { kind, text }, milliseconds) => {
    counts[kind]++
    console.log(
      `${kind} ${file}: ${why} (${Math.round(milliseconds)} ms)${text === '' ? '' : `: ${text.slice(0, 160)}`}`,
    )
    if (kind !== 'killed') console.log(`    ${find}\n    ${replace}`)
  })
  const { killed, survived, broken } = counts
  console.log(`${options.mutants.length} mutants: ${killed} killed, ${survived} survived, ${broken} broken`)
  return killed === options.mutants.length ? 0 : 1
}
