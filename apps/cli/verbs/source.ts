import { instructionNumbers } from '../../../src/program/index.ts'
import {
  databaseNames,
  findDatabase,
  homeText,
  placesText,
  type SourceMap,
  type SourceVariable,
  sourceOf,
  sourceTypeText,
} from '../../../src/source/index.ts'
import { eachFile } from '../each-file.ts'
import { EXIT } from '../exit.ts'
import { readBytes, systemReason } from '../files.ts'
import { inputFiles, SHADERS } from '../inputs.ts'
import { print } from '../print.ts'
import { exitCodeOf, printDiagnostics, printJson } from '../print-diagnostics.ts'
import { readShader, type ShaderInput } from '../shader-input.ts'
import { printError } from '../terminal.ts'

interface Options {
  readonly json?: boolean
  readonly lines?: boolean
  readonly pdb?: string
}

/** Instructions one after the other at which a variable is in the same place. */
interface Stretch {
  readonly first: number
  last: number
  readonly place: string
}

interface VariableInfo {
  readonly function: string
  /** Number of the inlined copy; 0 the entry. */
  readonly site: number
  readonly kind: SourceVariable['kind']
  readonly type: string
  readonly name: string
  readonly places: Stretch[]
}

interface LineInfo {
  readonly file: string
  readonly line: number
  readonly instructions: readonly number[]
}

interface SourceInfo {
  readonly file: string
  readonly origin: SourceMap['origin']
  readonly compiler?: string
  readonly settings: Readonly<Record<string, string>>
  readonly files: readonly { readonly name: string; readonly characters?: number; readonly md5?: string }[]
  readonly functions: readonly { readonly name: string; readonly place?: string }[]
  readonly globals: readonly {
    readonly kind: string
    readonly type: string
    readonly name: string
    readonly place: string
  }[]
  readonly variables: readonly VariableInfo[]
  readonly lines: readonly LineInfo[]
}

/** Every variable of every function with the stretches of instructions over which it stays in one place. */
function variablesOf(map: SourceMap, numbers: readonly (number | undefined)[]): readonly VariableInfo[] {
  const found = new Map<string, VariableInfo>()
  numbers.forEach((number, statement) => {
    if (number === undefined) return
    const stack = map.inlineStack(statement)
    for (const v of map.variablesAt(statement)) {
      const frame = v.frame === undefined ? undefined : stack[v.frame]
      if (frame === undefined) continue
      const type = sourceTypeText(v.type)
      const key = `${frame.site} ${frame.functionName} ${v.name} ${v.kind} ${type}`
      const { functionName, site } = frame
      const info = found.get(key) ?? { function: functionName, site, kind: v.kind, type, name: v.name, places: [] }
      found.set(key, info)
      const place = placesText(v)
      const last = info.places.at(-1)
      if (place === '') continue
      if (last?.place === place && last.last === number - 1) last.last = number
      else info.places.push({ first: number, last: number, place })
    }
  })
  return [...found.values()]
}

function linesOf(map: SourceMap, numbers: readonly (number | undefined)[]): readonly LineInfo[] {
  return map.files.flatMap(({ name }, file) =>
    map.linesWithStatements(file).map((line) => ({
      file: name,
      line,
      instructions: map.statementsOf(file, line).flatMap((s) => numbers[s] ?? []),
    })),
  )
}

function infoOf(file: string, shader: ShaderInput, map: SourceMap): SourceInfo {
  const numbers = instructionNumbers(shader.program)
  const first = numbers.findIndex((n) => n !== undefined)
  return {
    file,
    origin: map.origin,
    ...(map.compiler === undefined ? {} : { compiler: map.compiler }),
    settings: Object.fromEntries(map.settings),
    files: map.files.map(({ name, text, md5 }) => ({
      name,
      ...(text === undefined ? {} : { characters: text.length }),
      ...(md5 === undefined ? {} : { md5 }),
    })),
    functions: map.functions.map((f) => {
      const where = f.file === undefined ? undefined : map.files[f.file]?.name
      return where === undefined ? { name: f.name } : { name: f.name, place: `${where}:${f.line}` }
    }),
    globals: map
      .variablesAt(Math.max(0, first))
      .flatMap((v) =>
        v.frame === undefined ? [{ kind: v.kind, type: sourceTypeText(v.type), name: v.name, place: homeText(v) }] : [],
      ),
    variables: variablesOf(map, numbers),
    lines: linesOf(map, numbers),
  }
}

