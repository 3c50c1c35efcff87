/**
 * The declarations of the package's doors (`exports` of package.json), one text a door in `api/`. They are reviewed as code
 * is, and a test compares them: `npm run api` writes them anew.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
// The compiler that the package is built with has no stable programming interface yet, so declarations are read with this one.
import ts from 'typescript-6'

const ROOT = fileURLToPath(new URL('../', import.meta.url))

/** One door: what it exports, and what the review has to know of it. */
export interface DoorReport {
  /** As it is imported: `heddle/check`. */
  readonly door: string
  /** Name of its file in `api/`. */
  readonly file: string
  readonly text: string
  /** Exports, methods and fields of options without a docstring. */
  readonly undocumented: readonly string[]
}

interface Door {
  readonly name: string
  readonly path: string
}

function doorsOf(declarations: string): Door[] {
  const { name, exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly name: string
    readonly exports: Readonly<Record<string, string | { readonly types: string }>>
  }
  return Object.entries(exports).flatMap(([key, entry]) =>
    typeof entry === 'string'
      ? []
      : [{ name: name + key.slice(1), path: join(declarations, entry.types.replace('./dist/', '')) }],
  )
}

const PRINTER = ts.createPrinter({ removeComments: true })

/** What is printed for a declaration: for a variable the statement around it. */
function statementOf(node: ts.Declaration): ts.Node {
  return ts.isVariableDeclaration(node) ? node.parent.parent : node
}

const hasDocstring = (symbol: ts.Symbol, checker: ts.TypeChecker): boolean =>
  symbol.getDocumentationComment(checker).length > 0

/** An export, methods of a class, and fields of options, as far as they have no docstring. */
function withoutDocstring(name: string, symbol: ts.Symbol, checker: ts.TypeChecker): string[] {
  const isDescribedByMember = (symbol.flags & ts.SymbolFlags.Class) !== 0 || name.endsWith('Options')
  const members = isDescribedByMember ? [...(symbol.members?.values() ?? [])] : []
  const own = members.filter((m) => (m.flags & ts.SymbolFlags.ClassMember) !== 0 && !m.name.includes('#'))
  const bare = own.filter((m) => !hasDocstring(m, checker)).map((m) => `${name}.${m.name}`)
  return hasDocstring(symbol, checker) ? bare : [name, ...bare]
}

function resolved(symbol: ts.Symbol, checker: ts.TypeChecker): ts.Symbol {
  return (symbol.flags & ts.SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol)
}

/** Top-level declarations of this package that a declaration mentions. */
function mentioned(node: ts.Node, checker: ts.TypeChecker, declarations: string): ts.Symbol[] {
  const found: ts.Symbol[] = []
  const visit = (n: ts.Node): void => {
    if (ts.isIdentifier(n)) {
      const at = checker.getSymbolAtLocation(n)
      const symbol = at && resolved(at, checker)
      const declared = symbol?.declarations?.[0]
      const own = declared?.getSourceFile().fileName.startsWith(declarations) === true
      const around = declared && statementOf(declared).parent
      if (own && around !== undefined && ts.isSourceFile(around)) found.push(symbol!)
    }
    ts.forEachChild(n, visit)
  }
  visit(node)
  return found
}

function declarationTexts(symbol: ts.Symbol): string[] {
  return (symbol.declarations ?? []).map((d) => {
    const text = PRINTER.printNode(ts.EmitHint.Unspecified, statementOf(d), d.getSourceFile())
    return text.replace(/^export declare /, 'export ').replace(/^declare /, 'export ')
  })
}

const byName = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

function reportOf(doors: readonly Door[], declarations: string): DoorReport[] {
  const options = { module: ts.ModuleKind.NodeNext, strict: true, skipLibCheck: true, types: ['node'] }
  const host = ts.createCompilerHost(options)
  host.getCurrentDirectory = () => ROOT
  const program = ts.createProgram(
    doors.map((d) => d.path),
    { ...options, moduleResolution: ts.ModuleResolutionKind.NodeNext, target: ts.ScriptTarget.ES2023 },
    host,
  )
  const checker = program.getTypeChecker()
  const exportsOf = doors.map((d) => {
    const module = checker.getSymbolAtLocation(program.getSourceFile(d.path)!)
    return module === undefined ? [] : checker.getExportsOfModule(module)
  })
  const home = new Map<ts.Symbol, string>()
  for (const [i, door] of doors.entries()) {
    for (const s of exportsOf[i]!) {
      const symbol = resolved(s, checker)
      if (!home.has(symbol)) home.set(symbol, door.name)
    }
  }
  return doors.map(({ name }, i): DoorReport => {
    const lines: string[] = []
    const undocumented: string[] = []
    const hidden = new Set<string>()
    for (const s of exportsOf[i]!.toSorted((a, b) => byName(a.name, b.name))) {
      const symbol = resolved(s, checker)
      undocumented.push(...withoutDocstring(s.name, symbol, checker))
      if (home.get(symbol) !== name) {
        lines.push(`export { ${s.name} } from '${home.get(symbol)}'`)
        continue
      }
      if (symbol.name !== s.name) lines.push(`export { ${symbol.name} as ${s.name} }`)
      lines.push(...declarationTexts(symbol))
      for (const d of symbol.declarations ?? []) {
        for (const m of mentioned(d, checker, declarations)) if (!home.has(m)) hidden.add(m.name)
      }
    }
    if (hidden.size > 0)
      lines.push('', '// Mentioned, and exported by no door:', `// ${[...hidden].sort(byName).join(', ')}`)
    return { door: name, file: `${name.replaceAll('/', '-')}.txt`, text: `${lines.join('\n')}\n`, undocumented }
  })
}

/** Reports of all doors. Runs the compiler. */
export function reportDoors(): DoorReport[] {
  const folder = mkdtempSync(join(tmpdir(), 'heddle-api-'))
  try {
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc')
    const project = join(ROOT, 'tsconfig.build.json')
    execFileSync(process.execPath, [compiler, '-p', project, '--noCheck', '--emitDeclarationOnly', '--outDir', folder])
    return reportOf(doorsOf(folder), folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
