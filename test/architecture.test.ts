import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { INSTRUCTIONS } from '../src/isa/index.ts'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const SOURCE = join(ROOT, 'src/')
const APPS = join(ROOT, 'apps/')

const ENGINE_ROOMS = ['reference', 'ir', 'lower', 'analysis', 'transform', 'texture', 'wasm']

/** What each room may import, the public face aside. `engine/x` is a room of its own inside `engine`. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  diagnostic: [],
  isa: [],
  dxbc: ['diagnostic', 'isa'],
  program: ['diagnostic', 'isa'],
  shader: ['diagnostic', 'dxbc', 'program'],
  asm: ['diagnostic', 'isa', 'dxbc', 'program', 'shader'],
  validate: ['diagnostic', 'isa', 'dxbc', 'program', 'shader'],
  machine: ['diagnostic', 'isa'],
  engine: ['diagnostic', 'isa', 'dxbc', 'program', 'machine', 'shader'],
  'engine/reference': ['diagnostic', 'isa', 'program', 'machine', 'engine'],
  'engine/ir': ['isa', 'machine', 'engine'],
  'engine/lower': ['diagnostic', 'isa', 'program', 'engine', 'engine/ir'],
  'engine/analysis': ['diagnostic', 'isa', 'engine', 'engine/ir'],
  'engine/texture': ['isa', 'machine', 'engine/ir'],
  'engine/transform': ['diagnostic', 'engine/ir', 'engine/analysis'],
  'engine/wasm': [
    ...['diagnostic', 'isa', 'program', 'machine', 'engine'],
    ...['engine/ir', 'engine/lower', 'engine/analysis', 'engine/texture', 'engine/transform'],
  ],
  source: ['diagnostic', 'isa', 'dxbc', 'program', 'shader', 'asm', 'engine'],
  job: ['diagnostic', 'isa', 'dxbc', 'program', 'shader', 'asm', 'machine', 'engine', 'pipeline'],
  pipeline: ['diagnostic', 'isa', 'dxbc', 'machine', 'engine'],
  check: ['diagnostic', 'isa', 'dxbc', 'program', 'shader', 'machine', 'engine'],
  debug: ['diagnostic', 'isa', 'machine', 'engine', 'pipeline', 'check'],
  session: [
    ...['diagnostic', 'isa', 'dxbc', 'program', 'shader', 'asm', 'machine', 'engine'],
    ...['source', 'debug', 'job'],
  ],
  language: ['diagnostic', 'isa', 'dxbc', 'program', 'asm', 'validate', 'source'],
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((e) =>
    e.isDirectory() ? filesBelow(join(folder, e.name)) : [join(folder, e.name)],
  )
}

const isSource = (path: string): boolean => path.endsWith('.ts') && !path.endsWith('.test.ts')
const SOURCES = filesBelow(SOURCE).filter(isSource)
const ALL = [...SOURCES, ...filesBelow(APPS).filter(isSource)]

function roomOf(path: string): string {
  if (path.startsWith(APPS)) return `apps/${relative(APPS, path).split('/')[0]}`
  const parts = relative(SOURCE, path).split('/')
  const engineRoom = parts[0] === 'engine' && ENGINE_ROOMS.includes(parts[1] ?? '')
  return engineRoom ? `engine/${parts[1]}` : parts.length === 1 ? '.' : parts[0]!
}

/** The files of this tree that a file imports, of types too. */
const filesImported = (path: string): string[] =>
  importsOf(path)
    .filter((s) => s.startsWith('.'))
    .map((s) => resolve(dirname(path), s))

const named = (path: string): string => relative(ROOT, path)

function importsOf(path: string): string[] {
  const text = readFileSync(path, 'utf8')
  const statements = text.matchAll(/^(?:import|export) (?:type )?(?:[\w*{}, \n]+ from )?'([^']+)'$/gm)
  const dynamic = text.matchAll(/\bimport\('([^']+)'\)/g)
  return [...statements, ...dynamic].map((m) => m[1]!)
}

