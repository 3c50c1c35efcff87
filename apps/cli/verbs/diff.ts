import type { AlignedLine, Hunk } from '../compare/align.ts'
import { type Comparison, compareShaders, type PartChange } from '../compare/compare.ts'
import { EXIT } from '../exit.ts'
import { readBytes, systemReason } from '../files.ts'
import { STANDARD } from '../inputs.ts'
import { print } from '../print.ts'
import { printDiagnostics, printJson } from '../print-diagnostics.ts'
import { readShader, type ShaderInput } from '../shader-input.ts'
import { colorsFor, printError } from '../terminal.ts'

interface Options {
  readonly context?: string
  readonly json?: boolean
  readonly quiet?: boolean
}

const DEFAULT_CONTEXT = 3

type Colors = ReturnType<typeof colorsFor>

/** The shader of a file; undefined, after a message, where there is none. */
function shaderAt(path: string): ShaderInput | undefined {
  try {
    const { value, diagnostics } = readShader(readBytes(path))
    printDiagnostics(path, diagnostics)
    return value
  } catch (e) {
    printError(`cannot read ${path}: ${systemReason(e)}`)
    return undefined
  }
}

const MARKS = { same: ' ', removed: '-', added: '+' } as const

function lineText(c: Colors, { change, text }: AlignedLine): string {
  const line = `${MARKS[change]} ${text}`
  return change === 'same' ? line : change === 'removed' ? c.red(line) : c.green(line)
}

/** `@@ instructions 12 to 15, 12 to 17 @@`, or statements where the lines are declarations. */
function hunkHead(title: string, hunk: Hunk): string[] {
  const range = (numbers: readonly (number | undefined)[]): string => {
    const known = numbers.filter((n) => n !== undefined)
    const [first, last] = [known[0], known.at(-1)]
    if (first === undefined) return 'none'
    return first === last ? `${first}` : `${first} to ${last}`
  }
  const [first, second] = [hunk.map((l) => l.first), hunk.map((l) => l.second)]
  if ([...first, ...second].every((n) => n === undefined)) return []
  return [`@@ ${title === 'code' ? 'instructions' : 'statements'} ${range(first)}, ${range(second)} @@`]
}

function partLine(p: PartChange): string {
  switch (p.change) {
    case 'removed':
      return `- ${p.fourcc}, ${p.firstByteLength} bytes`
    case 'added':
      return `+ ${p.fourcc}, ${p.secondByteLength} bytes`
    case 'changed':
      return `  ${p.fourcc}, ${p.firstByteLength} and ${p.secondByteLength} bytes, differs from byte ${p.byteOffset} on`
  }
}

function comparisonLines(c: Colors, names: readonly [string, string], comparison: Comparison): string[] {
  const parts = comparison.parts.length === 0 ? [] : ['', c.bold('other parts'), ...comparison.parts.map(partLine)]
  const sections = comparison.sections.flatMap(({ title, hunks, isAligned }) => [
    '',
    c.bold(isAligned ? title : `${title}: too different to be aligned`),
    ...hunks.flatMap((hunk) => [...hunkHead(title, hunk).map(c.cyan), ...hunk.map((l) => lineText(c, l))]),
  ])
  return [c.red(`--- ${names[0]}`), c.green(`+++ ${names[1]}`), ...sections, ...parts]
}

/** `heddle diff`. */
export function diff(first: string, second: string, options: Options): void {
  const context = options.context === undefined ? DEFAULT_CONTEXT : Number(options.context)
  if (!Number.isInteger(context) || context < 0) {
    printError(`--context takes a whole number from 0; ${JSON.stringify(options.context)} was given`)
    process.exitCode = EXIT.usage
    return
  }
  if (first === STANDARD && second === STANDARD) {
    printError('standard input can be one of the two shaders')
    process.exitCode = EXIT.usage
    return
  }
  const [a, b] = [shaderAt(first), shaderAt(second)]
  if (a === undefined || b === undefined) {
    process.exitCode = EXIT.usage
    return
  }
  const comparison = compareShaders(a, b, context)
  process.exitCode = comparison.isSame ? EXIT.fine : EXIT.findings
  if (options.json === true) printJson({ first, second, ...comparison })
  else if (options.quiet === true) return
  else if (comparison.isSame) print(`${first} and ${second} are the same\n`)
  else print(`${comparisonLines(colorsFor(process.stdout), [first, second], comparison).join('\n')}\n`)
}
