import { CODES, type CodeInfo, didYouMean, FORMER_CODES } from '../../../src/diagnostic/index.ts'
import { EXIT } from '../exit.ts'
import { print } from '../print.ts'
import { printJson } from '../print-diagnostics.ts'
import { printError } from '../terminal.ts'

const REGISTRY: ReadonlyMap<string, CodeInfo> = new Map(Object.entries(CODES))

/** The name that a code has now. */
const currentName = (code: string): string => (Object.hasOwn(FORMER_CODES, code) ? FORMER_CODES[code]! : code)

function paragraph(code: string, info: CodeInfo): string {
  const source = info.source === undefined ? '' : `\nSource: ${info.source}`
  return `${code} (${info.severity}): ${info.title}\n\n${info.explanation}${source}\n`
}

function printUnknown(code: string): void {
  const [near = 'heddle explain lists them all'] = didYouMean(code, REGISTRY.keys())
  printError(`there is no code ${code}; ${near}`)
  process.exitCode = EXIT.usage
}

function explainAsJson(codes: readonly string[]): void {
  const wanted = codes.length === 0 ? [...REGISTRY.keys()] : codes
  const found = wanted.flatMap((name) => {
    const code = currentName(name)
    const info = REGISTRY.get(code)
    if (info === undefined) printUnknown(name)
    return info === undefined ? [] : [{ code, ...info }]
  })
  printJson(found)
}

/** `heddle explain`: the paragraph of each code, or a list of them all. */
export function explain(codes: readonly string[], options: { readonly json?: boolean } = {}): void {
  if (options.json === true) {
    explainAsJson(codes)
    return
  }
  if (codes.length === 0) {
    for (const [code, info] of REGISTRY) print(`${code.padEnd(36)} ${info.severity.padEnd(8)} ${info.title}\n`)
    return
  }
  for (const name of codes) {
    const code = currentName(name)
    const info = REGISTRY.get(code)
    if (code !== name) print(`${name} is now ${code}.\n\n`)
    if (info === undefined) {
      printUnknown(name)
    } else print(paragraph(code, info))
  }
}