/** Files longer than 500 lines, with the reason. */
const LONG_FILES: ReadonlySet<string> = new Set([
  // A table: one paragraph for each rule.
  'src/diagnostic/codes/validate.ts',
])

/** Functions with more than 60 lines of their own. */
const LONG_FUNCTIONS: ReadonlySet<string> = new Set([
  // One case for each operation, primitive, action or effect: tables in the form of code.
  ...['scalar-ops.ts emitOther', 'vector-ops.ts emitOther', 'vector-doubles.ts emitDouble'].map(
    (f) => `src/engine/wasm/emit/${f}`,
  ),
  'src/engine/reference/compile/recorder.ts recordingOps',
  'src/check/detectors/numbers.ts tracingOps',
  'src/engine/lower/blocks.ts #flow',
  'src/engine/transform/rebuild.ts #effect',
  // One check of a description after the other.
  'src/pipeline/draw/pipeline.ts createPipeline',
])

interface FunctionLines {
  readonly name: string
  /** Lines without those of the functions inside of it. */
  readonly count: number
}

/** The functions of a file, by the indentation that the formatter gives them. */
function functionsIn(text: string): FunctionLines[] {
  const head =
    /^(?!\s*(?:if|for|while|switch|do|try|class|interface|export class)\b|\s*\} ).*(?:\bfunction\b.*\{|=> \{|\)(?:: .*)? \{)$/
  const open: { indent: number; name: string; start: number; inside: number }[] = []
  const found: FunctionLines[] = []
  // The signature of a function that takes several lines begins above its brace.
  let begun = ''
  text.split('\n').forEach((line, i) => {
    const indent = line.length - line.trimStart().length
    const last = open[open.length - 1]
    if (last !== undefined && indent === last.indent && line.trimStart().startsWith('}')) {
      open.pop()
      const count = i - last.start + 1
      found.push({ name: last.name, count: count - last.inside })
      const around = open[open.length - 1]
      if (around !== undefined) around.inside += count
    }
    const name = /(?:function\*? |const )?(#?\w+)(?: = .*)?\(/.exec(line)?.[1]
    if (line.endsWith('(')) begun = name ?? begun
    if (head.test(line)) open.push({ indent, name: name ?? begun, start: i, inside: 0 })
  })
  return found
}

const WORDS_BY_FILE = new Map(
  [...filesBelow(SOURCE), ...filesBelow(APPS), ...['test', 'scripts', 'bench', 'examples'].flatMap(filesInFolder)]
    .filter((path) => /\.(?:ts|mjs|js|html)$/.test(path))
    .map((path) => [path, new Set(readFileSync(path, 'utf8').match(/\w+/g))] as const),
)

function filesInFolder(name: string): string[] {
  return filesBelow(join(ROOT, name))
}

/** Files that package.json exports: what they export is for users. */
const DOORS: readonly string[] = Object.values(
  (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { exports: Record<string, unknown> }).exports,
).flatMap((door) =>
  typeof door === 'object' && door !== null && 'default' in door
    ? [String(door.default).replace('./dist/', SOURCE).replace(/\.js$/, '.ts')]
    : [],
)

const MNEMONICS: ReadonlySet<string> = new Set(INSTRUCTIONS.map((r) => r.mnemonic))
const SLOTS: ReadonlySet<string> = new Set(INSTRUCTIONS.flatMap((r) => r.operands.map((o) => o.name)))

/** Values of traits, some of which read as mnemonics do: the action `loop`, the kind `sample`, the query `lod`. */
const TRAIT_VALUES: ReadonlySet<string> = new Set(INSTRUCTIONS.flatMap((r) => textsIn(r.traits)))

function textsIn(x: unknown): string[] {
  if (typeof x === 'string') return [x]
  return typeof x === 'object' && x !== null ? Object.values(x).flatMap(textsIn) : []
}

/** Rooms with words of their own for other things than the instructions of Shader Model 4 and 5. */
const OTHER_LANGUAGES: readonly { readonly below: string; readonly words?: readonly string[] }[] = [
  // Shader Model 1 to 3 has another instruction set, with its own table.
  { below: 'src/asm/level9/operations.ts' },
  // Operations of the compiler's language and primitives of ValueOps.
  { below: 'src/engine/ir/', words: ['not'] },
  { below: 'src/engine/wasm/emit/', words: ['not'] },
  { below: 'src/engine/reference/compile/recorder.ts', words: ['not'] },
  // Names of primitives of ValueOps, and of functions in formulas.
  { below: 'src/language/formula.ts', words: ['not', 'sqrt'] },
  // Functions of HLSL, by whose names `isa` gives their instructions.
  {
    below: 'src/source/expression/',
    words: ['min', 'max', 'not', 'mad', 'sqrt', 'rcp', 'countbits', 'f32tof16', 'f16tof32'],
  },
  // What a geometry shader appends to a stream: a vertex or a cut.
  { below: 'src/engine/reference/', words: ['cut'] },
]

/** Names of tags: properties and functions whose type is a closed union, never `string`. TypeScript checks their words. */
const TAGS: ReadonlySet<string> = new Set([
  ...['kind', 'action', 'flowAction', 'role', 'op', 'query', 'operation', 'form', 'formOf', 'reason', 'class'],
])

/** Comparisons with names of other things that happen to read as a mnemonic or a slot does. */
const NAMES_OF_OTHER_THINGS: ReadonlySet<string> = new Set([
  // The texts that suffixes, pieces and annotations of a listing begin with.
  ...['mnemonic.ts name', 'operand.ts word', 'declaration.ts piece'].map((x) => `src/asm/parse/${x}`),
  'src/asm/listing/print-declaration.ts piece',
  // A system value.
  'src/asm/statistics.ts wordOf',
  // Axes of a texel's address, checks of an address, places of a derivative or an attribute.
  'src/engine/texel-axes.ts name',
  'src/engine/wasm/report/findings.ts what',
  'src/engine/reference/compile/quads.ts at',
  'src/pipeline/pixels/attributes.ts place',
  'src/pipeline/pixels/input-program.ts place',
  // Names of register files, and of primitives.
  'src/validate/rules/operands.ts name',
  'src/language/formula.ts name',
  // The block that a statement closes; why a dispatch ended.
  'src/validate/rules/flow.ts closed',
  'src/program/blocks.ts closed',
  'src/check/check.ts stopped',
  'src/engine/reference/run/prepare.ts halt',
  // Words of the compiler's language as text; where the command line takes an option from.
  'src/engine/ir/parse.ts words',
  'apps/cli/children.ts getOptionValueSource',
])

interface Word {
  readonly path: string
  readonly line: number
  readonly word: string
  /** The name of what it is compared with, where it is compared. */
  readonly subject?: string | undefined
}

/** The words in quotes outside isa. A `case` is compared with the subject of the nearest `switch` above it. */
const WORDS: readonly Word[] = ALL.filter((path) => roomOf(path) !== 'isa').flatMap((path) => {
  let subject = ''
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((text, i) => {
      subject = /(\w+)(?:\([^()]*\))?\) \{$/.exec(/switch \(.*/.exec(text)?.[0] ?? '')?.[1] ?? subject
      return [...text.matchAll(/(?:(\w+)(?:\([^()]*\)|\[[^\]]*\]|!)*\s*[=!]==\s*|(\bcase ))?'(\w+)'/g)].map((m) => ({
        path: named(path),
        line: i + 1,
        word: m[3]!,
        subject: m[2] === undefined ? m[1] : subject,
      }))
    })
})

describe('the house', () => {
  it('has only rooms that the plan knows', () => {
    const rooms = new Set(SOURCES.map(roomOf))
    expect([...rooms].filter((r) => r !== '.' && r !== 'host' && MAY_IMPORT[r] === undefined)).toEqual([])
  })

  it('is imported downwards only', () => {
    const wrong: string[] = []
    for (const path of SOURCES) {
      const allowed = MAY_IMPORT[roomOf(path)]
      if (allowed === undefined) continue
      for (const specifier of importsOf(path).filter((s) => s.startsWith('.'))) {
        const room = roomOf(resolve(dirname(path), specifier))
        if (room !== roomOf(path) && !allowed.includes(room))
          wrong.push(`${relative(SOURCE, path)} imports ${specifier}`)
      }
    }
    expect(wrong).toEqual([])
  })

  it('touches no Node module and no package outside the command line', () => {
    // Adapters to Node live in host/node. The wasm engine has one adapter to worker_threads, behind the package's import conditions.
    // The matchers for vitest name its types, which a user of them has. PNG files are read by a package.
    const exempt = (path: string): boolean =>
      /\/host\/(?:node|png)\//.test(path) || /engine\/wasm\/run\/workers\/\w+\.ts$|check\/vitest\.ts$/.test(path)
    const wrong = SOURCES.filter((p) => !exempt(p)).flatMap((path) =>
      importsOf(path)
        .filter((s) => !s.startsWith('.') && !s.startsWith('#'))
        .map((s) => `${relative(SOURCE, path)} imports ${s}`),
    )
    expect(wrong).toEqual([])
  })

  it('has no permission that is not used', () => {
    const used = new Map<string, Set<string>>()
    for (const path of SOURCES) {
      const rooms = used.get(roomOf(path)) ?? new Set()
      for (const to of filesImported(path)) rooms.add(roomOf(to))
      used.set(roomOf(path), rooms)
    }
    const unused = Object.entries(MAY_IMPORT).flatMap(([room, allowed]) =>
      allowed.filter((other) => used.get(room)?.has(other) !== true).map((other) => `${room} need not import ${other}`),
    )
    expect(unused).toEqual([])
  })

  it('has no import cycle between files, of types or at run time', () => {
    const state = new Map<string, 'open' | 'done'>()
    const cycles: string[] = []
    const visit = (path: string, trail: readonly string[]): void => {
      if (state.get(path) === 'done') return
      if (state.get(path) === 'open') {
        cycles.push([...trail.slice(trail.indexOf(path)), path].map(named).join(' -> '))
        return
      }
      state.set(path, 'open')
      for (const next of filesImported(path)) visit(next, [...trail, path])
      state.set(path, 'done')
    }
    for (const path of ALL) visit(path, [])
    expect(cycles).toEqual([])
  })

  it('imports rooms through their index', () => {
    const wrong = ALL.flatMap((path) =>
      filesImported(path)
        .filter((to) => {
          const [from, room] = [roomOf(path), roomOf(to)]
          // The rooms inside engine stand in it: each takes the files of the contract that it needs.
          const inside = from.startsWith(`${room}/`)
          // Files of src itself are the public face and the version.
          return room !== from && room !== '.' && !inside && !to.endsWith('/index.ts')
        })
        .map((to) => `${named(path)} imports ${named(to)}`),
    )
    expect(wrong).toEqual([])
  })

  it('has no file of more than 500 lines and no folder of more than 25 files', () => {
    const wrong = ALL.flatMap((path) => {
      const lines = readFileSync(path, 'utf8').trimEnd().split('\n').length
      return lines > 500 && !LONG_FILES.has(named(path)) ? [`${named(path)} has ${lines} lines`] : []
    })
    for (const folder of new Set(ALL.map((path) => dirname(path)))) {
      const count = ALL.filter((path) => dirname(path) === folder).length
      if (count > 25) wrong.push(`${named(folder)} has ${count} files`)
    }
    expect(wrong).toEqual([])
  })

  it('has no function of more than 60 lines of its own', () => {
    const long = ALL.flatMap((path) =>
      functionsIn(readFileSync(path, 'utf8'))
        .filter((f) => f.count > 60)
        .map((f) => `${named(path)} ${f.name}`),
    )
    expect(long.filter((f) => !LONG_FUNCTIONS.has(f))).toEqual([])
    expect([...LONG_FUNCTIONS].filter((f) => !long.includes(f))).toEqual([])
  })

  it('exports nothing that only its own file uses', () => {
    const inFiles = new Map<string, number>()
    for (const words of WORDS_BY_FILE.values()) {
      for (const word of words) inFiles.set(word, (inFiles.get(word) ?? 0) + 1)
    }
    const unused = ALL.filter((path) => !DOORS.includes(path)).flatMap((path) =>
      [
        ...readFileSync(path, 'utf8').matchAll(
          /^export (?:async )?(?:interface|type|const|let|function\*?|class) (\w+)/gm,
        ),
      ]
        .filter(([, name]) => inFiles.get(name!) === 1)
        .map(([, name]) => `${named(path)} ${name}`),
    )
    expect(unused).toEqual([])
  })

  it('asks rows of operations what they are, not their names', () => {
    const named = /\.(?:starts|ends)With\('(?:[fiu](?:32|64)|F(?:32|64))/
    const wrong = SOURCES.filter((p) => p.includes('/engine/') && named.test(readFileSync(p, 'utf8')))
    expect(wrong.map((p) => relative(SOURCE, p))).toEqual([])
  })

  it('describes an instruction in one place: no mnemonic stands outside isa', () => {
    const wrong = WORDS.filter(({ word, path }) => {
      const isOther = OTHER_LANGUAGES.some((l) => path.startsWith(l.below) && (l.words?.includes(word) ?? true))
      return MNEMONICS.has(word) && !TRAIT_VALUES.has(word) && !isOther
    })
    expect(wrong.map((w) => `${w.path}:${w.line}: '${w.word}'`)).toEqual([])
  })

  it('compares a word that is also a trait, a slot or plain English with tags only, never with a name', () => {
    const wrong = WORDS.filter(({ word, subject, path }) => {
      const isNamed = MNEMONICS.has(word) || SLOTS.has(word)
      return isNamed && subject !== undefined && !TAGS.has(subject) && !NAMES_OF_OTHER_THINGS.has(`${path} ${subject}`)
    })
    expect(wrong.map((w) => `${w.path}:${w.line}: ${w.subject} is compared with '${w.word}'`)).toEqual([])
  })

  it('asks no instruction for its name or number to decide what it does', () => {
    const asks =
      /\.mnemonic\)?\s*[=!]==|\.mnemonic\.(?:starts|ends)With|\.opcode\s*[=!]==\s*\d|switch \([\w.]*\.(?:mnemonic|opcode)\)/
    const wrong = ALL.filter((path) => roomOf(path) !== 'isa').flatMap((path) =>
      readFileSync(path, 'utf8')
        .split('\n')
        .flatMap((line, i) => (asks.test(line) ? [`${named(path)}:${i + 1}: ${line.trim()}`] : [])),
    )
    expect(wrong).toEqual([])
  })

  it('spreads no list into the arguments of a call: long ones end in a RangeError', () => {
    // Lanes of one wave: at most 16.
    const short = new Set(['engine/wasm/emit/pattern-address.ts'])
    const spread = /(?:\.(?:push|unshift|concat)|Math\.(?:min|max)|\.from(?:CharCode|CodePoint))\(.*\.\.\./
    // Items of array and object literals may be spread: they do not go over the stack.
    const withoutLiterals = (line: string): string => {
      const shorter = line.replace(/[[{][^[\]{}]*[\]}]/g, '')
      return shorter === line ? line : withoutLiterals(shorter)
    }
    const wrong: string[] = []
    for (const path of SOURCES.filter((p) => !short.has(relative(SOURCE, p)))) {
      readFileSync(path, 'utf8')
        .split('\n')
        .forEach((line, i) => {
          if (!spread.test(withoutLiterals(line))) return
          wrong.push(`${relative(SOURCE, path)}:${i + 1}: ${line.trim()}; use appendAll or largest`)
        })
    }
    expect(wrong).toEqual([])
  })
})
