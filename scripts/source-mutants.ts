/**
 * Runs a test program over the source as it is and over mutants of it, one at a time: for the scripts that prove that tests
 * notice when a check is missing (bounds-mutants.ts and others like it).
 *
 * A test program is a TypeScript file that ends with exit code 0 where all is well, and with 1 after a line that says what
 * is not. Each mutant is bundled with the test program in memory, one file being replaced, and runs in a process of its own.
 */
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'

/** One change of the source: `find` stands exactly once in the file. */
export interface SourceMutant {
  /** Path from the project's folder. */
  readonly file: string
  readonly find: string
  readonly replace: string
  /** What goes wrong with it. */
  readonly why: string
}

/** How a run ended: `survived` is what must not be; `broken` says that the mutant is no program. */
export interface MutantVerdict {
  readonly mutant: SourceMutant
  readonly kind: 'killed' | 'survived' | 'broken'
  readonly text: string
  readonly milliseconds: number
}

export interface MutantRun {
  /** The test program, as a path from the project's folder. */
  readonly entry: string
  readonly mutants: readonly SourceMutant[]
  /** Arguments of the test program. */
  readonly args?: readonly string[]
  /** A mutant that runs longer is killed: it does not end. The source as it is has the same time. */
  readonly limitMs?: number
  readonly onVerdict?: (verdict: MutantVerdict) => void
}

const ROOT = resolve(import.meta.dirname, '..')

/** The text of a mutant's file; throws where its `find` does not stand there exactly once. */
async function mutated({ file, find, replace }: SourceMutant): Promise<string> {
  const text = await readFile(join(ROOT, file), 'utf8')
  const count = text.split(find).length - 1
  if (count !== 1) throw new Error(`${file} has ${count} places with the text of a mutant, not 1:\n${find}`)
  if (find === replace) throw new Error(`a mutant of ${file} changes nothing:\n${find}`)
  return text.replace(find, () => replace)
}

/** Bundles the test program, with one file replaced where a mutant is given. */
async function bundle(entry: string, outfile: string, mutant: SourceMutant | undefined): Promise<void> {
  const text = mutant === undefined ? '' : await mutated(mutant)
  const path = mutant === undefined ? '' : join(ROOT, mutant.file)
  let isReplaced = mutant === undefined
  await build({
    entryPoints: [join(ROOT, entry)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'silent',
    banner: {
      js: `import { createRequire } from 'node:module'; const require = createRequire(${JSON.stringify(ROOT)} + '/')`,
    },
    plugins: [
      {
        name: 'mutant',
        setup(b) {
          b.onLoad({ filter: /\.ts$/ }, (args) => {
            if (args.path !== path) return undefined
            isReplaced = true
            return { contents: text, loader: 'ts' }
          })
        },
      },
    ],
  })
  if (!isReplaced) throw new Error(`${entry} does not use ${mutant?.file}`)
}

interface Ended {
  readonly code: number | null
  readonly isOverdue: boolean
  readonly output: string
}

function run(file: string, args: readonly string[], limitMs: number): Promise<Ended> {
  return new Promise((done) => {
    const child = spawn(process.execPath, [file, ...args], { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    let isOverdue = false
    const collect = (data: Buffer): void => {
      if (output.length < 20_000) output += data.toString()
    }
    child.stdout.on('data', collect)
    child.stderr.on('data', collect)
    const timer = setTimeout(() => {
      isOverdue = true
      child.kill('SIGKILL')
    }, limitMs)
    child.on('close', (code) => {
      clearTimeout(timer)
      done({ code, isOverdue, output })
    })
  })
}

const firstLine = (text: string): string => text.trim().split('\n')[0] ?? ''
/** What a program says that lacks a name or a member that the mutant took away. */
const NO_PROGRAM = /ReferenceError|SyntaxError|is not a function|is not defined/

function judge({ code, isOverdue, output }: Ended): Pick<MutantVerdict, 'kind' | 'text'> {
  if (isOverdue) return { kind: 'killed', text: 'does not end' }
  if (NO_PROGRAM.test(output)) return { kind: 'broken', text: firstLine(output.slice(output.search(NO_PROGRAM))) }
  if (code === 0) return { kind: 'survived', text: '' }
  if (code === 1) return { kind: 'killed', text: firstLine(output) }
  return { kind: 'killed', text: `ended with ${code}: ${firstLine(output)}` }
}

/** Runs the test program over the source, where it must pass, and over every mutant. */
export async function runMutants(options: MutantRun): Promise<MutantVerdict[]> {
  const { entry, mutants, args = [], limitMs = 60_000, onVerdict } = options
  // All texts are looked for before anything runs: a list that no longer fits is to be mended first.
  const texts = await Promise.allSettled(mutants.map(mutated))
  const misfits = texts.flatMap((t) => (t.status === 'rejected' ? [String(t.reason)] : []))
  if (misfits.length > 0) throw new Error(misfits.join('\n'))
  const folder = await mkdtemp(join(tmpdir(), 'heddle-mutants-'))
  try {
    const file = join(folder, 'test.mjs')
    await bundle(entry, file, undefined)
    const plain = await run(file, args, limitMs)
    if (plain.code !== 0) throw new Error(`${entry} fails without any mutant: ${plain.output}`)
    const verdicts: MutantVerdict[] = []
    for (const mutant of mutants) {
      const begin = performance.now()
      await bundle(entry, file, mutant)
      const verdict = { mutant, ...judge(await run(file, args, limitMs)), milliseconds: performance.now() - begin }
      verdicts.push(verdict)
      onVerdict?.(verdict)
    }
    return verdicts
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Runs mutants and prints a line for each, those that survive with their change; answers the exit code. */
export async function reportMutants(options: Omit<MutantRun, 'onVerdict'>): Promise<number> {
  const verdicts = await runMutants({
    ...options,
    onVerdict: ({ mutant, kind, text, milliseconds }) => {
      console.log(
        `${kind} ${mutant.file}: ${mutant.why} (${Math.round(milliseconds)} ms)${text === '' ? '' : `: ${text.slice(0, 160)}`}`,
      )
      if (kind !== 'killed') console.log(`    ${mutant.find}\n    ${mutant.replace}`)
    },
  })
  const count = (kind: MutantVerdict['kind']): number => verdicts.filter((v) => v.kind === kind).length
  console.log(
    `${verdicts.length} mutants: ${count('killed')} killed, ${count('survived')} survived, ${count('broken')} broken`,
  )
  return count('killed') === verdicts.length ? 0 : 1
}