const ORIGINS: Readonly<Record<SourceMap['origin'], string>> = {
  spdb: 'program database (SPDB)',
  sdbg: 'debug data of fxc 9 (SDBG)',
  listing: 'none: the listing stands for the source',
}

const stretchText = ({ first, last, place }: Stretch): string =>
  `${first === last ? first : `${first}-${last}`}: ${place}`

/** `3-5, 9`. */
function rangesText(numbers: readonly number[]): string {
  const stretches: Stretch[] = []
  for (const n of numbers) {
    const last = stretches.at(-1)
    if (last !== undefined && last.last === n - 1) last.last = n
    else stretches.push({ first: n, last: n, place: '' })
  }
  return stretches.map((s) => (s.first === s.last ? `${s.first}` : `${s.first}-${s.last}`)).join(', ')
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', title, ...lines.map((l) => `  ${l}`)]
}

function render(info: SourceInfo, withLines: boolean): string {
  const variables = info.variables.flatMap((v) => {
    const site = v.site === 0 ? '' : ` (copy ${v.site})`
    const head = `${v.function}${site}: ${v.kind} ${v.type} ${v.name}`
    return v.places.length === 0 ? [`${head}  nowhere`] : [head, ...v.places.map((p) => `    ${stretchText(p)}`)]
  })
  return [
    info.file,
    `  source    ${ORIGINS[info.origin]}`,
    ...(info.compiler === undefined ? [] : [`  made by   ${info.compiler}`]),
    ...Object.entries(info.settings).map(([name, value]) => `  ${name.padEnd(9)} ${value}`),
    ...section(
      'Files',
      info.files.map(
        (f) =>
          `${f.name}${f.characters === undefined ? '  (no text)' : ''}${f.md5 === undefined ? '' : `  md5 ${f.md5}`}`,
      ),
    ),
    ...section(
      'Functions',
      info.functions.map((f) => (f.place === undefined ? f.name : `${f.name}  ${f.place}`)),
    ),
    ...section(
      'Constants, resources, shared memory',
      info.globals.map((g) => `${g.place}  ${g.type} ${g.name}`),
    ),
    ...section('Variables, by instructions before which they are in a place', variables),
    ...(withLines
      ? section(
          'Lines, with the instructions made of them',
          info.lines.map((l) => `${l.file}:${l.line}  ${rangesText(l.instructions)}`),
        )
      : []),
    '',
  ].join('\n')
}

/** The bytes of a file that need not be there. */
function bytesIfThere(path: string): Uint8Array | undefined {
  try {
    return readBytes(path)
  } catch {
    return undefined
  }
}

/** The PDB that the user names; false where it cannot be read, which is said. */
function namedDatabase(path: string | undefined): Uint8Array | undefined | false {
  if (path === undefined) return undefined
  try {
    return readBytes(path)
  } catch (e) {
    printError(`cannot read ${path}: ${systemReason(e)}`)
    return false
  }
}

/** `heddle source`. */
export async function source(files: readonly string[], options: Options): Promise<void> {
  const named = namedDatabase(options.pdb)
  if (named === false) {
    process.exitCode = EXIT.usage
    return
  }
  const inputs = await inputFiles(files, SHADERS)
  const all: SourceInfo[] = []
  await eachFile(inputs, async (path, bytes) => {
    const { value: shader, diagnostics } = readShader(bytes)
    printDiagnostics(path, diagnostics)
    if (shader === undefined) return EXIT.findings
    const beside =
      named === undefined ? await findDatabase(shader, databaseNames(shader, path), bytesIfThere) : undefined
    const map = sourceOf(shader, { database: named ?? beside?.database?.bytes })
    const found = [...(beside?.diagnostics ?? []), ...map.diagnostics]
    printDiagnostics(path, found)
    const info = infoOf(path, shader, map.value)
    if (options.json === true) all.push(info)
    else print(`${render(info, options.lines === true)}\n`)
    return exitCodeOf(found)
  })
  if (options.json === true) printJson(all)
}
