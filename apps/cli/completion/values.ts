/** What options and arguments of verbs may be: words, files or folders. Lists come from the rooms that they are of. */
import type { Option } from 'commander'

export interface Candidate {
  readonly word: string
  readonly description?: string
}

export interface Values {
  readonly words?: readonly Candidate[]
  /** Files, those with one of these extensions first; none names all. */
  readonly files?: readonly string[]
  readonly folders?: boolean
}

type ValuesOf = (typed: string) => Values | Promise<Values>

export const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const

const wordsOf = (words: readonly string[]): Values => ({ words: words.map((word) => ({ word })) })
const constantly =
  (values: Values): ValuesOf =>
  () =>
    values
const oneOf = (...words: readonly string[]): ValuesOf => constantly(wordsOf(words))
const filesWith = (...files: readonly string[]): ValuesOf => constantly({ files })
const NOTHING: ValuesOf = constantly({})

const COMPILED = ['dxbc', 'cso', 'fxo', 'dxo', 'bin']
const SHADERS = [...COMPILED, 'asm', 'dxasm']
const RUNNABLE = ['json', ...SHADERS, 'hlsl']

/** Formats of texels and elements, behind what is typed before them. */
async function formats(head: string, tail: string): Promise<Values> {
  const { FORMATS } = await import('../../../src/isa/formats/index.ts')
  return wordsOf(FORMATS.map((f) => `${head}${f.name}${tail}`))
}

/** `t0=kind:`, and of kinds with a format `t0=typed:FORMAT:`. */
async function viewOf(typed: string): Promise<Values> {
  const [, head, kind, hasFormat] = /^(\w+=)(\w*)(:\w*)?/.exec(typed) ?? []
  if (head === undefined || kind === undefined) return {}
  if (hasFormat !== undefined) return kind.startsWith('te') || kind === 'typed' ? formats(`${head}${kind}:`, ':') : {}
  const { RESOURCE_KINDS } = await import('../../../src/job/index.ts')
  const kinds = RESOURCE_KINDS.filter((k) => !['cbuffer', 'sampler', 'same'].includes(k))
  return wordsOf(kinds.map((k) => `${head}${k}:`))
}

async function samplerOf(typed: string): Promise<Values> {
  const [, head, filter, hasMode] = /^(\w+=)(\w*)(:\w*)?/.exec(typed) ?? []
  if (head === undefined) return {}
  const { ADDRESS_MODES, FILTERS } = await import('../../../src/machine/index.ts')
  return hasMode === undefined
    ? wordsOf([...FILTERS.keys()].map((f) => `${head}${f}:`))
    : wordsOf(Object.keys(ADDRESS_MODES).map((mode) => `${head}${filter}:${mode}`))
}

async function codes(prefix: string): Promise<Values> {
  const { CODES } = await import('../../../src/diagnostic/index.ts')
  const known = Object.entries(CODES).filter(([code]) => code.startsWith(prefix))
  return { words: known.map(([word, { title }]) => ({ word, description: title })) }
}

/** Names between commas: what is typed before the last comma stays. */
async function detectors(typed: string): Promise<Values> {
  const { DETECTOR_NAMES } = await import('../../../src/check/index.ts')
  const head = typed.slice(0, typed.lastIndexOf(',') + 1)
  const given = head.split(',')
  return wordsOf(DETECTOR_NAMES.filter((name) => !given.includes(name)).map((name) => head + name))
}

async function engines(): Promise<Values> {
  const { ENGINES } = await import('../../../src/host/index.ts')
  return wordsOf(Object.keys(ENGINES))
}

const PROFILES = ['vs', 'ps', 'gs', 'hs', 'ds', 'cs'].flatMap((stage) =>
  ['4_0', '4_1', '5_0', '5_1'].map((m) => `${stage}_${m}`),
)

/** Values of options by their long name, where the definition has no choices. A test demands an entry for each option. */
export const OPTION_VALUES: Readonly<Record<string, ValuesOf>> = {
  '--output': filesWith(),
  '--out-dir': constantly({ folders: true }),
  '--base': filesWith(...COMPILED),
  '--pdb': filesWith('pdb'),
  '--script': filesWith('heddle'),
  '--suppressions': filesWith('txt'),
  '--junit': filesWith('xml'),
  '--sarif': filesWith('sarif'),
  '--engine': engines,
  '--policy': oneOf('report', 'poison', 'trap'),
  '--order': oneOf('forward', 'reverse', 'seed:'),
  '--fma': oneOf('two', 'one', 'allow'),
  '--wave-width': oneOf('1', '4', '8', '16', '32', '64'),
  '--precision': oneOf('exact', 'fast'),
  '--profile': oneOf(...PROFILES),
  '--shard': oneOf('auto', '1/2', '1/4'),
  '--zero-border': oneOf('all'),
  '--detectors': detectors,
  '--suppress': () => codes('check-'),
  '--finding': () => codes('check-'),
  '--srv': viewOf,
  '--uav': viewOf,
  '--sampler': samplerOf,
  // Numbers, names of the shader and commands are the user's own.
  ...Object.fromEntries(
    [
      ...[
        '--context',
        '--hlsl-compiler',
        '--entry',
        '--dispatch',
        '--cbv',
        '--unbound',
        '--threads',
        '--groups-in-flight',
      ],
      ...[
        '--max-instructions',
        '--max-time',
        '--print',
        '--out',
        '--preview',
        '--filter',
        '--jobs',
        '--bail',
        '--runs',
      ],
      ...['--max-findings', '--max-memory', '--path-map', '--warmup', '--command', '--port', '--pixel'],
    ].map((name) => [name, NOTHING]),
  ),
}

/** Arguments of verbs. A test demands an entry for each verb that takes any. */
export const ARGUMENT_VALUES: Readonly<Record<string, ValuesOf>> = {
  dis: filesWith(...COMPILED),
  info: filesWith(...COMPILED),
  hash: filesWith(...COMPILED),
  asm: filesWith('asm', 'dxasm', 'txt'),
  validate: filesWith(...SHADERS),
  diff: filesWith(...SHADERS),
  cfg: filesWith(...SHADERS),
  source: filesWith(...SHADERS),
  init: filesWith(...SHADERS, 'hlsl'),
  run: filesWith(...RUNNABLE),
  check: filesWith(...RUNNABLE),
  bench: filesWith(...RUNNABLE),
  debug: filesWith(...RUNNABLE),
  merge: filesWith('xml', 'sarif', 'json'),
  explain: () => codes(''),
  completion: oneOf(...SHELLS),
}

/** What the value of an option may be. */
export async function valuesOfOption(option: Option, typed: string): Promise<Values> {
  if (option.argChoices !== undefined) return wordsOf(option.argChoices)
  return (await OPTION_VALUES[option.long ?? '']?.(typed)) ?? {}
}
