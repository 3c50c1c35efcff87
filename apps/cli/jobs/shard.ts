/** Shards: the part of the files that one machine of several takes, given by `--shard` or by the variables of a CI system. */
import { createHash } from 'node:crypto'
import { type ShardMark, withSlashes } from '../../../src/diagnostic/index.ts'
import { VERSION } from '../../../src/version.ts'
import { printError } from '../terminal.ts'

interface Shard {
  readonly files: readonly string[]
  /** Absent where the files are not divided. */
  readonly mark?: ShardMark
}

interface Part {
  /** From 1 to `count`. */
  readonly index: number
  readonly count: number
}

/** Variables in which a CI system gives each job its number. */
interface ShardVariables {
  readonly system: string
  readonly index: string
  /** The number of the first job. */
  readonly first: 0 | 1
  readonly count: string
}

const VARIABLES: readonly ShardVariables[] = [
  // Kubernetes sets the index alone; JOB_COMPLETIONS is to be set beside it (docs/ci.md).
  { system: 'Kubernetes', index: 'JOB_COMPLETION_INDEX', first: 0, count: 'JOB_COMPLETIONS' },
  { system: 'GitLab', index: 'CI_NODE_INDEX', first: 1, count: 'CI_NODE_TOTAL' },
  { system: 'CircleCI', index: 'CIRCLE_NODE_INDEX', first: 0, count: 'CIRCLE_NODE_TOTAL' },
  { system: 'Buildkite', index: 'BUILDKITE_PARALLEL_JOB', first: 0, count: 'BUILDKITE_PARALLEL_JOB_COUNT' },
  { system: 'Azure Pipelines', index: 'SYSTEM_JOBPOSITIONINPHASE', first: 1, count: 'SYSTEM_TOTALJOBSINPHASE' },
  { system: 'Semaphore', index: 'SEMAPHORE_JOB_INDEX', first: 1, count: 'SEMAPHORE_JOB_COUNT' },
  { system: 'Bitbucket', index: 'BITBUCKET_PARALLEL_STEP', first: 0, count: 'BITBUCKET_PARALLEL_STEP_COUNT' },
]

type Environment = Readonly<Record<string, string | undefined>>

const wholeNumber = (text: string): number => (/^\d{1,9}$/.test(text) ? Number(text) : Number.NaN)

/** The part that the variables of one system name, or what is wrong with them. */
function partOf(v: ShardVariables, env: Environment): Part | string {
  const [index, count] = [env[v.index] ?? '', env[v.count]]
  if (count === undefined)
    return `--shard auto: ${v.index} is ${JSON.stringify(index)} (${v.system}), and ${v.count} is not set; set it to the number of jobs`
  const part = { index: wholeNumber(index) + 1 - v.first, count: wholeNumber(count) }
  if (part.index >= 1 && part.index <= part.count) return part
  const [first, last] = v.first === 0 ? ['0', `${v.count} - 1`] : ['1', v.count]
  return `--shard auto: ${v.index} is ${JSON.stringify(index)} and ${v.count} ${JSON.stringify(count)} (${v.system}); whole numbers are expected, the first from ${first} to ${last}`
}

/** The part that the environment names, or a sentence on why it names none. */
export function shardInEnvironment(env: Environment): Part | string {
  const set = VARIABLES.filter((v) => env[v.index] !== undefined)
  const [only] = set
  if (only === undefined)
    return `--shard auto: none of ${VARIABLES.map((v) => v.index).join(', ')} is set; give the part as --shard i/n`
  if (set.length === 1) return partOf(only, env)
  return `--shard auto: ${set.map((v) => `${v.index} (${v.system})`).join(' and ')} are set; give the part as --shard i/n`
}

function partOfOption(option: string): Part | string {
  if (option === 'auto') return shardInEnvironment(process.env)
  const m = /^(\d{1,9})\/(\d{1,9})$/.exec(option)
  const part = { index: Number(m?.[1]), count: Number(m?.[2]) }
  const fits = m !== null && part.index >= 1 && part.index <= part.count
  return fits ? part : `--shard takes i/n with i from 1 to n, or auto; ${JSON.stringify(option)} was given`
}

/** The files of one part of several: every nth, so that neighbors of like size are divided evenly. */
export function filesOfPart<T>(files: readonly T[], { index, count }: Part): readonly T[] {
  return files.filter((_, i) => i % count === index - 1)
}

/** The files of the shard that was requested; undefined, after a message, where that makes no sense. */
export function shardOf(verb: string, files: readonly string[], option: string | undefined): Shard | undefined {
  if (option === undefined) return { files }
  const part = partOfOption(option)
  if (typeof part === 'string') {
    printError(part)
    return undefined
  }
  const names = files.map(withSlashes).join('\n')
  const hash = createHash('sha256').update(names).digest('hex').slice(0, 16)
  return { files: filesOfPart(files, part), mark: { verb, version: VERSION, ...part, files: files.length, hash } }
}
